/**
 * Encrypts what an archive writes, and opens what it reads, so that nothing above knows the difference. With no keys it writes
 * plain objects, but none into an archive that is encrypted, and names the key that an encrypted object needs.
 */
import { ArchiveError } from './errors.ts';
import type { InstallationKeys } from './installation-keys.ts';
import { sealingOf } from './keys.ts';
import { dataKeyForWriting, listBoxes, openDataKey } from './lock-boxes.ts';
import type { RangedStore, SweptStore } from './object-store.ts';
import {
  open,
  seal,
  sealedBeginning,
  sealedHead,
  type DataKey,
  type SealedHead,
} from './sealed-object.ts';

export class SealedStore implements SweptStore, RangedStore {
  readonly #inner: SweptStore & RangedStore;
  readonly keys: InstallationKeys | undefined;
  /** By database: the data key for new objects; `undefined`: they are plain. */
  readonly #writing = new Map<string, Promise<DataKey | undefined>>();
  /** By database and data key. */
  readonly #opened = new Map<string, Promise<DataKey>>();

  constructor(inner: SweptStore & RangedStore, keys: InstallationKeys | undefined) {
    this.#inner = inner;
    this.keys = keys;
  }

  /** Whether new objects are encrypted. */
  get seals(): boolean {
    return this.keys !== undefined;
  }

  get locks() {
    return this.#inner.locks;
  }

  async create(key: string, bytes: Uint8Array): Promise<'created' | 'exists'> {
    if (sealingOf(key) === 'never') return this.#inner.create(key, bytes);
    const dataKey = await this.#dataKeyFor(databaseOf(key));
    return this.#inner.create(key, dataKey === undefined ? bytes : seal(key, dataKey, bytes));
  }

  async read(key: string): Promise<Uint8Array> {
    const bytes = await this.#inner.read(key);
    const head = this.#headOf(key, bytes);
    return head === undefined ? bytes : open(key, head, await this.#secretOf(key, head), bytes);
  }

  async readRange(key: string, offset: number, length: number) {
    if (sealingOf(key) === 'never') return this.#inner.readRange(key, offset, length);
    // Frames are authenticated from the object's beginning on. What is read in ranges is there: the heads of segments.
    const wanted = offset + length;
    const { bytes, sizeBytes } = await this.#inner.readRange(key, 0, sealedBeginning(wanted));
    const head = this.#headOf(key, bytes);
    if (head === undefined) return { bytes: bytes.subarray(offset, wanted), sizeBytes };
    const secret = await this.#secretOf(key, head);
    const plain = open(key, head, secret, bytes, sizeBytes, wanted);
    return { bytes: plain.subarray(offset), sizeBytes: head.plainSize };
  }

  list(prefix: string, after?: string): AsyncIterable<string> {
    return this.#inner.list(prefix, after);
  }

  get nowMs(): number {
    return this.#inner.nowMs;
  }

  listWritten(prefix: string) {
    return this.#inner.listWritten(prefix);
  }

  remove(key: string): Promise<void> {
    return this.#inner.remove(key);
  }

  folders(): AsyncIterable<string> {
    return this.#inner.folders();
  }

  /** `undefined`: the object is plain, and may be. */
  #headOf(key: string, bytes: Uint8Array): SealedHead | undefined {
    const sealing = sealingOf(key);
    if (sealing === 'never') return undefined;
    const head = sealedHead(key, bytes);
    if (head !== undefined) return head;
    if (sealing === 'with keys' && this.keys?.refusesPlain !== true) return undefined;
    throw new ArchiveError(
      'object_damaged',
      `${key} is not encrypted, as it must be: somebody exchanged it, or it is older than encryption and the keys say refuse-plain.`,
      { key },
    );
  }

  async #secretOf(key: string, { dataKeyId }: SealedHead): Promise<Uint8Array> {
    const databaseId = databaseOf(key);
    const keys = this.keys?.keys ?? [];
    const { secret } = await once(this.#opened, `${databaseId}/${dataKeyId}`, async () => {
      const opened = await openDataKey(this.#inner, databaseId, dataKeyId, { keys, what: key });
      return opened.dataKey;
    });
    return secret;
  }

  #dataKeyFor(databaseId: string): Promise<DataKey | undefined> {
    return once(this.#writing, databaseId, async () => {
      const { keys } = this;
      if (keys !== undefined) return dataKeyForWriting(this.#inner, databaseId, keys);
      const [newest] = [...(await listBoxes(this.#inner, databaseId)).keys()].slice(-1);
      const what = `the archive of ${databaseId}`;
      // Rejects: nothing plain goes into an archive that is encrypted.
      if (newest !== undefined)
        await openDataKey(this.#inner, databaseId, newest, { keys: [], what });
      return undefined;
    });
  }
}

const databaseOf = (key: string): string => key.slice(0, key.indexOf('/'));

/** Work that is done once, and again after it failed. */
function once<T>(done: Map<string, Promise<T>>, name: string, work: () => Promise<T>): Promise<T> {
  const known = done.get(name);
  if (known !== undefined) return known;
  const begun = work();
  done.set(name, begun);
  begun.catch(() => done.delete(name));
  return begun;
}
