/** The disks: loop-mounted images and folders. All paths are the machine's own; nodes share its mounts. */
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../run.ts';

/**
 * XFS, not ext4: growing a mounted ext4 needs CAP_SYS_RESOURCE, which root in a sandbox often lacks. mkfs refuses an XFS below
 * this size, so a volume may be larger than its claim asks.
 */
const smallestNetworkVolume = 300 * 2 ** 20;

export class Backing {
  readonly #images: string;
  readonly #nodeFolder: (node: string) => string;

  /** `images` is the folder of network volumes; `nodeFolder` returns the folder of a node's local volumes. */
  constructor(images: string, nodeFolder: (node: string) => string) {
    this.#images = images;
    this.#nodeFolder = nodeFolder;
    mkdirSync(images, { recursive: true });
  }

  image(volume: string): string {
    return join(this.#images, `${volume}.img`);
  }

  localFolder(node: string, volume: string): string {
    return join(this.#nodeFolder(node), 'volumes', volume);
  }

  async createNetwork(volume: string, bytes: number): Promise<void> {
    const image = this.image(volume);
    if (existsSync(image)) return;
    // Created under another name first, so that an existing image is always complete.
    const unfinished = `${image}.unfinished`;
    rmSync(unfinished, { force: true });
    await run('truncate', ['-s', String(Math.max(bytes, smallestNetworkVolume)), unfinished]);
    await run('mkfs.xfs', ['-q', '-K', unfinished]);
    await run('mv', [unfinished, image]);
  }

  /** Removes a network volume. Throws while it is attached. */
  async deleteNetwork(volume: string): Promise<void> {
    const device = await this.loopDevice(volume);
    if (device !== undefined) throw new Error(`volume ${volume} is still attached as ${device}`);
    rmSync(this.image(volume), { force: true });
  }

  async stageNetwork(volume: string, target: string): Promise<void> {
    if (isMounted(target)) return;
    const attached = await this.loopDevice(volume);
    // Two mounts of one file system destroy it. A cloud's disk refuses a second node in the same way.
    if (attached !== undefined && deviceIsMounted(attached)) {
      throw new Error(`volume ${volume} is still in use by another node (${attached})`);
    }
    const device =
      attached ?? (await run('losetup', ['--find', '--show', this.image(volume)])).trim();
    mkdirSync(target, { recursive: true });
    await run('mount', ['-t', 'xfs', device, target]);
    // Applies growth that was requested while no pod used the volume.
    await run('xfs_growfs', [target]);
  }

  async unstage(volume: string, target: string): Promise<void> {
    if (isMounted(target)) await run('umount', [target]);
    const device = await this.loopDevice(volume);
    if (device !== undefined && !deviceIsMounted(device))
      await run('losetup', ['--detach', device]);
  }

  async bind(source: string, target: string, readonly: boolean): Promise<void> {
    if (isMounted(target)) return;
    mkdirSync(target, { recursive: true });
    await run('mount', ['--bind', source, target]);
    if (readonly) await run('mount', ['-o', 'remount,bind,ro', target]);
  }

  async unbind(target: string): Promise<void> {
    if (isMounted(target)) await run('umount', [target]);
    rmSync(target, { recursive: true, force: true });
  }

  /** Grows a network volume while it is mounted at `path`; returns its new size. Never shrinks it. */
  async growNetwork(volume: string, path: string, bytes: number): Promise<number> {
    const image = this.image(volume);
    if (statSync(image).size < bytes) await run('truncate', ['-s', String(bytes), image]);
    const device = await this.loopDevice(volume);
    if (device !== undefined) {
      await run('losetup', ['--set-capacity', device]);
      await run('xfs_growfs', [path]);
    }
    return statSync(image).size;
  }

  async loopDevice(volume: string): Promise<string | undefined> {
    const found = await run('losetup', [
      '--noheadings',
      '--output',
      'NAME',
      '--associated',
      this.image(volume),
    ]);
    const device = found.trim().split('\n')[0];
    return device === '' ? undefined : device;
  }
}

const mounts = () =>
  readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '));

function isMounted(path: string): boolean {
  return mounts().some(([, target]) => target === path);
}

function deviceIsMounted(device: string): boolean {
  return mounts().some(([source]) => source === device);
}
