/** Figures of a database in a form for people. They are measurements, so rounding them does no harm. */
import type { MetricSeries } from '../../../gen/api.ts';

export type Unit = MetricSeries['unit'];
export type Figure = number | null;

/** Shown for an unknown figure. */
export const unknownFigure = '–';

/** Between a number and its unit: a line does not end there. */
const space = '\u00a0';

const kibi = 1_024;
const byteUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

const format = (maximumFractionDigits: number) =>
  new Intl.NumberFormat('en', { maximumFractionDigits });
const formats = [format(0), format(1), format(2)] as const;

/** Three digits, or all digits before the point. */
function shownNumber(value: number): string {
  const size = Math.abs(value);
  return (size >= 100 ? formats[0] : size >= 10 ? formats[1] : formats[2]).format(value);
}

/** `1.5 GiB`. */
export function shownBytes(bytes: number): string {
  const power = powerOf(bytes);
  return `${shownNumber(bytes / kibi ** power)}${space}${byteUnits[power]}`;
}

/** The power of 1,024 in whose unit a number of bytes is shown. */
function powerOf(bytes: number): number {
  const size = Math.abs(bytes);
  const found = byteUnits.findLastIndex((_, power) => size >= kibi ** power);
  return Math.max(0, found);
}

export const byteUnitOf = (bytes: number): number => kibi ** powerOf(bytes);

function shownSeconds(seconds: number): string {
  const size = Math.abs(seconds);
  if (size >= 1) return `${shownNumber(seconds)}${space}s`;
  if (size >= 0.001 || size === 0) return `${shownNumber(seconds * 1_000)}${space}ms`;
  return `${shownNumber(seconds * 1_000_000)}${space}µs`;
}

export function shownFigure(value: Figure, unit: Unit): string {
  if (value === null) return unknownFigure;
  switch (unit) {
    case 'per_second':
      return `${shownNumber(value)}/s`;
    case 'seconds':
      return shownSeconds(value);
    case 'bytes':
      return shownBytes(value);
    case 'bytes_per_second':
      return `${shownBytes(value)}/s`;
    case 'ratio':
      return `${shownNumber(100 * value)}${space}%`;
    case 'boolean':
      return value >= 1 ? 'yes' : 'no';
    case 'count':
    case 'cores':
      return shownNumber(value);
    default:
      // A newer service may have more.
      return String(value);
  }
}

/** `38 %` of a limit. */
export function shownShare(used: Figure, limit: Figure): string {
  if (used === null || limit === null || limit <= 0) return unknownFigure;
  return `${shownNumber((100 * used) / limit)}${space}%`;
}

/** The sum of the known ones; null without any. */
export const sumOf = (values: readonly Figure[]): Figure =>
  values.reduce<Figure>((sum, value) => (value === null ? sum : (sum ?? 0) + value), null);

/** The greatest of the known ones; null without any. */
export const mostOf = (values: readonly Figure[]): Figure =>
  values.reduce<Figure>(
    (most, value) => (value !== null && (most === null || value > most) ? value : most),
    null,
  );
