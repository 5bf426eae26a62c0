import { expect, test } from '@jest/globals';
import { BodyBudget } from './body-budget.ts';

test('no organization takes the room of the others, and all of them no more than there is', () => {
  const budget = new BodyBudget({ totalBytes: 100, organizationBytes: 60 });
  const [a, b, c] = [budget.hold('a'), budget.hold('b'), budget.hold('b')];
  a.add(60);
  expect(() => a.add(1)).toThrow('rate_limited');
  b.add(30);
  expect(() => c.add(20)).toThrow('service_unavailable');
  a.release();
  a.release();
  c.add(20);
  expect(() => c.add(11)).toThrow('rate_limited');
  b.release();
  c.release();
  budget.hold('a').add(60);
  budget.hold('b').add(40);
});

test('an answer to a write is held beyond the limit, and nothing is held after the release', () => {
  const budget = new BodyBudget({ totalBytes: 100, organizationBytes: 60 }, 'answers');
  const [write, read] = [budget.hold('a'), budget.hold('a')];
  write.addAnyway(70);
  expect(() => read.add(1)).toThrow('has not read');
  write.release();
  write.addAnyway(70);
  read.add(60);
});
