/**
 * Stand-in for scheduler, kubelet and volume provisioner on a control plane that has none: pods become ready, Jobs' pods
 * end, claims are bound and grow. Images whose name holds `missing` cannot be pulled. Nothing runs.
 */
import {
  CoreV1Api,
  KubeConfig,
  PatchStrategy,
  setHeaderOptions,
  type V1PersistentVolumeClaim,
  type V1Pod,
} from '@kubernetes/client-node';

export interface Ending {
  readonly exitCode: number;
  readonly message: string;
}

export interface Kubelet {
  /** Replicas' pods of these names never become ready. */
  readonly unready: Set<string>;
  /** Init containers of these pods say this and fail. */
  readonly termination: Map<string, string>;
  /** How the pods of Jobs end, and what their last words are; without one they succeed and say nothing. Those that run go on. */
  ending: (pod: V1Pod) => Ending | 'runs' | undefined;
  /** Whether claims reach the size that they request. */
  grows: boolean;
  /** Jobs whose pod has done its work, as often as one has: `NAMESPACE/NAME`. */
  readonly finishedJobs: string[];
  stop(): Promise<void>;
}

const merge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
const node = 'node-1';
const selectedNode = 'volume.kubernetes.io/selected-node';

export function startKubelet(kubeconfig: string, namespaces?: readonly string[]): Kubelet {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const core = config.makeApiClient(CoreV1Api);
  const kubelet = {
    unready: new Set<string>(),
    termination: new Map<string, string>(),
    ending: (): Ending | 'runs' | undefined => undefined,
    grows: true,
    finishedJobs: [] as string[],
  };
  const stopping = new AbortController();
  const look = async () => {
    const [pods, claims] = await Promise.all([
      core.listPodForAllNamespaces(),
      core.listPersistentVolumeClaimForAllNamespaces(),
    ]);
    const ours = (object: V1Pod | V1PersistentVolumeClaim) =>
      namespaces === undefined || namespaces.includes(object.metadata?.namespace ?? '');
    // An object that has just changed or gone is looked at again in the next round.
    await Promise.allSettled([
      ...claims.items
        .filter(ours)
        .map((claim) => bind(core, kubelet, claim, isUsed(claim, pods.items))),
      ...pods.items.filter(ours).map((pod) => run(core, kubelet, pod)),
    ]);
  };
  const loop = (async () => {
    while (!stopping.signal.aborted) {
      await look().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  return Object.assign(kubelet, {
    async stop() {
      stopping.abort();
      await loop;
    },
  });
}

async function bind(
  core: CoreV1Api,
  kubelet: Pick<Kubelet, 'grows'>,
  claim: V1PersistentVolumeClaim,
  used: boolean,
): Promise<void> {
  const { name = '', namespace = '' } = claim.metadata ?? {};
  const storage = claim.spec?.resources?.requests?.['storage'];
  if (claim.metadata?.deletionTimestamp !== undefined) {
    if (!used) await finish(core, claim);
    return;
  }
  const bound = claim.status?.phase === 'Bound';
  if (bound && (claim.status?.capacity?.['storage'] === storage || !kubelet.grows)) return;
  // As a scheduler notes it for a class that waits for the first pod.
  const noted = claim.metadata?.annotations?.[selectedNode] !== undefined;
  if (!bound && !noted) {
    const chosen = { metadata: { annotations: { [selectedNode]: node } } };
    await core.patchNamespacedPersistentVolumeClaim({ name, namespace, body: chosen }, merge);
  }
  const body = {
    status: { phase: 'Bound', capacity: { storage }, accessModes: ['ReadWriteOnce'] },
  };
  await core.patchNamespacedPersistentVolumeClaimStatus({ name, namespace, body }, merge);
}

/** By a pod that has not ended. */
const isUsed = ({ metadata }: V1PersistentVolumeClaim, pods: readonly V1Pod[]): boolean =>
  pods.some(
    (pod) =>
      pod.metadata?.namespace === metadata?.namespace &&
      pod.status?.phase !== 'Succeeded' &&
      (pod.spec?.volumes ?? []).some(
        (volume) => volume.persistentVolumeClaim?.claimName === metadata?.name,
      ),
  );

/** As the controller that protects claims in use does, only sooner. */
async function finish(core: CoreV1Api, claim: V1PersistentVolumeClaim): Promise<void> {
  const { name = '', namespace = '', finalizers = [] } = claim.metadata ?? {};
  if (finalizers.length === 0) return;
  const body = { metadata: { finalizers: null } };
  await core.patchNamespacedPersistentVolumeClaim({ name, namespace, body }, merge);
}

async function run(
  core: CoreV1Api,
  kubelet: Pick<Kubelet, 'unready' | 'termination' | 'ending' | 'finishedJobs'>,
  pod: V1Pod,
): Promise<void> {
  const { name = '', namespace = '', uid = '' } = pod.metadata ?? {};
  if (pod.metadata?.deletionTimestamp !== undefined) {
    await core.deleteNamespacedPod({
      name,
      namespace,
      body: { gracePeriodSeconds: 0, preconditions: { uid } },
    });
    return;
  }
  if (pod.spec?.nodeName === undefined) {
    const body = { metadata: { name }, target: { apiVersion: 'v1', kind: 'Node', name: node } };
    await core.createNamespacedPodBinding({ name, namespace, body });
    return;
  }
  const status = statusOf(pod, kubelet);
  const was = JSON.stringify([pod.status?.phase, readiness(pod), reasons(pod)]);
  const is = JSON.stringify([
    status.phase,
    readiness({ status } as unknown as V1Pod),
    reasons({ status } as unknown as V1Pod),
  ]);
  if (was === is) return;
  await core.patchNamespacedPodStatus({ name, namespace, body: { status } }, merge);
  const job = pod.metadata?.labels?.['batch.kubernetes.io/job-name'];
  if (job !== undefined && status.phase === 'Succeeded') {
    kubelet.finishedJobs.push(`${namespace}/${job}`);
  }
}

const readiness = (pod: V1Pod) =>
  pod.status?.conditions?.find((row) => row.type === 'Ready')?.status ?? 'none';
const reasons = (pod: V1Pod) =>
  [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])].map(
    (row) => row.state?.waiting?.reason ?? row.lastState?.terminated?.message ?? '',
  );

function statusOf(pod: V1Pod, kubelet: Pick<Kubelet, 'unready' | 'termination' | 'ending'>) {
  const name = pod.metadata?.name ?? '';
  const now = new Date().toISOString();
  const containers = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
  const bad = containers.find((container) => container.image?.includes('missing'));
  const said = kubelet.termination.get(name);
  const common = (container: { name: string; image?: string }) => ({
    name: container.name,
    image: container.image ?? '',
    imageID: '',
    restartCount: 0,
  });
  if (bad !== undefined || said !== undefined) {
    const state =
      bad === undefined
        ? {
            state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off' } },
            lastState: { terminated: { exitCode: 10, message: said, reason: 'Error' } },
          }
        : {
            state: { waiting: { reason: 'ImagePullBackOff', message: `cannot pull ${bad.image}` } },
          };
    const [first] = containers;
    const row = { ...common(first ?? { name: 'x' }), ready: false, ...state };
    const isInit = (pod.spec?.initContainers ?? []).length > 0;
    return {
      phase: 'Pending',
      conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: now }],
      ...(isInit ? { initContainerStatuses: [row] } : { containerStatuses: [row] }),
    };
  }
  const ofJob = pod.metadata?.labels?.['batch.kubernetes.io/job-name'] !== undefined;
  if (ofJob) {
    const end = kubelet.ending(pod);
    if (end === 'runs') {
      return {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: now }],
        containerStatuses: (pod.spec?.containers ?? []).map((container) => ({
          ...common(container),
          ready: true,
          state: { running: { startedAt: now } },
        })),
      };
    }
    const { exitCode = 0, message } = end ?? {};
    return {
      phase: exitCode === 0 ? 'Succeeded' : 'Failed',
      conditions: [
        { type: 'Ready', status: 'False', reason: 'PodCompleted', lastTransitionTime: now },
      ],
      containerStatuses: (pod.spec?.containers ?? []).map((container) => ({
        ...common(container),
        ready: false,
        state: {
          terminated: {
            exitCode,
            finishedAt: now,
            startedAt: now,
            ...(message === undefined ? {} : { message }),
          },
        },
      })),
    };
  }
  const ready = !kubelet.unready.has(name);
  return {
    phase: 'Running',
    podIP: '127.0.0.1',
    conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: now }],
    initContainerStatuses: [],
    containerStatuses: (pod.spec?.containers ?? []).map((container) => ({
      ...common(container),
      ready,
      state: { running: { startedAt: now } },
    })),
  };
}
