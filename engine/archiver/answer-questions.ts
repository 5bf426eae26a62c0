/** Answers the engine's questions about the log in the store, one at a time: a segment may be 16 MiB in memory. */
import { sleep, type Timers } from '../../base/timers.ts';
import { QUESTION_MS, type ArchiveQuestion } from '../../domain/archive-question.ts';
import type { Moment } from '../../domain/recovery.ts';
import { findMoment } from '../archive/find-moment.ts';
import type { ObjectStore, RangedStore } from '../archive/object-store.ts';
import type { Feed } from './feed-client.ts';
import type { ArchiveEnd } from './spool.ts';

interface Answering {
  readonly store: ObjectStore & RangedStore;
  readonly feed: Pick<Feed, 'question' | 'answer'>;
  readonly timers: Timers;
  /** The end of the log as it is known now. */
  readonly end: () => ArchiveEnd | undefined;
}

const WAIT_MS = 20_000;
const RETRY_MS = 2_000;

/** Works until the signal aborts. A question that cannot be answered is answered without a moment. */
export async function answerQuestions(answering: Answering, signal: AbortSignal): Promise<void> {
  const { feed, timers } = answering;
  while (!signal.aborted) {
    try {
      const question = await feed.question(WAIT_MS, signal);
      if (question === undefined) continue;
      const moment = await momentFor(answering, question).catch(() => undefined);
      await feed.answer({
        id: question.id,
        ...(moment && { moment: { op: moment.op, timestamp: String(moment.timestamp) } }),
      });
    } catch {
      // The engine is away, or of an earlier release.
      await sleep(timers, RETRY_MS, signal);
    }
  }
}

async function momentFor(
  { store, end }: Answering,
  { op, timestamp }: ArchiveQuestion,
): Promise<Moment | undefined> {
  const known = end();
  if (known === undefined) return undefined;
  const { databaseId, line, lastOp, lastTimestamp } = known;
  const log = { store, databaseId, line, end: { op: lastOp, timestamp: BigInt(lastTimestamp) } };
  const late = AbortSignal.timeout(QUESTION_MS);
  if (op !== undefined) return findMoment(log, { kind: 'op', op }, late);
  if (timestamp === undefined) return undefined;
  return findMoment(log, { kind: 'timestamp', timestamp: BigInt(timestamp) }, late);
}
