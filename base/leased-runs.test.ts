import { expect, test } from '@jest/globals';
import { LeasedRuns } from './leased-runs.ts';

function world(runsMax: number) {
  const due = { well: [] as string[], ill: [] as string[] };
  const ends = new Map<string, PromiseWithResolvers<void>>();
  const failed: string[] = [];
  const asked: [number, boolean][] = [];
  let freed = 0;
  const renewed: (readonly string[])[] = [];
  const runs = new LeasedRuns<string>({
    runsMax,
    leaseMs: 3,
    take: async (limit, troubled) => {
      asked.push([limit, troubled]);
      return (troubled ? due.ill : due.well).splice(0, Math.max(0, limit));
    },
    run: (name) => {
      const end = Promise.withResolvers<void>();
      ends.set(name, end);
      return end.promise;
    },
    onFailure: (_, name) => void failed.push(name),
    renew: async (leased) => {
      renewed.push(leased);
      throw new Error('the store is away');
    },
    onRenewFailure: () => {},
    onFree: () => (freed += 1),
  });
  return { runs, due, ends, failed, asked, freed: () => freed, renewed };
}

test('those whose last work failed never have more than half of the places', async () => {
  const { runs, due, ends, asked } = world(4);
  due.ill.push('a', 'b', 'c', 'd');
  await runs.begin();
  expect([...ends.keys()]).toEqual(['a', 'b']);
  due.well.push('e', 'f', 'g');
  await runs.begin();
  expect([...ends.keys()]).toEqual(['a', 'b', 'e', 'f']);
  expect(runs.full).toBe(true);
  await runs.begin();
  expect(asked.slice(-2)).toEqual([
    [0, false],
    [0, true],
  ]);
});

test('work that rejects frees its place and disturbs no other', async () => {
  const { runs, due, ends, failed, freed } = world(2);
  due.well.push('a', 'b');
  await runs.begin();
  ends.get('a')?.reject(new Error('no'));
  ends.get('b')?.resolve();
  await runs.ended();
  expect([failed, freed(), runs.size]).toEqual([['a'], 2, 0]);
});

test('leases are renewed until the last work has ended, also after a renewal that failed', async () => {
  const { runs, due, ends, renewed } = world(1);
  due.well.push('a');
  await runs.begin();
  const stopping = new AbortController();
  stopping.abort();
  const kept = runs.keepLeases(stopping.signal);
  while (renewed.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
  ends.get('a')?.resolve();
  await kept;
  expect(runs.size).toBe(0);
});

test('the lease of work that could not be given back runs out, while other work goes on', async () => {
  const { runs, due, ends, renewed } = world(2);
  due.well.push('lost', 'living');
  await runs.begin();
  ends.get('lost')?.reject(new Error('the store is away'));
  const stopping = new AbortController();
  const kept = runs.keepLeases(stopping.signal);
  while (renewed.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
  expect(renewed.slice(0, 2)).toEqual([['living'], ['living']]);
  ends.get('living')?.resolve();
  stopping.abort();
  await kept;
});
