/**
 * Decides how an archiver comes by the log: it reads it by itself where it can, and otherwise the engine does, which costs the engine a good part
 * of its speed. Which of the two it is, and why, is logged once at each change, and reported.
 */
import type { Logger } from 'pino';
import type { ArchiveReads, ArchiveReport } from '../../domain/archive-status.ts';
import { cutText } from '../../base/cut-text.ts';
import type { FeedForm } from '../feed/archive-feed.ts';
import type { PlacedPart } from '../feed/placed-part.ts';
import type { Collector } from './collector.ts';
import type { LogSource } from './log-source.ts';

/**
 * Answers in a row, of which nothing could be read here, after which the engine counts as the reader. One may have named a place that was used
 * again before it was read.
 */
const FAILURES_MAX = 3;

interface Reading {
  readonly reads: ArchiveReads;
  /** Why it is the engine. */
  readonly why?: string;
}

export class OwnReading {
  readonly #logger: Pick<Logger, 'info' | 'warn'>;
  #source: LogSource | undefined;
  /** Whether the last places were not what the engine had said: it then reads them once, or says what became of them. */
  #isChanged = false;
  #failures = 0;
  #state: Reading | undefined;

  /** `source`: absent if the archiver was told of none. */
  constructor(source: LogSource | undefined, logger: Pick<Logger, 'info' | 'warn'>) {
    this.#source = source;
    this.#logger = logger;
  }

  /** The form in which the engine is asked next. */
  get form(): FeedForm {
    return this.#source === undefined || this.#isChanged ? 'entries' : this.#source.form;
  }

  /** Nothing until the first entries have come. */
  get report(): Pick<ArchiveReport, 'reads' | 'readsWhy'> {
    if (this.#state === undefined) return {};
    const { reads, why } = this.#state;
    return { reads, ...(why === undefined ? {} : { readsWhy: cutText(why, 300) }) };
  }

  /** Reads what the engine has named. A source that can never be read is left alone. */
  async take(collector: Collector, part: PlacedPart): Promise<void> {
    const source = this.#source;
    if (source === undefined) return;
    try {
      this.#isChanged = !(await collector.takePlaced(part, source));
      if (this.#isChanged) return this.#failed(source.problem);
      this.#failures = 0;
      this.#now({ reads: source.name });
    } catch (error) {
      this.#source = undefined;
      this.#now({ reads: 'Engine', why: error instanceof Error ? error.message : String(error) });
      await source.close().catch(() => undefined);
    }
  }

  /** The engine has read entries. */
  sent(): void {
    if (this.#source === undefined)
      this.#now({
        reads: 'Engine',
        why: this.#state?.why ?? 'this archiver has no place of the log',
      });
    else if (!this.#isChanged)
      this.#failed('the engine does not know where that part of its log is');
    this.#isChanged = false;
  }

  async close(): Promise<void> {
    await this.#source?.close();
  }

  #failed(why: string): void {
    this.#failures += 1;
    if (this.#failures >= FAILURES_MAX) this.#now({ reads: 'Engine', why });
  }

  #now(state: Reading): void {
    const before = this.#state?.reads;
    this.#state = state;
    if (before === state.reads) return;
    if (state.reads === 'Engine')
      this.#logger.warn({ why: state.why }, 'the engine reads its log for this archiver');
    else this.#logger.info({ reads: state.reads }, 'this archiver reads the log by itself');
  }
}
