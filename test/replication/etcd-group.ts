/** Real etcd members on this machine that can be killed, stopped and started. Clients use unix sockets, members the loopback. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createWriteStream, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureProgram } from '../../tools/cluster/binaries.ts';
import { freePorts } from '../../tools/cluster/free-ports.ts';
import { etcdSettings } from '../support/engine/etcd-settings.ts';
import { mountVolume, unmountVolume } from '../support/engine/small-volume.ts';

export interface EtcdGroupOptions {
  readonly size?: number;
  /** Quota of a member in bytes; by default 2 GiB, as in a database. */
  readonly quotaBytes?: number;
  /** Size in bytes of a volume for each member and the replica beside it; by default each has a folder. */
  readonly volumeBytes?: number;
}

export class EtcdGroup {
  readonly folder: string;
  readonly size: number;
  readonly #program: string;
  readonly #ports: readonly number[];
  readonly #quotaBytes: number;
  readonly #volumeBytes: number | undefined;
  readonly #mounted: string[] = [];
  readonly #members: (ChildProcess | undefined)[] = [];
  /** `initial-cluster` of members that join an existing cluster. */
  readonly #joining = new Map<number, string>();

  private constructor(program: string, ports: readonly number[], options: EtcdGroupOptions) {
    this.folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-log-'));
    this.#program = program;
    this.#ports = ports;
    this.size = ports.length;
    this.#quotaBytes = options.quotaBytes ?? 2 ** 31;
    this.#volumeBytes = options.volumeBytes;
  }

  static async start(options: EtcdGroupOptions = {}): Promise<EtcdGroup> {
    const program = await ensureProgram('etcd');
    const group = new EtcdGroup(program, await freePorts(options.size ?? 3), options);
    group.#makeVolumes();
    for (let member = 0; member < group.size; member += 1) group.start(member);
    return group;
  }

  /** Target with which a client of the member is created. */
  target(member: number): string {
    return `unix:${this.#socket(member)}`;
  }

  /** URL at which the others reach a member. */
  peerUrl(member: number): string {
    return `http://127.0.0.1:${this.#ports[member]}`;
  }

  /** Folder of a replica's volume: the member's data and the files beside them. */
  volume(member: number): string {
    return join(this.folder, `volume${member}`);
  }

  /** Folder of a member's data; empty or absent before its first start. */
  dataFolder(member: number): string {
    return join(this.volume(member), 'etcd');
  }

  /** Makes the member join an existing cluster from its next start on. */
  joins(member: number, initialCluster: string): void {
    this.#joining.set(member, initialCluster);
  }

  isRunning(member: number): boolean {
    return this.#members[member] !== undefined;
  }

  start(member: number, flags: readonly string[] = []): void {
    if (this.isRunning(member)) return;
    const names = this.#ports.map((_, index) => `r${index}=${this.peerUrl(index)}`);
    const joining = this.#joining.get(member);
    const client = `unix://${this.#socket(member)}`;
    const child = spawn(
      this.#program,
      [
        `--name=r${member}`,
        `--data-dir=${this.dataFolder(member)}`,
        `--listen-client-urls=${client}`,
        // Not used by any client, but etcd requires an address.
        `--advertise-client-urls=http://r${member}:2379`,
        `--listen-peer-urls=${this.peerUrl(member)}`,
        `--initial-advertise-peer-urls=${this.peerUrl(member)}`,
        `--initial-cluster=${joining ?? names.join(',')}`,
        `--initial-cluster-state=${joining === undefined ? 'new' : 'existing'}`,
        '--initial-cluster-token=7-1',
        ...etcdSettings(this.#quotaBytes),
        ...flags,
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    child.stderr?.pipe(createWriteStream(join(this.folder, `r${member}.log`), { flags: 'a' }));
    this.#members[member] = child;
    child.once('exit', () => {
      if (this.#members[member] === child) this.#members[member] = undefined;
    });
  }

  /** Process id of a member; undefined while it does not run. */
  pid(member: number): number | undefined {
    return this.#members[member]?.pid;
  }

  /** Sends a signal to a member. After SIGKILL it resolves when the process is gone. */
  async signal(member: number, signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): Promise<void> {
    const child = this.#members[member];
    if (child === undefined) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    if (signal === 'SIGKILL') await gone;
  }

  async dispose(): Promise<void> {
    for (let member = 0; member < this.size; member += 1) await this.signal(member, 'SIGKILL');
    for (const volume of this.#mounted) unmountVolume(volume);
    rmSync(this.folder, { recursive: true, force: true });
  }

  #makeVolumes(): void {
    for (let member = 0; member < this.size; member += 1) {
      const volume = this.volume(member);
      mkdirSync(volume);
      if (this.#volumeBytes === undefined) continue;
      mountVolume(volume, this.#volumeBytes);
      this.#mounted.push(volume);
    }
  }

  #socket(member: number): string {
    return join(this.folder, `r${member}.sock`);
  }
}
