/**
 * Joins the statuses of a database whose pods and volumes change in quick succession: details wait until some time after the
 * last write, so that the next one has them all. That is a second, and five while the database is first made: each of its steps
 * takes some seconds, and there may be a thousand of such databases. News is never late.
 */
import type { DatabaseStatus } from '../../domain/custom-resources.ts';

/** Conditions that others act upon. */
const awaited: ReadonlySet<string> = new Set(['Ready', 'Available', 'Stalled', 'Suspended']);

const periodMs = 1_000;
const makingPeriodMs = 5_000;

export class StatusPace {
  /** Times of the last writes by the databases' uids, the oldest first. */
  readonly #written = new Map<string, number>();

  noteWrite(uid: string, nowMs: number): void {
    this.#written.delete(uid);
    this.#written.set(uid, nowMs);
    for (const [oldest, atMs] of this.#written) {
      if (nowMs - atMs < makingPeriodMs) return;
      this.#written.delete(oldest);
    }
  }

  /** Time that a status must wait; 0 for one with news. */
  waitMs(
    uid: string,
    nowMs: number,
    before: DatabaseStatus | undefined,
    after: DatabaseStatus,
  ): number {
    const atMs = this.#written.get(uid);
    if (atMs === undefined || nowMs < atMs || isNews(before, after)) return 0;
    const period = isMade(before) ? periodMs : makingPeriodMs;
    return Math.max(0, atMs + period - nowMs);
  }
}

const isMade = (status: DatabaseStatus | undefined): boolean =>
  status?.version?.active !== undefined;

function isNews(before: DatabaseStatus | undefined, after: DatabaseStatus): boolean {
  const was = (type: string) => before?.conditions?.find((one) => one.type === type);
  return (after.conditions ?? []).some(
    ({ type, status, reason }) =>
      (awaited.has(type) && was(type)?.status !== status) ||
      // While it is made, what goes wrong shows in the reason alone.
      (type === 'Ready' && !isMade(before) && was(type)?.reason !== reason),
  );
}
