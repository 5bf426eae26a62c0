import { expect, test } from '@jest/globals';
import { PageAhead, PlacesAhead, type ReadyPage } from './page-ahead.ts';

const ready: ReadyPage = {
  page: { rows: new Uint8Array(0), count: 0, last: 1n, hasMore: false },
  prepared: undefined,
};

test('pages are held ahead at as many places as there are, and the others are not begun', async () => {
  const places = new PlacesAhead(2);
  const runs = [1, 2, 3].map(() => new PageAhead(places));
  let begun = 0;
  const begin = () =>
    runs.forEach((run) =>
      run.begin(async () => {
        begun += 1;
        return ready;
      }),
    );
  begin();
  expect([begun, places.free]).toEqual([2, 0]);
  expect(await Promise.all(runs.map((run) => run.take()))).toEqual([ready, ready, undefined]);
  expect(places.free).toBe(2);
  begin();
  expect([begun, places.free]).toEqual([4, 0]);
});

test('a page that nobody wants keeps its place until it has come', async () => {
  const places = new PlacesAhead(1);
  const run = new PageAhead(places);
  const { promise, resolve } = Promise.withResolvers<ReadyPage>();
  run.begin(() => promise);
  run.drop();
  expect(await run.take()).toBeUndefined();
  expect(places.free).toBe(0);
  resolve(ready);
  await promise.then(() => {});
  expect(places.free).toBe(1);
});

test('a page that fails fails for who takes it, and its place is free', async () => {
  const places = new PlacesAhead(1);
  const run = new PageAhead(places);
  run.begin(async () => {
    throw new Error('the ledger is away');
  });
  await expect(run.take()).rejects.toThrow('the ledger is away');
  expect(places.free).toBe(1);
});
