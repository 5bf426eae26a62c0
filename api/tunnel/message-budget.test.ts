import { expect, test } from '@jest/globals';
import { MessageBudget } from './message-budget.ts';

test('a writer that finds no room is called when there may be some, in the order of waiting', () => {
  const budget = new MessageBudget({ totalBytes: 100, organizationBytes: 60 });
  const called: string[] = [];
  const retry = (name: string) => () => void called.push(name);
  const [a, b, c] = [retry('a'), retry('b'), retry('c')];
  expect(budget.take('one', 50, a)).toBe(true);
  expect(budget.take('one', 20, b)).toBe(false);
  expect(budget.take('two', 50, a)).toBe(true);
  expect(budget.take('three', 10, c)).toBe(false);
  expect(called).toEqual([]);
  budget.release('one', 50);
  expect(called).toEqual(['b', 'c']);
  expect(budget.take('one', 20, b)).toBe(true);
  expect(budget.heldBytes).toBe(70);
  budget.release('one', 20);
  budget.release('two', 50);
  expect(budget.heldBytes).toBe(0);
});

test('a tunnel that has ended is called no more', () => {
  const budget = new MessageBudget({ totalBytes: 10, organizationBytes: 10 });
  let calls = 0;
  const retry = () => void (calls += 1);
  budget.take('one', 10, retry);
  expect(budget.take('one', 10, retry)).toBe(false);
  budget.forget(retry);
  budget.release('one', 10);
  expect(calls).toBe(0);
});
