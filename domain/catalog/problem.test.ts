import { expect, test } from '@jest/globals';
import { problem } from './problem.ts';

test('a problem ends with what there is to choose from, where there is anything', () => {
  expect(problem('spec.size', 'UnknownSize', 'no such size', ['lh-5', 'lh-10']).message).toBe(
    'no such size; there are lh-5, lh-10',
  );
  expect(problem('spec.size', 'UnknownSize', 'no such size').message).toBe('no such size');
});
