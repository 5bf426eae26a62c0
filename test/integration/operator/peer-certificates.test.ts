/** Certificates of etcd's members on a real API server, over years: made, renewed, kept when the status is lost, begun anew. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { X509Certificate } from 'node:crypto';
import { labels, peerSecretName } from '../../../domain/names.ts';
import { resources, type Pod, type Secret } from '../../../domain/kinds.ts';
import { renewAfterMs } from '../../../operator/certificates/generations.ts';
import { certificatesMount } from '../../../operator/certificates/volume.ts';
import type { RequestRecord } from '../../../base/kube/kube-http.ts';
import { engineSays } from '../../support/engine/engine-says.ts';
import { startOperatorWorld, type OperatorWorld } from '../../support/operator/operator-world.ts';
import { eventually } from '../../support/shell.ts';
import {
  startTestOperator,
  untilAtRest,
  type TestOperator,
} from '../../support/operator/test-operator.ts';

const namespace = 'default';
const name = 'three';
let world: OperatorWorld;
let operator: TestOperator;
let aheadMs = 0;
const requests: RequestRecord[] = [];

beforeAll(async () => {
  world = await startOperatorWorld();
  operator = await startTestOperator({
    kubeConfig: world.kubeConfig,
    onRequest: (record) => requests.push(record),
    fetchStatus: () => Promise.resolve(engineSays('Builtin', '0.17.9')),
    // A replica that has just become ready counts as settled: the rollout's own test covers the wait.
    nowMs: () => Date.now() + 10_000 + aheadMs,
  });
});
afterAll(async () => {
  await operator?.stop();
  await world?.stop();
});

const pods = async () => {
  const database = await world.database(namespace, name);
  const labelSelector = `${labels.uid}=${database?.metadata.uid},${labels.role}=replica`;
  return world.kube.list<Pod>(resources.pod, { namespace, labelSelector });
};
const record = async () => (await world.database(namespace, name))?.status?.peerCertificates;
const numbers = async () => (await record())?.generations?.map(({ number }) => number);

async function secretName(number: number): Promise<string> {
  const database = await world.database(namespace, name);
  return peerSecretName(database?.status?.workload ?? '', database?.metadata.uid ?? '', number);
}

/** The Secrets that a pod's volume is made of, in the order in which they are taken. */
const mounted = ({ spec }: Pod) =>
  spec?.volumes
    ?.find((one) => one.name === certificatesMount.name)
    ?.projected?.sources?.map(({ secret }) => secret?.name);

async function file(secret: string, key: string): Promise<string> {
  const found = await world.kube.read<Secret>({
    resource: resources.secret,
    namespace,
    name: secret,
  });
  return Buffer.from(found?.data?.[key] ?? '', 'base64').toString();
}

/** All three pods take what they trust from one Secret and what they show from another, and it fits. */
async function untilAllHave(trust: number, shown: number): Promise<void> {
  const wanted = await Promise.all([trust, shown].map(secretName));
  await eventually(`all pods trust ${trust} and show ${shown}`, async () => {
    const all = await pods();
    const found = all.map(mounted);
    if (all.length === 3 && found.every((one) => String(one) === String(wanted))) return true;
    throw new Error(JSON.stringify(found));
  });
  await world.until(namespace, name, 'Ready', 'True');
  const [bundle, certificate] = await Promise.all([
    file(wanted[0] ?? '', 'ca.crt'),
    file(wanted[1] ?? '', 'tls.crt'),
  ]);
  const shows = new X509Certificate(certificate);
  const authorities = bundle.match(/-----BEGIN[^]+?-----END CERTIFICATE-----\n/g) ?? [];
  const known = authorities.map((pem) => new X509Certificate(pem));
  expect(known.some((ca) => shows.checkIssued(ca) && shows.verify(ca.publicKey))).toBe(true);
}

/** Time passes; the operator looks again, as it does every now and then. */
async function later(ms: number): Promise<void> {
  aheadMs += ms;
  await world.patchDatabase(namespace, name, { metadata: { labels: { at: String(aheadMs) } } });
}

const patchStatus = (status: object) =>
  world.kube.mergePatch(
    { resource: resources.database, namespace, name },
    { status },
    { fieldManager: 'test', subresource: 'status' },
  );

test('a new database has one generation, and costs nothing at rest', async () => {
  await world.createDatabase(namespace, name, { topology: 'ha-3', size: 'lh-40' });
  await world.until(namespace, name, 'Ready', 'True');
  await untilAllHave(1, 1);
  expect(await record()).toEqual({
    generations: [
      {
        number: 1,
        authority: expect.any(String),
        expiresAt: expect.any(String),
        secret: expect.stringMatching(/-peers-[0-9a-f]+-1$/),
      },
    ],
  });
  await untilAtRest(requests, 3_000);
});

test('generations follow when they are due: trusted first, shown by the next', async () => {
  await later(renewAfterMs - 24 * 60 * 60_000);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(await numbers()).toEqual([1]);
  await later(24 * 60 * 60_000);
  await untilAllHave(2, 1);
  await later(renewAfterMs);
  await untilAllHave(3, 2);
  await later(renewAfterMs);
  await untilAllHave(4, 3);
  expect(await numbers()).toEqual([2, 3, 4]);
});

test('a lost record comes back from the StatefulSet, and no pod is replaced', async () => {
  const before = await record();
  const uids = new Set((await pods()).map(({ metadata }) => metadata.uid));
  await patchStatus({ peerCertificates: null });
  await eventually('the record', async () => ((await record()) === undefined ? undefined : true));
  expect(await record()).toEqual(before);
  await world.until(namespace, name, 'Ready', 'True');
  expect(new Set((await pods()).map(({ metadata }) => metadata.uid))).toEqual(uids);
});

test('a suspended database without a record begins anew, as the manual says, with a number that was not used', async () => {
  await world.patchDatabase(namespace, name, { spec: { suspend: true } });
  await world.until(namespace, name, 'Suspended', 'True');
  await patchStatus({ peerCertificates: null });
  await world.patchDatabase(namespace, name, { spec: { suspend: false } });
  await untilAllHave(5, 5);
  expect(await numbers()).toEqual([5]);
  const bundle = await file(await secretName(5), 'ca.crt');
  expect(bundle.match(/BEGIN CERTIFICATE/g)).toHaveLength(1);
});

test('a Secret that is there cannot be changed, by anybody', async () => {
  const reference = { resource: resources.secret, namespace, name: await secretName(5) };
  const changed = world.kube.mergePatch(
    reference,
    { data: { 'ca.crt': '' } },
    { fieldManager: 'test' },
  );
  await expect(changed).rejects.toMatchObject({ status: 422 });
});
