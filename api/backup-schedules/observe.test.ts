import { expect, test } from '@jest/globals';
import type { ScheduleObject } from '../../domain/custom-resources.ts';
import { observeSchedule } from './observe.ts';

const scheduleOf = (
  status: NonNullable<ScheduleObject['status']>,
  spec: Partial<ScheduleObject['spec']> = {},
): ScheduleObject =>
  ({
    apiVersion: 'ledgerhouse.dev/v1alpha1',
    kind: 'LedgerBackupSchedule',
    metadata: { name: 'nightly', generation: 2, resourceVersion: '7' },
    spec: { database: 'payments', schedule: '0 3 * * *', suspend: false, ...spec },
    status,
  }) as ScheduleObject;

const active = (status: 'True' | 'False', reason: string) => ({
  observedGeneration: 2,
  conditions: [
    {
      type: 'Active',
      status,
      reason,
      message: 'so it is',
      lastTransitionTime: '2027-01-01T03:00:00Z',
    },
  ],
});
const stateOf = (...given: Parameters<typeof scheduleOf>) =>
  observeSchedule(scheduleOf(...given)).state;

test('a schedule is pending until the operator has seen its last change', () => {
  expect(stateOf({}).status).toBe('PENDING');
  expect(stateOf({ ...active('False', 'Suspended'), observedGeneration: 1 })).toMatchObject({
    status: 'PENDING',
    statusReason: null,
  });
});

test('a schedule that makes no backups says why, unless somebody wants it so', () => {
  expect(stateOf(active('True', 'Scheduled')).status).toBe('ACTIVE');
  expect(stateOf(active('False', 'DatabaseNotFound'))).toMatchObject({
    status: 'STOPPED',
    statusReason: { code: 'DatabaseNotFound', message: 'so it is' },
  });
  expect(stateOf(active('False', 'Suspended'), { suspend: true })).toMatchObject({
    status: 'SUSPENDED',
    statusReason: null,
  });
});

test('a time that does not exist is none', () => {
  expect(stateOf({ lastSuccessfulTime: '2027-01-01T00:00:00+99:99' }).lastSucceededAt).toBeNull();
});
