/**
 * Names and addresses of a native cluster, all derived from its id and its slot, so that two clusters of one machine
 * share nothing. Every node has its own network namespace: the iptables rules of kube-proxy and the CNI plugins disappear
 * with the namespace, and the machine's own tables are never touched.
 *
 *   machine ── bridge 10.S.0.1 ──┬── veth ── node 1 10.S.0.11 ── pods 10.S.65.0/24
 *     │  control plane, CoreDNS  ├── veth ── node 2 10.S.0.12 ── pods 10.S.66.0/24
 *     └─ routes to pods,         └── …
 *        and to Services 10.S.128.0/17 by way of node 1
 */
import { join } from 'node:path';
import { ClusterError, type ClusterConfig } from '../config.ts';

export interface NodePlan {
  readonly index: number;
  readonly name: string;
  readonly address: string;
  readonly podCidr: string;
  readonly networkNamespace: string;
  readonly hostInterface: string;
  /** Folder of sockets and containerd's state. Its path must be short, because a socket's path has at most 108 bytes. */
  readonly runFolder: string;
  /** Folder of images, the kubelet's files, and volumes. */
  readonly folder: string;
  /** The cgroup, in every hierarchy, of the node's pods. */
  readonly cgroup: string;
  readonly containerdSocket: string;
  readonly kubeletFolder: string;
}

export interface ClusterPlan {
  readonly id: string;
  readonly folder: string;
  readonly runFolder: string;
  readonly bridge: string;
  readonly hostAddress: string;
  readonly network: string;
  readonly podCidr: string;
  readonly serviceCidr: string;
  readonly serviceIp: string;
  readonly dnsIp: string;
  readonly nodes: readonly NodePlan[];
}

export function planCluster(config: ClusterConfig, slot: number, nodeCount: number): ClusterPlan {
  const prefix = `10.${slot}`;
  const folder = join(config.stateFolder, 'cluster');
  const runFolder = `/run/ledgerhouse-${config.id}`;
  const nodes = Array.from({ length: nodeCount }, (_, i) => {
    const index = i + 1;
    const run = `${runFolder}/node-${index}`;
    return {
      index,
      name: `node-${index}`,
      address: `${prefix}.0.${10 + index}`,
      podCidr: `${prefix}.${64 + index}.0/24`,
      networkNamespace: `lh-${config.id}-${index}`,
      hostInterface: `lh${config.id}n${index}`,
      runFolder: run,
      folder: join(folder, `node-${index}`),
      cgroup: `/ledgerhouse-${config.id}-${index}`,
      containerdSocket: `${run}/containerd.sock`,
      kubeletFolder: join(folder, `node-${index}`, 'kubelet'),
    };
  });
  return {
    id: config.id,
    folder,
    runFolder,
    bridge: `lh${config.id}`,
    hostAddress: `${prefix}.0.1`,
    network: `${prefix}.0.0/24`,
    podCidr: `${prefix}.64.0/18`,
    serviceCidr: `${prefix}.128.0/17`,
    serviceIp: `${prefix}.128.1`,
    dnsIp: `${prefix}.128.10`,
    nodes,
  };
}

/**
 * Returns a second octet whose 10.x.0.0/16 is unused on the machine. The search starts at a position that depends on the
 * cluster's id, so that two clusters that start at the same moment try different ones.
 */
export function freeSlot(id: string, routes: readonly string[]): number {
  const start = Number.parseInt(id, 16);
  for (let i = 0; i < slots.count; i += 1) {
    const slot = slots.first + ((start + i) % slots.count);
    if (!routes.some((route) => route.startsWith(`10.${slot}.`))) return slot;
  }
  throw new ClusterError(
    'every network from 10.140.0.0/16 to 10.239.0.0/16 is in use on this machine',
  );
}

const slots = { first: 140, count: 100 } as const;
