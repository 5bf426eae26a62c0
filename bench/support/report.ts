/** Figures as a table beside the goals, and as JSON lines in bench/results/. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../../test/support/shell.ts';

export interface Row {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** Highest acceptable value; with `more`, the lowest. */
  readonly goal?: number;
  readonly more?: true;
}

/** `file`: in bench/results/, without its ending. */
export function report(
  file: string,
  rows: readonly Row[],
  circumstances: Readonly<Record<string, unknown>>,
): void {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: checkout })
    .toString()
    .trim();
  const folder = join(checkout, 'bench/results');
  mkdirSync(folder, { recursive: true });
  const lines = rows.map((row) => JSON.stringify({ ...circumstances, commit, ...row }));
  appendFileSync(join(folder, `${file}.jsonl`), `${lines.join('\n')}\n`);
  console.log(`\n${'figure'.padEnd(78)}${'here'.padStart(14)}${'goal'.padStart(16)}`);
  for (const row of rows) {
    const here = shown(row, row.value);
    console.log(`${row.name.padEnd(78)}${here.padStart(14)}${goalOf(row).padStart(16)}`);
  }
}

const shown = ({ unit }: Row, value: number): string =>
  `${value.toLocaleString('en', { maximumFractionDigits: 2 })} ${unit}`;

function goalOf(row: Row): string {
  const { value, goal, more } = row;
  if (goal === undefined) return '';
  const isMissed = more ? value < goal : value > goal;
  return `${more ? '≥' : '≤'} ${shown(row, goal)}${isMissed ? ' ✗' : ''}`;
}

/** The value below which the share `p` of the samples is. */
export function percentile(samples: readonly number[], p: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? Number.NaN;
}

export const shownLoad = (load: readonly number[]): string =>
  load.map((one) => one.toFixed(1)).join(' ');
