/**
 * A cluster of plain objects, for properties over thousands of histories: what the API server, the controllers of Kubernetes,
 * a kubelet and the agents in the pods would do with what one database consists of. The same promises are held against a
 * real control plane in test/integration.
 */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { certificatesForeign, DataProblem } from '../../../domain/data-problem.ts';
import { labels, podName } from '../../../domain/names.ts';
import { canonical } from '../../../base/digest.ts';
import {
  dataProblemOf,
  isReady,
  replicaPods,
} from '../../../operator/ledgerdatabase/replica-pods.ts';
import { hasFailed, hasSucceeded, jobNameLabel } from '../../../operator/ledgerdatabase/jobs.ts';
import type { CatalogObject, DatabaseObject } from '../../../domain/custom-resources.ts';
import {
  resources,
  type Claim,
  type Job,
  type Pod,
  type Secret,
  type Service,
  type StatefulSet,
  type StorageClass,
} from '../../../domain/kinds.ts';
import {
  ApiError,
  type ApplyOptions,
  type Cache,
  type DeleteOptions,
  type Kube,
  type KubeObject,
  type ListOptions,
  type Reference,
  type Resource,
} from '../../../base/kube/kube.ts';

type Fields = Record<string, unknown>;
type Loose = { metadata: Fields; spec?: Fields; status?: Fields };

/** One write that was taken, and all that was there right before it. */
export interface Write {
  readonly verb: 'create' | 'apply' | 'patch' | 'delete';
  readonly kind: string;
  readonly name: string;
  readonly subresource: string | undefined;
  readonly body: KubeObject | undefined;
  readonly before: ReadonlyMap<string, KubeObject>;
}

interface Kinds {
  readonly LedgerDatabase: DatabaseObject;
  readonly LedgerCatalog: CatalogObject;
  readonly Service: Service;
  readonly PersistentVolumeClaim: Claim;
  readonly Job: Job;
  readonly StatefulSet: StatefulSet;
  readonly Pod: Pod;
  readonly Secret: Secret;
  readonly StorageClass: StorageClass;
}

const keyOf = (kind: string, name: string) => `${kind}/${name}`;

export class SimulatedCluster implements Kube {
  nowMs = Date.parse('2026-11-21T10:00:00Z');
  onWrite: (write: Write) => void = () => {};
  /** Mutating admission: changes an object that is created, applied or patched. */
  admission: <T extends KubeObject>(object: T) => T = (object) => object;
  /** Image → what happens to a container of it; all others run. */
  readonly missingImages = new Set<string>();
  /**
   * Turns for which a replica whose pod is deleted runs on, since its node knows nothing of that: it told of a crash last, and runs the engine again.
   * Then it tells that everything has ended, and a turn later the pod is gone. 0: pods that are deleted are gone.
   */
  lingers = 0;
  /** Turns for which each such pod, by uid, has been deleted. */
  readonly #lingering = new Map<string, number>();
  /** Claims, by uid, that hold a data file. */
  readonly files = new Set<string>();
  #objects = new Map<string, KubeObject>();
  #version = 100;
  #uid = 0;

  get objects(): ReadonlyMap<string, KubeObject> {
    return this.#objects;
  }

  all<Kind extends keyof Kinds>(kind: Kind): readonly Kinds[Kind][] {
    const found: readonly unknown[] = this.#ofKind(kind);
    return found as readonly Kinds[Kind][];
  }

  #ofKind(kind: string): readonly KubeObject[] {
    return [...this.#objects.values()].filter((object) => object.kind === kind);
  }

  /** Runs something, and returns its writes, as `patch LedgerDatabase`. `onWrite` does not see them. */
  async writesDuring(run: () => Promise<void>): Promise<readonly string[]> {
    const { onWrite } = this;
    const writes: string[] = [];
    this.onWrite = ({ verb, kind }) => writes.push(`${verb} ${kind}`);
    await run();
    this.onWrite = onWrite;
    return writes;
  }

