/**
 * The state with which the replicas of an imported database begin. Their Jobs read the bucket at different times, and files may be
 * exchanged there meanwhile: so the first replica's Job runs alone, its volume records the state of its file, and the Jobs of
 * the others refuse every other state.
 */
import {
  ledgerStateText,
  parseLedgerState,
  type LedgerState,
} from '../../../domain/import-files/ledger-state.ts';
import { resources, type Job } from '../../../domain/kinds.ts';
import { annotations } from '../../../domain/names.ts';
import { lastWords } from '../../ledgerbackup/result.ts';
import type { Subject } from '../../manifests/subject.ts';
import { endOfWork } from '../../manifests/work-container.ts';
import { deletion } from '../actions.ts';
import type { Draft } from '../draft.ts';
import { podsOf } from '../jobs.ts';
import { indexOf, replicaVolumes, type Observation } from '../observation.ts';

/** Time within which the operator sees the pod of a Job that has succeeded. */
const SEEN_MS = 60_000;
const LOOK_AGAIN_MS = 5_000;

/**
 * Whether all replicas must begin with a state that only the first one's Job finds. That of rows is known from their trial; replicas of
 * TigerBeetle agree when they start.
 */
const isShared = ({ importedFrom, resolved }: Subject): boolean =>
  importedFrom !== undefined &&
  importedFrom.rows === undefined &&
  resolved.engine.name === 'Builtin' &&
  resolved.topology.replicas > 1;

/**
 * Adds the state that an earlier replica found, if one has. Only volumes with a file count. Returns `undefined` if two of them name
 * different states: replicas that begin differently must not start.
 */
export function withImportedState(
  subject: Subject,
  observed: Observation,
  draft: Draft,
): Subject | undefined {
  const { importedFrom } = subject;
  if (importedFrom === undefined || !isShared(subject)) return subject;
  const made = replicaVolumes(observed.owned.claims, subject.resolved.topology.replicas)
    .filter(({ metadata }) => metadata.annotations?.[annotations.formatted] !== undefined)
    .toSorted((one, other) => indexOf(one) - indexOf(other))
    .map(({ metadata }) => ({
      name: metadata.name,
      state: parseLedgerState(metadata.annotations?.[annotations.importedState] ?? ''),
    }));
  const [first, ...others] = made;
  const textOf = (state: LedgerState | undefined) =>
    state === undefined ? '' : ledgerStateText(state);
  const other = others.find(({ state }) => textOf(state) !== textOf(first?.state));
  if (other !== undefined) {
    draft.stallWith(
      'FormatFailed',
      `volumes ${first?.name} and ${other.name} do not name the same state of the imported files (annotation ` +
        `${annotations.importedState}): somebody changed it. No replica is started; delete the database and make it again`,
    );
    return undefined;
  }
  const state = first?.state;
  return state === undefined ? subject : { ...subject, importedFrom: { ...importedFrom, state } };
}

/** Whether the other replicas wait for the state with which the first one begins. */
export const awaitsImportedState = (subject: Subject): boolean =>
  isShared(subject) && subject.importedFrom?.state === undefined;

/**
 * The volume's note of the state of a new file, empty if that does not matter. Returns `undefined` if the state is not known:
 * then the volume does not record the file as made, either.
 */
export function importedStateNote(
  observed: Observation,
  draft: Draft,
  subject: Subject,
  job: Job,
): Readonly<Record<string, string>> | undefined {
  if (!isShared(subject)) return {};
  const state = subject.importedFrom?.state ?? stateSaidBy(observed, job);
  if (state !== undefined) return { [annotations.importedState]: ledgerStateText(state) };
  const name = job.metadata.name ?? '';
  if (podsOf(job, observed.owned.pods).some((pod) => endOfWork(pod)?.exitCode === 0)) {
    draft.stallWith(
      'FormatFailed',
      `Job ${name} did not report the state with which its data file begins: its engine version is older than that report. Choose a newer engine version, ` +
        'and make the database again',
    );
    return undefined;
  }
  draft.wait(`Job ${name} has ended; the operator has not seen its pod's report yet`);
  const endedMs = Date.parse(String(job.status?.completionTime));
  // The API server is asked for the pods before the Job is deleted. A new Job reports the state of the existing file.
  if (observed.nowMs - endedMs > SEEN_MS) draft.do(deletion('format', resources.job, job));
  else draft.again(LOOK_AGAIN_MS);
  return undefined;
}

function stateSaidBy({ owned }: Observation, job: Job): LedgerState | undefined {
  try {
    const said = JSON.parse(lastWords(podsOf(job, owned.pods)) ?? '') as { state?: unknown } | null;
    return typeof said?.state === 'string' ? parseLedgerState(said.state) : undefined;
  } catch {
    return undefined;
  }
}
