import { describe, expect, test } from '@jest/globals';
import type { DatabaseObject, LedgerBackup } from '../../../domain/custom-resources.ts';
import { annotations } from '../../../domain/names.ts';
import { notBegun, planOf } from '../../../test/support/operator/plan-of.ts';
import { targetOf } from '../actions.ts';
import { backupsOf } from '../backups-seen.ts';
import type { Observation } from '../observation.ts';

const store = {
  url: 's3://backups',
  region: 'eu-1',
  accessKeyId: 'key',
  secretAccessKey: 'secret',
};
const going = {
  kind: { engine: 'Builtin', topology: 'single' },
  deleting: true,
  held: true,
  deletionPolicy: 'BackupThenDelete',
} as const;
const three = { ...going, kind: { engine: 'Builtin', topology: 'ha-3' } } as const;
/** No replica runs, and no controller makes one. */
const closed = { ...going, suspend: true, set: 'absent' } as const;
const gone = { 0: { pod: 'absent' } } as const;

const named = ({ draft }: ReturnType<typeof planOf>) =>
  draft.actions.map((action) => `${action.verb} ${targetOf(action).resource.kind}`);

const withBackup =
  (
    state: 'Unknown' | 'True' | 'False',
    madeAt?: string,
    type: LedgerBackup['spec']['type'] = 'Final',
    completedAt = '2027-01-01T00:00:00Z',
  ) =>
  ({ database }: Observation): Partial<Observation> => {
    const backup: LedgerBackup = {
      apiVersion: 'ledgerhouse.dev/v1alpha1',
      kind: 'LedgerBackup',
      metadata: {
        name: `${database.status?.workload}-final`,
        creationTimestamp: madeAt ?? database.metadata.deletionTimestamp ?? '',
      },
      spec: {
        database: database.metadata.name,
        type,
        protected: false,
        reclaimPolicy: 'Retain',
        removeRequested: false,
      },
      status: {
        ...(state === 'Unknown' ? {} : { completedAt }),
        conditions: [
          {
            type: 'Succeeded',
            status: state,
            reason: 'StoreFull',
            message: 'its words',
            lastTransitionTime: '2027-01-01T00:00:00Z',
          },
        ],
      },
    };
    return { backups: { backups: [backup], schedules: [] } };
  };

test('a single replica is stopped first; then its closed file is backed up', () => {
  const first = planOf(going, {}, undefined, { store });
  expect(first.draft.actions).toMatchObject([
    { verb: 'patch', guarded: true, patch: { spec: { replicas: 0 } } },
  ]);
  const stopped = planOf(closed, gone, undefined, { store });
  expect(named(stopped)).toEqual(['create LedgerBackup']);
  expect(JSON.stringify(stopped.draft.actions)).toContain('"type":"Final"');
  // Its pod has not ended yet.
  expect(named(planOf(closed, {}, undefined, { store }))).toEqual([]);
});

test('a single replica is stopped for its last backup, whoever has asked for that one already', () => {
  const asked = planOf(going, {}, withBackup('Unknown'), { store });
  expect(asked.draft.actions).toMatchObject([
    { verb: 'patch', guarded: true, patch: { spec: { replicas: 0 } } },
  ]);
});

test('several replicas are backed up while they run', () => {
  expect(named(planOf(three, {}, undefined, { store }))).toEqual(['create LedgerBackup']);
});

test('volumes go once the backup has succeeded, and not before', () => {
  expect(named(planOf(closed, gone, withBackup('Unknown'), { store }))).toEqual([]);
  expect(named(planOf(closed, gone, withBackup('True'), { store }))).toEqual([
    'delete PersistentVolumeClaim',
  ]);
  const failed = planOf(closed, gone, withBackup('False'), { store });
  expect(named(failed)).toEqual([]);
  expect(failed.draft.stall).toMatchObject({
    reason: 'BackupsUnavailable',
    message: expect.stringMatching(
      /^(?!.*its words).*StoreFull.*LedgerBackup .*-final says why; to try again, delete that/,
    ),
  });
});

/** Four days before the simulated cluster's time. */
const longAgo = '2026-11-17T10:00:00Z';

test('several replicas that were not stopped within their pause of writes lose nothing: another backup is asked for', () => {
  const late = planOf(three, {}, withBackup('True', undefined, 'Final', longAgo), { store });
  expect(named(late)).toEqual([]);
  expect(late.draft.stall?.message).toContain('delete that resource to have another one made');
  // Once they are stopped, it has everything.
  const stopped = { ...three, suspend: true, set: 'absent' } as const;
  const none = { 0: { pod: 'absent' }, 1: { pod: 'absent' }, 2: { pod: 'absent' } } as const;
  const after = planOf(stopped, none, withBackup('True', undefined, 'Final', longAgo), { store });
  expect(named(after)).toHaveLength(3);
});

