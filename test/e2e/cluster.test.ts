/** The local Kubernetes does what the product asks of one: images, volumes, Services, DNS, logs, exec; and leaves nothing. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { startTestCluster, type TestCluster } from '../support/cluster/cluster.ts';
import { leftOf } from '../support/cluster/machine.ts';
import { eventually, mustRun, shell } from '../support/shell.ts';

jest.setTimeout(25 * 60_000);

let cluster: TestCluster;
let probe = '';
let untouched = '';

const rules = async () =>
  (await shell('sh', ['-c', 'iptables-save | grep -v ^# | sed "s/\\[.*\\]//"'])).stdout;

beforeAll(async () => {
  untouched = await rules();
  cluster = await startTestCluster({ nodes: 2 });
  probe = await cluster.image('probe');
});

afterAll(async () => cluster?.down());

const statefulSet = (image: string) => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'keeper', namespace: 'default' },
  spec: {
    serviceName: 'keeper',
    selector: { matchLabels: { app: 'keeper' } },
    template: {
      metadata: { labels: { app: 'keeper' } },
      spec: {
        terminationGracePeriodSeconds: 5,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 65532,
          fsGroup: 65532,
          seccompProfile: { type: 'RuntimeDefault' },
        },
        containers: [
          {
            name: 'probe',
            image,
            imagePullPolicy: 'IfNotPresent',
            securityContext: {
              readOnlyRootFilesystem: true,
              allowPrivilegeEscalation: false,
              capabilities: { drop: ['ALL'] },
            },
            readinessProbe: { httpGet: { path: '/', port: 8080 }, periodSeconds: 1 },
            volumeMounts: ['network', 'local'].map((name) => ({
              name,
              mountPath: `/data/${name}`,
            })),
          },
        ],
      },
    },
    volumeClaimTemplates: ['network', 'local'].map((name) => ({
      metadata: { name },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: `ledgerhouse-${name}`,
        resources: { requests: { storage: '320Mi' } },
      },
    })),
  },
});

const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'keeper', namespace: 'default' },
  spec: { selector: { app: 'keeper' }, ports: [{ port: 80, targetPort: 8080 }] },
};

const callerOn = (image: string, node: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `caller-${node}`, namespace: 'default' },
  spec: {
    nodeName: node,
    terminationGracePeriodSeconds: 1,
    containers: [{ name: 'probe', image, imagePullPolicy: 'IfNotPresent' }],
  },
});

/** Runs JavaScript in a pod and gives what it prints. */
const evaluate = (pod: string, script: string) =>
  cluster.kubectl('exec', pod, '--', '/bin/node', '--input-type=module', '-e', script);

const put = async (volume: string, text: string, pod = 'caller-node-1') =>
  (
    await evaluate(
      pod,
      `console.log(await (await fetch('http://keeper.default.svc.cluster.local/file/${volume}/note', { method: 'PUT', body: '${text}' })).text())`,
    )
  ).trim();
const get = async (pod: string, path: string) =>
  (
    await evaluate(
      pod,
      `console.log(await (await fetch('http://keeper.default.svc.cluster.local${path}')).text())`,
    )
  ).trim();

test('every node is Ready and has an address, a zone and the storage driver', async () => {
  const nodes = JSON.parse(await cluster.kubectl('get', 'nodes', '-o', 'json')) as {
    items: {
      metadata: { labels: Record<string, string> };
      status: { addresses: { type: string }[] };
    }[];
  };
  expect(nodes.items).toHaveLength(2);
  for (const node of nodes.items) {
    expect(node.status.addresses.map((address) => address.type)).toContain('InternalIP');
    expect(node.metadata.labels['topology.kubernetes.io/zone']).toMatch(/^local-/);
  }
  await eventually('each has the storage driver', async () => {
    const names = 'jsonpath={.items[*].spec.drivers[*].name}';
    expect(await cluster.kubectl('get', 'csinodes', '-o', names)).toMatch(/^(\S+) \1$/);
    return true;
  });
});

test('a StatefulSet of a local image, with a volume of each class, serves other pods by DNS name', async () => {
  await cluster.apply([
    service,
    statefulSet(probe),
    callerOn(probe, 'node-1'),
    callerOn(probe, 'node-2'),
  ]);
  await cluster.kubectl('rollout', 'status', 'statefulset/keeper', '--timeout=280s');
  await cluster.kubectl(
    'wait',
    '--for=condition=Ready',
    'pod/caller-node-1',
    'pod/caller-node-2',
    '--timeout=280s',
  );
  await eventually('the Service is known on every node', async () => {
    const answers = await Promise.all(
      ['caller-node-1', 'caller-node-2'].map((pod) => get(pod, '/')),
    );
    return answers.every((answer) => answer === 'keeper-0') ? true : undefined;
  });
  expect(await put('network', 'on a network disk')).toBe('written');
  expect(await put('local', 'on a local disk')).toBe('written');
  for (const caller of ['caller-node-1', 'caller-node-2']) {
    expect(await get(caller, '/file/network/note')).toBe('on a network disk');
    expect(await get(caller, '/file/local/note')).toBe('on a local disk');
  }
});

