/** Pods of replicas: which of them are ready, and why the others are not. */
import type { V1ContainerStatus } from '@kubernetes/client-node';
import { cutText } from '../../base/cut-text.ts';
import { certificatesForeign, DataProblem } from '../../domain/data-problem.ts';
import type { Pod } from '../../domain/kinds.ts';
import { labels } from '../../domain/names.ts';
import { waitingFailures, type ReplicaTrouble } from '../../domain/replica-states.ts';

export interface Trouble {
  readonly reason: ReplicaTrouble;
  readonly message: string;
}

export function isReady(pod: Pod): boolean {
  return (
    pod.metadata.deletionTimestamp === undefined &&
    (pod.status?.conditions ?? []).some((row) => row.type === 'Ready' && row.status === 'True')
  );
}

/** Time at which the pod became ready, in milliseconds since the epoch. */
export function readySinceMs(pod: Pod): number | undefined {
  const row = pod.status?.conditions?.find((one) => one.type === 'Ready' && one.status === 'True');
  return row?.lastTransitionTime === undefined
    ? undefined
    : Date.parse(String(row.lastTransitionTime));
}

/** The reason why a pod that is not ready will not become ready by itself, if it is known. */
export function troubleOf(pod: Pod): Trouble | undefined {
  if (isReady(pod)) return undefined;
  const data = dataProblemOf(pod);
  if (data !== undefined) return { reason: data.reason, message: data.message };
  const certificates = certificateProblemOf(pod);
  if (certificates !== undefined) return certificates;
  const containers = [
    ...(pod.status?.initContainerStatuses ?? []),
    ...(pod.status?.containerStatuses ?? []),
  ];
  for (const container of containers) {
    const waiting = container.state?.waiting;
    const failure = waitingFailures.find((reason) => reason === waiting?.reason);
    if (failure === undefined) continue;
    const ended = container.lastState?.terminated;
    const last = ended === undefined ? '' : `; it ended with ${ended.exitCode}${said(ended)}`;
    const message = `container ${container.name}: ${waiting?.message ?? failure}${last}`;
    return { reason: failure, message: cutText(message, 512) };
  }
  const scheduled = pod.status?.conditions?.find((row) => row.type === 'PodScheduled');
  if (scheduled?.status === 'False' && scheduled.reason === 'Unschedulable') {
    return { reason: 'Unschedulable', message: cutText(scheduled.message ?? '', 512) };
  }
  return undefined;
}

const said = (ended: { message?: string }) =>
  ended.message === undefined || ended.message === '' ? '' : `: ${ended.message.trim()}`;

/** Problem that the check of the data file reported, if it refused. */
export const dataProblemOf = (pod: Pod): Finding<DataProblem> | undefined =>
  findingOf(pod, Object.values(DataProblem));

/** Certificate problem that the agent reported, if the pod has other certificates. */
export const certificateProblemOf = (pod: Pod): Finding<typeof certificatesForeign> | undefined =>
  isReady(pod) ? undefined : findingOf(pod, [certificatesForeign]);

interface Finding<Reason extends string> {
  readonly reason: Reason;
  readonly message: string;
}

function findingOf<Reason extends string>(
  pod: Pod,
  reasons: readonly Reason[],
): Finding<Reason> | undefined {
  for (const container of pod.status?.initContainerStatuses ?? []) {
    const message = endOf(container)?.message;
    if (message === undefined) continue;
    const parsed = parseTermination(message, reasons);
    if (parsed !== undefined) return parsed;
  }
  return undefined;
}

const endOf = (container: V1ContainerStatus) =>
  container.state?.terminated ?? container.lastState?.terminated;

function parseTermination<Reason extends string>(
  text: string,
  reasons: readonly Reason[],
): Finding<Reason> | undefined {
  try {
    const { reason, message } = JSON.parse(text) as { reason?: unknown; message?: unknown };
    const known = reasons.find((candidate) => candidate === reason);
    return known === undefined
      ? undefined
      : { reason: known, message: cutText(String(message), 400) };
  } catch {
    return undefined;
  }
}

/** Whether a pod was made from this revision of its StatefulSet's template. */
export const hasRevision = (pod: Pod, revision: string | undefined): boolean =>
  revision !== undefined && pod.metadata.labels?.['controller-revision-hash'] === revision;

/** Pods of replicas, without those of Jobs. */
export const replicaPods = (pods: readonly Pod[]): readonly Pod[] =>
  pods.filter((pod) => pod.metadata.labels?.[labels.role] !== 'job');

/**
 * Whether a pod that is being deleted runs nothing any more and never will, by its node's own word. Before a node knows of the deletion, it runs
 * a container again that has ended. The phase alone proves nothing: others set it for a node that is lost. The pod itself stays for a second or
 * two after that.
 */
export function hasStopped({ metadata, status }: Pod): boolean {
  const { initContainerStatuses = [], containerStatuses = [], phase } = status ?? {};
  const { deletionTimestamp, generation = Infinity } = metadata;
  // Nodes before Kubernetes 1.34 do not tell which generation they know.
  const isKnown =
    (status?.observedGeneration ?? 0) >= generation || phase === 'Succeeded' || phase === 'Failed';
  return (
    deletionTimestamp !== undefined &&
    isKnown &&
    containerStatuses.length > 0 &&
    [...initContainerStatuses, ...containerStatuses].every(
      ({ state }) => state?.terminated !== undefined,
    )
  );
}
