/** Volumes: made once, adopted when the spec says so, grown, never adopted silently and never shrunk. */
import { DataProblem } from '../../../domain/data-problem.ts';
import { annotations, claimName, formatJobName, labels, managedBy } from '../../../domain/names.ts';
import { buildClaim } from '../../manifests/claim.ts';
import { resources, type Claim, type Job, type Pod } from '../../../domain/kinds.ts';
import type { Subject } from '../../manifests/subject.ts';
import { deletion, patchOf } from '../actions.ts';
import type { Draft, StepResult } from '../draft.ts';
import { dataProblemOf, replicaPods } from '../replica-pods.ts';
import { indexOf, replicaVolumes, type Observation } from '../observation.ts';
import { gigabytesOf } from '../quantity.ts';
import { isMadeForNext, madeFor, reshapedFrom, reshapingNote } from './reshaping.ts';

/** Puts this database's uid on the volumes that it inherits, and removes the time of their purge. */
export function adoptVolumes(observed: Observation, draft: Draft): StepResult {
  const { subject } = draft;
  if (subject === undefined || observed.database.spec.bootstrap?.volumes === undefined) {
    return 'continue';
  }
  const all = (observed.inheritance?.claims ?? []).filter(
    (claim) => claim.metadata.labels?.[labels.uid] !== subject.uid,
  );
  const { replicas, name: topology } = subject.resolved.topology;
  const from = reshapedFrom([...observed.owned.claims, ...all], topology);
  // Volumes of replicas that have never run are included, so that their names become free for this database's.
  const foreign =
    from === undefined
      ? all
      : all.filter(({ metadata }) => metadata.labels?.[labels.workload] === subject.workload);
  const isWhole = replicaVolumes(observed.owned.claims, replicas).length >= replicas;
  // After the adoption, other volumes of that ID are not this database's concern, but for those that were made for its next topology.
  const wanted =
    isWhole && from === undefined
      ? foreign.filter(
          (claim) =>
            isMadeForNext(claim) && claim.metadata.labels?.[labels.workload] === subject.workload,
        )
      : foreign;
  if (wanted.length === 0) return 'continue';
  const { livingOwners = [] } = observed.inheritance ?? {};
  const taken = wanted.find((claim) =>
    livingOwners.includes(claim.metadata.labels?.[labels.uid] ?? ''),
  );
  if (taken !== undefined) {
    draft.stallWith(
      'VolumesInUse',
      `volume ${taken.metadata.name} has been taken over by ${taken.metadata.labels?.[labels.database]}; delete one of the two databases`,
    );
    return 'halt';
  }
  for (const claim of wanted) {
    const note = from === undefined ? undefined : reshapingNote(claim, topology, from);
    const metadata = {
      labels: {
        ...note?.labels,
        [labels.uid]: subject.uid,
        [labels.database]: subject.name,
        [labels.databaseId]: subject.databaseId,
        // Somebody may have removed it meanwhile.
        [labels.managedBy]: managedBy,
      },
      annotations: {
        ...note?.annotations,
        [annotations.purgeAt]: null,
        [annotations.deletionPolicy]: null,
        [annotations.handedOver]: null,
      },
    };
    draft.do({ ...patchOf('adoption', resources.claim, claim, { metadata }), guarded: true });
  }
  draft.wait('the volumes are being taken over');
  return 'halt';
}

/** Makes volumes before the database's first start; afterwards a missing volume is a lost replica, not one to make. */
export function ensureVolumes(observed: Observation, draft: Draft): StepResult {
  const { subject } = draft;
  if (subject === undefined || draft.facts.bootstrapped === true) return 'continue';
  let anew = false;
  for (let index = 0; index < subject.resolved.topology.replicas; index += 1) {
    const claim = claimOf(observed, subject.workload, index);
    if (claim?.metadata.deletionTimestamp !== undefined) {
      draft.wait(`volume ${claim.metadata.name} is being deleted`);
      return 'halt';
    }
    const isOther = claim !== undefined && isOfOtherTopology(claim, subject);
    const job = formatJobOf(observed, subject.workload, index);
    if (job !== undefined && (isOther || claim === undefined)) {
      // Before the next volume is made: one that has succeeded would be taken for that of the next one.
      if (job.metadata.deletionTimestamp === undefined)
        draft.do(deletion('format', resources.job, job));
      draft.wait(`Job ${job.metadata.name} is deleted, because its volume is being deleted`);
      anew = true;
      continue;
    }
    if (claim !== undefined && (isMisfit(claim, subject) || isOther)) {
      // A claim's request can be changed only once it is bound, which may never happen. It holds no data, so it is deleted.
      draft.do(deletion('volume', resources.claim, claim));
      const what = isOther ? 'that was not made for another topology' : 'of another size';
      draft.wait(`volume ${claim.metadata.name} is replaced by one ${what}`);
      anew = true;
    }
    if (claim !== undefined) continue;
    draft.do({
      verb: 'create',
      purpose: 'volume',
      // Not guarded: the API server refuses a second claim of that name, and nothing is formatted on its word alone.
      guarded: false,
      resource: resources.claim,
      object: buildClaim(subject, index),
    });
  }
  return anew ? 'halt' : 'continue';
}

/** One that was made for this topology before keeps its file, if an operator that does not know the note has adopted it. */
const isOfOtherTopology = (claim: Claim, { resolved, reshapes }: Subject): boolean =>
  isMadeForNext(claim) &&
  !(reshapes === true && madeFor(claim)?.topology === resolved.topology.name);

