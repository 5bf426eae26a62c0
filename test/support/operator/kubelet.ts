/**
 * Stand-in for scheduler, kubelet and volume provisioner on a control plane that has none: pods become ready, Jobs' pods
 * end, claims are bound and grow. Images whose name holds `missing` cannot be pulled. Nothing runs.
 *
 * It looks ten times a second at what its watches brought, because tests change their wishes without a word: nothing is asked of
 * the API server while nothing happens.
 */
import pino from 'pino';
import type { ClusterAccess } from '../../../base/kube/cluster-access.ts';
import { createKube } from '../../../base/kube/kube-http.ts';
import type { KubeObject, Resource } from '../../../base/kube/kube.ts';
import { Reflector } from '../../../base/kube/reflector.ts';
import { isOlder } from '../../../base/kube/resource-version.ts';
import { watchMetrics } from '../../../base/metrics/kube-metrics.ts';
import { MetricRegistry } from '../../../base/metrics/metrics.ts';
import { resources, type Claim, type Pod } from '../../../domain/kinds.ts';

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
  ending: (pod: Pod) => Ending | 'runs' | undefined;
  /** Whether claims reach the size that they request. */
  grows: boolean;
  /** Jobs whose pod has done its work, as often as one has: `NAMESPACE/NAME`. */
  readonly finishedJobs: string[];
  stop(): Promise<void>;
}

const lookEveryMs = 100;
const fieldManager = 'test-kubelet';
const node = 'node-1';
const selectedNode = 'volume.kubernetes.io/selected-node';
const bindings: Resource = {
  apiVersion: 'v1',
  kind: 'Binding',
  plural: 'bindings',
  namespaced: true,
};
type Wishes = Omit<Kubelet, 'stop'>;

export function startKubelet(kubeConfig: ClusterAccess): Kubelet {
  const kube = createKube(kubeConfig, { requestsPerSecond: 1_000, requestsBurst: 1_000 });
  const watched = [resources.pod.plural, resources.claim.plural];
  const metrics = watchMetrics(new MetricRegistry(), 'test_', watched);
  const watch = <T extends KubeObject>(resource: Resource) => {
    const reflector = new Reflector<T>({
      source: kube,
      resource,
      metrics,
      logger: pino({ level: 'silent' }),
      onChange: () => {},
      backoff: { baseMs: lookEveryMs, maxMs: 1_000 },
    });
    reflector.start();
    return reflector;
  };
  const [pods, claims] = [watch<Pod>(resources.pod), watch<Claim>(resources.claim)];
  const wishes: Wishes = {
    unready: new Set<string>(),
    termination: new Map<string, string>(),
    ending: (): Ending | 'runs' | undefined => undefined,
    grows: true,
    finishedJobs: [] as string[],
  };
  const hands = new Hands(kube);
  const look = async () => {
    const there = pods.cache.list();
    // An object that has just changed or gone is looked at again in the next round.
    await Promise.allSettled([
      ...claims.cache.list().map((claim) => bind(hands, wishes, claim, isUsed(claim, there))),
      ...there.map((pod) => run(hands, wishes, pod)),
    ]);
  };
  const stopping = new AbortController();
  const loop = (async () => {
    while (!stopping.signal.aborted) {
      await look();
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    }
  })();
  return Object.assign(wishes, {
    async stop() {
      stopping.abort();
      await loop;
      await Promise.all([pods.stop(), claims.stop()]);
      await kube.close();
    },
  });
}

/** Writes, and knows which objects the watches still show as they were before. */
class Hands {
  readonly #kube: ReturnType<typeof createKube>;
  /** Versions of the answers to the last writes, by uid. */
  readonly #written = new Map<string, string>();

  constructor(kube: ReturnType<typeof createKube>) {
    this.#kube = kube;
  }

