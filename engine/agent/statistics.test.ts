import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { staleMs, Statistics } from './statistics.ts';

const identity = { clusterId: 255n, replicaIndex: 2, replicaCount: 3 };
const own = 'cluster:000000000000000000000000000000ff,replica:2';

function statisticsAt() {
  const clock = { ms: 1_000 };
  return { clock, statistics: new Statistics(identity, () => clock.ms) };
}

const sampleLines = (text: string) =>
  text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

test('a gauge holds the last reported value until it is stale', async () => {
  const { clock, statistics } = statisticsAt();
  expect(statistics.ageMs).toBeUndefined();
  statistics.take(`tb.replica_op:7|g|#${own}\ntb.replica_op:8|g|#${own}`);
  expect(statistics.gauge('replica_op')).toBe(8);
  clock.ms += staleMs;
  expect(statistics.gauge('replica_op')).toBe(8);
  expect(statistics.ageMs).toBe(staleMs);
  clock.ms += 1;
  expect(statistics.gauge('replica_op')).toBeUndefined();
  expect(await statistics.exposition()).not.toContain('replica_op');
});

test('a counter adds up and does not go stale', async () => {
  const { clock, statistics } = statisticsAt();
  statistics.take(`tb.loop_tick_us.count:5|c|#${own}`);
  clock.ms += 10 * staleMs;
  statistics.take(`tb.loop_tick_us.count:6|c|#${own}`);
  expect(sampleLines(await statistics.exposition())).toContain(
    'ledgerhouse_tigerbeetle_loop_tick_us_count_total{cluster="255",replica="2"} 11',
  );
});

test("another cluster's or replica's statistics count for nothing but as such", async () => {
  const { statistics } = statisticsAt();
  statistics.take('tb.replica_status:0|g|#cluster:000000000000000000000000000000fe,replica:2');
  statistics.take('tb.replica_status:0|g|#cluster:000000000000000000000000000000ff,replica:1');
  statistics.take('what is this');
  expect(statistics.ageMs).toBeUndefined();
  expect(statistics.gauge('replica_status')).toBeUndefined();
  expect(sampleLines(await statistics.exposition())).toEqual([
    'ledgerhouse_agent_statsd_lines_total 0',
    'ledgerhouse_agent_statsd_lines_ignored_total{reason="malformed"} 1',
    'ledgerhouse_agent_statsd_lines_ignored_total{reason="foreign"} 2',
    'ledgerhouse_agent_statsd_lines_ignored_total{reason="excess"} 0',
  ]);
});

test('series are bounded: known ones go on, one too many is counted', async () => {
  const { statistics } = statisticsAt();
  statistics.take(`tb.replica_op:1|g|#${own}`);
  for (let tree = 0; tree < 5_000; tree += 1) {
    statistics.take(`tb.value_count_visible:1|g|#${own},tree:t${tree}`);
  }
  statistics.take(`tb.replica_op:2|g|#${own}`);
  expect(statistics.gauge('replica_op')).toBe(2);
  const samples = sampleLines(await statistics.exposition());
  expect(samples.filter((line) => line.startsWith('ledgerhouse_tigerbeetle_'))).toHaveLength(4_096);
  expect(samples).toContain('ledgerhouse_agent_statsd_lines_ignored_total{reason="excess"} 905');
});

test('no sample is there twice, and each name has one type', async () => {
  const name = fc.constantFrom('a', 'a_b', 'a.b', 'a_total', 'a.total');
  const tags = fc.constantFrom('', ',x:1', ',x:1,y:2', ',x:2');
  const line = fc
    .tuple(name, fc.constantFrom('g', 'c'), tags)
    .map(([metric, type, tag]) => `tb.${metric}:1|${type}|#${own}${tag}`);
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 30 }), async (lines) => {
      const { statistics } = statisticsAt();
      statistics.take(lines.join('\n'));
      const text = await statistics.exposition();
      const series = sampleLines(text).map((sample) => sample.replace(/ [^ ]+$/, ''));
      expect(new Set(series).size).toBe(series.length);
      const types = text.split('\n').filter((row) => row.startsWith('# TYPE'));
      expect(new Set(types.map((row) => row.split(' ')[2])).size).toBe(types.length);
    }),
  );
});
