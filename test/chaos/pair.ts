/** One replica: an engine and the etcd member beside it, in their place of the network and on their disk. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createWriteStream, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BuiltinStatus } from '../../domain/engine-status.ts';
import { createEtcdClient } from '../../engine/log/replicated/etcd-client.ts';
import type { Etcd } from '../../engine/log/replicated/etcd.ts';
import { checkout, mustRun } from '../support/shell.ts';
import { engineProgram } from '../support/engine/engine.ts';
import type { Disks } from './disks.ts';
import type { Network } from './network.ts';
import type { Part } from './schedule.ts';
import { etcdSettings } from '../support/engine/etcd-settings.ts';
import type { TrueTime } from './true-time.ts';

export const Port = { clients: 3001, peers: 3002, status: 3003, etcdPeers: 2380 } as const;

interface PairOptions {
  readonly index: number;
  readonly size: number;
  readonly folder: string;
  readonly etcdProgram: string;
  readonly network: Network;
  readonly disks: Disks;
  /** Receives every change of the replica's clock. */
  readonly time: TrueTime;
  /** Folder of the certificates by which the engines authenticate each other. */
  readonly certificates: string;
  /** Called when a process ended without a fault. */
  readonly onEnd: (what: string) => void;
}

/** Common name of the engines' certificates. */
export const PEER_NAME = 'chaos';
const REPLACE_SECONDS = 100;

type Process = 'engine' | 'etcd';

export class Pair {
  readonly #options: PairOptions;
  readonly #running = new Map<Process, ChildProcess>();
  #volumeLost = false;
  /** `initial-cluster` of the etcd cluster that the member joins in place of a lost one. */
  #joins: string | undefined;
  /** Whether the current fault may end the pair's processes. */
  mayEnd = false;
  /** Quota of the member from its next start on, in bytes; undefined: that of a database. */
  quotaBytes: number | undefined;
  readonly etcd: Etcd;

  constructor(options: PairOptions) {
    this.#options = options;
    this.etcd = createEtcdClient(`unix:${this.#socket}`);
  }

  get index(): number {
    return this.#options.index;
  }

