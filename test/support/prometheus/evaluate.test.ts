import { expect, test } from '@jest/globals';
import { evaluate } from './evaluate.ts';

const world = {
  nowSeconds: 100,
  series: [
    { name: 'a', labels: { x: '1', y: 'p' }, value: 5, increase: 2 },
    { name: 'a', labels: { x: '2', y: 'p' }, value: 7 },
    { name: 'b', labels: { x: '1' }, value: 10 },
  ],
};

test.each([
  ['a{x="1"} > 4', [5]],
  ['max(a) > 6', [7]],
  ['sum by (y) (a) == 12', [12]],
  ['increase(a{x="1"}[5m]) > 1', [2]],
  ['time() - a > 94', [95]],
  ['a * on (x) b', [50]],
  ['a and on (x) b', [5]],
  ['a unless on (x) b', [7]],
  ['absent(c)', [1]],
  ['2 + 3 * a{x="1"} > 16', [17]],
] as const)('%s gives %j', (text, values) => {
  expect(evaluate(text, world).map(({ value }) => value)).toEqual(values);
});

test.each(['rate(a[5m]) > 0', 'count(a) > 0', 'a{x=~"1"}', 'a - ignoring (y) b', '1 + 1', 'a +'])(
  '%s is refused',
  (text) => expect(() => evaluate(text, world)).toThrow(),
);
