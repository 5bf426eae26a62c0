/** Prints one line for each step with its time. The output of its commands goes to a file, which is named when the step fails. */
import { appendFileSync, writeFileSync } from 'node:fs';

/** An error that was already reported to the person who runs the command. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed';
}

export type Log = (text: string) => void;
export type Progress = (what: string) => void;

export class Steps {
  readonly #file: string;
  readonly #started = Date.now();

  constructor(file: string) {
    this.#file = file;
    writeFileSync(file, '');
  }

  async run<T>(name: string, work: (log: Log, progress: Progress) => Promise<T>): Promise<T> {
    const began = Date.now();
    let last = 'going on';
    const log: Log = (text) => {
      const said = text.trimEnd();
      appendFileSync(this.#file, `[${name}] ${said}\n`);
      last = ofOurTools.exec(said)?.[1] ?? last;
    };
    const progress: Progress = (what) => {
      if (what === last) return;
      last = what;
      log(what);
      this.#say('·', `${name}: ${what}`);
    };
    const alive = setInterval(() => this.#say('·', `${name}: ${last}`), aliveEveryMs);
    try {
      const result = await work(log, progress);
      this.#say('✓', `${name} (${seconds(Date.now() - began)} s)`);
      return result;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      log(error instanceof Error ? (error.stack ?? why) : why);
      this.#say('✗', `${name}: ${why}`);
      console.error(`         details: ${this.#file}; make up goes on from here`);
      throw new StepFailed(why, { cause: error });
    } finally {
      clearInterval(alive);
    }
  }

  #say(mark: string, what: string): void {
    console.log(`${seconds(Date.now() - this.#started).padStart(7)} s ${mark} ${what}`);
  }
}

const aliveEveryMs = 20_000;

/** Lines of our tools begin with the tool's name and elapsed time; the rest is the current activity. */
const ofOurTools = /^\w+: +[\d.]+s +(.{1,120})/;

const seconds = (ms: number): string => (ms / 1_000).toFixed(1);
