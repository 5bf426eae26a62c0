/** An archive's objects in a bucket of any S3 server with conditional writes. */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  GetObjectLockConfigurationCommand,
  GetObjectRetentionCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  PutObjectRetentionCommand,
  S3Client,
  type GetObjectCommandOutput,
  type ListObjectsV2CommandOutput,
} from '@aws-sdk/client-s3';
import { backoffMs } from '../../base/backoff.ts';
import { ArchiveError, missing } from './errors.ts';
import {
  lastsLongEnough,
  lockUntil,
  type Locks,
  type ObjectLock,
  type Retention,
} from './object-lock.ts';
import type { RangedStore, SweptStore, Written } from './object-store.ts';
import {
  isEmptyRange,
  isExists,
  isForbidden,
  isGone,
  isMissing,
  isPassing,
  isUnknown,
  isUnlocked,
  namedError,
} from './s3-errors.ts';

interface S3Options {
  /** URL of the server; by default AWS's. */
  readonly endpoint: string | undefined;
  readonly region: string;
  readonly bucket: string;
  /** Prefix of all keys: '' or a path that ends with a slash. */
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Puts the bucket into the path instead of the host name. */
  readonly forcePathStyle: boolean;
  /** Time for which a request is tried again while the store does not answer. */
  readonly patienceMs: number;
  /** Locks what is written. */
  readonly lock?: ObjectLock | undefined;
}

/** Time for one try; a try sends or receives at most a few MiB. */
const TRY_MS = 30_000;
const RETRY = { baseMs: 200, maxMs: 30_000 };

interface Part {
  readonly offset: number;
  readonly length: number;
}

export class S3Store implements SweptStore, RangedStore {
  readonly #client: S3Client;
  readonly #options: S3Options;
  readonly locks: Locks | undefined;

  constructor(options: S3Options) {
    this.#options = options;
    this.locks = options.lock === undefined ? undefined : this.#locksOf(options.lock);
    const { endpoint, region, accessKeyId, secretAccessKey, forcePathStyle } = options;
    this.#client = new S3Client({
      ...(endpoint === undefined ? {} : { endpoint }),
      region,
      credentials: { accessKeyId, secretAccessKey },
      forcePathStyle,
      // We retry ourselves, to follow a deadline and to tell a refusal from an outage.
      maxAttempts: 1,
      // Not all servers know the library's default checksums; ours are in the objects and their records.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
  }

  close(): void {
    this.#client.destroy();
  }

