/** Three or six engine processes on this machine, each beside a real etcd member, that can be killed, stopped and started. */
import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, createWriteStream, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BuiltinStatus } from '../../domain/engine-status.ts';
import { Client } from '../../engine/client/client.ts';
import { parseAddresses } from '../../engine/commands/values.ts';
import { quotaBytes } from '../../engine/log/shared-volume.ts';
import { engineProgram } from '../support/engine/engine.ts';
import { eventually, mustRun } from '../support/shell.ts';
import { freePorts } from '../../tools/cluster/free-ports.ts';
import { EtcdGroup } from './etcd-group.ts';

export interface ReplicaGroupOptions {
  readonly size?: number;
  readonly flags?: readonly string[];
  /** Exported file with which the replicas begin; by default they are empty. */
  readonly from?: string;
  /** Data file of a single replica, which becomes the first one's where it is; the others begin without a state. */
  readonly moved?: string;
  /** Quota of an etcd member in bytes; by default 2 GiB, or what fits the volumes. */
  readonly quotaBytes?: number;
  /** Size in bytes of a volume for each replica and its etcd member; by default each has a folder. */
  readonly volumeBytes?: number;
}

/** Longest time until a started engine and etcd member have the others' state. */
const JOINED_MAX_MS = 600_000;

export class ReplicaGroup {
  readonly etcd: EtcdGroup;
  readonly size: number;
  readonly #ports: readonly number[];
  readonly #flags: readonly string[];
  readonly #engines: (ChildProcess | undefined)[] = [];

  private constructor(etcd: EtcdGroup, ports: readonly number[], options: ReplicaGroupOptions) {
    this.etcd = etcd;
    this.size = etcd.size;
    this.#ports = ports;
    this.#flags = options.flags ?? [];
  }

  static async start(options: ReplicaGroupOptions = {}): Promise<ReplicaGroup> {
    const { size = 3, volumeBytes } = options;
    const quota = options.quotaBytes === undefined ? {} : { quotaBytes: options.quotaBytes };
    const volumes = volumeBytes && { volumeBytes, quotaBytes: quotaBytes(volumeBytes) };
    const etcd = await EtcdGroup.start({ size, ...quota, ...volumes });
    const group = new ReplicaGroup(etcd, await freePorts(3 * size), options);
    for (let replica = 0; replica < size; replica += 1) {
      if (options.moved !== undefined) await group.reshape(replica, options.moved);
      else if (options.from === undefined) await group.format(replica);
      else await group.restore(replica, options.from);
    }
    for (let replica = 0; replica < size; replica += 1) group.start(replica);
    return group;
  }

  /** Ports at which the replicas listen to clients, in order. */
  get ports(): readonly number[] {
    return this.#ports.slice(0, this.size);
  }

  /** Addresses of the replicas for official clients, in order. */
  get addresses(): readonly string[] {
    return this.ports.map((port) => `127.0.0.1:${port}`);
  }

  /** Connects a client of ours. */
  connect(timeoutMs: number): Client {
    const addresses = parseAddresses(this.addresses.join(','));
    return new Client({ cluster: 0n, addresses, timeoutMs });
  }

  /** Addresses at which replicas reach each other, in order. */
  get peerAddresses(): readonly string[] {
    return this.#ports.slice(this.size, 2 * this.size).map((port) => `127.0.0.1:${port}`);
  }

  path(replica: number): string {
    return join(this.etcd.volume(replica), 'engine.ledger');
  }

  async format(replica: number): Promise<void> {
    const flags = ['--cluster=0', `--replica=${replica}`, `--replica-count=${this.size}`];
    await mustRun(engineProgram, ['format', ...flags, this.path(replica)]);
  }

  async reshape(replica: number, from: string): Promise<void> {
    const flags = ['--cluster=0', `--replica=${replica}`, `--replica-count=${this.size}`];
    const path = this.path(replica);
    if (replica === 0) cpSync(from, path);
    const verb = replica === 0 ? ['reshape'] : ['format', '--without-state'];
    await mustRun(engineProgram, [...verb, ...flags, path]);
  }

  async restore(replica: number, from: string): Promise<void> {
    const flags = ['--cluster=0', `--replica=${replica}`, `--replica-count=${this.size}`];
    await mustRun(engineProgram, ['restore', ...flags, from, this.path(replica)]);
  }

  /** Exports a running replica to a file. */
  async export(replica: number, to: string): Promise<void> {
    const address = `--status-address=127.0.0.1:${this.#statusPort(replica)}`;
    await mustRun(engineProgram, ['export', address, to]);
  }

