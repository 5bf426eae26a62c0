/**
 * Order of execution. A task whose rows are all in memory runs at once, if no task waits before it. Otherwise its pages are read
 * first, and the tasks behind it wait, while the event loop goes on. So tasks run in the order in which they came. Each runs without
 * interruption, on exactly the state that its predecessors have left.
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
}

/** Tasks behind the first one whose pages are brought with its own. */
const AHEAD = 4;

export class ExecutionQueue {
  readonly #options: ExecutionQueueOptions;
  #tasks: Task[] = [];
  #isOver = false;
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
    this.#tasks.push(task);
    if (this.#tasks.length === 1) this.#goOn();
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
      const waits = first.mustWait?.();
      const needs = waits === undefined ? first.prepare() : undefined;
      if (waits !== undefined) this.#goOnAfter(waits);
      else if (needs !== undefined) this.#bring(needs);
      if (waits !== undefined || needs !== undefined) return;
      try {
        first.run();
      } finally {
        this.#tasks.shift();
      }
    }
    this.#tellIdle();
  }

  #bring(needs: Needs): void {
    // Pages for the next tasks are read into the cache, too. Their own turn shows whether these are still all that they need.
    const ahead = this.#tasks.slice(1, 1 + AHEAD).flatMap((task) => task.prepare() ?? []);
    const { bring } = this.#options;
    this.#goOnAfter(Promise.all([needs, ...ahead].map((one) => bring(one))));
  }

  #goOnAfter(promise: Promise<unknown>): void {
    promise.then(
      () => {
        if (!this.#isOver) this.#goOn();
      },
      (error: unknown) => {
        if (this.#isOver) return;
        this.stop();
        this.#options.onFailure(error);
      },
    );
  }

  #tellIdle(): void {
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }
}
