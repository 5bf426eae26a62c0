/**
 * Object lock: objects that an S3 server lets nobody delete or replace until a time. What an archive writes is locked for one and a half
 * times the chosen days, and locked again when less than one and a quarter is left: so not each backup locks each of its objects
 * again, and with a backup in each quarter of these days every moment of them stays.
 */
import { ArchiveError } from './errors.ts';

export interface ObjectLock {
  /** COMPLIANCE: nobody may shorten it. GOVERNANCE: who has a right of its own may. */
  readonly mode: 'GOVERNANCE' | 'COMPLIANCE';
  readonly days: number;
}

/** The end of an object's lock, and its kind. */
export interface Retention {
  readonly mode: ObjectLock['mode'];
  readonly until: string;
}

const DAY_MS = 86_400_000;
const DAYS_MAX = 3_650;

/** `MODE DAYS`, as in the file `object-lock`. */
export function parseLock(text: string): ObjectLock {
  const [, mode, number] = /^(GOVERNANCE|COMPLIANCE) (\d{1,4})$/.exec(text.trim()) ?? [];
  const days = Number(number);
  if (mode !== undefined && days >= 1 && days <= DAYS_MAX)
    return { mode: mode as ObjectLock['mode'], days };
  throw new ArchiveError(
    'lock_wrong',
    `The file object-lock is not a mode and 1 to ${DAYS_MAX} days, such as: GOVERNANCE 30. COMPLIANCE is the other mode: nobody can take such a lock back.`,
  );
}

/** The end of a lock that begins now. */
export const lockUntil = ({ days }: ObjectLock, nowMs: number): string =>
  new Date(nowMs + 1.5 * days * DAY_MS).toISOString();

/** Whether a lock that ends then lasts for long enough. */
export const lastsLongEnough = ({ days }: ObjectLock, until: string, nowMs: number): boolean =>
  Date.parse(until) >= nowMs + 1.25 * days * DAY_MS;

/** Locks of a store. */
export interface Locks {
  /** Rejects with `lock_missing` if the bucket cannot lock objects. */
  prove(): Promise<void>;
  /** The end of the lock of an object that is written now, at least. */
  endOfNew(): string;
  /** The end of an object's lock, if it lasts for long enough. */
  lasting(key: string): Promise<string | undefined>;
  /** Makes an object's lock last for long enough. Resolves with its end. Rejects with `object_missing`. */
  keep(key: string): Promise<string>;
  /** Whether a lock that ends then lasts for long enough. */
  isEnough(until: string): boolean;
}
