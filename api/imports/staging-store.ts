/**
 * The store of objects in which imports are staged: an S3 server, by the few requests that uploads in parts need. Each request is made
 * once, with a deadline: the caller repeats it. Problems of the store are refusals that say so.
 */
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { Refusal } from '../model/refusal.ts';

export interface StagingSettings {
  /** `undefined`: AWS's own. */
  readonly endpoint: string | undefined;
  readonly region: string;
  readonly bucket: string;
  /** Prefix of all keys: '' or a path that ends with a slash. */
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** A part as the store has it. */
interface PartInStore {
  readonly etag: string;
  /** In base64; `undefined` if the server does not tell. */
  readonly sha256: string | undefined;
}

export interface PartToJoin extends PartInStore {
  readonly number: number;
  readonly sha256: string;
}

/** Deadlines. A store that keeps parts as files joins them by copying. */
const requestMs = 25_000;
const completeMs = 45_000;
/** Pages of a folder that is removed; an import has at most six objects, and few uploads. */
const pagesMax = 100;

export class StagingStore {
  readonly #client: S3Client;
  readonly #settings: StagingSettings;

  constructor(settings: StagingSettings) {
    this.#settings = settings;
    const { endpoint, region, accessKeyId, secretAccessKey } = settings;
    this.#client = new S3Client({
      ...(endpoint === undefined ? {} : { endpoint }),
      region,
      credentials: { accessKeyId, secretAccessKey },
      // Servers other than AWS's rarely have a host name for each bucket.
      forcePathStyle: endpoint !== undefined,
      maxAttempts: 1,
      // Our own digests are given where there are bytes.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
  }

  close(): void {
    this.#client.destroy();
  }

  /** Begins an upload in parts; returns its ID. */
  async beginUpload(key: string, signal?: AbortSignal): Promise<string> {
    const command = new CreateMultipartUploadCommand({
      ...this.#at(key),
      ChecksumAlgorithm: 'SHA256',
      ChecksumType: 'COMPOSITE',
    });
    const { UploadId } = await this.#ask(
      (abortSignal) => this.#client.send(command, { abortSignal }),
      signal,
    );
    if (UploadId === undefined) throw unavailable(new Error('the store named no upload'));
    return UploadId;
  }

