/**
 * Compression of answers in what the client accepts. Small answers never meet the library: it wraps each response in closures,
 * and what hangs on them outlives the young generation of the garbage collector, which cost a lookup a tenth of its time.
 */
import compression from 'compression';
import type { Request, Response } from 'express';

/** Smaller answers gain nothing: with their headers they fit into one packet. */
const worthwhileBytes = 1_024;

const compress = compression({ threshold: worthwhileBytes });

/** Call it before the first header is sent. `bytes` is the answer's length; `undefined`: it is not known beforehand. */
export function compressIfLarge(request: Request, response: Response, bytes?: number): void {
  if (bytes === undefined || bytes >= worthwhileBytes) compress(request, response, () => {});
}
