/**
 * A disk in memory that behaves as badly as a real one may: unsynced writes survive a crash or not, block by block; a write
 * or a sync can fail; space runs out.
 */
import type { Storage, StorageFile, Volume } from '../storage.ts';

const BLOCK = 512;

interface Unsynced {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

interface Contents {
  durable: Uint8Array;
  current: Uint8Array;
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
      let bytes: Uint8Array = durable.slice();
      for (const write of unsynced) {
        for (let at = 0; at < write.bytes.length; at += BLOCK) {
          if (!survives()) continue;
          bytes = put(bytes, write.bytes.subarray(at, at + BLOCK), write.offset + at);
        }
      }
      next.#files.set(path, { durable: bytes, current: bytes.slice(), unsynced: [], open: false });
    }
    return next;
  }

  /** Returns the disk after only the process died: with everything written, synced or not. */
  afterKill(): MemoryStorage {
    const next = new MemoryStorage();
    for (const [path, contents] of this.#files) {
      next.#files.set(path, { ...contents, durable: contents.durable.slice(), open: false });
    }
    return next;
  }

  bytes(path: string): Uint8Array {
    return this.#get(path).current.slice();
  }

  /** Changes bytes behind everybody's back, as rot does. */
  rot(path: string, change: (bytes: Uint8Array) => void): void {
    change(this.#get(path).current);
  }

  /** Makes a disk that holds this one file. */
  static of(path: string, bytes: Uint8Array): MemoryStorage {
    const storage = new MemoryStorage();
    storage.#files.set(path, {
      durable: bytes.slice(),
      current: bytes.slice(),
      unsynced: [],
      open: false,
    });
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
    const empty = new Uint8Array(0);
    const contents = { durable: empty, current: empty, unsynced: [], open: false };
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
    const bytes = this.#contents.current.subarray(offset, offset + target.length);
    target.set(bytes);
    return bytes.length;
  }

  async write(bytes: Uint8Array, offset: number): Promise<void> {
    const copy = bytes.slice();
    this.#storage.assertRoom(offset + bytes.length - this.#contents.current.length);
    await this.#storage.step(() => this.#put(copy, offset));
    this.#put(copy, offset);
  }

  async writeDurable(bytes: Uint8Array, offset: number): Promise<void> {
    const copy = bytes.slice();
    this.#storage.assertRoom(offset + bytes.length - this.#contents.current.length);
    await this.#storage.step(() => this.#put(copy, offset));
    this.#contents.current = put(this.#contents.current, copy, offset);
    this.#contents.durable = put(this.#contents.durable, copy, offset);
  }

  async sync(): Promise<void> {
    const { unsynced } = this.#contents;
    const covered = unsynced.length;
    await this.#storage.step();
    const code = this.#storage.syncFailsWith;
    if (code !== undefined) throw Object.assign(new Error('sync failed'), { code });
    for (const write of unsynced.splice(0, covered)) {
      this.#contents.durable = put(this.#contents.durable, write.bytes, write.offset);
    }
  }

  async close(): Promise<void> {
    await Promise.resolve();
    this.#contents.open = false;
  }

  #put(bytes: Uint8Array, offset: number): void {
    this.#contents.current = put(this.#contents.current, bytes, offset);
    this.#contents.unsynced.push({ offset, bytes });
  }
}

/** Returns `into` with `bytes` at `offset`: in place if they fit, otherwise in new memory of twice the length. */
function put(into: Uint8Array, bytes: Uint8Array, offset: number): Uint8Array {
  const length = Math.max(into.length, offset + bytes.length);
  let target = into;
  if (length > into.buffer.byteLength - into.byteOffset) {
    target = new Uint8Array(2 * length);
    target.set(into);
  }
  target = new Uint8Array(target.buffer, target.byteOffset, length);
  target.set(bytes, offset);
  return target;
}
