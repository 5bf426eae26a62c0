/** When a request is sent again. Every program that uses the API should do the same. */
import { backoffMs } from '../../../base/backoff.ts';

export const retryLimits = {
  attemptsMax: 4,
  backoff: { baseMs: 400, maxMs: 5_000 },
  /** A service that asks for a longer wait means "come back later"; the caller decides about that. */
  waitMaxMs: 60_000,
  /** One attempt. Longer than the maximum of the ledger operations (`Prefer: wait=30`) and of a long poll (25 s). */
  timeoutMs: 35_000,
} as const;

const retriedStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Whether another attempt may have another answer. `code` is that of the problem, if there is one. */
export const mayPass = (status: number, code: string | undefined): boolean =>
  retriedStatuses.has(status) || code === 'idempotency_in_progress';

/** Wait before the attempt after `attempt`, ms: a growing one, and at least what the service asks for. */
export const waitAfterMs = (
  attempt: number,
  askedMs: number | undefined,
  random: () => number,
): number => Math.max(backoffMs(attempt, retryLimits.backoff, random), askedMs ?? 0);

/** Header that makes a POST of the control plane one thing, however often it is sent. */
export const idempotencyHeader = 'Idempotency-Key';
