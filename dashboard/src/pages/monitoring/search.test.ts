import { expect, test } from '@jest/globals';
import { partOf, readMonitoringSearch, withoutPart, withPart } from './search.ts';

const noon = Date.UTC(2026, 10, 22, 12);
const minuteMs = 60_000;
const nowMs = noon + 60 * minuteMs;

test('a part of the time goes into the address and comes back the same; the other choices stay', () => {
  const before = readMonitoringSearch({ range: '24h', op: 'create_transfers' });
  const span = { fromMs: noon, toMs: noon + 10 * minuteMs };
  const after = withPart(before, span, nowMs);
  expect(after).toEqual({ ...before, from: '2026-11-22T12:00:00Z', to: '2026-11-22T12:10:00Z' });
  expect(partOf(readMonitoringSearch({ ...after }))).toEqual(span);
  expect(withoutPart(after)).toEqual(before);
});

test('a part that would have a few points only grows around its middle, and never into the future', () => {
  const short = withPart({}, { fromMs: noon, toMs: noon + 30_000 }, nowMs);
  expect(short).toEqual({ from: '2026-11-22T11:59:15Z', to: '2026-11-22T12:01:15Z' });
  const last = withPart({}, { fromMs: nowMs - 30_000, toMs: nowMs }, nowMs);
  expect(last).toEqual({ from: '2026-11-22T12:58:00Z', to: '2026-11-22T13:00:00Z' });
});

test.each([
  { from: '2026-11-22T12:00:00Z' },
  { from: '2026-11-22T12:00:00Z', to: '2026-11-22T12:00:00Z' },
  { from: '2026-11-22T13:00:00Z', to: '2026-11-22T12:00:00Z' },
  { from: 'yesterday', to: '2026-11-22T12:00:00Z' },
  { from: '2026-13-45T12:00:00Z', to: '2026-11-22T12:00:00Z' },
])('an address with no part of the time shows the range until now: %j', (search) => {
  expect(readMonitoringSearch(search)).toEqual({});
});
