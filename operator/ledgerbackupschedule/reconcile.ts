/**
 * Follows a schedule: makes its backups when they are due. The work on each backup (operator/ledgerbackup) decides which of
 * them stay.
 */
import type { Key, Outcome } from '../runtime/controller.ts';
import { sameStatus, setConditions } from '../runtime/conditions.ts';
import { ApiError, type Cache, type Kube, type KubeObject } from '../../base/kube/kube.ts';
import { BackupReason, ScheduleReason } from '../../domain/conditions.ts';
import type {
  DatabaseObject,
  LedgerBackup,
  LedgerBackupSchedule,
  ScheduleObject,
} from '../../domain/custom-resources.ts';
import { resources } from '../../domain/kinds.ts';
import { labels } from '../../domain/names.ts';
import { fieldManager, statusManager } from '../field-managers.ts';
import { isMadeBy, stateOf } from '../ledgerbackup/states.ts';
import type { PlanOptions } from '../ledgerdatabase/subject-of.ts';
import { timesOf, type Times } from './times.ts';

type BackupObject = LedgerBackup & KubeObject;
type Status = NonNullable<LedgerBackupSchedule['status']>;

interface ScheduleEnvironment {
  readonly kube: Kube;
  readonly options: PlanOptions;
  readonly schedules: Cache<ScheduleObject>;
  readonly backups: Cache<BackupObject>;
  readonly databases: Cache<DatabaseObject>;
  readonly nowMs: () => number;
}

interface Verdict {
  readonly status: 'True' | 'False';
  readonly reason: ScheduleReason | BackupReason;
  readonly message: string;
  readonly facts?: Partial<Status>;
  readonly againMs?: number;
}

const LOOK_AGAIN_MS = 60_000;

export async function reconcileSchedule(
  environment: ScheduleEnvironment,
  key: Key,
): Promise<Outcome> {
  const schedule = environment.schedules.get(key.namespace, key.name);
  if (schedule === undefined || schedule.metadata.deletionTimestamp !== undefined) return {};
  const nowMs = environment.kube.serverTimeMs() ?? environment.nowMs();
  const own = environment.backups
    .list()
    .filter((one) => one.metadata.namespace === key.namespace && isMadeBy(one, schedule));
  const verdict = await judge(environment, schedule, own, nowMs);
  await writeStatus(environment.kube, schedule, own, verdict, nowMs);
  return {
    requeueAfterMs: Math.max(1_000, Math.min(verdict.againMs ?? LOOK_AGAIN_MS, LOOK_AGAIN_MS)),
  };
}

async function judge(
  environment: ScheduleEnvironment,
  schedule: ScheduleObject,
  own: readonly BackupObject[],
  nowMs: number,
): Promise<Verdict> {
  const { metadata, spec, status } = schedule;
  const { databases, options } = environment;
  const createdMs = Date.parse(metadata.creationTimestamp ?? '');
  const lastMs =
    status?.lastScheduleTime === undefined ? undefined : Date.parse(status.lastScheduleTime);
  const times = timesOf(schedule, lastMs ?? createdMs, nowMs);
  if ('problem' in times) return refusal(ScheduleReason.InvalidSchedule, times.problem);
  const database = databases.get(metadata.namespace, spec.database);
  if (options.store === undefined) {
    return refusal(
      BackupReason.StoreNotConfigured,
      'the operator knows no bucket for backups: set backups.store of its chart',
    );
  }
  if (database === undefined) {
    return refusal(
      BackupReason.DatabaseNotFound,
      `there is no LedgerDatabase ${spec.database} here`,
    );
  }
  if (spec.suspend) return refusal(ScheduleReason.Suspended, 'spec.suspend is true');
  if (database.metadata.deletionTimestamp !== undefined)
    return refusal(BackupReason.DatabaseNotReady, `${spec.database} is being deleted`);
  const dueMs = lastMs === undefined && spec.immediate ? createdMs : times.dueMs;
  if (dueMs === undefined) return waiting(times, nowMs);
  const running = own.find((one) => stateOf(one) === 'running');
  if (running !== undefined) {
    return {
      ...waiting(times, nowMs),
      message: `the backup of ${timeOf(dueMs)} waits for ${running.metadata.name} to end`,
    };
  }
  return make(environment, schedule, dueMs, waiting(times, nowMs));
}

