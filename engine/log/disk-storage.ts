/**
 * Storage on real files. The lock on a data file is a POSIX record lock that SQLite takes on an empty file beside it
 * (`<file>.lock`), because Node has no flock. The kernel drops such a lock when the process dies for any reason. It holds
 * across containers of one node; an abstract socket (per network namespace) or a process id (per process namespace) would
 * not. docs/decisions/0012-data-file.md compares them.
 */
import { constants, type Stats } from 'node:fs';
import {
  access,
  link,
  open,
  realpath,
  rename,
  stat,
  statfs,
  unlink,
  type FileHandle,
} from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { allocatedAhead } from './allocated-ahead.ts';
import { DataFileError } from './errors.ts';
import type { Storage, StorageFile } from './storage.ts';

export const diskStorage: Storage = {
  async open(path, { writable, exclusive }) {
    const target = await realpath(path).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      throw new DataFileError(
        'not_found',
        `${path} does not exist. Make it with 'format' or 'restore'.`,
      );
    });
    const lock = exclusive ? takeLock(target) : undefined;
    try {
      const handle = await open(target, writable ? 'r+' : 'r');
      // A second descriptor for writes that are durable when they return: one trip to the thread pool instead of two.
      const durable = writable
        ? await open(target, constants.O_WRONLY | constants.O_DSYNC)
        : undefined;
      return new DiskFile(handle, durable, lock);
    } catch (error) {
      lock?.close();
      throw error;
    }
  },
  async create(path) {
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL;
    return new DiskFile(await open(path, flags, 0o600), undefined, undefined);
  },
  async publish(temporary, path) {
    // `link`, not `rename`, because it never replaces an existing file.
    await link(temporary, path);
    await unlink(temporary);
    await syncDurably(dirname(path));
  },
  async replace(temporary, path) {
    await rename(temporary, path);
    await syncDurably(dirname(path));
  },
  remove: (path) => unlink(path),
  exists: (path) =>
    access(path).then(
      () => true,
      () => false,
    ),
  async volume(path) {
    const [system, file] = await Promise.all([statfs(dirname(path)), statIfThere(path)]);
    const { blocks, bavail, bsize } = system;
    const aheadBytes = file === undefined ? 0 : allocatedAhead(system, file);
    return { sizeBytes: blocks * bsize, freeBytes: bavail * bsize + aheadBytes };
  },
};

async function statIfThere(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Makes a file's bytes durable, or the names in a folder. */
export async function syncDurably(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const SQLITE_BUSY = 5;

function takeLock(path: string): DatabaseSync {
  const lock = new DatabaseSync(`${path}.lock`, { timeout: 0 });
  try {
    // Nothing is ever written: the transaction exists only for its lock and needs no journal.
    lock.exec('PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new DataFileError(
      'locked',
      `Another process has ${path} open. Stop it first; two replicas must never share a data file.`,
    );
  }
}

class DiskFile implements StorageFile {
  readonly #handle: FileHandle;
  readonly #durable: FileHandle | undefined;
  readonly #lock: DatabaseSync | undefined;

  constructor(handle: FileHandle, durable: FileHandle | undefined, lock: DatabaseSync | undefined) {
    this.#handle = handle;
    this.#durable = durable;
    this.#lock = lock;
  }

  async size(): Promise<number> {
    return (await this.#handle.stat()).size;
  }

  async read(target: Uint8Array, offset: number): Promise<number> {
    let done = 0;
    while (done < target.length) {
      const { bytesRead } = await this.#handle.read(
        target,
        done,
        target.length - done,
        offset + done,
      );
      if (bytesRead === 0) break;
      done += bytesRead;
    }
    return done;
  }

  write(bytes: Uint8Array, offset: number): Promise<void> {
    return writeAll(this.#handle, bytes, offset);
  }

  async writeDurable(bytes: Uint8Array, offset: number): Promise<void> {
    if (this.#durable) return writeAll(this.#durable, bytes, offset);
    await writeAll(this.#handle, bytes, offset);
    await this.#handle.datasync();
  }

  sync(): Promise<void> {
    return this.#handle.datasync();
  }

  async close(): Promise<void> {
    try {
      await this.#durable?.close();
      await this.#handle.close();
    } finally {
      this.#lock?.close();
    }
  }
}

/** Writes all bytes. A write may be cut short, for example by a full disk; writing the rest then gives the real error. */
async function writeAll(handle: FileHandle, bytes: Uint8Array, offset: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, offset + done);
    done += bytesWritten;
  }
}
