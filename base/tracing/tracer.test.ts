import { expect, test } from '@jest/globals';
import { systemTimers } from '../timers.ts';
import { askedPerSecond, currentTrace, Tracer, withinTrace } from './tracer.ts';

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

function tracerAt(share: number) {
  const clock = { nowMs: 1_000, wallMs: 1_700_000_000_000 };
  const spans: Record<string, unknown>[] = [];
  const timers = { ...systemTimers, nowMs: () => clock.nowMs, wallMs: () => clock.wallMs };
  const tracer = new Tracer({
    share,
    random: () => 0.5,
    timers,
    add: (text) => void spans.push(JSON.parse(text) as Record<string, unknown>),
  });
  return { tracer, clock, spans };
}

test('a trace is passed on as its caller began it, once the caller is known', () => {
  const { tracer } = tracerAt(1);
  const trace = tracer.begin(traceparent, 'a=1');
  expect(trace.headers()['traceparent']).not.toContain('0af7651916cd43dd8448eb211c80319c');
  expect(trace.headers()['tracestate']).toBeUndefined();
  trace.admit('org_1');
  const { traceparent: passed, tracestate } = trace.headers();
  expect(passed).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[\da-f]{16}-01$/);
  expect(passed).not.toContain('b7ad6b7169203331');
  expect(tracestate).toBe('a=1');
});

test('callers that ask for every trace get no more a second than their part, whatever others get', () => {
  const { tracer, clock } = tracerAt(0);
  const recorded = (owner: string) => {
    const trace = tracer.begin(traceparent, undefined);
    trace.admit(owner);
    return trace.recorded;
  };
  const wanted = Array.from({ length: 100 }, () => recorded('org_1'));
  expect(wanted.filter(Boolean)).toHaveLength(askedPerSecond);
  expect(recorded('org_2')).toBe(true);
  clock.nowMs += 1_000;
  expect(recorded('org_1')).toBe(true);
  expect(tracer.begin(undefined, undefined).recorded).toBe(false);
});

test('a clock that is set during a request changes no duration', () => {
  const { tracer, clock, spans } = tracerAt(1);
  const trace = tracer.begin(undefined, undefined);
  clock.nowMs += 250;
  clock.wallMs -= 3_600_000;
  trace.end({ name: 'GET', attributes: {} });
  expect(spans).toMatchObject([
    { startTimeUnixNano: '1700000000000000000', endTimeUnixNano: '1700000000250000000' },
  ]);
});

test('a request that waits for thousands of things has a bounded trace', () => {
  const { tracer, spans } = tracerAt(1);
  const trace = tracer.begin(undefined, undefined);
  const inner = { name: 'wait', kind: 1, startedMs: 0, endedMs: 1, attributes: {} } as const;
  for (let i = 0; i < 1_000; i += 1) trace.addInner(inner);
  expect(spans).toHaveLength(64);
});

test('text that is no text is mended, and long text is cut', () => {
  const { tracer, spans } = tracerAt(1);
  const attributes = { half: '\ud800', long: 'x'.repeat(10_000), none: undefined, part: 0.5 };
  tracer.begin(undefined, undefined).end({ name: 'GET', attributes });
  expect(spans[0]?.['attributes']).toEqual([
    { key: 'half', value: { stringValue: '\ufffd' } },
    { key: 'long', value: { stringValue: 'x'.repeat(256) } },
    { key: 'part', value: { doubleValue: 0.5 } },
  ]);
});

test('code that runs for a request finds its trace, and no other code does', async () => {
  const trace = tracerAt(1).tracer.begin(undefined, undefined);
  expect(await withinTrace(trace, async () => (await Promise.resolve(), currentTrace()))).toBe(
    trace,
  );
  expect(withinTrace(undefined, currentTrace)).toBeUndefined();
  expect(currentTrace()).toBeUndefined();
});
