/** Backups in words. */
import type {
  Backup,
  BackupSchedule,
  Database,
  InPlaceRestorePreview,
} from '../../../../gen/api.ts';
import { said } from '../../lib/said.ts';
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
      return `requested by ${said(actor.display)}`;
    case 'SCHEDULED':
      return schedule === null ? 'by a schedule' : `by the schedule ${schedule}`;
    case 'PRE_CHANGE':
      return 'before a change';
    case 'FINAL':
      return 'when the replicas went';
    default:
      return type;
  }
}

export const transfersWords = (count: number): string =>
  count === 1 ? '1 transfer' : `${shownFigure(count, 'count')} transfers`;

/** What a database loses that goes back, in words. No more than `countedMax` of each were counted. */
export function lostWords(later: InPlaceRestorePreview['preview']['later']): string {
  if (later === null) return 'what was written since; it could not be asked how much that is';
  const { transfers, accounts, countedMax } = later;
  const atLeast = (count: number) => (count < countedMax ? '' : 'at least ');
  const ofAccounts = accounts === 1 ? '1 account' : `${shownFigure(accounts, 'count')} accounts`;
  return `${atLeast(transfers)}${transfersWords(transfers)}, ${atLeast(accounts)}${ofAccounts}`;
}

/** What the archived log lacks before a last backup, in words. */
export const lackingWords = ({ fromOp, toOp }: NonNullable<Backup['notArchived']>): string =>
  `the archived log lacks operations ${fromOp === null ? `before ${toOp}` : `${fromOp} to ${toOp}`}; this backup has them`;

interface Proof {
  readonly tone: Tone;
  readonly word: string;
  /** Knowledge about a backup's soundness. */
  readonly about?: string;
}

/** The result of the last test restore. */
export function proofOf({ verification }: Pick<Backup, 'verification'>): Proof {
  if (verification === null) return { tone: 'soft', word: 'not yet' };
  const { status, seconds, message, lastPassedAt } = verification;
  const log = logWords(verification);
  switch (status) {
    case 'PASSED':
      return {
        tone: 'good',
        word: 'proven',
        ...(seconds !== null && { about: `restored in ${shownFigure(seconds, 'seconds')}${log}` }),
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

/** What the test found out about the log. A service of the release before says nothing. */
function logWords({ replayedFrom, rowsOnly }: NonNullable<Backup['verification']>): string {
  if (typeof replayedFrom === 'number') return ', and made again from the log';
  return rowsOnly?.message === undefined ? '' : `, its rows alone. ${rowsOnly.message}`;
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
