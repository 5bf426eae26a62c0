import { expect, test } from '@jest/globals';
import type {
  LedgerBackup,
  LedgerBackupSchedule,
  LedgerDatabase,
} from '../../domain/custom-resources.ts';
import { annotations, labels } from '../../domain/names.ts';
import { writtenReturn, type EarlierState } from '../../domain/returning.ts';
import { endOf, type Surroundings } from './end-of.ts';
import { keptForMs, letsGo } from './restores.ts';
import { isVerificationDue } from './verify-due.ts';

const DAY = 86_400_000;
const now = Date.parse('2027-06-30T12:00:00Z');
const at = (daysAgo: number) => new Date(now - daysAgo * DAY).toISOString();
const own = { apiVersion: 'ledgerhouse.dev/v1alpha1' } as const;

function backup(
  daysAgo: number,
  spec: Partial<LedgerBackup['spec']> = {},
  status: Partial<NonNullable<LedgerBackup['status']>> = {},
): LedgerBackup {
  return {
    ...own,
    kind: 'LedgerBackup',
    metadata: {
      name: `day-${daysAgo}`,
      creationTimestamp: at(daysAgo),
      labels: { [labels.schedule]: 'nightly' },
    },
    spec: {
      database: 'payments',
      type: 'Scheduled',
      protected: false,
      reclaimPolicy: 'Delete',
      removeRequested: false,
      ...spec,
    },
    status: {
      backupId: `bkp_${daysAgo}`,
      completedAt: at(daysAgo),
      conditions: [
        {
          type: 'Succeeded',
          status: 'True',
          reason: 'Completed',
          message: '',
          lastTransitionTime: at(daysAgo),
        },
      ],
      ...status,
    },
  };
}
const schedule = (spec: Partial<LedgerBackupSchedule['spec']> = {}): LedgerBackupSchedule => ({
  ...own,
  kind: 'LedgerBackupSchedule',
  metadata: { name: 'nightly', creationTimestamp: at(100) },
  spec: {
    database: 'payments',
    schedule: '0 3 * * *',
    timeZone: 'Etc/UTC',
    startingDeadlineSeconds: 3_600,
    jitterSeconds: 0,
    immediate: false,
    keepLast: 2,
    keepFailed: 1,
    reclaimPolicy: 'Delete',
    verify: 'Weekly',
    suspend: false,
    ...spec,
  },
});
const around = (
  backups: readonly LedgerBackup[],
  more: Partial<Surroundings> = {},
): Surroundings => ({ backups, schedules: [schedule()], databases: [], nowMs: now, ...more });
const ends = (backups: readonly LedgerBackup[], more: Partial<Surroundings> = {}) =>
  backups.map((one) => endOf(one, around(backups, more))?.reason);

test('a backup that its schedule does not keep goes; without its schedule it stays', () => {
  const backups = [backup(0), backup(1), backup(2), backup(3)];
  expect(ends(backups)).toEqual([undefined, undefined, 'not kept', 'not kept']);
  expect(ends(backups, { schedules: [] })).toEqual([undefined, undefined, undefined, undefined]);
});

test('a held backup stays whatever its schedule, its time and a request say', () => {
  const hold = { reason: 'case 7', by: 'ada', at: at(1) };
  const backups = [
    backup(0),
    backup(1),
    backup(2, { hold }),
    backup(3, { hold, expiresAt: at(1) }),
  ];
  expect(ends(backups)).toEqual([undefined, undefined, undefined, undefined]);
  expect(ends([backup(0), backup(5, { hold, removeRequested: true })])[1]).toBeUndefined();
});

test('one that was made by hand is not counted, although it has the label', () => {
  const backups = [backup(0), backup(1), backup(2, { type: 'Manual' }), backup(3)];
  expect(ends(backups)).toEqual([undefined, undefined, undefined, 'not kept']);
});

test('backups of another database count for no schedule, although they have its label', () => {
  const others = [0.1, 0.2, 0.3].map((days) => backup(days, { database: 'payments-2' }));
  const own = [backup(1), backup(2), backup(3)];
  expect(ends([...others, ...own]).slice(3)).toEqual([undefined, undefined, 'not kept']);
  expect(due('Weekly', [...others, backup(1)]).at(-1)).toBe(true);
});

test('the newest good backup of a database outlives its end, unless somebody asks for its removal', () => {
  const past = { expiresAt: at(1) };
  expect(ends([backup(0, past), backup(5, past)])).toEqual([undefined, 'expired']);
  const failed = backup(0, {}, { conditions: [] });
  expect(ends([failed, backup(2, past)])).toEqual([undefined, undefined]);
  expect(ends([backup(0, { removeRequested: true })])).toEqual(['asked']);
  // The newer one goes, so that the older one is the newest that stays.
  expect(ends([backup(0, { removeRequested: true }), backup(2, past)])).toEqual([
    'asked',
    undefined,
  ]);
});

