import { expect, test } from '@jest/globals';
import { ByteBudget } from './byte-budget.ts';

function world() {
  let nowMs = 0;
  return { budget: new ByteBudget(1_000, () => nowMs), pass: (ms: number) => (nowMs += ms) };
}

test('an organization that sent more than its bytes waits until they are paid, and no other does', () => {
  const { budget, pass } = world();
  budget.sent('org_a', 1_000);
  expect(budget.pauseMs('org_a')).toBe(0);
  budget.sent('org_a', 2_500);
  expect(budget.pauseMs('org_a')).toBe(2_500);
  expect(budget.pauseMs('org_b')).toBe(0);
  pass(2_000);
  expect(budget.pauseMs('org_a')).toBe(500);
  pass(500);
  expect(budget.pauseMs('org_a')).toBe(0);
});

test('in the long run no more goes out than the bytes of a second in a second', () => {
  const { budget, pass } = world();
  let sent = 0;
  for (let ms = 0; ms < 60_000; ms += 10) {
    if (budget.pauseMs('org_a') === 0) {
      budget.sent('org_a', 300);
      sent += 300;
    }
    pass(10);
  }
  expect(sent).toBeGreaterThanOrEqual(60_000);
  expect(sent).toBeLessThanOrEqual(61_300);
});

test('organizations that owe nothing are forgotten', () => {
  const { budget, pass } = world();
  for (let index = 0; index < 100; index += 1) budget.sent(`org_${index}`, 10);
  expect(budget.size).toBe(100);
  pass(11);
  budget.sent('org_last', 10);
  expect(budget.size).toBe(1);
});
