/** The change streams in the status of a database, and whether the status must be written. Pure. */
import { cutText } from '../../base/cut-text.ts';
import { STREAM_LATE_SECONDS } from '../../domain/change-data-capture.ts';
import type { DatabaseStatus } from '../../domain/custom-resources.ts';
import { lagOf, type ChangeStream, type StreamProgress } from '../model/change-stream.ts';

export type StreamStatus = NonNullable<DatabaseStatus['changeDataCapture']>;

/** Figures that move all the time are written so often. */
export const refreshMs = 5 * 60_000;

export function streamStatusOf(streams: readonly ChangeStream[], now: Date): StreamStatus {
  const nowMs = now.getTime();
  const count = (isOne: (stream: ChangeStream) => boolean) => streams.filter(isOne).length;
  const lagSeconds = longestLag(streams, nowMs);
  const delivered = streams.flatMap(({ deliveredAt }) => deliveredAt?.getTime() ?? []);
  const error = streams.find((one) => one.state === 'FAILED' || isFailing(one, nowMs))?.lastError;
  return {
    streams: streams.length,
    running: count(({ state }) => state === 'RUNNING' || state === 'RETRYING'),
    failing: count((one) => isFailing(one, nowMs)),
    failed: count(({ state }) => state === 'FAILED'),
    paused: count(({ state }) => state === 'PAUSED'),
    ...(lagSeconds !== null && { lagSeconds: Math.floor(lagSeconds) }),
    ...(delivered.length > 0 && { lastDeliveredAt: inSeconds(Math.max(...delivered)) }),
    ...(error && { error: cutText(`${error.code}: ${error.message}`, 1_024) }),
    observedAt: inSeconds(nowMs),
  };
}

/** Longest lag of the streams that are not paused, in seconds; 0 without any; null: not known. */
export function longestLag(streams: readonly StreamProgress[], nowMs: number): number | null {
  const lags = streams
    .filter(({ state }) => state !== 'PAUSED')
    .map((stream) => lagOf(stream, nowMs).seconds);
  const known = lags.filter((seconds) => seconds !== null);
  // One event that is known to wait says enough; that none waits must be known of all.
  const longest = Math.max(0, ...known);
  return known.length === lags.length || longest > STREAM_LATE_SECONDS ? longest : null;
}

const isFailing = ({ state, failingSince }: ChangeStream, nowMs: number): boolean =>
  state === 'RETRYING' &&
  failingSince !== null &&
  nowMs - failingSince.getTime() > STREAM_LATE_SECONDS * 1_000;

const inSeconds = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** Whether the status must be written: something happened, or what it says is old. */
export function isStreamNews(told: StreamStatus | undefined, status: StreamStatus): boolean {
  if (told === undefined || told.streams === 0) return status.streams > 0;
  return (
    meaningOf(told) !== meaningOf(status) ||
    Date.parse(status.observedAt) - Date.parse(told.observedAt) >= refreshMs
  );
}

const meaningOf = ({ streams, running, failing, failed, paused, lagSeconds }: StreamStatus) =>
  [
    streams,
    running,
    failing,
    failed,
    paused,
    lagSeconds === undefined ? 'unknown' : lagSeconds > STREAM_LATE_SECONDS,
  ].join(' ');