test('the machine itself reaches Services and pods', async () => {
  const ip = await cluster.kubectl('get', 'service', 'keeper', '-o', 'jsonpath={.spec.clusterIP}');
  expect(await mustRun('curl', ['-sS', '--max-time', '60', `http://${ip}/`])).toBe('keeper-0');
});

test('logs and exec reach the container, which is not root and cannot write its root file system', async () => {
  expect(await cluster.kubectl('logs', 'keeper-0')).toContain('probe: listening');
  expect(await evaluate('keeper-0', 'console.log(process.getuid())')).toBe('65532\n');
  const write = await cluster.tryKubectl(
    'exec',
    'keeper-0',
    '--',
    '/bin/node',
    '-e',
    'fs.writeFileSync("/x", "")',
  );
  expect(write.stderr).toContain('EROFS');
});

test('a network volume grows while its pod runs; a local one is refused', async () => {
  const before = Number(await get('caller-node-1', '/space/network'));
  const grow = (name: string) =>
    cluster.tryKubectl(
      'patch',
      'pvc',
      `${name}-keeper-0`,
      '--type=merge',
      '-p',
      '{"spec":{"resources":{"requests":{"storage":"960Mi"}}}}',
    );
  expect((await grow('local')).stderr).toMatch(/dynamically provisioned|expan/);
  expect((await grow('network')).code).toBe(0);
  await eventually('the claim reports its new size', async () => {
    const capacity = await cluster.kubectl(
      'get',
      'pvc',
      'network-keeper-0',
      '-o',
      'jsonpath={.status.capacity.storage}',
    );
    return capacity === '960Mi' ? true : undefined;
  });
  const after = Number(await get('caller-node-1', '/space/network'));
  expect(after).toBeGreaterThan(2.5 * before);
  expect(await get('caller-node-1', '/file/network/note')).toBe('on a network disk');
  const restarts = await cluster.kubectl(
    'get',
    'pod',
    'keeper-0',
    '-o',
    'jsonpath={.status.containerStatuses[0].restartCount}',
  );
  expect(restarts).toBe('0');
});

test('written data survives its pod', async () => {
  await cluster.kubectl('delete', 'pod', 'keeper-0', '--force', '--grace-period=0');
  await cluster.kubectl('rollout', 'status', 'statefulset/keeper', '--timeout=280s');
  for (const caller of ['caller-node-1', 'caller-node-2']) {
    await eventually(`the Service answers ${caller}`, async () => {
      const note = await get(caller, '/file/network/note');
      return note === 'on a network disk' ? true : undefined;
    });
  }
  expect(await get('caller-node-2', '/file/local/note')).toBe('on a local disk');
});

test('a NetworkPolicy holds up who is not admitted, on every node, and nobody else', async () => {
  const reach = (pod: string) =>
    evaluate(
      pod,
      `fetch('http://keeper.default.svc.cluster.local/', { signal: AbortSignal.timeout(1000) }).then((answer) => answer.text()).then(console.log, () => console.log('held up')).then(() => process.exit())`,
    );
  const see = (expected: string) =>
    eventually(`the callers see ${expected}`, async () => {
      const seen = await Promise.all(['caller-node-1', 'caller-node-2'].map(reach));
      return seen.map((line) => line.trim()).join(', ') === expected ? true : undefined;
    });
  const policy = (ingress: unknown[]) => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'keeper', namespace: 'default' },
    spec: { podSelector: { matchLabels: { app: 'keeper' } }, ingress },
  });
  await cluster.apply([policy([])]);
  await see('held up, held up');
  // Probes come from the node itself, which no policy holds up.
  await cluster.kubectl('wait', '--for=condition=Ready', 'pod/keeper-0', '--timeout=280s');
  await cluster.kubectl('label', 'pod', 'caller-node-2', 'access=yes');
  const admitted = [{ podSelector: { matchLabels: { access: 'yes' } } }];
  await cluster.apply([policy([{ from: admitted, ports: [{ port: 8080 }] }])]);
  await see('held up, keeper-0');
  await cluster.kubectl('delete', 'networkpolicy', 'keeper');
  await see('keeper-0, keeper-0');
});