describe('under BackupThenRetain', () => {
  const leaving = { ...three, deletionPolicy: 'BackupThenRetain' } as const;
  const stopping = { ...leaving, set: 'absent' } as const;
  const backedUp = withBackup('True');

  test('the replicas are stopped once the backup has succeeded, and the volumes stay', () => {
    expect(named(planOf(leaving, {}, undefined, { store }))).toEqual(['create LedgerBackup']);
    const made = planOf(leaving, {}, backedUp, { store });
    expect(made.draft.actions).toMatchObject([
      { verb: 'patch', guarded: true, patch: { spec: { replicas: 0 } } },
    ]);
  });

  test('nothing goes while a replica still runs', () => {
    const last = { 0: { pod: 'absent' }, 1: { pod: 'absent' } } as const;
    // It has lost its StatefulSet: nobody else ends it.
    expect(named(planOf(stopping, last, backedUp, { store }))).toEqual(['delete Pod']);
  });

  test('replicas that still run when their pause of writes ends, though they were told to stop, are not taken for replaced', () => {
    const late = withBackup('True', undefined, 'Final', longAgo);
    for (const set of ['current', 'absent'] as const) {
      const running = planOf({ ...leaving, suspend: true, set }, {}, late, { store });
      expect(named(running)).toEqual([]);
      expect(running.draft.stall?.reason).toBe('BackupsUnavailable');
    }
  });

  test('the volumes are marked with their backup, and then the database goes', () => {
    const none = { 0: { pod: 'absent' }, 1: { pod: 'absent' }, 2: { pod: 'absent' } } as const;
    const marking = planOf(stopping, none, backedUp, { store });
    const note = {
      verb: 'patch',
      patch: { metadata: { annotations: { [annotations.replacedBy]: expect.any(String) } } },
    };
    expect(marking.draft.actions).toMatchObject([note, note, note]);
    const marked = (observed: Observation): Partial<Observation> => ({
      ...backedUp(observed),
      owned: {
        ...observed.owned,
        claims: observed.owned.claims.map((claim) => ({
          ...claim,
          metadata: {
            ...claim.metadata,
            annotations: {
              ...claim.metadata.annotations,
              [annotations.replacedBy]: `${observed.database.status?.workload}-final`,
            },
          },
        })),
      },
    });
    expect(named(planOf(stopping, none, marked, { store }))).toEqual(['patch LedgerDatabase']);
  });

  test('without a backup no replica of several stops, and no volume is marked', () => {
    expect(named(planOf(leaving, {}, withBackup('False'), { store }))).toEqual([]);
  });
});

test('all volumes go after the backup, also if the deletion of one of them was refused at first', () => {
  const rest = { 0: { claim: 'deleting' } } as const;
  expect(named(planOf({ ...three, set: 'absent' }, rest, withBackup('True'), { store }))).toEqual([
    'delete PersistentVolumeClaim',
    'delete PersistentVolumeClaim',
  ]);
});

test.each([
  ['made before the deletion', '2020-01-01T00:00:00Z', 'Final'],
  ['of another type', undefined, 'Manual'],
] as const)('a backup of that name %s lets no volume go', (_, madeAt, type) => {
  const waiting = planOf(closed, gone, withBackup('True', madeAt, type), { store });
  expect(named(waiting)).toEqual([]);
  expect(waiting.draft.stall?.message).toContain('is not the last backup');
});

test('a backup of another database under the name of the last one lets no volume go, and is named', () => {
  const ofAnother = (observed: Observation): Partial<Observation> => {
    const [backup] = withBackup('True')(observed).backups!.backups;
    const other = {
      ...backup!,
      metadata: { ...backup!.metadata, namespace: observed.database.metadata.namespace! },
      spec: { ...backup!.spec, database: 'payroll' },
    };
    const backups = { list: () => [other] } as unknown as Parameters<
      typeof backupsOf
    >[0]['backups'];
    const schedules = { list: () => [] } as unknown as Parameters<typeof backupsOf>[0]['schedules'];
    return { backups: backupsOf({ backups, schedules }, observed.database as DatabaseObject) };
  };
  const waiting = planOf(closed, gone, ofAnother, { store });
  expect(named(waiting)).toEqual([]);
  expect(waiting.draft.stall?.message).toContain('is a backup of payroll');
});

test('several replicas that are stopped keep their volumes: no single file is known to have everything', () => {
  const ended = { ...closed, kind: three.kind };
  const none = { 0: { pod: 'absent' }, 1: { pod: 'absent' }, 2: { pod: 'absent' } } as const;
  const waiting = planOf(ended, none, undefined, { store });
  expect(named(waiting)).toEqual([]);
  expect(waiting.draft.stall?.message).toContain('none runs');
});

test.each([
  ['without a bucket', going, {}],
  [
    'with TigerBeetle',
    { ...going, kind: { engine: 'TigerBeetle', topology: 'single' } },
    { store },
  ],
] as const)(
  '%s the database waits with its volumes, and says how to let it go',
  (_, recipe, options) => {
    const waiting = planOf(recipe, {}, undefined, options);
    expect(named(waiting)).toEqual([]);
    expect(waiting.draft.stall?.message).toContain('"deletionPolicy":"Retain"');
  },
);

test('a status that knows of no data is no proof that there are none: the volumes stay', () => {
  const unknown = { ...closed, known: 'some', knows: notBegun } as unknown as typeof closed;
  const waiting = planOf(unknown, gone, undefined, { store });
  expect(named(waiting)).toEqual([]);
  expect(waiting.draft.stall?.message).toContain('knows of no data');
});
