/**
 * Upkeep of three replicas of the built-in engine, on three nodes and while a client writes: renewed certificates, grown
 * volumes, an upgrade. In the end two of three volumes are destroyed, and the manual's commands bring back everything that
 * was acknowledged.
 */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { X509Certificate } from 'node:crypto';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { resources, type Pod } from '../../domain/kinds.ts';
import { certificatesMount, trustOf } from '../../operator/certificates/volume.ts';
import { letOneDayPass, recordAgedCertificates } from '../support/operator/aged-certificates.ts';
import { startTestCluster, type TestCluster } from '../support/cluster/cluster.ts';
import {
  conditionOf,
  figure,
  install,
  type Installation,
} from '../support/cluster/installation.ts';
import { adapted, commandsOf } from '../support/manual.ts';
import { fileInPod } from '../support/engine/pod-process.ts';
import { expectOneAtATime, replicasOf, type Replicas } from '../support/engine/replicas.ts';
import { checkout, mustRun } from '../support/shell.ts';
import { SteadyWriter } from '../support/engine/steady-writer.ts';

jest.setTimeout(25 * 60_000);

let cluster: TestCluster;
let world: Installation;
let three: Replicas;
let writer: SteadyWriter;

beforeAll(async () => {
  cluster = await startTestCluster({ nodes: 3 });
  world = await install(cluster, ['etcd', 'ledger-client', 'engine-next']);
  three = replicasOf(world, 'three');
});
afterAll(async () => cluster?.down());

/** Runs `deed` while the client writes, which is answered again afterwards. */
async function underWrites<T>(what: string, deed: () => Promise<T>): Promise<T> {
  const started = Date.now();
  let done: T | undefined;
  const gap = await writer.during(async () => (done = await deed()));
  figure(what, started);
  process.stderr.write(`figure: ${what}; longest wait of a client: ${gap} s\n`);
  return done as T;
}

const settled = () => world.until('three', 'Ready', 'True', { timeoutMs: 300_000 });
const generationsNow = async () =>
  (await world.get('three')).status?.peerCertificates?.generations ?? [];

/** Expects the certificates that the members' processes have, by number of their generation. */
async function expectCertificates(shown: number, trusted: readonly number[]): Promise<void> {
  const generations = await generationsNow();
  expect(generations.map(({ number }) => number)).toEqual(trusted);
  const issuer = generations.find(({ number }) => number === shown);
  for (const pod of await three.pods()) {
    expect(trustOf(pod)).toBe(generations.at(-1)?.secret);
    const file = (name: string) =>
      fileInPod(pod, '--config-file=', `${certificatesMount.mountPath}/${name}`);
    expect(file('ca.crt')).toBe(generations.map(({ authority }) => authority).join(''));
    const shows = new X509Certificate(file('tls.crt'));
    expect(shows.verify(new X509Certificate(issuer?.authority ?? '').publicKey)).toBe(true);
  }
}

test('three replicas begin with certificates that are as old as they get', async () => {
  await world.create('three', { topology: 'ha-3', suspend: true });
  await world.until('three', 'Suspended', 'True');
  await recordAgedCertificates(world, 'three');
  await world.patch('three', { suspend: false });
  const database = await settled();
  await expectCertificates(2, [2, 3]);
  writer = await SteadyWriter.start(cluster, await cluster.image('ledger-client'), database);
  await writer.answered();
});

test('certificates that are due are renewed in one round of restarts: members trust the next and show another', async () => {
  await underWrites('certificates are renewed', async () => {
    expectOneAtATime(await three.rollout(() => letOneDayPass(world, 'three')));
    await settled();
  });
  await expectCertificates(3, [2, 3, 4]);
});

test('all three volumes grow while the engines run', async () => {
  const bytesOf = async (pod: Pod) =>
    Number(
      await world.beside(
        pod,
        `const { bsize, blocks } = (await import('node:fs')).statfsSync('/data'); console.log(bsize * blocks)`,
      ),
    );
  const identities = async () =>
    (await three.pods()).map(({ metadata, status }) => [
      metadata.uid,
      status?.containerStatuses?.map(({ restartCount }) => restartCount),
    ]);
  const before = await identities();
  const after = await underWrites('three volumes grow from 1 to 2 GiB', async () => {
    await world.patch('three', { storage: { sizeGb: 2 } });
    return settled();
  });
  expect(after.status?.storage).toMatchObject({ acknowledgedGb: 2, capacityGb: 2 });
  for (const pod of await three.pods()) {
    expect(await bytesOf(pod)).toBeGreaterThan(1.8 * 2 ** 30);
  }
  expect(await identities()).toEqual(before);
});

