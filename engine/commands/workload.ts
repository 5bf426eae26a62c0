/** Request bodies for the benchmarks, made before the clock runs. */
import { checksum } from '../wire/checksum.ts';
import { encodeMultiBatch } from '../wire/multi-batch.ts';

/** `plain`: random accounts. `twoPhase`: a batch of pending ones, then one that posts them. `hot`: two accounts only. */
export type BatchKind = 'plain' | 'twoPhase' | 'hot';

interface Prepared {
  readonly body: Uint8Array;
  readonly bodyChecksum: Uint8Array;
}

/** The last id. Ids rise with time and are random in their low half, as in the official clients. */
let lastId = BigInt(Date.now()) << 80n;
const pendingFlag = 2;
const postFlag = 4;

export function batches(kind: BatchKind, size: number, accountCount: number): () => Prepared {
  let pending: bigint[] = [];
  return () => {
    const posts = kind === 'twoPhase' && pending.length > 0 ? pending : undefined;
    const bytes = new Uint8Array(size * 128);
    const view = new DataView(bytes.buffer);
    const ids: bigint[] = [];
    for (let i = 0; i < size; i += 1) {
      const at = i * 128;
      lastId += 1n + BigInt(Math.floor(Math.random() * 2 ** 40));
      ids.push(lastId);
      putU128(view, at, lastId);
      if (posts === undefined) putPlain(view, at, kind, accountCount);
      else {
        putU128(view, at + 48, (1n << 128n) - 1n);
        putU128(view, at + 64, posts[i] ?? 0n);
        view.setUint16(at + 118, postFlag, true);
      }
    }
    pending = kind === 'twoPhase' && posts === undefined ? ids : [];
    const body = encodeMultiBatch([bytes], 128);
    return { body, bodyChecksum: checksum(body) };
  };
}

function putPlain(view: DataView, at: number, kind: BatchKind, accountCount: number): void {
  const range = kind === 'hot' ? 2 : accountCount;
  const debit = Math.floor(Math.random() * range);
  const credit = (debit + 1 + Math.floor(Math.random() * (range - 1))) % range;
  view.setUint32(at + 16, debit + 1, true);
  view.setUint32(at + 32, credit + 1, true);
  view.setUint32(at + 48, 1 + Math.floor(Math.random() * 1000), true);
  view.setUint32(at + 112, 1, true);
  view.setUint16(at + 116, 1, true);
  if (kind === 'twoPhase') view.setUint16(at + 118, pendingFlag, true);
}

export function accountBatch(first: number, count: number): Uint8Array {
  const ids = Array.from({ length: count }, (_, i) => BigInt(first + i));
  return encodeMultiBatch([accountBytes(ids)], 128);
}

export function idsBatch(ids: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(ids.length * 16);
  const view = new DataView(bytes.buffer);
  ids.forEach((id, i) => view.setUint32(i * 16, id, true));
  return encodeMultiBatch([bytes], 16);
}

export function queryByLedger(ledger: number, limit: number): Uint8Array {
  const filter = new Uint8Array(64);
  const view = new DataView(filter.buffer);
  view.setUint32(28, ledger, true);
  view.setUint32(56, limit, true);
  return encodeMultiBatch([filter], 64);
}

/** Body that creates accounts of ledger 1 and code 1. */
export function accountBytes(ids: readonly bigint[], flags = 0): Uint8Array {
  const bytes = new Uint8Array(ids.length * 128);
  const view = new DataView(bytes.buffer);
  ids.forEach((id, i) => {
    putU128(view, i * 128, id);
    view.setUint32(i * 128 + 112, 1, true);
    view.setUint16(i * 128 + 116, 1, true);
    view.setUint16(i * 128 + 118, flags, true);
  });
  return bytes;
}

export function putU128(view: DataView, at: number, value: bigint): void {
  view.setBigUint64(at, value & 0xffff_ffff_ffff_ffffn, true);
  view.setBigUint64(at + 8, value >> 64n, true);
}

/** Measures how long `work` takes, in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

export interface Figures {
  readonly perSecond: number;
  /** Median, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** Figures of consecutive requests that took `times`, each with `events` events. */
export function figures(times: readonly number[], events: number): Figures {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
  const seconds = times.reduce((sum, time) => sum + time, 0) / 1000;
  return { perSecond: Math.round((times.length * events) / seconds), p50: at(0.5), p99: at(0.99) };
}
