import { expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { subjectOf, withResolved } from '../../test/support/operator/subjects.ts';
import { podTemplate } from './stateful-set.ts';
import type { Subject } from './subject.ts';
import { revisionOf, templateInputs, templateRevision } from './template.ts';

/**
 * Digest of each code revision's template. If the test fails, the template has changed: raise `templateRevision` and add a
 * line. Never change a released line; databases made with it keep their template until their inputs change.
 */
const digests: Readonly<Record<number, string>> = {
  1: '682bd0bec6b58bc32216ee293696b5e5',
  2: 'c8671541de31d9d9a7744b83c6ba5835',
  3: 'cc60a5d478f8bdb246fc8dfcb6645378',
  4: '6ba5f52ed50be8d37c92d9b74835c53f',
  5: '391b08cc3825b79985cfb3c24fa094e3',
  6: '86bc74bdd6a0a9e4d9ad4b93a8f2cc96',
  7: '5ad98e8d3517307236a59c9b36db2e90',
};

const subjects = (['Builtin', 'TigerBeetle'] as const).flatMap((engine) =>
  (['single', 'ha-3', 'ha-6'] as const).map((topology) => subjectOf(engine, topology)),
);

const store = {
  url: 's3://bucket/house',
  endpoint: 'http://s3:7480',
  region: 'eu-1',
  accessKeyId: 'key',
  secretAccessKey: 'the-very-secret',
};
const archivedOf = (topology: 'single' | 'ha-3'): Subject => ({
  ...subjectOf('Builtin', topology, { store }),
  archiving: { rpoSeconds: 5 },
});

test('every change of the template raises its revision', () => {
  // Revisions before 6 are those of databases that are not archived.
  const all = [...subjects, archivedOf('single'), archivedOf('ha-3')];
  const built = JSON.stringify(all.map(podTemplate));
  const digest = createHash('sha256').update(built).digest('hex').slice(0, 32);
  expect({ revision: templateRevision, digest }).toEqual({
    revision: Math.max(...Object.keys(digests).map(Number)),
    digest: digests[templateRevision],
  });
});

const engineOf = (subject: Subject, changes: Partial<Subject['resolved']['engine']>) =>
  withResolved(subject, { engine: { ...subject.resolved.engine, ...changes } });

const changes: readonly [string, (subject: Subject) => Subject][] = [
  ['name', (subject) => ({ ...subject, name: 'other' })],
  ['namespace', (subject) => ({ ...subject, namespace: 'other' })],
  ['uid', (subject) => ({ ...subject, uid: 'other' })],
  ['database ID', (subject) => ({ ...subject, databaseId: 'other' })],
  ['workload', (subject) => ({ ...subject, workload: 'other' })],
  ['cluster id', (subject) => ({ ...subject, clusterId: '7' })],
  ['volume size', (subject) => ({ ...subject, storageGb: 21 })],
  ['access', (subject) => ({ ...subject, accessNamespaces: ['shop'] })],
  ['suspend', (subject) => ({ ...subject, suspend: true })],
  ["operator's namespace", (subject) => ({ ...subject, operatorNamespace: 'other' })],
  ['seccomp', (subject) => ({ ...subject, tigerBeetleSeccomp: 'Unconfined' })],
  ['seccomp said', (subject) => ({ ...subject, tigerBeetleSeccomp: 'Localhost' })],
  [
    'an address',
    (subject) => ({
      ...subject,
      endpoints: subject.endpoints.map((row) => ({ ...row, ip: `10.1.1.${row.index}` })),
    }),
  ],
  ['image', (subject) => engineOf(subject, { image: 'other' })],
  ['agent image', (subject) => engineOf(subject, { agentImage: 'other' })],
  ['version', (subject) => engineOf(subject, { version: '9.9.9' })],
  ['release', (subject) => engineOf(subject, { release: '9.9.9' })],
  ['cpu', (subject) => withResolved(subject, { size: { ...subject.resolved.size, cpuMillis: 1 } })],
  [
    'memory',
    (subject) => withResolved(subject, { size: { ...subject.resolved.size, memoryMib: 9000 } }),
  ],
  [
    'name of the size',
    (subject) => withResolved(subject, { size: { ...subject.resolved.size, name: 'x' } }),
  ],
  ['replicas', (subject) => withResolved(subject, { topology: { name: 'ha-6', replicas: 6 } })],
  ['parameters', (subject) => withResolved(subject, { parameters: { a: '--a=1' } })],
  ['price', (subject) => withResolved(subject, { price: { currency: 'EUR', monthly: '1' } })],
  ['tier', (subject) => withResolved(subject, { storage: { tier: 'x', className: 'x' } })],
  [
    'nodes',
    (subject) =>
      withResolved(subject, {
        placement: { provider: 'local', region: 'local-1', nodeSelector: {} },
      }),
  ],
  [
    'certificates, of several replicas of Builtin only',
    (subject) =>
      subject.peerCertificates === undefined
        ? subject
        : { ...subject, peerCertificates: subject.peerCertificates.slice(0, 1) },
  ],
  [
    'image of etcd',
    (subject) =>
      subject.resolved.engine.etcdImage === undefined
        ? subject
        : engineOf(subject, { etcdImage: 'other' }),
  ],
  [
    'size of the member of etcd',
    (subject) =>
      subject.resolved.size.member === undefined
        ? subject
        : withResolved(subject, {
            size: { ...subject.resolved.size, member: { cpuMillis: 1, memoryMib: 512 } },
          }),
  ],
  [
    'nodes shared',
    (subject) =>
      withResolved(subject, { placement: { ...subject.resolved.placement, spread: 'Preferred' } }),
  ],
  [
    'nodes not shared, as when nothing is said',
    (subject) =>
      withResolved(subject, { placement: { ...subject.resolved.placement, spread: 'Required' } }),
  ],
  ...Object.entries({
    tolerations: [{ key: 'dedicated', operator: 'Exists' }],
    priorityClassName: 'high',
    imagePullSecrets: ['registry'],
    labels: { team: 'a' },
    annotations: { team: 'a' },
    architecture: 'arm64',
    qosClass: 'Guaranteed',
    excludeFromMesh: true,
    asked: 'a digest, which is nothing of the template',
  } satisfies NonNullable<Subject['resolved']['pods']>).map(
    ([setting, value]): [string, (subject: Subject) => Subject] => [
      `setting ${setting} of pods`,
      (subject: Subject) => withResolved(subject, { pods: { [setting]: value } }),
    ],
  ),
  ...(['SingleStack', 'PreferDualStack', 'RequireDualStack'] as const).map(
    (ipFamilyPolicy): [string, (subject: Subject) => Subject] => [
      `IP families: ${ipFamilyPolicy}`,
      (subject) =>
        withResolved(subject, { placement: { ...subject.resolved.placement, ipFamilyPolicy } }),
    ],
  ),
  [
    'provider and region',
    (subject) =>
      withResolved(subject, {
        placement: { ...subject.resolved.placement, provider: 'x', region: 'x' },
      }),
  ],
];

test.each(changes)('%s: the inputs change if and only if the template does', (_, change) => {
  for (const engine of ['Builtin', 'TigerBeetle'] as const) {
    const before = subjectOf(engine, 'ha-3');
    const after = change(before);
    const same = JSON.stringify(podTemplate(before)) === JSON.stringify(podTemplate(after));
    expect({ engine, same: templateInputs(before) === templateInputs(after) }).toEqual({
      engine,
      same,
    });
  }
});

test('an archiver is part of the template, with whatever it is made of, and alone has the credentials', () => {
  const plain = subjectOf('Builtin', 'single', { store });
  const archived = archivedOf('single');
  const others: readonly Subject[] = [
    plain,
    { ...archived, archiving: { rpoSeconds: 10 } },
    { ...archived, databaseId: 'db_other' },
    { ...archived, store: { ...store, secretAccessKey: 'new' } },
    { ...archived, store: { ...store, url: 's3://other' } },
  ];
  for (const other of others) {
    expect(templateInputs(other)).not.toBe(templateInputs(archived));
    expect(podTemplate(other)).not.toEqual(podTemplate(archived));
  }
  expect(templateInputs(subjectOf('Builtin', 'single'))).toBe(templateInputs(plain));
  const { spec } = podTemplate(archived);
  const all = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  const has = (mount: string) =>
    all
      .filter(({ volumeMounts = [] }) => volumeMounts.some(({ name }) => name === mount))
      .map(({ name }) => name);
  expect(all.map(({ name }) => name)).toEqual(['check', 'archive', 'engine']);
  expect(has('store')).toEqual(['archive']);
  // It reads the log in the data file, and can change nothing there.
  expect(has('data')).toEqual(['check', 'archive', 'engine']);
  const archiverOf = (subject: Subject) =>
    podTemplate(subject).spec?.initContainers?.find(({ name }) => name === 'archive');
  const dataMountOf = (subject: Subject) =>
    archiverOf(subject)?.volumeMounts?.find(({ name }) => name === 'data');
  expect(dataMountOf(archived)).toEqual({ name: 'data', mountPath: '/data', readOnly: true });
  const file = all.find(({ name }) => name === 'engine')?.args?.at(-1);
  expect(archiverOf(archived)?.env).toContainEqual({ name: 'LEDGERHOUSE_DATA_FILE', value: file });
  // The log of several replicas is not in it, but in the member of etcd.
  const several = archiverOf(archivedOf('ha-3'));
  expect(several?.volumeMounts?.some(({ name }) => name === 'data')).toBe(false);
  const member = { name: 'LEDGERHOUSE_LOG_MEMBER', value: 'unix:/etcd/client.sock' };
  expect(several?.env).toEqual([member]);
  const socket = { name: 'etcd', mountPath: '/etcd', readOnly: true };
  expect(several?.volumeMounts).toContainEqual(socket);
  expect(all.find(({ name }) => name === 'engine')?.args).toContain('--archive');
  expect(JSON.stringify(podTemplate(archived))).not.toContain('the-very-secret');
});

test('the order in which the API server gives maps changes nothing', () => {
  const subject = subjectOf('Builtin', 'single');
  const [a, b] = [
    { x: '--x=1', y: '--y=2' },
    { y: '--y=2', x: '--x=1' },
  ].map((parameters) => withResolved(subject, { parameters }));
  expect(a && templateInputs(a)).toBe(b && templateInputs(b));
  expect(a && podTemplate(a)).toEqual(b && podTemplate(b));
});

test('an operator that learns that the cluster assigns users restarts nothing; new databases name none', () => {
  const before = subjectOf('Builtin', 'ha-3');
  const after = { ...before, assignsUsers: true };
  expect(templateInputs(after)).toBe(templateInputs(before));
  expect(revisionOf(after)).not.toBe(revisionOf(before));
  const { securityContext } = podTemplate(after).spec ?? {};
  expect(securityContext).toMatchObject({ runAsNonRoot: true });
  expect(Object.keys(securityContext ?? {})).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^(runAsUser|runAsGroup|fsGroup)$/)]),
  );
});
