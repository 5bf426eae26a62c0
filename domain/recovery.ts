/**
 * Moments that a database can be brought back to, and what a restore to one of them begins with. Operator, API and engine decide
 * with the same functions. Pure.
 */
import type { ArchiveReport, LogRun } from './archive-status.ts';
import { timeOf } from './moment.ts';

/** An operation and its timestamp, in nanoseconds since 1970. Op 0 is the empty ledger. */
export interface Moment {
  readonly op: number;
  readonly timestamp: bigint;
}

/**
 * Numbers that are left out between two histories of one database. The archive of several replicas has entries after their last backup: of
 * its pause of writes, and of sessions that began in it.
 */
export const OPS_BETWEEN_HISTORIES = 10_000_000;

/**
 * The number and the time that a state gets with which another history begins after the end of the former one: no number and no timestamp
 * occurs in both, so that every moment of both can be named. A backup may be made of it before anything is written.
 */
export const beginAfter = ({ op, timestamp }: Moment, end: Moment): Moment => ({
  op: Math.max(op, end.op) + OPS_BETWEEN_HISTORIES,
  timestamp: timestamp > end.timestamp ? timestamp : end.timestamp + 1n,
});

/** A whole operation: that one, or the last one whose timestamp is not later. */
export type Target =
  | { readonly kind: 'op'; readonly op: number }
  | { readonly kind: 'timestamp'; readonly timestamp: bigint };

/** A run of moments without a break: every operation from the first to the last can be restored. */
export interface MomentRange {
  readonly from: Moment;
  readonly to: Moment;
}

/** A moment in a status or an answer. `timestamp`: nanoseconds since 1970, decimal; `time`: the same as RFC 3339, UTC. */
export interface WrittenMoment {
  readonly op: number;
  readonly timestamp: string;
  readonly time: string;
}

/** Moments between the earliest and the latest one that cannot be restored. */
export interface RecoveryGap {
  /** The last moment before it, and the first one after it. */
  readonly after: WrittenMoment;
  readonly before: WrittenMoment;
  /** Operations in it. */
  readonly operations: number;
}

/** The recovery window of a database's archive: every moment from the earliest to the latest, except the gaps. */
export interface RecoveryWindow {
  readonly earliest: WrittenMoment;
  readonly latest: WrittenMoment;
  /** Oldest first. */
  readonly gaps: readonly RecoveryGap[];
}

export const written = ({ op, timestamp }: Moment): WrittenMoment => ({
  op,
  timestamp: String(timestamp),
  time: timeOf(timestamp),
});

const read = ({ op, timestamp }: WrittenMoment): Moment => ({ op, timestamp: BigInt(timestamp) });

export const isInside = ({ from, to }: MomentRange, target: Target): boolean =>
  target.kind === 'op'
    ? target.op >= from.op && target.op <= to.op
    : target.timestamp >= from.timestamp && target.timestamp <= to.timestamp;

export const isAt = ({ op, timestamp }: Moment, target: Target): boolean =>
  target.kind === 'op' ? op === target.op : timestamp === target.timestamp;

/** The nearest of some moments on both sides of a target. */
export function nearestTo(
  moments: readonly Moment[],
  target: Target,
): { readonly before: Moment | undefined; readonly after: Moment | undefined } {
  const isEarlier = ({ op, timestamp }: Moment) =>
    target.kind === 'op' ? op < target.op : timestamp < target.timestamp;
  const sorted = [...moments].sort((one, other) => one.op - other.op);
  return {
    before: sorted.findLast(isEarlier),
    after: sorted.find((one) => !isEarlier(one)),
  };
}

export const describeMoment = ({ op, timestamp }: Moment): string =>
  op === 0 ? 'the empty ledger' : `operation ${op} at ${timeOf(timestamp)}`;

export const describeTarget = (target: Target): string =>
  target.kind === 'op' ? `operation ${target.op}` : timeOf(target.timestamp);

/**
 * The window of a log that is archived in runs, oldest first. A run begins with the first operation of all, or with the first of
 * the backups in it: before that there is nothing to begin a replay with. `undefined` if no run has a beginning.
 */
export function windowOf(
  runs: readonly LogRun[],
  backups: readonly Moment[],
): RecoveryWindow | undefined {
  const ranges: MomentRange[] = [];
  for (const run of runs) {
    const from = beginningOf(run, backups);
    if (from === undefined) continue;
    const to = { op: run.lastOp, timestamp: BigInt(run.lastTimestamp) };
    const before = ranges.at(-1);
    // The log goes on where the run before ends: nothing is missing in between.
    if (before !== undefined && from.op <= before.to.op) ranges.pop();
    ranges.push(
      before !== undefined && from.op <= before.to.op ? { from: before.from, to } : { from, to },
    );
  }
  return windowOfRanges(ranges);
}

