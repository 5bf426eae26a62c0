import { expect, test } from '@jest/globals';
import { MetricRegistry } from './metrics.ts';

test('a counted histogram is written as one of prom-client is', async () => {
  const series = [{ operation: 'read' }, { operation: 'write' }, { operation: 'never' }];
  const buckets = [0.001, 0.01, 0.1];
  const counted = new MetricRegistry();
  const own = counted.countedHistogram({ name: 'seconds', help: 'Time.', buckets, series });
  const known = new MetricRegistry();
  const theirs = known.histogram('seconds', 'Time.', buckets, series);
  const observed = [0, 0.001, 0.0011, 0.0625, 0.1, 0.125, 7];
  for (const [i, seconds] of observed.entries()) {
    own.observe(i % 2, seconds);
    theirs.observe(series[i % 2]!, seconds);
  }
  expect(await counted.text()).toBe(await known.text());
});
