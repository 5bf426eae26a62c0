/** Progress of an upload, in bytes and in words. */
import { shownBytes } from '../../../lib/figures.ts';
import { duration } from '../../../lib/time.ts';
import { bytesOf, type Part } from './parts.ts';

export interface Progress {
  readonly totalBytes: number;
  readonly doneBytes: number;
  /** Bytes of `doneBytes` that were sent since the upload was started or resumed, and the time that took. */
  readonly sentBytes: number;
  readonly elapsedMs: number;
}

/** A speed measured over less time is not meaningful. */
const settledMs = 3_000;

export function progressWords({ totalBytes, doneBytes, sentBytes, elapsedMs }: Progress): string {
  const share = `${shownBytes(doneBytes)} of ${shownBytes(totalBytes)}`;
  if (sentBytes === 0 || elapsedMs < settledMs) return share;
  const perSecond = (1_000 * sentBytes) / elapsedMs;
  const seconds = Math.ceil((totalBytes - doneBytes) / perSecond);
  return `${share}, ${shownBytes(perSecond)}/s, about ${duration(seconds)} left`;
}

/** 100 only when all bytes are sent. */
export const percentOf = ({ totalBytes, doneBytes }: Progress): number =>
  totalBytes === 0 ? 100 : Math.floor((100 * doneBytes) / totalBytes);

/** Counts sent bytes. A part that is sent again counts once. */
export class SentBytes {
  readonly #totalBytes: number;
  readonly #beforeBytes: number;
  readonly #startedMs: number;
  readonly #underWay = new Map<Part, number>();
  #sentBytes = 0;

  /** `missing`: the parts to send. */
  constructor(totalBytes: number, missing: readonly Part[], nowMs: number) {
    this.#totalBytes = totalBytes;
    this.#beforeBytes = totalBytes - bytesOf(missing);
    this.#startedMs = nowMs;
  }

  /** `bytes`: of this part, sent so far. */
  moved(part: Part, bytes: number): void {
    this.#underWay.set(part, bytes);
  }

  arrived(part: Part): void {
    this.#underWay.delete(part);
    this.#sentBytes += bytesOf([part]);
  }

  at(nowMs: number): Progress {
    const underWay = [...this.#underWay.values()].reduce((sum, bytes) => sum + bytes, 0);
    const sentBytes = this.#sentBytes + underWay;
    return {
      totalBytes: this.#totalBytes,
      doneBytes: this.#beforeBytes + sentBytes,
      sentBytes,
      elapsedMs: nowMs - this.#startedMs,
    };
  }
}
