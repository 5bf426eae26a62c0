/** Every rule of the custom resources on a real API server: what is taken, what is refused and in which words. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { KubeConfig } from '@kubernetes/client-node';
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { catalogName } from '../../../domain/names.ts';
import type { CatalogSpec } from '../../../domain/custom-resources.ts';
import { createKube } from '../../../base/kube/kube-http.ts';
import { createTransport, type Transport } from '../../../base/kube/transport.ts';
import { startControlPlane, type ControlPlane } from '../../../tools/cluster/control-plane.ts';
import { catalogObject, catalogSpec } from '../../fixtures/catalog.ts';
import { installDefinitions } from '../../support/operator/operator-world.ts';
import { eventually, mustRun } from '../../support/shell.ts';

let plane: ControlPlane;
let transport: Transport;
let kubectlPath = '';

beforeAll(async () => {
  plane = await startControlPlane({ controllerManager: true });
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromFile(plane.kubeconfig);
  transport = createTransport(kubeConfig);
  const kube = createKube(kubeConfig);
  await installDefinitions(kube);
  await kube.close();
  const printed = await mustRun(process.execPath, ['tools/cluster/main.ts', 'binary', 'kubectl']);
  kubectlPath = printed.trim().split('\n').at(-1) ?? '';
  await namespaceOf('org-acme');
});
afterAll(async () => {
  await transport?.close();
  await plane?.stop();
});

const kubectl = (...args: string[]) =>
  mustRun(kubectlPath, ['--kubeconfig', plane.kubeconfig, ...args]);

type Json = Record<string, unknown>;
interface Answer {
  readonly code: number;
  readonly body: Json & {
    readonly message?: string;
    readonly metadata?: { readonly uid?: string; readonly resourceVersion?: string };
    readonly spec?: Json;
    readonly status?: Json;
  };
}

async function request(
  method: string,
  path: string,
  body?: object,
  type = 'application/json',
): Promise<Answer> {
  const response = await transport.send({
    method,
    path,
    headers: { accept: 'application/json', 'content-type': type },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: AbortSignal.timeout(60_000),
  });
  return { code: response.status, body: JSON.parse(await response.text()) as Answer['body'] };
}

const own = '/apis/ledgerhouse.dev/v1alpha1';
const databases = `${own}/namespaces/org-acme/ledgerdatabases`;
const strict = 'fieldValidation=Strict';
const merge = 'application/merge-patch+json';

const namespaceOf = (name: string, metadata: object = {}) =>
  request('POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, ...metadata },
  });

const bodyOf = (kind: string, name: string, spec: unknown) => ({
  apiVersion: 'ledgerhouse.dev/v1alpha1',
  kind,
  metadata: { name },
  ...(spec === undefined ? {} : { spec }),
});

/** Asked of the API server, not stored. */
const tried = (path: string, kind: string, name: string, spec: unknown) =>
  request('POST', `${path}?dryRun=All&${strict}`, bodyOf(kind, name, spec));
const triedDatabase = (spec: unknown, name = 'payments') =>
  tried(databases, 'LedgerDatabase', name, spec);

let made = 0;
/** A stored database with a status as the operator would have written it. */
async function madeDatabase(spec: Json, status?: Json) {
  made += 1;
  const name = `made-${made}`;
  const path = `${databases}/${name}`;
  const created = await request(
    'POST',
    `${databases}?${strict}`,
    bodyOf('LedgerDatabase', name, spec),
  );
  expect([created.code, created.body.message]).toEqual([201, undefined]);
  const patchStatus = (next: Json) =>
    request('PATCH', `${path}/status?${strict}`, { status: next }, merge);
  if (status !== undefined) expect((await patchStatus(status)).code).toBe(200);
  return {
    name,
    path,
    patch: (next: Json) => request('PATCH', `${path}?${strict}`, { spec: next }, merge),
    patchStatus,
  };
}

const word = (length: number) => 'a'.repeat(length);
const manyOf = (count: number) => Array.from({ length: count }, (_, index) => `ns-${index}`);
const idMax = '340282366920938463463374607431768211455';
const databaseId = 'db_01h455vb4pex5vsknk084sn02q';

