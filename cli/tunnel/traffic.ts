/** Reports on stderr how many clients are connected, how much passes, and what does not work. */
import type { Context } from '../context.ts';

const tellEveryMs = 10_000;
/** The same trouble is reported only once in this time. */
const quietMs = 30_000;

export class Traffic {
  readonly #context: Pick<Context, 'output' | 'timers'>;
  readonly #timer: NodeJS.Timeout;
  readonly #told = new Map<string, number>();
  #clients = 0;
  #up = 0;
  #down = 0;
  #last = '';
  #sinceMs: number;

  constructor(context: Pick<Context, 'output' | 'timers'>) {
    this.#context = context;
    this.#sinceMs = context.timers.nowMs();
    this.#timer = setInterval(() => this.#tell(), tellEveryMs);
    this.#timer.unref();
  }

  clients(change: 1 | -1): void {
    this.#clients += change;
  }

  bytes(direction: 'up' | 'down', bytes: number): void {
    if (direction === 'up') this.#up += bytes;
    else this.#down += bytes;
  }

  trouble(detail: string): void {
    const { output, timers } = this.#context;
    const nowMs = timers.nowMs();
    const toldAtMs = this.#told.get(detail);
    if (toldAtMs !== undefined && nowMs - toldAtMs < quietMs) return;
    if (this.#told.size > 100) this.#told.clear();
    this.#told.set(detail, nowMs);
    output.warn(`${detail}; trying again`);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tell(): void {
    const { output, timers } = this.#context;
    const seconds = (timers.nowMs() - this.#sinceMs) / 1_000;
    const line = `${this.#clients} ${this.#clients === 1 ? 'connection' : 'connections'}, ${rate(this.#up, seconds)} sent, ${rate(this.#down, seconds)} received`;
    [this.#up, this.#down, this.#sinceMs] = [0, 0, timers.nowMs()];
    if (line === this.#last) return;
    this.#last = line;
    output.note(line);
  }
}

function rate(bytes: number, seconds: number): string {
  const each = bytes / seconds;
  if (each >= 1e6) return `${(each / 1e6).toFixed(1)} MB/s`;
  return each >= 1e3 ? `${(each / 1e3).toFixed(1)} kB/s` : `${Math.round(each)} B/s`;
}
