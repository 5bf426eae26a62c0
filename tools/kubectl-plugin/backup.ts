/**
 * `kubectl ledgerhouse backup …`: backups as the LedgerBackups of a namespace, for administrators. It needs no API of the service and no
 * key of the bucket, only the caller's rights on these resources.
 */
import { isAhead } from '../../domain/clocks.ts';
import { parseTime, timeOf } from '../../domain/moment.ts';
import {
  planRestore,
  rangesLeft,
  rangesOf,
  whyUnavailable,
  written,
  type Moment,
  type Target,
} from '../../domain/recovery.ts';
import {
  apiVersion,
  type DatabaseObject,
  type OneBackupObject,
} from '../../domain/custom-resources.ts';
import { printable } from '../../cli/output/printable.ts';
import { previewText } from '../../cli/output/recovery.ts';
import { sleep, systemTimers } from '../../base/timers.ts';
import { databaseOf, readWhole, UsageError, type Asked, type Command } from './asked.ts';
import { KubectlFailed } from './kubectl.ts';
import { backupsText, backupText, restoreText, saidBy, windowOf } from './say-backup.ts';

const LOOK_MS = 1_000;
const WAIT_MINUTES = 60;
const DAY_MS = 86_400_000;

export const backupCommands: Readonly<Record<string, Command>> = {
  'backup create': {
    run: create,
    flags: ['name', 'retention-days', 'protected', 'files', 'no-wait', 'wait-minutes'],
  },
  'backup list': { run: list, mayOmitName: true },
  'backup show': { run: async (asked) => backupText(await backupOf(asked)) },
  'backup verify': { run: verify, flags: ['no-wait', 'wait-minutes'] },
  'backup restore-preview': { run: preview, flags: ['to-time', 'to-timestamp', 'to-op'] },
};

const backupOf = async ({ kubectl, name }: Asked) =>
  JSON.parse(await kubectl('get', 'ledgerbackup', name, '-o', 'json')) as OneBackupObject;

async function backupsOf({ kubectl }: Asked, database: string): Promise<OneBackupObject[]> {
  const said = await kubectl('get', 'ledgerbackups', '-o', 'json');
  const { items } = JSON.parse(said) as { readonly items: readonly OneBackupObject[] };
  return items
    .filter(({ spec }) => database === '' || spec.database === database)
    .toSorted((one, other) => createdMs(other) - createdMs(one));
}

const createdMs = ({ metadata }: OneBackupObject): number =>
  Date.parse(metadata.creationTimestamp ?? '');

async function list(asked: Asked): Promise<string> {
  return backupsText(await backupsOf(asked, asked.name));
}

async function create(asked: Asked): Promise<string> {
  const { kubectl, name: database } = asked;
  const now = new Date();
  const days = asked.text('retention-days');
  const retainMs = days === undefined ? 0 : readWhole('retention-days', days, 1, 365) * DAY_MS;
  const waitMs = readWaitMs(asked);
  // One of a database that is not there would wait for it.
  await databaseOf(asked);
  const made = await kubectl.create({
    apiVersion,
    kind: 'LedgerBackup',
    metadata: { name: asked.text('name') ?? `${database}-${compactTime(now)}` },
    spec: {
      database,
      ...(asked.has('protected') && { protected: true }),
      ...(asked.has('files') && { method: 'Files' }),
      // As over HTTP: what has expired leaves the bucket, too.
      ...(retainMs > 0 && {
        expiresAt: new Date(now.getTime() + retainMs).toISOString(),
        reclaimPolicy: 'Delete',
      }),
    },
  });
  const { name } = made.metadata;
  if (waitMs === undefined) return `ledgerbackup/${name} is requested`;
  const isOver = ({ status }: OneBackupObject) => status?.completedAt !== undefined;
  const ended = await follow({ ...asked, name }, waitMs, 'Succeeded', isOver);
  return backupText(ended);
}

/** `2027-01-31T02:10:05Z` as `20270131021005`: names of resources have no colons. */
const compactTime = (time: Date): string => time.toISOString().slice(0, 19).replaceAll(/\D/g, '');

async function verify(asked: Asked): Promise<string> {
  const { kubectl, name } = asked;
  const waitMs = readWaitMs(asked);
  const before = await backupOf(asked);
  // A backup that has failed, or is still made, is never tested: the request would wait for ever.
  if (saidBy(before, 'Succeeded')?.status !== 'True')
    throw new KubectlFailed(`${name} is no good backup: ${wordsOf(before, 'Succeeded')}`);
  const began = before.status?.verification?.startedAt;
  const requestedAt = new Date(requestedMs(Date.parse(began ?? ''), Date.now()));
  const patch = JSON.stringify({ spec: { verifyRequestedAt: requestedAt.toISOString() } });
  const said = await kubectl('patch', 'ledgerbackup', name, '--type=merge', '-p', patch);
  if (waitMs === undefined) return said.trim();
  const ended = await follow(
    asked,
    waitMs,
    'Verified',
    ({ status: { verification: { startedAt, completedAt } = {} } = {} }) =>
      startedAt !== began && completedAt !== undefined,
  );
  return backupText(ended);
}

/** A request that is not later than the last test is none, though only this machine's clock is behind. */
const requestedMs = (beganMs: number, nowMs: number): number =>
  beganMs >= nowMs && !isAhead(beganMs, nowMs) ? beganMs + 1 : nowMs;

/** `undefined` if the caller does not wait. */
function readWaitMs(asked: Asked): number | undefined {
  const minutes = asked.text('wait-minutes');
  if (asked.has('no-wait')) {
    if (minutes === undefined) return undefined;
    throw new UsageError('--no-wait excludes --wait-minutes');
  }
  return readWhole('wait-minutes', minutes ?? String(WAIT_MINUTES), 1, 10_080) * 60_000;
}

