import { expect, test } from '@jest/globals';
import { OwedAnswers } from './owed-answers.ts';

test('an answer leaves once a leader has executed as much, not before, and once', () => {
  const owed = new OwedAnswers();
  const sent: number[] = [];
  for (const op of [4, 5, 6]) owed.when(op, () => sent.push(op));
  owed.ledUpTo(3);
  expect(sent).toEqual([]);
  owed.ledUpTo(5);
  owed.ledUpTo(5);
  expect(sent).toEqual([4, 5]);
  owed.when(5, () => sent.push(5));
  expect(sent).toEqual([4, 5, 5]);
});