test('an upgrade replaces one replica at a time, the leader last', async () => {
  await underWrites('three replicas are upgraded', async () => {
    expectOneAtATime(await three.rollout(() => world.patch('three', { version: '0.2.0' })));
    await settled();
  });
  const { version } = (await world.get('three')).status ?? {};
  expect(version).toEqual({ desired: '0.2.0', rolled: 3, active: '0.2.0' });
});

test('nothing that was acknowledged is lost, and all replicas say the same', async () => {
  expect(await writer.stop()).toBe(String(writer.acknowledged));
  process.stderr.write(`figure: ${writer.acknowledged} transfers acknowledged\n`);
  const said = await three.alike();
  expect(said.map(({ version }) => version)).toEqual(['0.2.0', '0.2.0', '0.2.0']);
  expect(new Set(said.map(({ stateHash }) => stateHash)).size).toBe(1);
});

/** Runs commands of the manual in a folder that has the program that they call. */
async function follow(folder: string, ...commands: readonly string[]): Promise<string> {
  const script = [`cd ${folder}`, ...commands].join('\n');
  const PATH = [dirname(await cluster.kubectlPath()), process.env['PATH']].join(delimiter);
  const env = { KUBECONFIG: cluster.kubeconfig, PATH };
  return mustRun('bash', ['-euo', 'pipefail', '-c', script], { env, timeoutMs: 480_000 });
}

const page = 'operating/disaster-recovery.md';
const again = 'payments-again';

test('the majority is gone for good: by the manual’s commands a new database has all that was acknowledged', async () => {
  // The survivor is not the leader, which at times knows more than the others.
  const leader = (await three.leader()).metadata.name;
  const pods = (await three.pods()).map(({ metadata: { name = '' } }) => name);
  const survivor = pods.findIndex((name) => name !== leader);
  const lost = pods.filter((_, index) => index !== survivor).map((name) => `data-${name}`);
  await cluster.kubectl('delete', 'pvc', ...lost, '--wait=false');
  await cluster.kubectl('delete', 'pod', ...pods, '--force', '--grace-period=0');
  const stalled = await world.until('three', 'Stalled', 'True', { reason: 'ReplicaDataLost' });
  expect(conditionOf(stalled, 'Available')?.status).toBe('False');

  const folder = join(cluster.stateFolder, 'recovery');
  mkdirSync(folder);
  symlinkSync(join(checkout, 'bin'), join(folder, 'bin'));
  const started = Date.now();
  const [names = ''] = commandsOf(page);
  const begin = adapted(names, 'DB=payments ', 'DB=three ');
  const [suspend = '', keep = ''] = commandsOf(page, 'The majority is gone for good');
  const kept = await follow(
    folder,
    begin,
    suspend,
    adapted(keep, /^I=0 /m, `I=${survivor} `),
    'mv survivor-$I.ledger copy.ledger',
  );
  expect(kept).toContain('verified=true');
  figure('what a survivor holds is exported', started);

  const { apiVersion } = resources.database;
  const spec = { topology: 'ha-3', version: '0.2.0', deletionProtection: false };
  const manifest = { apiVersion, kind: 'LedgerDatabase', metadata: { name: again }, spec };
  writeFileSync(join(folder, 'new-database.yaml'), stringify(manifest));
  const [one = ''] = commandsOf(page, 'Restoring a copy');
  // The pod, and the lines that bring the copy there and inspect it.
  const [bring = ''] = /^kubectl -n \$N apply -f - <<END$[^]*?grep verified.*$/m.exec(one) ?? [];
  const [several = ''] = commandsOf(page, 'Restoring a copy into several replicas');
  const brought = adapted(bring, 'data-$W-0', 'data-$W-$I');
  const restored = await follow(
    folder,
    begin,
    adapted(several, /^ *# The pod `restore-copy` .*$/m, brought),
  );
  expect(restored.match(/verified=true/g)).toHaveLength(3);
  figure('it is restored into three replicas', started);

  const client = await world.client(await world.get(again));
  expect(await client('read')).toBe(String(writer.acknowledged));
  expect(await client('create', '5')).toBe(String(writer.acknowledged + 5));
  const said = await replicasOf(world, again).alike();
  expect(new Set(said.map(({ stateHash }) => stateHash)).size).toBe(1);
});
