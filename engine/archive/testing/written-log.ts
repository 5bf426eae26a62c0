/** A log in a store, whose entries are no operations: for tests that only ask which ones there are. */
import type { LogEntry } from '../../log/log.ts';
import { sha256 } from '../chunk.ts';
import { segmentKey } from '../keys.ts';
import { writeChainNote } from '../log-chains.ts';
import { encodeSegment, NO_SEGMENT } from '../log-segment.ts';
import type { ObjectStore } from '../object-store.ts';
import { DATABASE } from './ledger-file.ts';

export const timestampOf = (op: number): bigint => 1_800_000_000_000_000_000n + BigInt(op) * 1_000n;

export const entryOf = (op: number): LogEntry => ({
  op,
  timestamp: timestampOf(op),
  view: 0,
  message: new Uint8Array(256).fill(op & 0xff),
});

/** Writes a chain of segments with ten operations each. */
export async function writeChain(
  store: ObjectStore,
  firstOp: number,
  lastOp: number,
  follows: 'start' | 'gap',
) {
  await writeChainNote(store, {
    databaseId: DATABASE,
    line: 1,
    firstOp,
    follows,
    begunAt: new Date(0).toISOString(),
  });
  let previous = NO_SEGMENT;
  for (let op = firstOp; op <= lastOp; op += 10) {
    const entries = Array.from({ length: 10 }, (_, index) => entryOf(op + index));
    const object = await encodeSegment(
      { databaseId: DATABASE, line: 1, previous },
      { entries, marks: [] },
    );
    await store.create(segmentKey(DATABASE, 1, op), object);
    previous = sha256(object).toString('hex');
  }
}
