/**
 * Makes a data file once in a database's life. The latch (`status.bootstrapped`) is set before anything runs on the data
 * files and is never reset; any sign of an earlier life sets it too. A volume itself records that it was formatted.
 */
import { annotations, formatJobName } from '../../../domain/names.ts';
import type { Subject } from '../../manifests/subject.ts';
import { resources, type Claim, type Job } from '../../../domain/kinds.ts';
import { deletion, patchOf } from '../actions.ts';
import type { Draft, StepResult } from '../draft.ts';
import { replicaPods } from '../replica-pods.ts';
import { indexOf, type Observation } from '../observation.ts';
import { ensureCertificates } from './certificates.ts';
import { makeFiles } from './data-files.ts';
import { withImportedState } from './imported-state.ts';
import { madeFor, reshapingOf } from './reshaping.ts';
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
  makeFiles(observed, draft, { subject: importing, open, noteOf: formattedNote });
  // While the Jobs work, since the first replicas wait for both.
  if (draft.actions.length === 0) ensureCertificates(observed, draft);
  return 'halt';
}

const formattedNote = (formatted: string, claim: Claim) => ({
  [annotations.formatted]: formatted,
  ...(madeFor(claim) !== undefined && { [annotations.madeFor]: null }),
});

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
  if (resolved.engine.name === 'Builtin' && restoredFrom?.clusterId !== undefined) {
    draft.stallWith(
      reason,
      'a backup of data files (spec.bootstrap.backup.clusterId) is restored into TigerBeetle only; make this database with engine: TigerBeetle',
    );
    return true;
  }
  const ofFiles = importedFrom?.clusterId ?? restoredFrom?.clusterId;
  if (resolved.engine.name !== 'Builtin' && ofFiles !== undefined) {
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
