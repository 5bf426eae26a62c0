import { expect, test } from '@jest/globals';
import pino from 'pino';
import { disorder, name, namespace } from '../../test/support/operator/disordered-database.ts';
import { notBegun, recipeOf } from '../../test/support/operator/plan-of.ts';
import { environmentIn } from '../../test/support/operator/simulated-environment.ts';
import type { Service } from '../../domain/kinds.ts';
import { annotations } from '../../domain/names.ts';
import { ApiError, type Kube, type KubeObject, type Resource } from '../../base/kube/kube.ts';
import type { SimulatedCluster } from '../../test/support/operator/simulated-cluster.ts';
import { reconcileDatabase } from './reconcile.ts';

const logger = pino({ level: 'silent' });

interface Call {
  readonly verb: 'read' | 'list' | 'create' | 'apply' | 'patch' | 'delete';
  readonly kind: string;
  readonly name: string;
}

/** Reconciles once. Returns the calls. */
async function reconciled(cluster: SimulatedCluster, firstVersion?: string) {
  const calls: Call[] = [];
  const note = (verb: Call['verb'], { kind }: Resource, called = '') =>
    calls.push({ verb, kind, name: called });
  const kube: Kube = {
    serverTimeMs: () => cluster.serverTimeMs(),
    read(reference) {
      note('read', reference.resource, reference.name);
      return cluster.read(reference);
    },
    list(resource, options) {
      note('list', resource);
      return cluster.list(resource, options);
    },
    create(resource, object) {
      note('create', resource, object.metadata.name);
      return cluster.create(resource, object);
    },
    apply(resource, object, options) {
      note('apply', resource, object.metadata.name);
      return cluster.apply(resource, object, options);
    },
    mergePatch(reference, patch) {
      note('patch', reference.resource, reference.name);
      return cluster.mergePatch(reference, patch);
    },
    delete(reference, options) {
      note('delete', reference.resource, reference.name);
      return cluster.delete(reference, options);
    },
  };
  const environment = environmentIn(cluster, {
    kube,
    fetchStatus: () => Promise.reject(new Error('nothing runs')),
    isUntouched: ({ metadata }) => metadata.resourceVersion === firstVersion,
  });
  const outcome = await reconcileDatabase(environment, { namespace, name }, logger);
  return { calls, outcome };
}

/** The names of what is made, applied and patched while a database that is made for the first time is reconciled once. */
async function written(cluster: SimulatedCluster) {
  const { calls, outcome } = await reconciled(cluster);
  const ofWrites = new Set<Call['verb']>(['create', 'apply', 'patch']);
  return {
    names: calls.filter(({ verb }) => ofWrites.has(verb)).map((call) => call.name),
    outcome,
  };
}

/** A database of one replica for which nobody has done anything. */
function untouched() {
  const cluster = disorder(
    recipeOf(
      {
        kind: { engine: 'Builtin', topology: 'single' },
        known: 'nothing',
        set: 'absent',
        surroundings: 'absent',
      },
      { 0: { service: 'absent', claim: 'absent', pod: 'absent' } },
    ),
  );
  // The API server gives a Service its address at once.
  cluster.admission = <T extends KubeObject>(object: T): T => {
    const { spec }: Service = object;
    return object.kind === 'Service'
      ? { ...object, spec: Object.assign({}, spec, { clusterIP: '10.96.7.7' }) }
      : object;
  };
  return { cluster, firstVersion: cluster.all('LedgerDatabase')[0]?.metadata.resourceVersion };
}

/** Calls until nothing is left to do for the database, and it is Ready. */
async function callsUntilReady(cluster: SimulatedCluster, firstVersion?: string) {
  const all: Call[] = [];
  for (let quiet = 0, turns = 0; quiet < 2; turns += 1) {
    expect(turns).toBeLessThan(20);
    const { calls } = await reconciled(cluster, firstVersion);
    all.push(...calls);
    const moved = cluster.move();
    quiet = moved || calls.length > 0 ? 0 : quiet + 1;
  }
  const [database] = cluster.all('LedgerDatabase');
  const ready = database?.status?.conditions?.find(({ type }) => type === 'Ready');
  expect(ready).toMatchObject({ status: 'True' });
  return all;
}

