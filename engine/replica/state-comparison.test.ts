import { expect, test } from '@jest/globals';
import { StateComparison } from './state-comparison.ts';

test('only the replica that differs from both others is wrong', () => {
  const states = ['a', 'a', 'b'];
  const wrong = states.map((own, self) => {
    const comparison = new StateComparison(3);
    comparison.executed(7, own);
    for (const [replica, state] of states.entries())
      if (replica !== self) comparison.heard(replica, 7, state);
    return comparison.isWrong;
  });
  expect(wrong).toEqual([false, false, true]);
});

test('with two known replicas that differ, neither is called wrong', () => {
  const comparison = new StateComparison(3);
  comparison.executed(7, 'a');
  comparison.heard(1, 7, 'b');
  expect([comparison.isWrong, comparison.differing]).toEqual([false, [1]]);
});

test('a replica that lags compares when it gets there', () => {
  const comparison = new StateComparison(3);
  comparison.executed(5, 'a');
  for (const replica of [1, 2]) {
    comparison.heard(replica, 7, 'c');
    comparison.heard(replica, 9, 'd');
  }
  comparison.executed(6, 'b');
  expect(comparison.differing).toEqual([]);
  comparison.executed(7, 'x');
  expect(comparison.isWrong).toBe(true);
});

test('half of six that differ leave no majority to belong to', () => {
  const comparison = new StateComparison(6);
  comparison.executed(7, 'a');
  for (const replica of [1, 2]) comparison.heard(replica, 7, 'b');
  expect(comparison.isWrong).toBe(false);
  comparison.heard(3, 7, 'b');
  expect(comparison.isWrong).toBe(true);
});
