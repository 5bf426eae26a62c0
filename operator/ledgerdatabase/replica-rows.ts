/** Rows of the status: the state of each replica's pod as one word, the cause of a failure, and the engine's last answer. */
import { podName, zoneLabel } from '../../domain/names.ts';
import type { Pod } from '../../domain/kinds.ts';
import type { ReplicaRow } from '../../domain/custom-resources.ts';
import type { Polls } from './observation.ts';
import { isReady, troubleOf, type Trouble } from './replica-pods.ts';

export function replicaRowsOf(
  workload: string,
  replicas: number,
  pods: readonly Pod[],
  polls: Polls | undefined,
  previous: readonly ReplicaRow[],
): ReplicaRow[] {
  return Array.from({ length: replicas }, (_, index) => {
    const name = podName(workload, index);
    const pod = pods.find((candidate) => candidate.metadata.name === name);
    const trouble = pod === undefined ? undefined : troubleOf(pod);
    const node = pod?.spec?.nodeName;
    // Kubernetes copies its node's label to a pod (from 1.35 on), so no node need be read.
    const zone = pod?.metadata.labels?.[zoneLabel] || undefined;
    return {
      index,
      pod: name,
      state: stateOf(pod, trouble),
      ...(trouble === undefined ? {} : trouble),
      ...(node === undefined ? {} : { node }),
      ...(zone === undefined ? {} : { zone }),
      ...saidBy(
        polls?.get(index),
        previous.find((row) => row.index === index),
      ),
    };
  });
}

/** The engine's last answer, since it is not asked all the time. */
function saidBy(
  poll: Polls extends ReadonlyMap<number, infer Value> ? Value | undefined : never,
  previous: ReplicaRow | undefined,
): Pick<ReplicaRow, 'role' | 'op' | 'release'> {
  const { role, op, release } =
    poll !== undefined && !('problem' in poll) ? poll : (previous ?? {});
  return {
    ...(role === undefined ? {} : { role }),
    ...(op === undefined ? {} : { op }),
    ...(release === undefined ? {} : { release }),
  };
}

function stateOf(pod: Pod | undefined, trouble: Trouble | undefined): ReplicaRow['state'] {
  if (pod === undefined) return 'Absent';
  if (pod.metadata.deletionTimestamp !== undefined) return 'Stopping';
  if (isReady(pod)) return 'Ready';
  if (trouble !== undefined) return 'Failing';
  return pod.spec?.nodeName === undefined ? 'Pending' : 'Starting';
}
