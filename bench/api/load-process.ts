/** Starts a load generator and waits for its end. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Outcome, Told, Workload } from './workload.ts';

const program = join(import.meta.dirname, 'load.ts');
/** Bodies of a batch take a while to make. */
const setupMaxMs = 120_000;

export class LoadProcess {
  readonly #child: ChildProcess;
  readonly #outcome: Promise<Outcome>;

  /** `onMeasuring`: called when the generator is warm and the measurement begins. */
  constructor(workload: Workload, onMeasuring: () => void) {
    this.#child = fork(program, [JSON.stringify(workload)], {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      // The terminal's Ctrl-C does not reach it: the benchmark ends it in turn.
      detached: true,
    });
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    this.#outcome = promise;
    const maxMs = setupMaxMs + (workload.warmUp.secondsMax + workload.seconds) * 1_000;
    const late = setTimeout(() => reject(new Error(`no figures after ${maxMs / 1_000} s`)), maxMs);
    this.#child.on('message', (message) => {
      const told = message as Told;
      if (told.kind === 'measuring') onMeasuring();
      else if (told.kind === 'done') resolve(told.outcome);
      else reject(new Error(`the load generator: ${told.why}`));
    });
    // Unlike `exit`, this event comes after all messages.
    this.#child.once('disconnect', () => {
      clearTimeout(late);
      reject(new Error('the load generator ended without figures'));
    });
  }

  outcome(): Promise<Outcome> {
    return this.#outcome;
  }

  async stop(): Promise<void> {
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}
