/**
 * `make chaos SEED=… MINUTES=… REPLICAS=3|6`: runs engines and etcd members under a seeded schedule of faults, with clients
 * that record everything; then checks the history (checker.ts). Exits with 0 if no difference was found.
 *
 * It runs in namespaces of its own (network, mounts, processes), so that nothing of it is left however it ends. Without the
 * rights for them it says so and leaves out the faults that need them. The same seed gives the same schedule; the leader at
 * the beginning of a fault, and how clients' requests meet it, depend on the machine.
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

/** Mounts a private `/run/netns`, so that names of `ip netns` stay within the run. */
const ownNames = 'mkdir -p /run/netns && mount -t tmpfs tmpfs /run/netns && exec "$@"';
/** A command that tries, in namespaces, everything that a run needs. */
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
  const isRandom = values.seed === '' || values.seed === 'random';
  const seed = isRandom ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed);
  const minutes = Number(values.minutes === '' ? '2' : values.minutes);
  const replicas = Number(values.replicas === '' ? '3' : values.replicas);
  if (!Number.isSafeInteger(seed) || !(minutes > 0) || (replicas !== 3 && replicas !== 6)) {
    process.stderr.write('usage: SEED=number (or random) MINUTES=number REPLICAS=3 (or 6)\n');
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
  // The child ends with everything in its namespaces; this process stays to clear up.
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

/** Passes on output except `noise`: the official client reports every replica that it cannot reach. */
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

// An explicit exit: a client without an answer would keep the event loop alive.
process.exit(await main());
