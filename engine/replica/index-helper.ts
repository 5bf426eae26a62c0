/**
 * Work on a ledger's index in a thread of its own. The thread begins with the first job and ends when there was none for a while, so
 * that a small or idle ledger has none.
 */
import { Worker } from 'node:worker_threads';
import type { IndexJob, IndexResult } from '../ledger/segments/index-jobs.ts';
import { GrownGarbage } from '../log/collect-garbage.ts';
import type { IndexHelper } from '../ledger/row-index.ts';

/** Time without a job after which the thread ends. */
const IDLE_MS = 30_000;
// The images hold compiled programs.
const program = import.meta.url.endsWith('.ts') ? './index-thread.ts' : './index-thread.js';

type Done = (result: IndexResult | undefined) => void;

export class IndexThread implements IndexHelper {
  readonly #garbageBytesMax: number;
  readonly #onError: (error: unknown) => void;
  #worker: Worker | undefined;
  #number = 0;
  readonly #waiting = new Map<number, { readonly job: IndexJob; readonly done: Done }>();
  #idle: NodeJS.Timeout | undefined;
  readonly #garbage = new GrownGarbage();

  /**
   * `onError` is called when the thread has failed; its jobs are given back. While it works, it may keep so many bytes that nobody needs any
   * more.
   */
  constructor(onError: (error: unknown) => void, garbageBytesMax = 0) {
    this.#onError = onError;
    this.#garbageBytesMax = garbageBytesMax;
  }

  begin(job: IndexJob, done: Done): void {
    clearTimeout(this.#idle);
    this.#number += 1;
    this.#waiting.set(this.#number, { job, done });
    try {
      this.#worker ??= this.#start();
    } catch (error) {
      // The system has no thread left. Jobs are given back later, because the ledger is in the middle of a call.
      setImmediate(() => this.#giveUp(error));
      return;
    }
    this.#worker.postMessage({ number: this.#number, job });
  }

  giveUp(job: IndexJob): void {
    for (const [number, waiting] of this.#waiting) {
      if (waiting.job !== job) continue;
      this.#waiting.delete(number);
      this.#worker?.postMessage({ number });
    }
    this.#endWhenIdle();
  }

  /** Ends the thread. Jobs in progress are given back. The next job begins another one. */
  async end(): Promise<void> {
    const worker = this.#worker;
    clearTimeout(this.#idle);
    this.#worker = undefined;
    // Before the thread has ended: a job that comes meanwhile is the next thread's.
    this.#giveBack();
    await worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(new URL(program, import.meta.url), {
      execArgv: [],
      workerData: { garbageBytesMax: this.#garbageBytesMax },
    });
    worker.unref();
    worker.on('message', ({ number, result }: { number: number; result: IndexResult }) => {
      // A job that was given up may have been over already.
      const waiting = this.#waiting.get(number);
      this.#waiting.delete(number);
      waiting?.done(result);
      this.#endWhenIdle();
      // Later, because this call still names the segments that were merged.
      setImmediate(() => {
        this.#garbage.check();
      });
    });
    worker.on('error', (error) => this.#fail(worker, error));
    worker.on('exit', (code) => {
      this.#fail(worker, new Error(`the thread that seals the index ended with code ${code}`));
    });
    return worker;
  }

  #endWhenIdle(): void {
    if (this.#waiting.size > 0 || this.#worker === undefined) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.end(), IDLE_MS).unref();
  }

  #fail(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#giveUp(error);
  }

  #giveUp(error: unknown): void {
    this.#onError(error);
    this.#giveBack();
  }

  #giveBack(): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { done } of waiting) done(undefined);
  }
}
