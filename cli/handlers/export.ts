import type { Handler } from '../command.ts';
import type { Context } from '../context.ts';
import { databaseIdOf } from '../database-id.ts';
import { ExitCode } from '../exit-code.ts';
import { readExportChoices, type ExportChoices } from '../export/choices.ts';
import { LedgerRows } from '../export/ledger-rows.ts';
import { otherExport, OutputFile } from '../export/output-file.ts';
import { count, ExportProgress, timeOf } from '../export/progress.ts';
import { standardOutput, type Sink } from '../export/sink.ts';
import { CliFailure } from '../failure.ts';
import type { Input } from '../input.ts';
import { interruptible } from '../interruption.ts';
import { ledgerOperations } from '../ledger/operations.ts';
import { printable } from '../output/printable.ts';
import { Patience } from '../patience.ts';

/** Longer than a restart of the service, or of a router. */
const patienceMs = 15 * 60_000;

/** The rows written by this command and, if it resumes, by the one before. */
interface Written {
  rows: number;
  last: bigint;
}

export const exportRows: Handler = (context, input) => {
  const choices = readExportChoices(input);
  return interruptible(async (signal) => {
    const { path, format, resumes } = choices;
    const file =
      path === undefined
        ? undefined
        : await (resumes ? OutputFile.toResume(path, format, signal) : OutputFile.toBegin(path));
    try {
      const rows = await ledgerRows(context, input, choices, signal);
      await write(context, choices, rows, file);
      return ExitCode.Ok;
    } finally {
      await file?.close();
    }
  });
};

async function ledgerRows(
  { service, output, timers }: Context,
  input: Input,
  { what, format, pageRows }: ExportChoices,
  signal: AbortSignal,
): Promise<LedgerRows> {
  const { exchange } = await service();
  const operation = ledgerOperations.find(({ name }) => name === `query_${what}`);
  if (operation === undefined) throw new TypeError(`the ledger has no query of ${what}`);
  return new LedgerRows({
    exchange,
    databaseId: await databaseIdOf(exchange, input.argument(0)),
    operation,
    format,
    pageRows,
    patience: () =>
      new Patience({
        patienceMs: input.has('no-retry') ? 0 : patienceMs,
        onTrouble: ({ message }) =>
          output.note(`${printable(message)}; the export goes on when the service answers again`),
        timers,
        random: Math.random,
      }),
    signal,
  });
}

async function write(
  context: Context,
  choices: ExportChoices,
  ledger: LedgerRows,
  file: OutputFile | undefined,
): Promise<void> {
  const { header, rows: newest } = await ledger.newest();
  // Without an end, an export would follow a busy ledger for ever.
  const until = newest[0]?.timestamp ?? 0n;
  const sink: Sink = file ?? standardOutput(context.output);
  await sink.begin(header);
  const written: Written = {
    rows: file?.found?.rows ?? 0,
    last: file?.found?.last?.timestamp ?? choices.after,
  };
  if (file !== undefined) await requireSame(ledger, file, choices.after);
  try {
    await writePages(context, choices, { ledger, sink, header, until }, written);
    await sink.finish();
  } catch (error) {
    throw error instanceof CliFailure ? error.withNextSteps(howToGoOn(file, written)) : error;
  }
  tell(context, choices, file, written);
}

/** Continues only rows that this ledger has: at the beginning of the file, and at its end. */
async function requireSame(ledger: LedgerRows, file: OutputFile, after: bigint): Promise<void> {
  const { first, last } = file.found ?? {};
  if (first === undefined || last === undefined) return;
  for (const { from, row } of [
    { from: after + 1n, row: first },
    { from: last.timestamp, row: last },
  ]) {
    const there = await ledger.first(from, row.timestamp);
    if (there?.timestamp === row.timestamp && there.id === row.id) continue;
    const which = row === first ? 'first' : 'last';
    throw otherExport(file.partialName, `its ${which} row is not that of the ledger`);
  }
}

interface Work {
  readonly ledger: LedgerRows;
  readonly sink: Sink;
  readonly header: string;
  readonly until: bigint;
}

async function writePages(
  context: Context,
  { what, format: { lineEnd } }: ExportChoices,
  { ledger, sink, header, until }: Work,
  written: Written,
): Promise<void> {
  const progress = new ExportProgress(context, what);
  let own = 0;
  try {
    for await (const rows of ledger.pages(header, written.last, until)) {
      await sink.write(rows.map(({ line }) => line + lineEnd).join(''));
      own += rows.length;
      written.rows += rows.length;
      written.last = rows.at(-1)?.timestamp ?? written.last;
      progress.wrote(own, written.last);
    }
  } finally {
    progress.close();
  }
}

const howToGoOn = (file: OutputFile | undefined, { rows, last }: Written): string =>
  file === undefined
    ? `${count(rows)} rows are written; to continue: --after ${last}, or the timestamp of a later line that is written whole`
    : `${count(rows)} rows are in ${file.partialName}; to continue, run the same command with --resume`;

function tell(
  { output }: Context,
  { what, json }: ExportChoices,
  file: OutputFile | undefined,
  { rows, last }: Written,
): void {
  const into = file === undefined ? '' : ` into ${file.name}`;
  const upTo = last === 0n ? '' : `, up to timestamp ${last} (${timeOf(last)})`;
  output.note(`exported ${count(rows)} ${what}${into}${upTo}`);
  if (json) output.result(`${JSON.stringify({ rows, lastTimestamp: String(last) })}\n`);
}