  /** False: the store has no such upload any more. */
  async uploadPart(
    key: string,
    uploadId: string,
    part: { readonly number: number; readonly bytes: Uint8Array; readonly sha256: string },
    signal?: AbortSignal,
  ): Promise<boolean> {
    const command = new UploadPartCommand({
      ...this.#at(key),
      UploadId: uploadId,
      PartNumber: part.number,
      Body: part.bytes,
      ContentLength: part.bytes.length,
      ChecksumSHA256: part.sha256,
    });
    const sent = await this.#unless(
      'NoSuchUpload',
      (abortSignal) => this.#client.send(command, { abortSignal }),
      signal,
    );
    return sent !== undefined;
  }

  /** The parts of an upload, by number. `undefined`: the store has no such upload any more. */
  async parts(
    key: string,
    uploadId: string,
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<number, PartInStore> | undefined> {
    const found = new Map<number, PartInStore>();
    let after: string | undefined;
    do {
      const command = new ListPartsCommand({
        ...this.#at(key),
        UploadId: uploadId,
        ...(after === undefined ? {} : { PartNumberMarker: after }),
      });
      const page = await this.#unless(
        'NoSuchUpload',
        (abortSignal) => this.#client.send(command, { abortSignal }),
        signal,
      );
      if (page === undefined) return undefined;
      for (const { PartNumber, ETag, ChecksumSHA256 } of page.Parts ?? []) {
        if (PartNumber === undefined || ETag === undefined) continue;
        found.set(PartNumber, { etag: ETag, sha256: ChecksumSHA256 });
      }
      after = page.IsTruncated === true ? page.NextPartNumberMarker : undefined;
    } while (after !== undefined);
    return found;
  }

  /** Joins the parts to an object. False: the store has no such upload any more. */
  async complete(
    key: string,
    uploadId: string,
    parts: readonly PartToJoin[],
    signal?: AbortSignal,
  ): Promise<boolean> {
    const command = new CompleteMultipartUploadCommand({
      ...this.#at(key),
      UploadId: uploadId,
      MultipartUpload: {
        Parts: parts.map(({ number, etag, sha256 }) => ({
          PartNumber: number,
          ETag: etag,
          ChecksumSHA256: sha256,
        })),
      },
    });
    const done = await this.#unless(
      'NoSuchUpload',
      (abortSignal) => this.#client.send(command, { abortSignal }),
      signal,
      completeMs,
    );
    return done !== undefined;
  }

  /**
   * Bytes of an object; `undefined`: there is none. It is listed: credentials that may list one folder only get no other answer about
   * what is not there than that they may not.
   */
  async sizeOf(key: string, signal?: AbortSignal): Promise<number | undefined> {
    const { Bucket, Key } = this.#at(key);
    const command = new ListObjectsV2Command({ Bucket, Prefix: Key });
    const { Contents = [] } = await this.#ask(
      (abortSignal) => this.#client.send(command, { abortSignal }),
      signal,
    );
    return Contents.find((object) => object.Key === Key)?.Size;
  }

  /** The first bytes of an object, fewer if it is shorter. `undefined`: there is none. */
  async readStart(
    key: string,
    length: number,
    signal?: AbortSignal,
  ): Promise<Uint8Array | undefined> {
    const command = new GetObjectCommand({ ...this.#at(key), Range: `bytes=0-${length - 1}` });
    return this.#unless(
      'NoSuchKey',
      async (abortSignal) => {
        const { Body, ContentLength } = await this.#client.send(command, { abortSignal });
        if (ContentLength === undefined || ContentLength > length) {
          throw new Error(`the store ignores ranges: it answered ${ContentLength} bytes`);
        }
        return (await Body?.transformToByteArray()) ?? new Uint8Array(0);
      },
      signal,
    );
  }

  /** Ends all uploads in a folder, and removes its objects. */
  async removeFolder(folder: string, signal?: AbortSignal): Promise<void> {
    const { Bucket, Key: Prefix } = this.#at(folder);
    for (let page = 0; page < pagesMax; page += 1) {
      const command = new ListMultipartUploadsCommand({ Bucket, Prefix });
      const { Uploads = [] } = await this.#ask(
        (abortSignal) => this.#client.send(command, { abortSignal }),
        signal,
      );
      for (const { Key, UploadId } of Uploads) {
        const abort = new AbortMultipartUploadCommand({ Bucket, Key, UploadId });
        await this.#unless(
          'NoSuchUpload',
          (abortSignal) => this.#client.send(abort, { abortSignal }),
          signal,
        );
      }
      if (Uploads.length === 0) return this.#removeObjects(folder, signal);
    }
    throw unavailable(new Error(`${folder} has uploads that do not end`));
  }

  async #removeObjects(folder: string, signal?: AbortSignal): Promise<void> {
    const { Bucket, Key: Prefix } = this.#at(folder);
    for (let page = 0; page < pagesMax; page += 1) {
      const command = new ListObjectsV2Command({ Bucket, Prefix });
      const { Contents = [] } = await this.#ask(
        (abortSignal) => this.#client.send(command, { abortSignal }),
        signal,
      );
      if (Contents.length === 0) return;
      for (const { Key } of Contents) {
        const remove = new DeleteObjectCommand({ Bucket, Key });
        await this.#ask((abortSignal) => this.#client.send(remove, { abortSignal }), signal);
      }
    }
    throw unavailable(new Error(`${folder} has objects that do not go`));
  }

  #at(key: string): { readonly Bucket: string; readonly Key: string } {
    const { bucket, prefix } = this.#settings;
    return { Bucket: bucket, Key: `${prefix}${key}` };
  }

  /** `undefined` if the store answers with this error. */
  async #unless<T>(
    name: 'NoSuchUpload' | 'NoSuchKey',
    request: (signal: AbortSignal) => Promise<T>,
    signal?: AbortSignal,
    withinMs?: number,
  ): Promise<T | undefined> {
    return this.#ask(
      async (abortSignal) => {
        try {
          return await request(abortSignal);
        } catch (error) {
          if (error instanceof Error && error.name === name) return undefined;
          throw error;
        }
      },
      signal,
      withinMs,
    );
  }

  async #ask<T>(
    request: (signal: AbortSignal) => Promise<T>,
    signal?: AbortSignal,
    withinMs = requestMs,
  ): Promise<T> {
    const late = AbortSignal.timeout(withinMs);
    try {
      return await request(signal === undefined ? late : AbortSignal.any([signal, late]));
    } catch (error) {
      throw unavailable(error);
    }
  }
}

const unavailable = (cause: unknown): Refusal =>
  new Refusal('service_unavailable', {
    detail:
      'The store for imports does not answer, or refuses. Send the request again; what was uploaded stays there.',
    retryAfterSeconds: 5,
    cause,
  });
