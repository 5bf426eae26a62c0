/** Everything that is made for a database, given to a real API server: accepted as it is, and nothing of it lost. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { V1PodTemplateSpec } from '@kubernetes/client-node';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceName } from '../../../domain/names.ts';
import { buildClaim } from '../../../operator/manifests/claim.ts';
import { buildConnection } from '../../../operator/manifests/connection.ts';
import { missing } from '../../../operator/manifests/diff.ts';
import { buildFormatJob } from '../../../operator/manifests/format-job.ts';
import { buildNetworkPolicy } from '../../../operator/manifests/network-policy.ts';
import { buildPodDisruptionBudget } from '../../../operator/manifests/pod-disruption-budget.ts';
import { buildRecoverJob } from '../../../operator/manifests/recover-job.ts';
import { buildService } from '../../../operator/manifests/service.ts';
import { buildStatefulSet } from '../../../operator/manifests/stateful-set.ts';
import type { Subject } from '../../../operator/manifests/subject.ts';
import type { Service, StatefulSet } from '../../../domain/kinds.ts';
import type { KubeObject } from '../../../base/kube/kube.ts';
import { startControlPlane, type ControlPlane } from '../../../tools/cluster/control-plane.ts';
import { mustRun, shell, type Ended } from '../../support/shell.ts';
import { subjectOf, withResolved } from '../../support/operator/subjects.ts';

let plane: ControlPlane;
let folder = '';
let kubectlPath = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-manifests-'));
  plane = await startControlPlane();
  const printed = await mustRun(process.execPath, ['tools/cluster/main.ts', 'binary', 'kubectl']);
  kubectlPath = printed.trim().split('\n').at(-1) ?? '';
  for (const { namespace } of cases) {
    await kubectl('create', 'namespace', namespace);
    await kubectl('label', 'ns', namespace, 'pod-security.kubernetes.io/enforce=restricted');
  }
});
afterAll(async () => {
  await plane?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const kubectl = (...args: string[]) =>
  mustRun(kubectlPath, ['--kubeconfig', plane.kubeconfig, ...args]);

function tryWith(objects: readonly unknown[], ...args: string[]): Promise<Ended> {
  const path = join(folder, 'objects.json');
  writeFileSync(path, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  const common = ['--kubeconfig', plane.kubeconfig, '-o', 'json', '-f', path];
  return shell(kubectlPath, [...args, ...common]);
}

const tryApply = (objects: readonly KubeObject[]) =>
  tryWith(
    objects,
    'apply',
    '--server-side',
    '--force-conflicts',
    '--validate=strict',
    '--field-manager=ledgerhouse-operator',
  );

/** Server-side apply under strict validation; the API server's answers, in order. */
async function apply(objects: readonly KubeObject[]): Promise<KubeObject[]> {
  const { code, stdout, stderr } = await tryApply(objects);
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  const answer = JSON.parse(stdout) as KubeObject & { items?: KubeObject[] };
  return answer.items ?? [answer];
}

const read = async <T extends KubeObject>(subject: Subject, kind: string, name: string) =>
  JSON.parse(await kubectl('-n', subject.namespace, 'get', kind, name, '-o', 'json')) as T;

const everything = (subject: Subject): readonly KubeObject[] => {
  const { replicas } = subject.resolved.topology;
  const indexes = Array.from({ length: replicas }, (_, index) => index);
  const budget = buildPodDisruptionBudget(subject);
  return [
    ...indexes.map((index) => buildService(subject, index)),
    ...indexes.map((index) => buildClaim(subject, index)),
    ...indexes.map((index) => buildFormatJob({ subject, index })),
    ...(replicas > 1 ? indexes.map((index) => buildRecoverJob(subject, index)) : []),
    buildStatefulSet(subject),
    ...(budget === undefined ? [] : [budget]),
    buildNetworkPolicy(subject),
    buildConnection(subject),
  ];
};

