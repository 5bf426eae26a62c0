/**
 * TigerBeetle itself, for the suites that can also run against it: the environment's TIGERBEETLE is the path of its program. Without
 * it, they are skipped with a reason.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../../../tools/cluster/free-ports.ts';
import { eventually, mustRun } from '../shell.ts';

export const tigerbeetle = process.env['TIGERBEETLE'];
if (tigerbeetle === undefined) {
  process.stderr.write('skipped: TigerBeetle itself, whose program TIGERBEETLE names\n');
}

interface TigerBeetleOptions {
  readonly replicas?: number;
  readonly clusterId?: bigint;
  /** Flags of `start`; by default the one that leaves out the assertion that memory and disk are those of a server, with small caches. */
  readonly flags?: readonly string[];
}

/** Replicas of a cluster, of cluster 0 if nothing else is said, on new data files. */
export class TigerBeetle {
  readonly version: string;
  readonly ports: readonly number[];
  readonly files: readonly string[];
  readonly #program: string;
  readonly #flags: readonly string[];
  readonly #folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-tigerbeetle-'));
  #children: readonly ChildProcess[] = [];

  private constructor(
    program: string,
    version: string,
    ports: readonly number[],
    flags: readonly string[],
    clusterId: bigint,
  ) {
    this.#program = program;
    this.version = version;
    this.ports = ports;
    this.#flags = flags;
    this.files = ports.map((_, replica) =>
      join(this.#folder, `${clusterId}_${replica}.tigerbeetle`),
    );
  }

  static async create(program: string, options: TigerBeetleOptions = {}): Promise<TigerBeetle> {
    const { replicas = 1, clusterId = 0n, flags = ['--development'] } = options;
    const [version = ''] = /\d+\.\d+\.\d+/.exec(await mustRun(program, ['version'])) ?? [];
    const cluster = new TigerBeetle(program, version, await freePorts(replicas), flags, clusterId);
    try {
      for (const [replica, file] of cluster.files.entries()) {
        const place = [
          `--cluster=${clusterId}`,
          `--replica=${replica}`,
          `--replica-count=${replicas}`,
        ];
        await mustRun(program, ['format', ...place, file]);
      }
      await cluster.start();
    } catch (error) {
      await cluster.dispose();
      throw error;
    }
    return cluster;
  }

  get port(): number {
    return this.ports[0] ?? 0;
  }

  get pids(): readonly number[] {
    return this.#children.flatMap(({ pid }) => pid ?? []);
  }

  /** Starts the replicas on their data files, and waits until each listens. */
  async start(): Promise<void> {
    const addresses = `--addresses=${this.ports.map((port) => `127.0.0.1:${port}`).join(',')}`;
    this.#children = this.files.map((file) =>
      spawn(this.#program, ['start', addresses, ...this.#flags, file], {
        stdio: ['ignore', 'ignore', 'inherit'],
      }),
    );
    for (const [replica, port] of this.ports.entries())
      await eventually('TigerBeetle listens', async () => {
        const ended = this.#children[replica]?.exitCode ?? null;
        if (ended !== null) throw new Error(`TigerBeetle ended with ${ended}`);
        return accepts(port);
      });
  }

  async kill(): Promise<void> {
    await Promise.all(
      this.#children.map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }),
    );
  }

  async dispose(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Starts one replica of cluster 0 on a new data file. */
export const startTigerBeetle = (): Promise<TigerBeetle> => TigerBeetle.create(tigerbeetle ?? '');

const accepts = (port: number): Promise<true | undefined> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(undefined));
  });
