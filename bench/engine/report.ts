/** The rows of `make bench-engine`: a table for people, JSON lines for those who compare runs. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../../test/support/shell.ts';

export interface Row {
  readonly name: string;
  readonly perSecond?: number;
  /** Milliseconds. */
  readonly p50?: number;
  readonly p99?: number;
  readonly value?: string;
}

/** The row's figures, for people. */
export const shown = ({ value, perSecond = 0, p50, p99 }: Row): string =>
  value ?? `${perSecond.toLocaleString('en')}/s · ${p50?.toFixed(2)} · ${p99?.toFixed(2)} ms`;

export function report(rows: readonly Row[]): void {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: checkout })
    .toString()
    .trim();
  const folder = join(checkout, 'bench/results');
  mkdirSync(folder, { recursive: true });
  const at = new Date().toISOString();
  console.log(`\n${'workload'.padEnd(56)}rate · p50 · p99`);
  for (const row of rows) {
    appendFileSync(join(folder, 'engine.jsonl'), `${JSON.stringify({ at, commit, ...row })}\n`);
    console.log(`${row.name.padEnd(56)}${shown(row)}`);
  }
  console.log(
    '\nThe machine may be shared: compare figures of one run, and repeat before believing a difference.',
  );
}
