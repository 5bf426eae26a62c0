import { expect, test } from '@jest/globals';
import { labelsBefore } from './labels.ts';

test('labels are put back as far as there is room: somebody may have set others since', () => {
  const theirs = Object.fromEntries(Array.from({ length: 15 }, (_, i) => [`their-${i}`, '1']));
  const diff = [
    { path: '/labels/first', from: '1', to: null },
    { path: '/labels/second', from: '2', to: null },
    { path: '/labels/third', from: null, to: '3' },
  ];
  expect(labelsBefore({ ...theirs, third: '3' }, diff)).toEqual({ ...theirs, first: '1' });
});
