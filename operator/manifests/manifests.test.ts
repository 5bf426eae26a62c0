/** Snapshots of whole databases as sent to the API server, for people to read. */
import { expect, test } from '@jest/globals';
import { labels } from '../../domain/names.ts';
import { subjectOf, withResolved } from '../../test/support/operator/subjects.ts';
import type { KubeObject } from '../../base/kube/kube.ts';
import { buildClaim } from './claim.ts';
import { buildConnection } from './connection.ts';
import { buildFormatJob } from './format-job.ts';
import { buildNetworkPolicy } from './network-policy.ts';
import { buildPodDisruptionBudget } from './pod-disruption-budget.ts';
import { buildRecoverJob } from './recover-job.ts';
import { buildService } from './service.ts';
import { buildStatefulSet } from './stateful-set.ts';
import type { Subject } from './subject.ts';

/** All objects; of those that each replica has, only the last one's. */
function everything(subject: Subject): readonly KubeObject[] {
  const last = subject.resolved.topology.replicas - 1;
  const budget = buildPodDisruptionBudget(subject);
  return [
    buildService(subject, last),
    buildClaim(subject, last),
    buildFormatJob({ subject, index: last }),
    ...(last === 0 ? [] : [buildRecoverJob(subject, last)]),
    buildStatefulSet(subject),
    ...(budget === undefined ? [] : [budget]),
    buildNetworkPolicy(subject),
    buildConnection(subject),
  ];
}

test.each([
  ['Builtin', 'single'],
  ['TigerBeetle', 'ha-3'],
  ['Builtin', 'ha-6'],
] as const)('%s %s', (engine, topology) => {
  expect(everything(subjectOf(engine, topology))).toMatchSnapshot();
});

const all = everything(subjectOf('TigerBeetle', 'ha-3'));

test.each(all.map((object) => [`${object.kind} ${object.metadata.name}`, object] as const))(
  '%s is found as the database’s own',
  (_, object) => {
    expect(object.metadata.namespace).toBe('org-acme');
    expect(object.metadata.labels).toMatchObject({
      [labels.managedBy]: 'ledgerhouse-operator',
      [labels.name]: 'ledgerhouse-database',
      [labels.database]: 'payments',
      [labels.uid]: '5e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7d11',
      [labels.workload]: 'payments-5e1f0c',
    });
  },
);

