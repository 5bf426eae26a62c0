import { expect, test } from '@jest/globals';
import type { Needs } from '../ledger/cold-rows.ts';
import type { LogEntry } from '../log/log.ts';
import type { Executor } from './executor.ts';
import { Replay } from './replay.ts';

const MIB = 2 ** 20;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const entryOf = (op: number, bytes = MIB): LogEntry => ({
  op,
  timestamp: BigInt(op),
  view: 0,
  message: new Uint8Array(bytes),
});

/** A replay of entries that lack a page each, which comes when the test says so. */
function replay(options: { readonly fails?: number } = {}) {
  const asked: number[] = [];
  const applied: number[] = [];
  const come = new Map<number, () => void>();
  const fail = new Map<number, (error: Error) => void>();
  const there = new Set<number>();
  const executor = {
    prepare: ({ op }: LogEntry): Needs | undefined =>
      there.has(op) ? undefined : { pages: [{ table: 7, page: op }], arrived: () => true },
    apply: ({ op }: LogEntry): void => {
      if (op === options.fails) throw new Error(`entry ${op} has unknown rules`);
      applied.push(op);
    },
  } as unknown as Executor;
  const made = new Replay(executor, {
    read: ([name]) => {
      const { page } = name!;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      asked.push(page);
      come.set(page, () => {
        there.add(page);
        resolve();
      });
      fail.set(page, reject);
      return promise;
    },
  });
  return { made, asked, applied, come, fail, there };
}

test('while a start waits for the pages of an entry, those of the next ones are read, and entries are executed in their order', async () => {
  const { made, asked, applied, come } = replay();
  for (let op = 1; op <= 7; op += 1) expect(made.take(entryOf(op))).toBeUndefined();
  expect(asked).toEqual([1, 2, 3, 4, 5]);
  come.get(1)!();
  await turn();
  expect(applied).toEqual([1]);
  expect(asked).toEqual([1, 2, 3, 4, 5, 6]);
  for (const op of [4, 3, 2]) come.get(op)!();
  await turn();
  expect(applied).toEqual([1, 2, 3, 4]);
  let isOver = false;
  const end = made.end().then(() => (isOver = true));
  await turn();
  expect(isOver).toBe(false);
  for (const op of [5, 6, 7]) {
    come.get(op)!();
    await turn();
  }
  await end;
  expect(applied).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(made.taken).toBe(7);
});

test('a start holds a few entries of the log at a time, however long that is', async () => {
  const { made, applied, come } = replay();
  let taken = 0;
  let mayCome: void | Promise<void>;
  while ((mayCome = made.take(entryOf((taken += 1)))) === undefined) expect(taken).toBeLessThan(20);
  let goesOn = false;
  void mayCome.then(() => (goesOn = true));
  await turn();
  expect(goesOn).toBe(false);
  come.get(1)!();
  await turn();
  await turn();
  expect(applied).toEqual([1]);
  expect(goesOn).toBe(true);
});

test('a page that cannot be read, or an entry that cannot be executed, ends the start, and nothing behind it is executed', async () => {
  const unreadable = replay();
  for (let op = 1; op <= 3; op += 1) void unreadable.made.take(entryOf(op));
  unreadable.come.get(1)!();
  await turn();
  unreadable.fail.get(2)!(new Error('damaged'));
  await expect(unreadable.made.end()).rejects.toThrow('damaged');
  expect(unreadable.applied).toEqual([1]);
  await expect(unreadable.made.take(entryOf(4))).rejects.toThrow('damaged');
  const unknown = replay({ fails: 2 });
  for (let op = 1; op <= 3; op += 1) {
    unknown.there.add(op);
    void Promise.resolve(unknown.made.take(entryOf(op))).catch(() => undefined);
  }
  await expect(unknown.made.end()).rejects.toThrow('unknown rules');
  expect(unknown.applied).toEqual([1]);
});
