/** Reports on stderr how many sessions and connections there are, how much passes, and what does not work. */
import type { Context } from '../context.ts';

const tellEveryMs = 10_000;
/** The same trouble is reported only once in this time. */
const quietMs = 30_000;

export class Traffic {
  readonly #context: Pick<Context, 'output' | 'timers'>;
  readonly #timer: NodeJS.Timeout;
  readonly #told = new Map<string, number>();
  /** Number of connections of each client. A client has one session, and a connection to each replica. */
  readonly #clients = new Map<string, number>();
  #connections = 0;
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

  connections(change: 1 | -1): void {
    this.#connections += change;
  }

  client(client: string, change: 1 | -1): void {
    const connections = (this.#clients.get(client) ?? 0) + change;
    if (connections > 0) this.#clients.set(client, connections);
    else this.#clients.delete(client);
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
    const sessions = count(this.#clients.size, 'session');
    const connections = count(this.#connections, 'connection');
    const line = `${sessions} over ${connections}, ${rate(this.#up, seconds)} sent, ${rate(this.#down, seconds)} received`;
    [this.#up, this.#down, this.#sinceMs] = [0, 0, timers.nowMs()];
    if (line === this.#last) return;
    this.#last = line;
    output.note(line);
  }
}

const count = (number: number, what: string): string =>
  `${number} ${what}${number === 1 ? '' : 's'}`;

function rate(bytes: number, seconds: number): string {
  const each = bytes / seconds;
  if (each >= 1e6) return `${(each / 1e6).toFixed(1)} MB/s`;
  return each >= 1e3 ? `${(each / 1e3).toFixed(1)} kB/s` : `${Math.round(each)} B/s`;
}
