/**
 * Whole histories: a database in any state, lagging caches, an operator that dies between any two calls, while Kubernetes
 * does its part. Each promise about a write is checked against the real state when it was sent, not against what the operator
 * saw; and at the end the operator must come to rest. HISTORIES sets how many of them (150 by default); `make soak` has many more.
 */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import pino from 'pino';
import { annotations, connectLabel, labels, peerSecretName } from '../../domain/names.ts';
import {
  disorder,
  name,
  namespace,
  recipe,
  uid,
  type Recipe,
} from '../../test/support/operator/disordered-database.ts';
import { engineSays } from '../../test/support/engine/engine-says.ts';
import { Killed, lifeOf } from '../../test/support/operator/dying-kube.ts';
import type { SimulatedCluster, Write } from '../../test/support/operator/simulated-cluster.ts';
import { environmentIn } from '../../test/support/operator/simulated-environment.ts';
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import type { Claim, Job, Pod, StatefulSet } from '../../domain/kinds.ts';
import { ApiError, type Kube, type KubeObject } from '../../base/kube/kube.ts';
import { peerSecretsOf } from '../certificates/generations.ts';
import { trustOf } from '../certificates/volume.ts';
import { admissions } from '../../test/support/admissions.ts';
import { hasDoneItsWork } from './jobs.ts';
import { isReady, replicaPods } from './replica-pods.ts';
import { capacityGb, requestedGb } from './steps/volumes.ts';
import type { Environment } from './environment.ts';
import { reconcileDatabase } from './reconcile.ts';

const logger = pino({ level: 'silent' });
const histories = Number(process.env['HISTORIES'] ?? '150');

const admission = fc.constantFrom('none', 'none', 'mirror', 'restless' as const);

/** Events of one turn. */
const turn = fc.record({
  /** Number of turns by which its caches lag. */
  lag: fc.constantFrom(0, 0, 1, 2, 4),
  /** Number of writes until it dies. */
  lives: fc.constantFrom(99, 99, 0, 1, 2, 3),
  lastAnswerLost: fc.boolean(),
  idle: fc.boolean(),
  /** Whether a quota refuses everything new. */
  full: fc.constantFrom(false, false, false, true),
  /** Label that somebody takes from one of its objects, or gives another value. */
  meddled: fc.record({
    label: fc.constantFrom('none', 'none', 'maker', 'uid', 'others', 'all'),
    object: fc.nat(),
  }),
});
type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never;

const ofMaking = new Set([
  'Service',
  'Job',
  'StatefulSet',
  'ConfigMap',
  'NetworkPolicy',
  'PodDisruptionBudget',
  'PersistentVolumeClaim',
  'Pod',
]);
/** A pod without the label of its workload is its StatefulSet's no more: only the StatefulSet's controller sees it. */
const ofPods = new Set(['maker', 'uid']);

function meddle(cluster: SimulatedCluster, { label, object: at }: Turn['meddled']): void {
  const found = [...cluster.objects.values()].filter(({ kind }) => ofMaking.has(kind));
  const object = found[at % Math.max(1, found.length)];
  if (object === undefined || label === 'none') return;
  if (object.kind === 'Pod' && !ofPods.has(label)) return;
  const { [labels.managedBy]: maker = '', ...rest } = object.metadata.labels ?? {};
  const left = {
    maker: rest,
    uid: { ...rest, [labels.managedBy]: maker, [labels.uid]: 'another' },
    others: { [labels.managedBy]: maker },
    all: {},
  }[label];
  cluster.put({ ...object, metadata: { ...object.metadata, labels: left } });
}

/** Status of an engine. The engines switch to a release once all of them have it. */
function statusOf(cluster: SimulatedCluster, url: string): unknown {
  const images = replicaPods(cluster.all('Pod')).map((pod) => pod.spec?.containers[0]?.image);
  const all = images.every((image) => image?.endsWith('ledgerhouse/tigerbeetle:2'));
  const role = url.includes('10.1.0.1:') ? 'primary' : 'backup';
  // Under load an engine's op differs each time that it is asked.
  asked += 1;
  return { ...engineSays('TigerBeetle', all ? '0.17.9' : '0.17.8', role), op: asked };
}
let asked = 0;

