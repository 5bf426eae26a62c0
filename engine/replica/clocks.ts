/** Whose clock is far from most others' must not give timestamps. */
import type { HeardPeer } from '../peers/peer-link.ts';

const APART_MAX_MS = 10_000;
const LATELY_MS = 1000;

/** False when a majority was heard lately, and too few of it have a clock near this replica's. */
export function clocksAgree(
  peers: readonly Pick<HeardPeer, 'heardAtMs' | 'aheadMs'>[],
  replicaCount: number,
  nowMs: number,
): boolean {
  const lately = peers.filter(({ heardAtMs }) => nowMs - heardAtMs < LATELY_MS);
  const near = lately.filter(({ aheadMs }) => Math.abs(aheadMs) < APART_MAX_MS);
  const majority = Math.floor(replicaCount / 2) + 1;
  return lately.length + 1 < majority || near.length + 1 >= majority;
}
