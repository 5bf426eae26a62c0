/**
 * A database of TigerBeetle that begins with a backup: its cluster is made empty, and a Job that is its only client fills it. Until
 * that Job has compared every row, the database has not begun: nobody else may reach its replicas, and its volumes say so, too.
 */
import { cutText } from '../../../base/cut-text.ts';
import { jsonOf } from '../../../base/json.ts';
import { fillsFromRelease } from '../../../domain/restores/fills-from.ts';
import { resources, type Claim, type Job } from '../../../domain/kinds.ts';
import { annotations, fillJobName } from '../../../domain/names.ts';
import { newestBuiltinOf } from '../../engines/newest-builtin.ts';
import { lastWords } from '../../ledgerbackup/result.ts';
import { changesOf, isOther, withIntent } from '../../manifests/intent.ts';
import type { Subject } from '../../manifests/subject.ts';
import { deletion, patchOf } from '../actions.ts';
import type { Draft, StepResult } from '../draft.ts';
import { buildFillJob, type FillWork } from '../fill-job.ts';
import {
  hasDoneItsWork,
  hasFailed,
  hasSucceeded,
  isOutOfTime,
  jobTrouble,
  podsOf,
} from '../jobs.ts';
import { replicaVolumes, type Observation } from '../observation.ts';
import { isReady, replicaPods } from '../replica-pods.ts';
import { tellRefusedJob } from './refused-pods.ts';

/** Clocks that are behind get there, perhaps in a year: each try reads the whole backup. */
const clocksBehind: ReadonlySet<string> = new Set(['cluster_behind', 'timestamps_ahead']);
const CLOCKS_AGAIN_MS = 600_000;
/** Errors that pass: the Job is made again. */
const passing: ReadonlySet<string> = new Set([
  'cluster_unreachable',
  'store_unreachable',
  ...clocksBehind,
]);

/** Decides whether the database must be filled. If that is not on record, the volumes know it. */
export function decideFill(observed: Observation, draft: Draft): StepResult {
  const { engine, topology } = draft.facts.resolved ?? {};
  const { backup } = observed.database.spec.bootstrap ?? {};
  // Data files have everything before a replica runs.
  if (backup === undefined || backup.clusterId !== undefined || engine?.name !== 'TigerBeetle')
    return 'continue';
  if (draft.facts.filled !== undefined) return 'continue';
  draft.needs.add('live');
  const claims = replicaVolumes(observed.owned.claims, topology?.replicas);
  // A volume gets both notes in one write.
  const filled =
    draft.facts.bootstrapped === true &&
    claims.some((claim) => has(claim, annotations.formatted)) &&
    !claims.some((claim) => has(claim, annotations.filling));
  draft.facts = { ...draft.facts, filled };
  return 'continue';
}

const has = ({ metadata }: Claim, annotation: string): boolean =>
  metadata.annotations?.[annotation] !== undefined;

/** Volumes that say that their cluster is not filled: nobody may write to it, since no other database takes them over. */
export const unfilledVolumes = ({ owned }: Observation): readonly Claim[] =>
  owned.claims.filter(
    (claim) => has(claim, annotations.filling) && claim.metadata.deletionTimestamp === undefined,
  );

/** What a volume notes together with its new data file. */
export const fillingNote = ({ filling, restoredFrom }: Subject): Readonly<Record<string, string>> =>
  filling === true ? { [annotations.filling]: restoredFrom?.databaseId ?? '' } : {};

/** Looks whether a cluster could be filled with it, before there are volumes. */
export function checkFill(observed: Observation, draft: Draft): StepResult {
  const { subject } = draft;
  if (subject?.filling !== true || draft.facts.bootstrapped === true) return 'continue';
  if (observed.owned.claims.some((claim) => has(claim, annotations.formatted))) return 'continue';
  return runJob(observed, draft, subject, 'check') === 'succeeded' ? 'continue' : 'halt';
}

/** Fills the cluster once its replicas run. */
export function fill(observed: Observation, draft: Draft): StepResult {
  const { subject } = draft;
  if (subject === undefined) return 'continue';
  if (draft.facts.filled === true) tidyUp(observed, draft, subject);
  if (subject.filling !== true || draft.facts.filled !== false) return 'continue';
  // Its pods keep their volumes, each as large as a replica's, until they go.
  removeJobs(observed, draft, [fillJobName(subject.workload, 'check')]);
  if (subject.suspend) {
    stopJob(observed, draft, subject);
    draft.wait('the database is suspended; it is filled with the backup once it runs');
    return 'continue';
  }
  if (runJob(observed, draft, subject, 'fill') === 'succeeded')
    draft.facts = { ...draft.facts, filled: true };
  return 'continue';
}

const jobOf = ({ owned }: Observation, { workload }: Subject, work: FillWork): Job | undefined =>
  owned.jobs.find(({ metadata }) => metadata.name === fillJobName(workload, work));

function runJob(
  observed: Observation,
  draft: Draft,
  subject: Subject,
  work: FillWork,
): 'succeeded' | 'waits' {
  const job = jobOf(observed, subject, work);
  if (job !== undefined && hasDoneItsWork(job, observed.owned.pods)) return 'succeeded';
  const desired = desiredJob(observed, draft, subject, work);
  if (desired === undefined) return 'waits';
  const doing = work === 'check' ? 'the backup is read' : 'the cluster is filled with the backup';
  if (job === undefined) {
    const missing = work === 'fill' ? startingReplicas(observed, subject) : undefined;
    draft.wait(missing ?? doing);
    if (missing !== undefined) return 'waits';
    startJob(draft, subject, desired);
  } else if (job.metadata.deletionTimestamp !== undefined) {
    draft.wait(`Job ${job.metadata.name} is being deleted`);
  } else if (isOther(desired, job)) {
    draft.wait(`${doing} by a new Job`);
    draft.do(deletion('fill', resources.job, job));
  } else if (hasFailed(job)) {
    tellFailure(observed, draft, desired, job);
  } else {
    const trouble = jobTrouble(job, observed.owned.pods) ?? tellRefusedJob(observed, draft, job);
    const why = trouble === undefined ? '' : `: ${trouble}${changesOf(desired, job)}`;
    draft.wait(`${doing}${why}`);
  }
  return 'waits';
}

