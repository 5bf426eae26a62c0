/**
 * Sends the parts of an import's files, several at once. It begins with one part at a time and sends more at once while they arrive
 * quickly. The API waits one minute for a part: on a slow line, parts that share it would all be too late.
 */
import type { Timers } from '../../base/timers.ts';
import type { Patience } from '../patience.ts';

export interface Part {
  readonly replicaIndex: number;
  /** From 1. */
  readonly partNumber: number;
  readonly offset: number;
  readonly sizeBytes: number;
}

/** All parts of a file have the same size, but for the last one. */
export function partsOf(
  replicaIndex: number,
  sizeBytes: number,
  partSizeBytes: number,
): readonly Part[] {
  return Array.from({ length: Math.ceil(sizeBytes / partSizeBytes) }, (_, index) => {
    const offset = index * partSizeBytes;
    return {
      replicaIndex,
      partNumber: index + 1,
      offset,
      sizeBytes: Math.min(partSizeBytes, sizeBytes - offset),
    };
  });
}

interface UploadOptions {
  readonly parts: readonly Part[];
  /** Maximum size of the parts that are sent at once; a single part may exceed it. */
  readonly inFlightBytesMax: number;
  readonly send: (part: Part, signal: AbortSignal) => Promise<void>;
  readonly onSent: (part: Part) => void;
  readonly patience: Patience;
  readonly timers: Timers;
}

/** More parallel requests would not be faster. */
const atOnceMax = 4;
const quickMs = 15_000;
const slowMs = 30_000;

/** Rejects with the first failure, after all requests have ended. */
export async function uploadParts(options: UploadOptions, signal: AbortSignal): Promise<void> {
  const { parts, inFlightBytesMax, send, onSent, patience, timers } = options;
  const sizeMax = parts.reduce((size, part) => Math.max(size, part.sizeBytes), 1);
  const most = Math.min(atOnceMax, Math.max(1, Math.floor(inFlightBytesMax / sizeMax)));
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const underWay = new Set<Promise<void>>();
  let atOnce = 1;
  const sendTimed = async (part: Part): Promise<void> => {
    const startedMs = timers.nowMs();
    await send(part, either);
    const tookMs = timers.nowMs() - startedMs;
    if (tookMs < quickMs) atOnce = Math.min(most, atOnce + 1);
    if (tookMs > slowMs) atOnce = Math.max(1, atOnce - 1);
  };
  const halve = () => {
    atOnce = Math.ceil(atOnce / 2);
  };
  const sendWhole = async (part: Part): Promise<void> => {
    try {
      await patience.until(either, () => sendTimed(part), halve);
      onSent(part);
    } catch (error) {
      stop.abort(error);
    }
  };
  const sendAll = async (some: readonly Part[]): Promise<void> => {
    for (const part of some) {
      while (underWay.size >= atOnce) await Promise.race(underWay);
      if (either.aborted) break;
      const sending = sendWhole(part).finally(() => underWay.delete(sending));
      underWay.add(sending);
    }
    await Promise.all(underWay);
  };
  // The first part of a file shows whether it is the file of this import. Other parts of a wrong one would stay in the import.
  await sendAll(parts.filter(({ partNumber }) => partNumber === 1));
  await sendAll(parts.filter(({ partNumber }) => partNumber > 1));
  either.throwIfAborted();
}