const environmentOf = (
  cluster: SimulatedCluster,
  kube: Kube,
  past: ReadonlyMap<string, KubeObject>,
  firstVersion: string | undefined,
): Environment =>
  environmentIn(cluster, {
    kube,
    past,
    fetchStatus: (url) => Promise.resolve(statusOf(cluster, url)),
    isUntouched: ({ metadata }) => metadata.resourceVersion === firstVersion,
    // Backups are not simulated: only a database that begins with one has a bucket.
    ...(databaseIn(cluster.objects)?.spec.bootstrap?.backup !== undefined && {
      store: { url: 's3://b', region: 'r', accessKeyId: 'k', secretAccessKey: 's' },
    }),
  });

/** Version of a database that has just been made; `undefined` for one that somebody has done anything for. */
function firstVersionOf(cluster: SimulatedCluster): string | undefined {
  const database = databaseIn(cluster.objects);
  const all = [...cluster.objects.values()];
  const isAlone = !all.some(({ metadata }) => metadata.labels?.[labels.uid] === uid);
  const hasStatus = Object.keys(database?.status ?? {}).length > 0;
  return isAlone && !hasStatus ? database?.metadata.resourceVersion : undefined;
}

/** Reconciles once. A refused write is retried later, as in the controller; any other error but a death is a bug. */
async function reconcileOnce(environment: Environment): Promise<void> {
  try {
    await reconcileDatabase(environment, { namespace, name }, logger);
  } catch (error) {
    if (!(error instanceof ApiError) && !(error instanceof Killed)) throw error;
  }
}

interface History {
  readonly cluster: SimulatedCluster;
  /** Whether nothing changed any more. */
  readonly rested: boolean;
}

const turnsMax = 250;

async function live(
  made: Recipe,
  admitted: keyof typeof admissions,
  turns: readonly Turn[],
  check: (write: Write) => void,
): Promise<History> {
  const cluster = disorder(made);
  cluster.admission = admissions[admitted];
  cluster.onWrite = check;
  const past: ReadonlyMap<string, KubeObject>[] = [new Map(cluster.objects)];
  const firstVersion = firstVersionOf(cluster);
  let full = false;
  const asked = new Set<string>();
  const create = cluster.create.bind(cluster);
  cluster.create = (resource, object) => {
    const key = `${resource.kind}/${object.metadata.name}`;
    // A name that is taken would be asked for again and again.
    if (asked.has(key)) throw new Error(`${key} is made twice in one run`);
    asked.add(key);
    if (full) throw new ApiError('exceeded quota', { status: 403, reason: 'Forbidden' });
    return create(resource, object);
  };
  for (const { lag, lives, lastAnswerLost, idle, ...others } of turns) {
    meddle(cluster, others.meddled);
    asked.clear();
    full = others.full;
    const seen = past.at(-1 - lag) ?? past[0] ?? new Map<string, KubeObject>();
    const kube = lifeOf(lives, { lastAnswerLost }).wrap(cluster);
    await reconcileOnce(environmentOf(cluster, kube, seen, firstVersion));
    if (!idle) cluster.move();
    past.push(new Map(cluster.objects));
  }
  full = false;
  for (let turned = 0, quiet = 0; turned < turnsMax; turned += 1) {
    let writes = 0;
    asked.clear();
    cluster.onWrite = (write) => {
      writes += 1;
      check(write);
    };
    await reconcileOnce(environmentOf(cluster, cluster, new Map(cluster.objects), firstVersion));
    quiet = cluster.move() || writes > 0 ? 0 : quiet + 1;
    // Waits for time alone have lasted for half a minute.
    if (quiet === 3) return { cluster, rested: true };
  }
  return { cluster, rested: false };
}

const podsOf = (before: Write['before']): readonly Pod[] =>
  replicaPods([...before.values()].filter((one) => one.kind === 'Pod'));
const databaseIn = (objects: Write['before']) =>
  objects.get(`LedgerDatabase/${name}`) as unknown as DatabaseObject | undefined;

