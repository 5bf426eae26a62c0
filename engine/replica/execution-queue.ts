/**
 * Order of execution. A task whose rows are all in memory runs at once, if no task waits before it. Otherwise its pages are read
 * first, and the tasks behind it wait, while the event loop goes on. So tasks run in the order in which they came. Each runs without
 * interruption, on exactly the state that its predecessors have left.
 *
 * While tasks lack pages, those of the next ones are read, too. Each goes on by itself: what it lacks when its pages have come is read at
 * once, whoever waits before it. Its own turn shows whether that is still all that it needs.
 */
import type { Needs } from '../ledger/cold-rows.ts';

export interface Task {
  /** Returns a promise if the task must wait for something else; it is asked again afterwards. */
  mustWait?(): Promise<void> | undefined;
  /** Returns the pages that are to be brought first. Runs right before `run`. */
  prepare(): Needs | undefined;
  run(): void;
}

interface ExecutionQueueOptions {
  readonly bring: (needs: Needs) => Promise<void>;
  /** Called when pages cannot be brought: nothing can be executed any more. */
  readonly onFailure: (error: unknown) => void;
  /** Called when the next task begins to wait for pages, and when it waits no more. */
  readonly onWait?: (isWaiting: boolean) => void;
}

interface Queued {
  readonly task: Task;
  /** Resolves when pages that it lacked are there, or cannot be brought. */
  coming: Promise<void> | undefined;
  /** Whether it has lacked pages. */
  hasLacked: boolean;
  /** Whether it lacked none when it was looked at ahead of its turn. */
  isReady: boolean;
  failure: { readonly error: unknown } | undefined;
}

/** Tasks behind the first one whose pages are brought with its own. */
const AHEAD = 4;

export class ExecutionQueue {
  readonly #options: ExecutionQueueOptions;
  #tasks: Queued[] = [];
  #isOver = false;
  #isWaiting = false;
  #whenIdle: (() => void)[] = [];

  constructor(options: ExecutionQueueOptions) {
    this.#options = options;
  }

  /** Number of tasks that wait. */
  get size(): number {
    return this.#tasks.length;
  }

  /** Runs the task now if it can be, else as soon as it can be. */
  push(task: Task): void {
    if (this.#isOver) return;
    const of = { coming: undefined, hasLacked: false, isReady: false, failure: undefined };
    this.#tasks.push({ task, ...of });
    const [first] = this.#tasks;
    if (this.#tasks.length === 1) this.#goOn();
    else if (first?.hasLacked === true) this.#lookAhead();
  }

  /** Drops the tasks that wait. */
  stop(): void {
    this.#isOver = true;
    this.#tasks = [];
    this.#tellIdle();
  }

  /** Resolves when no task waits. */
  idle(): Promise<void> {
    if (this.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  #goOn(): void {
    for (let first = this.#tasks[0]; first !== undefined; first = this.#tasks[0]) {
      const waits = first.task.mustWait?.();
      if (waits !== undefined) {
        this.#goOnAfter(waits);
        return;
      }
      // Not between its own preparation and its run.
      if (first.hasLacked) this.#lookAhead();
      if (first.coming === undefined && first.failure === undefined) this.#look(first);
      if (first.failure !== undefined) {
        this.#fail(first.failure.error);
        return;
      }
      this.#wait(first.coming !== undefined);
      if (first.coming !== undefined) {
        this.#lookAhead();
        this.#goOnAfter(first.coming);
        return;
      }
      try {
        first.task.run();
      } finally {
        this.#tasks.shift();
      }
    }
    this.#tellIdle();
  }

  #lookAhead(): void {
    for (const next of this.#tasks.slice(1, 1 + AHEAD))
      if (next.coming === undefined && next.failure === undefined && !next.isReady)
        this.#look(next);
  }

  /** Looks for what a task lacks, and has it brought. */
  #look(queued: Queued): void {
    const needs = queued.task.prepare();
    queued.isReady = needs === undefined;
    if (needs === undefined) return;
    queued.hasLacked = true;
    queued.coming = this.#options.bring(needs).then(
      () => {
        queued.coming = undefined;
        const place = this.#tasks.indexOf(queued);
        if (place > 0) this.#look(queued);
      },
      (error: unknown) => {
        queued.coming = undefined;
        queued.failure = { error };
      },
    );
  }

  #wait(isWaiting: boolean): void {
    if (isWaiting === this.#isWaiting) return;
    this.#isWaiting = isWaiting;
    this.#options.onWait?.(isWaiting);
  }

  #goOnAfter(promise: Promise<unknown>): void {
    promise.then(
      () => {
        if (!this.#isOver) this.#goOn();
      },
      (error: unknown) => {
        if (!this.#isOver) this.#fail(error);
      },
    );
  }

  #fail(error: unknown): void {
    this.stop();
    this.#options.onFailure(error);
  }

  #tellIdle(): void {
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }
}
