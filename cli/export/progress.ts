/** Progress of an export: one line on a terminal, elsewhere a line a minute. How many rows there are is not known. */
import type { Timers } from '../../base/timers.ts';
import type { Output } from '../output/output.ts';

const lineMs = 60_000;
const redrawMs = 200;

export class ExportProgress {
  readonly #output: Output;
  readonly #timers: Timers;
  readonly #what: string;
  readonly #startedMs: number;
  #toldMs: number;

  constructor(
    { output, timers }: { readonly output: Output; readonly timers: Timers },
    what: string,
  ) {
    this.#output = output;
    this.#timers = timers;
    this.#what = what;
    this.#startedMs = timers.nowMs();
    this.#toldMs = this.#startedMs;
  }

  /** `rows`: all that this command has written; `last`: the timestamp of the last one. */
  wrote(rows: number, last: bigint): void {
    const nowMs = this.#timers.nowMs();
    const { showsProgress } = this.#output;
    if (nowMs - this.#toldMs < (showsProgress ? redrawMs : lineMs)) return;
    this.#toldMs = nowMs;
    const perSecond = Math.round((1_000 * rows) / (nowMs - this.#startedMs));
    const line = `${count(rows)} ${this.#what}, up to ${timeOf(last)}, ${count(perSecond)}/s`;
    if (showsProgress) this.#output.progress(line);
    else this.#output.note(line);
  }

  /** Removes the line from a terminal. */
  close(): void {
    this.#output.progress(undefined);
  }
}

export const count = (rows: number): string => rows.toLocaleString('en-US');

/** A ledger's timestamp for people, to the second. Imported rows may have any. */
export function timeOf(timestamp: bigint): string {
  return new Date(Number(timestamp / 1_000_000n)).toISOString().replace(/\.\d+Z$/, 'Z');
}
