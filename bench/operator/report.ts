/** Figures as a table beside the goals, and as JSON lines in bench/results/. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../../test/support/shell.ts';

export interface Row {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The most that it may be. */
  readonly goal?: number;
}

export function report(
  rows: readonly Row[],
  circumstances: Readonly<Record<string, unknown>>,
): void {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: checkout })
    .toString()
    .trim();
  const folder = join(checkout, 'bench/results');
  mkdirSync(folder, { recursive: true });
  const lines = rows.map((row) => JSON.stringify({ ...circumstances, commit, ...row }));
  appendFileSync(join(folder, 'operator.jsonl'), `${lines.join('\n')}\n`);
  console.log(`\n${'figure'.padEnd(64)}${'here'.padStart(14)}${'goal'.padStart(16)}`);
  for (const { name, value, unit, goal } of rows) {
    const shown = (one: number) =>
      `${one.toLocaleString('en', { maximumFractionDigits: 2 })} ${unit}`;
    const wanted = goal === undefined ? '' : `≤ ${shown(goal)}${value > goal ? ' ✗' : ''}`;
    console.log(`${name.padEnd(64)}${shown(value).padStart(14)}${wanted.padStart(16)}`);
  }
}

/** The value below which the share `p` of the samples is. */
export function percentile(samples: readonly number[], p: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? Number.NaN;
}
