/** Decisions of a leader by the recent heartbeats of the other replicas. */
import type { HeardPeer } from '../peers/peer-link.ts';
import { FIRST_RULES } from './rules.ts';

/** Maximum age of the last heartbeat of a peer that counts as present. */
const LATELY_MS = 1000;

/** Returns the peers whose heartbeats came recently. */
export const heardLately = (peers: readonly HeardPeer[], nowMs: number): readonly HeardPeer[] =>
  peers.filter(({ heardAtMs }) => heardAtMs >= nowMs - LATELY_MS);

/** Returns the newest rules that this replica and all `others` can execute, or the first rules while one is silent. */
export function commonRules(
  heard: readonly HeardPeer[],
  { others, rulesMax }: { readonly others: number; readonly rulesMax: number },
): number {
  if (heard.length < others) return FIRST_RULES;
  return Math.min(rulesMax, ...heard.map(({ rules = FIRST_RULES }) => rules));
}

/** Returns whether one of the peers could lead. */
export const hasOtherLeader = (heard: readonly HeardPeer[]): boolean =>
  heard.some(({ canLead }) => canLead);

/** Returns whether one of the peers could lead and has a clock that agrees with the cluster's time. */
export const hasBetterClock = (heard: readonly HeardPeer[]): boolean =>
  heard.some(({ canLead, clockAgrees }) => canLead && clockAgrees !== false);