/** Looks until the work on a backup is over, and tells each news on stderr. Throws if its condition is not True then. */
async function follow(
  asked: Asked,
  waitMs: number,
  condition: 'Succeeded' | 'Verified',
  isOver: (backup: OneBackupObject) => boolean,
): Promise<OneBackupObject> {
  const { name } = asked;
  const endMs = systemTimers.nowMs() + waitMs;
  let told = '';
  for (;;) {
    const isLate = systemTimers.nowMs() >= endMs;
    const backup = await backupOf(asked).catch((error: unknown) => {
      // An API server that is away for a moment ends no wait of an hour.
      if (isLate || String(error).includes('(NotFound)')) throw error;
      return error instanceof Error ? error.message : String(error);
    });
    const words = typeof backup === 'string' ? backup : wordsOf(backup, condition);
    if (typeof backup !== 'string' && isOver(backup)) {
      if (saidBy(backup, condition)?.status === 'True') return backup;
      throw new KubectlFailed(`${name}: ${words}`);
    }
    if (isLate) {
      throw new KubectlFailed(
        `${name} has not ended in time, and goes on; kubectl ledgerhouse backup show ${name} shows its state (${words})`,
      );
    }
    if (words !== told) console.error(`${name}: ${words}`);
    told = words;
    await sleep(systemTimers, LOOK_MS);
  }
}

function wordsOf(backup: OneBackupObject, condition: 'Succeeded' | 'Verified'): string {
  const said = saidBy(backup, condition);
  if (said === undefined) return 'the operator has not begun it';
  return printable(`${said.reason}: ${said.message}`);
}

interface KnownBackup extends Moment {
  readonly backup: OneBackupObject;
}

async function preview(asked: Asked): Promise<string> {
  const target = targetOf(asked);
  const database = await databaseOf(asked);
  const backups = await backupsOf(asked, asked.name);
  if (target === undefined) return windowOf(database);
  const { recovery, databaseId = '' } = database.status ?? {};
  const known = backups.flatMap((backup) => knownOf(backup, database));
  const stay = known.filter(({ backup }) => !goes(backup));
  const gone = new Set(known.filter(({ backup }) => goes(backup)).map(({ op }) => op));
  const ranges = recovery === undefined ? [] : rangesLeft(rangesOf(recovery), gone, stay);
  const plan = planRestore(ranges, stay, target);
  if (!plan.isPossible) throw new KubectlFailed(whyUnavailable(asked.name, target, plan));
  const { backup: base, begins, op } = plan;
  const latest = recovery?.latest.op;
  const { verification, lastVerifiedAt } = base?.backup.status ?? {};
  return `${previewText({
    databaseId,
    op: op ?? null,
    moment: begins.op === op ? written(begins) : null,
    lastTransfer: null,
    atOrBefore:
      target.kind === 'op'
        ? null
        : { timestamp: String(target.timestamp), time: timeOf(target.timestamp) },
    backup:
      base === undefined
        ? null
        : {
            id: base.backup.status?.backupId ?? '',
            name: base.backup.metadata.name,
            sizeBytes: base.backup.status?.sizeBytes ?? 0,
            storedBytes: base.backup.status?.storedBytes ?? 0,
            verifiedAt: lastVerifiedAt ?? null,
            verifiedSeconds: verification?.seconds ?? null,
          },
    begins: written(begins),
    operationsMax: plan.operationsMax,
    operationsLater: op === undefined || latest === undefined ? null : Math.max(0, latest - op),
    notCarriedOver: [],
    warnings: [],
  })}${restoreText(databaseId, target)}`;
}

/** Whether it is to be removed from the bucket. One whose resource alone is deleted stays there. */
const goes = ({ spec, status }: OneBackupObject): boolean =>
  spec.removeRequested || status?.removalBegunAt !== undefined;

/** A good backup of this very database, not of an earlier one with its name. */
function knownOf(backup: OneBackupObject, { status }: DatabaseObject): readonly KnownBackup[] {
  const { op, timestamp, databaseId } = backup.status ?? {};
  const isGood =
    saidBy(backup, 'Succeeded')?.status === 'True' && databaseId === status?.databaseId;
  return isGood && op !== undefined && timestamp !== undefined
    ? [{ op, timestamp: BigInt(timestamp), backup }]
    : [];
}

/** `undefined` if no moment is given. */
function targetOf(asked: Asked): Target | undefined {
  const [time, timestamp, op] = (['to-time', 'to-timestamp', 'to-op'] as const).map((flag) =>
    asked.text(flag),
  );
  const given = [time, timestamp, op].filter((one) => one !== undefined);
  if (given.length === 0) return undefined;
  if (given.length > 1) throw new UsageError('give one of --to-time, --to-timestamp and --to-op');
  if (op !== undefined)
    return { kind: 'op', op: readWhole('to-op', op, 1, Number.MAX_SAFE_INTEGER) };
  if (timestamp !== undefined) {
    if (/^\d{1,19}$/.test(timestamp)) return { kind: 'timestamp', timestamp: BigInt(timestamp) };
    throw new UsageError(`--to-timestamp must be nanoseconds since 1970, not "${timestamp}"`);
  }
  const at = parseTime(time ?? '');
  if (at !== undefined) return { kind: 'timestamp', timestamp: at };
  throw new UsageError(
    `--to-time must be a time with a zone, such as 2027-01-31T12:00:00Z, not "${time}"`,
  );
}
