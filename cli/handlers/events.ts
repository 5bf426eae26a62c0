import { sleep } from '../../base/timers.ts';
import type { AuditEvent } from '../../gen/api.ts';
import type { Handler } from '../command.ts';
import type { Context } from '../context.ts';
import { ExitCode } from '../exit-code.ts';
import { requireType } from '../http/answer.ts';
import { contractRequest, receive } from '../http/contract.ts';
import type { Input } from '../input.ts';
import { readRowLimit } from '../list-options.ts';
import { printable } from '../output/printable.ts';

const everyMs = 2_000;
const earlierDefault = 10;

/** Prints events as lines, the oldest first. Each is printed once: the next request names the number of the last one. */
export const printEvents: Handler = async (context, input) => {
  const types = input.list('type');
  const filter = types.length === 0 ? {} : { type: [...types] };
  const given = input.text('limit');
  const limit = given === undefined ? earlierDefault : readRowLimit(given);
  const { exchange } = await context.service();
  const newest = contractRequest('get', '/api/v1/audit-events', { query: { limit, ...filter } });
  const { document } = await receive(exchange, newest);
  const earlier = [...document.data].reverse();
  for (const event of earlier) print(context, input, event);
  if (!input.has('follow')) return ExitCode.Ok;
  let last = earlier.at(-1)?.sequence ?? '0';
  for (;;) {
    const next = await eventsAfter(context, last, filter);
    for (const event of next) print(context, input, event);
    last = next.at(-1)?.sequence ?? last;
    if (next.length === 0) await sleep(context.timers, everyMs);
  }
};

async function eventsAfter(
  context: Context,
  afterSequence: string,
  filter: { readonly type?: string[] },
): Promise<readonly AuditEvent[]> {
  const { exchange } = await context.service();
  const answer = await exchange.send(
    contractRequest('get', '/api/v1/audit-events/export', {
      query: { format: 'ndjson', limit: 100, afterSequence, ...filter },
    }),
  );
  requireType(answer, 'application/x-ndjson');
  const lines = answer.text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as AuditEvent);
}

function print({ output }: Context, input: Input, event: AuditEvent): void {
  if (input.has('json')) {
    output.result(`${JSON.stringify(event)}\n`);
    return;
  }
  const { occurredAt, type, outcome, target, actor } = event;
  const failed = outcome === 'SUCCESS' ? '' : ` ${outcome}`;
  const line = `${occurredAt}  ${type}${failed}  ${target.display}  by ${actor.display}`;
  output.result(`${printable(line)}\n`);
}