function startJob(draft: Draft, subject: Subject, desired: Job): void {
  const { store } = subject;
  if (store === undefined) return;
  draft.do(
    { verb: 'lend', purpose: 'store', guarded: false, subject, store },
    { verb: 'create', purpose: 'fill', guarded: true, resource: resources.job, object: desired },
  );
}

/** The Job; `undefined` if the installation or the chosen version lacks what it needs. */
function desiredJob(
  { catalog }: Observation,
  draft: Draft,
  subject: Subject,
  work: FillWork,
): Job | undefined {
  const { store, restoredFrom, resolved } = subject;
  if (store === undefined || restoredFrom === undefined) {
    draft.stallWith(
      'BackupsUnavailable',
      'spec.bootstrap.backup names a backup, and the operator knows no bucket: set backups.store of its chart',
    );
    return undefined;
  }
  if (!fillsFromRelease(resolved.engine.release ?? '')) {
    draft.stallWith(
      'BackupsUnavailable',
      `version ${resolved.engine.version} of TigerBeetle cannot be filled with a backup: make the database with a newer version`,
    );
    return undefined;
  }
  const newest = catalog === undefined ? undefined : newestBuiltinOf(catalog.spec);
  if (newest === undefined || 'problem' in newest) {
    draft.stallWith(
      'BackupsUnavailable',
      `the program that fills the cluster is the built-in engine's, and the catalog has none: ${newest?.problem ?? ''}`,
    );
    return undefined;
  }
  const program = newest.resolved.engine;
  return withIntent(buildFillJob({ subject, store, origin: restoredFrom, program, work }));
}

function startingReplicas(
  { owned }: Observation,
  { resolved, workload }: Subject,
): string | undefined {
  const { replicas } = resolved.topology;
  const isClosed = owned.networkPolicies.some(
    ({ metadata }) => metadata.name === workload && metadata.deletionTimestamp === undefined,
  );
  if (!isClosed)
    return 'the cluster is filled with the backup once its NetworkPolicy keeps clients out';
  const ready = replicaPods(owned.pods).filter(isReady).length;
  if (ready >= replicas) return undefined;
  return `the cluster is filled with the backup once all replicas are ready: ${ready} of ${replicas} are`;
}

function tellFailure(observed: Observation, draft: Draft, desired: Job, job: Job): void {
  const pods = podsOf(job, observed.owned.pods);
  const { name = '', namespace = '' } = job.metadata;
  const said = jsonOf(lastWords(pods) ?? '') as
    | { readonly error?: unknown; readonly message?: unknown }
    | undefined;
  const isPassing = passing.has(String(said?.error)) || isOutOfTime(job);
  const words =
    typeof said?.message === 'string'
      ? `${String(said.error)}: ${said.message}`
      : (jobTrouble(job, observed.owned.pods) ?? 'see its log');
  if (isPassing) {
    draft.wait(`it is tried again: ${words}`);
    const leftMs = clocksBehind.has(String(said?.error))
      ? failedAtMs(job) + CLOCKS_AGAIN_MS - observed.nowMs
      : 0;
    if (leftMs > 0) draft.again(leftMs);
    else draft.do(deletion('fill', resources.job, job));
    return;
  }
  draft.stallWith(
    'FillFailed',
    `Job ${name} failed: ${cutText(words, 600)}${changesOf(desired, job)}. ` +
      `Look: kubectl -n ${namespace} logs job/${name}; then try again: kubectl -n ${namespace} delete job ${name}`,
  );
}

const failedAtMs = ({ status }: Job): number =>
  Date.parse(
    String(status?.conditions?.find(({ type }) => type === 'Failed')?.lastTransitionTime ?? ''),
  );

/** No replica runs that it could fill. What it has written stays. */
function stopJob(observed: Observation, draft: Draft, subject: Subject): void {
  const job = jobOf(observed, subject, 'fill');
  if (job === undefined || job.metadata.deletionTimestamp !== undefined || hasSucceeded(job))
    return;
  draft.do(deletion('fill', resources.job, job));
}

/** The volumes' notes go first: they and the Job are what tells a database that has lost its status that it is filled. */
function tidyUp(observed: Observation, draft: Draft, { workload }: Subject): void {
  const noted = unfilledVolumes(observed);
  const metadata = { annotations: { [annotations.filling]: null } };
  draft.do(...noted.map((claim) => patchOf('record', resources.claim, claim, { metadata })));
  if (noted.length > 0) return;
  removeJobs(observed, draft, [fillJobName(workload, 'check'), fillJobName(workload, 'fill')]);
}

/** Not guarded, and in any version: a latch is on record and never reset, so that these Jobs have nothing left to do. */
function removeJobs({ owned }: Observation, draft: Draft, names: readonly string[]): void {
  const jobs = owned.jobs.filter(
    ({ metadata: { name = '', deletionTimestamp } }) =>
      names.includes(name) && deletionTimestamp === undefined,
  );
  draft.do(
    ...jobs.map((job) => ({
      ...deletion('fill', resources.job, job),
      guarded: false,
      resourceVersion: undefined,
    })),
  );
}
