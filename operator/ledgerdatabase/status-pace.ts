/**
 * Joins the statuses of a database whose pods and volumes change in quick succession: details wait until a second after the
 * last write, so that the next one has them all. News is never late.
 */
import type { DatabaseStatus } from '../../domain/custom-resources.ts';

/** Conditions that others act upon. */
const awaited: ReadonlySet<string> = new Set(['Ready', 'Available', 'Stalled', 'Suspended']);

export class StatusPace {
  readonly #periodMs: number;
  /** Times of the last writes by the databases' uids, the oldest first. */
  readonly #written = new Map<string, number>();

  constructor(periodMs = 1_000) {
    this.#periodMs = periodMs;
  }

  noteWrite(uid: string, nowMs: number): void {
    this.#written.delete(uid);
    this.#written.set(uid, nowMs);
    for (const [oldest, atMs] of this.#written) {
      if (nowMs - atMs < this.#periodMs) return;
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
    return Math.max(0, atMs + this.#periodMs - nowMs);
  }
}

const isNews = (before: DatabaseStatus | undefined, after: DatabaseStatus): boolean =>
  (after.conditions ?? []).some(
    ({ type, status }) =>
      awaited.has(type) && before?.conditions?.find((one) => one.type === type)?.status !== status,
  );
