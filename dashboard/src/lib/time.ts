/** Times: RFC 3339 texts of the control plane, and nanoseconds of the ledger as digits. The zone is always named. */

export type Zone = 'local' | 'utc';

const millionth = 1_000_000n;

/** Milliseconds of the nanoseconds; dates hold those exactly until the year 275760. */
const millisecondsOf = (nanoseconds: string): bigint => BigInt(nanoseconds) / millionth;

const pad = (value: number, length = 2): string => String(value).padStart(length, '0');

/** `2026-11-22 14:05:09.123` of the ledger's nanoseconds, without the zone. */
export function ledgerTime(nanoseconds: string, zone: Zone): string {
  const ms = millisecondsOf(nanoseconds);
  return `${plainTime(asDate(ms), zone)}.${(ms % 1_000n).toString().padStart(3, '0')}`;
}

/** The same with the zone. */
export const zonedLedgerTime = (nanoseconds: string, zone: Zone): string =>
  `${ledgerTime(nanoseconds, zone)} ${zoneName(asDate(millisecondsOf(nanoseconds)), zone)}`;

/** The same to the nanosecond, with the zone. */
export function exactLedgerTime(nanoseconds: string, zone: Zone): string {
  const date = asDate(millisecondsOf(nanoseconds));
  const fraction = (BigInt(nanoseconds) % 1_000_000_000n).toString().padStart(9, '0');
  return `${plainTime(date, zone)}.${fraction} ${zoneName(date, zone)}`;
}

const asDate = (milliseconds: bigint): Date =>
  // Below 2^53 as all times of the ledger are.
  new Date(Number(BigInt.asUintN(53, milliseconds)));

/** `2026-11-22 14:05:09`. */
export function plainTime(date: Date, zone: Zone): string {
  const [year, month, day, hour, minute, second] =
    zone === 'utc'
      ? [
          date.getUTCFullYear(),
          date.getUTCMonth(),
          date.getUTCDate(),
          date.getUTCHours(),
          date.getUTCMinutes(),
          date.getUTCSeconds(),
        ]
      : [
          date.getFullYear(),
          date.getMonth(),
          date.getDate(),
          date.getHours(),
          date.getMinutes(),
          date.getSeconds(),
        ];
  return `${pad(year, 4)}-${pad(month + 1)}-${pad(day)} ${pad(hour)}:${pad(minute)}:${pad(second)}`;
}

export function zoneName(date: Date, zone: Zone): string {
  if (zone === 'utc') return 'UTC';
  const offset = -date.getTimezoneOffset();
  const size = Math.abs(offset);
  return `UTC${offset < 0 ? '−' : '+'}${pad(Math.floor(size / 60))}:${pad(size % 60)}`;
}

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/**
 * `3 minutes ago`, `in 2 days`. The minute after `now` is `now` too: the page tells the time twice a minute, and clocks differ, so
 * that what has just happened may seem to lie ahead.
 */
export function fromNow(date: Date, now: Date): string {
  const seconds = Math.round((date.getTime() - now.getTime()) / 1_000);
  if (seconds > 0 && seconds < 60) return relative.format(0, 'second');
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
  return relative.format(Math.trunc(seconds / size), unit);
}

/** `1 min 20 s`. */
export function duration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
}

/**
 * Nanoseconds of a bound that a person typed: digits, an ISO time (UTC unless it names a zone), or a span before now such as
 * `-1h`. `undefined` if it is none of them.
 */
export function readBound(text: string, now: Date): string | undefined {
  const typed = text.trim();
  if (/^\d{1,20}$/.test(typed)) {
    return BigInt(typed) < 1n << 64n ? BigInt(typed).toString() : undefined;
  }
  const [, count, unit] = /^-(\d{1,6})\s*([smhd])$/.exec(typed) ?? [];
  if (count !== undefined && unit !== undefined) {
    const nanoseconds = BigInt(count) * spans[unit as keyof typeof spans] * 1_000_000_000n;
    return (BigInt(now.getTime()) * millionth - nanoseconds).toString();
  }
  const iso =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(\.\d{1,9})?)?\s*(Z|[+-]\d\d:?\d\d)?$/.exec(
      typed,
    );
  if (iso === null) return undefined;
  const [, day, time = '00:00', fraction = '', zone = 'Z'] = iso;
  const ms = Date.parse(`${day}T${time}${zone}`);
  if (Number.isNaN(ms) || ms < 0) return undefined;
  return (BigInt(ms) * millionth + BigInt(fraction.slice(1).padEnd(9, '0'))).toString();
}

const spans = { s: 1n, m: 60n, h: 3_600n, d: 86_400n };
