/** One node: containerd, kubelet and kube-proxy, in the node's network namespace. */
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Image } from '../../images/build.ts';
import { writeIn } from '../api-server.ts';
import { ensureBuilt } from '../binaries.ts';
import { checkout } from '../config.ts';
import { writeKubeconfig } from '../kubeconfig.ts';
import type { Pki } from '../pki.ts';
import type { Processes } from '../processes.ts';
import { run, waitFor } from '../run.ts';
import { ensureCgroups } from './network.ts';
import type { ClusterPlan, NodePlan } from './plan.ts';

/** Debian's folder of the plugins. */
export const cniPlugins = '/usr/lib/cni';

export interface NodeContext {
  readonly plan: ClusterPlan;
  readonly node: NodePlan;
  readonly pki: Pki;
  readonly processes: Processes;
  readonly server: string;
}

export async function startNode(context: NodeContext, pause: Image): Promise<void> {
  const { node, processes } = context;
  await ensureCgroups(node);
  mkdirSync(node.runFolder, { recursive: true });
  mkdirSync(node.kubeletFolder, { recursive: true });
  // TigerBeetle's pods use this profile: unlike the default one, it allows io_uring.
  const profiles = join(node.kubeletFolder, 'seccomp/profiles');
  mkdirSync(profiles, { recursive: true });
  copyFileSync(
    join(checkout, 'charts/ledgerhouse/files/io-uring.json'),
    join(profiles, 'ledgerhouse-io-uring.json'),
  );
  processes.start(`containerd-${node.index}`, {
    command: 'containerd',
    args: [
      '--config',
      writeIn(node.folder, 'containerd.toml', containerdConfig(node, pause.reference)),
    ],
    networkNamespace: node.networkNamespace,
  });
  await waitFor(
    `containerd of ${node.name}`,
    async () => {
      processes.assertRunning([`containerd-${node.index}`]);
      return run('ctr', ['-a', node.containerdSocket, 'version'], { timeoutMs: 10_000 });
    },
    { timeoutMs: 180_000 },
  );
  await importImage(node, pause.archive);
  await startKubelet(context);
  await startKubeProxy(context);
}

/** Loads a docker-archive into the node. */
export async function importImage(node: NodePlan, archive: string): Promise<void> {
  await run('ctr', ['-a', node.containerdSocket, '-n', 'k8s.io', 'images', 'import', archive], {
    timeoutMs: 300_000,
  });
}

/** Names of the images that the node has. */
export async function listImages(node: NodePlan): Promise<string[]> {
  const listed = await run('ctr', [
    '-a',
    node.containerdSocket,
    '-n',
    'k8s.io',
    'images',
    'list',
    '-q',
  ]);
  return listed.split('\n').filter((name) => name !== '');
}

function containerdConfig(node: NodePlan, pauseImage: string): string {
  const cni = writeIn(
    join(node.folder, 'cni'),
    '10-pods.conflist',
    JSON.stringify({
      cniVersion: '0.4.0',
      name: 'pods',
      plugins: [
        {
          // Each pod has a routed pair instead of a bridge, so that traffic between two pods of one node passes the node's tables
          // too. Services and policies then work there without br_netfilter.
          type: 'ptp',
          ipam: {
            type: 'host-local',
            dataDir: join(node.folder, 'cni-addresses'),
            ranges: [[{ subnet: node.podCidr }]],
            routes: [{ dst: '0.0.0.0/0' }],
          },
        },
        { type: 'portmap', capabilities: { portMappings: true } },
      ],
    }),
  );
  return `version = 2
root = "${join(node.folder, 'containerd')}"
state = "${node.runFolder}/containerd"
disabled_plugins = ["io.containerd.internal.v1.opt"]
[grpc]
  address = "${node.containerdSocket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "docker.io/${pauseImage}"
  # Without CAP_SYS_RESOURCE nobody may lower an oom_score_adj, and every sandbox would fail.
  restrict_oom_score_adj = true
  # Pods' network namespaces lie below the node's folder, not among the machine's own.
  netns_mounts_under_state_dir = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${cniPlugins}"
    conf_dir = "${join(cni, '..')}"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
`;
}

