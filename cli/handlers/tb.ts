/** The ledger route: POST /api/v1/databases/{databaseId}/tb/{operation}. */
import { randomBytes } from 'node:crypto';
import type { Handler } from '../command.ts';
import type { Context } from '../context.ts';
import { databaseIdOf } from '../database-id.ts';
import { isDryRun } from '../dry-run.ts';
import { ExitCode } from '../exit-code.ts';
import { CliFailure, usageFailure } from '../failure.ts';
import { requireType, type Answer } from '../http/answer.ts';
import type { ApiRequest } from '../http/request.ts';
import type { Input } from '../input.ts';
import { newLedgerId } from '../ledger/id.ts';
import type { LedgerOperation } from '../ledger/operations.ts';
import { payloadFromFlags } from '../ledger/payload.ts';
import { countFailed, readLedgerReply } from '../ledger/reply.ts';
import { ledgerNotes, ledgerText, moreRows } from '../ledger/text.ts';
import { givenPayload } from '../payload-source.ts';
import { lineEnded } from '../output/output.ts';

/** `recordOptions`: the flags that build the payload; a given payload replaces them. */
export const tbHandler =
  (operation: LedgerOperation, recordOptions: readonly string[]): Handler =>
  async (context, input) => {
    const csv = operation.kind === 'read' && input.has('csv');
    if (csv && input.has('json')) throw usageFailure('--csv and --json exclude each other');
    const { body, generatedId } = await bodyOf(operation, recordOptions, input, context);
    if (generatedId !== undefined) context.output.note(`generated id: ${generatedId}`);
    const { exchange } = await context.service();
    const databaseId = await databaseIdOf(exchange, input.argument(0));
    const request: ApiRequest = {
      method: 'POST',
      path: `/api/v1/databases/${encodeURIComponent(databaseId)}/tb/${operation.name}`,
      body,
      // Events have IDs, so a repetition only finds that they exist.
      repeatable: true,
      writes: operation.kind === 'write',
      ...(csv ? { accept: 'text/csv, application/problem+json' } : {}),
    };
    if (await isDryRun(context, input, request)) return ExitCode.Ok;
    try {
      const answer = await exchange.send(request);
      return csv ? printCsv(operation, answer, context) : print(operation, answer, context, input);
    } catch (error) {
      throw withId(error, generatedId);
    }
  };

async function bodyOf(
  operation: LedgerOperation,
  recordOptions: readonly string[],
  input: Input,
  context: Context,
): Promise<{ readonly body: Uint8Array; readonly generatedId?: string }> {
  const given = await givenPayload(input, context.output, recordOptions);
  if (given !== undefined) return { body: given };
  const { text, generatedId } = payloadFromFlags(operation.name, input, {
    newId: () => newLedgerId(context.timers.wallMs(), randomBytes(10)),
  });
  return { body: Buffer.from(text), ...(generatedId === undefined ? {} : { generatedId }) };
}

function printCsv(operation: LedgerOperation, answer: Answer, { output }: Context): ExitCode {
  requireType(answer, 'text/csv');
  output.result(answer.body);
  if (answer.headers.get('page-has-more') === 'true') {
    output.note(moreRows(operation, answer.headers.get('page-next')));
  }
  return ExitCode.Ok;
}

function print(
  operation: LedgerOperation,
  answer: Answer,
  { output }: Context,
  input: Input,
): ExitCode {
  const reply = readLedgerReply(answer, operation);
  output.result(
    input.has('json')
      ? lineEnded(answer.text)
      : ledgerText(operation, reply, { output, quiet: input.has('quiet') }),
  );
  for (const note of ledgerNotes(operation, reply)) output.note(note);
  if (operation.kind === 'read' || countFailed(reply) === 0) return ExitCode.Ok;
  return input.has('allow-failed') ? ExitCode.Ok : ExitCode.Rejected;
}

/** Adds a next step to a failure: a retry is safe with the same IDs only, so a generated ID must not be lost. */
function withId(error: unknown, generatedId: string | undefined): unknown {
  if (!(error instanceof CliFailure)) return error;
  const { exitCode } = error.fields;
  if (generatedId !== undefined)
    return error.withNextSteps(`to retry, give the same ID: --id ${generatedId}`);
  return exitCode === ExitCode.Unknown
    ? error.withNextSteps('run it again with the same IDs: nothing is executed twice')
    : error;
}
