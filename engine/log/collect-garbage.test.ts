import { expect, test } from '@jest/globals';
import { collectGarbage, GrownGarbage } from './collect-garbage.ts';

const MIB = 2 ** 20;

test('garbage is collected each time the process has grown by 64 MiB, and not more often', () => {
  let [resident, now, collections] = [500 * MIB, 0, 0];
  const collect = (): void => {
    collections += 1;
    resident -= 50 * MIB;
  };
  const garbage = new GrownGarbage(
    () => resident,
    () => now,
    collect,
  );
  const grow = (mib: number): number => {
    resident += mib * MIB;
    now += 5;
    garbage.check();
    return collections;
  };
  expect([grow(0), grow(63), grow(1)]).toEqual([0, 0, 1]);
  expect([grow(60), grow(4)]).toEqual([1, 2]);
  // What others gave back may grow again.
  expect([grow(-300), grow(63), grow(1)]).toEqual([2, 2, 3]);
});

test('bytes outside of the heap that nobody names any more are given back', () => {
  const gone = new WeakRef({ bytes: new SharedArrayBuffer(MIB) });
  return new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
    collectGarbage();
    expect(gone.deref()).toBeUndefined();
  });
});