const formatJobOf = ({ owned }: Observation, workload: string, index: number): Job | undefined =>
  owned.jobs.find(({ metadata }) => metadata.name === formatJobName(workload, index));

/** A claim without a volume whose request differs from the database's current configuration. */
const isMisfit = (claim: Claim, { storageGb, resolved }: Subject): boolean =>
  !isBound(claim) &&
  claim.metadata.annotations?.[annotations.formatted] === undefined &&
  (requestedGb(claim) !== storageGb || claim.spec?.storageClassName !== resolved.storage.className);

const isBound = (claim: Claim): boolean =>
  claim.status?.phase === 'Bound' || (claim.spec?.volumeName ?? '') !== '';

export const claimOf = (
  observed: Observation,
  workload: string,
  index: number,
): Claim | undefined =>
  observed.owned.claims.find((claim) => claim.metadata.name === claimName(workload, index));

/**
 * Raises the request of bound claims, whatever their pods are doing: a stopped engine with a full volume needs the growth to
 * come back. A request is lowered only to withdraw a growth that no volume has reached.
 */
export function growVolumes(observed: Observation, draft: Draft): StepResult {
  const { subject } = draft;
  if (subject === undefined) return 'continue';
  const { storageGb } = subject;
  const volumes = replicaVolumes(observed.owned.claims, subject.resolved.topology.replicas);
  const claims = volumes.filter(
    (one) => one.metadata.deletionTimestamp === undefined && isBound(one),
  );
  const unequal = claims.filter((claim) => requestedGb(claim) !== storageGb);
  if (unequal.length === 0) return 'continue';
  if (observed.storageClass === undefined) {
    draft.needs.add('storageClass');
    return 'continue';
  }
  const { className } = subject.resolved.storage;
  if (observed.storageClass.found?.allowVolumeExpansion !== true) {
    draft.storageProblem = {
      reason: 'ExpansionNotSupported',
      message:
        `the storage class ${className} does not let volumes grow; set spec.storage.sizeGb back to ` +
        `${Math.max(...claims.map(requestedGb))}, or restore a backup into a database of another tier`,
    };
    return 'continue';
  }
  for (const claim of unequal) {
    const smaller = storageGb < requestedGb(claim);
    if (smaller && storageGb < (capacityGb(claim) ?? 0)) continue;
    // The API server lowers a request only to more than the volume has; if it has exactly that, to a mebibyte more.
    const storage =
      smaller && storageGb === capacityGb(claim) ? `${storageGb * 1024 + 1}Mi` : `${storageGb}Gi`;
    const spec = { resources: { requests: { storage } } };
    draft.do(patchOf('growth', resources.claim, claim, { spec }));
  }
  return 'continue';
}

/**
 * Holds pods whose volume somebody has deleted: the volume stays for as long as a pod uses it, and its data goes with the
 * pod. Upgrades and `spec.suspend` leave that pod alone until a person has decided.
 */
export function holdVolumes(observed: Observation, draft: Draft): StepResult {
  const { subject } = draft;
  if (subject === undefined) return 'halt';
  const { workload, namespace } = subject;
  const held = replicaPods(observed.owned.pods).filter((pod) => holdsData(observed, workload, pod));
  const [pod] = held;
  const set = observed.owned.statefulSets.find((one) => one.metadata.name === workload);
  if (pod === undefined || set?.spec?.replicas === 0) return 'continue';
  const claims = held.map((one) => mountedBy(observed, workload, indexOf(one)));
  const names = claims.map((claim) => claim?.metadata.name).join(', ');
  const volume = claims[0]?.spec?.volumeName ?? 'VOLUME';
  const again =
    subject.resolved.topology.replicas === 1
      ? 'Then make a copy, and begin again from it: docs/operating/disaster-recovery.md'
      : `Then, while all others are ready, let it be made again from them: kubectl -n ${namespace} delete pod ${pod.metadata.name}`;
  draft.stallWith(
    'VolumeBeingDeleted',
    `somebody has deleted ${names}; the volume stays until its pod stops, so that pod is neither replaced nor suspended. ` +
      `Keep the data first: kubectl patch pv ${volume} -p '{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}'. ${again}`,
  );
  draft.subject = { ...subject, suspend: false };
  return 'continue';
}

/** Whether a data file would be lost with this pod. */
export const holdsData = (observed: Observation, workload: string, pod: Pod): boolean =>
  pod.metadata.deletionTimestamp === undefined &&
  dataProblemOf(pod)?.reason !== DataProblem.missing &&
  mountedBy(observed, workload, indexOf(pod))?.metadata.deletionTimestamp !== undefined;

/** The claim that the replica's pod mounts, whatever its labels say. */
const mountedBy = (observed: Observation, workload: string, index: number): Claim | undefined =>
  claimOf(observed, workload, index) ??
  observed.strays?.foreignClaims.find(
    ({ metadata }) => metadata.name === claimName(workload, index),
  );

export const requestedGb = (claim: Claim): number =>
  gigabytesOf(claim.spec?.resources?.requests?.['storage']) ?? 0;

/** The volume's real capacity; `undefined` until it is bound. */
export const capacityGb = (claim: Claim): number | undefined =>
  gigabytesOf(claim.status?.capacity?.['storage']);
