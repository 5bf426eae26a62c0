/**
 * Processes that outlive the command that started them. Each is identified by its pid and start time, so that a pid that the
 * kernel has reused is never mistaken for ours.
 */
import { spawn } from 'node:child_process';
import {
  mkdirSync,
  openSync,
  closeSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { ClusterError } from './config.ts';
import { startTimeOf } from './start-time.ts';

interface Recorded {
  readonly pid: number;
  readonly startTime: string;
}

interface StartOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Name of the network namespace under /run/netns in which to run. */
  readonly networkNamespace?: string | undefined;
}

/** Environment variable of all started processes: it names the owner's folder. Containers have environments of their own. */
const marker = 'LEDGERHOUSE_PROCESS_OF';

/** The processes of one cluster: records and logs in two folders. */
export class Processes {
  readonly #folder: string;
  readonly #records: string;
  readonly logs: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#records = join(folder, 'pids');
    this.logs = join(folder, 'logs');
    mkdirSync(this.#records, { recursive: true });
    mkdirSync(this.logs, { recursive: true });
  }

  /** Starts `name` unless it is already running. */
  start(name: string, options: StartOptions): void {
    if (this.isRunning(name)) return;
    const log = openSync(this.#logOf(name), 'a');
    // nsenter instead of `ip netns exec`: the latter gives the process its own /sys, without the cgroup mounts.
    const inside =
      options.networkNamespace === undefined
        ? []
        : ['nsenter', `--net=/run/netns/${options.networkNamespace}`, '--'];
    const [command, ...args] = [...inside, options.command, ...options.args];
    if (command === undefined) throw new ClusterError(`${name} has no command`);
    const child = spawn(command, args, {
      detached: true,
      stdio: ['ignore', log, log],
      env: { ...process.env, ...options.env, [marker]: this.#folder },
    });
    closeSync(log);
    child.on('error', () => undefined);
    child.unref();
    if (child.pid === undefined) throw new ClusterError(`${command} cannot be started`);
    const record: Recorded = { pid: child.pid, startTime: startTimeOf(child.pid) ?? '' };
    writeFileSync(this.#fileOf(name), JSON.stringify(record));
  }

  isRunning(name: string): boolean {
    return this.#alive(name) !== undefined;
  }

  names(): readonly string[] {
    return readdirSync(this.#records).map((file) => file.replace(/\.json$/, ''));
  }

  /** Throws if one of `names` is not running; the error includes the end of its log. */
  assertRunning(names: readonly string[]): void {
    for (const name of names) {
      if (this.isRunning(name)) continue;
      throw new ClusterError(`${name} ended; ${this.#logOf(name)} says:\n${this.lastWords(name)}`);
    }
  }

  /** The last lines of the process's log. */
  lastWords(name: string): string {
    return readFileSync(this.#logOf(name), 'utf8').trim().split('\n').slice(-3).join('\n');
  }

  #logOf(name: string): string {
    return join(this.logs, `${name}.log`);
  }

  pid(name: string): number | undefined {
    return this.#alive(name)?.pid;
  }

  /** Ends `name`: SIGTERM, then SIGKILL after `graceMs`. */
  async stop(name: string, graceMs = 5_000): Promise<void> {
    const record = this.#alive(name);
    if (record !== undefined) await endProcess(record.pid, graceMs);
    rmSync(this.#fileOf(name), { force: true });
  }

  #fileOf(name: string): string {
    return join(this.#records, `${name}.json`);
  }

  #alive(name: string): Recorded | undefined {
    try {
      const record = JSON.parse(readFileSync(this.#fileOf(name), 'utf8')) as Recorded;
      return startTimeOf(record.pid) === record.startTime ? record : undefined;
    } catch {
      return undefined;
    }
  }
}

/**
 * Ends processes that `Processes` of `folder` started, directly or indirectly, and that have no record, because their starter was
 * killed too early or the folder was deleted.
 */
export async function endStrays(folder: string, graceMs = 5_000): Promise<void> {
  const wanted = `\0${marker}=${folder}\0`;
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const strays = pids.filter((pid) => `\0${environmentOf(pid)}`.includes(wanted));
  await Promise.all(strays.map((pid) => endProcess(Number(pid), graceMs)));
}

/** Ends a process of ours and waits until it is gone. Without grace it is killed at once. */
export async function endProcess(pid: number, graceMs: number): Promise<void> {
  const startTime = startTimeOf(pid);
  if (startTime === undefined) return;
  const gone = () => startTimeOf(pid) !== startTime;
  for (const [signal, waitMs] of [
    ['SIGTERM', graceMs],
    ['SIGKILL', 10_000],
  ] as const) {
    if (waitMs === 0) continue;
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    const deadline = Date.now() + waitMs;
    while (Date.now() < deadline) {
      if (gone()) return;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    // The process is gone, or belongs to another user.
    return '';
  }
}
