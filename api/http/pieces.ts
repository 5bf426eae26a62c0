/** Writes an answer of any length piece by piece, at the pace of the reader. */
import { once } from 'node:events';
import type { Response } from 'express';

/** Cuts the connection if the source fails or `signal` aborts: the reader must not mistake a part for the whole. */
export async function writePieces(
  response: Response,
  pieces: AsyncIterable<string>,
  signal: AbortSignal,
): Promise<void> {
  response.flushHeaders();
  try {
    for await (const piece of pieces) {
      signal.throwIfAborted();
      if (!response.write(piece)) await once(response, 'drain', { signal });
    }
    response.end();
  } catch (error) {
    response.destroy();
    throw error;
  }
}

/** The pieces of an answer to HEAD. */
export async function* none(): AsyncGenerator<string> {}
