import { expect, test } from '@jest/globals';
import type { MetricQueryAnswer } from '../../../../gen/api.ts';
import { chartsOf } from './charts.ts';
import type { SpanFigures } from './queries.ts';
import { busiestOf } from './ranges.ts';

const begin = Date.UTC(2026, 10, 22, 12);
const stepMs = 60_000;
type Values = readonly (number | null)[];

const line = (name: string, labels: Record<string, string>, values: Values) => ({
  name: name as MetricQueryAnswer['data'][number]['name'],
  unit: 'count' as const,
  fn: 'avg' as const,
  labels,
  points: values.map((value, step) => [begin + step * stepMs, value]),
});

const answer = (...data: readonly ReturnType<typeof line>[]): MetricQueryAnswer => ({
  from: new Date(begin).toISOString(),
  to: new Date(begin + 3 * stepMs).toISOString(),
  stepSeconds: 60,
  data,
});

const figuresWith = (more: Partial<SpanFigures>): SpanFigures => ({
  rates: answer(),
  highest: answer(),
  lowest: answer(),
  p50: answer(),
  p99: answer(),
  operation: 'create_transfers',
  marks: [],
  ...more,
});

const chart = (figures: SpanFigures, title: string) =>
  chartsOf(figures).charts.find((one) => one.title === title);

const requests = (operation: string, values: Values) =>
  line('requests_per_second', { operation }, values);

test('a line is drawn for each operation that was used, and an idle database has one line of zeros', () => {
  const busy = answer(
    requests('create_transfers', [1, null, 3]),
    requests('query_accounts', [0, null, 0]),
  );
  expect(chart(figuresWith({ rates: busy }), 'Requests')?.lines).toEqual([
    { name: 'create_transfers', values: [1, null, 3] },
  ]);
  const idle = answer(
    requests('create_transfers', [0, null, 0]),
    requests('query_accounts', [0, null, 0]),
  );
  expect(chart(figuresWith({ rates: idle }), 'Requests')?.lines).toEqual([
    { name: 'all operations', values: [0, null, 0] },
  ]);
});

test('failed events are drawn by their status, and a database without failures has no chart of them', () => {
  const labels = { operation: 'create_transfers', status: 'exceeds_credits' };
  const failed = answer(line('failed_events_per_second', labels, [0, null, 2]));
  expect(chart(figuresWith({ rates: failed }), 'Not created')?.lines).toEqual([
    { name: 'exceeds_credits', values: [0, null, 2] },
  ]);
  expect(chart(figuresWith({}), 'Not created')).toBeUndefined();
});

test('requests through the gateway are summed by their outcome, and what is not known stays a gap', () => {
  const rate = (operation: string, outcome: string, values: Values) =>
    line('gateway_requests_per_second', { operation, outcome }, values);
  const rates = answer(
    rate('create_transfers', 'answered', [1, null, 2]),
    rate('query_accounts', 'answered', [1, null, null]),
    rate('create_transfers', 'failed', [0, null, 5]),
  );
  expect(chart(figuresWith({ rates }), 'Gateway: requests')?.lines).toEqual([
    { name: 'answered', values: [2, null, 2] },
    { name: 'failed', values: [0, null, 5], look: 'bad' },
  ]);
});

test('p50 and p99 of one operation are two lines of one chart', () => {
  const of = (value: number) => answer(line('request_seconds', {}, [value, value, value]));
  const lines = chart(
    figuresWith({ p50: of(1), p99: of(2) }),
    'Latency of create_transfers',
  )?.lines;
  expect(lines?.map(({ name, values }) => [name, values[0]])).toEqual([
    ['p50', 1],
    ['p99', 2],
  ]);
});

test('a replica leads, is up, is silent or is not known; nothing known of any is a gap', () => {
  const lowest = answer(
    line('replica_up', { replica: '0' }, [1, null, 0]),
    line('replica_up', { replica: '1' }, [1, null, 1]),
    line('replica_up', { replica: '2' }, [1, null, 0]),
  );
  const highest = answer(
    line('replica_leader', { replica: '0' }, [1, null, null]),
    line('replica_leader', { replica: '1' }, [0, null, 1]),
    line('replica_status', { replica: '1' }, [0, null, 0]),
    line('replica_status', { replica: '2' }, [1, null, 2]),
  );
  const { lanes, gaps } = chartsOf(figuresWith({ lowest, highest }));
  expect(lanes).toEqual([
    { replica: '0', states: ['leads', null, 'down'] },
    { replica: '1', states: ['up', null, 'leads'] },
    { replica: '2', states: ['waits', null, 'down'] },
  ]);
  expect(gaps).toEqual([{ begin: 1, end: 2, value: true }]);
});

test('the newest known limit stands beside what is used; lag is shown of several replicas only', () => {
  const used = (replica: string) => line('storage_used_bytes', { replica }, [10, 11, 12]);
  const lag = (replica: string) => line('replica_commit_lag_ops', { replica }, [0, 0, 7]);
  const limit = line('storage_limit_bytes', { replica: '0' }, [100, 200, null]);
  const single = figuresWith({ highest: answer(used('0'), lag('0')), lowest: answer(limit) });
  expect(chart(single, 'Storage')).toMatchObject({
    lines: [{ name: 'replica 0', values: [10, 11, 12] }],
    limit: { name: 'allowed', value: 200 },
  });
  expect(chart(single, 'Replica lag')).toBeUndefined();
  const several = figuresWith({ highest: answer(lag('0'), lag('1')) });
  expect(chart(several, 'Replica lag')?.lines).toHaveLength(2);
});

test('the lag of change streams and the age of the newest backup are drawn where they are known', () => {
  const highest = answer(line('cdc_lag_seconds', {}, [0, null, 3]));
  const lowest = answer(line('backup_age_seconds', {}, [60, null, 15]));
  const figures = figuresWith({ highest, lowest });
  expect(chart(figures, 'Change streams: lag')?.lines).toEqual([
    { name: 'lag', values: [0, null, 3] },
  ]);
  expect(chart(figures, 'Age of the newest backup')?.lines).toEqual([
    { name: 'age', values: [60, null, 15] },
  ]);
  expect(chart(figuresWith({}), 'Change streams: lag')).toBeUndefined();
  expect(chart(figuresWith({}), 'Age of the newest backup')).toBeUndefined();
});

test('the latency that is shown at first is that of the operation with most requests', () => {
  const { data } = answer(
    requests('query_accounts', [1, 1, 1]),
    requests('create_transfers', [2, null, null]),
  );
  expect(busiestOf(data)).toBe('query_accounts');
  expect(busiestOf([])).toBe('create_transfers');
});