test('a backup that is protected, or being restored, stays whatever is asked', () => {
  const wanted = { protected: true, removeRequested: true, expiresAt: at(1) };
  expect(ends([backup(0), backup(9, wanted)])).toEqual([undefined, undefined]);
  const restoring = {
    ...own,
    kind: 'LedgerDatabase',
    metadata: { name: 'again' },
    spec: {
      suspend: false,
      deletionProtection: true,
      deletionPolicy: 'Retain',
      bootstrap: { backup: { databaseId: 'db_x', backupId: 'bkp_9' } },
    },
  } as const satisfies LedgerDatabase;
  const ofIt = { databaseId: 'db_x' };
  const backups = [backup(0, {}, ofIt), backup(9, { removeRequested: true }, ofIt)];
  expect(ends(backups, { databases: [restoring] })).toEqual([undefined, undefined]);
  const restored = { ...restoring, status: { bootstrapped: true } };
  expect(ends(backups, { databases: [restored] })).toEqual([undefined, 'asked']);
});

/** A database that is being made as another was at a moment. */
const restoringTo = (
  moment: { targetOp: number } | { targetTimestamp: string } | { targetTime: string },
  status: LedgerDatabase['status'] = {},
): LedgerDatabase => ({
  ...own,
  kind: 'LedgerDatabase',
  metadata: { name: 'as-it-was', namespace: 'elsewhere' },
  spec: {
    suspend: false,
    deletionProtection: true,
    deletionPolicy: 'Retain',
    bootstrap: { backup: { databaseId: 'db_x', ...moment } },
  },
  status,
});
/** A backup of one operation for each day, with its time as the timestamp. */
const ofOperation = (daysAgo: number, status: Partial<NonNullable<LedgerBackup['status']>> = {}) =>
  backup(
    daysAgo,
    { removeRequested: true },
    {
      databaseId: 'db_x',
      op: 100 - daysAgo,
      timestamp: String(BigInt(Date.parse(at(daysAgo))) * 1_000_000n),
      ...status,
    },
  );

test('the backup that a restore to a moment begins with stays until the new database has its data, whatever is asked', () => {
  const backups = [ofOperation(1), ofOperation(3), ofOperation(5), ofOperation(7)];
  const onlyThird = ['asked', 'asked', undefined, 'asked'];
  const moments = [
    { targetOp: 96 },
    { targetTimestamp: String(BigInt(Date.parse(at(4))) * 1_000_000n) },
    { targetTime: at(5) },
  ];
  for (const moment of moments)
    expect(ends(backups, { databases: [restoringTo(moment)] })).toEqual(onlyThird);
  const begun = restoringTo({ targetOp: 96 }, { bootstrapped: true });
  expect(ends(backups, { databases: [begun] })).toEqual(['asked', 'asked', 'asked', 'asked']);
  // Of TigerBeetle, it reads the backup until the cluster is filled.
  const fills = restoringTo({ targetOp: 96 }, { bootstrapped: true, filled: false });
  expect(ends(backups, { databases: [fills] })).toEqual(onlyThird);
  // One whose removal has begun may be gone from the bucket already: the restore then begins with the one before.
  const going = [
    ofOperation(1),
    ofOperation(5, { removalBegunAt: at(0) }),
    ofOperation(7),
    ofOperation(9),
  ];
  expect(ends(going, { databases: [restoringTo({ targetOp: 96 })] })).toEqual([
    'asked',
    undefined,
    undefined,
    'asked',
  ]);
  const ofAnother = [1, 3, 5].map((days) => ofOperation(days, { databaseId: 'db_y' }));
  expect(ends(ofAnother, { databases: [restoringTo({ targetOp: 96 })] })).toEqual([
    'asked',
    'asked',
    'asked',
  ]);
});

const HOUR = 3_600_000;
/** The backup that is made before its database goes back to a state. */
const before = (returnsTo: string, databaseId = 'db_x'): LedgerBackup => {
  const one = backup(0, { type: 'PreChange', removeRequested: true }, { databaseId });
  return {
    ...one,
    metadata: {
      ...one.metadata,
      name: 'shape-1',
      annotations: { [annotations.returnsTo]: returnsTo },
    },
  };
};

