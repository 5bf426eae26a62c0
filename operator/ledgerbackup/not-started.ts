/** Why no pod of a Job runs that has the turn of others: it finds no node, no quota has room for it, or its image is not there. */
import type { Kube } from '../../base/kube/kube.ts';
import type { Job, Pod } from '../../domain/kinds.ts';
import { troubleOf } from '../ledgerdatabase/replica-pods.ts';
import type { TestTurns } from './test-turns.ts';

/** Time in which a pod must find a node and start there, however often it is replaced: until then, others wait. */
const STARTING_MINUTES = 15;

interface Surroundings {
  readonly kube: Kube;
  readonly turns: TestTurns;
  readonly nowMs: () => number;
}

export interface NotStarted {
  /** Whether it has a node. */
  readonly isScheduled: boolean;
  readonly message: string;
}

/** Returns the reason why no pod of a Job has run for too long; `undefined`: the newest runs, or has time for it. */
export function whyNotStarted(
  { kube, turns, nowMs }: Surroundings,
  job: Job,
  pods: readonly Pod[],
  memoryMib: number,
): NotStarted | undefined {
  const newest = pods.toSorted((one, other) => createdMs(one) - createdMs(other)).at(-1);
  const timeMs = kube.serverTimeMs() ?? nowMs();
  if (newest !== undefined && hasStarted(newest)) {
    turns.noteRun(job, timeMs);
    return undefined;
  }
  const waitedMs = timeMs - Math.max(createdMs(job), turns.lastRunMs(job) ?? 0);
  if (waitedMs < STARTING_MINUTES * 60_000) return undefined;
  const name = `Job ${job.metadata.name}`;
  const who = `${name}, for ${memoryMib} MiB of memory,`;
  if (newest === undefined) {
    const message = `${who} has no pod after ${STARTING_MINUTES} minutes; its events say why`;
    return { isScheduled: false, message };
  }
  const why = troubleOf(newest)?.message ?? 'the events of its pod say why';
  const { nodeName } = newest.spec ?? {};
  const message =
    nodeName === undefined
      ? `${who} found no node in ${STARTING_MINUTES} minutes: ${why}`
      : `${name} did not start on node ${nodeName} in ${STARTING_MINUTES} minutes: ${why}`;
  return { isScheduled: nodeName !== undefined, message };
}

/** A pod without a node, or whose images and volumes are not there, is `Pending`. */
const hasStarted = ({ status }: Pod): boolean =>
  status?.phase !== undefined && status.phase !== 'Pending';

const createdMs = ({ metadata }: Job | Pod): number => Date.parse(metadata.creationTimestamp ?? '');
