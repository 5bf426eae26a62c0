/**
 * Brings a native cluster up. Every step checks first what exists, so a second run, or one after an interrupt, does only the
 * rest.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { buildImage } from '../../images/build.ts';
import { startApiServer, writeIn, type ControlPlaneAddresses } from '../api-server.ts';
import { clusterGroups, ensureBuilt } from '../binaries.ts';
import type { AddonsSettings } from '../addons/main.ts';
import { checkout, ClusterError, type ClusterConfig } from '../config.ts';
import { withLock } from '../lock.ts';
import { Processes } from '../processes.ts';
import { step } from '../progress.ts';
import { runQuietly, waitFor } from '../run.ts';
import { startScheduler } from '../scheduler.ts';
import { chooseSlot, ensureBridge, ensureNetwork } from './network.ts';
import { cniPlugins, restartKubeletThatMet, startNode, type NodeContext } from './node.ts';
import { ensureObjects } from './objects.ts';
import { planCluster, type ClusterPlan } from './plan.ts';

export async function upNative(config: ClusterConfig): Promise<void> {
  await checkMachine();
  // Everything is built before anything is started.
  for (const group of clusterGroups) await ensureBuilt(group);
  const pause = await buildImage('pause');
  // One cluster at a time on a machine: two that start together would see the same free slot.
  const plan = await withLock('/run/ledgerhouse-slots.lock', () => claimSlot(config));
  mkdirSync(plan.runFolder, { recursive: true });
  await ensureNetwork(plan);
  step(`network ${plan.network}, pods ${plan.podCidr}, Services ${plan.serviceCidr}`);

  const processes = new Processes(plan.folder);
  const addresses = addressesOf(plan);
  const pki = await startApiServer({
    folder: plan.folder,
    kubeconfig: config.kubeconfig,
    processes,
    addresses,
    controllerManager: true,
    podCidr: plan.podCidr,
  });
  step(`API server ready at https://${addresses.host}:${addresses.apiPort}`);
  const server = `https://${addresses.host}:${addresses.apiPort}`;
  await ensureObjects(config.kubeconfig, plan);
  const { folder, hostAddress: host } = plan;
  await startScheduler({ folder, processes, pki, server, host });
  await startDns(plan, processes, config.kubeconfig);
  const nodes = plan.nodes.map((node) => ({ plan, node, pki, processes, server }));
  await Promise.all(nodes.map((node) => startNode(node, pause)));
  startAddons(plan, processes, config.kubeconfig);
  await waitUntilReady(config, plan, nodes, processes);
}

const slotFile = (config: ClusterConfig) => join(config.stateFolder, 'cluster', 'slot');

/** The plan of this cluster as it runs on the machine, or as it would run. */
export async function planOf(config: ClusterConfig): Promise<ClusterPlan> {
  return planCluster(config, await chooseSlot(config.id, slotFile(config)), config.nodes);
}

async function claimSlot(config: ClusterConfig): Promise<ClusterPlan> {
  const slot = await chooseSlot(config.id, slotFile(config));
  const plan = planCluster(config, slot, config.nodes);
  await ensureBridge(plan);
  writeIn(plan.folder, 'slot', String(slot));
  return plan;
}

async function checkMachine(): Promise<void> {
  if (process.getuid?.() !== 0) {
    throw new ClusterError(
      'the native local Kubernetes needs root (or use a Docker engine, or LEDGERHOUSE_CLUSTER=kubeconfig with a cluster of yours)',
    );
  }
  const needed = [
    'containerd',
    'runc',
    'ip',
    'iptables',
    'conntrack',
    'losetup',
    'nsenter',
    'sysctl',
    'mkfs.xfs',
    'openssl',
    'curl',
  ];
  const missing: string[] = [];
  for (const command of needed) {
    if ((await runQuietly('which', [command])) === '') missing.push(command);
  }
  if (!existsSync(join(cniPlugins, 'ptp'))) missing.push('CNI plugins');
  if (missing.length > 0) throw new ClusterError(`missing: ${missing.join(', ')}; run: make setup`);
}

function addressesOf(plan: ClusterPlan): ControlPlaneAddresses {
  return {
    host: plan.hostAddress,
    apiPort: 6443,
    etcdHost: plan.hostAddress,
    etcdPort: 2379,
    etcdPeerPort: 2380,
    controllerManagerPort: 10257,
    serviceCidr: plan.serviceCidr,
    serviceIp: plan.serviceIp,
  };
}

async function startDns(
  plan: ClusterPlan,
  processes: Processes,
  kubeconfig: string,
): Promise<void> {
  const programs = await ensureBuilt('coredns');
  const corefile = `.:53 {
  bind ${plan.hostAddress}
  errors
  kubernetes cluster.local in-addr.arpa {
    kubeconfig ${kubeconfig}
    pods insecure
    ttl 5
  }
  cache 5
  loadbalance
}
`;
  processes.start('coredns', {
    command: programs['coredns'] ?? '',
    args: ['-conf', writeIn(plan.folder, 'Corefile', corefile)],
  });
}

function startAddons(plan: ClusterPlan, processes: Processes, kubeconfig: string): void {
  const settings: AddonsSettings = {
    kubeconfig,
    images: join(plan.folder, 'volumes'),
    dnsAddress: plan.hostAddress,
    nodes: plan.nodes.map(({ name, folder, kubeletFolder, runFolder, networkNamespace }) => ({
      name,
      folder,
      kubeletFolder,
      runFolder,
      networkNamespace,
    })),
  };
  processes.start('addons', {
    command: process.execPath,
    args: [
      join(checkout, 'tools/cluster/addons/main.ts'),
      writeIn(plan.folder, 'addons.json', JSON.stringify(settings)),
    ],
  });
}

async function waitUntilReady(
  config: ClusterConfig,
  plan: ClusterPlan,
  nodes: readonly NodeContext[],
  processes: Processes,
): Promise<void> {
  const kubeconfig = new KubeConfig();
  kubeconfig.loadFromFile(config.kubeconfig);
  const core = kubeconfig.makeApiClient(CoreV1Api);
  const names = processes.names();
  await waitFor(
    'nodes that are Ready',
    async () => {
      await Promise.all(nodes.map(restartKubeletThatMet));
      processes.assertRunning(names);
      const { items } = await core.listNode();
      const ready = items.filter((node) =>
        node.status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True'),
      );
      return ready.length >= nodes.length ? true : undefined;
    },
    { timeoutMs: 600_000, everyMs: 250 },
  );
  // The first pod of a namespace needs the default service account.
  await waitFor(
    'the default service account',
    () => core.readNamespacedServiceAccount({ name: 'default', namespace: 'default' }),
    { timeoutMs: 300_000 },
  );
  writeFileSync(join(plan.folder, 'nodes'), String(plan.nodes.length));
  step(`${plan.nodes.length} node(s) Ready; kubeconfig ${config.kubeconfig}`);
}
