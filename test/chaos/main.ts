/**
 * `make chaos SEED=… MINUTES=… REPLICAS=3|6`: engines and etcd members under a seeded schedule of faults, with clients that
 * remember everything; then the history is judged (checker.ts). Ends with 0 when no difference was found.
 *
 * It runs in namespaces of its own (network, mounts, processes), so that nothing of it is left whatever happens to it. Where
 * those cannot be had it says so and leaves out the faults that need them. A schedule is the same for the same seed; who leads
 * when a fault begins, and how clients' requests meet it, is up to the machine.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import { ensureProgram } from '../../tools/cluster/binaries.ts';
import { run } from './run.ts';

/** So that `ip netns` keeps its names to itself. */
const ownNames = 'mkdir -p /run/netns && mount -t tmpfs tmpfs /run/netns && exec "$@"';
/** What a run in namespaces needs, tried in them. */
const probe =
  'for tool in ip iptables tc mkfs.ext4 fallocate findmnt; do command -v $tool || exit 1; done; ip link add probe0 type veth peer name probe1';
const namespaces = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '' },
      minutes: { type: 'string', default: '' },
      replicas: { type: 'string', default: '' },
      folder: { type: 'string' },
      isolated: { type: 'boolean', default: false },
    },
  });
  const seed = values.seed === '' ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed);
  const minutes = Number(values.minutes === '' ? '2' : values.minutes);
  const replicas = Number(values.replicas === '' ? '3' : values.replicas);
  if (!Number.isSafeInteger(seed) || !(minutes > 0) || (replicas !== 3 && replicas !== 6)) {
    process.stderr.write('usage: SEED=number MINUTES=number REPLICAS=3 (or 6)\n');
    return 2;
  }
  const { isolated, folder } = values;
  if (folder !== undefined) return run({ seed, minutes, replicas, folder, isolated });
  return begin({ seed, minutes, replicas });
}

async function begin(options: {
  seed: number;
  minutes: number;
  replicas: number;
}): Promise<number> {
  await ensureProgram('etcd');
  const folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-chaos-'));
  const isolated =
    spawnSync('unshare', [...namespaces, 'sh', '-c', ownNames, 'sh', 'sh', '-c', probe]).status ===
    0;
  if (!isolated)
    process.stderr.write(
      'no rights for namespaces (root has them), or ip, iptables, tc or mkfs.ext4 is missing: partitions and disks are left out\n',
    );
  const flags = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
  const own = [
    process.execPath,
    ...process.execArgv,
    import.meta.filename,
    ...flags,
    `--folder=${folder}`,
  ];
  const [program = '', ...args] = isolated
    ? [
        'setpriv',
        '--pdeathsig',
        'KILL',
        'unshare',
        ...namespaces,
        'sh',
        '-c',
        ownNames,
        'sh',
        ...own,
        '--isolated',
      ]
    : own;
  const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'pipe'] });
  tellAllBut(/^(?:warning|info)\(/, child.stderr);
  // It ends with all that is in its namespaces; this one stays to clear up.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => child.kill(isolated ? 'SIGKILL' : 'SIGTERM'));
  const code = await new Promise<number>((resolve) =>
    child.once('exit', (status) => resolve(status ?? 1)),
  );
  try {
    rmdirSync(cgroupOf(folder));
  } catch {
    // There was none.
  }
  for (let i = 0; i < options.replicas; i += 1)
    rmSync(join(folder, `disk${i}.img`), { force: true });
  if (code === 0) rmSync(folder, { recursive: true, force: true });
  else process.stderr.write(`logs: ${folder}; again: make chaos ${makeFlags(options)}\n`);
  return code;
}

/** The official client says whenever a replica cannot be reached. */
function tellAllBut(noise: RegExp, stream: Readable): void {
  createInterface({ input: stream }).on('line', (line) => {
    if (!noise.test(line)) process.stderr.write(`${line}\n`);
  });
}

const cgroupOf = (folder: string): string =>
  join('/sys/fs/cgroup/blkio', folder.slice(folder.lastIndexOf('ledgerhouse-chaos-')));

const makeFlags = (options: Readonly<Record<string, number>>): string =>
  Object.entries(options)
    .map(([name, value]) => `${name.toUpperCase()}=${value}`)
    .join(' ');

// Not by an empty queue of events: a client that is not answered would keep it open.
process.exit(await main());