  get dataFile(): string {
    return join(this.#disk, 'replica.ledger');
  }

  get logFile(): string {
    return join(this.#options.folder, `engine${this.index}.log`);
  }

  async format(): Promise<void> {
    await mustRun(engineProgram, ['format', ...this.#identity(), this.dataFile]);
  }

  /** Deletes the data file. The caller must have ended the engine. */
  async loseFile(): Promise<void> {
    rmSync(this.dataFile, { force: true });
    await mustRun(engineProgram, ['recover', ...this.#identity(), this.dataFile]);
  }

  /** Deletes everything on the replica's disk. The caller must have ended both processes. */
  loseVolume(): void {
    for (const name of readdirSync(this.#disk))
      if (name !== 'lost+found') rmSync(join(this.#disk, name), { recursive: true });
    this.#volumeLost = true;
  }

  /** Makes a lost volume again: the leader replaces the member. Does nothing if the volume is not lost. */
  async replaceVolume(): Promise<void> {
    if (!this.#volumeLost) return;
    const flags = [
      ...this.#identity(),
      `--peer-addresses=${this.#everybody(Port.peers).join(',')}`,
      `--peer-certificates=${this.#options.certificates}`,
      `--peer-name=${PEER_NAME}`,
      `--member-url=${this.#peerUrl}`,
      `--member-folder=${this.#memberFolder}`,
      `--timeout=${REPLACE_SECONDS}`,
      this.dataFile,
    ];
    const { network } = this.#options;
    const [command, args] = network.within(this.index, [engineProgram, 'recover', ...flags]);
    await mustRun(command, args, { timeoutMs: (REPLACE_SECONDS + 20) * 1000 });
    this.#joins = readFileSync(`${this.dataFile}.initial-cluster`, 'utf8').trim();
    this.#volumeLost = false;
  }

  /** Starts the processes that do not run, unless the volume is lost. */
  start(part: Part): void {
    if (this.#volumeLost) return;
    if (part !== 'engine') this.#begin('etcd', this.#etcdCommand());
    if (part !== 'etcd') this.#begin('engine', this.#engineCommand());
  }

  isRunning(process: Process): boolean {
    return this.#running.has(process);
  }

  pid(process: Process): number | undefined {
    return this.#running.get(process)?.pid;
  }

  signal(part: Part, signal: 'SIGSTOP' | 'SIGCONT'): void {
    for (const process of processesOf(part)) this.#running.get(process)?.kill(signal);
  }

  async end(part: Part, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const ends = processesOf(part).map(async (process) => {
      const child = this.#running.get(process);
      if (child === undefined) return;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      // Removed first, so that it does not count as a process that ended by itself.
      this.#running.delete(process);
      child.kill(signal);
      await gone;
    });
    await Promise.all(ends);
  }

  setClock(hours: number): void {
    const aheadMs = hours * 3_600_000;
    this.#options.time.set(this.index, aheadMs);
    writeFileSync(this.#clock, String(aheadMs));
  }

  async status(): Promise<BuiltinStatus | undefined> {
    const url = `http://${this.#options.network.address(this.index)}:${Port.status}/status`;
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(1000) });
      return (await response.json()) as BuiltinStatus;
    } catch {
      return undefined;
    }
  }

  /** Exports this replica to a file. */
  async exportTo(path: string): Promise<void> {
    const { network } = this.#options;
    const host = network.canBeCut ? '127.0.0.1' : network.address(this.index);
    const flags = [`--status-address=${host}:${Port.status}`, path];
    const [command, args] = network.within(this.index, [engineProgram, 'export', ...flags]);
    await mustRun(command, args);
  }

  /** Resident memory of a process in bytes, now and at its peak; undefined if it does not run. */
  memory(process: Process): { readonly now: number; readonly most: number } | undefined {
    const pid = this.pid(process);
    if (pid === undefined) return undefined;
    try {
      const text = readFileSync(`/proc/${pid}/status`, 'utf8');
      const kib = (name: string): number =>
        Number(new RegExp(`${name}:\\s+(\\d+)`).exec(text)?.[1] ?? 0);
      return { now: kib('VmRSS') * 1024, most: kib('VmHWM') * 1024 };
    } catch {
      return undefined;
    }
  }

  get #disk(): string {
    return this.#options.disks.path(this.index);
  }

  get #socket(): string {
    return join(this.#options.folder, `r${this.#options.index}.sock`);
  }

  get #clock(): string {
    return join(this.#options.folder, `clock${this.index}`);
  }

  get #memberFolder(): string {
    return join(this.#disk, 'etcd');
  }

  get #peerUrl(): string {
    return `http://${this.#options.network.address(this.index)}:${Port.etcdPeers}`;
  }

  #identity(): readonly string[] {
    return ['--cluster=0', `--replica=${this.index}`, `--replica-count=${this.#options.size}`];
  }

  #everybody(port: number, scheme = ''): readonly string[] {
    const { size, network } = this.#options;
    return Array.from({ length: size }, (_, i) => `${scheme}${network.address(i)}:${port}`);
  }

  #engineCommand(): readonly string[] {
    const [address, any] = [
      this.#options.network.address(this.index),
      this.#options.network.canBeCut,
    ];
    return [
      engineProgram,
      'start',
      `--addresses=${this.#everybody(Port.clients).join(',')}`,
      `--peer-addresses=${this.#everybody(Port.peers).join(',')}`,
      `--peer-certificates=${this.#options.certificates}`,
      `--peer-name=${PEER_NAME}`,
      `--etcd=unix:${this.#socket}`,
      `--status-address=${any ? '0.0.0.0' : address}:${Port.status}`,
      '--memory-limit=1GiB',
      this.dataFile,
    ];
  }

  #etcdCommand(): readonly string[] {
    const { etcdProgram } = this.#options;
    const url = this.#peerUrl;
    const members = this.#everybody(Port.etcdPeers, 'http://').map((each, i) => `r${i}=${each}`);
    return [
      etcdProgram,
      `--name=r${this.index}`,
      `--data-dir=${this.#memberFolder}`,
      `--listen-client-urls=unix://${this.#socket}`,
      // Not used by any client, but etcd requires an address.
      `--advertise-client-urls=http://r${this.index}:2379`,
      `--listen-peer-urls=${url}`,
      `--initial-advertise-peer-urls=${url}`,
      `--initial-cluster=${this.#joins ?? members.join(',')}`,
      `--initial-cluster-state=${this.#joins === undefined ? 'new' : 'existing'}`,
      '--initial-cluster-token=0-1',
      ...etcdSettings(this.quotaBytes),
    ];
  }

  #begin(process: Process, command: readonly string[]): void {
    if (this.#running.has(process)) return;
    const { network, disks, folder, onEnd } = this.#options;
    const [program, args] = network.within(this.index, command);
    const child = spawn(program, [...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: this.#environment(),
    });
    if (child.pid !== undefined) disks.carries(child.pid);
    child.stderr?.pipe(
      createWriteStream(join(folder, `${process}${this.index}.log`), { flags: 'a' }),
    );
    this.#running.set(process, child);
    child.once('exit', (code, signal) => {
      if (this.#running.get(process) !== child) return;
      this.#running.delete(process);
      if (!this.mayEnd) onEnd(`${process} ${this.index} ended of itself (${signal ?? code})`);
    });
  }

  #environment(): NodeJS.ProcessEnv {
    const { PATH = '' } = process.env;
    const clock = join(checkout, 'test/chaos/jumping-clock.ts');
    return { PATH, CHAOS_CLOCK: this.#clock, NODE_OPTIONS: `--import=${clock}` };
  }
}

const processesOf = (part: Part): readonly Process[] =>
  part === 'both' ? ['engine', 'etcd'] : [part];
