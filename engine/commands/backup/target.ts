/** The moment that a restore is to bring back. */
import { parseTime } from '../../../domain/moment.ts';
import type { Moment, Target } from '../../../domain/recovery.ts';
import { parseInteger } from '../values.ts';
import { UsageError, type Flag, type Input } from '../verb.ts';

export const targetFlags: readonly Flag[] = [
  {
    name: 'to-time',
    value: 'time',
    help: 'bring back the last operation at or before it: 2027-01-31T12:00:00.123456789Z',
  },
  { name: 'to-timestamp', value: 'ns', help: 'the same, in nanoseconds since 1970' },
  { name: 'to-op', value: 'op', help: 'bring back this operation' },
];

export const followsFlags: readonly Flag[] = [
  {
    name: 'follows-op',
    value: 'op',
    help: 'the last operation of the history whose place this one takes in the same database: its numbers begin after that',
  },
  { name: 'follows-timestamp', value: 'ns', help: 'its timestamp, in nanoseconds since 1970' },
];

/** `undefined` if the file begins no other history of its database. */
export function followsOf(input: Input): Moment | undefined {
  const [op, timestamp] = followsFlags.map(({ name }) => input.flag(name));
  if (op === undefined && timestamp === undefined) return undefined;
  if (op === undefined || timestamp === undefined)
    throw new UsageError('give both --follows-op and --follows-timestamp');
  return {
    op: parseInteger('follows-op', op, 0, Number.MAX_SAFE_INTEGER),
    timestamp: parseTimestamp('follows-timestamp', timestamp),
  };
}

/** `undefined` if no flag names a moment. */
export function targetOf(input: Input): Target | undefined {
  const [time, timestamp, op] = targetFlags.map(({ name }) => input.flag(name));
  if ([time, timestamp, op].filter((one) => one !== undefined).length > 1)
    throw new UsageError('give one of --to-time, --to-timestamp and --to-op');
  if (op !== undefined)
    return { kind: 'op', op: parseInteger('to-op', op, 0, Number.MAX_SAFE_INTEGER) };
  if (timestamp !== undefined)
    return { kind: 'timestamp', timestamp: parseTimestamp('to-timestamp', timestamp) };
  if (time === undefined) return undefined;
  const parsed = parseTime(time);
  if (parsed !== undefined) return { kind: 'timestamp', timestamp: parsed };
  throw new UsageError(
    `--to-time is "${time}"; it is RFC 3339 with a zone, such as 2027-01-31T12:00:00Z`,
  );
}

function parseTimestamp(flag: string, text: string): bigint {
  if (/^\d{1,19}$/.test(text)) return BigInt(text);
  throw new UsageError(`--${flag} is "${text}"; it is nanoseconds since 1970`);
}
