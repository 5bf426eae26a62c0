import { expect, test } from '@jest/globals';
import { ReadQueue } from './read-queue.ts';

/** A queue whose turns the test makes, and the steps of its reads in order. */
function queue() {
  const turns: (() => void)[] = [];
  const steps: number[] = [];
  const made = new ReadQueue({
    soon: (callback) => void turns.push(callback),
    bring: () => Promise.reject(new Error('these reads lack no pages')),
  });
  const turn = (): void => {
    expect(turns).toHaveLength(1);
    turns.pop()!();
  };
  const begin = (id: number, length: number, wanted: { yes: boolean } = { yes: true }): void => {
    let left = length;
    made.begin({
      step: () => {
        steps.push(id);
        left -= 1;
        return left === 0;
      },
      isWanted: () => wanted.yes,
      done: () => void steps.push(-id),
      failed: (error) => {
        throw error;
      },
    });
  };
  return { made, begin, turn, steps, turns };
}

test('however many costly reads there are, one of them makes one step between two looks at the sockets', () => {
  const { made, begin, turn, steps } = queue();
  for (let id = 1; id <= 64; id += 1) begin(id, 1000);
  // The first step of each is made when it arrives.
  expect(steps.splice(0)).toHaveLength(64);
  for (let count = 1; count <= 128; count += 1) {
    turn();
    expect(steps).toHaveLength(count);
  }
  const all = Array.from({ length: 64 }, (_, i) => i + 1);
  expect(steps).toEqual([...all, ...all]);
  expect(made.size).toBe(64);
});

test('a short read is done at once, though costly ones wait', () => {
  const { begin, steps } = queue();
  begin(1, 1000);
  begin(2, 1);
  expect(steps).toEqual([1, 2, -2]);
});

test('a read that nobody wants makes no further step, and its turn is the next one’s', () => {
  const { made, begin, turn, steps, turns } = queue();
  const wanted = { yes: true };
  begin(1, 1000, wanted);
  begin(2, 3);
  wanted.yes = false;
  turn();
  turn();
  expect(steps).toEqual([1, 2, 2, 2, -2]);
  expect(made.size).toBe(0);
  expect(turns).toHaveLength(0);
});

test('a read that has waited for others asks for the pages that it lacks then, not for those that it lacked before', async () => {
  const turns: (() => void)[] = [];
  const asked: number[] = [];
  const arrivals: (() => void)[] = [];
  const made = new ReadQueue({
    soon: (callback) => void turns.push(callback),
    bring: ({ pages: [name], arrived }) => {
      asked.push(name!.table);
      return new Promise((resolve) => {
        arrivals.push(() => {
          arrived(name!, new Uint32Array(0));
          resolve();
        });
      });
    },
  });
  let table = 1;
  let done = 0;
  const begin = (): void => {
    let isBrought = false;
    made.begin({
      step: () => isBrought || { pages: [{ table, page: 0 }], arrived: () => (isBrought = true) },
      isWanted: () => true,
      done: () => void (done += 1),
      failed: (error) => {
        throw error;
      },
    });
  };
  for (let i = 0; i < 9; i += 1) begin();
  expect(asked).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
  // A merge of the index puts another table in the place of this one.
  table = 2;
  arrivals.shift()!();
  await Promise.resolve();
  while (turns.length > 0) turns.shift()!();
  expect(done).toBe(1);
  expect(asked.slice(8)).toEqual([2]);
  while (arrivals.length > 0) arrivals.shift()!();
  await Promise.resolve();
  while (turns.length > 0) turns.shift()!();
  expect(done).toBe(9);
  expect(made.size).toBe(0);
});