describe('a LedgerDatabase', () => {
  test.each<[string, Json, string]>([
    ['nothing but a name', {}, 'payments'],
    ['a name of 3 characters', {}, 'abc'],
    ['a name of 40 characters', {}, word(40)],
    ['a name with digits and dashes', {}, 'a-1-b2'],
    [
      'the built-in engine',
      { engine: 'Builtin', version: '0.1.0', topology: 'single' },
      'payments',
    ],
    [
      'TigerBeetle of six replicas',
      { engine: 'TigerBeetle', topology: 'ha-6', size: 'lh-160' },
      'payments',
    ],
    ['the smallest cluster id', { clusterId: '1' }, 'payments'],
    [
      'the largest cluster id',
      { clusterId: '340282366920938463463374607431768211454' },
      'payments',
    ],
    ['a place', { provider: 'local', region: 'local-1' }, 'payments'],
    ['the least storage', { storage: { sizeGb: 1 } }, 'payments'],
    ['the most storage', { storage: { tier: 'network-ssd', sizeGb: 65_536 } }, 'payments'],
    ['no storage words at all', { storage: {} }, 'payments'],
    ['as many namespaces as there may be', { access: { namespaces: manyOf(32) } }, 'payments'],
    ['parameters', { parameters: { limitConnections: '512', cacheGrid: '4GiB' } }, 'payments'],
    ['volumes of a deleted database', { bootstrap: { volumes: { databaseId } } }, 'payments'],
    ['an empty beginning', { bootstrap: {} }, 'payments'],
    ['each policy', { deletionPolicy: 'BackupThenDelete', deletionProtection: false }, 'payments'],
    ['suspension from the start', { suspend: true }, 'payments'],
  ])('is accepted with %s', async (_, spec, name) => {
    const { code, body } = await triedDatabase(spec, name);
    expect([code, body.message]).toEqual([201, undefined]);
  });

  const nameRule =
    "the name must have 3 to 40 characters, lower-case letters, digits and '-', begin with a letter and end with a letter or digit";
  test.each([
    ['ab', nameRule],
    [word(41), nameRule],
    ['1payments', nameRule],
    ['pay.ments', nameRule],
    ['payments-', 'RFC 1123 subdomain'],
    ['-payments', 'RFC 1123 subdomain'],
    ['Payments', 'RFC 1123 subdomain'],
    ['pay_ments', 'RFC 1123 subdomain'],
  ])('called %s is refused', async (name, words) => {
    const { code, body } = await triedDatabase({}, name);
    expect([code, body.message]).toEqual([422, expect.stringContaining(words)]);
  });

  test.each<[string, unknown, string]>([
    ['no spec', undefined, 'spec: Required value'],
    [
      'an engine that there is not',
      { engine: 'Postgres' },
      'spec.engine: Unsupported value: "Postgres": supported values: "Builtin", "TigerBeetle"',
    ],
    ['an empty version', { version: '' }, 'spec.version'],
    ['a version with a space', { version: '0.1 .0' }, 'spec.version: Invalid value'],
    ['a version too long', { version: '1'.repeat(33) }, 'spec.version: Too long'],
    ['a cluster id of letters', { clusterId: 'abc' }, 'spec.clusterId: Invalid value'],
    ['a cluster id with a zero before it', { clusterId: '01' }, 'spec.clusterId: Invalid value'],
    ['a negative cluster id', { clusterId: '-1' }, 'spec.clusterId: Invalid value'],
    ['a cluster id that is a number', { clusterId: 17 }, 'must be of type string'],
    [
      'the cluster id of tests',
      { clusterId: '0' },
      'clusterId must be neither 0 (which is for tests) nor 2^128 - 1; leave it out to have one chosen',
    ],
    ['the last cluster id', { clusterId: idMax }, 'clusterId must be neither 0'],
    [
      'a cluster id of 2^128',
      { clusterId: '340282366920938463463374607431768211456' },
      'clusterId must be less than 2^128',
    ],
    ['a cluster id of 40 digits', { clusterId: '1'.repeat(40) }, 'spec.clusterId: Too long'],
    ['an empty provider', { provider: '' }, 'spec.provider'],
    ['a provider too long', { provider: word(41) }, 'spec.provider: Too long'],
    ['an empty region', { region: '' }, 'spec.region'],
    ['a region too long', { region: word(41) }, 'spec.region: Too long'],
    [
      'a topology that there is not',
      { topology: 'ha-5' },
      'spec.topology: Unsupported value: "ha-5": supported values: "single", "ha-3", "ha-6"',
    ],
    [
      'too many namespaces',
      { access: { namespaces: manyOf(33) } },
      'spec.access.namespaces: Too many',
    ],
    [
      'a namespace twice',
      { access: { namespaces: ['shop', 'shop'] } },
      'spec.access.namespaces[1]: Duplicate value: "shop"',
    ],
    [
      'what is no namespace',
      { access: { namespaces: ['Shop'] } },
      'spec.access.namespaces[0]: Invalid value',
    ],
    ['an empty namespace', { access: { namespaces: [''] } }, 'spec.access.namespaces[0]'],
    [
      'a namespace too long',
      { access: { namespaces: [word(64)] } },
      'spec.access.namespaces[0]: Too long',
    ],
    ['a size without a number', { size: 'large' }, 'spec.size: Invalid value'],
    ['a size too long', { size: `lh-${'1'.repeat(14)}` }, 'spec.size: Too long'],
    ['an empty tier', { storage: { tier: '' } }, 'spec.storage.tier'],
    ['a tier too long', { storage: { tier: word(41) } }, 'spec.storage.tier: Too long'],
    [
      'no storage',
      { storage: { sizeGb: 0 } },
      'spec.storage.sizeGb: Invalid value: 0: spec.storage.sizeGb in body should be greater than or equal to 1',
    ],
    [
      'more storage than there can be',
      { storage: { sizeGb: 65_537 } },
      'should be less than or equal to 65536',
    ],
    ['half a gigabyte', { storage: { sizeGb: 0.5 } }, 'spec.storage.sizeGb'],
    ['storage as Kubernetes writes it', { storage: { sizeGb: '20Gi' } }, 'must be of type integer'],
    [
      'too many parameters',
      { parameters: Object.fromEntries(manyOf(17).map((name) => [name, '1'])) },
      'spec.parameters: Too many',
    ],
    ['a parameter too long', { parameters: { a: word(65) } }, 'spec.parameters.a: Too long'],
    ['a parameter that is a number', { parameters: { a: 1 } }, 'must be of type string'],
    ['volumes of nobody', { bootstrap: { volumes: {} } }, 'databaseId: Required value'],
    [
      'volumes of what is no database',
      { bootstrap: { volumes: { databaseId: 'payments' } } },
      'spec.bootstrap.volumes.databaseId: Invalid value',
    ],
    ['suspension in words', { suspend: 'yes' }, 'must be of type boolean'],
    ['protection in words', { deletionProtection: 'no' }, 'must be of type boolean'],
    [
      'a policy that there is not',
      { deletionPolicy: 'Forget' },
      'supported values: "Retain", "BackupThenDelete", "BackupThenRetain", "HandOver", "Delete"',
    ],
    ['a misspelt field', { deletionPolciy: 'Retain' }, 'unknown field "spec.deletionPolciy"'],
    ['a pod template', { template: {} }, 'unknown field "spec.template"'],
  ])('is refused with %s', async (_, spec, words) => {
    const { code, body } = await triedDatabase(spec);
    expect([code >= 400 && code < 500, body.message]).toEqual([
      true,
      expect.stringContaining(words),
    ]);
  });

  test('has defaults for what decides about data, and for nothing that the catalog decides', async () => {
    const { body } = await triedDatabase({});
    expect(body.spec).toEqual({
      suspend: false,
      deletionProtection: true,
      deletionPolicy: 'Retain',
    });
  });
});

const resolved = {
  engine: { name: 'Builtin', version: '0.1.0', image: 'engine:1', agentImage: 'engine:1' },
  placement: { provider: 'local', region: 'local-1' },
  topology: { name: 'single', replicas: 1 },
  size: { name: 'lh-5', cpuMillis: 250, memoryMib: 1024 },
  storage: { tier: 'network-ssd', className: 'ledgerhouse-network' },
};
const started = { resolved, clusterId: '17' };

const elsewhere = 'restore a backup into a new database';
const fixed: readonly [string, Json, Json, string][] = [
  [
    'engine',
    { engine: 'Builtin' },
    { engine: 'TigerBeetle' },
    `engine cannot be changed; ${elsewhere} instead`,
  ],
  [
    'topology',
    { topology: 'single' },
    { topology: 'ha-3' },
    `topology cannot be changed; ${elsewhere} instead`,
  ],
  [
    'clusterId',
    { clusterId: '17' },
    { clusterId: '18' },
    'clusterId cannot be changed; it is part of every data file',
  ],
  [
    'provider',
    { provider: 'local' },
    { provider: 'aws' },
    `provider and region cannot be changed; ${elsewhere} there instead`,
  ],
  [
    'region',
    { region: 'local-1' },
    { region: 'local-2' },
    `provider and region cannot be changed; ${elsewhere} there instead`,
  ],
  [
    'storage.tier',
    { storage: { tier: 'network-ssd' } },
    { storage: { tier: 'local-nvme' } },
    `storage.tier cannot be changed; ${elsewhere} instead`,
  ],
];

