import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { stringify } from 'yaml';
import { loadClusterAccess, type ClusterAccess } from './cluster-access.ts';

const root = mkdtempSync(join(tmpdir(), 'ledgerhouse-access-'));
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(root, 'one-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const put = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const base64 = (text: string) => Buffer.from(text).toString('base64');
const kubeconfig = (cluster: object, user: object): string =>
  put(
    'config',
    stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'b',
      contexts: [
        { name: 'a', context: { cluster: 'none', user: 'none' } },
        { name: 'b', context: { cluster: 'c', user: 'u', namespace: 'n' } },
      ],
      clusters: [{ name: 'c', cluster: { server: 'https://api.example:6443', ...cluster } }],
      users: [{ name: 'u', user }],
    }),
  );
const load = (env: NodeJS.ProcessEnv, serviceAccount = join(folder, 'none')) =>
  loadClusterAccess({ env, home: folder, serviceAccount });

/** What connections are made with. */
async function toldBy(access: ClusterAccess) {
  const options: RequestOptions = {};
  await access.applyToHTTPSOptions(options);
  const { ca, cert, key, servername, headers = {} } = options;
  const text = (value: unknown) =>
    typeof value === 'string' || Buffer.isBuffer(value) ? value.toString() : undefined;
  const tls = { ca: text(ca), cert: text(cert), key: text(key), servername };
  const how = access.createDispatcherOptions(access.getCurrentCluster(), options);
  return {
    server: access.getCurrentCluster()?.server,
    ...tls,
    headers: { ...(headers as Record<string, unknown>) },
    type: how.type,
  };
}

test.each<[string, () => readonly [object, object]]>([
  [
    'embedded certificates',
    () => [
      { 'certificate-authority-data': base64('CA') },
      { 'client-certificate-data': base64('CERT'), 'client-key-data': base64('KEY') },
    ],
  ],
  [
    'certificates in files beside it',
    () => {
      for (const name of ['ca', 'cert', 'key']) put(`${name}.pem`, name.toUpperCase());
      const user = { 'client-certificate': 'cert.pem', 'client-key': 'key.pem' };
      return [{ 'certificate-authority': 'ca.pem', 'tls-server-name': 'other.example' }, user];
    },
  ],
  ['a token', () => [{ 'certificate-authority-data': base64('CA') }, { token: 'secret' }]],
  [
    'a user name and a password',
    () => [{ 'certificate-authority-data': base64('CA') }, { username: 'me', password: 'mine' }],
  ],
  [
    'a program that gives a token',
    () => [
      { 'certificate-authority-data': base64('CA') },
      {
        exec: {
          apiVersion: 'client.authentication.k8s.io/v1',
          command: 'echo',
          args: [
            '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"given"}}',
          ],
          interactiveMode: 'Never',
        },
      },
    ],
  ],
])('a kubeconfig with %s connects as it does with client-node', async (_, make) => {
  const file = kubeconfig(...make());
  const before = process.env['KUBECONFIG'];
  process.env['KUBECONFIG'] = file;
  try {
    const theirs = new KubeConfig();
    theirs.loadFromDefault();
    expect(await toldBy(await load({ KUBECONFIG: file }))).toEqual(await toldBy(theirs));
  } finally {
    if (before === undefined) delete process.env['KUBECONFIG'];
    else process.env['KUBECONFIG'] = before;
  }
});

test('a pod connects with its service account, whose token is read anew', async () => {
  put('ca.crt', 'CA');
  put('token', 'first\n');
  const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
  const access = await load(env, folder);
  expect(await toldBy(access)).toEqual({
    server: 'https://[fd00::1]:443',
    ca: 'CA',
    headers: { Authorization: 'Bearer first' },
    type: 'agent',
  });
  put('token', 'second');
  expect((await toldBy(access)).headers).toEqual({ Authorization: 'Bearer second' });
});

test('a kubeconfig comes before the service account, and the one that is named before the user’s own', async () => {
  put('token', 'of the pod');
  put('ca.crt', 'CA');
  const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
  const tokenOf = async (more: NodeJS.ProcessEnv) =>
    (await toldBy(await load({ ...env, ...more }, folder))).headers['Authorization'];
  expect(await tokenOf({})).toBe('Bearer of the pod');
  mkdirSync(join(folder, '.kube'));
  kubeconfig({}, { token: 'of the user' });
  renameSync(join(folder, 'config'), join(folder, '.kube', 'config'));
  expect(await tokenOf({})).toBe('Bearer of the user');
  const named = kubeconfig({}, { token: 'named' });
  expect(await tokenOf({ KUBECONFIG: named })).toBe('Bearer named');
});
