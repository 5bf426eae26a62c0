/** Sentences about figures. */
import type { CurrentMetrics } from '../../../../gen/api.ts';
import { shownBytes, shownFigure, type Figure } from '../../lib/figures.ts';
import type { Tone } from '../../ui/States.tsx';

type Forecast = CurrentMetrics['forecast']['storage'];
type Usage = NonNullable<CurrentMetrics['usage']>;

const yearDays = 365;

/** `Full in 41 days, at 471 MiB more a day.` */
export function forecastWords(forecast: Forecast): string {
  if (forecast === null) return 'No growth is seen, or there are figures of less than six hours.';
  const { fullInDays: days, perDayBytes } = forecast;
  return `Full in ${daysInWords(days)}, at ${shownBytes(perDayBytes)} more a day.`;
}

function daysInWords(days: number): string {
  if (days > yearDays) return 'more than a year';
  if (days < 1) return 'less than a day';
  const whole = Math.floor(days);
  return whole === 1 ? '1 day' : `${whole} days`;
}

const soonDays = 30;
const verySoonDays = 7;

/** Tone for the time that is left; `undefined`: plenty. */
export function forecastTone(forecast: Forecast): Tone | undefined {
  if (forecast === null || forecast.fullInDays > soonDays) return undefined;
  return forecast.fullInDays > verySoonDays ? 'warn' : 'bad';
}

/** `3 of 3 answer`, and who leads. */
export function replicaWords({ nodes }: Usage): { readonly value: string; readonly about: string } {
  const up = nodes.filter((node) => node.up);
  const leader = nodes.find((node) => node.leader === true);
  const lag = Math.max(0, ...up.map(({ commitLagOps }) => commitLagOps ?? 0));
  const leads = leader === undefined ? 'None leads' : `Replica ${leader.index} leads`;
  const behind = lag === 0 ? '' : `, one is ${shownFigure(lag, 'count')} operations behind`;
  return { value: `${up.length} of ${nodes.length} answer`, about: `${leads}${behind}.` };
}

export function processorWords(usage: Usage | null): string {
  const all = 'That all replicas use together';
  const promised = usage?.cpuPromisedCores ?? null;
  return promised === null ? `${all}.` : `${all}; ${shownFigure(promised, 'cores')} are promised.`;
}

export const usedWords = (used: Figure, limit: Figure): string =>
  used === null || limit === null ? 'Not known.' : `${shownBytes(used)} of ${shownBytes(limit)}.`;

const stepUnits = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** `5 minutes`. */
export function stepWords(seconds: number): string {
  const [unit, size] = stepUnits.find(([, one]) => seconds % one === 0) ?? ['second', 1];
  const count = seconds / size;
  return count === 1 ? `1 ${unit}` : `${count} ${unit}s`;
}
