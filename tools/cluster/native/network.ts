import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { ClusterError } from '../config.ts';
import { run, runQuietly } from '../run.ts';
import { freeSlot, type ClusterPlan, type NodePlan } from './plan.ts';

/**
 * Slot of this cluster: that of its bridge if it exists; else the one that it had before it was halted, which is in its
 * certificates and in the addresses of its Services; else a free one.
 */
export async function chooseSlot(id: string, keptIn: string): Promise<number> {
  const bridge = `lh${id}`;
  const own = /inet 10\.(\d+)\.0\.1\//.exec(await runQuietly('ip', ['-4', 'addr', 'show', bridge]));
  if (own?.[1] !== undefined) return Number(own[1]);
  const routes = (await run('ip', ['-4', 'route', 'show'])).split('\n');
  const addresses = [...(await run('ip', ['-4', 'addr', 'show'])).matchAll(/inet (\S+)/g)].map(
    (m) => m[1] ?? '',
  );
  const taken = [...routes, ...addresses];
  if (!existsSync(keptIn)) return freeSlot(id, taken);
  const kept = Number(readFileSync(keptIn, 'utf8'));
  if (taken.some((range) => range.startsWith(`10.${kept}.`))) {
    throw new ClusterError(
      `the cluster that was halted has the network 10.${kept}.0.0/16, which something else uses now (ip route shows it); end that, or give the halted cluster up with all its data: make down DATA=1`,
    );
  }
  return kept;
}

/** Creates the bridge, each node's namespace and the routes, as far as they do not exist. */
export async function ensureNetwork(plan: ClusterPlan): Promise<void> {
  await ensureBridge(plan);
  for (const node of plan.nodes) await ensureNode(plan, node);
  const first = plan.nodes[0];
  if (first !== undefined)
    await run('ip', ['route', 'replace', plan.serviceCidr, 'via', first.address]);
}

/** Creates the bridge. Once it has its address, the slot is taken: other clusters see it. */
export async function ensureBridge(plan: ClusterPlan): Promise<void> {
  if (!existsSync(`/sys/class/net/${plan.bridge}`)) {
    await run('ip', ['link', 'add', plan.bridge, 'type', 'bridge']);
  }
  await runQuietly('ip', ['addr', 'add', `${plan.hostAddress}/24`, 'dev', plan.bridge]);
  await run('ip', ['link', 'set', plan.bridge, 'up']);
}

async function ensureNode(plan: ClusterPlan, node: NodePlan): Promise<void> {
  const namespace = node.networkNamespace;
  if (!existsSync(`/run/netns/${namespace}`)) await run('ip', ['netns', 'add', namespace]);
  const inside = (...args: string[]) => run('ip', ['-n', namespace, ...args]);
  if (!existsSync(`/sys/class/net/${node.hostInterface}`)) {
    await run('ip', [
      'link',
      'add',
      node.hostInterface,
      'type',
      'veth',
      'peer',
      'name',
      'eth0',
      'netns',
      namespace,
    ]);
  }
  await run('ip', ['link', 'set', node.hostInterface, 'master', plan.bridge, 'up']);
  await inside('link', 'set', 'lo', 'up');
  await runQuietly('ip', ['-n', namespace, 'addr', 'add', `${node.address}/24`, 'dev', 'eth0']);
  await inside('link', 'set', 'eth0', 'up');
  await inside('route', 'replace', 'default', 'via', plan.hostAddress);
  for (const other of plan.nodes) {
    if (other !== node) await inside('route', 'replace', other.podCidr, 'via', other.address);
  }
  await run('ip', ['route', 'replace', node.podCidr, 'via', node.address]);
  // A network namespace has its own settings: this lets the node forward between its pods and the bridge.
  await run('nsenter', [
    `--net=/run/netns/${namespace}`,
    'sysctl',
    '-q',
    '-w',
    'net.ipv4.ip_forward=1',
    'net.ipv4.conf.all.rp_filter=0',
  ]);
}

/** Cuts a node off the network, as if its cable were pulled, or plugs it in again. */
export async function setNodeLink(node: NodePlan, up: boolean): Promise<void> {
  await run('ip', ['link', 'set', node.hostInterface, up ? 'up' : 'down']);
}

/** Removes everything that `ensureNetwork` creates; the routes disappear with the bridge. */
export async function removeNetwork(id: string): Promise<void> {
  const names = await runQuietly('ip', ['netns', 'list']);
  for (const [name] of names.matchAll(new RegExp(`^lh-${id}-\\d+`, 'gm'))) {
    // Deleting the namespace deletes both ends of the veth.
    await runQuietly('ip', ['netns', 'delete', name]);
  }
  for (let index = 1; index <= 3; index += 1) {
    await runQuietly('ip', ['link', 'delete', `lh${id}n${index}`]);
  }
  await runQuietly('ip', ['link', 'delete', `lh${id}`]);
}

/** Creates the cgroup folders for a node's containers in every v1 hierarchy: the kubelet uses them unchanged. */
export async function ensureCgroups(node: NodePlan): Promise<void> {
  for (const hierarchy of await cgroupHierarchies()) {
    const folder = `${hierarchy}${node.cgroup}`;
    await run('mkdir', ['-p', folder]);
    // A new cpuset is empty, and no process can enter an empty cpuset.
    for (const file of ['cpuset.cpus', 'cpuset.mems']) {
      const [parent, own] = [`${hierarchy}/${file}`, `${folder}/${file}`];
      if (existsSync(parent) && existsSync(own)) {
        const value = (await run('cat', [parent])).trim();
        if (value !== '') writeFileSync(own, value);
      }
    }
  }
}

/** Mount points of the existing cgroup hierarchies, v1 and v2. */
export async function cgroupHierarchies(): Promise<string[]> {
  const mounts = (await run('cat', ['/proc/mounts'])).split('\n').map((line) => line.split(' '));
  return mounts
    .filter(([, , type]) => type === 'cgroup' || type === 'cgroup2')
    .map(([, path]) => path ?? '');
}
