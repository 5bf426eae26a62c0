/** Backups in words. */
import type { Backup, BackupSchedule, Database } from '../../../../gen/api.ts';
import { shownFigure } from '../../lib/figures.ts';
import type { Tone } from '../../ui/States.tsx';

export const stateTones: Readonly<Record<Backup['status'], Tone>> = {
  QUEUED: 'soft',
  RUNNING: 'busy',
  SUCCEEDED: 'good',
  FAILED: 'bad',
  DELETING: 'warn',
  DELETED: 'soft',
  EXPIRED: 'soft',
};

export const stateWords: Readonly<Record<Backup['status'], string>> = {
  QUEUED: 'waits',
  RUNNING: 'is being made',
  SUCCEEDED: 'complete',
  FAILED: 'failed',
  DELETING: 'is being removed',
  DELETED: 'removed',
  EXPIRED: 'expired',
};

/** What a backup has besides rows, in words; `undefined`: it has rows. */
export const methodWords = ({ method }: Pick<Backup, 'method'>): string | undefined =>
  method === 'FILES' ? 'data files, for TigerBeetle of the same topology' : undefined;

/** Origin of a backup, in words. */
export function originWords({
  type,
  schedule,
  actor,
}: Pick<Backup, 'type' | 'schedule' | 'actor'>): string {
  switch (type) {
    case 'MANUAL':
      return `requested by ${actor.display}`;
    case 'SCHEDULED':
      return schedule === null ? 'by a schedule' : `by the schedule ${schedule}`;
    case 'PRE_CHANGE':
      return 'before an upgrade';
    case 'FINAL':
      return 'before the deletion';
    default:
      // Result of the last test restore, if it is worth reading.
      return type;
  }
}

export const transfersWords = (count: number): string =>
  count === 1 ? '1 transfer' : `${shownFigure(count, 'count')} transfers`;

interface Proof {
  readonly tone: Tone;
  readonly word: string;
  /** Knowledge about a backup's soundness. */
  readonly about?: string;
}

/** The rules of a schedule, one string each: `the last 3`, `7 days`. */
export function proofOf({ verification }: Pick<Backup, 'verification'>): Proof {
  if (verification === null) return { tone: 'soft', word: 'not yet' };
  const { status, seconds, message, lastPassedAt } = verification;
  switch (status) {
    case 'PASSED':
      return {
        tone: 'good',
        word: 'proven',
        ...(seconds !== null && { about: `restored in ${shownFigure(seconds, 'seconds')}` }),
      };
    case 'FAILED':
      return { tone: 'bad', word: 'damaged', about: message };
    case 'RUNNING':
      return { tone: 'busy', word: 'is being tested', about: message };
    case 'UNKNOWN':
      break;
  }
  return { tone: 'warn', word: lastPassedAt === null ? 'not tested' : 'proven', about: message };
}

export const withoutStore =
  'No backup store is set up: ask your administrator. It is backups.store of the chart.';

export const scheduleTones: Readonly<Record<BackupSchedule['status'], Tone>> = {
  PENDING: 'busy',
  ACTIVE: 'good',
  SUSPENDED: 'soft',
  STOPPED: 'bad',
};

export const scheduleWords: Readonly<Record<BackupSchedule['status'], string>> = {
  PENDING: 'is taken up',
  ACTIVE: 'active',
  SUSPENDED: 'suspended',
  STOPPED: 'makes none',
};

const keepNames: Readonly<Record<keyof BackupSchedule['keep'], string>> = {
  last: 'last',
  hourly: 'hours',
  daily: 'days',
  weekly: 'weeks',
  monthly: 'months',
  yearly: 'years',
  withinDays: 'days, every one',
  failed: 'failed',
};

/** What a schedule keeps, one rule each: `the last 3`, `7 days`. */
export const keepWords = (keep: BackupSchedule['keep']): readonly string[] =>
  (Object.keys(keepNames) as (keyof BackupSchedule['keep'])[])
    .filter((rule) => rule !== 'failed' && keep[rule] > 0)
    .map((rule) =>
      rule === 'last' ? `the last ${keep[rule]}` : `${keep[rule]} ${keepNames[rule]}`,
    );

type Shown = Pick<Database, 'status' | 'engine'>;

/** Why a database cannot be backed up as it is deleted; `undefined`: it can. */
export const whyNoLastBackup = (database: Shown, configured: boolean): string | undefined =>
  database.engine.name === 'Builtin'
    ? whyNotBackedUp(database, configured)
    : `It runs ${database.engine.name}, which takes writes while it is backed up. Make a backup before.`;

/** Why a database cannot be backed up at all now; `undefined`: it can. */
export function whyNotBackedUp({ status }: Shown, configured: boolean): string | undefined {
  if (!configured) return withoutStore;
  if (status === 'DELETING' || status === 'DELETED') return 'The database is deleted.';
  return status === 'READY' || status === 'SUSPENDED' ? undefined : 'The database has no data yet.';
}

/** Whether a backup that was requested is being made: one is made at a time. */
export const isOneMade = (backups: readonly Pick<Backup, 'status' | 'jobId'>[]): boolean =>
  backups.some(
    ({ status, jobId }) => jobId !== null && (status === 'QUEUED' || status === 'RUNNING'),
  );
