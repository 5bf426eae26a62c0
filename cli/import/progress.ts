/** Progress of an upload: one line on a terminal; elsewhere a line for each tenth, and at least one a minute. */
import type { Timers } from '../../base/timers.ts';
import { shownFigure } from '../output/metrics.ts';
import type { Output } from '../output/output.ts';

interface State {
  readonly totalBytes: number;
  readonly doneBytes: number;
  /** Bytes of `doneBytes` that this command has sent, and how long that took. */
  readonly sentBytes: number;
  readonly elapsedMs: number;
}

const lineMs = 60_000;
const redrawMs = 200;

export class UploadProgress {
  readonly #output: Output;
  readonly #timers: Timers;
  readonly #startedMs: number;
  readonly #totalBytes: number;
  readonly #beforeBytes: number;
  #sentBytes = 0;
  #toldMs: number;
  #toldTenths: number;

  /** `beforeBytes`: bytes that an earlier command has uploaded. */
  constructor(
    { output, timers }: { readonly output: Output; readonly timers: Timers },
    { totalBytes, beforeBytes }: { readonly totalBytes: number; readonly beforeBytes: number },
  ) {
    this.#output = output;
    this.#timers = timers;
    this.#totalBytes = totalBytes;
    this.#beforeBytes = beforeBytes;
    this.#startedMs = timers.nowMs();
    this.#toldMs = this.#startedMs;
    this.#toldTenths = this.#tenths;
    output.progress(progressText(this.#state));
  }

  sent(bytes: number): void {
    this.#sentBytes += bytes;
    const nowMs = this.#timers.nowMs();
    const sinceMs = nowMs - this.#toldMs;
    if (this.#output.showsProgress) {
      if (sinceMs < redrawMs) return;
      this.#output.progress(progressText(this.#state));
    } else {
      if (this.#tenths === this.#toldTenths && sinceMs < lineMs) return;
      this.#output.note(progressText(this.#state));
    }
    this.#toldMs = nowMs;
    this.#toldTenths = this.#tenths;
  }

  /** Removes the line from a terminal. */
  close(): void {
    this.#output.progress(undefined);
  }

  get #state(): State {
    return {
      totalBytes: this.#totalBytes,
      doneBytes: this.#beforeBytes + this.#sentBytes,
      sentBytes: this.#sentBytes,
      elapsedMs: this.#timers.nowMs() - this.#startedMs,
    };
  }

  get #tenths(): number {
    return Math.floor((10 * (this.#beforeBytes + this.#sentBytes)) / this.#totalBytes);
  }
}

/** `uploaded 1.5 GiB of 3 GiB (50 %), 12.5 MiB/s, 2 min left` */
export function progressText({ totalBytes, doneBytes, sentBytes, elapsedMs }: State): string {
  const percent = Math.floor((100 * doneBytes) / totalBytes);
  const share = `uploaded ${shownFigure(doneBytes, 'bytes')} of ${shownFigure(totalBytes, 'bytes')} (${percent} %)`;
  if (sentBytes === 0 || elapsedMs <= 0) return share;
  const perSecond = (1_000 * sentBytes) / elapsedMs;
  const rate = `${share}, ${shownFigure(perSecond, 'bytes')}/s`;
  return doneBytes === totalBytes
    ? rate
    : `${rate}, ${timeText((totalBytes - doneBytes) / perSecond)} left`;
}

function timeText(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
