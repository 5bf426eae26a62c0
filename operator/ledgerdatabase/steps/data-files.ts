/** The Jobs that make the data files of replicas which have never run, one after the other where a volume's place is chosen by its Job's pod. */
import { formatJobName, zoneLabel } from '../../../domain/names.ts';
import { resources, type Claim } from '../../../domain/kinds.ts';
import { newestBuiltinOf } from '../../engines/newest-builtin.ts';
import { buildFormatJob, copiesFiles } from '../../manifests/format-job.ts';
import { changesOf, isOther, withIntent } from '../../manifests/intent.ts';
import { needsZones, type Place } from '../../manifests/pod.ts';
import type { Subject } from '../../manifests/subject.ts';
import { deletion, patchOf } from '../actions.ts';
import type { Draft } from '../draft.ts';
import { hasDoneItsWork, hasFailed, jobTrouble } from '../jobs.ts';
import type { Observation } from '../observation.ts';
import { fillingNote } from './fill.ts';
import { awaitsImportedState, importedStateNote } from './imported-state.ts';
import { tellRefusedJob } from './refused-pods.ts';
import { claimOf } from './volumes.ts';

interface Files {
  readonly subject: Subject;
  /** Indexes of the replicas whose files are to be made. */
  readonly open: readonly number[];
  /** Annotations of a volume whose file is made; `formatted`: its cluster and index. */
  readonly noteOf: (formatted: string, claim: Claim) => Readonly<Record<string, string | null>>;
}

export function makeFiles(observed: Observation, draft: Draft, files: Files): void {
  const { subject } = files;
  for (const index of files.open) {
    const below = Array.from({ length: index }, (_, one) => one);
    const claims = below.map((one) => claimOf(observed, subject.workload, one));
    // A volume's place is chosen by its Job's pod, and the next Job must know it.
    if (!claims.every((claim) => claim !== undefined && isPlaced(claim))) break;
    const taken = placesOf(observed, draft, claims);
    if (taken === undefined) break;
    formatOne(observed, draft, files, index, taken);
    if (awaitsImportedState(subject)) break;
  }
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
  { subject, noteOf }: Files,
  index: number,
  taken: readonly Place[],
): void {
  const claim = claimOf(observed, subject.workload, index);
  if (claim === undefined) return;
  const name = formatJobName(subject.workload, index);
  const job = observed.owned.jobs.find((candidate) => candidate.metadata.name === name);
  // A file that is made needs no program any more.
  if (job !== undefined && hasDoneItsWork(job, observed.owned.pods)) {
    const note = importedStateNote(observed, draft, subject, job);
    if (note === undefined) return;
    const own = noteOf(`${subject.clusterId}/${index}`, claim);
    const metadata = { annotations: { ...own, ...fillingNote(subject), ...note } };
    draft.do(patchOf('format', resources.claim, claim, { metadata }));
    return;
  }
  const fetching = copiesFiles(subject) ? fetchingProgram(observed, draft) : {};
  if (fetching === undefined) return;
  const desired = withIntent(buildFormatJob({ subject, index, taken, ...fetching }));
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
    draft.subject?.restoredFrom === undefined ? 'ImportUnavailable' : 'BackupsUnavailable',
    `the program that copies the files is the built-in engine's, and the catalog has none: ${newest?.problem ?? ''}`,
  );
  return undefined;
}
