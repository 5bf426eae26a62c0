/** Looks after one trial of rows: a Job, once, whose result becomes the status. */
import { cutText } from '../../base/cut-text.ts';
import { ImportReason } from '../../domain/conditions.ts';
import type { ImportObject } from '../../domain/custom-resources.ts';
import { resources, type Job } from '../../domain/kinds.ts';
import { importJobName, labels, uidOf } from '../../domain/names.ts';
import { statusManager } from '../field-managers.ts';
import { LOOK_AGAIN_MS, timeOf } from '../ledgerbackup/environment.ts';
import {
  deleteJob,
  isOld,
  jobNamed,
  livePodsOfJob,
  podsOfJob,
  startJob,
} from '../ledgerbackup/own-jobs.ts';
import { whyNotStarted } from '../ledgerbackup/not-started.ts';
import { TESTS_MAX } from '../ledgerbackup/test-turns.ts';
import { hasDoneItsWork, hasFailed, hasSucceeded, jobTrouble } from '../ledgerdatabase/jobs.ts';
import { sameStatus, setConditions } from '../runtime/conditions.ts';
import type { Key, Outcome } from '../runtime/controller.ts';
import { lendStore } from '../store/lend.ts';
import { importOwner, trialSubject } from './borrower.ts';
import type { ImportEnvironment } from './environment.ts';
import { failureOf, triedRows, type Tried } from './result.ts';
import { buildTrialJob, trialMemoryMib } from './trial-job.ts';

type Status = NonNullable<ImportObject['status']>;

interface Verdict {
  /** `Unknown`: the trial goes on. `True`: there is a report. `False`: it could not be made. */
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: ImportReason;
  readonly message: string;
  readonly facts?: Partial<Status>;
}

export async function reconcileImport(environment: ImportEnvironment, key: Key): Promise<Outcome> {
  const object = environment.imports.get(key.namespace, key.name);
  if (object === undefined || object.metadata.deletionTimestamp !== undefined) return {};
  const job = jobNamed(environment, object, importJobName(key.name, uidOf(object)));
  if (object.status?.completedAt !== undefined) {
    if (job === undefined) return {};
    environment.importTurns.end(object, environment.nowMs());
    await deleteJob(environment, job);
    return {};
  }
  const verdict =
    job === undefined ? await begin(environment, object) : await follow(environment, object, job);
  await writeStatus(environment, object, verdict);
  return verdict.status === 'Unknown' ? { requeueAfterMs: LOOK_AGAIN_MS } : {};
}

async function begin(environment: ImportEnvironment, object: ImportObject): Promise<Verdict> {
  const { options, kube, importTurns, nowMs } = environment;
  const { store } = options;
  if (store === undefined)
    return goesOn(
      ImportReason.StoreNotConfigured,
      'the operator knows no bucket: set backups.store of its chart',
    );
  const subject = trialSubject(environment, object);
  if ('problem' in subject) return goesOn(ImportReason.Delayed, subject.problem);
  if (!importTurns.ask(object, busyNamespaces(environment), nowMs()))
    return goesOn(
      ImportReason.Waiting,
      `it waits for its turn: ${TESTS_MAX} trials run at a time, one of each namespace`,
    );
  const job = buildTrialJob(object, subject, store);
  const refusal = await startJob(environment, object, job, () =>
    lendStore(kube, subject, store, importOwner(object)),
  );
  return refusal === undefined
    ? goesOn(ImportReason.Running, `Job ${job.metadata.name} executes the rows`)
    : goesOn(ImportReason.Delayed, refusal);
}

/** The namespaces in which trials run. A Job counts only with its trial: anybody may make Jobs with our labels. */
const busyNamespaces = ({ jobs, imports }: ImportEnvironment): ReadonlySet<string> =>
  new Set(
    jobs
      .list()
      .filter(
        (job) =>
          job.metadata.labels?.[labels.import] !== undefined &&
          !hasSucceeded(job) &&
          !hasFailed(job) &&
          (job.metadata.ownerReferences ?? [])
            .flatMap(({ uid }) => imports.byIndex(uid))
            .some(
              (one) =>
                one.metadata.namespace === job.metadata.namespace &&
                one.status?.completedAt === undefined,
            ),
      )
      .map(({ metadata }) => metadata.namespace ?? ''),
  );

