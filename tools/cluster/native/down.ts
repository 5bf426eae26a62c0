/**
 * Takes a native cluster down completely: processes, containers, mounts, loop devices, network, cgroups, files. It looks at the
 * machine and not at records, so that it also cleans up after a crash of any part or an interrupted start. It touches only things
 * that carry this cluster's id or lie below its folders.
 */
import { existsSync, readdirSync, readFileSync, readlinkSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ClusterConfig } from '../config.ts';
import { endProcess, endStrays, Processes } from '../processes.ts';
import { run, runQuietly, waitFor } from '../run.ts';
import { cgroupHierarchies, removeNetwork } from './network.ts';
import type { NodePlan } from './plan.ts';

export async function downNative(config: ClusterConfig): Promise<void> {
  await haltNative(config);
  rmSync(join(config.stateFolder, 'cluster'), { recursive: true, force: true });
}

/**
 * Ends all processes and keeps the disks: those of the control plane, of the nodes, and the volumes. `up` continues with them.
 */
export async function haltNative(config: ClusterConfig): Promise<void> {
  const folder = join(config.stateFolder, 'cluster');
  const runFolder = `/run/ledgerhouse-${config.id}`;
  const stop = async (pattern: RegExp) => {
    if (!existsSync(folder)) return;
    const processes = new Processes(folder);
    const names = processes.names().filter((name) => pattern.test(name));
    await Promise.all(names.map((name) => processes.stop(name)));
  };
  // Kubelets are stopped first: they would start the containers again.
  await stop(/^kubelet|^kube-proxy|^kube-scheduler|^kube-controller/);
  await endContainers(`/ledgerhouse-${config.id}-`, runFolder);
  await stop(/./);
  await endStrays(folder);
  // Containers that a kubelet without a record has restarted meanwhile.
  await endContainers(`/ledgerhouse-${config.id}-`, runFolder);
  await freeDisks([folder, runFolder], join(folder, 'volumes'));
  await removeNetwork(config.id);
  await removeCgroups(`ledgerhouse-${config.id}-`);
  rmSync(runFolder, { recursive: true, force: true });
  rmSync(config.kubeconfig, { force: true });
}

/** Simulates a power failure of one node. `up` brings it back, with its local volumes and its images. */
export async function powerOff(config: ClusterConfig, node: NodePlan): Promise<void> {
  const processes = new Processes(join(config.stateFolder, 'cluster'));
  const names = ['kubelet', 'kube-proxy', 'containerd'].map((name) => `${name}-${node.index}`);
  await Promise.all(names.map((name) => processes.stop(name, 0)));
  await endContainers(node.cgroup, node.runFolder, 0);
  await unmountBelow([node.folder, node.runFolder]);
  rmSync(node.runFolder, { recursive: true, force: true });
}

/** Ends the processes in the nodes' cgroups, and the shims with which containerd watches them. */
async function endContainers(
  cgroupPrefix: string,
  runFolder: string,
  graceMs = 1_000,
): Promise<void> {
  const ours = processIds().filter((pid) => {
    const inCgroup = read(`/proc/${pid}/cgroup`).includes(`:${cgroupPrefix}`);
    const commandLine = read(`/proc/${pid}/cmdline`);
    return (
      inCgroup || (commandLine.includes('containerd-shim') && commandLine.includes(`${runFolder}/`))
    );
  });
  await Promise.all(ours.map((pid) => endProcess(Number(pid), graceMs)));
}

/**
 * Unmounts everything that is mounted below the folders, deepest mounts first. A program that began a mount namespace of its own
 * meanwhile has copies of our mounts there, and a copy keeps a disk in use for as long as that program runs.
 */
async function unmountBelow(folders: readonly string[]): Promise<void> {
  const own = namespaceOf('self');
  const others = new Map(
    processIds().flatMap((pid) => {
      const namespace = namespaceOf(pid);
      return namespace === undefined || namespace === own ? [] : [[namespace, pid]];
    }),
  );
  for (const pid of ['self', ...others.values()]) {
    const umount = (args: readonly string[]) =>
      pid === 'self'
        ? run('umount', args)
        : run('nsenter', ['--mount', '--target', pid, 'umount', ...args]);
    const targets = read(`/proc/${pid}/mounts`)
      .split('\n')
      .map((line) => (line.split(' ')[1] ?? '').replaceAll('\\040', ' '))
      .filter((target) => folders.some((folder) => target.startsWith(`${folder}/`)));
    for (const target of targets.reverse())
      await umount([target]).catch(() => umount(['--lazy', target]).catch(() => ''));
  }
}

/** The mount namespace of a process, or `undefined` if the process is gone. */
function namespaceOf(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/mnt`);
  } catch {
    return undefined;
  }
}

/**
 * Unmounts and detaches until no disk is in use. A program that begins a mount namespace between the two copies a mount that is
 * being ended, and a lazy unmount ends when the last program has closed its files.
 */
async function freeDisks(folders: readonly string[], images: string): Promise<void> {
  await waitFor(
    `the end of all uses of the disks in ${images}`,
    async () => {
      await unmountBelow(folders);
      await detachLoops(images);
      const left = await loopsOf(images);
      if (left.length > 0) throw new Error(`${left.join(', ')} are still in use`);
      return true;
    },
    { timeoutMs: 60_000, everyMs: 500 },
  );
}

const processIds = () => readdirSync('/proc').filter((name) => /^\d+$/.test(name));

async function detachLoops(images: string): Promise<void> {
  for (const device of await loopsOf(images)) await runQuietly('losetup', ['--detach', device]);
}

/** The loop devices whose files are in the folder. */
async function loopsOf(images: string): Promise<readonly string[]> {
  const list = await runQuietly('losetup', ['--noheadings', '--raw', '--output', 'NAME,BACK-FILE']);
  return list.split('\n').flatMap((line) => {
    const [device, file] = line.split(' ');
    return device !== undefined && file?.startsWith(`${images}/`) === true ? [device] : [];
  });
}

/** Removes the nodes' cgroups. A process that has ended but is not reaped keeps its cgroup busy for a moment. */
async function removeCgroups(prefix: string): Promise<void> {
  const hierarchies = await cgroupHierarchies();
  await waitFor(
    `removal of cgroups ${prefix}*`,
    async () => {
      const left = hierarchies.flatMap((hierarchy) =>
        readdirSync(hierarchy)
          .filter((name) => name.startsWith(prefix))
          .map((name) => join(hierarchy, name)),
      );
      for (const path of left) removeCgroup(path);
      return left.some((path) => existsSync(path)) ? undefined : true;
    },
    { timeoutMs: 15_000 },
  );
}

/** Removes a cgroup with rmdir, innermost folders first; its files cannot be deleted and need not be. */
function removeCgroup(path: string): void {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) removeCgroup(join(path, entry.name));
  }
  rmdirSync(path);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
