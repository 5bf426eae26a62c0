import { expect, test } from '@jest/globals';
import type { Condition, LedgerDatabase } from '../../domain/custom-resources.ts';
import { standingOf } from './database-standing.ts';

function database(
  conditions: Readonly<Record<string, string>>,
  { suspend = false, deleting = false } = {},
): LedgerDatabase {
  const rows = Object.entries(conditions).map(([type, value]): Condition => {
    const [status = '', reason = type] = value.split('/');
    return {
      type,
      status: status as Condition['status'],
      reason,
      message: `about ${reason}`,
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
  });
  return {
    apiVersion: 'ledgerhouse.dev/v1alpha1',
    kind: 'LedgerDatabase',
    metadata: {
      name: 'payments',
      ...(deleting ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: { suspend, deletionProtection: true, deletionPolicy: 'Retain' },
    status: { conditions: rows },
  };
}

test.each([
  ['nothing said yet', database({}), false, 'PROVISIONING', 'UNKNOWN'],
  ['on its way', database({ Available: 'False' }), false, 'PROVISIONING', 'UNAVAILABLE'],
  ['it serves', database({ Available: 'True', Ready: 'True' }), false, 'READY', 'HEALTHY'],
  ['it changes', database({ Available: 'True', Ready: 'False' }), true, 'READY', 'DEGRADED'],
  ['it serves nobody now', database({ Available: 'False' }), true, 'READY', 'UNAVAILABLE'],
  ['nobody knows', database({ Available: 'Unknown' }), true, 'READY', 'UNKNOWN'],
])('%s', (_, object, wasReady, status, health) => {
  expect(standingOf(object, wasReady)).toMatchObject({ status, health });
});

test('a database that is READY stays so while it is being suspended, and is SUSPENDED once it is', () => {
  const stopping = database({ Available: 'False', Suspended: 'False' }, { suspend: true });
  expect(standingOf(stopping, true).status).toBe('READY');
  const stopped = database({ Available: 'False', Suspended: 'True' }, { suspend: true });
  expect(standingOf(stopped, true).status).toBe('SUSPENDED');
});

test('one that is asked to run again is no longer SUSPENDED, whatever the operator said last', () => {
  const asked = database({ Available: 'False', Suspended: 'True' });
  expect(standingOf(asked, true).status).toBe('READY');
});

test('deleting comes before all else', () => {
  const going = database({ Available: 'True', Ready: 'True' }, { deleting: true });
  expect(standingOf(going, true).status).toBe('DELETING');
});

test('the reason of a stall takes precedence over the reason of not being ready', () => {
  const stuck = database({
    Available: 'False/NotBootstrapped',
    Ready: 'False/Stalled',
    Stalled: 'True/UnknownSize',
  });
  expect(standingOf(stuck, false)).toMatchObject({
    reason: { code: 'UnknownSize', message: 'about UnknownSize' },
    stalled: { code: 'UnknownSize' },
  });
});

test('a database that is well needs no explanation', () => {
  const well = database({ Available: 'True', Ready: 'True', Stalled: 'False' });
  expect(standingOf(well, true)).toMatchObject({ reason: undefined, stalled: undefined });
});

test('a database with a damaged data file is DEGRADED and says so while it serves', () => {
  const damaged = (available: string) =>
    standingOf(
      database({ Available: available, Ready: 'True', DataIntact: 'False/Damaged' }),
      true,
    );
  expect(damaged('True')).toMatchObject({
    status: 'READY',
    health: 'DEGRADED',
    reason: { code: 'Damaged', message: 'about Damaged' },
  });
  expect(damaged('False/QuorumLost')).toMatchObject({
    health: 'UNAVAILABLE',
    reason: { code: 'QuorumLost' },
  });
  const mended = database({ Available: 'True', Ready: 'True', DataIntact: 'True/Mended' });
  expect(standingOf(mended, true)).toMatchObject({ health: 'HEALTHY', reason: undefined });
});

test('a full database is DEGRADED and says so, and one that is nearly full says it while all is well', () => {
  const full = database({ Available: 'True', Ready: 'False/Other', CapacityLeft: 'False/Full' });
  expect(standingOf(full, true)).toMatchObject({
    status: 'READY',
    health: 'DEGRADED',
    reason: { code: 'Full', message: 'about Full' },
  });
  const near = database({ Available: 'True', Ready: 'True', CapacityLeft: 'True/NearLimit' });
  expect(standingOf(near, true)).toMatchObject({
    health: 'HEALTHY',
    reason: { code: 'NearLimit' },
  });
  const gone = database({ Available: 'False/QuorumLost', CapacityLeft: 'False/Full' });
  expect(standingOf(gone, true)).toMatchObject({
    health: 'UNAVAILABLE',
    reason: { code: 'QuorumLost' },
  });
});
