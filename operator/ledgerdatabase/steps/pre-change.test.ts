import { expect, test } from '@jest/globals';
import type { LedgerBackup } from '../../../domain/custom-resources.ts';
import { planOf } from '../../../test/support/operator/plan-of.ts';
import { targetOf } from '../actions.ts';
import type { Facts } from '../draft.ts';
import type { Observation } from '../observation.ts';

const store = {
  url: 's3://backups',
  region: 'eu-1',
  accessKeyId: 'key',
  secretAccessKey: 'secret',
};
const upgrade = {
  kind: { engine: 'Builtin', topology: 'single' },
  changes: { size: 'lh-40', sizeGb: 2, version: 'new' },
} as const;

type PreChange = NonNullable<Facts['preChange']>;
const minutes = (count: number) => count * 60_000;

/** The upgrade as it is observed with this on record, `waitedMs` after that. */
function planned(
  preChange: Partial<PreChange> | undefined,
  backup: 'none' | 'runs' | 'succeeded' | 'failed' = 'none',
  waitedMs = 0,
) {
  const first = planOf(upgrade, {}, undefined, { store }).draft.facts.preChange;
  if (first === undefined) throw new Error('no backup is wanted');
  const recorded = preChange === undefined ? undefined : { ...first, ...preChange };
  const seen = (observed: Observation): Partial<Observation> => ({
    nowMs: observed.nowMs + waitedMs,
    database: {
      ...observed.database,
      status: {
        ...observed.database.status,
        ...(recorded === undefined ? {} : { preChange: recorded }),
      },
    },
    backups: {
      schedules: [],
      backups: backup === 'none' ? [] : [backupOf(first.backup ?? '', backup)],
    },
  });
  return planOf(upgrade, {}, seen, { store });
}

const backupOf = (name: string, state: 'runs' | 'succeeded' | 'failed'): LedgerBackup => ({
  apiVersion: 'ledgerhouse.dev/v1alpha1',
  kind: 'LedgerBackup',
  metadata: { name },
  spec: {
    database: 'payments',
    type: 'PreChange',
    protected: false,
    reclaimPolicy: 'Retain',
    removeRequested: false,
  },
  status: {
    ...(state === 'runs' ? {} : { completedAt: '2027-01-01T00:00:00Z' }),
    conditions: [
      {
        type: 'Succeeded',
        status: state === 'succeeded' ? 'True' : state === 'failed' ? 'False' : 'Unknown',
        reason: state === 'failed' ? 'StoreFull' : 'Running',
        message: 'its words',
        lastTransitionTime: '2027-01-01T00:00:00Z',
      },
    ],
  },
});

const done = ({ draft }: ReturnType<typeof planOf>) =>
  draft.actions
    .map((action) => `${action.verb} ${targetOf(action).resource.kind}`)
    // The connection is told of the version.
    .filter((action) => action !== 'apply ConfigMap');

test('an upgrade is put on record, then its backup is made, and no pod changes before that', () => {
  const first = planned(undefined);
  expect(first.draft.facts.preChange).toMatchObject({ backup: expect.stringMatching(/-pre-/) });
  expect(done(first)).toEqual([]);
  const second = planned({});
  expect(done(second)).toEqual(['create LedgerBackup']);
  expect(JSON.stringify(second.draft.actions)).toContain('"type":"PreChange"');
  const waiting = planned({}, 'runs');
  expect(done(waiting)).toEqual([]);
  expect(waiting.condition('VersionUpToDate')?.message).toContain('goes on without it at');
  expect(waiting.draft.requeueAfterMs).toBeLessThanOrEqual(10_000);
});

test.each([
  ['it has succeeded', 'succeeded', 0, { result: 'Completed' }],
  ['it has failed', 'failed', 0, { result: 'Failed', message: 'StoreFull: its words' }],
  ['half an hour is over', 'runs', minutes(30), { result: 'TimedOut', message: 'its words' }],
  ['half an hour is over and none was made', 'none', minutes(30), { result: 'TimedOut' }],
] as const)('the upgrade goes on once %s, and that is on record', (_, backup, waited, result) => {
  expect(planned({}, backup, minutes(29)).draft.facts.preChange?.result).toBe(
    backup === 'succeeded' ? 'Completed' : backup === 'failed' ? 'Failed' : undefined,
  );
  const ended = planned({}, backup, waited);
  expect(ended.draft.facts.preChange).toMatchObject(result);
  expect(done(ended)).toEqual([]);
  const next = planned(ended.draft.facts.preChange, backup, waited);
  expect(done(next)).toContain('apply StatefulSet');
});

test('a repair waits for no backup', () => {
  const broken = { 0: { pod: 'starting' } } as const;
  const { draft } = planOf(upgrade, broken, undefined, { store });
  expect(draft.facts.preChange).toMatchObject({
    result: 'Failed',
    message: 'only 0 of 1 replicas were ready',
  });
});

test('nothing waits without a bucket, nor for another change than a new version', () => {
  expect(done(planOf(upgrade))).toContain('apply StatefulSet');
  const larger = { ...upgrade, changes: { ...upgrade.changes, version: 'old', size: 'lh-80' } };
  const { draft } = planOf(larger as typeof upgrade, {}, undefined, { store });
  expect(draft.facts.preChange).toBeUndefined();
});
