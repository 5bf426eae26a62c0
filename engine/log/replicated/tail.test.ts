import { expect, test } from '@jest/globals';
import type { Txn, TxnResult } from './etcd.ts';
import { blockKey, BLOCKS_END, sequenceOf } from './keys.ts';
import { PAGE_WINDOW_BLOCKS } from './limits.ts';
import { readTail } from './tail.ts';

/** A log with these blocks, and a count of the keys that etcd would go through. */
function logOf(sequences: readonly number[]) {
  let counted = 0;
  const txn = ({ success }: Txn): Promise<TxnResult> => {
    const results = success.map((operation) => {
      if (operation.do !== 'range' || operation.limit === undefined)
        return { kvs: [], more: false };
      const from = sequenceOf(operation.key) ?? 0;
      const { rangeEnd = BLOCKS_END, limit } = operation;
      const end =
        Buffer.compare(rangeEnd, BLOCKS_END) === 0 ? Infinity : (sequenceOf(rangeEnd) ?? 0);
      const within = sequences.filter((sequence) => sequence >= from && sequence < end);
      counted += within.length;
      const kvs = within.slice(0, limit).map((sequence) => ({
        key: blockKey(sequence),
        value: new Uint8Array(1),
        createRevision: sequence,
        modRevision: sequence,
      }));
      return { kvs, more: within.length > limit };
    });
    return Promise.resolve({ revision: 77, succeeded: true, results });
  };
  return { etcd: { txn }, counted: () => counted };
}

/** Reads the log page by page, as a follower does. */
async function readAll({ etcd }: Pick<ReturnType<typeof logOf>, 'etcd'>): Promise<number[]> {
  const { signal } = new AbortController();
  const found: number[] = [];
  let revision: number | undefined;
  for (let from = 1; ;) {
    const page = await readTail(etcd, from, { revision, signal });
    ({ revision } = page);
    for (const { key } of page.blocks) {
      found.push(sequenceOf(key) ?? 0);
      from = (found.at(-1) ?? 0) + 1;
    }
    if (!page.more) return found;
  }
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

test.each([
  ['none', []],
  ['a page', upTo(8)],
  ['a page and one', upTo(9)],
  ['as many as a window', upTo(PAGE_WINDOW_BLOCKS + 8)],
  ['several windows', upTo(3 * PAGE_WINDOW_BLOCKS + 5)],
  ['gaps, one wider than a window', [1, 2, 3, 9, 40, 41, 2000, 2001, 2002, 2003, 2004, 2005, 2006]],
])('every block is read, whatever lies between: %s', async (_, sequences) => {
  expect(await readAll(logOf(sequences))).toEqual(sequences);
});

test('a long log is read in a time that grows as it does: what lies behind is not counted for each page', async () => {
  const long = logOf(upTo(20_000));
  await readAll(long);
  // Counting to the end for each page would give 25,000,000.
  expect(long.counted()).toBeLessThan(2_000_000);
});
