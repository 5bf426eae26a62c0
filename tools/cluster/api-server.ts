/**
 * Runs etcd, kube-apiserver and kube-controller-manager as processes of this machine: the part shared by the full native cluster
 * and the control plane of the integration tests. Needs no root.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt } from './binaries.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { Pki } from './pki.ts';
import type { Processes } from './processes.ts';
import { run, waitFor } from './run.ts';

export interface ControlPlaneAddresses {
  /** Address to which everything binds and at which it is reached. */
  readonly host: string;
  readonly apiPort: number;
  readonly etcdHost: string;
  readonly etcdPort: number;
  readonly etcdPeerPort: number;
  readonly controllerManagerPort: number;
  readonly serviceCidr: string;
  /** First address of `serviceCidr`: the `kubernetes` Service. */
  readonly serviceIp: string;
}

interface ControlPlaneOptions {
  readonly folder: string;
  readonly kubeconfig: string;
  readonly processes: Processes;
  readonly addresses: ControlPlaneAddresses;
  readonly controllerManager: boolean;
  /** Maximum requests a second of each controller in the controller manager. Default: the manager's own, 20. */
  readonly controllerRequestsPerSecond?: number | undefined;
  /** Controllers of the manager that do not run. */
  readonly withoutControllers?: readonly string[] | undefined;
  /** Set if there are nodes: each node gets a part of it for its pods' addresses. */
  readonly podCidr?: string;
}

/** Starts whatever is not running and returns when the API server reports that it is ready. */
export async function startApiServer(options: ControlPlaneOptions): Promise<Pki> {
  const { folder, addresses, processes } = options;
  const programs = await controlPlanePrograms();
  mkdirSync(folder, { recursive: true });
  const pki = new Pki(join(folder, 'pki'));
  await pki.init();
  const server = await pki.sign('kube-apiserver', {
    user: 'kube-apiserver',
    hosts: [
      ...new Set([addresses.host, '127.0.0.1', addresses.serviceIp, 'localhost', 'kubernetes']),
      'kubernetes.default',
      'kubernetes.default.svc',
      'kubernetes.default.svc.cluster.local',
    ],
  });
  const masters = { groups: ['system:masters'] };
  const admin = await pki.sign('admin', { user: 'admin', ...masters });
  const kubelets = await pki.sign('kubelet-client', { user: 'kube-apiserver-kubelet', ...masters });
  const url = `https://${addresses.host}:${addresses.apiPort}`;
  writeKubeconfig(options.kubeconfig, { server: url, caFile: pki.ca.cert, client: admin });
  startEtcd(options, programs.etcd);
  processes.start('kube-apiserver', {
    command: programs.apiserver,
    args: apiServerFlags(options, pki, server, kubelets),
    env: environment(options),
  });
  await waitForApi(options);
  if (options.controllerManager)
    await startControllerManager(options, pki, programs.controllerManager, url);
  return pki;
}

/** Paths of the programs: in the folder named by KUBEBUILDER_ASSETS, as controller test suites use it, or our own builds. */
async function controlPlanePrograms(): Promise<{
  etcd: string;
  apiserver: string;
  controllerManager: string;
}> {
  const assets = process.env['KUBEBUILDER_ASSETS'];
  if (assets !== undefined && existsSync(join(assets, 'kube-apiserver'))) {
    return {
      etcd: join(assets, 'etcd'),
      apiserver: join(assets, 'kube-apiserver'),
      controllerManager: join(assets, 'kube-controller-manager'),
    };
  }
  const etcd = await ensureBuilt('etcd');
  const kubernetes = await ensureBuilt('control-plane');
  return {
    etcd: etcd['etcd'] ?? '',
    apiserver: kubernetes['kube-apiserver'] ?? '',
    controllerManager: kubernetes['kube-controller-manager'] ?? '',
  };
}

/** Without nodes it lives for the minutes of a suite: memory is cheaper then than collecting garbage, a tenth of its processor time. */
const environment = ({ podCidr }: ControlPlaneOptions) =>
  podCidr === undefined ? { GOGC: '400' } : {};

function startEtcd({ folder, addresses, processes }: ControlPlaneOptions, command: string): void {
  const client = `http://${addresses.etcdHost}:${addresses.etcdPort}`;
  const peer = `http://${addresses.etcdHost}:${addresses.etcdPeerPort}`;
  processes.start('etcd', {
    command,
    args: [
      `--data-dir=${join(folder, 'etcd')}`,
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
      // A test cluster is discarded after a crash of the machine, so it need not survive one.
      '--unsafe-no-fsync',
      '--log-level=warn',
    ],
  });
}