  isStale({ metadata: { uid = '', resourceVersion = '' } }: KubeObject): boolean {
    return isOlder(resourceVersion, this.#written.get(uid) ?? '');
  }

  async patch(
    resource: Resource,
    { metadata: { name = '', namespace, uid = '' } }: KubeObject,
    patch: object,
    subresource?: 'status',
  ): Promise<void> {
    const reference = { resource, namespace, name };
    const { metadata } = await this.#kube.mergePatch(reference, patch, {
      fieldManager,
      subresource,
    });
    this.#written.set(uid, metadata.resourceVersion ?? '');
  }

  async assign({ metadata: { name, namespace } }: Pod): Promise<void> {
    const target = { apiVersion: 'v1', kind: 'Node', name: node };
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name, namespace }, target };
    await this.#kube.create(bindings, binding as KubeObject, { fieldManager });
  }

  async end({ metadata: { name = '', namespace, uid = '' } }: Pod): Promise<void> {
    const reference = { resource: resources.pod, namespace, name };
    await this.#kube.delete(reference, { uid, gracePeriodSeconds: 0 });
  }
}

async function bind(hands: Hands, { grows }: Wishes, claim: Claim, used: boolean): Promise<void> {
  if (hands.isStale(claim)) return;
  const { annotations, deletionTimestamp, finalizers = [] } = claim.metadata;
  if (deletionTimestamp !== undefined) {
    // As the controller that protects claims in use does, only sooner.
    if (used || finalizers.length === 0) return;
    await hands.patch(resources.claim, claim, { metadata: { finalizers: null } });
    return;
  }
  const storage = claim.spec?.resources?.requests?.['storage'];
  const bound = claim.status?.phase === 'Bound';
  if (bound && (claim.status?.capacity?.['storage'] === storage || !grows)) return;
  // As a scheduler notes it for a class that waits for the first pod.
  if (!bound && annotations?.[selectedNode] === undefined) {
    const chosen = { metadata: { annotations: { [selectedNode]: node } } };
    await hands.patch(resources.claim, claim, chosen);
  }
  const status = { phase: 'Bound', capacity: { storage }, accessModes: ['ReadWriteOnce'] };
  await hands.patch(resources.claim, claim, { status }, 'status');
}

/** By a pod that has not ended. */
const isUsed = ({ metadata }: Claim, pods: readonly Pod[]): boolean =>
  pods.some(
    (pod) =>
      pod.metadata.namespace === metadata.namespace &&
      pod.status?.phase !== 'Succeeded' &&
      (pod.spec?.volumes ?? []).some(
        (volume) => volume.persistentVolumeClaim?.claimName === metadata.name,
      ),
  );

async function run(hands: Hands, wishes: Wishes, pod: Pod): Promise<void> {
  if (hands.isStale(pod)) return;
  if (pod.metadata.deletionTimestamp !== undefined) return hands.end(pod);
  if (pod.spec?.nodeName === undefined) return hands.assign(pod);
  const status = statusOf(pod, wishes);
  const was = JSON.stringify([pod.status?.phase, readiness(pod), reasons(pod)]);
  const is = JSON.stringify([
    status.phase,
    readiness({ status } as unknown as Pod),
    reasons({ status } as unknown as Pod),
  ]);
  if (was === is) return;
  await hands.patch(resources.pod, pod, { status }, 'status');
  const job = pod.metadata.labels?.['batch.kubernetes.io/job-name'];
  if (job !== undefined && status.phase === 'Succeeded') {
    wishes.finishedJobs.push(`${pod.metadata.namespace}/${job}`);
  }
}

const readiness = (pod: Pod) =>
  pod.status?.conditions?.find((row) => row.type === 'Ready')?.status ?? 'none';
const reasons = (pod: Pod) =>
  [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])].map(
    (row) => row.state?.waiting?.reason ?? row.lastState?.terminated?.message ?? '',
  );

function statusOf(pod: Pod, wishes: Wishes) {
  const name = pod.metadata.name ?? '';
  const now = new Date().toISOString();
  const containers = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
  const bad = containers.find((container) => container.image?.includes('missing'));
  const said = wishes.termination.get(name);
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
  const ofJob = pod.metadata.labels?.['batch.kubernetes.io/job-name'] !== undefined;
  if (ofJob) {
    const end = wishes.ending(pod);
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
  const ready = !wishes.unready.has(name);
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
