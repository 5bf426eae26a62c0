/**
 * A process of a pod, from the machine: ended as a crash ends it, which nothing within a container can do to its first process,
 * and its files read where the container has nothing to read them with.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { assert } from '../../../base/assert.ts';
import type { Pod } from '../../../domain/kinds.ts';

/** Kills, with SIGKILL, the process of a pod whose command line holds `word`. */
export function killInPod(pod: Pod, word: string): void {
  process.kill(processOf(pod, word), 'SIGKILL');
}

/** How often the kubelet has started the containers of a pod again, without its sidecars. */
export const restarts = ({ status }: Pod): number =>
  (status?.containerStatuses ?? []).reduce((sum, one) => sum + one.restartCount, 0);

/** A file as the process of a pod sees it whose command line holds `word`. */
export const fileInPod = (pod: Pod, word: string, path: string): string =>
  readFileSync(pathOnMachine(pod, word, path), 'utf8');

/** The path on the machine of a file of that process, as long as the process runs. */
export const pathOnMachine = (pod: Pod, word: string, path: string): string =>
  `/proc/${processOf(pod, word)}/root${path}`;

/** Memory of the process of a pod whose command line holds `word`, bytes: what it has, and the most that it has had. */
export function memoryInPod(pod: Pod, word: string): { residentBytes: number; mostBytes: number } {
  const said = textOf(processOf(pod, word), 'status');
  const bytes = (name: string) =>
    1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(said)?.[1]);
  return { residentBytes: bytes('VmRSS'), mostBytes: bytes('VmHWM') };
}

/**
 * A command that runs JavaScript on the machine in the network of a pod: it asks what only the pod's own processes and the kubelet reach, and
 * takes none of the memory of the pod's containers.
 */
export function inNetworkOf(pod: Pod, script: string): readonly [string, ...string[]] {
  const [pid] = processesOf(pod);
  assert(pid !== undefined, `${pod.metadata.name} has no process`);
  const node = [process.execPath, '--input-type=module', '-e', script];
  return ['nsenter', `--target=${pid}`, '--net', '--', ...node];
}

/** Whether anything of a pod runs: a while longer than Kubernetes knows of one that was deleted by force. */
export const runs = (pod: Pod): boolean => processesOf(pod).length > 0;

const processesOf = ({ metadata: { uid = '' } }: Pod): string[] =>
  readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isOfPod(pid, uid));

function processOf(pod: Pod, word: string): number {
  const { name } = pod.metadata;
  const pids = processesOf(pod).filter((pid) => textOf(pid, 'cmdline').includes(word));
  assert(pids.length === 1, `${pids.length} processes of ${name} have "${word}" in their command`);
  return Number(pids[0]);
}

/** Control groups are named after pods' uids; systemd's way has underscores for hyphens. */
function isOfPod(pid: string, uid: string): boolean {
  const groups = textOf(pid, 'cgroup');
  return groups.includes(`pod${uid}`) || groups.includes(`pod${uid.replaceAll('-', '_')}`);
}

/** Empty when the process has ended meanwhile. */
function textOf(pid: string | number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
