/**
 * A disk for each replica: a small ext4 on a loop device, which can be filled up, and slowed down by the blkio controller of
 * cgroups v1. Without the rights the disks are plain folders, which can be neither filled up nor slowed down.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { mustRun } from '../support/shell.ts';

const DISK_BYTES = 1536 * 2 ** 20;
/** Writes per second of a slow disk; a block takes some ten writes. */
const SLOW_WRITES = 25;
/** Free bytes of a full disk: less than etcd needs for its next file. */
const LEFT_BYTES = 64 * 2 ** 10;

export class Disks {
  readonly #folder: string;
  readonly #isolated: boolean;
  /** Device number of each replica's disk, as `major:minor`. */
  readonly #devices = new Map<number, string>();
  readonly #cgroup: string;

  private constructor(folder: string, isolated: boolean, cgroup: string) {
    this.#folder = folder;
    this.#isolated = isolated;
    this.#cgroup = cgroup;
  }

  /** Makes the disks. `cgroup`: group of the blkio controller, made here; the end of the run removes it. */
  static async make(options: {
    folder: string;
    size: number;
    isolated: boolean;
    cgroup: string;
  }): Promise<Disks> {
    const { folder, size, isolated, cgroup } = options;
    const disks = new Disks(folder, isolated, cgroup);
    if (disks.canBeSlow) mkdirSync(cgroup, { recursive: true });
    for (let replica = 0; replica < size; replica += 1) await disks.#make(replica);
    return disks;
  }

  get canBeFull(): boolean {
    return this.#isolated;
  }

  get canBeSlow(): boolean {
    return this.#isolated && existsSync('/sys/fs/cgroup/blkio/blkio.throttle.write_iops_device');
  }

  path(replica: number): string {
    return join(this.#folder, `disk${replica}`);
  }

  usedBytes(replica: number): number {
    const { blocks, bfree, bsize } = statfsSync(this.path(replica));
    return this.#isolated ? (blocks - bfree) * bsize : 0;
  }

  /** Makes a slow disk slow for this process. */
  carries(pid: number): void {
    if (this.canBeSlow) writeFileSync(join(this.#cgroup, 'cgroup.procs'), String(pid));
  }

  slow(replica: number): void {
    this.#throttle(replica, SLOW_WRITES);
  }

  /** Takes all of the disk but `leftBytes`. */
  async fill(replica: number, leftBytes = LEFT_BYTES): Promise<void> {
    const { bavail, bsize } = statfsSync(this.path(replica));
    const bytes = Math.max(0, bavail * bsize - leftBytes);
    await mustRun('fallocate', ['-l', String(bytes), this.#ballast(replica)]);
  }

  heal(): void {
    for (const replica of this.#devices.keys()) {
      if (this.canBeSlow) this.#throttle(replica, 0);
      rmSync(this.#ballast(replica), { force: true });
    }
  }

  async #make(replica: number): Promise<void> {
    const path = this.path(replica);
    mkdirSync(path);
    if (!this.#isolated) return;
    const image = `${path}.img`;
    await mustRun('truncate', ['-s', String(DISK_BYTES), image]);
    await mustRun('mkfs.ext4', ['-q', '-m', '0', image]);
    await mustRun('mount', ['-o', 'loop', image, path]);
    const device = (await mustRun('findmnt', ['-no', 'SOURCE', path])).trim();
    const id = readFileSync(`/sys/block/${basename(device)}/dev`, 'utf8').trim();
    this.#devices.set(replica, id);
  }

  /** 0: not at all. */
  #throttle(replica: number, writes: number): void {
    const rule = `${this.#devices.get(replica)} ${writes}`;
    writeFileSync(join(this.#cgroup, 'blkio.throttle.write_iops_device'), rule);
  }

  #ballast(replica: number): string {
    return join(this.path(replica), 'ballast');
  }
}
