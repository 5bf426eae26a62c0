/**
 * Questions to the archiver beside an engine, which alone has the store's credentials: the engine keeps them until the archiver
 * fetches them, and hands its answers back. Few may wait, and none for long: the caller then goes on without an answer.
 */
import { sleep, systemTimers, type Timers } from '../../base/timers.ts';
import {
  QUESTION_MS,
  type ArchiveAnswer,
  type ArchiveQuestion,
} from '../../domain/archive-question.ts';
import type { Moment, Target } from '../../domain/recovery.ts';

/** Questions that may wait at a time. */
const WAITING_MAX = 8;
const LOOK_MS = 50;
/** Time after which an archiver that fetches no question counts as away, or as one of a release that answers none. */
const SILENT_MS = 30_000;

interface Waiting {
  readonly question: ArchiveQuestion;
  readonly settle: (moment: Moment | undefined) => void;
}

export class ArchiveQuestions {
  readonly #timers: Timers;
  readonly #waiting = new Map<number, Waiting>();
  /** Questions that the archiver has not fetched yet. */
  #unfetched: ArchiveQuestion[] = [];
  #nextId = 1;
  /** When the archiver last waited for a question. */
  #heardMs = -Infinity;

  constructor(timers: Timers = systemTimers) {
    this.#timers = timers;
  }

  /** Resolves with `undefined` if there is no answer in time, nobody to answer, or too many wait already. */
  async ask(target: Target): Promise<Moment | undefined> {
    const isHeard = this.#timers.nowMs() - this.#heardMs < SILENT_MS;
    if (!isHeard || this.#waiting.size >= WAITING_MAX) return undefined;
    const id = this.#nextId;
    this.#nextId += 1;
    const question: ArchiveQuestion =
      target.kind === 'op' ? { id, op: target.op } : { id, timestamp: String(target.timestamp) };
    const over = new AbortController();
    const answered = new Promise<Moment | undefined>((settle) => {
      this.#waiting.set(id, { question, settle });
    });
    this.#unfetched.push(question);
    const late = sleep(this.#timers, QUESTION_MS, over.signal).then(() => undefined);
    try {
      return await Promise.race([answered, late]);
    } finally {
      over.abort();
      this.#waiting.delete(id);
      this.#unfetched = this.#unfetched.filter((one) => one.id !== id);
    }
  }

  /** The next question; `undefined` after `waitMs` without one. */
  async next(waitMs: number, signal: AbortSignal): Promise<ArchiveQuestion | undefined> {
    const endMs = this.#timers.nowMs() + waitMs;
    while (this.#unfetched.length === 0) {
      this.#heardMs = this.#timers.nowMs();
      if (this.#heardMs >= endMs || signal.aborted) return undefined;
      await sleep(this.#timers, LOOK_MS, signal);
    }
    return this.#unfetched.shift();
  }

  answered({ id, moment }: ArchiveAnswer): void {
    this.#waiting.get(id)?.settle(moment && { op: moment.op, timestamp: BigInt(moment.timestamp) });
  }
}