test('what a database is about to go back to stays for as long as the backup before says, and so does that one, whatever is asked', () => {
  const backups = [ofOperation(1), ofOperation(3), ofOperation(5), ofOperation(7)];
  const until = (state: EarlierState, leftMs: number, databaseId?: string) =>
    ends([...backups, before(writtenReturn(state, now + leftMs), databaseId)]);
  const onlyThird = ['asked', 'asked', undefined, 'asked', undefined];
  const timestamp = String(BigInt(Date.parse(at(4))) * 1_000_000n);
  expect(until({ backupId: 'bkp_5' }, HOUR)).toEqual(onlyThird);
  expect(until({ targetOp: 96 }, HOUR)).toEqual(onlyThird);
  expect(until({ targetTimestamp: timestamp }, HOUR)).toEqual(onlyThird);
  const all = ['asked', 'asked', 'asked', 'asked', 'asked'];
  expect(until({ targetOp: 96 }, 0)).toEqual(all);
  for (const nonsense of ['', 'targetOp=x/2027-06-30T12:30:00Z', 'targetOp=96', '/'])
    expect(ends([...backups, before(nonsense)])).toEqual(all);
});

test('the last backup of a database that goes back, with which it may come back, stays for as long as what it goes back to', () => {
  const last = (database: string) =>
    backup(0, { type: 'Final', database, removeRequested: true }, { databaseId: 'db_x' });
  const until = (leftMs: number) => {
    const says = before(writtenReturn({ backupId: 'bkp_5' }, now + leftMs));
    return ends([ofOperation(5), last('payments'), last('payments-2'), says]);
  };
  expect(until(HOUR)).toEqual([undefined, undefined, 'asked', undefined]);
  expect(until(0)).toEqual(['asked', 'asked', 'asked', 'asked']);
});

test('a database that goes back, or begins with a backup, keeps none of another database, although it names its ID', () => {
  const backups = [ofOperation(1), ofOperation(5)];
  const named = before(writtenReturn({ backupId: 'bkp_5' }, now + HOUR), 'db_y');
  expect(ends([...backups, named]).slice(0, 2)).toEqual(['asked', 'asked']);
  const restoring = (databaseId: string): LedgerDatabase => {
    const one = restoringTo({ targetOp: 1 });
    return {
      ...one,
      spec: { ...one.spec, bootstrap: { backup: { databaseId, backupId: 'bkp_5' } } },
    };
  };
  expect(ends(backups, { databases: [restoring('db_x')] })).toEqual(['asked', undefined]);
  expect(ends(backups, { databases: [restoring('db_y')] })).toEqual(['asked', 'asked']);
});

test('a time for which a database goes back that is more than two hours ahead, by a wrong clock or a hostile hand, keeps nothing', () => {
  const backups = [ofOperation(1), ofOperation(5)];
  const until = (untilMs: number) =>
    ends([...backups, before(writtenReturn({ backupId: 'bkp_5' }, untilMs))]);
  expect(until(now + 2 * HOUR)).toEqual(['asked', undefined, undefined]);
  expect(until(now + 2 * HOUR + 1_000)).toEqual(['asked', 'asked', 'asked']);
  expect(until(Date.parse('9999-12-31T23:59:59Z'))).toEqual(['asked', 'asked', 'asked']);
});

test('it is known how long a backup is kept for a database that goes back, and when a change lets it go', () => {
  const [wanted, other] = [ofOperation(5), ofOperation(1)];
  const value = (leftMs: number) => writtenReturn({ backupId: 'bkp_5' }, now + leftMs);
  const says = before(value(HOUR));
  const restores = { backups: [wanted, other, says], nowMs: now };
  expect([wanted, other, says].map((one) => keptForMs(one, restores))).toEqual([
    HOUR,
    undefined,
    HOUR,
  ]);
  const silent = { ...says, metadata: { ...says.metadata, annotations: {} } };
  expect(letsGo(says, silent)).toBe(true);
  expect(letsGo(says, undefined)).toBe(true);
  expect(letsGo(says, before(writtenReturn({ targetOp: 7 }, now + HOUR)))).toBe(true);
  // It was only asked for anew.
  expect(letsGo(says, before(value(2 * HOUR)))).toBe(false);
  expect(letsGo(undefined, says)).toBe(false);
  expect(letsGo(silent, silent)).toBe(false);
});

test('the bucket is touched only where that was said', () => {
  const keep = [backup(0), backup(1), backup(2, { reclaimPolicy: 'Retain' })];
  expect(endOf(keep[2]!, around(keep))).toEqual({ reason: 'not kept', fromBucket: false });
  const asked = [backup(0, { reclaimPolicy: 'Retain', removeRequested: true })];
  expect(endOf(asked[0]!, around(asked))).toEqual({ reason: 'asked', fromBucket: true });
});