/** Reasons that pass when the store is mended. */
const ofTheStore: ReadonlySet<ImportReason> = new Set([
  ImportReason.StoreUnreachable,
  ImportReason.StoreRefused,
]);

const TRY_AGAIN_MS = 600_000;

/** `undefined`: its last pods are being ended. */
const failedMs = ({ status }: Job): number | undefined => {
  const failed = status?.conditions?.find(({ type }) => type === 'Failed');
  return failed && Date.parse(String(failed.lastTransitionTime));
};

async function follow(
  environment: ImportEnvironment,
  object: ImportObject,
  job: Job,
): Promise<Verdict> {
  const pods = podsOfJob(environment, job);
  const { name = '' } = job.metadata;
  if (hasDoneItsWork(job, pods)) {
    const old = isOld(environment, job);
    const tried =
      triedRows(pods) ?? (old ? triedRows(await livePodsOfJob(environment, job)) : undefined);
    if (tried !== undefined) return told(tried);
    // Its pod is gone, or not seen yet. A new Job has the same result.
    if (old) await deleteJob(environment, job);
    return goesOn(ImportReason.Running, `Job ${name} has ended`);
  }
  const trouble = jobTrouble(job, pods);
  if (hasFailed(job)) {
    const failure = failureOf(pods, trouble ?? `Job ${name} failed without a message`);
    if (!ofTheStore.has(failure.reason)) return { status: 'False', ...failure };
    // Nothing is known against the rows, and their upload may have taken hours.
    if (environment.nowMs() - (failedMs(job) ?? Infinity) > TRY_AGAIN_MS)
      await deleteJob(environment, job);
    return goesOn(failure.reason, `${failure.message} It is tried again every ten minutes.`);
  }
  const { kube, nowMs, importTurns: turns } = environment;
  const stuck = whyNotStarted({ kube, nowMs, turns }, job, pods, trialMemoryMib(object));
  if (stuck !== undefined) {
    // A full quota or node of one namespace does not delay the trials of others. This one waits for its turn again, behind them.
    await deleteJob(environment, job);
    turns.end(object, nowMs());
    return goesOn(ImportReason.Delayed, stuck.message);
  }
  return trouble === undefined
    ? goesOn(ImportReason.Running, `Job ${name} executes the rows`)
    : goesOn(ImportReason.Delayed, trouble);
}

const told = ({ state, ...tried }: Tried): Verdict => ({
  status: 'True',
  reason: tried.faultCount === 0 ? ImportReason.Sound : ImportReason.Faulty,
  message: `${tried.accounts} accounts, ${tried.transfers} transfers, ${tried.faultCount} faults`,
  facts: { ...tried, ...(state !== undefined && { state }) },
});

const goesOn = (reason: ImportReason, message: string): Verdict => ({
  status: 'Unknown',
  reason,
  message,
});

async function writeStatus(
  environment: ImportEnvironment,
  { apiVersion, kind, metadata, status: before }: ImportObject,
  { status: is, reason, message, facts }: Verdict,
): Promise<void> {
  const observedGeneration = metadata.generation ?? 0;
  const row = { type: 'Tried', status: is, reason, message: cutText(message, 1_024) };
  const status: Status = {
    ...before,
    ...facts,
    ...(is !== 'Unknown' && { completedAt: timeOf(environment) }),
    observedGeneration,
    conditions: setConditions(before?.conditions ?? [], [row], {
      observedGeneration,
      nowMs: environment.nowMs(),
    }),
  };
  if (sameStatus(status, before)) return;
  const { name, namespace, resourceVersion } = metadata;
  await environment.kube.apply(
    resources.import,
    {
      apiVersion,
      kind,
      metadata: { name, namespace, resourceVersion },
      status,
    } as unknown as ImportObject,
    { fieldManager: statusManager, force: true, subresource: 'status' },
  );
}
