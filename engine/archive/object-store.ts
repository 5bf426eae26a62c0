import { archiveKey } from './keys.ts';
import type { Locks } from './object-lock.ts';

/**
 * The part of an object store that an archive needs. Objects are written once: nothing here replaces or deletes one. Every
 * promise rejects with ArchiveError, after the store's own retries.
 */
export interface ObjectStore {
  /** Present if objects are locked against deletion. */
  readonly locks?: Locks | undefined;
  /** Writes an object unless this key already has one. */
  create(key: string, bytes: Uint8Array): Promise<'created' | 'exists'>;
  /** Rejects with `object_missing` if there is none. */
  read(key: string): Promise<Uint8Array>;
  /** Yields all keys that begin with `prefix`, in order; with `after`, only those that follow that key. */
  list(prefix: string, after?: string): AsyncIterable<string>;
}

/** Additional methods for reading a large object in parts. */
export interface RangedStore {
  /**
   * Reads up to `length` bytes from `offset` on, and returns the size of the whole object. `offset` is below that size, or 0.
   * Rejects with `object_missing` if there is no such object.
   */
  readRange(
    key: string,
    offset: number,
    length: number,
  ): Promise<{ readonly bytes: Uint8Array; readonly sizeBytes: number }>;
}

export interface Written {
  readonly key: string;
  readonly writtenMs: number;
  readonly bytes: number;
}

/** Additional methods for the sweep, which has its own credentials. */
export interface SweptStore extends ObjectStore {
  /** The store's time, as far as its answers have told it. */
  readonly nowMs: number;
  /** Deletes an object; resolves too if there is none. Rejects with `object_locked` while its lock forbids it. */
  remove(key: string): Promise<void>;
  /** Like `list`, with the store's time of each write, and the bytes of each object. */
  listWritten(prefix: string): AsyncIterable<Written>;
  /** Yields the first parts of all keys: the IDs of databases. */
  folders(): AsyncIterable<string>;
}

/**
 * The time by which something gets old: the store's, which the answer to a request has told, but no later than that of this machine. A clock
 * that is ahead, whichever of both it is, makes nothing old.
 */
export async function agingTime(store: SweptStore, databaseId: string): Promise<number> {
  await writtenTimes(store, archiveKey(databaseId));
  return Math.min(store.nowMs, Date.now());
}

/** The store's times of all objects below a prefix. */
export async function writtenTimes(
  store: SweptStore,
  prefix: string,
): Promise<ReadonlyMap<string, number>> {
  const times = new Map<string, number>();
  for await (const { key, writtenMs } of store.listWritten(prefix)) times.set(key, writtenMs);
  return times;
}