  /** Puts an object there as it is, as a history before the test would have. */
  put<T extends KubeObject>(object: T): T {
    this.#version += 1;
    const { metadata, kind } = object;
    const full = {
      ...object,
      metadata: {
        creationTimestamp: this.#now(),
        uid: metadata.uid ?? this.#newUid(),
        generation: 1,
        ...metadata,
        resourceVersion: String(this.#version),
      },
    };
    this.#objects.set(keyOf(kind, metadata.name ?? ''), full);
    return full;
  }

  read<T extends KubeObject>({ resource, name }: Reference): Promise<T | undefined> {
    return Promise.resolve(this.#objects.get(keyOf(resource.kind, name)) as T | undefined);
  }

  list<T extends KubeObject>(resource: Resource, options: ListOptions = {}): Promise<readonly T[]> {
    const wanted = (options.labelSelector ?? '').split(',').filter((term) => term !== '');
    const found = this.#ofKind(resource.kind).filter((object) =>
      wanted.every((term) => {
        const [label = '', value] = term.split('=');
        const has = object.metadata.labels?.[label];
        return value === undefined ? has !== undefined : has === value;
      }),
    );
    return Promise.resolve(found as unknown as readonly T[]);
  }

  async create<T extends KubeObject>(resource: Resource, object: T): Promise<T> {
    const name = object.metadata.name ?? '';
    if (this.#objects.has(keyOf(resource.kind, name))) {
      throw new ApiError('there is one', { status: 409, reason: 'AlreadyExists' });
    }
    this.#note('create', resource.kind, name, object);
    return this.put(this.admission({ ...object, kind: resource.kind }));
  }

  async apply<T extends KubeObject>(
    resource: Resource,
    object: T,
    options: ApplyOptions,
  ): Promise<T> {
    const name = object.metadata.name ?? '';
    const live = this.#objects.get(keyOf(resource.kind, name));
    const { resourceVersion, ...metadata } = object.metadata;
    if (live === undefined) {
      if (options.subresource !== undefined) {
        throw new ApiError('there is none', { status: 404, reason: 'NotFound' });
      }
      this.#note('apply', resource.kind, name, object);
      return this.put(this.admission({ ...object, metadata }));
    }
    this.#expectVersion(live, resourceVersion);
    this.#note('apply', resource.kind, name, object, options.subresource);
    if (options.subresource === 'status') {
      const { status } = object as unknown as Loose;
      return this.#change(live, { ...live, status } as unknown as T);
    }
    const next = merged(withoutNotes(live, object), { ...object, metadata }, false) as T;
    return this.#change(live, this.admission(next));
  }

  async mergePatch<T extends KubeObject>({ resource, name }: Reference, patch: object): Promise<T> {
    const live = this.#objects.get(keyOf(resource.kind, name));
    const body = patch as Loose;
    const { resourceVersion, ...metadata } = body.metadata ?? {};
    if (live === undefined)
      throw new ApiError('there is none', { status: 404, reason: 'NotFound' });
    this.#expectVersion(live, resourceVersion as string | undefined);
    const next = merged(live, { ...body, metadata }, true) as T;
    this.#note('patch', resource.kind, name, next);
    return this.#change(live, this.admission(next));
  }

  async delete({ resource, name }: Reference, options: DeleteOptions): Promise<void> {
    const live = this.#objects.get(keyOf(resource.kind, name));
    if (live === undefined) return;
    if (live.metadata.uid !== options.uid) {
      throw new ApiError('another one', { status: 409, reason: 'Conflict' });
    }
    this.#expectVersion(live, options.resourceVersion);
    if (live.metadata.deletionTimestamp !== undefined) return;
    this.#note('delete', resource.kind, name, undefined);
    this.put({ ...live, metadata: { ...live.metadata, deletionTimestamp: this.#now() } });
  }

  serverTimeMs(): number {
    return this.nowMs;
  }

  /** One turn of everybody but the operator. Whether anything moved. */
  move(): boolean {
    const before = this.#version;
    this.nowMs += 10_000;
    this.#endWhatIsDeleted();
    for (const service of this.all('Service')) this.#address(service);
    for (const claim of this.all('PersistentVolumeClaim')) this.#provision(claim);
    for (const job of this.all('Job')) this.#finish(job);
    for (const set of this.all('StatefulSet')) this.#control(set);
    for (const pod of replicaPods(this.all('Pod'))) this.#run(pod);
    return this.#version !== before;
  }

  #endWhatIsDeleted(): void {
    const gone = (object: KubeObject) =>
      object.metadata.deletionTimestamp !== undefined && !object.metadata.finalizers?.length;
    // A claim stays while a pod uses it; one that no node has yet uses nothing.
    const used = new Set(
      this.all('Pod').flatMap((pod) =>
        pod.status === undefined
          ? []
          : [keyOf('PersistentVolumeClaim', `data-${pod.metadata.name}`)],
      ),
    );
    for (const [key, object] of this.#objects) {
      if (gone(object) && !used.has(key) && !this.#lingersOn(object)) this.#remove(key);
    }
    const uids = new Set([...this.#objects.values()].map(({ metadata }) => metadata.uid));
    for (const [key, object] of this.#objects) {
      const [owner] = object.metadata.ownerReferences ?? [];
      if (owner !== undefined && !uids.has(owner.uid) && !this.#lingersOn(object))
        this.#remove(key);
    }
  }

  #lingersOn({ kind, metadata: { name = '', uid = '' } }: KubeObject): boolean {
    const pod: Pod | undefined = kind === 'Pod' ? this.#objects.get(keyOf(kind, name)) : undefined;
    if (pod?.status === undefined || this.lingers === 0) return false;
    const turns = (this.#lingering.get(uid) ?? 0) + 1;
    this.#lingering.set(uid, turns);
    const { generation = 1, deletionTimestamp = this.#now() } = pod.metadata;
    const ended = { name: 'engine', image: '', imageID: '', ready: false, restartCount: 0 };
    const containerStatuses = [{ ...ended, state: { terminated: { exitCode: 0 } } }];
    const status = Object.assign({}, pod.status, {
      conditions: [],
      containerStatuses,
      ...(turns > this.lingers && { observedGeneration: generation }),
    });
    if (turns <= this.lingers + 1)
      this.put({ ...pod, metadata: { ...pod.metadata, deletionTimestamp }, status });
    return turns <= this.lingers + 1;
  }

  /** Whether a replica runs on this volume, where they linger. */
  #isRunOn(claim: string): boolean {
    const pod: Pod | undefined = this.#objects.get(keyOf('Pod', claim.replace(/^data-/, '')));
    const turns = this.#lingering.get(pod?.metadata.uid ?? '') ?? 0;
    return this.lingers > 0 && pod?.status !== undefined && turns <= this.lingers;
  }

  #remove(key: string): void {
    this.#version += 1;
    this.#objects.delete(key);
  }

  #address(service: Service): void {
    if (service.spec?.clusterIP !== undefined) return;
    const clusterIP = `10.96.1.${(this.#uid += 1)}`;
    this.put({ ...service, spec: Object.assign({}, service.spec, { clusterIP }) });
  }

  #provision(claim: Claim): void {
    const storage = claim.spec?.resources?.requests?.['storage'] ?? '1Gi';
    const bound = claim.status?.phase === 'Bound';
    const has = Number.parseInt(claim.status?.capacity?.['storage'] ?? '0', 10);
    // A mebibyte more than a whole size is a growth taken back: nothing grows for it.
    if (bound && (storage.endsWith('Mi') || has >= Number.parseInt(storage, 10))) return;
    const capacity = { storage: storage.endsWith('Mi') ? `${has}Gi` : storage };
    this.put({ ...claim, status: { phase: 'Bound', capacity } });
  }

  /** The agent in the Job makes a data file where there is none. */
  #finish(job: Job): void {
    if (hasSucceeded(job) || hasFailed(job) || job.metadata.deletionTimestamp !== undefined) return;
    if (job.metadata.name?.endsWith('-fill-check') === true) this.#succeed(job);
    if (job.metadata.name?.endsWith('-fill') === true) this.#fill(job);
    const [volume] = job.spec?.template.spec?.volumes ?? [];
    const name = volume?.persistentVolumeClaim?.claimName ?? '';
    const claim: Claim | undefined = this.#objects.get(keyOf('PersistentVolumeClaim', name));
    const { initContainers = [], containers = [] } = job.spec?.template.spec ?? {};
    const images = [...initContainers, ...containers];
    if (claim?.status?.phase !== 'Bound') return;
    if (images.some(({ image = '' }) => this.missingImages.has(image))) return;
    if (this.#isRunOn(name)) throw new Error(`two processes on ${name}`);
    this.files.add(claim.metadata.uid ?? '');
    this.#succeed(job);
  }

  /** Its pod tells first that its work is done, a turn later so does the Job. */
  #succeed(job: Job): void {
    const name = `${job.metadata.name}-x`;
    const pod: Pod | undefined = this.#objects.get(keyOf('Pod', name));
    if (pod?.metadata.ownerReferences?.[0]?.uid !== job.metadata.uid) {
      this.put(endedPodOf(job, name));
      return;
    }
    const done = { type: 'Complete', status: 'True' };
    const status = { conditions: [done], completionTime: this.#now() as unknown as Date };
    this.put({ ...job, status });
  }

  /** The Job that fills the cluster ends once the cluster answers. */
  #fill(job: Job): void {
    const pods = replicaPods(this.all('Pod'));
    if (pods.length > 0 && pods.every(isReady)) this.#succeed(job);
  }

  /** As the StatefulSet's controller under OnDelete with volumes that are kept. */
  #control(set: StatefulSet): void {
    if (set.metadata.deletionTimestamp !== undefined) return;
    const revision = revisionOf(set);
    const { generation = 1, name = '' } = set.metadata;
    const replicas = set.spec?.replicas ?? 0;
    const status = { replicas, observedGeneration: generation, updateRevision: revision };
    if (!isDeepStrictEqual(set.status, status)) this.put({ ...set, status });
    for (let index = 0; index < replicas; index += 1) {
      const pod: Pod | undefined = this.#objects.get(keyOf('Pod', podName(name, index)));
      if (pod === undefined || !isReady(pod)) this.#claimFor(set, index);
      if (pod === undefined) this.put(podFrom(set, index, revision));
      else this.#adopt(set, pod);
    }
    for (const pod of replicaPods(this.all('Pod'))) {
      const podIndex = Number(pod.metadata.name?.slice(name.length + 1));
      if (Number.isNaN(podIndex) || podIndex < replicas) continue;
      if (pod.metadata.deletionTimestamp !== undefined) continue;
      this.put({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: this.#now() } });
    }
  }

  /** A pod that an earlier StatefulSet left becomes this one's, by the labels that it selects. */
  #adopt(set: StatefulSet, pod: Pod): void {
    const selected = pod.metadata.labels?.[labels.workload] === set.metadata.name;
    const { ownerReferences } = podFrom(set, 0, '').metadata;
    if (!selected || isDeepStrictEqual(pod.metadata.ownerReferences, ownerReferences)) return;
    this.put({
      ...pod,
      metadata: { ...pod.metadata, ...(ownerReferences && { ownerReferences }) },
    });
  }

  #claimFor(set: StatefulSet, index: number): void {
    const [template] = set.spec?.volumeClaimTemplates ?? [];
    const name = `data-${podName(set.metadata.name ?? '', index)}`;
    if (template === undefined || this.#objects.has(keyOf('PersistentVolumeClaim', name))) return;
    this.put({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {
        name,
        ...(set.metadata.namespace === undefined ? {} : { namespace: set.metadata.namespace }),
        labels: template.metadata?.labels ?? {},
      },
      spec: template.spec ?? {},
    } satisfies Claim);
  }

  #run(pod: Pod): void {
    if (pod.metadata.deletionTimestamp !== undefined) return;
    const name = `data-${pod.metadata.name}`;
    const claim = this.#objects.get(keyOf('PersistentVolumeClaim', name));
    const going = claim?.metadata.deletionTimestamp !== undefined;
    if (claim === undefined || (going && pod.status === undefined)) return;
    const hasFile = this.files.has(claim.metadata.uid ?? '');
    const [container] = pod.spec?.containers ?? [];
    const pullable = !this.missingImages.has(container?.image ?? '');
    const problem = dataProblemOf(pod)?.reason;
    // A replica whose data file is foreign or damaged waits for a person.
    if (problem === DataProblem.foreign || problem === DataProblem.damaged) return;
    const next = !pullable ? 'unpullable' : hasFile ? 'ready' : 'missing';
    if (next === 'ready' && isReady(pod)) return;
    if (next === 'missing' && problem === DataProblem.missing) return;
    if (next === 'unpullable' && pod.status?.containerStatuses !== undefined) return;
    this.put({ ...pod, status: podStatus(next, this.#now(), pod.metadata.name ?? '') });
  }

  #note(
    verb: Write['verb'],
    kind: string,
    name: string,
    body: KubeObject | undefined,
    subresource?: string,
  ): void {
    this.onWrite({ verb, kind, name, body, subresource, before: new Map(this.#objects) });
  }

  #expectVersion(live: KubeObject, version: string | undefined): void {
    if (version !== undefined && version !== live.metadata.resourceVersion) {
      throw new ApiError('it has moved', { status: 409, reason: 'Conflict' });
    }
  }

  #change<T extends KubeObject>(live: KubeObject, next: T): T {
    if (JSON.stringify(live) === JSON.stringify(next)) return live as T;
    const before = (live as unknown as Loose).spec;
    const changed = JSON.stringify(before) !== JSON.stringify((next as unknown as Loose).spec);
    const { generation = 1, uid } = live.metadata;
    return this.put({
      ...next,
      metadata: { ...next.metadata, uid, generation: changed ? generation + 1 : generation },
    });
  }

  #newUid(): string {
    this.#uid += 1;
    return `00000000-0000-4000-8000-${String(this.#uid).padStart(12, '0')}`;
  }

  #now(): string {
    return new Date(this.nowMs).toISOString();
  }
}

/** A cache that holds these objects, and of what databases are made of only those with the label of a database's uid. */
function cacheOf<T extends KubeObject>(
  objects: ReadonlyMap<string, KubeObject>,
  resource: Resource,
): Cache<T> {
  const whole = resource === resources.database || resource === resources.catalog;
  const all = () =>
    [...objects.values()].filter(
      ({ kind, metadata }) =>
        kind === resource.kind && (whole || metadata.labels?.[labels.uid] !== undefined),
    ) as unknown as T[];
  return {
    synced: true,
    get: (_, name) => all().find((object) => object.metadata.name === name),
    list: all,
    byIndex: (uid) =>
      all().filter(
        ({ metadata }) => (whole ? metadata.uid : metadata.labels?.[labels.uid]) === uid,
      ),
  };
}

/** The objects that an operator's watches would have delivered by some instant. */
export const cachesOf = (objects: ReadonlyMap<string, KubeObject>) => ({
  databases: cacheOf<never>(objects, resources.database),
  catalogs: cacheOf<never>(objects, resources.catalog),
  services: cacheOf<never>(objects, resources.service),
  claims: cacheOf<never>(objects, resources.claim),
  jobs: cacheOf<never>(objects, resources.job),
  pods: cacheOf<never>(objects, resources.pod),
  statefulSets: cacheOf<never>(objects, resources.statefulSet),
  configMaps: cacheOf<never>(objects, resources.configMap),
  podDisruptionBudgets: cacheOf<never>(objects, resources.podDisruptionBudget),
  networkPolicies: cacheOf<never>(objects, resources.networkPolicy),
});

export const revisionOf = (set: StatefulSet): string =>
  createHash('sha256').update(canonical(set.spec?.template)).digest('hex').slice(0, 10);

export function podFrom(set: StatefulSet, index: number, revision: string): Pod {
  const { name = '', uid = '' } = set.metadata;
  const template = set.spec?.template;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: podName(name, index),
      ...(set.metadata.namespace === undefined ? {} : { namespace: set.metadata.namespace }),
      labels: { ...template?.metadata?.labels, 'controller-revision-hash': revision },
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'StatefulSet', name, uid, controller: true },
      ],
    },
    ...(template?.spec === undefined
      ? {}
      : { spec: Object.assign({}, template.spec, { nodeName: `n-${index}` }) }),
  };
}

