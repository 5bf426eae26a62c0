/** Pods of a cluster, and how tests end them. */
import { resources, type Pod } from '../../../domain/kinds.ts';
import { eventually } from '../shell.ts';
import { runs } from '../engine/pod-process.ts';
import type { TestCluster } from './cluster.ts';

/** The pods with these labels that are not being deleted. */
export async function livingPods(
  cluster: TestCluster,
  namespace: string,
  labels: string,
): Promise<readonly Pod[]> {
  const pods = await cluster.list<Pod>(resources.pod, { namespace, labelSelector: labels });
  return pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

/** Deletes a pod without waiting for the end of its processes. */
export async function kill(cluster: TestCluster, { metadata }: Pod): Promise<void> {
  const { name = '', namespace = '' } = metadata;
  const how = ['--force', '--grace-period=0'];
  await cluster.kubectl('-n', namespace, 'delete', 'pod', name, ...how);
}

/** Kills one of these pods, and returns it. */
export async function killOne(cluster: TestCluster, pods: Promise<readonly Pod[]>): Promise<Pod> {
  const [pod] = await pods;
  if (pod === undefined) throw new Error('there is no pod to kill');
  await kill(cluster, pod);
  return pod;
}

/** kubectl does not wait for the processes' end; without this wait it could cut off later requests. */
export const untilEnded = (pods: readonly Pod[]): Promise<boolean> =>
  eventually('what was killed has ended', async () => !pods.some(runs) || undefined);
