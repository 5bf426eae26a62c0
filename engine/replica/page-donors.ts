/** Sources of a page of rows that is damaged on this replica's volume: its own memory, then the other replicas. */
import { sleep, type Timers } from '../../base/timers.ts';
import type { PageName } from '../ledger/page.ts';
import type { StateMachine } from '../ledger/state-machine.ts';
import type { PageDonor } from '../log/mend.ts';
import type { PeerLink } from '../peers/peer-link.ts';
import { PAGES_MAX } from '../peers/peer-messages.ts';

interface PeerDonorsOptions {
  readonly peers: Pick<PeerLink, 'all' | 'fetchPages'>;
  readonly timers: Timers;
  /** Aborted when the replica stops. */
  readonly stopped: AbortSignal;
}

/** Maximum age of the last heartbeat of a peer that is asked. */
const HEARD_MS = 1000;
/** Time between two rounds. A peer that has just started, or is behind, may have the pages a moment later. */
const ROUND_MS = 500;
/** Time after which it is given up, until somebody needs the pages again. */
const GIVE_UP_MS = 30_000;

export const memoryDonor = (ledger: StateMachine): PageDonor => ({
  name: 'memory',
  give: async (pages) => pages.flatMap((name) => ledger.pageInMemory(name) ?? []),
});

/** Yields the other replicas, followers before the leader, again and again. */
export async function* peerDonors(options: PeerDonorsOptions): AsyncGenerator<PageDonor> {
  const { peers, timers, stopped } = options;
  const endMs = timers.nowMs() + GIVE_UP_MS;
  while (!stopped.aborted && timers.nowMs() < endMs) {
    const heard = peers
      .all()
      .filter(({ heardAtMs }) => timers.nowMs() - heardAtMs < HEARD_MS)
      .sort((a, b) => Number(a.fence !== undefined) - Number(b.fence !== undefined));
    for (const { replica } of heard) {
      if (stopped.aborted || timers.nowMs() >= endMs) return;
      yield { name: `replica ${replica}`, give: (pages) => fetchAll(peers, replica, pages) };
    }
    await sleep(timers, ROUND_MS, stopped);
  }
}

async function fetchAll(
  peers: Pick<PeerLink, 'fetchPages'>,
  replica: number,
  pages: readonly PageName[],
): Promise<readonly Uint8Array[]> {
  const fetched: Uint8Array[] = [];
  for (let at = 0; at < pages.length; at += PAGES_MAX)
    fetched.push(...(await peers.fetchPages(replica, pages.slice(at, at + PAGES_MAX))));
  return fetched;
}
