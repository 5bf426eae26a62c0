import { expect, test } from '@jest/globals';
import { gatewayStatus, healthByTraffic, newerHealth, unknownHealth } from './gateway-health.ts';

const open = { ready: true, wasReady: true, ageMs: 60_000, silentMs: 0 };

test.each([
  ['never opened, or closed for want of work', undefined, null, 'UNKNOWN'],
  ['ended by a failure', undefined, 'refused', 'DISCONNECTED'],
  ['there', open, null, 'CONNECTED'],
  ['there, with a request on its way', { ...open, silentMs: 9_000 }, null, 'CONNECTED'],
  ['there by name: nothing comes', { ...open, silentMs: 10_001 }, null, 'DISCONNECTED'],
  ['lost', { ...open, ready: false }, 'closed', 'DISCONNECTED'],
  ['being made', { ...open, ready: false, wasReady: false, ageMs: 100 }, null, 'CONNECTING'],
  [
    'not to be made',
    { ...open, ready: false, wasReady: false, ageMs: 5_001 },
    'refused',
    'DISCONNECTED',
  ],
] as const)('a connection that is %s', (_what, facts, lastError, status) => {
  expect(gatewayStatus(facts, lastError)).toBe(status);
});

const heard = (checkedAt: string) =>
  ({ status: 'CONNECTED', latencyMs: 1, lastError: null, checkedAt }) as const;

test('the newer of two results counts, and an absent result never does', () => {
  const [older, newer] = [heard('2026-11-21T02:00:00.000Z'), heard('2026-11-21T02:00:00.001Z')];
  expect(newerHealth(older, newer)).toBe(newer);
  expect(newerHealth(newer, older)).toBe(newer);
  expect(newerHealth(unknownHealth, older)).toBe(older);
  expect(newerHealth(older, unknownHealth)).toBe(older);
  expect(newerHealth(unknownHealth, unknownHealth)).toBe(unknownHealth);
});

test('a missing answer counts as of now and is reported', () => {
  const before = { latencyMs: 2, lastError: null, heardAtMs: 0, nowMs: 60_000 };
  expect(healthByTraffic({ ...open, silentMs: 12_345 }, before)).toEqual({
    status: 'DISCONNECTED',
    latencyMs: 2,
    lastError: 'no answer for 12 s',
    checkedAt: '1970-01-01T00:01:00.000Z',
  });
  expect(healthByTraffic(open, before)).toMatchObject({
    status: 'CONNECTED',
    lastError: null,
    checkedAt: '1970-01-01T00:00:00.000Z',
  });
});