describe('the fields that a database was made with', () => {
  test.each(fixed)('%s, once written, does not change', async (_, first, other, words) => {
    const database = await madeDatabase(first, started);
    const { code, body } = await database.patch(other);
    expect([code, body.message]).toEqual([422, expect.stringContaining(words)]);
    expect((await database.patch(first)).code).toBe(200);
  });

  test.each(fixed)(
    '%s, left to the catalog, does not change from what the catalog said',
    async (_, first, other, words) => {
      const database = await madeDatabase({}, started);
      const { code, body } = await database.patch(other);
      expect([code, body.message]).toEqual([422, expect.stringContaining(words)]);
      // Writing down what it is changes nothing.
      expect((await database.patch(first)).code).toBe(200);
    },
  );

  test.each(fixed.slice(0, 3))(
    '%s, written before anything was made of it, stays',
    async (name, first, other, words) => {
      const database = await madeDatabase(first);
      expect((await database.patch(other)).body.message).toContain(words);
      expect((await database.patch({ [name]: null })).body.message).toContain(words);
    },
  );

  test('until the first object exists, omitted fields can still be chosen', async () => {
    const database = await madeDatabase({});
    const chosen = { engine: 'TigerBeetle', topology: 'ha-3', clusterId: '5', region: 'local-2' };
    expect((await database.patch(chosen)).code).toBe(200);
  });

  test('how it began can neither be added, changed nor removed', async () => {
    const words = 'bootstrap cannot be changed; it says how the database began';
    const volumes = { volumes: { databaseId } };
    const plain = await madeDatabase({});
    expect((await plain.patch({ bootstrap: volumes })).body.message).toContain(words);
    const restored = await madeDatabase({ bootstrap: volumes });
    const other = { volumes: { databaseId: 'db_01h455vb4pex5vsknk084sn02r' } };
    expect((await restored.patch({ bootstrap: other })).body.message).toContain(words);
    expect((await restored.patch({ bootstrap: null })).body.message).toContain(words);
    expect((await restored.patch({ bootstrap: volumes })).code).toBe(200);
  });

  test('changeable fields change: version, size, access, parameters, suspension, policy', async () => {
    const database = await madeDatabase({ version: '0.1.0', size: 'lh-5' }, started);
    const { code, body } = await database.patch({
      version: '0.2.0',
      size: 'lh-20',
      access: { namespaces: ['shop'] },
      parameters: { limitConnections: '7' },
      suspend: true,
      deletionPolicy: 'Delete',
      deletionProtection: false,
    });
    expect([code, body.message]).toEqual([200, undefined]);
  });
});

describe('storage', () => {
  const shrinks =
    'storage cannot shrink; sizeGb must be at least status.storage.acknowledgedGb, which the volumes already have';
  const has = (requestedGb: number, acknowledgedGb?: number) => ({
    ...started,
    storage: { requestedGb, ...(acknowledgedGb === undefined ? {} : { acknowledgedGb }) },
  });
  const sized = (sizeGb: number | null) => ({ storage: { sizeGb } });

  test('grows, does not shrink, and a failed growth can be taken back to the capacity of the volumes', async () => {
    const database = await madeDatabase(sized(10), has(10, 10));
    expect((await database.patch(sized(9))).body.message).toContain(shrinks);
    expect((await database.patch(sized(50))).code).toBe(200);
    expect((await database.patchStatus(has(50, 10))).code).toBe(200);
    expect((await database.patch(sized(20))).code).toBe(200);
    expect((await database.patch(sized(9))).body.message).toContain(shrinks);
    expect((await database.patch(sized(10))).code).toBe(200);
    expect((await database.patch(sized(20))).code).toBe(200);
    expect((await database.patchStatus(has(20, 20))).code).toBe(200);
    expect((await database.patch(sized(10))).body.message).toContain(shrinks);
  });

  test('that no volume has yet can be any size', async () => {
    const database = await madeDatabase(sized(100), has(100));
    expect((await database.patch(sized(1))).code).toBe(200);
  });

  test('left out again stays as it is: that is no shrinking', async () => {
    const database = await madeDatabase(sized(10), has(10, 10));
    expect((await database.patch(sized(null))).code).toBe(200);
    expect((await database.patch({ storage: null })).code).toBe(200);
    expect((await database.patch(sized(9))).body.message).toContain(shrinks);
  });

  test('that the volumes have outgrown blocks neither status, nor finalizers, nor another change that puts it right', async () => {
    // A growth was asked to be taken back while the last volume was just reaching it.
    const database = await madeDatabase(sized(25), has(30, 20));
    expect((await database.patchStatus(has(30, 30))).code).toBe(200);
    expect((await database.patchStatus({ ...has(30, 30), bootstrapped: true })).code).toBe(200);
    const finalizers = { metadata: { finalizers: ['ledgerhouse.dev/volumes'] } };
    expect((await request('PATCH', database.path, finalizers, merge)).code).toBe(200);
    expect((await database.patch({ suspend: true })).body.message).toContain(shrinks);
    expect((await database.patch({ suspend: true, ...sized(30) })).code).toBe(200);
    const released = { metadata: { finalizers: null } };
    expect((await request('PATCH', database.path, released, merge)).code).toBe(200);
  });
});

describe('the status', () => {
  const full = {
    ...started,
    observedGeneration: 1,
    databaseId,
    workload: 'made-1-abcdef',
    bootstrapped: true,
    addresses: '10.96.0.7:3001',
    replicas: { desired: 1, ready: 1, healthy: 1, summary: '1/1' },
    endpoints: [{ index: 0, ip: '10.96.0.7', port: 3001 }],
    members: [{ index: 0, pod: 'made-1-abcdef-0', state: 'Ready', node: 'node-1' }],
    version: { desired: '0.1.0', rolled: 1, active: '0.1.0' },
    storage: { requestedGb: 10, acknowledgedGb: 10, capacityGb: 10, summary: '10Gi' },
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        reason: 'AllHealthy',
        message: 'all replicas are healthy',
        observedGeneration: 1,
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ],
  };

  test('is kept whole, and writing it changes neither spec nor generation', async () => {
    const database = await madeDatabase({});
    const { code, body } = await database.patchStatus(full);
    expect([code, body.status]).toEqual([200, full]);
    expect(body.metadata).toMatchObject({ generation: 1 });
  });

  test('is not written together with the spec, nor the spec with it', async () => {
    const database = await madeDatabase({});
    const both = { spec: { size: 'lh-10' }, status: full };
    const one = await request('PATCH', database.path, both, merge);
    expect(one.body.status).toBeUndefined();
    expect(one.body.spec).toMatchObject({ size: 'lh-10' });
    const smaller = { spec: { size: 'lh-5' }, status: full };
    const other = await request('PATCH', `${database.path}/status`, smaller, merge);
    expect(other.body.spec).toMatchObject({ size: 'lh-10' });
    expect(other.body.status).toMatchObject({ workload: full.workload });
  });

  test.each<[string, Json]>([
    ['seven members', { members: manyOf(7).map((pod, index) => ({ index, pod, state: 'Ready' })) }],
    ['a member twice', { members: ['a', 'b'].map((pod) => ({ index: 0, pod, state: 'Ready' })) }],
    ['a state that there is not', { members: [{ index: 0, pod: 'a', state: 'Confused' }] }],
    ['seven replicas', { resolved: { topology: { name: 'ha-7', replicas: 7 } } }],
    ['a condition twice', { conditions: [full.conditions[0], full.conditions[0]] }],
    [
      'a condition of no known status',
      { conditions: [{ ...full.conditions[0], status: 'Maybe' }] },
    ],
    ['a phase', { phase: 'Running' }],
  ])('with %s is refused', async (_, status) => {
    const database = await madeDatabase({});
    const { code } = await database.patchStatus(status);
    expect(code >= 400 && code < 500).toBe(true);
  });

  test('is what kubectl prints', async () => {
    const database = await madeDatabase({ size: 'lh-5' });
    await database.patchStatus(full);
    const rows = async (...args: string[]) =>
      (await kubectl('-n', 'org-acme', 'get', ...args))
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/ {2,}/));
    const [columns, row] = await rows('ldb', database.name);
    expect(columns?.map((one) => one.trim())).toEqual([
      'NAME',
      'ENGINE',
      'TOPOLOGY',
      'SIZE',
      'REPLICAS',
      'READY',
      'STATUS',
      'VERSION',
      'STORAGE',
      'AGE',
    ]);
    expect(row?.slice(0, -1).map((one) => one.trim())).toEqual([
      database.name,
      'Builtin',
      'single',
      'lh-5',
      '1/1',
      'True',
      'AllHealthy',
      '0.1.0',
      '10Gi',
    ]);
    const [wide, wideRow] = await rows('ldb', database.name, '-o', 'wide');
    expect(wide?.slice(-2).map((one) => one.trim())).toEqual(['ADDRESSES', 'MESSAGE']);
    expect(wideRow?.slice(-2).map((one) => one.trim())).toEqual([
      '10.96.0.7:3001',
      'all replicas are healthy',
    ]);
  });
});

