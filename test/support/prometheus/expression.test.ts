import { expect, test } from '@jest/globals';
import { readExpression } from './expression.ts';

test('metrics, their labels, what is grouped by, and the labels of the result', () => {
  expect(
    readExpression(
      'topk(10, histogram_quantile(0.99, sum by (le, pod) (rate(a_bucket{x="1",y=~"b|c"}[$__rate_interval])))) > 0',
    ),
  ).toEqual({
    metrics: [{ name: 'a_bucket', labels: ['x', 'y'] }],
    grouping: ['le', 'pod'],
    result: ['pod'],
  });
  expect(readExpression('max by (n) (a) - on (n) group_right () a{x="1"}')).toMatchObject({
    grouping: ['n', 'n'],
    result: undefined,
  });
  expect(readExpression('count(a == 0) or vector(0)').result).toEqual([]);
  expect(readExpression('a * 1000').result).toBeUndefined();
});

test.each([
  'rate(a)',
  'sum(a[5m])',
  'sum by (x (a)',
  'unknown(a)',
  'a{x}',
  'a{x=1}',
  'sum(a))',
  'a +',
  'histogram_quantile(sum(a))',
])('%s is refused', (text) => {
  expect(() => readExpression(text)).toThrow();
});
