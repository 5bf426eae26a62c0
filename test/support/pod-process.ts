/** Ends a process of a pod as a crash does: from the machine, since nothing within a container can kill its first process. */
import { readdirSync, readFileSync } from 'node:fs';
import { assert } from '../../base/assert.ts';
import type { Pod } from '../../domain/kinds.ts';

/** Kills, with SIGKILL, the process of a pod whose command line holds `word`. */
export function killInPod(pod: Pod, word: string): void {
  const { name, uid = '' } = pod.metadata;
  const pids = readdirSync('/proc').filter(
    (pid) => /^\d+$/.test(pid) && isOfPod(pid, uid) && textOf(pid, 'cmdline').includes(word),
  );
  assert(pids.length === 1, `${pids.length} processes of ${name} have "${word}" in their command`);
  process.kill(Number(pids[0]), 'SIGKILL');
}

/** Control groups are named after pods' uids; systemd's way has underscores for hyphens. */
function isOfPod(pid: string, uid: string): boolean {
  const groups = textOf(pid, 'cgroup');
  return groups.includes(`pod${uid}`) || groups.includes(`pod${uid.replaceAll('-', '_')}`);
}

/** Empty when the process has ended meanwhile. */
function textOf(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
