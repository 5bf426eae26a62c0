/**
 * Sends parts, several at a time. It retries after transient failures: a lost connection, or a service that is down or overloaded.
 * Any other failure ends it; the parts that were sent stay in the service.
 *
 * The service limits the time of a part. On a slow line, several parts at a time may exceed it. So each transient failure reduces
 * the number of parts at a time, and a run of successes increases it again.
 */
import { NoAnswer, ProblemError } from '../../../data/problem-error.ts';
import type { Part } from './parts.ts';

/** Consecutive failures that end the sending, after about two minutes. */
const failuresMax = 10;
const firstWaitMs = 500;
const longestWaitMs = 30_000;
/** Longest wait that the service may ask for: nobody sits before a page for hours without a word. */
const askedWaitMaxMs = 120_000;
/** Consecutive successes that increase the number of parts at a time. */
const wellAfter = 12;

export interface Sending {
  /** Maximum number of parts at a time. */
  readonly lanes: number;
  readonly send: (part: Part, signal: AbortSignal) => Promise<void>;
  /** Waits, and returns immediately when the signal aborts. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Returns when all parts are sent. Throws the first permanent failure, or the signal's reason, after all requests have ended. */
export async function sendParts(parts: readonly Part[], sending: Sending): Promise<void> {
  const waiting = [...parts];
  const failed = new AbortController();
  const signal = AbortSignal.any([sending.signal, failed.signal]);
  const lanes: Promise<void>[] = [];
  let [open, arrived, failures] = [0, 0, 0];
  const add = () => {
    open += 1;
    lanes.push(lane());
  };
  /** Sends one part after another. The last open lane ends only when no part is left. */
  const lane = async () => {
    let isWanted = true;
    while (isWanted && !signal.aborted) {
      const part = waiting.shift();
      if (part === undefined) break;
      try {
        await sending.send(part, signal);
        [arrived, failures] = [arrived + 1, 0];
        if (arrived >= wellAfter && open < sending.lanes && waiting.length > 0) {
          arrived = 0;
          add();
        }
      } catch (error) {
        [arrived, failures] = [0, failures + 1];
        waiting.unshift(part);
        if (failures >= failuresMax || !mayPass(error)) failed.abort(error);
        isWanted = open === 1;
        if (isWanted && !signal.aborted) await sending.pause(waitMs(error, failures), signal);
      }
    }
    open -= 1;
  };
  for (let count = 0; count < sending.lanes; count += 1) add();
  // A lane adds another one before it ends itself, so the loop sees all of them.
  for (let at = 0; at < lanes.length; at += 1) await lanes[at];
  signal.throwIfAborted();
}

const mayPass = (error: unknown): boolean =>
  error instanceof NoAnswer ||
  (error instanceof ProblemError && (error.problem.retryable || error.problem.status === 429));

function waitMs(error: unknown, failures: number): number {
  const asked = error instanceof ProblemError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
  return Math.max(
    Math.min(asked, askedWaitMaxMs),
    Math.min(longestWaitMs, firstWaitMs * 2 ** (failures - 1)),
  );
}
