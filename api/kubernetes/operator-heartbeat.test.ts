import { expect, test } from '@jest/globals';
import { OperatorHeartbeat, type Lease } from './operator-heartbeat.ts';

const lease = (renewTime: string, holderIdentity = 'operator-1') =>
  ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'ledgerhouse-operator' },
    spec: { holderIdentity, renewTime },
  }) as unknown as Lease;

function heartbeat() {
  let nowMs = 1_000;
  let wallMs = Date.parse('2026-01-01T00:10:00Z');
  const one = new OperatorHeartbeat({ nowMs: () => nowMs, wallMs: () => wallMs });
  const pass = (ms: number) => {
    nowMs += ms;
    wallMs += ms;
  };
  return { one, pass, setClock: (ms: number) => (wallMs += ms) };
}

test('a worker without a heartbeat is not alive', () => {
  expect(heartbeat().one.alive).toBe(false);
});

test('a lease that was left behind long ago is no sign of life, whenever this process begins', () => {
  const { one } = heartbeat();
  one.see(lease('2026-01-01T00:00:00.000000Z'));
  expect(one.alive).toBe(false);
});

test('a renewal counts from when it was seen, whatever the operator’s clock says', () => {
  const { one, pass } = heartbeat();
  one.see(lease('2026-01-01T00:00:00.000000Z'));
  one.see(lease('2026-01-01T00:00:02.000000Z'));
  expect(one.alive).toBe(true);
  pass(59_000);
  expect(one.alive).toBe(true);
  pass(1_000);
  expect(one.alive).toBe(false);
});

test('an operator that died is not alive for longer because this machine’s clock is set back', () => {
  const { one, pass, setClock } = heartbeat();
  one.see(lease('2026-01-01T00:09:59.000000Z'));
  setClock(-3_600_000);
  expect(one.alive).toBe(true);
  pass(60_000);
  expect(one.alive).toBe(false);
});

test('a lease that was let go by its holder is nobody’s heartbeat', () => {
  const { one, pass } = heartbeat();
  one.see(lease('2026-01-01T00:09:59.000000Z'));
  pass(59_500);
  one.see(lease('2026-01-01T00:10:59.000000Z', ''));
  expect(one.alive).toBe(false);
});