/** The pod of a Job whose containers have all ended well. */
function endedPodOf({ metadata, spec }: Job, name: string): Pod {
  const { name: job = '', namespace, uid = '' } = metadata;
  const { template } = spec ?? {};
  const containerStatuses = (template?.spec?.containers ?? []).map((container) => ({
    name: container.name,
    image: '',
    imageID: '',
    ready: false,
    restartCount: 0,
    state: { terminated: { exitCode: 0 } },
  }));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...template?.metadata?.labels, [jobNameLabel]: job },
      ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: job, uid, controller: true }],
    },
    ...(template?.spec === undefined ? {} : { spec: template.spec }),
    status: { phase: 'Running', containerStatuses },
  };
}

export const podStates = [
  'ready',
  'starting',
  'unpullable',
  'missing',
  'foreign',
  'damaged',
] as const;
export type PodState = (typeof podStates)[number] | 'memberMissing';

export function podStatus(
  state: PodState | 'certificatesForeign',
  since: string,
  name: string,
): NonNullable<Pod['status']> {
  const lastTransitionTime = since as unknown as Date;
  const row = { name: 'engine', image: '', imageID: '', ready: state === 'ready', restartCount: 0 };
  const conditions = [
    { type: 'Ready', status: state === 'ready' ? 'True' : 'False', lastTransitionTime },
  ];
  const podIP = `10.1.0.${1 + Number(name.slice(name.lastIndexOf('-') + 1))}`;
  const base = { phase: state === 'ready' ? 'Running' : 'Pending', podIP, conditions };
  if (state === 'ready' || state === 'starting') return base;
  if (state === 'unpullable') {
    const waiting = { reason: 'ImagePullBackOff', message: 'no such image' };
    return { ...base, containerStatuses: [{ ...row, state: { waiting } }] };
  }
  const reason = state === 'certificatesForeign' ? certificatesForeign : DataProblem[state];
  const message = JSON.stringify({ reason, message: 'the check said so' });
  const terminated = { exitCode: 10, message };
  return { ...base, initContainerStatuses: [{ ...row, name: 'check', state: { terminated } }] };
}

/** Maps that the API server takes as a whole when they are applied. */
const atomic = new Set(['selector', 'podSelector', 'namespaceSelector', 'nodeSelector']);

/** Maps are merged, all else is replaced; `nullRemoves` as RFC 7396 has it. */
/** An annotation of ours that is applied no more goes. */
function withoutNotes(live: KubeObject, applied: KubeObject): KubeObject {
  const annotations = Object.fromEntries(
    Object.entries(live.metadata.annotations ?? {}).filter(
      ([key]) =>
        !key.startsWith('ledgerhouse.dev/') || applied.metadata.annotations?.[key] !== undefined,
    ),
  );
  const same = live.metadata.annotations === undefined;
  return same ? live : { ...live, metadata: { ...live.metadata, annotations } };
}

function merged(live: unknown, next: unknown, nullRemoves: boolean): unknown {
  const isMap = (value: unknown): value is Fields =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isMap(live) || !isMap(next)) return next;
  const result: Fields = { ...live };
  for (const [field, value] of Object.entries(next)) {
    if (value === undefined) continue;
    if (value === null && nullRemoves) delete result[field];
    else if (atomic.has(field)) result[field] = value;
    else result[field] = merged(live[field], value, nullRemoves);
  }
  return result;
}
