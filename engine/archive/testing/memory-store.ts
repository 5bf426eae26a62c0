/** A bucket in memory: it refuses, loses answers, dies and forgets as told. */
import { ArchiveError, missing } from '../errors.ts';
import type { RangedStore, SweptStore, Written } from '../object-store.ts';

/** Thrown by the write at which the process dies. */
export class Killed extends Error {}

export class MemoryStore implements SweptStore, RangedStore {
  readonly objects = new Map<string, Uint8Array>();
  readonly writtenMs = new Map<string, number>();
  /** The store's clock. */
  nowMs = 0;
  /** Number of writes so far. */
  writes = 0;
  /** The write with this number is the last that the process sends; `true`: it still arrives. */
  killAt: { readonly write: number; readonly arrives: boolean } | undefined;
  /** Takes a second object under one key, as old stores do. */
  overwrites = false;
  /** Called before each write. */
  onWrite: (() => Promise<void>) | undefined;

  async create(key: string, bytes: Uint8Array): Promise<'created' | 'exists'> {
    await this.onWrite?.();
    this.writes += 1;
    const isLast = this.writes >= (this.killAt?.write ?? Infinity);
    if (isLast && (this.killAt?.arrives !== true || this.writes > this.killAt.write))
      throw new Killed();
    const isThere = this.objects.has(key);
    if (!isThere || this.overwrites) {
      this.objects.set(key, new Uint8Array(bytes));
      this.writtenMs.set(key, this.nowMs);
    }
    if (isLast) throw new Killed();
    return isThere && !this.overwrites ? 'exists' : 'created';
  }

  async read(key: string): Promise<Uint8Array> {
    await Promise.resolve();
    const bytes = this.objects.get(key);
    if (bytes === undefined) throw missing(key);
    return new Uint8Array(bytes);
  }

  async readRange(key: string, offset: number, length: number) {
    const bytes = await this.read(key);
    return { bytes: bytes.subarray(offset, offset + length), sizeBytes: bytes.length };
  }

  async remove(key: string): Promise<void> {
    await this.onWrite?.();
    this.writes += 1;
    const isLast = this.writes >= (this.killAt?.write ?? Infinity);
    if (isLast && (this.killAt?.arrives !== true || this.writes > this.killAt.write))
      throw new Killed();
    this.objects.delete(key);
    if (isLast) throw new Killed();
  }

  async *folders(): AsyncIterable<string> {
    await Promise.resolve();
    yield* new Set([...this.objects.keys()].map((key) => key.slice(0, key.indexOf('/'))));
  }

  async *list(prefix: string, after = ''): AsyncIterable<string> {
    await Promise.resolve();
    yield* [...this.objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
  }

  /** Times of writes are those of `nowMs`. */
  async *listWritten(prefix: string): AsyncIterable<Written> {
    for await (const key of this.list(prefix))
      yield {
        key,
        writtenMs: this.writtenMs.get(key) ?? 0,
        bytes: this.objects.get(key)?.length ?? 0,
      };
  }

  /** The same bucket with one object changed, or without it. */
  with(key: string, bytes: Uint8Array | undefined): MemoryStore {
    const changed = new MemoryStore();
    for (const [name, content] of this.objects) changed.objects.set(name, content);
    if (bytes === undefined) changed.objects.delete(key);
    else changed.objects.set(key, bytes);
    return changed;
  }
}

/** The code of the error with which something is refused, and the object that it names. */
export async function refusal(
  work: Promise<unknown>,
): Promise<{ readonly code: string; readonly key: string | undefined } | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    return { code: error.code, key: error.key };
  }
}