/** Promises that are checked for every write. Each returns whether it applied to the write. */
const promises: Readonly<Record<string, (write: Write) => boolean>> = {
  'a data file is made only where there was none in this database’s life'(write) {
    const { verb, kind, name: job, before } = write;
    if (verb !== 'create' || kind !== 'Job' || !job.includes('-format-')) return false;
    expect(databaseIn(before)?.status?.bootstrapped).not.toBe(true);
    expect([...before.keys()].filter((key) => key.startsWith('StatefulSet/'))).toEqual([]);
    expect(podsOf(before)).toEqual([]);
    const index = job.slice(-1);
    for (const [key, claim] of before) {
      if (!key.startsWith('PersistentVolumeClaim/data-payments') || !key.endsWith(index)) continue;
      expect(claim.metadata.annotations?.[annotations.formatted]).toBeUndefined();
    }
    const ran = [...before.values()].filter(
      ({ metadata }) =>
        metadata.labels?.[labels.uid] === uid &&
        metadata.annotations?.[annotations.engineVersion] !== undefined,
    );
    expect(ran).toEqual([]);
    return true;
  },
  'no pod that is ready is stopped while its volume would go with it'(write) {
    const { verb, kind, name: object, body, before } = write;
    if (databaseIn(before)?.metadata.deletionTimestamp !== undefined) return false;
    const set: StatefulSet | undefined = body;
    const live: StatefulSet | undefined = before.get(`StatefulSet/${object}`);
    const all = kind === 'StatefulSet' && set?.spec?.replicas === 0 && live?.spec?.replicas !== 0;
    if (!all && !(verb === 'delete' && kind === 'Pod')) return false;
    const stopped = podsOf(before).filter(
      (pod) => isReady(pod) && (all || pod.metadata.name === object),
    );
    const volumes = stopped.map((pod) =>
      before.get(`PersistentVolumeClaim/data-${pod.metadata.name}`),
    );
    expect(volumes.filter((claim) => claim?.metadata.deletionTimestamp !== undefined)).toEqual([]);
    return stopped.length > 0;
  },
  'the latch of the bootstrap never goes back'({ kind, subresource, body, before }) {
    if (kind !== 'LedgerDatabase' || subresource !== 'status') return false;
    if (databaseIn(before)?.status?.bootstrapped !== true) return false;
    expect((body as unknown as DatabaseObject).status?.bootstrapped).toBe(true);
    return true;
  },
  'cluster, workload and addresses never change'({ kind, subresource, body, before }) {
    if (kind !== 'LedgerDatabase' || subresource !== 'status') return false;
    const old = databaseIn(before)?.status;
    const now = (body as unknown as DatabaseObject).status;
    if (old?.clusterId === undefined || old.workload === undefined) return false;
    expect(now).toMatchObject({ clusterId: old.clusterId, workload: old.workload });
    for (const [index, endpoint] of (old.endpoints ?? []).entries()) {
      expect(now?.endpoints?.[index]).toEqual(endpoint);
    }
    return true;
  },
  'no volume is deleted but with its database, under the policy Delete, or before there is anything on it'(
    write,
  ) {
    const { verb, kind, name: claimName, before } = write;
    if (verb !== 'delete' || kind !== 'PersistentVolumeClaim') return false;
    const database = databaseIn(before);
    const claim: Claim | undefined = before.get(`${kind}/${claimName}`);
    if (claim?.status?.phase !== 'Bound' && database?.metadata.deletionTimestamp === undefined) {
      expect(database?.status?.bootstrapped).not.toBe(true);
      expect(claim?.metadata.annotations?.[annotations.formatted]).toBeUndefined();
      return false;
    }
    expect(database?.metadata.deletionTimestamp).toBeDefined();
    expect(database?.spec.deletionPolicy).toBe('Delete');
    return true;
  },
  'no volume is deleted that a StatefulSet would make anew'({ verb, kind, before }) {
    if (verb !== 'delete' || kind !== 'PersistentVolumeClaim') return false;
    const sets = [...before.values()].filter((one) => one.kind === 'StatefulSet');
    if (databaseIn(before)?.metadata.deletionTimestamp === undefined) return false;
    for (const { metadata, spec, status } of sets as readonly StatefulSet[]) {
      if (metadata.deletionTimestamp !== undefined) continue;
      // Nobody finds one that has lost its uid: a volume that it makes is purged like others without a database.
      if (metadata.labels?.[labels.uid] !== uid) continue;
      expect(spec?.replicas).toBe(0);
      expect(status?.observedGeneration).toBeGreaterThanOrEqual(metadata.generation ?? 0);
    }
    return sets.length > 0;
  },
  'a ready pod is deleted only while the others are a quorum without it'({
    verb,
    kind,
    name: pod,
    before,
  }) {
    if (verb !== 'delete' || kind !== 'Pod') return false;
    // All replicas of a database that goes stop, also those that have lost their StatefulSet.
    if (databaseIn(before)?.metadata.deletionTimestamp !== undefined) return false;
    const pods = podsOf(before);
    if (!pods.some((one) => one.metadata.name === pod && isReady(one))) return false;
    const replicas = databaseIn(before)?.status?.resolved?.topology?.replicas ?? 0;
    const quorum = replicas === 1 ? 0 : Math.floor(replicas / 2) + 1;
    expect(pods).toHaveLength(replicas);
    expect(pods.filter(isReady).length - 1).toBeGreaterThanOrEqual(quorum);
    return true;
  },
  'a volume’s request is not lowered below the volume’s capacity'(write) {
    const { verb, kind, name: claimName, body, before } = write;
    if (verb !== 'patch' || kind !== 'PersistentVolumeClaim' || body === undefined) return false;
    const claim: Claim | undefined = before.get(`${kind}/${claimName}`);
    const next: Claim = body;
    if (claim === undefined || requestedGb(next) >= requestedGb(claim)) return false;
    expect(requestedGb(next)).toBeGreaterThanOrEqual(capacityGb(claim) ?? 0);
    return true;
  },
  'certificates are made under a number that is on record, and none is made twice'(write) {
    const { verb, kind, name: secret, before } = write;
    if (kind !== 'Secret' || secret.includes('-store-')) return false;
    const { workload = '', peerCertificates } = databaseIn(before)?.status ?? {};
    expect([verb, secret]).toEqual([
      'create',
      peerSecretName(workload, uid, peerCertificates?.next ?? 0),
    ]);
    return true;
  },
  'certificates follow others only when every pod has those, or none is there'(write) {
    const { kind, subresource, body, before } = write;
    if (kind !== 'LedgerDatabase' || subresource !== 'status') return false;
    const old = databaseIn(before)?.status;
    const now = (body as unknown as DatabaseObject).status?.peerCertificates?.generations ?? [];
    const generations = old?.peerCertificates?.generations ?? [];
    const newest = generations.at(-1)?.number;
    if (newest === undefined || now.at(-1)?.number === newest) return false;
    const trust = peerSecretsOf(old?.workload ?? '', generations)?.trust;
    expect(podsOf(before).filter((pod) => trustOf(pod) !== trust)).toEqual([]);
    return true;
  },
  'no client reaches a cluster that is not filled, and nobody is told its addresses'(write) {
    const { verb, kind, name: object, body, before } = write;
    const database = databaseIn(before);
    if (!mustBeFilled(database) || verb === 'delete') return false;
    const lets =
      kind === 'NetworkPolicy' &&
      !object.endsWith('-store') &&
      JSON.stringify(body).includes(connectLabel(name));
    if (!lets && kind !== 'ConfigMap') return false;
    expect(database?.status?.filled).toBe(true);
    // Volumes that say that they have only a part are taken over by nobody, so that nobody may write to them.
    expect(notedIn(before)).toEqual([]);
    return true;
  },
  'a cluster counts as filled once the Job has filled it, and ever after'(write) {
    const { kind, subresource, body, before } = write;
    if (kind !== 'LedgerDatabase' || subresource !== 'status') return false;
    const database = databaseIn(before);
    if (!mustBeFilled(database)) return false;
    const { filled } = (body as unknown as DatabaseObject).status ?? {};
    if (database?.status?.filled === true) expect(filled).toBe(true);
    else if (filled === true) {
      const [job] = jobsIn(before).filter(({ metadata }) => metadata.name?.endsWith('-fill'));
      const noted = [...before.values()].filter(
        ({ metadata }) => metadata.annotations?.[annotations.filling] !== undefined,
      );
      const done = job !== undefined && hasDoneItsWork(job, podsIn(before));
      expect(done || noted.length === 0).toBe(true);
      return true;
    }
    return false;
  },
  'a cluster is filled while all replicas are ready and no client reaches them'(write) {
    const { verb, kind, name: job, before } = write;
    if (verb !== 'create' || kind !== 'Job' || !job.endsWith('-fill')) return false;
    const database = databaseIn(before);
    expect(database?.status).toMatchObject({ bootstrapped: true, filled: false });
    const workload = database?.status?.workload ?? '';
    const policy = before.get(`NetworkPolicy/${workload}`);
    // Somebody may have deleted it just now.
    expect(JSON.stringify(policy ?? {})).not.toContain(connectLabel(name));
    return true;
  },
  'what belongs to another database that is there is never written to'(write) {
    const { kind, name: object, before } = write;
    const owner = before.get(`${kind}/${object}`)?.metadata.labels?.[labels.uid];
    if (owner === undefined || owner === uid) return false;
    const living = [...before.values()].filter((one) => one.kind === 'LedgerDatabase');
    expect(living.map((one) => one.metadata.uid)).not.toContain(owner);
    return true;
  },
};

