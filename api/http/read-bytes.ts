/** Reads all bytes of a request's body, decompressed. The limit is enforced while they arrive. */
import type { Request } from 'express';
import type { Readable, Transform } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib';
import { Refusal } from '../model/refusal.ts';
import { ClientGone } from './client-gone.ts';

/** A frame may ask for a window of 128 MiB, but no body is larger than 8 MiB. */
const windowLogMax = 23;
const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(),
  deflate: () => createInflate(),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: windowLogMax } }),
};

interface ReadOptions {
  readonly encoding: string;
  /** Called with the size of each piece. An error that it throws ends the reading. */
  readonly onBytes: (bytes: number) => void;
  /** When it aborts, its reason is thrown. */
  readonly signal?: AbortSignal;
}

/** Rejects with a `Refusal` or with `ClientGone`. The rest of a refused body stays unread. */
export function readBytes(
  request: Request,
  { encoding, onBytes, signal }: ReadOptions,
): Promise<Buffer> {
  const newDecoder = decoders[encoding];
  if (newDecoder === undefined && encoding !== 'identity') return Promise.reject(unknownEncoding());
  const decoder = newDecoder?.();
  const source: Readable = decoder ?? request;
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const pieces: Buffer[] = [];
  const take = (piece: Buffer) => {
    try {
      onBytes(piece.length);
      pieces.push(piece);
    } catch (error) {
      reject(error);
    }
  };
  const end = () => resolve(Buffer.concat(pieces));
  const close = () => (request.complete ? undefined : reject(new ClientGone()));
  const abort = () => reject(signal?.reason);
  source.on('data', take).once('end', end);
  decoder?.once('error', (error) => reject(notDecompressed(error)));
  request.once('close', close).once('error', close);
  signal?.addEventListener('abort', abort);
  if (decoder !== undefined) request.pipe(decoder);
  return promise.finally(() => {
    signal?.removeEventListener('abort', abort);
    request.off('close', close);
    source.off('data', take).off('end', end);
    request.pause();
    if (decoder === undefined) return;
    request.unpipe(decoder);
    decoder.on('error', () => {}).destroy();
  });
}

const unknownEncoding = () =>
  new Refusal('unsupported_media_type', {
    detail: 'The Content-Encoding is not supported. Send identity, gzip, deflate, br or zstd.',
    headers: { 'Accept-Encoding': 'gzip, deflate, br, zstd' },
  });

const notDecompressed = (cause: unknown) =>
  new Refusal('malformed_json', {
    detail: 'The body cannot be decompressed as its Content-Encoding says.',
    cause,
  });
