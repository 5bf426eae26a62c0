/** The trial of rows on the server: waits for it, and tells what it found by file and line. */
import { rowsNames } from '../../domain/import-files/row-files.ts';
import { sleep } from '../../base/timers.ts';
import type { Import } from '../../gen/api.ts';
import type { Context } from '../context.ts';
import { ExitCode } from '../exit-code.ts';
import { CliFailure } from '../failure.ts';
import { contractRequest, receive, type Received } from '../http/contract.ts';
import { printable } from '../output/printable.ts';
import { Patience } from '../patience.ts';
import type { ImportAnswer } from '../../gen/api.ts';
import { requireUsable } from './resume.ts';
import type { SourceFile } from './source-files.ts';

const lookEveryMs = 2_000;
/** Longer than a restart of the service. */
const patienceMs = 15 * 60_000;

interface Tried {
  readonly found: Import;
  readonly files: readonly SourceFile[];
}

/** Returns the import when it is READY. Throws a `CliFailure` that lists the faults otherwise. */
export async function awaitTrial(
  context: Context,
  { found, files }: Tried,
  signal: AbortSignal,
): Promise<Received<ImportAnswer>> {
  const { output, timers } = context;
  const { exchange } = await context.service();
  const params = { importId: found.id };
  const request = contractRequest('get', '/api/v1/imports/{importId}', { params });
  const patience = new Patience({
    patienceMs,
    onTrouble: ({ message }) => output.note(`${printable(message)}; the trial goes on`),
    timers,
    random: Math.random,
  });
  let isTold = false;
  for (;;) {
    let received: Received<ImportAnswer> | undefined;
    await patience.until(signal, async () => {
      received = await receive(exchange, request);
    });
    const shown = received?.document.import;
    if (received !== undefined && shown !== undefined && shown.status !== 'CHECKING') {
      if (shown.report !== null && shown.report.faultCount > 0)
        throw faulty({ found: shown, files });
      // It may have expired, or somebody used it, before its trial ended here.
      requireUsable(shown);
      const { accounts = 0, transfers = 0 } = shown.report ?? {};
      output.note(`${accounts} accounts and ${transfers} transfers: nothing is wrong with them`);
      return received;
    }
    if (!isTold) output.note('the service tries every row; this goes on if the command ends');
    isTold = true;
    await sleep(timers, lookEveryMs, signal);
  }
}

function faulty({ found: { id, report }, files }: Tried): CliFailure {
  const { faults = [], faultCount = 0 } = report ?? {};
  const errors = faults.map(({ file, line, field, code, detail }) => {
    const own = files[rowsNames.indexOf(file ?? 'accounts')]?.file.name;
    const name = file === null ? undefined : (own ?? file);
    const place = name === undefined || line === 0 ? name : `${name}:${line}`;
    return {
      ...(place !== undefined && { file: place }),
      ...(field !== null && { field }),
      code,
      detail: field === null ? detail : `${field}: ${detail}`,
    };
  });
  const more = faultCount - faults.length;
  return new CliFailure({
    exitCode: ExitCode.Validation,
    code: 'rows_faulty',
    title: 'The rows have faults',
    detail:
      (faultCount === 1 ? 'there is 1 fault' : `there are ${faultCount} faults`) +
      (more === 0 ? '' : `; the first ${faults.length} are listed`),
    nextSteps: [
      'correct the files and run the same command again; nothing was made of them',
      `see the report again: ledgerhouse imports show ${id}`,
    ],
    problem: { errors },
  });
}
