/**
 * A real PostgreSQL of the test's own: a folder of its own, a free port of the loopback, fsync on, no root (initdb refuses it),
 * gone with `remove()`. Made once a suite; each test may have a database of its own in it.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { cacheFolder } from '../../../tools/cluster/config.ts';
import { freePorts } from '../../../tools/cluster/free-ports.ts';
import { withLock } from '../../../tools/cluster/lock.ts';
import { startTimeOf } from '../../../tools/cluster/start-time.ts';
import { eventually, mustRun } from '../shell.ts';

/** Folder of the newest server's programs on Debian. */
function programs(): string {
  const home = '/usr/lib/postgresql';
  const versions = existsSync(home) ? readdirSync(home).sort((a, b) => Number(b) - Number(a)) : [];
  const found = versions.find((version) => existsSync(join(home, version, 'bin/initdb')));
  if (found === undefined) throw new Error('PostgreSQL’s server is missing; run make setup');
  return join(home, found, 'bin');
}

/** As root, the server runs as `nobody`; otherwise as whoever runs the tests. */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
const identity = isRoot ? { uid: nobody, gid: nobody } : {};

/**
 * What `initdb` makes, in the user's cache: made once for each release of PostgreSQL, and copied in a tenth of the time that making it
 * takes.
 */
async function ensureCluster(): Promise<string> {
  const initdb = join(programs(), 'initdb');
  const { size, mtimeMs } = statSync(initdb);
  const home = join(cacheFolder, 'postgres');
  const cluster = join(
    home,
    createHash('sha256').update(`${initdb} ${size} ${mtimeMs}`).digest('hex').slice(0, 12),
  );
  if (existsSync(cluster)) return cluster;
  mkdirSync(home, { recursive: true });
  await withLock(join(home, 'lock'), async () => {
    if (existsSync(cluster)) return;
    // Whoever the server runs as may not enter the cache.
    const folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-initdb-'));
    try {
      chmodSync(folder, 0o755);
      const data = join(folder, 'data');
      mkdirSync(data, { mode: 0o700 });
      if (isRoot) chownSync(data, nobody, nobody);
      await makeCluster(initdb, data);
      const unfinished = `${cluster}.unfinished`;
      rmSync(unfinished, { recursive: true, force: true });
      await mustRun('cp', ['--archive', data, unfinished]);
      renameSync(unfinished, cluster);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
  return cluster;
}

async function makeCluster(initdb: string, data: string): Promise<void> {
  // The server listens on the loopback only and holds test data only.
  const options = ['--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'];
  const command = [initdb, '-D', data, '-U', 'ledgerhouse', ...options];
  const [program = '', ...args] = isRoot
    ? ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', ...command]
    : command;
  await mustRun(program, args, { env: { HOME: data } });
}

interface TestPostgresOptions {
  /** Settings of the server, such as `max_connections`. */
  readonly settings?: Readonly<Record<string, string>>;
}

export class TestPostgres {
  readonly folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-postgres-'));
  readonly #data = join(this.folder, 'data');
  readonly #settings: Readonly<Record<string, string>>;
  #child: ChildProcess | undefined;
  #said = '';
  #databases = 0;
  port = 0;

  private constructor(options: TestPostgresOptions) {
    this.#settings = options.settings ?? {};
  }

  static async create(options: TestPostgresOptions = {}): Promise<TestPostgres> {
    const postgres = new TestPostgres(options);
    chmodSync(postgres.folder, 0o755);
    await mustRun('cp', ['--archive', '--reflink=auto', await ensureCluster(), postgres.#data]);
    [postgres.port = 0] = await freePorts(1);
    await postgres.start();
    return postgres;
  }

  /** Starts the server on its earlier port. Does nothing if it runs. */
  async start(): Promise<void> {
    if (this.#child !== undefined) return;
    this.#said = '';
    const settings = {
      listen_addresses: '127.0.0.1',
      port: String(this.port),
      unix_socket_directories: '',
      shared_buffers: '32MB',
      fsync: 'on',
      synchronous_commit: 'on',
      max_connections: '100',
      ...this.#settings,
    };
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(join(programs(), 'postgres'), ['-D', this.#data, ...args], {
      ...identity,
      cwd: this.folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#said = `${this.#said}${chunk.toString()}`.slice(-100_000);
    });
    await eventually('PostgreSQL takes connections', async () => {
      if (child.exitCode !== null) throw new Error(`PostgreSQL ended: ${this.#said}`);
      await this.#query('SELECT 1');
      return true;
    });
  }

  /** Makes an empty database and gives its address. */
  async createDatabase(): Promise<string> {
    this.#databases += 1;
    const name = `test_${this.#databases}`;
    await this.#query(`CREATE DATABASE ${name}`);
    return this.urlOf(name);
  }

  urlOf(database: string): string {
    return `postgres://ledgerhouse@127.0.0.1:${this.port}/${database}`;
  }

  /** Stops the server as an administrator would: it ends sessions and writes everything. */
  stop(): Promise<void> {
    return this.#end('SIGINT');
  }

  /** Kills the server as a failing machine would: without a message to anybody, and with no process left for the next start. */
  async kill(): Promise<void> {
    const { pid = 0 } = this.#child ?? {};
    if (pid === 0) return;
    // Stopped, it makes no more children and sees none of them end.
    signal(pid, 'SIGSTOP');
    const children = childrenOf(pid);
    for (const child of children) signal(child, 'SIGKILL');
    await this.#end('SIGKILL');
    await eventually('the server is gone', () =>
      Promise.resolve(children.every((child) => startTimeOf(child) === undefined) || undefined),
    );
  }

  /** Makes the server accept connections but answer nothing until `resume`. */
  async pause(): Promise<void> {
    const { pid = 0 } = this.#child ?? {};
    if (pid === 0) return;
    signal(pid, 'SIGSTOP');
    for (const child of childrenOf(pid)) signal(child, 'SIGSTOP');
  }

  async resume(): Promise<void> {
    const { pid = 0 } = this.#child ?? {};
    if (pid === 0) return;
    for (const each of [...childrenOf(pid), pid]) signal(each, 'SIGCONT');
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #end(signalName: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signalName);
    await ended;
  }

  async #query(text: string): Promise<void> {
    const client = new pg.Client({
      connectionString: this.urlOf('postgres'),
      connectionTimeoutMillis: 20_000,
    });
    await client.connect();
    try {
      await client.query(text);
    } finally {
      await client.end();
    }
  }
}

/** Sends a signal. Ignores that the process has ended meanwhile. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Process ids of a process's children; empty if it is gone. */
function childrenOf(pid: number): number[] {
  try {
    const pids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return pids.split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
