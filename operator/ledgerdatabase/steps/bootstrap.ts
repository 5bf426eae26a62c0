/**
 * Makes a data file once in a database's life. The latch (`status.bootstrapped`) is set before anything runs on the data
 * files and is never reset; any sign of an earlier life sets it too. A volume itself records that it was formatted.
 */
import { annotations, formatJobName, zoneLabel } from '../../../domain/names.ts';
import { changesOf, isOther, withIntent } from '../../manifests/intent.ts';
import { newestBuiltinOf } from '../../engines/newest-builtin.ts';
import { buildFormatJob, copiesFiles } from '../../manifests/format-job.ts';
import type { Subject } from '../../manifests/subject.ts';
import { needsZones, type Place } from '../../manifests/pod.ts';
import { resources, type Claim, type Job } from '../../../domain/kinds.ts';
import { deletion, patchOf } from '../actions.ts';
import type { Draft, StepResult } from '../draft.ts';
import { hasFailed, hasSucceeded, jobTrouble } from '../jobs.ts';
import { replicaPods } from '../replica-pods.ts';
import { indexOf, type Observation } from '../observation.ts';
import { reshapingOf } from './reshaping.ts';
import { awaitsImportedState, importedStateNote, withImportedState } from './imported-state.ts';
import { fillingNote } from './fill.ts';
import { tellRefusedJob } from './refused-pods.ts';
import { claimOf } from './volumes.ts';

const LOOK_AGAIN_MS = 1_000;

/** Runs before anything waits for volumes: a database that has lived is never bootstrapped again, even if its status is lost. */
export function recognizeLife({ owned }: Observation, draft: Draft): StepResult {
  const lived =
    owned.statefulSets.length > 0 ||
    replicaPods(owned.pods).length > 0 ||
    // The annotation is written once every replica ran: if another volume is missing since, its replica is lost. On a volume that comes from
    // another topology it is the earlier database's.
    (reshapingOf(owned.claims) === undefined &&
      owned.claims.some(
        ({ metadata }) => metadata.annotations?.[annotations.engineVersion] !== undefined,
      ));
  if (lived) draft.facts = { ...draft.facts, bootstrapped: true };
  return 'continue';
}

export function bootstrap(observed: Observation, draft: Draft): StepResult {
  const { subject } = draft;
  if (subject === undefined) return 'halt';
  if (draft.facts.bootstrapped === true) {
    draft.do(...leftOver(observed, subject.workload, subject.resolved.topology.replicas));
    return 'continue';
  }
  if (cannotFill(subject, draft)) return 'halt';
  const { replicas } = subject.resolved.topology;
  const indexes = Array.from({ length: replicas }, (_, index) => index);
  const open = indexes.filter(
    (index) =>
      claimOf(observed, subject.workload, index)?.metadata.annotations?.[annotations.formatted] ===
      undefined,
  );
  const importing = withImportedState(subject, observed, draft);
  if (importing === undefined) return 'halt';
  if (open.length === 0 && subject.reshapes === true) {
    // From then on replicas may run, and the volume is adopted with this topology alone.
    const [first] = observed.owned.claims.filter((claim) => reshapingOf([claim]) !== undefined);
    const metadata = { annotations: { [annotations.reshaping]: null } };
    if (first !== undefined)
      draft.do(
        ...neverRun(observed, replicas),
        patchOf('format', resources.claim, first, { metadata }),
      );
    draft.wait('the data files are made');
    return 'halt';
  }
  if (open.length === 0) {
    draft.facts = { ...draft.facts, bootstrapped: true };
    return 'continue';
  }
  draft.wait(`data files are being made: ${replicas - open.length} of ${replicas} exist`);
  const former = observed.inheritance?.formerPods[0];
  if (subject.reshapes === true && former !== undefined) {
    draft.waiting = `pod ${former.metadata.name} of the database that had the volume has not ended; its data file is taken over once it has`;
    draft.again(LOOK_AGAIN_MS);
    return 'halt';
  }
  for (const index of open) {
    const below = indexes.filter((one) => one < index);
    const claims = below.map((one) => claimOf(observed, subject.workload, one));
    // A volume's place is chosen by its Job's pod, and the next Job must know it.
    if (!claims.every((claim) => claim !== undefined && isPlaced(claim))) break;
    const taken = placesOf(observed, draft, claims);
    if (taken === undefined) break;
    formatOne(observed, draft, importing, index, taken);
    if (awaitsImportedState(importing)) break;
  }
  return 'halt';
}

/** Volumes of replicas of another topology that were made beside the first one's, and that have never run. */
const neverRun = ({ owned }: Observation, replicas: number) =>
  owned.claims
    .filter((claim) => indexOf(claim) >= replicas && claim.metadata.deletionTimestamp === undefined)
    .map((claim) => deletion('purge', resources.claim, claim));

/** A database that is to begin with a backup or an import never begins empty instead. */
function cannotFill(
  { restoredFrom, importedFrom, store, resolved, clusterId }: Subject,
  draft: Draft,
): boolean {
  if (restoredFrom === undefined && importedFrom === undefined) return false;
  const [field, things, reason] =
    restoredFrom === undefined
      ? (['import', 'imported files', 'ImportUnavailable'] as const)
      : (['backup', 'a backup', 'BackupsUnavailable'] as const);
  if (resolved.engine.name !== 'Builtin' && importedFrom?.rows !== undefined) {
    draft.stallWith(
      reason,
      'only databases of the built-in engine can begin with rows (spec.bootstrap.import.rows); make this one with engine: Builtin',
    );
    return true;
  }
  if (resolved.engine.name !== 'Builtin' && importedFrom !== undefined) {
    const { clusterId: ofFiles } = importedFrom;
    if (ofFiles !== clusterId) {
      draft.stallWith(
        reason,
        `files of TigerBeetle keep their cluster id, ${ofFiles}, and this database has ${clusterId}; leave spec.clusterId out in a new resource`,
      );
      return true;
    }
  }
  if (store !== undefined) return false;
  draft.stallWith(
    reason,
    `spec.bootstrap.${field} names ${things}, and the operator knows no bucket: set backups.store of its chart`,
  );
  return true;
}