const cases = [
  subjectOf('Builtin', 'single', { namespace: 'builtin-single' }),
  subjectOf('Builtin', 'ha-3', { namespace: 'builtin-3', accessNamespaces: ['shop', 'bank'] }),
  subjectOf('TigerBeetle', 'single', { namespace: 'tigerbeetle-single' }),
  subjectOf('TigerBeetle', 'ha-6', { namespace: 'tigerbeetle-6' }),
].map((subject, row) => ({
  ...subject,
  // A Service's address is the cluster's alone.
  endpoints: subject.endpoints.map((endpoint) => ({
    ...endpoint,
    ip: `10.96.${row + 1}.${endpoint.index + 1}`,
  })),
}));

test.each(cases)(
  'all objects of $resolved.engine.name $resolved.topology.name are accepted under strict validation, and nothing is missing after',
  async (subject) => {
    const desired = everything(subject);
    const answers = await apply(desired);
    const lacking = desired.map((object, row) => missing(object, answers[row]));
    expect(lacking).toEqual(desired.map(() => []));
    // Applied again, the pods' template is the same: nothing is rolled.
    const [again] = await apply(desired.filter(({ kind }) => kind === 'StatefulSet'));
    const before = answers.find(({ kind }) => kind === 'StatefulSet');
    expect(again?.metadata.resourceVersion).toBe(before?.metadata.resourceVersion);
  },
);

/** As a StatefulSet's controller makes the pod of replica 0, and a Job's its own. */
const podOf = (subject: Subject, name: string, template: V1PodTemplateSpec) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { labels: template.metadata?.labels, name, namespace: subject.namespace },
  spec: {
    ...JSON.parse(JSON.stringify(template.spec)),
    volumes: [
      ...(template.spec?.volumes ?? []).filter(({ name }) => name !== 'data'),
      { name: 'data', persistentVolumeClaim: { claimName: 'data-0' } },
    ],
  },
});

test.each(cases)(
  "pods of $resolved.engine.name $resolved.topology.name are within Pod Security's restricted profile",
  async (subject) => {
    await apply([{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: account(subject) }]);
    const workload = buildStatefulSet(subject).spec?.template ?? {};
    const job = buildFormatJob({ subject, index: 0 }).spec?.template ?? {};
    const pods = [podOf(subject, 'replica', workload), podOf(subject, 'format', job)];
    const { code, stderr } = await tryWith(pods, 'create', '--dry-run=server');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  },
);
const account = ({ namespace }: Subject) => ({ name: 'default', namespace });

test('pods without a profile are outside the restricted one where the profile with io_uring cannot be installed', async () => {
  const [, , subject] = cases;
  if (subject === undefined) throw new Error('no such case');
  const unconfined = { ...subject, tigerBeetleSeccomp: 'Unconfined' } as const;
  const template = buildStatefulSet(unconfined).spec?.template ?? {};
  const { code, stderr } = await tryWith(
    [podOf(subject, 'unconfined', template)],
    'create',
    '--dry-run=server',
  );
  expect([code, stderr]).toEqual([1, expect.stringContaining('seccompProfile')]);
});

const first = () => {
  const [subject] = cases;
  if (subject === undefined) throw new Error('no cases');
  return subject;
};

test('a grown database, suspended and of another size, changes the StatefulSet that there is', async () => {
  const subject = first();
  const live = await read<StatefulSet>(subject, 'statefulset', subject.workload);
  const changed = {
    ...withResolved(subject, { size: { name: 'lh-20', cpuMillis: 1000, memoryMib: 4096 } }),
    storageGb: 200,
    suspend: true,
  };
  // The claim template cannot be changed, and need not be: the operator makes and grows the volumes itself.
  expect((await tryApply([buildStatefulSet(changed)])).stderr).toContain('Forbidden');
  const desired = buildStatefulSet(changed, live);
  expect(missing(desired, live)).toEqual([
    'metadata.annotations[ledgerhouse.dev/template-inputs]',
    'spec.replicas',
    'spec.template.spec.containers[engine].resources.requests.cpu',
    'spec.template.spec.containers[engine].resources.requests.memory',
    'spec.template.spec.containers[engine].resources.limits.memory',
  ]);
  const [answer] = await apply([desired]);
  expect(missing(desired, answer)).toEqual([]);
});