function apiServerFlags(
  { folder, addresses, podCidr }: ControlPlaneOptions,
  pki: Pki,
  server: { cert: string; key: string },
  kubelets: { cert: string; key: string },
): string[] {
  return [
    `--etcd-servers=http://${addresses.etcdHost}:${addresses.etcdPort}`,
    `--bind-address=${addresses.host}`,
    // Pods reach the API server at this address, through the `kubernetes` Service.
    `--advertise-address=${addresses.host}`,
    `--secure-port=${addresses.apiPort}`,
    `--cert-dir=${join(folder, 'apiserver')}`,
    `--tls-cert-file=${server.cert}`,
    `--tls-private-key-file=${server.key}`,
    `--client-ca-file=${pki.ca.cert}`,
    `--service-account-issuer=https://kubernetes.default.svc.cluster.local`,
    `--service-account-key-file=${pki.serviceAccountKey}`,
    `--service-account-signing-key-file=${pki.serviceAccountKey}`,
    `--service-cluster-ip-range=${addresses.serviceCidr}`,
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    '--allow-privileged=true',
    // The API server refuses a loopback address as the endpoint of a Service that pods see; tests have no pods.
    ...(addresses.host === '127.0.0.1' && podCidr === undefined
      ? ['--endpoint-reconciler-type=none']
      : []),
    `--kubelet-client-certificate=${kubelets.cert}`,
    `--kubelet-client-key=${kubelets.key}`,
    '--kubelet-preferred-address-types=InternalIP',
  ];
}

async function waitForApi(options: ControlPlaneOptions): Promise<void> {
  const kubectlReady = () =>
    run('curl', [
      '-sS',
      '--max-time',
      '2',
      '--fail',
      '--cacert',
      join(options.folder, 'pki/ca.crt'),
      '--cert',
      join(options.folder, 'pki/admin.crt'),
      '--key',
      join(options.folder, 'pki/admin.key'),
      `https://${options.addresses.host}:${options.addresses.apiPort}/readyz`,
    ]);
  await waitFor(
    'the API server',
    async () => {
      options.processes.assertRunning(['etcd', 'kube-apiserver']);
      return (await kubectlReady()) === 'ok' ? true : undefined;
    },
    // Each question is a process of its own, and costs the server a handshake.
    { timeoutMs: 300_000, everyMs: 250 },
  );
}

async function startControllerManager(
  options: ControlPlaneOptions,
  pki: Pki,
  command: string,
  url: string,
): Promise<void> {
  const client = await pki.sign('kube-controller-manager', {
    user: 'system:kube-controller-manager',
  });
  const kubeconfig = join(options.folder, 'kube-controller-manager.kubeconfig');
  const requestsPerSecond = options.controllerRequestsPerSecond;
  writeKubeconfig(kubeconfig, { server: url, caFile: pki.ca.cert, client });
  options.processes.start('kube-controller-manager', {
    command,
    env: environment(options),
    args: [
      `--kubeconfig=${kubeconfig}`,
      `--authentication-kubeconfig=${kubeconfig}`,
      `--authorization-kubeconfig=${kubeconfig}`,
      `--bind-address=${options.addresses.host}`,
      `--secure-port=${options.addresses.controllerManagerPort}`,
      `--cert-dir=${join(options.folder, 'controller-manager')}`,
      '--use-service-account-credentials=true',
      `--service-account-private-key-file=${pki.serviceAccountKey}`,
      `--root-ca-file=${pki.ca.cert}`,
      `--cluster-signing-cert-file=${pki.ca.cert}`,
      `--cluster-signing-key-file=${pki.ca.key}`,
      '--leader-elect=false',
      // A lost node is noticed and its pods are released in seconds instead of minutes, because tests wait for it.
      '--node-monitor-period=1s',
      '--node-monitor-grace-period=16s',
      ...(requestsPerSecond === undefined
        ? []
        : [`--kube-api-qps=${requestsPerSecond}`, `--kube-api-burst=${2 * requestsPerSecond}`]),
      ...(options.podCidr === undefined
        ? [`--controllers=${controllersWithoutNodes(options.withoutControllers)}`]
        : [`--cluster-cidr=${options.podCidr}`, '--allocate-node-cidrs=false']),
    ],
  });
}

/** There are no nodes: the controller that clears pods of lost nodes would clear all of them. */
const controllersWithoutNodes = (others: readonly string[] = []) =>
  [
    '*',
    ...['nodeipam', 'pod-garbage-collector-controller', ...others].map((name) => `-${name}`),
  ].join();

/**
 * Writes a file under a folder, which is created if missing. An unchanged file is not rewritten: kube-proxy ends itself when its
 * configuration is written to.
 */
export function writeIn(folder: string, name: string, content: string): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  if (!existsSync(path) || readFileSync(path, 'utf8') !== content) writeFileSync(path, content);
  return path;
}
