/**
 * Lines of a chart, as paths in a box of 1,000 by 1,000. Unknown values are gaps. A line has 300 points at most, which the
 * browser draws at once: a library would add more bytes than the whole page has.
 */
import type { Figure } from '../../lib/figures.ts';

export interface Line {
  readonly name: string;
  /** One for each step of the axis. */
  readonly values: readonly Figure[];
  readonly look?: 'bad' | undefined;
}

const size = 1_000;
const round = (value: number): number => Math.round(value * 10) / 10;

/** The line through the known values, broken at every gap. A value between two gaps is a dot. */
export function pathOf(values: readonly Figure[], top: number): string {
  let path = '';
  let joined = false;
  for (const [step, value] of values.entries()) {
    if (value === null) {
      joined = false;
      continue;
    }
    const x = round(((step + 0.5) * size) / values.length);
    const y = round(size - (Math.min(value, top) * size) / top);
    const isDot = !joined && (values[step + 1] ?? null) === null;
    path += `${joined ? 'L' : 'M'}${x} ${y}${isDot ? 'h0' : ''}`;
    joined = true;
  }
  return path;
}

/** Steps from `begin` on and before `end`. */
export interface Run<T> {
  readonly begin: number;
  readonly end: number;
  readonly value: T;
}

/** Neighbours with the same value, as one run. */
export function runsOf<T>(values: readonly T[]): readonly Run<T>[] {
  const runs: Run<T>[] = [];
  for (const [step, value] of values.entries()) {
    const last = runs.at(-1);
    if (last !== undefined && last.value === value)
      runs[runs.length - 1] = { ...last, end: step + 1 };
    else runs.push({ begin: step, end: step + 1, value });
  }
  return runs;
}

export type Gap = Pick<Run<boolean>, 'begin' | 'end'>;

/** Steps in which none of the lines has a value. */
export function gapsOf(lines: readonly Pick<Line, 'values'>[], count: number): readonly Gap[] {
  const isGap = Array.from({ length: count }, (_, step) =>
    lines.every(({ values }) => (values[step] ?? null) === null),
  );
  return runsOf(isGap).filter(({ value }) => value);
}
