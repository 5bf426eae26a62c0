/** Moments of a ledger as people write them. Timestamps are nanoseconds since 1970. */

const TIME = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})$/;

/** Reads RFC 3339 with up to nine digits after the second; `undefined` for anything else. */
export function parseTime(text: string): bigint | undefined {
  const [, seconds, fraction = '', zone] = TIME.exec(text) ?? [];
  const ms = Date.parse(`${seconds}${zone}`);
  if (seconds === undefined || Number.isNaN(ms) || ms < 0 || !isDay(seconds)) return undefined;
  return BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}

/** Writes RFC 3339 in UTC with nine digits after the second. */
export function timeOf(timestamp: bigint): string {
  const seconds = new Date(Number(timestamp / 1_000_000_000n) * 1_000).toISOString().slice(0, 19);
  return `${seconds}.${String(timestamp % 1_000_000_000n).padStart(9, '0')}Z`;
}

/** Whether the month has that day: `Date.parse` takes February 30 for March 2. */
function isDay(seconds: string): boolean {
  const [year = 0, month = 0, day = 0] = seconds.slice(0, 10).split('-').map(Number);
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}
