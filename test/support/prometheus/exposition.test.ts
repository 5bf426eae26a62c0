import { expect, test } from '@jest/globals';
import { parseExposition } from './exposition.ts';

const gauge = '# HELP a One.\n# TYPE a gauge\n';
const histogram = '# HELP h Times.\n# TYPE h histogram\n';

test('metrics are read with their types, labels and values', () => {
  const families = parseExposition(
    `${gauge}a{x="b\\"\\\\\\n"} 1.5e3\na NaN\n\n${histogram}h_bucket{le="1"} 1\nh_bucket{le="+Inf"} 3\nh_sum 9\nh_count 3\n`,
  );
  expect(families.get('a')).toEqual({
    name: 'a',
    type: 'gauge',
    help: 'One.',
    series: [
      { name: 'a', labels: { x: 'b"\\\n' }, value: 1_500 },
      { name: 'a', labels: {}, value: Number.NaN },
    ],
  });
  expect(families.get('h')?.series).toHaveLength(4);
});

test.each([
  ['a sample without its type', 'a 1\n'],
  ['a last line without an end', `${gauge}a 1`],
  ['a second HELP', `# HELP a One.\n${gauge}a 1\n`],
  ['a second TYPE', `${gauge}# TYPE a gauge\na 1\n`],
  ['a metric in two places', `${gauge}a 1\n# HELP b B.\n# TYPE b gauge\nb 1\n${gauge}a{x="y"} 1\n`],
  ['a series twice', `${gauge}a{x="1",y="2"} 1\na{y="2",x="1"} 2\n`],
  ['a label twice', `${gauge}a{x="1",x="2"} 1\n`],
  ['a name that is none', '# HELP a-b One.\n# TYPE a-b gauge\na-b 1\n'],
  ['a label that is none', `${gauge}a{x-y="1"} 1\n`],
  ['an unknown escape', `${gauge}a{x="\\t"} 1\n`],
  ['no value', `${gauge}a one\n`],
  ['an empty HELP', '# HELP a \n# TYPE a gauge\na 1\n'],
  ['a counter without _total', '# HELP a One.\n# TYPE a counter\na 1\n'],
  ['a counter below 0', '# HELP a_total One.\n# TYPE a_total counter\na_total -1\n'],
  ['le on a gauge', `${gauge}a{le="1"} 1\n`],
  ['quantile on a gauge', `${gauge}a{quantile="0.5"} 1\n`],
  [
    'buckets that fall',
    `${histogram}h_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n`,
  ],
  [
    'bounds that fall',
    `${histogram}h_bucket{le="2"} 1\nh_bucket{le="1"} 1\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n`,
  ],
  ['no +Inf', `${histogram}h_bucket{le="1"} 1\nh_sum 1\nh_count 1\n`],
  ['another count than that of +Inf', `${histogram}h_bucket{le="+Inf"} 1\nh_sum 1\nh_count 2\n`],
])('%s is refused', (_, text) => {
  expect(() => parseExposition(text)).toThrow();
});