test('a Service that was deleted comes back under the address that is recorded', async () => {
  const subject = first();
  const name = serviceName(subject.workload, 0);
  const before = await read<Service>(subject, 'service', name);
  await kubectl('-n', subject.namespace, 'delete', 'service', name);
  const [after] = (await apply([buildService(subject, 0)])) as Service[];
  expect(after?.metadata.uid).not.toBe(before.metadata.uid);
  expect(after?.spec?.clusterIP).toBe(subject.endpoints[0]?.ip);
});

test('fields that others add are no difference; fields that others change are found and reverted', async () => {
  const subject = first();
  const service = buildService(subject, 0);
  const policy = buildNetworkPolicy(subject);
  const namespaced = ['-n', subject.namespace];
  await kubectl(...namespaced, 'label', 'service', service.metadata.name ?? '', 'team=blue');
  await kubectl(
    ...namespaced,
    'patch',
    'networkpolicy',
    subject.workload,
    '--type=merge',
    '-p',
    JSON.stringify({ spec: { podSelector: { matchLabels: { 'not-these': 'pods' } } } }),
  );
  const liveService = await read<Service>(subject, 'service', service.metadata.name ?? '');
  expect(missing(service, liveService)).toEqual([]);
  const livePolicy = await read<KubeObject>(subject, 'networkpolicy', subject.workload);
  expect(missing(policy, livePolicy)).toEqual(['spec.podSelector.matchLabels']);
  const [cured] = await apply([policy]);
  expect(missing(policy, cured)).toEqual([]);
});

test('a container that another put into the template is no reason to write for ever', async () => {
  const [, subject] = cases;
  if (subject === undefined) throw new Error('no such case');
  const intruder = { name: 'mesh', image: 'mesh:1' };
  const patch = JSON.stringify({ spec: { template: { spec: { containers: [intruder] } } } });
  const target = ['-n', subject.namespace, 'patch', 'statefulset', subject.workload];
  await kubectl(...target, '--type=strategic', '-p', patch, '--field-manager=mesh');
  const live = await read<StatefulSet>(subject, 'statefulset', subject.workload);
  expect(live.spec?.template.spec?.containers).toHaveLength(2);
  expect(missing(buildStatefulSet(subject, live), live)).toEqual([]);
});

test.each([0, 2, 5])(
  'the shell starts replica %i of TigerBeetle with its own entry bindable, and is TigerBeetle from then on',
  async (index) => {
    const subject = subjectOf('TigerBeetle', 'ha-6');
    const container = buildStatefulSet(subject).spec?.template.spec?.containers[0];
    const env = Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value]));
    const [program = '', ...command] = container?.command ?? [];
    const args = [...command, ...(container?.args ?? [])].map((arg) =>
      // As the kubelet does; and echo stands where TigerBeetle is.
      arg
        .replaceAll('$(REPLICA_INDEX)', String(index))
        .replace('/tigerbeetle start', '/bin/echo start'),
    );
    const { stdout } = await shell(program, args, {
      env: { ...(env as Record<string, string>), REPLICA_INDEX: String(index) },
    });
    const addresses = subject.endpoints
      .map(({ ip }, other) => (other === index ? '0.0.0.0:3001' : `${ip}:3001`))
      .join(',');
    expect(stdout).toBe(
      `start --addresses=${addresses} --cache-grid=3968MiB --experimental --statsd=127.0.0.1:8125 ` +
        `/data/${subject.clusterId}_${index}.tigerbeetle\n`,
    );
  },
);