const refusal = (reason: Verdict['reason'], message: string): Verdict => ({
  status: 'False',
  reason,
  message,
});

const waiting = ({ nextMs, missedMs }: Times, nowMs: number): Verdict => ({
  status: 'True',
  reason: ScheduleReason.Scheduled,
  message:
    missedMs === undefined
      ? 'backups are made by the clock'
      : `the backup of ${timeOf(missedMs)} was missed, and startingDeadlineSeconds is over`,
  facts: { nextScheduleTime: timeOf(nextMs) },
  againMs: nextMs - nowMs,
});

async function make(
  { kube }: ScheduleEnvironment,
  { metadata, spec }: ScheduleObject,
  dueMs: number,
  verdict: Verdict,
): Promise<Verdict> {
  // Two runs for one time make the same backup.
  const name = `${metadata.name}-${timeOf(dueMs).replaceAll(/\D/g, '').slice(0, 12)}`;
  const { namespace } = metadata;
  const backup = {
    apiVersion: resources.backup.apiVersion,
    kind: resources.backup.kind,
    metadata: { name, namespace, labels: { [labels.schedule]: metadata.name } },
    spec: { database: spec.database, type: 'Scheduled', reclaimPolicy: spec.reclaimPolicy },
  };
  const facts = { ...verdict.facts, lastScheduleTime: timeOf(dueMs), lastBackup: name };
  try {
    await kube.create(resources.backup, backup as unknown as BackupObject, { fieldManager });
  } catch (error) {
    if (!(error instanceof ApiError && error.reason === 'AlreadyExists')) throw error;
    const fieldSelector = `metadata.name=${name}`;
    const [found] = await kube.list<BackupObject>(resources.backup, { namespace, fieldSelector });
    if (found !== undefined && !isMadeBy(found, { metadata, spec })) {
      return refusal(
        ScheduleReason.NameTaken,
        `another LedgerBackup is called ${name}: delete it, and the one for this time is made`,
      );
    }
  }
  return { ...verdict, facts };
}

async function writeStatus(
  kube: Kube,
  schedule: ScheduleObject,
  own: readonly BackupObject[],
  { status: is, reason, message, facts }: Verdict,
  nowMs: number,
): Promise<void> {
  const { apiVersion, kind, metadata, status: before } = schedule;
  const observedGeneration = metadata.generation ?? 0;
  const { nextScheduleTime: _, ...known } = before ?? {};
  const good = own.filter((one) => stateOf(one) === 'succeeded');
  const status = {
    ...known,
    ...newest(
      'lastSuccessfulTime',
      good.map((one) => one.status?.completedAt),
    ),
    ...newest(
      'lastVerifiedAt',
      own.map((one) => one.status?.lastVerifiedAt),
    ),
    ...facts,
    observedGeneration,
    backups: own.length,
    conditions: setConditions(
      before?.conditions ?? [],
      [{ type: 'Active', status: is, reason, message }],
      { observedGeneration, nowMs },
    ),
  };
  if (sameStatus(status, before)) return;
  const { name, namespace, resourceVersion } = metadata;
  await kube.apply(
    resources.backupSchedule,
    {
      apiVersion,
      kind,
      metadata: { name, namespace, resourceVersion },
      status,
    } as unknown as ScheduleObject,
    { fieldManager: statusManager, force: true, subresource: 'status' },
  );
}

/** The newest of some times. It stays known when its backup is gone. */
function newest<Field extends string>(
  field: Field,
  times: readonly (string | undefined)[],
): Partial<Record<Field, string>> {
  const last = times
    .filter((time) => time !== undefined)
    .sort()
    .at(-1);
  return last === undefined ? {} : ({ [field]: last } as Record<Field, string>);
}

const timeOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
