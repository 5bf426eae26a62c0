/** The change streams in a database's spec, and their maximum lag. Pure. */
import type { DatabaseSpec } from './custom-resources.ts';

export const streamsSuspended = ({ changeDataCapture }: DatabaseSpec): boolean =>
  changeDataCapture?.suspend === true;

/** A stream with an event that has waited for longer lags, and one that has failed for longer fails. */
export const STREAM_LATE_SECONDS = 60;