describe('storage that grows by itself', () => {
  test('has a limit of at least its size', async () => {
    const storage = { sizeGb: 20, autogrow: { limitGb: 19 } };
    const { code, body } = await triedDatabase({ storage });
    expect([code, body.message]).toEqual([
      422,
      expect.stringContaining('autogrow.limitGb must be at least sizeGb'),
    ]);
  });

  test('keeps its size in the spec while other fields change; without it, the spec has the capacity of the volumes', async () => {
    const { patch } = await madeDatabase(
      { storage: { sizeGb: 20, autogrow: { limitGb: 100 } } },
      { storage: { requestedGb: 24, acknowledgedGb: 24 }, autogrow: { sizeGb: 24, fromGb: 20 } },
    );
    expect((await patch({ size: 'lh-20' })).code).toBe(200);
    const without = await patch({ storage: { autogrow: null } });
    expect([without.code, without.body.message]).toEqual([
      422,
      expect.stringContaining('storage cannot shrink'),
    ]);
    expect((await patch({ storage: { autogrow: null, sizeGb: 24 } })).code).toBe(200);
  });
});

describe('settings of pods', () => {
  const accepted = {
    tolerations: [{ key: 'fast', operator: 'Equal', value: 'yes', effect: 'NoSchedule' }],
    imagePullSecrets: ['mirror'],
    labels: { team: 'payments' },
    annotations: { team: 'the one that pays' },
    architecture: 'arm64',
    qosClass: 'Guaranteed',
    excludeFromMesh: true,
  };
  test('are accepted', async () => {
    const { code, body } = await triedDatabase({ pods: accepted });
    expect([code, body.message]).toEqual([201, undefined]);
  });

  test.each<[string, object, string]>([
    [
      'control-plane nodes',
      { tolerations: [{ key: 'node-role.kubernetes.io/control-plane', operator: 'Exists' }] },
      'taints of Kubernetes itself',
    ],
    ['every taint', { tolerations: [{ operator: 'Exists' }] }, 'key: Required value'],
    ['every taint by an empty key', { tolerations: [{ key: '', operator: 'Exists' }] }, 'key'],
    [
      'a value that cannot be compared',
      { tolerations: [{ key: 'a', operator: 'Exists', value: 'b' }] },
      'a toleration with operator Exists has no value',
    ],
    ['a priority', { priorityClassName: 'system-node-critical' }, 'unknown field'],
    ['our labels', { labels: { 'ledgerhouse.dev/workload': 'x' } }, 'have no prefix'],
    ['labels of add-ons', { labels: { 'azure.workload.identity/use': 'true' } }, 'have no prefix'],
    ["labels of Kubernetes' controllers", { labels: { 'job-name': 'x' } }, 'have no prefix'],
    ['annotations of add-ons', { annotations: { 'iam.amazonaws.com/role': 'x' } }, 'no prefix'],
    ['labels that are none', { labels: { team: 'a b' } }, 'team'],
  ])('of a database do not reach %s', async (_, pods, words) => {
    const { code, body } = await triedDatabase({ pods });
    expect([code, body.message]).toEqual([
      code === 400 ? 400 : 422,
      expect.stringContaining(words),
    ]);
  });
});