const formatted = () =>
  disorder(
    recipeOf(
      {
        kind: { engine: 'Builtin', topology: 'single' },
        knows: notBegun,
        known: 'some',
        set: 'absent',
      },
      { 0: { formatted: false, recorded: false, format: 'succeeded', pod: 'absent' } },
    ),
  );
const claim = 'data-payments-5e1f0c-0';

test('one run goes from a data file that was made to the StatefulSet', async () => {
  const { names } = await written(formatted());
  expect(names).toEqual([name, claim, name, 'payments-5e1f0c']);
});

test('a note that admission takes away again is not written over and over', async () => {
  const cluster = formatted();
  cluster.admission = <T extends KubeObject>(object: T): T => {
    const { [annotations.formatted]: _, ...others } = object.metadata.annotations ?? {};
    return { ...object, metadata: { ...object.metadata, annotations: others } };
  };
  const { names, outcome } = await written(cluster);
  expect(names).toEqual([name, claim, claim]);
  expect(outcome.requeueAfterMs ?? Infinity).toBeGreaterThan(10_000);
});

test('a new database of one replica takes few requests until it is ready', async () => {
  const { cluster, firstVersion } = untouched();
  const calls = await callsUntilReady(cluster, firstVersion);
  const words = calls.map(({ verb, kind }) => `${verb} ${kind}`);
  // Beside these there are one event and statuses of what lasts for longer than moments.
  expect({ words, few: words.length <= 12 }).toEqual({ words, few: true });
});

test('the objects of a new database are not read when they are known; those of one whose status was lost are', async () => {
  const reads = (calls: readonly Call[]) =>
    calls.filter(({ verb }) => verb === 'read' || verb === 'list').map(({ kind }) => kind);
  const { cluster, firstVersion } = untouched();
  expect(reads(await callsUntilReady(cluster, firstVersion))).toEqual([]);
  expect(reads(await callsUntilReady(untouched().cluster))).toEqual(
    expect.arrayContaining(['PersistentVolumeClaim', 'Pod', 'StatefulSet']),
  );
});

test('the first status of a database has its addresses', async () => {
  const { cluster, firstVersion } = untouched();
  const statuses: unknown[] = [];
  cluster.onWrite = ({ subresource, body }) => {
    if (subresource === 'status') statuses.push(body);
  };
  await reconciled(cluster, firstVersion);
  expect(statuses).toHaveLength(1);
  expect(statuses[0]).toMatchObject({ status: { endpoints: [{ ip: '10.96.7.7' }] } });
});

test('another operator that was faster is noticed: what it has made is read before a data file is made', async () => {
  const { cluster, firstVersion } = untouched();
  const create = cluster.create.bind(cluster);
  cluster.create = async (resource, object) => {
    const made = await create(resource, object);
    // The other one records its decisions and makes the volume while this one makes a Service.
    if (resource.kind === 'Service') {
      cluster.create = create;
      await reconciled(cluster, firstVersion);
    }
    return made;
  };
  const { calls } = await reconciled(cluster, firstVersion);
  const kinds = calls.map(({ verb, kind }) => `${verb} ${kind}`);
  const looked = kinds.indexOf('list PersistentVolumeClaim');
  expect(looked).toBeGreaterThan(kinds.indexOf('read LedgerDatabase'));
  expect(looked).toBeLessThan(kinds.indexOf('create Job'));
});

test('a Service that is refused is asked for once, though another operator has written the status meanwhile', async () => {
  const { cluster, firstVersion } = untouched();
  let asked = 0;
  cluster.create = async () => {
    asked += 1;
    if (asked === 1) await reconciled(cluster, firstVersion);
    throw new ApiError('exceeded quota', { status: 403, reason: 'Forbidden' });
  };
  const { calls, outcome } = await reconciled(cluster, firstVersion);
  expect(calls.filter(({ verb }) => verb === 'create')).toHaveLength(1);
  expect(outcome.requeueAfterMs).toBe(1_000);
});