  /** Replaces the data file of a stopped replica by one that is to be recovered. */
  async lose(replica: number): Promise<void> {
    rmSync(this.path(replica));
    const flags = ['--cluster=0', `--replica=${replica}`, `--replica-count=${this.size}`];
    await mustRun(engineProgram, ['recover', ...flags, this.path(replica)]);
  }

  start(replica: number, ownFlags: readonly string[] = this.#flags): void {
    if (this.isRunning(replica)) return;
    const flags = [
      `--addresses=${this.addresses.join(',')}`,
      `--peer-addresses=${this.peerAddresses.join(',')}`,
      '--peer-plain',
      `--etcd=${this.etcd.target(replica)}`,
      `--status-address=127.0.0.1:${this.#statusPort(replica)}`,
      ...ownFlags,
    ];
    const stdio = ['ignore', 'ignore', 'pipe'] as const;
    const child = spawn(engineProgram, ['start', ...flags, this.path(replica)], {
      stdio: [...stdio],
    });
    const log = createWriteStream(this.#logFile(replica), { flags: 'a' });
    child.stderr?.pipe(log);
    this.#engines[replica] = child;
    child.once('exit', () => {
      if (this.#engines[replica] === child) this.#engines[replica] = undefined;
    });
  }

  /** What a replica has logged since its first start. */
  logOf(replica: number): string {
    return readFileSync(this.#logFile(replica), 'utf8');
  }

  #logFile(replica: number): string {
    return join(this.etcd.folder, `engine${replica}.log`);
  }

  isRunning(replica: number): boolean {
    return this.#engines[replica] !== undefined;
  }

  /** Process id of an engine; undefined while it does not run. */
  pid(replica: number): number | undefined {
    return this.#engines[replica]?.pid;
  }

  /** Sends a signal to an engine. After a signal that ends it, resolves with the exit status. */
  async signal(
    replica: number,
    signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT' | 'SIGTERM',
  ): Promise<number | null> {
    const child = this.#engines[replica];
    if (child === undefined) return null;
    const gone = new Promise<number | null>((resolve) => child.once('exit', resolve));
    child.kill(signal);
    return signal === 'SIGKILL' || signal === 'SIGTERM' ? gone : null;
  }

  /** Kills the engine and its member, as when a pod is deleted without grace. */
  async killBoth(replica: number): Promise<void> {
    await Promise.all([this.signal(replica, 'SIGKILL'), this.etcd.signal(replica, 'SIGKILL')]);
  }

  startBoth(replica: number): void {
    this.etcd.start(replica);
    this.start(replica);
  }

  /** Port of a replica's status. */
  statusPort(replica: number): number {
    return this.#statusPort(replica);
  }

  /** URL of a replica's status. */
  statusUrl(replica: number): string {
    return `http://127.0.0.1:${this.#statusPort(replica)}/status`;
  }

  /** Status of a replica; undefined while it does not answer. */
  async status(replica: number): Promise<BuiltinStatus | undefined> {
    const url = this.statusUrl(replica);
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
      return (await response.json()) as BuiltinStatus;
    } catch {
      return undefined;
    }
  }

  async statuses(): Promise<readonly (BuiltinStatus | undefined)[]> {
    return Promise.all(Array.from({ length: this.size }, (_, replica) => this.status(replica)));
  }

  /** Index of the leader, as soon as exactly one replica says that it leads. */
  leader(): Promise<number> {
    return eventually('one replica leads', async () => {
      const roles = (await this.statuses()).map((status) => status?.role);
      const leading = roles.flatMap((role, replica) => (role === 'primary' ? [replica] : []));
      return leading.length === 1 ? leading[0] : undefined;
    });
  }

  /** Resolves when the replica follows or leads, and so has everything committed. */
  joined(replica: number): Promise<true> {
    return eventually(
      `replica ${replica} has all that is committed`,
      async () => (await this.status(replica))?.syncing === false || undefined,
      JOINED_MAX_MS,
    );
  }

  /** Resolves with the status when all replicas serve, none lags, and their states are equal. */
  async level(): Promise<BuiltinStatus> {
    return eventually('all replicas have the same state', async () => {
      const statuses = await this.statuses();
      const [first] = statuses;
      const same = statuses.every(
        (status) =>
          status?.syncing === false &&
          status.op === first?.op &&
          status.stateHash === first.stateHash,
      );
      return same ? first : undefined;
    });
  }

  async dispose(): Promise<void> {
    for (let replica = 0; replica < this.size; replica += 1) await this.signal(replica, 'SIGKILL');
    await this.etcd.dispose();
    rmSync(this.etcd.folder, { recursive: true, force: true });
  }

  #statusPort(replica: number): number {
    return this.#ports[2 * this.size + replica] ?? 0;
  }
}