describe('the catalog', () => {
  const path = `${own}/ledgercatalogs`;
  const triedCatalog = (spec: unknown, name = catalogName) =>
    tried(path, 'LedgerCatalog', name, spec);
  const base = catalogSpec();
  const edited = (edit: (spec: Json & CatalogSpec) => void): unknown => {
    const copy = JSON.parse(JSON.stringify(base)) as Json & CatalogSpec;
    edit(copy);
    return copy;
  };
  const set = (target: string, value: unknown) =>
    edited((spec) => {
      const keys = target.split('.');
      const last = keys.pop() ?? '';
      let inner = spec as Json;
      for (const key of keys) inner = inner[key] as Json;
      inner[last] = value;
    });

  test('is accepted, with its defaults', async () => {
    const tier = { ...base.storageTiers[0], growable: undefined };
    const bare = {
      ...base,
      providers: [{ id: 'p', name: 'P', regions: [{ id: 'r', name: 'R' }] }],
      storageTiers: [tier],
      engines: [
        {
          name: 'Builtin',
          defaultVersion: '1',
          versions: [{ version: '1', release: '1', image: 'i' }],
        },
      ],
      retention: {},
    };
    const { code, body } = await triedCatalog(bare);
    expect([code, body.message]).toEqual([201, undefined]);
    expect(body.spec).toMatchObject({
      providers: [{ provisioning: 'AUTOMATIC' }],
      storageTiers: [{ growable: true }],
      engines: [{ versions: [{ deprecated: false }] }],
      retention: { deletedVolumesDays: 7 },
    });
  });

  const withPods = (pods: object, region: object = {}) => {
    const regions = [{ id: 'r', name: 'R', ...region, pods }];
    return { ...base, providers: [{ id: 'p', name: 'P', regions }] };
  };

  test('takes settings of pods that only administrators may have', async () => {
    const { code, body } = await triedCatalog(
      withPods({
        tolerations: [{ operator: 'Exists' }],
        tolerationKeys: ['fast'],
        priorityClassName: 'system-node-critical',
        labels: { 'azure.workload.identity/use': 'true' },
        annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' },
      }),
    );
    expect([code, body.message]).toEqual([201, undefined]);
  });

  test.each<[string, unknown, string]>([
    [
      'our labels',
      withPods({ labels: { 'ledgerhouse.dev/role': 'job' } }),
      'cannot hold labels of',
    ],
    [
      "labels of Kubernetes' controllers",
      withPods({ labels: { 'pod-template-hash': '1' } }),
      'cannot hold labels of',
    ],
    [
      'our annotations',
      withPods({ annotations: { 'ledgerhouse.dev/formatted': 'x' } }),
      'cannot hold keys that begin with',
    ],
    [
      'Guaranteed pods of half a processor',
      withPods({ qosClass: 'Guaranteed' }, { cpuRequestPercent: 50 }),
      'needs a cpuRequestPercent of 100',
    ],
  ])('refuses settings of pods: %s', async (_, spec, words) => {
    const { code, body } = await triedCatalog(spec);
    expect([code, body.message]).toEqual([422, expect.stringContaining(words)]);
  });

  const dates = {
    availableFrom: '2030-01-01T00:00:00Z',
    forcedAt: '2030-02-01T00:00:00Z',
    deprecatedAt: '2031-01-01T00:00:00Z',
  };
  const withDates = (version: object) =>
    edited((spec) => {
      const [first] = spec['engines'] as unknown as { versions: object[] }[];
      first?.versions.push({
        version: '9.0.0',
        release: '0.17.9',
        image: 'i',
        upgradableFrom: ['0.1.0'],
        ...version,
      });
    });

  test('announces versions', async () => {
    const { code, body } = await triedCatalog(withDates(dates));
    expect([code, body.message]).toEqual([201, undefined]);
  });

  test.each<[string, object, string]>([
    [
      'that are forced before they can be chosen',
      { ...dates, forcedAt: '2029-12-31T23:59:59Z' },
      'forcedAt must not be before availableFrom',
    ],
    ['that are only forced', { forcedAt: dates.forcedAt }, 'needs availableFrom'],
    [
      'that are deprecated before they are there',
      { ...dates, deprecatedAt: dates.availableFrom },
      'deprecatedAt must be after availableFrom',
    ],
    [
      'that are forced once they are deprecated',
      { ...dates, deprecatedAt: dates.forcedAt },
      'deprecatedAt must be after forcedAt',
    ],
    ['that are forced although deprecated', { ...dates, deprecated: true }, 'cannot have forcedAt'],
    ['that no database reaches', { ...dates, upgradableFrom: [] }, 'needs upgradableFrom'],
    [
      'that cannot be told from older ones',
      { ...dates, version: '9.0.0-rc.1' },
      'consists of numbers',
    ],
    ['at a time that is none', { availableFrom: 'tomorrow' }, 'availableFrom'],
    ['on a day that is none', { availableFrom: '2030-02-30T00:00:00Z' }, 'availableFrom'],
    ['without a time zone', { availableFrom: '2030-02-01T00:00:00' }, 'availableFrom'],
  ])('refuses versions %s', async (_, version, words) => {
    const { code, body } = await triedCatalog(withDates(version));
    expect([code, body.message]).toEqual([422, expect.stringContaining(words)]);
  });

  test('has one name', async () => {
    const { code, body } = await triedCatalog(base, 'other');
    expect([code, body.message]).toEqual([
      422,
      expect.stringContaining('there is one catalog, and its name is default'),
    ]);
  });

  test.each<[string, unknown, string]>([
    ['no spec', undefined, 'spec: Required value'],
    ['no defaults', set('defaults', undefined), 'spec.defaults: Required value'],
    ['no default engine', set('defaults.engine', undefined), 'engine: Required value'],
    ['no default storage', set('defaults.storageGb', 0), 'greater than or equal to 1'],
    ['no providers', set('providers', []), 'spec.providers'],
    [
      'a provider twice',
      set('providers', [base.providers[0], base.providers[0]]),
      'Duplicate value',
    ],
    ['a provider without regions', set('providers.0.regions', []), 'spec.providers[0].regions'],
    ['a provider in capitals', set('providers.0.id', 'AWS'), 'spec.providers[0].id'],
    [
      'a provisioning that there is not',
      set('providers.0.provisioning', 'MAGIC'),
      'supported values: "AUTOMATIC", "MANUAL"',
    ],
    ['a region in capitals', set('providers.0.regions.0.id', 'EU'), 'regions[0].id'],
    ['a topology of its own', set('topologies.0.id', 'ha-9'), 'Unsupported value'],
    [
      'a topology of another count',
      set('topologies.1.replicas', 6),
      'single has 1 replica, ha-3 has 3, ha-6 has 6',
    ],
    ['a size without a number', set('sizes.0.id', 'small'), 'spec.sizes[0].id'],
    ['a size without memory', set('sizes.0.memoryMib', undefined), 'memoryMib: Required value'],
    ['a size with hardly any memory', set('sizes.0.memoryMib', 64), 'greater than or equal to 128'],
    [
      'a size for an engine that there is not',
      set('sizes.0.engines', ['Other']),
      'Unsupported value',
    ],
    [
      'a tier that ends before it begins',
      set('storageTiers.0.minGb', 101),
      'minGb must not be more than maxGb',
    ],
    ['a tier without a class', set('storageTiers.0.className', ''), 'className'],
    ['a tier of no step', set('storageTiers.0.stepGb', 0), 'greater than or equal to 1'],
    [
      'an unavailable pair without a reason',
      set('capabilities.0.reason', undefined),
      'a pair that is not available needs a reason',
    ],
    [
      'an unavailable pair with an empty reason',
      set('capabilities.0.reason', ''),
      'a pair that is not available needs a reason',
    ],
    ['an engine twice', set('engines', [base.engines[0], base.engines[0]]), 'Duplicate value'],
    ['an engine without versions', set('engines.0.versions', []), 'spec.engines[0].versions'],
    ['a version without an image', set('engines.0.versions.0.image', ''), 'image'],
    ['a version with a space', set('engines.0.versions.0.version', '0 1'), 'version'],
    ['a flag without dashes', set('engines.0.parameters.0.flag', 'limit'), 'flag'],
    ['a flag with a value', set('engines.0.parameters.0.flag', '--limit=1'), 'flag'],
    [
      'a parameter of no known type',
      set('engines.0.parameters.0.type', 'float'),
      'Unsupported value',
    ],
    ['a price in words', set('prices.sizes.0.monthly', 'cheap'), 'monthly'],
    ['a price of five places', set('prices.sizes.0.monthly', '0.00001'), 'monthly'],
    ['a negative price', set('prices.sizes.0.monthly', '-1'), 'monthly'],
    ['a currency of its own', set('prices.currency', 'Euro'), 'currency'],
    [
      'a retention below zero',
      set('retention.deletedVolumesDays', -1),
      'greater than or equal to 0',
    ],
    ['a misspelt field', set('sises', []), 'unknown field "spec.sises"'],
  ])('is refused with %s', async (_, spec, words) => {
    const { code, body } = await triedCatalog(spec);
    expect([code >= 400 && code < 500, body.message]).toEqual([
      true,
      expect.stringContaining(words),
    ]);
  });

  test('prints whether it is valid', async () => {
    expect((await request('POST', path, catalogObject())).code).toBe(201);
    const status = {
      conditions: [
        {
          type: 'Valid',
          status: 'True',
          reason: 'Valid',
          message: 'databases can be made from it',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    };
    await request('PATCH', `${path}/default/status`, { status }, merge);
    expect(
      (await kubectl('get', 'lcat')).split('\n').map((line) => line.split(/ +/).slice(0, 3)),
    ).toEqual([['NAME', 'VALID', 'STATUS'], ['default', 'True', 'Valid'], ['']]);
  });
});

describe('backups and schedules', () => {
  const backups = `${own}/namespaces/org-acme/ledgerbackups`;
  const schedules = `${own}/namespaces/org-acme/ledgerbackupschedules`;

  test('a backup does not change', async () => {
    const body = bodyOf('LedgerBackup', 'monday', { database: 'payments' });
    expect((await request('POST', `${backups}?${strict}`, body)).code).toBe(201);
    const patch = { spec: { database: 'orders' } };
    const { code, body: answer } = await request('PATCH', `${backups}/monday`, patch, merge);
    expect([code, answer.message]).toEqual([
      422,
      expect.stringContaining('a backup cannot be changed; make another'),
    ]);
  });

  test('a backup is protected, given an end, a fate of its objects, and a test, after it was made', async () => {
    const body = bodyOf('LedgerBackup', 'tuesday', { database: 'payments' });
    const made = await request('POST', `${backups}?${strict}`, body);
    expect(made.body.spec).toEqual({
      database: 'payments',
      type: 'Manual',
      protected: false,
      reclaimPolicy: 'Retain',
      removeRequested: false,
    });
    const at = '2027-01-01T00:00:00Z';
    const spec = {
      protected: true,
      reclaimPolicy: 'Delete',
      expiresAt: at,
      verifyRequestedAt: at,
      removeRequested: true,
    };
    const changed = await request('PATCH', `${backups}/tuesday`, { spec }, merge);
    expect([changed.code, changed.body.spec]).toEqual([200, expect.objectContaining(spec)]);
    for (const other of [{ type: 'Final' }, { removeRequested: false }])
      expect((await request('PATCH', `${backups}/tuesday`, { spec: other }, merge)).code).toBe(422);
  });

  test('a name that leaves no room for what is made of it is refused', async () => {
    const long = bodyOf('LedgerBackup', word(64), { database: 'payments' });
    const answer = await request('POST', `${backups}?${strict}`, long);
    expect([answer.code, answer.body.message]).toEqual([
      422,
      expect.stringContaining('a backup has at most 63 characters'),
    ]);
    const spec = { database: 'payments', schedule: '0 3 * * *' };
    const schedule = bodyOf('LedgerBackupSchedule', word(51), spec);
    const refused = await request('POST', `${schedules}?${strict}`, schedule);
    expect([refused.code, refused.body.message]).toEqual([
      422,
      expect.stringContaining('a schedule has at most 50 characters'),
    ]);
  });

  test.each<[string, Json | undefined, string]>([
    ['no spec', undefined, 'spec: Required value'],
    ['no database', {}, 'spec.database: Required value'],
    ['what can be no database', { database: 'ab' }, 'spec.database'],
    ['a database too long', { database: word(41) }, 'spec.database: Too long'],
  ])('a backup of %s is refused', async (_, spec, words) => {
    const { code, body } = await tried(backups, 'LedgerBackup', 'monday', spec);
    expect([code, body.message]).toEqual([422, expect.stringContaining(words)]);
  });

  test('a schedule keeps its database, and may change all else', async () => {
    const spec = { database: 'payments', schedule: '0 3 * * *' };
    const body = bodyOf('LedgerBackupSchedule', 'nightly', spec);
    const created = await request('POST', `${schedules}?${strict}`, body);
    expect(created.body.spec).toEqual({
      ...spec,
      timeZone: 'Etc/UTC',
      startingDeadlineSeconds: 43_200,
      jitterSeconds: 0,
      immediate: false,
      keepLast: 7,
      keepFailed: 3,
      reclaimPolicy: 'Delete',
      verify: 'Weekly',
      suspend: false,
    });
    const patch = (next: Json) => request('PATCH', `${schedules}/nightly`, { spec: next }, merge);
    expect((await patch({ database: 'orders' })).body.message).toContain(
      'database cannot be changed; make another schedule',
    );
    expect((await patch({ schedule: '*/5 * * * 1-5', keepLast: 100, suspend: true })).code).toBe(
      200,
    );
  });

  test.each<[string, Json, string]>([
    ['no time', {}, 'spec.schedule: Required value'],
    ['four fields', { schedule: '0 3 * *' }, 'spec.schedule'],
    ['six fields', { schedule: '0 0 3 * * *' }, 'spec.schedule'],
    ['none to keep', { schedule: '0 3 * * *', keepLast: 0 }, 'greater than or equal to 1'],
    ['too many to keep', { schedule: '0 3 * * *', keepLast: 101 }, 'less than or equal to 100'],
  ])('a schedule with %s is refused', async (_, spec, words) => {
    const full = { database: 'payments', ...spec };
    const { code, body } = await tried(schedules, 'LedgerBackupSchedule', 'nightly', full);
    expect([code, body.message]).toEqual([422, expect.stringContaining(words)]);
  });
});

test('short names and the category find every kind', async () => {
  const { body } = await request('GET', own);
  const kinds = (body['resources'] as (Json & { name: string })[])
    .filter(({ name }) => !name.includes('/'))
    // The API server lists them in the order in which it came to serve them.
    .sort((one, other) => one.name.localeCompare(other.name))
    .map(({ name, shortNames, categories, namespaced }) => [
      name,
      shortNames,
      categories,
      namespaced,
    ]);
  expect(kinds).toEqual([
    ['ledgerbackups', ['lbk'], ['ledgerhouse'], true],
    ['ledgerbackupschedules', ['lbs'], ['ledgerhouse'], true],
    ['ledgercatalogs', ['lcat'], ['ledgerhouse'], false],
    ['ledgerdatabases', ['ldb'], ['ledgerhouse'], true],
    ['ledgerimports', ['lim'], ['ledgerhouse'], true],
  ]);
  for (const name of ['ldb', 'lbk', 'lbs', 'lcat', 'lim', 'ledgerhouse']) {
    await kubectl('-n', 'org-acme', 'get', name);
  }
});

test('every field of a spec is explained to those who ask kubectl', async () => {
  const explained = await kubectl('explain', 'ledgerdatabase.spec');
  expect(explained).toContain('While true, the API server refuses to delete the resource.');
});

describe('definitions', () => {
  const files = readdirSync('crds').filter((name) => name.endsWith('.yaml'));

  test.each(files)('%s is small enough for kubectl apply', (file) => {
    const json = JSON.stringify(parse(readFileSync(`crds/${file}`, 'utf8')));
    // The annotation that client-side apply keeps the whole object in holds no more.
    expect(json.length).toBeLessThan(262_144 / 2);
  });

  test.each([
    ...files.map((file) => `crds/${file}`),
    ...readdirSync('crds/policies').map((file) => `crds/policies/${file}`),
  ])('%s is stored as it is written: GitOps sees no difference', async (file) => {
    const documents = readFileSync(file, 'utf8').split(/^---$/m);
    for (const document of documents) {
      const shipped = parse(document) as { kind: string; metadata: { name: string } };
      const printed = await kubectl('get', shipped.kind, shipped.metadata.name, '-o', 'json');
      expect(lost(shipped, JSON.parse(printed))).toEqual([]);
    }
  });

  test('each is served without a complaint of the API server', async () => {
    for (const file of files) {
      const [name = ''] = file.split('.');
      const crd = await kubectl('get', 'crd', `${name}.ledgerhouse.dev`, '-o', 'json');
      const { status } = JSON.parse(crd) as {
        status: { conditions: { type: string; status: string; message: string }[] };
      };
      const conditions = status.conditions.map((row) => [row.type, row.status]);
      expect(conditions).toEqual(
        expect.arrayContaining([
          ['NamesAccepted', 'True'],
          ['Established', 'True'],
        ]),
      );
      expect(conditions).not.toContainEqual(['NonStructuralSchema', 'True']);
    }
  });
});

/** Paths where what was shipped is not what is stored. What the API server adds is no loss. */
function lost(shipped: unknown, stored: unknown, path = ''): string[] {
  if (Array.isArray(shipped)) {
    const same = Array.isArray(stored) && stored.length === shipped.length;
    return same
      ? shipped.flatMap((one, index) =>
          lost(one, (stored as unknown[])[index], `${path}[${index}]`),
        )
      : [path];
  }
  if (typeof shipped === 'object' && shipped !== null) {
    if (typeof stored !== 'object' || stored === null) return [path];
    return Object.entries(shipped).flatMap(([key, value]) =>
      lost(value, (stored as Json)[key], `${path}.${key}`),
    );
  }
  return shipped === stored ? [] : [path];
}

describe('deletion', () => {
  const protection = (name: string) =>
    'the database is protected; to delete it, first run: kubectl -n org-acme patch ldb ' +
    `${name} --type=merge -p '{"spec":{"deletionProtection":false}}'`;

  beforeAll(async () => {
    // Policies are enforced a moment after they are made.
    const probe = await madeDatabase({});
    await eventually('deletion protection', async () => {
      const { code } = await request('DELETE', `${probe.path}?dryRun=All`);
      return code === 403 ? true : undefined;
    });
  });

  test('of a protected database is refused with the command that allows it', async () => {
    const database = await madeDatabase({});
    const { code, body } = await request('DELETE', database.path);
    expect([code, body.message]).toEqual([403, expect.stringContaining(protection(database.name))]);
    expect((await request('GET', database.path)).code).toBe(200);
    // The command is real.
    const [, command = ''] = protection(database.name).split('kubectl ');
    await kubectl(...command.split(' ').map((part) => part.replaceAll("'", '')));
    expect((await request('DELETE', database.path)).code).toBe(200);
    expect((await request('GET', database.path)).code).toBe(404);
  });

  test('of all protected databases at once is refused too', async () => {
    const database = await madeDatabase({});
    const selector = `fieldSelector=metadata.name%3D${database.name}`;
    expect((await request('DELETE', `${databases}?${selector}`)).code).toBe(403);
    expect((await request('GET', database.path)).code).toBe(200);
  });

  test('of a database that is not protected goes through', async () => {
    const database = await madeDatabase({ deletionProtection: false });
    expect((await request('DELETE', database.path)).code).toBe(200);
  });

  test('of a namespace without an organization goes through, protected databases and all', async () => {
    await namespaceOf('plain');
    const path = `${own}/namespaces/plain/ledgerdatabases`;
    await request('POST', path, bodyOf('LedgerDatabase', 'payments', {}));
    expect((await request('DELETE', `${path}/payments`)).code).toBe(403);
    expect((await request('DELETE', '/api/v1/namespaces/plain')).code).toBe(200);
    await eventually('the namespace is gone', async () => {
      const { code } = await request('GET', '/api/v1/namespaces/plain');
      return code === 404 ? true : undefined;
    });
  });

  test("of an organization's namespace is refused until someone allows it on the namespace, then it goes", async () => {
    await namespaceOf('org-bolt', { labels: { 'ledgerhouse.dev/organization': 'org_1' } });
    const path = `${own}/namespaces/org-bolt/ledgerdatabases`;
    await request('POST', path, bodyOf('LedgerDatabase', 'payments', {}));
    const { code, body } = await request('DELETE', '/api/v1/namespaces/org-bolt');
    expect([code, body.message]).toEqual([
      403,
      expect.stringContaining(
        'the namespace holds an organization with its databases; to delete it and all their data, first run: kubectl annotate namespace org-bolt ledgerhouse.dev/allow-deletion=true',
      ),
    ]);
    await kubectl('annotate', 'namespace', 'org-bolt', 'ledgerhouse.dev/allow-deletion=false');
    expect((await request('DELETE', '/api/v1/namespaces/org-bolt')).code).toBe(403);
    await kubectl(
      'annotate',
      'namespace',
      'org-bolt',
      '--overwrite',
      'ledgerhouse.dev/allow-deletion=true',
    );
    expect((await request('DELETE', '/api/v1/namespaces/org-bolt')).code).toBe(200);
    await eventually('the namespace is gone', async () => {
      const { code: found } = await request('GET', '/api/v1/namespaces/org-bolt');
      return found === 404 ? true : undefined;
    });
  });

  describe('of a claim', () => {
    const claims = '/api/v1/namespaces/org-acme/persistentvolumeclaims';
    let made = 0;

    /** A claim of the database with this uid. The controllers delete none, since no pod uses it. */
    async function claimOf(
      uid: string,
      changes: { formatted?: boolean; handedOver?: string; ours?: boolean; maker?: string } = {},
    ) {
      const { formatted = true, ours: isOurs = true, maker = 'ledgerhouse-operator' } = changes;
      const { handedOver } = changes;
      const name = `data-volumes-${(made += 1)}`;
      const { code } = await request('POST', claims, {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: {
          name,
          labels: {
            ...(isOurs ? { 'ledgerhouse.dev/database-uid': uid } : {}),
            'app.kubernetes.io/managed-by': maker,
          },
          annotations: {
            ...(formatted && { 'ledgerhouse.dev/formatted': '17/0' }),
            ...(handedOver !== undefined && { 'ledgerhouse.dev/handed-over': handedOver }),
          },
        },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      });
      expect(code).toBe(201);
      return { name, path: `${claims}/${name}`, tryIt: `${claims}/${name}?dryRun=All` };
    }
    const uidOf = async (path: string) => (await request('GET', path)).body.metadata?.uid ?? '';
    const codeOf = async (path: string) => (await request('DELETE', path)).code;

    test('of a protected database is refused with the command that allows it', async () => {
      const database = await madeDatabase({});
      const claim = await claimOf(await uidOf(database.path));
      // The policy learns of a new database a moment later.
      const { body } = await eventually('the claim is protected', async () => {
        const answer = await request('DELETE', claim.tryIt);
        return answer.code === 403 ? answer : undefined;
      });
      const command = `kubectl -n org-acme annotate pvc ${claim.name} ledgerhouse.dev/allow-deletion=true`;
      expect(body.message).toContain(
        `the claim holds data of the protected database ${database.name}; to delete it, first run: ${command}`,
      );
      expect(await codeOf(`${claims}?fieldSelector=metadata.name%3D${claim.name}`)).toBe(403);
      await kubectl(...command.slice('kubectl '.length).replace('=true', '=no').split(' '));
      expect(await codeOf(claim.tryIt)).toBe(403);
      await kubectl(...`${command.slice('kubectl '.length)} --overwrite`.split(' '));
      expect(await codeOf(claim.path)).toBe(200);
    });

    test('of a protected database is refused also where somebody changed the label of its maker', async () => {
      const database = await madeDatabase({});
      const claim = await claimOf(await uidOf(database.path), { maker: 'Helm' });
      await eventually('the claim is protected', async () =>
        (await codeOf(claim.tryIt)) === 403 ? true : undefined,
      );
    });

    test('that is left to another database is refused while no database has it, until somebody allows it or takes the mark off', async () => {
      const nobody = '00000000-0000-4000-8000-000000000000';
      // As an operator of the release before marked it, too; the file of a volume on its way may be unnamed.
      for (const handedOver of ['true', '2026-11-26T18:00:00Z']) {
        const claim = await claimOf(nobody, { handedOver, formatted: false });
        const { code, body } = await request('DELETE', claim.tryIt);
        const command = `kubectl -n org-acme annotate pvc ${claim.name} ledgerhouse.dev/allow-deletion=true`;
        expect([code, body.message]).toEqual([
          403,
          expect.stringContaining(
            `the claim is left to a database that goes on with it, and may be the only one with its data; to delete it, first run: ${command}`,
          ),
        ]);
        expect(await codeOf(`${claims}?fieldSelector=metadata.name%3D${claim.name}`)).toBe(403);
        await kubectl(...`${command.slice('kubectl '.length)} --overwrite`.split(' '));
        expect(await codeOf(claim.tryIt)).toBe(200);
        const off = ['ledgerhouse.dev/allow-deletion-', 'ledgerhouse.dev/handed-over-'];
        await kubectl('-n', 'org-acme', 'annotate', 'pvc', claim.name, ...off);
        expect(await codeOf(claim.path)).toBe(200);
      }
    });

    test('without a data file, of another database, or of somebody else goes through', async () => {
      const database = await madeDatabase({});
      const uid = await uidOf(database.path);
      const guarded = await claimOf(uid);
      await eventually('the claim is protected', async () =>
        (await codeOf(guarded.tryIt)) === 403 ? true : undefined,
      );
      const free = await Promise.all([
        claimOf(uid, { formatted: false }),
        claimOf('00000000-0000-4000-8000-000000000000'),
        claimOf(uid, { ours: false }),
      ]);
      for (const { path } of free) expect(await codeOf(path)).toBe(200);
    });

    test('goes through once its database is not protected any more, or gone', async () => {
      const database = await madeDatabase({});
      const claim = await claimOf(await uidOf(database.path));
      await eventually('the claim is protected', async () =>
        (await codeOf(claim.tryIt)) === 403 ? true : undefined,
      );
      const patch = { spec: { deletionProtection: false } };
      const merge = 'application/merge-patch+json';
      expect((await request('PATCH', database.path, patch, merge)).code).toBe(200);
      await eventually('the claim may go', async () =>
        (await codeOf(claim.tryIt)) === 200 ? true : undefined,
      );
      expect(await codeOf(database.path)).toBe(200);
      expect(await codeOf(claim.path)).toBe(200);
    });

    test('goes with its namespace, protected or not', async () => {
      await namespaceOf('plain-volumes');
      const inPlain = `${own}/namespaces/plain-volumes/ledgerdatabases`;
      await request('POST', inPlain, bodyOf('LedgerDatabase', 'payments', {}));
      const uid = await uidOf(`${inPlain}/payments`);
      await request('POST', claims.replace('org-acme', 'plain-volumes'), {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: {
          name: 'data-payments-0',
          labels: {
            'ledgerhouse.dev/database-uid': uid,
            'app.kubernetes.io/managed-by': 'ledgerhouse-operator',
          },
          annotations: { 'ledgerhouse.dev/formatted': '17/0' },
        },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      });
      expect(await codeOf('/api/v1/namespaces/plain-volumes')).toBe(200);
      await eventually('the namespace is gone', async () => {
        const { code } = await request('GET', '/api/v1/namespaces/plain-volumes');
        return code === 404 ? true : undefined;
      });
    });
  });

  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const ours = [
    'ledgerdatabases',
    'ledgercatalogs',
    'ledgerbackups',
    'ledgerbackupschedules',
    'ledgerimports',
  ];

  test.each(ours)(
    'of the definition %s, and with it of all its objects, is refused until someone allows it on the definition',
    async (plural) => {
      const name = `${plural}.ledgerhouse.dev`;
      const tryIt = () => request('DELETE', `${definitions}/${name}?dryRun=All`);
      const { code, body } = await tryIt();
      const command = `kubectl annotate crd ${name} ledgerhouse.dev/allow-deletion=true`;
      expect([code, body.message]).toEqual([
        403,
        expect.stringContaining(
          `Kubernetes deletes all objects of a definition with it, also what is protected; to delete both, first run: ${command}`,
        ),
      ]);
      await kubectl(...`${command.slice('kubectl '.length)}=no`.split(' '));
      expect((await tryIt()).code).toBe(403);
      await kubectl(...`${command.slice('kubectl '.length)} --overwrite`.split(' '));
      expect((await tryIt()).code).toBe(200);
      await kubectl('annotate', 'crd', name, 'ledgerhouse.dev/allow-deletion-');
      expect((await tryIt()).code).toBe(403);
    },
  );

  test('of all definitions at once leaves ours', async () => {
    const { body } = await request('DELETE', `${definitions}?dryRun=All`);
    expect(body.message).toContain('kubectl annotate crd ledger');
    for (const plural of ours) {
      expect((await request('GET', `${definitions}/${plural}.ledgerhouse.dev`)).code).toBe(200);
    }
  });

  test('of another product’s definition is allowed', async () => {
    const stranger = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'ledgers.example.org' },
      spec: {
        group: 'example.org',
        scope: 'Namespaced',
        names: { kind: 'Ledger', plural: 'ledgers' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object' } },
          },
        ],
      },
    };
    expect((await request('POST', definitions, stranger)).code).toBe(201);
    expect((await request('DELETE', `${definitions}/ledgers.example.org`)).code).toBe(200);
  });
});
