import { expect, test } from '@jest/globals';
import { readTraceContext, traceparentOf } from './trace-context.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';

test('a caller’s trace is read, and written as it was', () => {
  const context = readTraceContext(`00-${traceId}-${spanId}-01`, 'rojo=00f067aa0ba902b7');
  expect(context).toEqual({ traceId, spanId, sampled: true, state: 'rojo=00f067aa0ba902b7' });
  expect(traceparentOf({ traceId, spanId, sampled: true })).toBe(`00-${traceId}-${spanId}-01`);
  expect(readTraceContext(`00-${traceId}-${spanId}-fe`, undefined)?.sampled).toBe(false);
});

test('a later version is read as far as it is known', () => {
  expect(readTraceContext(`01-${traceId}-${spanId}-01`, '')).toMatchObject({ sampled: true });
  expect(readTraceContext(`cc-${traceId}-${spanId}-01-what-comes`, '')).toMatchObject({ spanId });
});

test.each([
  undefined,
  '',
  '00',
  `00-${'0'.repeat(32)}-${spanId}-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
  `ff-${traceId}-${spanId}-01`,
  `00-${traceId}-${spanId}-01-more`,
  `cc-${traceId}-${spanId}-01.more`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${traceId}-${spanId}-1`,
  ` 00-${traceId}-${spanId}-01`,
  `00-${traceId}-${spanId}-01\n`,
  // What two headers are joined to.
  `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
  `cc-${traceId}-${spanId}-01-${'x'.repeat(10_000)}`,
])('%j is no trace', (header) => {
  expect(readTraceContext(header, undefined)).toBeUndefined();
});

test.each([
  ['a=1, b=2', 'a=1,b=2'],
  ['a=1,,b=2', 'a=1,b=2'],
  ['tenant@system=x', 'tenant@system=x'],
  ['a=1,a=2', ''],
  ['A=1', ''],
  ['a=1=2', ''],
  ['a', ''],
  ['a=é', ''],
  [`a=${'x'.repeat(600)}`, ''],
  [Array.from({ length: 33 }, (_, i) => `k${i}=v`).join(), ''],
])('of the state %j the following is passed on: %j', (sent, passed) => {
  expect(readTraceContext(`00-${traceId}-${spanId}-01`, sent)?.state).toBe(passed);
});