/** The window of some runs, oldest first; `undefined` if there is none. */
export function windowOfRanges(ranges: readonly MomentRange[]): RecoveryWindow | undefined {
  const [first, last] = [ranges[0], ranges.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const gaps = ranges.slice(1).map((range, index): RecoveryGap => {
    const { to } = ranges[index]!;
    const operations = range.from.op - to.op - 1;
    return { after: written(to), before: written(range.from), operations };
  });
  return { earliest: written(first.from), latest: written(last.to), gaps };
}

function beginningOf(run: LogRun, backups: readonly Moment[]): Moment | undefined {
  if (run.firstOp === 1) return { op: 0, timestamp: 0n };
  return backups
    .filter(({ op }) => op >= run.firstOp - 1 && op <= run.lastOp)
    .sort((one, other) => one.op - other.op)[0];
}

/** The runs of a window without a break, oldest first. */
export function rangesOf({ earliest, latest, gaps }: RecoveryWindow): readonly MomentRange[] {
  const starts = [earliest, ...gaps.map(({ before }) => before)];
  const ends = [...gaps.map(({ after }) => after), latest];
  return starts.map((from, index) => ({ from: read(from), to: read(ends[index]!) }));
}

/**
 * The runs that are left of a window although some backups have gone since it was told: one that began with such a backup begins with the next
 * one that stays, and is none without. `gone`: ops of these backups.
 */
export const rangesLeft = (
  ranges: readonly MomentRange[],
  gone: ReadonlySet<number>,
  stay: readonly Moment[],
): readonly MomentRange[] =>
  ranges.flatMap(({ from, to }) => {
    if (from.op === 0 || !gone.has(from.op)) return [{ from, to }];
    const [next] = stay
      .filter(({ op }) => op >= from.op && op <= to.op)
      .sort((one, other) => one.op - other.op);
    return next === undefined ? [] : [{ from: { op: next.op, timestamp: next.timestamp }, to }];
  });

/**
 * A window up to where the archiver says that the archive is by now. What follows a gap that the window does not have yet is left out:
 * only the operator knows whether a backup makes it useful.
 */
export function extendedBy(
  window: RecoveryWindow | undefined,
  archive: ArchiveReport | undefined,
): RecoveryWindow | undefined {
  const { archivedOp, archivedTimestamp, chainFirstOp } = archive ?? {};
  if (archivedOp === undefined || archivedTimestamp === undefined || chainFirstOp === undefined)
    return window;
  const end = { firstOp: chainFirstOp, lastOp: archivedOp, lastTimestamp: archivedTimestamp };
  if (window === undefined) return windowOf([end], []);
  const goesOn = chainFirstOp <= window.latest.op + 1 && archivedOp > window.latest.op;
  const latest = { op: archivedOp, timestamp: BigInt(archivedTimestamp) };
  return goesOn ? { ...window, latest: written(latest) } : window;
}

/** `nothing`: there is neither a backup nor a log. */
export const momentReasons = [
  'before_the_window',
  'in_a_gap',
  'after_the_window',
  'nothing',
] as const;

export type RestorePlan<Backup extends Moment> =
  | {
      readonly isPossible: true;
      /** The backup to begin with; `undefined`: the state at `begins`, of which no backup is known here. */
      readonly backup: Backup | undefined;
      readonly begins: Moment;
      /** The operation that is reached; `undefined`: the last one at the asked time, which only the log knows. */
      readonly op: number | undefined;
      /** Operations to replay; the largest number that is possible while `op` is not known. */
      readonly operationsMax: number;
    }
  | {
      readonly isPossible: false;
      readonly reason: (typeof momentReasons)[number];
      readonly before: Moment | undefined;
      readonly after: Moment | undefined;
    };

/**
 * Sources of a restore to a target: the newest backup before it in the same unbroken run, and the log from there on; or a backup
 * that is exactly there.
 */
export function planRestore<Backup extends Moment>(
  ranges: readonly MomentRange[],
  backups: readonly Backup[],
  target: Target,
): RestorePlan<Backup> {
  const inOrder = [...backups].sort((one, other) => one.op - other.op);
  const exact = inOrder.findLast((one) => isAt(one, target));
  if (exact !== undefined)
    return { isPossible: true, backup: exact, begins: exact, op: exact.op, operationsMax: 0 };
  const range = ranges.findLast((one) => isInside(one, target));
  if (range === undefined) return impossible(ranges, inOrder, target);
  const backup = inOrder.findLast(
    ({ op, timestamp }) =>
      op >= range.from.op &&
      (target.kind === 'op' ? op <= target.op : timestamp <= target.timestamp),
  );
  const begins = backup ?? range.from;
  const op = target.kind === 'op' ? target.op : opAt(range, target.timestamp);
  const operationsMax = (op ?? range.to.op) - begins.op;
  return { isPossible: true, backup, begins, op, operationsMax };
}

const opAt = ({ from, to }: MomentRange, timestamp: bigint): number | undefined =>
  timestamp === to.timestamp ? to.op : timestamp === from.timestamp ? from.op : undefined;

function impossible(
  ranges: readonly MomentRange[],
  backups: readonly Moment[],
  target: Target,
): RestorePlan<never> {
  const moments = [...ranges.flatMap(({ from, to }) => [from, to]), ...backups];
  const { before, after } = nearestTo(moments, target);
  const reason =
    before === undefined
      ? after === undefined
        ? 'nothing'
        : 'before_the_window'
      : after === undefined
        ? 'after_the_window'
        : 'in_a_gap';
  return { isPossible: false, reason, before, after };
}

const why = {
  before_the_window: 'it lies before everything that is kept',
  in_a_gap: 'the log has a gap there',
  after_the_window: 'the archive has not come as far',
  nothing: 'it has neither a backup nor an archived log',
} as const;

/** Says why a database cannot be restored to a moment, and names the nearest moments. */
export function whyUnavailable(
  name: string,
  target: Target,
  { reason, before, after }: Extract<RestorePlan<Moment>, { isPossible: false }>,
): string {
  const near = [
    before === undefined ? undefined : `the last moment before is ${describeMoment(before)}`,
    after === undefined ? undefined : `the next one is ${describeMoment(after)}`,
  ].filter((one) => one !== undefined);
  const ways = near.length === 0 ? '' : `; ${near.join(', ')}`;
  return `${name} cannot be restored to ${describeTarget(target)}: ${why[reason]}${ways}.`;
}
