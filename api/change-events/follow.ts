/** An endless stream of change events: it waits for new ones, and for a ledger that does not answer. */
import { backoffMs } from '../../base/backoff.ts';
import { sleep, type Timers } from '../../base/timers.ts';
import type { ChangeEventsPage } from '../ledger/change-events.ts';
import { changeEventsToStream } from '../ledger/encode-change-events.ts';
import { utf8 } from '../ledger/text-writer.ts';
import { problems } from '../model/problems.ts';
import { Refusal } from '../model/refusal.ts';
import { StoreUnavailable } from '../store/store-errors.ts';
import type { ChangeEventSource } from './source.ts';

/** Events that are read, written and held at once. */
export const streamedAtOnce = 500;
/** Time between two looks at a ledger that has nothing new. */
const idleMs = 1_000;
const again = { baseMs: 500, maxMs: 5_000 };

interface FollowOptions {
  readonly source: Pick<ChangeEventSource, 'page' | 'encode'>;
  readonly timers: Timers;
  readonly signal: AbortSignal;
  /** Takes the cost of a page from the caller's limits. Rejects with a `Refusal` when they are used up. */
  readonly admit: (page: ChangeEventsPage) => Promise<void>;
}

/**
 * Yields whole server-sent events, one page at a time; it reads the next page only when this one was taken. First it sends an
 * ID without an event, so that a reader who is cut off before the first event comes back to the same place. Ends when the
 * signal aborts, or when the database can no longer be asked.
 */
export async function* follow(
  options: FollowOptions,
  after: bigint,
  first: ChangeEventsPage,
): AsyncGenerator<Uint8Array> {
  const { source, timers, signal } = options;
  yield utf8(`id: ${after}\n\n`);
  let page: ChangeEventsPage | undefined = first;
  while (page !== undefined) {
    const current: ChangeEventsPage = page;
    if (current.count > 0) {
      const events = await untilDone(options, async () => {
        await options.admit(current);
        return source.encode(() => changeEventsToStream(current.rows));
      });
      if (events === undefined) return;
      yield events;
    }
    if (!current.hasMore) await sleep(timers, idleMs, signal);
    page = await untilDone(options, () => source.page(current.last, streamedAtOnce));
  }
}

/** Tries until it succeeds. `undefined`: the signal aborted, or it can never succeed. */
async function untilDone<T>(
  { timers, signal }: FollowOptions,
  attempt: () => Promise<T>,
): Promise<T | undefined> {
  for (let failures = 1; !signal.aborted; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (signal.aborted) return undefined;
      const askedMs = passingMs(error);
      if (askedMs === undefined) return undefined;
      await sleep(timers, Math.max(askedMs, backoffMs(failures, again, Math.random)), signal);
    }
  }
  return undefined;
}

/** Minimum wait before another try; `undefined` if none can help. Throws unexpected errors. */
function passingMs(error: unknown): number | undefined {
  if (error instanceof StoreUnavailable) return 0;
  if (!(error instanceof Refusal)) throw error;
  const { retryable = problems[error.code].retryable, retryAfterSeconds = 0 } = error.occasion;
  return retryable ? 1_000 * retryAfterSeconds : undefined;
}