async function startKubelet({ plan, node, pki, processes, server }: NodeContext): Promise<void> {
  const programs = await ensureBuilt('node');
  const client = await pki.sign(`kubelet-${node.index}`, {
    user: `system:node:${node.name}`,
    groups: ['system:nodes'],
  });
  const kubeconfig = join(node.folder, 'kubelet.kubeconfig');
  writeKubeconfig(kubeconfig, { server, caFile: pki.ca.cert, client });
  const config = {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: pki.ca.cert },
    },
    authorization: { mode: 'Webhook' },
    clusterDNS: [plan.dnsIp],
    clusterDomain: 'cluster.local',
    cgroupDriver: 'cgroupfs',
    cgroupRoot: node.cgroup,
    containerRuntimeEndpoint: `unix://${node.containerdSocket}`,
    // Some machines still have cgroup v1.
    failCgroupV1: false,
    failSwapOn: false,
    podLogsDir: join(node.folder, 'pod-logs'),
    // Disks of development machines are often nearly full; pods must not be evicted for it.
    evictionHard: {
      'memory.available': '100Mi',
      'nodefs.available': '1%',
      'imagefs.available': '1%',
    },
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    nodeStatusUpdateFrequency: '4s',
    syncFrequency: '10s',
    volumeStatsAggPeriod: '10s',
    healthzBindAddress: node.address,
  };
  processes.start(`kubelet-${node.index}`, {
    command: programs['kubelet'] ?? '',
    args: [
      `--config=${writeIn(node.folder, 'kubelet.yaml', stringify(config))}`,
      `--kubeconfig=${kubeconfig}`,
      `--root-dir=${node.kubeletFolder}`,
      `--cert-dir=${join(node.folder, 'kubelet-pki')}`,
      `--hostname-override=${node.name}`,
      `--node-ip=${node.address}`,
      `--node-labels=topology.kubernetes.io/zone=local-${node.index},topology.kubernetes.io/region=local`,
    ],
    networkNamespace: node.networkNamespace,
  });
}

/**
 * Starts a kubelet again that met another one. All kubelets of a machine have their device plugin socket in one folder with a
 * fixed path; each empties the folder and listens there. If two do so at the same instant, one of them ends.
 */
export async function restartKubeletThatMet(context: NodeContext): Promise<void> {
  const name = `kubelet-${context.node.index}`;
  if (context.processes.isRunning(name)) return;
  const why = context.processes.lastWords(name).split('\n').at(-1) ?? '';
  if (/Failed to start ContainerManager.*device-plugins\/kubelet\.sock/.test(why))
    await startKubelet(context);
}

async function startKubeProxy({ plan, node, pki, processes, server }: NodeContext): Promise<void> {
  const programs = await ensureBuilt('node');
  const client = await pki.sign('kube-proxy', { user: 'system:kube-proxy' });
  const kubeconfig = join(node.folder, 'kube-proxy.kubeconfig');
  writeKubeconfig(kubeconfig, { server, caFile: pki.ca.cert, client });
  const config = {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    clientConnection: { kubeconfig },
    clusterCIDR: plan.podCidr,
    hostnameOverride: node.name,
    mode: 'iptables',
    bindAddress: node.address,
    healthzBindAddress: `${node.address}:10256`,
    metricsBindAddress: `${node.address}:10249`,
    iptables: { minSyncPeriod: '0s', syncPeriod: '30s' },
    // A network namespace cannot set the limits of the whole machine.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
  };
  processes.start(`kube-proxy-${node.index}`, {
    command: programs['kube-proxy'] ?? '',
    args: [`--config=${writeIn(node.folder, 'kube-proxy.yaml', stringify(config))}`],
    networkNamespace: node.networkNamespace,
  });
}