  async create(key: string, bytes: Uint8Array): Promise<'created' | 'exists'> {
    const { bucket, prefix, lock } = this.#options;
    const command = new PutObjectCommand({
      Bucket: bucket,
      Key: `${prefix}${key}`,
      Body: bytes,
      ContentLength: bytes.length,
      IfNoneMatch: '*',
      ChecksumSHA256: createHash('sha256').update(bytes).digest('base64'),
      ...(lock === undefined
        ? {}
        : {
            ObjectLockMode: lock.mode,
            ObjectLockRetainUntilDate: new Date(lockUntil(lock, this.nowMs)),
          }),
    });
    return this.#retry(async (abortSignal) => {
      try {
        await this.#client.send(command, { abortSignal });
        return 'created';
      } catch (error) {
        if (isExists(error)) return 'exists';
        throw error;
      }
    });
  }

  async read(key: string): Promise<Uint8Array> {
    return (await this.#get(key)).bytes;
  }

  async readRange(
    key: string,
    offset: number,
    length: number,
  ): Promise<{ readonly bytes: Uint8Array; readonly sizeBytes: number }> {
    const { bytes, range } = await this.#get(key, { offset, length });
    const [, size] = /\/(\d+)$/.exec(range ?? '') ?? [];
    return { bytes, sizeBytes: size === undefined ? bytes.length : Number(size) };
  }

  /** Reads an object, or a part of it. */
  #get(
    key: string,
    part?: Part,
  ): Promise<{ readonly bytes: Uint8Array; readonly range?: string | undefined }> {
    const { bucket, prefix } = this.#options;
    const command = new GetObjectCommand({
      Bucket: bucket,
      Key: `${prefix}${key}`,
      ...(part === undefined
        ? {}
        : { Range: `bytes=${part.offset}-${part.offset + part.length - 1}` }),
    });
    return this.#retry(async (abortSignal) => {
      try {
        const answer = await this.#client.send(command, { abortSignal });
        const { Body, ContentLength, ContentRange } = answer;
        if (part !== undefined && !isPart(answer, part)) {
          // The rest is not read: an object may be larger than the memory.
          (Body as Readable | undefined)?.destroy();
          const what = `answers with ${ContentLength ?? 'unknown'} bytes where ${part.length} from byte ${part.offset} on were asked of ${key}. Use a store that reads ranges of objects.`;
          throw new ArchiveError('store_refused', `bucket ${bucket} ${what}`, { key });
        }
        const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array(0);
        // A connection that breaks off early may end the body without an error.
        if (ContentLength !== undefined && bytes.length !== ContentLength) {
          throw new Error(`${bytes.length} of ${ContentLength} bytes of ${key} arrived`);
        }
        return { bytes, range: ContentRange };
      } catch (error) {
        if (isEmptyRange(error)) return { bytes: new Uint8Array(0) };
        throw isMissing(error) ? missing(key, error) : error;
      }
    });
  }

  async *list(start: string, after?: string): AsyncIterable<string> {
    for await (const { key } of this.listWritten(start, after)) yield key;
  }

  async *listWritten(start: string, after?: string): AsyncIterable<Written> {
    for await (const page of this.#pages(start, { after })) {
      for (const { Key, LastModified, Size: bytes = 0 } of page.Contents ?? []) {
        // Without its time, an object is new.
        const writtenMs = LastModified?.getTime() ?? Infinity;
        if (Key === undefined) continue;
        yield { key: Key.slice(this.#options.prefix.length), writtenMs, bytes };
      }
    }
  }

  async *folders(): AsyncIterable<string> {
    for await (const page of this.#pages('', { delimiter: '/' })) {
      for (const { Prefix } of page.CommonPrefixes ?? []) {
        if (Prefix !== undefined) yield Prefix.slice(this.#options.prefix.length, -1);
      }
    }
  }

  async remove(key: string): Promise<void> {
    const { bucket, prefix } = this.#options;
    const command = new DeleteObjectCommand({ Bucket: bucket, Key: `${prefix}${key}` });
    try {
      await this.#retry((abortSignal) => this.#client.send(command, { abortSignal }));
    } catch (error) {
      const until = isForbidden(error) ? await this.#lockedUntil(key) : undefined;
      if (until === undefined) throw error;
      throw new ArchiveError('object_locked', `${key} is locked until ${until}.`, { key });
    }
  }

  /** The end of a lock that has not ended. `undefined` if there is none, or none that may be seen. */
  async #lockedUntil(key: string): Promise<string | undefined> {
    const until = (await this.#retention(key).catch(() => undefined))?.until ?? '';
    return Date.parse(until) > this.nowMs ? until : undefined;
  }

  /**
   * The store's time, as far as its answers have told it. The library signs by it once a request was refused for its time, and a lock by a
   * clock that is wrong could not be taken back.
   */
  get nowMs(): number {
    return Date.now() + this.#client.config.systemClockOffset;
  }

  #locksOf(lock: ObjectLock): Locks {
    const isEnough = (until: string) => lastsLongEnough(lock, until, this.nowMs);
    const lasting = async (key: string) => {
      const until = (await this.#retention(key))?.until;
      return until !== undefined && isEnough(until) ? until : undefined;
    };
    return {
      isEnough,
      lasting,
      prove: () => this.#proveLock(),
      endOfNew: () => lockUntil(lock, this.nowMs),
      keep: async (key) => {
        const before = await this.#retention(key);
        if (before !== undefined && isEnough(before.until)) return before.until;
        // Its mode stays: a store lets nobody change it without a right of its own.
        const isLocked = before !== undefined && Date.parse(before.until) > this.nowMs;
        const mode = isLocked ? before.mode : lock.mode;
        const until = lockUntil(lock, this.nowMs);
        try {
          await this.#setRetention(key, { mode, until });
          return until;
        } catch (error) {
          // Another backup may have locked it for as long, which a store refuses to make shorter.
          const later = await lasting(key);
          if (later === undefined) throw error;
          return later;
        }
      },
    };
  }

  async #proveLock(): Promise<void> {
    const { bucket } = this.#options;
    const command = new GetObjectLockConfigurationCommand({ Bucket: bucket });
    const isOn = await this.#retry(async (abortSignal) => {
      try {
        const answer = await this.#client.send(command, { abortSignal });
        return answer.ObjectLockConfiguration?.ObjectLockEnabled === 'Enabled';
      } catch (error) {
        if (isMissing(error) || isUnknown(error)) return false;
        throw error;
      }
    });
    if (isOn) return;
    throw new ArchiveError(
      'lock_missing',
      `bucket ${bucket} has no object lock, and the file object-lock asks for one. Make a bucket with object lock, which most stores offer only when it is made, or take the setting away (backups.objectLock of the chart).`,
    );
  }

  /** `undefined` if the object is not locked. Rejects with `object_missing`. */
  async #retention(key: string): Promise<Retention | undefined> {
    const { bucket, prefix } = this.#options;
    const command = new GetObjectRetentionCommand({ Bucket: bucket, Key: `${prefix}${key}` });
    return this.#retry(async (abortSignal) => {
      try {
        const { Retention: found } = await this.#client.send(command, { abortSignal });
        const { Mode: mode, RetainUntilDate: until } = found ?? {};
        return mode === undefined || until === undefined
          ? undefined
          : { mode, until: until.toISOString() };
      } catch (error) {
        if (isUnlocked(error)) return undefined;
        throw isGone(error) ? missing(key, error) : error;
      }
    });
  }

  async #setRetention(key: string, { mode, until }: Retention): Promise<void> {
    const { bucket, prefix } = this.#options;
    const command = new PutObjectRetentionCommand({
      Bucket: bucket,
      Key: `${prefix}${key}`,
      Retention: { Mode: mode, RetainUntilDate: new Date(until) },
    });
    await this.#retry(async (abortSignal) => {
      try {
        await this.#client.send(command, { abortSignal });
      } catch (error) {
        throw isGone(error) ? missing(key, error) : error;
      }
    });
  }

  async *#pages(
    start: string,
    { after, delimiter }: { readonly after?: string | undefined; readonly delimiter?: string },
  ): AsyncIterable<ListObjectsV2CommandOutput> {
    const { bucket, prefix } = this.#options;
    let token: string | undefined;
    do {
      const command = new ListObjectsV2Command({
        Bucket: bucket,
        Prefix: `${prefix}${start}`,
        ...(delimiter === undefined ? {} : { Delimiter: delimiter }),
        ...(after === undefined ? {} : { StartAfter: `${prefix}${after}` }),
        ...(token === undefined ? {} : { ContinuationToken: token }),
      });
      const page = await this.#retry((abortSignal) => this.#client.send(command, { abortSignal }));
      yield page;
      token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    } while (token !== undefined);
  }

  /** Tries until it succeeds, is refused, or the patience is over. Each try has a deadline. */
  async #retry<T>(request: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { endpoint, bucket, patienceMs } = this.#options;
    const where = `bucket ${bucket} at ${endpoint ?? 'AWS'}`;
    const giveUpAt = performance.now() + patienceMs;
    const tryMs = Math.min(TRY_MS, patienceMs);
    for (let failures = 1; ; failures += 1) {
      try {
        return await request(AbortSignal.timeout(tryMs));
      } catch (error) {
        const waitMs = backoffMs(failures, RETRY, Math.random);
        if (!isPassing(error) || performance.now() + waitMs > giveUpAt) {
          throw namedError(error, where);
        }
        await sleep(waitMs);
      }
    }
  }
}

/** Whether an answer contains the requested part. An answer that ignores the range may still be the whole of a small object. */
function isPart(
  { ContentLength, ContentRange }: Pick<GetObjectCommandOutput, 'ContentLength' | 'ContentRange'>,
  { offset, length }: Part,
): boolean {
  if (ContentLength === undefined || ContentLength > length) return false;
  return ContentRange === undefined ? offset === 0 : ContentRange.startsWith(`bytes ${offset}-`);
}