/** The scheduler writes it on the claim of a volume that waits for its first pod. */
const selectedNode = 'volume.kubernetes.io/selected-node';

const nodeOf = (claim: Claim | undefined): readonly string[] => {
  const node = claim?.metadata.annotations?.[selectedNode] ?? '';
  return node === '' ? [] : [node];
};

/** Names of the nodes that were chosen for the database's volumes. */
export const chosenNodes = ({ owned }: Observation): readonly string[] =>
  owned.claims.flatMap(nodeOf);

/** Places of these volumes. Returns `undefined` if a zone must be known and is not. */
function placesOf(
  observed: Observation,
  draft: Draft,
  claims: readonly (Claim | undefined)[],
): readonly Place[] | undefined {
  const nodes = claims.flatMap(nodeOf);
  const { zones } = observed;
  if (nodes.length > 0 && zones === undefined) {
    draft.needs.add('zones');
    return undefined;
  }
  const places = nodes.map((node) => ({ node, zone: zones?.get(node) }));
  const unknown = places.find(({ zone }) => zone === undefined);
  if (unknown === undefined || draft.subject === undefined || !needsZones(draft.subject))
    return places;
  draft.waiting =
    `the region says zoneSpread: Required, and the zone of node ${unknown.node} is unknown: give it the label ` +
    `${zoneLabel}, and let the operator read nodes`;
  draft.again(30_000);
  return undefined;
}

const isPlaced = (claim: Claim): boolean =>
  claim.status?.phase === 'Bound' || claim.metadata.annotations?.[selectedNode] !== undefined;

function formatOne(
  observed: Observation,
  draft: Draft,
  subject: Subject,
  index: number,
  taken: readonly Place[],
): void {
  const claim = claimOf(observed, subject.workload, index);
  if (claim === undefined) return;
  const fetching = copiesFiles(subject) ? fetchingProgram(observed, draft) : {};
  if (fetching === undefined) return;
  const desired = withIntent(buildFormatJob({ subject, index, taken, ...fetching }));
  const name = formatJobName(subject.workload, index);
  const job = observed.owned.jobs.find((candidate) => candidate.metadata.name === name);
  if (job === undefined) {
    const { restoredFrom, importedFrom, store } = subject;
    const isFetched = restoredFrom !== undefined || importedFrom !== undefined;
    if (isFetched && subject.filling !== true && store !== undefined)
      draft.do({ verb: 'lend', purpose: 'store', guarded: false, subject, store });
    draft.do({
      verb: 'create',
      purpose: 'format',
      guarded: true,
      resource: resources.job,
      object: desired,
    });
  } else if (hasSucceeded(job)) {
    const note = importedStateNote(observed, draft, subject, job);
    if (note === undefined) return;
    const formatted = `${subject.clusterId}/${index}`;
    const metadata = {
      annotations: { [annotations.formatted]: formatted, ...fillingNote(subject), ...note },
    };
    draft.do(patchOf('format', resources.claim, claim, { metadata }));
  } else if (job.metadata.deletionTimestamp !== undefined) {
    draft.wait(`Job ${name} is being deleted`);
  } else if (isOther(desired, job)) {
    // A Job's spec cannot be changed: a corrected resource or catalog needs a new Job.
    draft.do(deletion('format', resources.job, job));
  } else if (hasFailed(job)) {
    const namespace = job.metadata.namespace ?? '';
    draft.stallWith(
      'FormatFailed',
      `making the data file of replica ${index} failed: ${jobTrouble(job, observed.owned.pods) ?? 'see its log'}${changesOf(desired, job)}. ` +
        `Look: kubectl -n ${namespace} logs job/${name} --all-containers; then try again: kubectl -n ${namespace} delete job ${name}`,
    );
  } else {
    const trouble = jobTrouble(job, observed.owned.pods) ?? tellRefusedJob(observed, draft, job);
    if (trouble !== undefined)
      draft.waiting = `making the data file of replica ${index}: ${trouble}${changesOf(desired, job)}`;
  }
}

/** The built-in engine's program copies TigerBeetle's files; `undefined`: the catalog has none. */
function fetchingProgram(
  { catalog }: Observation,
  draft: Draft,
): { readonly program: Subject['resolved']['engine'] } | undefined {
  const newest = catalog === undefined ? undefined : newestBuiltinOf(catalog.spec);
  if (newest !== undefined && 'resolved' in newest) return { program: newest.resolved.engine };
  draft.stallWith(
    'ImportUnavailable',
    `the program that copies the files is the built-in engine's, and the catalog has none: ${newest?.problem ?? ''}`,
  );
  return undefined;
}

/** Returns deletions of finished Jobs. */
function leftOver(observed: Observation, workload: string, replicas: number) {
  const names = new Set(
    Array.from({ length: replicas }, (_, index) => formatJobName(workload, index)),
  );
  return (
    observed.owned.jobs
      .filter(
        (job: Job) =>
          names.has(job.metadata.name ?? '') && job.metadata.deletionTimestamp === undefined,
      )
      // Not guarded, and in any version: the latch is on record and never reset, so that these Jobs have nothing left to do.
      .map((job) => ({
        ...deletion('format', resources.job, job),
        guarded: false,
        resourceVersion: undefined,
      }))
  );
}
