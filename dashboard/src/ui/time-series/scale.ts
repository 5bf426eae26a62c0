/** Scales of a chart: round numbers at its side, and round times below it. */
import { byteUnitOf, type Unit } from '../../lib/figures.ts';
import { plainTime, type Zone } from '../../lib/time.ts';

/** Times of a chart: `count` steps from the beginning of the first one. */
export interface Axis {
  readonly fromMs: number;
  readonly stepMs: number;
  readonly count: number;
}

export const endOf = ({ fromMs, stepMs, count }: Axis): number => fromMs + stepMs * count;

/** The step that contains a time; `undefined`: the time is not on the axis. */
export function stepAt({ fromMs, stepMs, count }: Axis, ms: number): number | undefined {
  const step = Math.floor((ms - fromMs) / stepMs);
  return step >= 0 && step < count ? step : undefined;
}

/** Part of the axis before a time, in percent. */
export const percentAt = (axis: Axis, ms: number): number =>
  (100 * (ms - axis.fromMs)) / (axis.stepMs * axis.count);

interface Scale {
  /** The value at the upper edge; the lower edge is 0. */
  readonly top: number;
  /** From 0 to the top. */
  readonly ticks: readonly number[];
}

const intervals = 4;
const byteSteps = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
const decimalSteps = [1, 2, 2.5, 5, 10];
/** Upper edge of a chart without any height. */
const least: Readonly<Partial<Record<Unit, number>>> = { seconds: 0.001, bytes: 1_024 };

/** A scale that the value fits on, with three to five round numbers. */
export function scaleOf(most: number, unit: Unit): Scale {
  const fits = most > 0 ? most : (least[unit] ?? 1);
  const rough = fits / intervals;
  const step = unit === 'bytes' ? byteStep(fits, rough) : decimalStep(rough, unit);
  const count = Math.max(1, Math.ceil(fits / step - 1e-9));
  const ticks = Array.from({ length: count + 1 }, (_, index) => index * step);
  return { top: step * count, ticks };
}

function byteStep(fits: number, rough: number): number {
  const size = byteUnitOf(fits);
  const found = byteSteps.find((step) => step * size >= rough);
  return (found ?? 512) * size;
}

function decimalStep(rough: number, unit: Unit): number {
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = (decimalSteps.find((one) => one * size >= rough) ?? 10) * size;
  return unit === 'count' ? Math.max(1, Math.ceil(step)) : step;
}

interface TimeTick {
  readonly ms: number;
  readonly text: string;
}

const minuteMs = 60_000;
const dayMs = 86_400_000;
const timeSteps = [
  1, 2, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720, 1_440, 2_880, 7_200, 14_400,
].map((minutes) => minutes * minuteMs);

const months = [
  'Jan',
  'Feb',
  'Mar',
  'Apr',
  'May',
  'Jun',
  'Jul',
  'Aug',
  'Sep',
  'Oct',
  'Nov',
  'Dec',
] as const;

/** Round times of the zone, `max` at most. A midnight is named by its day. */
export function timeTicks(axis: Axis, zone: Zone, max = 6): readonly TimeTick[] {
  const spanMs = axis.stepMs * axis.count;
  const step =
    timeSteps.find((one) => spanMs / one <= max) ?? Math.ceil(spanMs / max / dayMs) * dayMs;
  const offsetMs = zone === 'utc' ? 0 : -new Date(axis.fromMs).getTimezoneOffset() * minuteMs;
  const first = Math.ceil((axis.fromMs + offsetMs) / step) * step - offsetMs;
  const ticks: TimeTick[] = [];
  for (let ms = first; ms <= endOf(axis); ms += step) ticks.push({ ms, text: tickText(ms, zone) });
  return ticks;
}

function tickText(ms: number, zone: Zone): string {
  const [day = '', time = ''] = plainTime(new Date(ms), zone).split(' ');
  if (!time.startsWith('00:00')) return time.slice(0, 5);
  const [, month = '', date = ''] = day.split('-');
  return `${months[Number(month) - 1] ?? month} ${Number(date)}`;
}
