import { expect, test } from '@jest/globals';
import { gatewayStatus } from './health.ts';

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
