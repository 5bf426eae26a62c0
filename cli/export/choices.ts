/** The options of `export`, checked before anything is read or asked for. */
import { usageFailure } from '../failure.ts';
import type { Input } from '../input.ts';
import { readInteger } from '../ledger/integers.ts';
import { rowFormats, type RowFormat } from './rows.ts';

const rowsAtOnceMax = 8_189;
/** With these the command takes some 200 MB of memory; with 4,000, 300 MB. */
const rowsAtOnce = 2_000;

export interface ExportChoices {
  readonly what: 'accounts' | 'transfers';
  readonly format: RowFormat;
  readonly path: string | undefined;
  readonly resumes: boolean;
  /** Whether a program reads the summary. */
  readonly json: boolean;
  readonly after: bigint;
  readonly pageRows: number;
}

export function readExportChoices(input: Input): ExportChoices {
  const what = oneOf(input, 'what', ['accounts', 'transfers'] as const);
  if (what === undefined) throw usageFailure('--what is missing: accounts or transfers');
  const path = input.text('output');
  if (path === '') throw usageFailure('--output needs the name of a file');
  if (path === undefined && input.has('resume')) {
    throw usageFailure(
      '--resume continues a file, and none is named',
      'name it with --output, or give the timestamp of the last row as --after',
    );
  }
  // A failure would be a document among the rows.
  if (path === undefined && input.has('json')) {
    throw usageFailure(
      '--json is for the summary, and standard output has the rows',
      'name a file with --output; for rows as JSON: --format ndjson',
    );
  }
  const pageRows = Number(
    readInteger('--page-rows', input.text('page-rows') ?? String(rowsAtOnce), {
      bits: 16,
      minimum: 1n,
    }),
  );
  if (pageRows > rowsAtOnceMax) throw usageFailure(`--page-rows is ${rowsAtOnceMax} at most`);
  return {
    what,
    format: rowFormats[oneOf(input, 'format', ['ndjson', 'csv'] as const) ?? 'ndjson'],
    path,
    resumes: input.has('resume'),
    json: input.has('json'),
    after: BigInt(readInteger('--after', input.text('after') ?? '0', { bits: 64 })),
    pageRows,
  };
}

function oneOf<T extends string>(
  input: Input,
  option: string,
  choices: readonly T[],
): T | undefined {
  const given = input.text(option);
  if (given === undefined) return undefined;
  const found = choices.find((choice) => choice === given);
  if (found !== undefined) return found;
  throw usageFailure(`--${option} must be ${choices.join(' or ')}, not "${given}"`);
}
