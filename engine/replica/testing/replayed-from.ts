/**
 * The ledger that a log makes of a backup. A backup has no sessions of clients, so that the replay executes every request that it meets:
 * one that a replica left out, because its session had executed it before, would make another ledger.
 */
import type { LogEntry } from '../../log/log.ts';
import type { PageSource } from '../../log/page-reader.ts';
import { batchSizeLimitProduction } from '../../wire/limits.ts';
import { Executor } from '../executor.ts';
import { newLedger } from '../new-ledger.ts';

const identity = { clusterId: 0n, replicaIndex: 0, replicaCount: 1 };
const pages: PageSource = { read: () => Promise.reject(new Error('all rows are in memory')) };

/** Returns the state hash (32 hexadecimal digits) behind the last entry, of a backup that was made behind the first `backedUp` ones. */
export async function replayedFrom(
  entries: readonly LogEntry[],
  backedUp: number,
): Promise<string> {
  const ledger = newLedger(2 ** 28);
  const begin = (): Executor =>
    new Executor({ ledger, identity, batchSizeLimit: batchSizeLimitProduction });
  const before = begin();
  for (const entry of entries.slice(0, backedUp)) await before.replay(entry, pages);
  const after = begin();
  after.loaded(before.position());
  for (const entry of entries.slice(backedUp)) await after.replay(entry, pages);
  return Buffer.from(after.position().stateHash).toString('hex');
}