test('all go with the resource but the volumes, which outlive it', () => {
  const owned = all.filter(({ metadata }) => metadata.ownerReferences !== undefined);
  expect(all.filter((object) => !owned.includes(object)).map(({ kind }) => kind)).toEqual([
    'PersistentVolumeClaim',
  ]);
  for (const { metadata } of owned) {
    expect(metadata.ownerReferences).toEqual([
      {
        apiVersion: 'ledgerhouse.dev/v1alpha1',
        kind: 'LedgerDatabase',
        name: 'payments',
        uid: '5e1f0c52-8f5b-4d0c-9a53-3c0b0a6f7d11',
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
  }
});

test('a Service is made without an address first, and with the recorded one ever after', () => {
  const subject = subjectOf('Builtin', 'single');
  expect(buildService({ ...subject, endpoints: [] }, 0).spec).not.toHaveProperty('clusterIP');
  expect(buildService(subject, 0).spec?.clusterIP).toBe('10.96.12.1');
});

test('a single replica has no budget, no peers, and no others to recover it from', () => {
  const subject = subjectOf('TigerBeetle', 'single');
  expect(buildPodDisruptionBudget(subject)).toBeUndefined();
  // A Job that backs it up is its only peer; a single replica of the built-in engine has none.
  expect(buildNetworkPolicy(subject).spec.egress).toMatchObject([{ ports: [{ port: 3001 }] }]);
  expect(buildNetworkPolicy(subjectOf('Builtin', 'single')).spec.egress).toEqual([]);
  expect(buildStatefulSet(subject).spec?.template.spec).not.toHaveProperty('affinity');
  expect(() => buildRecoverJob(subject, 0)).toThrow('no others to recover it from');
});

test('a built-in replica is recovered through the leader: its member is replaced before it has a data file', () => {
  const subject = subjectOf('Builtin', 'ha-3');
  const [, engine] = buildRecoverJob(subject, 1).spec?.template.spec?.initContainers ?? [];
  expect(engine?.args?.slice(2, -1)).toEqual([
    '--peer-addresses=10.96.12.1:3003,10.96.12.2:3003,10.96.12.3:3003',
    '--peer-certificates=/certs',
    `--peer-name=${subject.uid}`,
    '--member-url=https://r1:2380',
    '--member-folder=/data/etcd',
    '--timeout=600',
    `--installed-as=/data/${subject.clusterId}_1.ledger`,
    `--cluster=${subject.clusterId}`,
    '--replica=1',
    '--replica-count=3',
  ]);
  // It shows the leader a certificate of the database.
  expect(engine?.volumeMounts?.map(({ mountPath }) => mountPath)).toEqual(['/data', '/certs']);
  const { volumes } = buildRecoverJob(subject, 1).spec?.template.spec ?? {};
  expect(volumes?.map(({ name }) => name)).toEqual(['data', 'certs']);
  const theirs = JSON.stringify(buildRecoverJob(subjectOf('TigerBeetle', 'ha-3'), 1));
  expect(theirs).not.toContain('--member');
});

test('replicas of several reach each other on ports of their own, and nobody else does', () => {
  const subject = subjectOf('Builtin', 'ha-3');
  expect(buildService(subject, 1).spec?.ports?.map(({ name, port }) => [name, port])).toEqual([
    ['client', 3001],
    ['status', 3002],
    ['peer', 3003],
    ['etcd', 2380],
  ]);
  const { ingress, egress } = buildNetworkPolicy(subject).spec;
  const workload = { [labels.workload]: 'payments-5e1f0c' };
  const own = [{ podSelector: { matchLabels: workload } }];
  const replicas = [{ podSelector: { matchLabels: { ...workload, [labels.role]: 'replica' } } }];
  const from = (port: number) => ingress.find(({ ports }) => ports?.[0]?.port === port)?.from;
  expect([from(3003), from(2380)]).toEqual([own, replicas]);
  expect(egress.map(({ ports, to }) => [ports?.map(({ port }) => port), to])).toEqual([
    [[3001, 3003, 2380], own],
  ]);
  for (const alone of [subjectOf('Builtin', 'single'), subjectOf('TigerBeetle', 'ha-3')]) {
    expect(buildService(alone, 0).spec?.ports?.map(({ port }) => port)).toEqual([3001, 3002]);
    expect(JSON.stringify(buildNetworkPolicy(alone))).not.toMatch(/3003|2380/);
  }
});

test('on few nodes, replicas and the Jobs of their data files share one rather than wait', () => {
  const subject = subjectOf('Builtin', 'ha-3');
  const shared = withResolved(subject, {
    placement: { ...subject.resolved.placement, spread: 'Preferred' },
  });
  const affinities = (one: Subject) =>
    JSON.stringify([
      buildStatefulSet(one).spec?.template.spec?.affinity,
      buildFormatJob({ subject: one, index: 2, taken: [{ node: 'node-1', zone: undefined }] }).spec
        ?.template.spec?.affinity,
    ]);
  expect(affinities(subject)).not.toContain('preferredDuring');
  expect(affinities(shared)).not.toContain('requiredDuring');
  expect(affinities(shared)).toContain('node-1');
});

test('a suspended database has no pods, and all else as before', () => {
  const subject = subjectOf('Builtin', 'ha-3');
  const before = buildStatefulSet(subject);
  const after = buildStatefulSet({ ...subject, suspend: true });
  expect(after).toEqual({ ...before, spec: Object.assign({}, before.spec, { replicas: 0 }) });
});

test('a replica’s pods keep away from other replicas, not from the Job that makes its data file again', () => {
  const subject = subjectOf('TigerBeetle', 'ha-3');
  const [term] =
    buildStatefulSet(subject).spec?.template.spec?.affinity?.podAntiAffinity
      ?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const pod = buildRecoverJob(subject, 1).spec?.template;
  const wanted = Object.entries(term?.labelSelector?.matchLabels ?? {});
  expect(wanted.length).toBeGreaterThan(0);
  expect(wanted.every(([key, value]) => pod?.metadata?.labels?.[key] === value)).toBe(false);
});

test('namespaces that may connect are named once each, in one order', () => {
  const subject = { ...subjectOf('Builtin', 'single'), accessNamespaces: ['shop', 'bank', 'shop'] };
  expect(buildNetworkPolicy(subject).spec.ingress[0]?.from).toEqual([
    { podSelector: { matchLabels: { 'ledgerhouse.dev/connect-payments': 'org-acme' } } },
    {
      namespaceSelector: {
        matchExpressions: [
          { key: 'kubernetes.io/metadata.name', operator: 'In', values: ['bank', 'shop'] },
        ],
      },
      podSelector: { matchLabels: { 'ledgerhouse.dev/connect-payments': 'org-acme' } },
    },
  ]);
});

test('settings of pods reach replicas and Jobs, and override none of our labels and annotations', () => {
  const subject = withResolved(subjectOf('Builtin', 'ha-3'), {
    pods: {
      labels: { team: 'a', [labels.workload]: 'stolen', [labels.role]: 'stolen' },
      annotations: { team: 'a', 'kubectl.kubernetes.io/default-container': 'stolen' },
      tolerations: [{ key: 'fast', operator: 'Exists' }],
      imagePullSecrets: ['mirror'],
      priorityClassName: 'databases',
      architecture: 'arm64',
      excludeFromMesh: true,
    },
  });
  const templates = [
    buildStatefulSet(subject).spec?.template,
    buildFormatJob({ subject, index: 1 }).spec?.template,
    buildRecoverJob(subject, 1).spec?.template,
  ];
  for (const template of templates) {
    expect(template?.metadata?.labels).toMatchObject({
      team: 'a',
      'sidecar.istio.io/inject': 'false',
      [labels.workload]: 'payments-5e1f0c',
      [labels.role]: expect.stringMatching(/^(replica|job)$/),
    });
    expect(template?.metadata?.annotations).toMatchObject({
      team: 'a',
      'linkerd.io/inject': 'disabled',
    });
    expect(template?.spec).toMatchObject({
      tolerations: [{ key: 'fast', operator: 'Exists' }],
      imagePullSecrets: [{ name: 'mirror' }],
      priorityClassName: 'databases',
      nodeSelector: { region: 'local-1', 'kubernetes.io/arch': 'arm64' },
    });
  }
  expect(templates[0]?.metadata?.annotations).toMatchObject({
    'kubectl.kubernetes.io/default-container': 'engine',
  });
});

test.each([
  ['Builtin', 'ha-3'],
  ['TigerBeetle', 'single'],
] as const)(
  'Guaranteed: requests of all containers of %s %s are their limits, and its format Job asks for as much',
  (engine, topology) => {
    const subject = withResolved(subjectOf(engine, topology), { pods: { qosClass: 'Guaranteed' } });
    const { containers = [], initContainers = [] } =
      buildStatefulSet(subject).spec?.template.spec ?? {};
    const lasting = initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always');
    for (const { resources } of [...containers, ...initContainers]) {
      expect(Object.keys(resources?.requests ?? {}).sort()).toEqual(['cpu', 'memory']);
      expect(resources?.limits).toEqual(resources?.requests);
    }
    const sum = (of: 'cpu' | 'memory') =>
      [...containers, ...lasting].reduce(
        (total, { resources }) => total + Number.parseInt(resources?.requests?.[of] ?? '', 10),
        0,
      );
    const job = buildFormatJob({ subject, index: 0 }).spec?.template.spec?.initContainers?.[1]
      ?.resources;
    expect(job?.requests).toEqual({ cpu: `${sum('cpu')}m`, memory: `${sum('memory')}Mi` });
  },
);

test('Services have the IP families that the region chooses, and engines listen on as many', () => {
  const made = subjectOf('Builtin', 'single');
  const { placement } = made.resolved;
  const dual = withResolved(made, {
    placement: { ...placement, ipFamilyPolicy: 'PreferDualStack' },
  });
  expect(buildService(made, 0).spec).not.toHaveProperty('ipFamilyPolicy');
  expect(buildService(dual, 0).spec).toMatchObject({
    ipFamilyPolicy: 'PreferDualStack',
    clusterIP: '10.96.12.1',
  });
  const argsOf = (subject: Subject) =>
    buildStatefulSet(subject).spec?.template.spec?.containers[0]?.args;
  expect(argsOf(made)).toContain('--listen=0.0.0.0:3001');
  expect(argsOf(dual)).toContain('--listen=[::]:3001');
});