test('deleted claims take their volumes with them', async () => {
  await cluster.kubectl('delete', 'statefulset', 'keeper', '--wait');
  await cluster.kubectl('delete', 'pod', 'keeper-0', '--ignore-not-found', '--wait');
  await cluster.kubectl('delete', 'pvc', '--all', '--wait', '--timeout=280s');
  await eventually('no volume is left', async () => {
    const left = await cluster.kubectl('get', 'pv', '-o', 'name');
    return left === '' ? true : undefined;
  });
  expect(readdirSync(`${cluster.stateFolder}/cluster/volumes`)).toEqual([]);
});

test('a node whose cable is pulled is noticed, and is Ready again when it is back', async () => {
  const ready = async () =>
    (
      await cluster.kubectl(
        'get',
        'node',
        'node-2',
        '-o',
        'jsonpath={.status.conditions[?(@.type=="Ready")].status}',
      )
    ).trim();
  await cluster.cluster('cut', 'node-2');
  await eventually('node-2 is not Ready', async () =>
    (await ready()) === 'Unknown' ? true : undefined,
  );
  await cluster.cluster('plug', 'node-2');
  await eventually('node-2 is Ready again', async () =>
    (await ready()) === 'True' ? true : undefined,
  );
});

test('a network volume follows its pod away from a node that lost power; up brings the node back', async () => {
  const { spec, ...rest } = statefulSet(probe);
  const pod = spec.template.spec;
  await cluster.apply([
    {
      ...rest,
      spec: {
        ...spec,
        template: {
          ...spec.template,
          spec: {
            ...pod,
            // Five minutes otherwise.
            tolerations: [
              {
                key: 'node.kubernetes.io/unreachable',
                operator: 'Exists',
                effect: 'NoExecute',
                tolerationSeconds: 1,
              },
            ],
            containers: pod.containers.map((container) => ({
              ...container,
              volumeMounts: [{ name: 'network', mountPath: '/data/network' }],
            })),
          },
        },
        volumeClaimTemplates: spec.volumeClaimTemplates.slice(0, 1),
      },
    },
  ]);
  await cluster.kubectl('rollout', 'status', 'statefulset/keeper', '--timeout=280s');
  const nodeOf = () => cluster.kubectl('get', 'pod', 'keeper-0', '-o', 'jsonpath={.spec.nodeName}');
  const lost = await nodeOf();
  const caller = lost === 'node-1' ? 'caller-node-2' : 'caller-node-1';
  await eventually('the note is written', async () =>
    (await put('network', 'before the failure', caller)) === 'written' ? true : undefined,
  );
  await cluster.cluster('power-off', lost);
  await eventually('the pod is to be deleted', async () => {
    const at = await cluster.kubectl(
      'get',
      'pod',
      'keeper-0',
      '-o',
      'jsonpath={.metadata.deletionTimestamp}',
    );
    return at === '' ? undefined : true;
  });
  // Kubernetes cannot know whether a pod on a silent node has ended, until a person says so.
  await cluster.kubectl('delete', 'pod', 'keeper-0', '--force', '--grace-period=0');
  await cluster.kubectl('rollout', 'status', 'statefulset/keeper', '--timeout=280s');
  expect(await nodeOf()).not.toBe(lost);
  await eventually('the note is there', async () =>
    (await get(caller, '/file/network/note')) === 'before the failure' ? true : undefined,
  );
  await cluster.cluster('up');
  await cluster.kubectl('wait', '--for=condition=Ready', `node/${lost}`, '--timeout=280s');
  await cluster.kubectl('delete', 'statefulset', 'keeper', '--wait');
  await cluster.kubectl('wait', '--for=delete', 'pod/keeper-0', '--timeout=280s');
});

test('a second up changes nothing, and a killed part comes back', async () => {
  const nodes = () => cluster.kubectl('get', 'nodes', '-o', 'jsonpath={.items[*].metadata.uid}');
  const before = await nodes();
  const pidFile = `${cluster.stateFolder}/cluster/pids/kube-scheduler.json`;
  const { pid } = JSON.parse(readFileSync(pidFile, 'utf8')) as { pid: number };
  process.kill(pid, 'SIGKILL');
  await cluster.cluster('up');
  expect(await nodes()).toBe(before);
  expect(JSON.parse(readFileSync(pidFile, 'utf8'))).not.toMatchObject({ pid });
});

test('down leaves no process, mount, interface, rule or cgroup, even after parts of it were killed', async () => {
  for (const name of ['containerd-1', 'kubelet-2', 'etcd']) {
    const { pid } = JSON.parse(
      readFileSync(`${cluster.stateFolder}/cluster/pids/${name}.json`, 'utf8'),
    ) as { pid: number };
    process.kill(pid, 'SIGKILL');
  }
  await cluster.cluster('down');
  expect(await leftOf(cluster.stateFolder)).toEqual([]);
  expect(await rules()).toBe(untouched);
});
