/** Finds the traces of a cluster on the machine. */
import { clusterId } from './cluster.ts';
import { shell } from '../shell.ts';

/** Traces of a state folder's cluster on the machine, a line each: network, mounts, devices, control groups, processes. */
export async function leftOf(stateFolder: string): Promise<readonly string[]> {
  const id = clusterId(stateFolder);
  const parts = await Promise.all(
    [
      ['ip', '-o', 'link', 'show'],
      ['ip', 'route', 'show'],
      ['ip', 'netns', 'list'],
      ['losetup', '--noheadings', '--output', 'NAME,BACK-FILE'],
      ['sh', '-c', 'cut -d" " -f2 /proc/mounts | sort'],
      ['sh', '-c', 'ls -d /run/ledgerhouse-* /sys/fs/cgroup/*/ledgerhouse-* 2>/dev/null; true'],
      ['ps', '-eo', 'args'],
    ].map(([command, ...args]) => shell(command ?? '', args)),
  );
  return parts
    .flatMap((part) => part.stdout.split('\n'))
    .filter((line) => line.includes(id) || line.includes(stateFolder));
}
