/**
 * A disk in memory that behaves as badly as a real one may: unsynced writes survive a crash or not, block by block; a write
 * or a sync can fail; space runs out.
 */
import type { Storage, StorageFile, Volume } from '../storage.ts';
import { frozen, PagedBytes } from './paged-bytes.ts';

const BLOCK = 512;

interface Unsynced {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

interface Contents {
  durable: PagedBytes;
  current: PagedBytes;
  unsynced: Unsynced[];
  open: boolean;
}

/** Thrown by the operation at which the power fails. Nothing works on that disk afterwards, until `afterCrash`. */
export class PowerLoss extends Error {}

export class MemoryStorage implements Storage {
  readonly #files = new Map<string, Contents>();
  /** Number of operations so far that changed the disk. */
  operations = 0;
  /** The operation with this number is cut by a power loss: a write is left unsynced. */
  crashAt = Infinity;
  /** The operation with this number, and all after it, fail with EIO. */
  failAt = Infinity;
  /** Syncs fail with this code, as those of thin volumes may. */
  syncFailsWith: string | undefined;
  /** Bytes that all files together may take. */
  capacity = Infinity;
  #lost = false;

  /** Returns the disk after a crash. `survives` decides for each 512-byte block of each unsynced write. */
  afterCrash(survives: () => boolean): MemoryStorage {
    const next = new MemoryStorage();
    for (const [path, { durable, unsynced }] of this.#files) {
      const bytes = durable.copy();
      for (const write of unsynced) {
        for (let at = 0; at < write.bytes.length; at += BLOCK) {
          if (!survives()) continue;
          bytes.put(write.bytes.subarray(at, at + BLOCK), write.offset + at);
        }
      }
      next.#files.set(path, { durable: bytes, current: bytes.copy(), unsynced: [], open: false });
    }
    return next;
  }

  /** Returns the disk after only the process died: with everything written, synced or not. */
  afterKill(): MemoryStorage {
    const next = new MemoryStorage();
    for (const [path, { durable, current, unsynced }] of this.#files) {
      const copies = { durable: durable.copy(), current: current.copy() };
      next.#files.set(path, { ...copies, unsynced: [...unsynced], open: false });
    }
    return next;
  }

  bytes(path: string): Uint8Array {
    const { current } = this.#get(path);
    const bytes = new Uint8Array(current.length);
    current.read(bytes, 0);
    return bytes;
  }

  /** Changes bytes behind everybody's back, as rot does. */
  rot(path: string, change: (bytes: Uint8Array) => void): void {
    const bytes = this.bytes(path);
    change(bytes);
    this.#get(path).current = PagedBytes.of(bytes);
  }

  /** Makes a disk that holds this one file. */
  static of(path: string, bytes: Uint8Array): MemoryStorage {
    const storage = new MemoryStorage();
    const durable = PagedBytes.of(bytes);
    storage.#files.set(path, { durable, current: durable.copy(), unsynced: [], open: false });
    return storage;
  }

  get paths(): readonly string[] {
    return [...this.#files.keys()];
  }

  async open(path: string, { exclusive }: { exclusive: boolean }): Promise<StorageFile> {
    await Promise.resolve();
    const contents = this.#get(path);
    if (exclusive && contents.open) throw Object.assign(new Error('locked'), { code: 'locked' });
    if (exclusive) contents.open = true;
    return new MemoryFile(this, contents);
  }

  async create(path: string): Promise<StorageFile> {
    await this.step();
    if (this.#files.has(path)) throw Object.assign(new Error('exists'), { code: 'EEXIST' });
    const [durable, current] = [new PagedBytes(), new PagedBytes()];
    const contents = { durable, current, unsynced: [], open: false };
    this.#files.set(path, contents);
    return new MemoryFile(this, contents);
  }

  async publish(temporary: string, path: string): Promise<void> {
    await this.step();
    if (this.#files.has(path)) throw Object.assign(new Error('exists'), { code: 'EEXIST' });
    this.#files.set(path, this.#get(temporary));
    this.#files.delete(temporary);
  }

  async replace(temporary: string, path: string): Promise<void> {
    await this.step();
    this.#files.set(path, this.#get(temporary));
    this.#files.delete(temporary);
  }

  async remove(path: string): Promise<void> {
    await this.step();
    this.#files.delete(path);
  }

  async exists(path: string): Promise<boolean> {
    await Promise.resolve();
    return this.#files.has(path);
  }

  async volume(): Promise<Volume> {
    await Promise.resolve();
    return { sizeBytes: this.capacity, freeBytes: this.capacity - this.#used() };
  }

  /** Counts one operation that changes the disk. `half` makes its partial effect when the power fails in the middle. */
  async step(half?: () => void): Promise<void> {
    // As with a real disk, the caller goes on only after other work had its turn.
    await Promise.resolve();
    if (this.#lost) throw new PowerLoss();
    this.operations += 1;
    if (this.operations >= this.failAt)
      throw Object.assign(new Error('broken disk'), { code: 'EIO' });
    if (this.operations < this.crashAt) return;
    half?.();
    this.#lost = true;
    throw new PowerLoss();
  }

  assertRoom(growth: number): void {
    if (growth <= 0 || this.#used() + growth <= this.capacity) return;
    throw Object.assign(new Error('disk full'), { code: 'ENOSPC' });
  }

  #used(): number {
    let sum = 0;
    for (const { current } of this.#files.values()) sum += current.length;
    return sum;
  }

  #get(path: string): Contents {
    const contents = this.#files.get(path);
    if (!contents) throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
    return contents;
  }
}

class MemoryFile implements StorageFile {
  readonly #storage: MemoryStorage;
  readonly #contents: Contents;

  constructor(storage: MemoryStorage, contents: Contents) {
    this.#storage = storage;
    this.#contents = contents;
  }

  async size(): Promise<number> {
    await Promise.resolve();
    return this.#contents.current.length;
  }

  async read(target: Uint8Array, offset: number): Promise<number> {
    await Promise.resolve();
    return this.#contents.current.read(target, offset);
  }

  async write(bytes: Uint8Array, offset: number): Promise<void> {
    const copy = frozen(bytes);
    this.#storage.assertRoom(offset + bytes.length - this.#contents.current.length);
    await this.#storage.step(() => this.#put(copy, offset));
    this.#put(copy, offset);
  }

  async writeDurable(bytes: Uint8Array, offset: number): Promise<void> {
    const copy = frozen(bytes);
    this.#storage.assertRoom(offset + bytes.length - this.#contents.current.length);
    await this.#storage.step(() => this.#put(copy, offset));
    this.#contents.current.put(copy, offset);
    this.#contents.durable.put(copy, offset);
  }

  async sync(): Promise<void> {
    const { unsynced } = this.#contents;
    const covered = unsynced.length;
    await this.#storage.step();
    const code = this.#storage.syncFailsWith;
    if (code !== undefined) throw Object.assign(new Error('sync failed'), { code });
    for (const write of unsynced.splice(0, covered)) {
      this.#contents.durable.put(write.bytes, write.offset);
    }
  }

  async close(): Promise<void> {
    await Promise.resolve();
    this.#contents.open = false;
  }

  #put(bytes: Uint8Array, offset: number): void {
    this.#contents.current.put(bytes, offset);
    this.#contents.unsynced.push({ offset, bytes });
  }
}
