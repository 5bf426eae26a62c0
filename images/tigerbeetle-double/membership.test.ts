import { expect, test } from '@jest/globals';
import type { Hello } from './hello.ts';
import { next, type Member } from './membership.ts';

const old = 4360;
const newer = 4361;

function member(replicaIndex: number, change: Partial<Member> = {}): Member {
  return {
    clusterId: 1n,
    replicaIndex,
    replicaCount: 3,
    status: 1,
    syncStage: 0,
    view: 0,
    commit: 0,
    release: old,
    bundled: old,
    ...change,
  };
}

const hear = (others: readonly Hello[], looksForRelease = false, caughtUp = false) => ({
  others: new Map(others.map((one) => [one.replicaIndex, one])),
  looksForRelease,
  caughtUp,
});

test('without more than half of the replicas there is a view change, with them none', () => {
  expect(next(member(0), hear([])).status).toBe(1);
  expect(next(member(0), hear([member(1)])).status).toBe(0);
  const of6 = (index: number) => member(index, { replicaCount: 6 });
  expect(next(of6(0), hear([of6(1), of6(2)])).status).toBe(1);
  expect(next(of6(0), hear([of6(1), of6(2), of6(3)])).status).toBe(0);
});

test('the view moves on from a primary that is not there, and everybody follows the highest', () => {
  const moved = next(member(1), hear([member(2)]));
  expect(moved.view).toBe(1);
  expect(next(member(0), hear([moved, member(2)])).view).toBe(1);
  expect(next(member(2, { view: 1 }), hear([member(0)])).view).toBe(2);
});

test('a release is switched to when all replicas have it, by the primary, when it looks', () => {
  const [a, b, c] = [0, 1, 2].map((index) => member(index, { bundled: newer }));
  const behind = member(2);
  expect(next(a!, hear([b!, behind], true)).release).toBe(old);
  expect(next(a!, hear([b!], true)).release).toBe(old);
  expect(next(a!, hear([b!, c!], false)).release).toBe(old);
  expect(next(b!, hear([a!, c!], true)).release).toBe(old);
  const switched = next(a!, hear([b!, c!], true));
  expect(switched).toMatchObject({ release: newer, commit: 1 });
  expect(next(b!, hear([switched, c!]))).toMatchObject({ release: newer, commit: 1 });
  // A replica whose program does not have the release must stay behind.
  expect(next(behind, hear([switched, b!])).release).toBe(old);
});

test('a recovered replica syncs until it has caught up', () => {
  const recovered = member(2, { syncStage: 3 });
  const others = [member(0, { commit: 9 }), member(1, { commit: 9 })];
  expect(next(recovered, hear(others))).toMatchObject({ status: 0, syncStage: 3, commit: 9 });
  expect(next(recovered, hear(others, false, true)).syncStage).toBe(0);
});