const jobsIn = (before: Write['before']): readonly Job[] =>
  [...before.values()].filter((one) => one.kind === 'Job');
const podsIn = (before: Write['before']): readonly Pod[] =>
  [...before.values()].filter((one) => one.kind === 'Pod');

/** The database's own volumes that say that their cluster is not filled. Somebody may have taken others away by their labels. */
const notedIn = (before: Write['before']): readonly KubeObject[] =>
  [...before.values()].filter(
    ({ metadata }) =>
      metadata.deletionTimestamp === undefined &&
      metadata.labels?.[labels.uid] === uid &&
      metadata.annotations?.[annotations.filling] !== undefined,
  );

const mustBeFilled = (database: DatabaseObject | undefined): boolean =>
  database?.spec.bootstrap?.backup !== undefined &&
  database.status?.resolved?.engine?.name === 'TigerBeetle';

const volumesOf = (cluster: SimulatedCluster): readonly Claim[] =>
  cluster.all('PersistentVolumeClaim').filter((one) => one.metadata.labels?.[labels.uid] === uid);

/** The database is ready, or its status says what a person must do or what it waits for. */
function expectTold({ status }: DatabaseObject): void {
  const row = (type: string) => status?.conditions?.find((one) => one.type === type);
  const told =
    row('Ready')?.status === 'True' ||
    row('Stalled')?.status === 'True' ||
    row('Suspended')?.status === 'True' ||
    row('StorageReady')?.reason === 'ExpansionNotSupported';
  expect(told ? 'told' : status?.conditions).toBe('told');
}

