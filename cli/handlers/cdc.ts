import { sleep } from '../../base/timers.ts';
import type { ChangeEvent, ChangeEventList } from '../../gen/api.ts';
import type { Handler } from '../command.ts';
import type { Context } from '../context.ts';
import { databaseIdOf } from '../database-id.ts';
import { ExitCode } from '../exit-code.ts';
import { CliFailure, isPassing } from '../failure.ts';
import { contractRequest, receive } from '../http/contract.ts';
import { printable } from '../output/printable.ts';

const pageRows = 1_000;
const idleMs = 1_000;
const retryMs = 5_000;

/** Prints each event once: the next request names the timestamp of the last one. */
export const tailChangeEvents: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const databaseId = await databaseIdOf(exchange, input.argument(0));
  const follows = !input.has('no-follow');
  let after = input.text('after') ?? 'now';
  for (let isFirst = true; ; isFirst = false) {
    const list = await pageAfter(context, databaseId, after, follows && !isFirst);
    if (list === undefined) continue;
    const lines = list.data.map((event) =>
      input.has('json') ? JSON.stringify(event) : lineOf(event),
    );
    if (lines.length > 0) context.output.result(`${lines.join('\n')}\n`);
    after = list.page.next;
    if (list.page.hasMore) continue;
    if (!follows) return ExitCode.Ok;
    await sleep(context.timers, idleMs);
  }
};

/** `undefined`: no answer this time. With `survives`, a restart of the service does not end the command. */
async function pageAfter(
  { service, output, timers }: Context,
  databaseId: string,
  after: string,
  survives: boolean,
): Promise<ChangeEventList | undefined> {
  const { exchange } = await service();
  const request = contractRequest('get', '/api/v1/databases/{databaseId}/change-events', {
    params: { databaseId },
    query: { after, limit: pageRows },
  });
  try {
    return (await receive(exchange, request)).document;
  } catch (error) {
    if (!survives || !(error instanceof CliFailure) || !isPassing(error)) throw error;
    output.note(`${printable(error.message)}; asking again in ${retryMs / 1_000} s`);
    await sleep(timers, retryMs);
    return undefined;
  }
}

function lineOf(event: ChangeEvent): string {
  const { timestamp, type, ledger, transfer, debit_account: debit, credit_account: credit } = event;
  const moved = `${transfer.amount} from ${debit.id} to ${credit.id}`;
  return `${timestamp}  ${type}  transfer ${transfer.id}  ${moved}  ledger ${ledger} code ${transfer.code}`;
}
