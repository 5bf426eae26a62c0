/**
 * Execution of the log's entries after the checkpoint, when a replica starts. The pages of the next entries are read while one is executed.
 */
import { GrownGarbage } from '../log/collect-garbage.ts';
import type { LogEntry } from '../log/log.ts';
import type { PageSource } from '../log/page-reader.ts';
import { ExecutionQueue } from './execution-queue.ts';
import type { Executor } from './executor.ts';

/** Bytes of entries that wait: enough for those whose pages are read ahead. */
const WAITING_BYTES_MAX = 8 << 20;

export class Replay {
  readonly #executor: Executor;
  readonly #queue: ExecutionQueue;
  readonly #garbage = new GrownGarbage();
  #waitingBytes = 0;
  #failure: { readonly error: unknown } | undefined;
  /** Called when one more entry is executed, or none will be. */
  #next = (): void => undefined;
  /** Number of entries that were taken. */
  taken = 0;

  constructor(executor: Executor, pages: PageSource) {
    this.#executor = executor;
    this.#queue = new ExecutionQueue({
      bring: ({ pages: names, arrived }) => pages.read(names, arrived),
      onFailure: (error) => this.#fail(error),
    });
  }

  /** Executes an entry at once or later. Entries must come one after another. Resolves when the next one may come. */
  take(entry: LogEntry): void | Promise<void> {
    this.taken += 1;
    const { length } = entry.message;
    this.#waitingBytes += length;
    this.#queue.push({
      prepare: () => this.#executor.prepare(entry),
      run: () => {
        this.#waitingBytes -= length;
        this.#run(entry);
      },
    });
    if (this.#failure !== undefined || this.#waitingBytes > WAITING_BYTES_MAX) return this.#room();
  }

  /** Resolves when all entries are executed. */
  async end(): Promise<void> {
    await this.#queue.idle();
    this.#check();
  }

  async #room(): Promise<void> {
    while (this.#waitingBytes > WAITING_BYTES_MAX && this.#failure === undefined)
      await new Promise<void>((resolve) => (this.#next = resolve));
    this.#check();
  }

  #run(entry: LogEntry): void {
    this.#garbage.check();
    try {
      this.#executor.apply(entry);
    } catch (error) {
      this.#queue.stop();
      this.#fail(error);
    }
    this.#next();
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#next();
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