const due = (
  verify: LedgerBackupSchedule['spec']['verify'],
  backups: readonly LedgerBackup[],
  more: Partial<Surroundings> = {},
) =>
  backups.map((one) =>
    isVerificationDue(one, around(backups, { schedules: [schedule({ verify })], ...more })),
  );
const tested = (
  daysAgo: number,
  testedDaysAgo = daysAgo,
  found: { passed?: true } = { passed: true },
) =>
  backup(
    daysAgo,
    {},
    {
      verification: {
        startedAt: at(testedDaysAgo),
        completedAt: at(testedDaysAgo),
        ...found,
      },
    },
  );

test('a schedule has its newest good backup tested as often as it says', () => {
  expect(due('Never', [backup(0), backup(1)])).toEqual([false, false]);
  expect(due('Every', [backup(0), tested(1)])).toEqual([true, false]);
  expect(due('Weekly', [backup(0), tested(6)])).toEqual([false, false]);
  expect(due('Weekly', [backup(0), tested(7)])).toEqual([true, false]);
  expect(due('Daily', [backup(0), tested(1)])).toEqual([true, false]);
  expect(due('Weekly', [backup(0), backup(1)])).toEqual([true, false]);
});

test('a test that was asked for is made once; one that could not be made is made again in an hour', () => {
  const asked = { verifyRequestedAt: at(2) };
  expect(due('Never', [backup(3, asked)])).toEqual([true]);
  const after = { ...tested(3, 1), spec: { ...tested(3).spec, ...asked } };
  expect(due('Never', [after])).toEqual([false]);
  expect(due('Never', [tested(3, 0.01, {})])).toEqual([false]);
  expect(due('Never', [tested(3, 0.1, {})])).toEqual([true]);
});

test('a test that is on record as of next year, since a clock was wrong, has no backup tested again and again, and stops none', () => {
  const ahead = tested(2, -365);
  expect(due('Weekly', [backup(0), ahead])).toEqual([true, false]);
  expect(due('Weekly', [tested(0), ahead])).toEqual([false, false]);
  // Its own time is replaced by the test that is due.
  expect(due('Weekly', [tested(0, -365)])).toEqual([true]);
  const asked = { verifyRequestedAt: at(0.1) };
  expect(due('Never', [{ ...ahead, spec: { ...ahead.spec, ...asked } }])).toEqual([true]);
  const later = { verifyRequestedAt: at(-365) };
  expect(due('Never', [{ ...tested(0), spec: { ...ahead.spec, ...later } }])).toEqual([false]);
});

test('backups that were asked for next year, since a clock was wrong, keep no newer one from being tested, and from being kept', () => {
  const ahead = backup(-365);
  expect(due('Weekly', [ahead, backup(0), tested(8)])).toEqual([false, true, false]);
  const all = [ahead, backup(0), backup(1)];
  const rules = { schedules: [schedule({ keepLast: 1 })] };
  const [, newest, older] = all.map((one) => endOf(one, around(all, rules)));
  expect(newest).toBeUndefined();
  expect(older).toMatchObject({ reason: 'not kept' });
  // What was made meanwhile may be the newest in truth: it stays until its time has come.
  expect(endOf(ahead, around(all, rules))).toBeUndefined();
  const expired = backup(0, { expiresAt: at(0) });
  expect(endOf(expired, around([ahead, expired], rules))).toBeUndefined();
});

test('no schedule has a backup tested whose removal has begun; who asks has it tested', () => {
  const begun = { removalBegunAt: at(0) };
  expect(due('Every', [backup(0, {}, begun)])).toEqual([false]);
  const failed = { startedAt: at(1), completedAt: at(1) };
  expect(due('Every', [backup(0, {}, { ...begun, verification: failed })])).toEqual([false]);
  expect(due('Every', [backup(0, { verifyRequestedAt: at(0) }, begun)])).toEqual([true]);
});

test('a backup that may be removed from the bucket makes no older one dispensable, although it is protected', () => {
  const going = backup(2, { protected: true }, { removalBegunAt: at(1) });
  const last = backup(4, { expiresAt: at(1) });
  expect(endOf(last, around([going, last], { schedules: [] }))).toBeUndefined();
  const [third, fourth] = [backup(3), backup(4)];
  const all = [backup(1), going, third, fourth];
  expect(endOf(third, around(all))).toBeUndefined();
  expect(endOf(fourth, around(all))).toMatchObject({ reason: 'not kept' });
});