test('from any state and with any failure of the operator, every write keeps every promise, and the work ends', async () => {
  const checked = new Map(Object.keys(promises).map((promise) => [promise, 0]));
  const check = (write: Write) => {
    for (const [promise, holds] of Object.entries(promises)) {
      try {
        if (holds(write)) checked.set(promise, (checked.get(promise) ?? 0) + 1);
      } catch (error) {
        const { verb, kind, name: object } = write;
        throw new Error(`${promise}: ${verb} ${kind}/${object}`, { cause: error });
      }
    }
  };
  const rare = () => [...checked].filter(([, times]) => times < 3);
  // Rare cases need more than one round.
  for (let rounds = 0; rounds < 24; rounds += 1) {
    if (rounds > 0 && rare().length === 0) break;
    await fc.assert(
      fc.asyncProperty(
        recipe,
        admission,
        fc.array(turn, { maxLength: 12 }),
        async (made, admitted, turns) => {
          const { cluster, rested } = await live(made, admitted, turns, check);
          expect(rested).toBe(true);
          const database = databaseIn(cluster.objects);
          if (database !== undefined) expectTold(database);
          else if (made.deletionPolicy === 'Delete') expect(volumesOf(cluster)).toEqual([]);
        },
      ),
      { numRuns: histories },
    );
  }
  // A promise that never applies proves nothing.
  expect(rare()).toEqual([]);
});
