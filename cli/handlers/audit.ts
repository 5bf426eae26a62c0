import type { AuditEvent, AuditVerification } from '../../gen/api.ts';
import type { Handler } from '../command.ts';
import { databaseIdOf } from '../database-id.ts';
import { ExitCode } from '../exit-code.ts';
import { requireType } from '../http/answer.ts';
import { contractRequest, receive } from '../http/contract.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Input } from '../input.ts';
import { readChoices, readLimit } from '../list-options.ts';
import { notePage, printAnswer } from '../output/answer.ts';
import { printable } from '../output/printable.ts';
import { table } from '../output/table.ts';

export const listAudit: Handler = async (context, input) => {
  const page = readLimit(input);
  const filter = filterOf(input);
  const { exchange } = await context.service();
  const query = { ...page, ...filter, ...(await databaseOf(exchange, input)) };
  const request = contractRequest('get', '/api/v1/audit-events', { query });
  const received = await receive(exchange, request);
  printAnswer(context, input, received, ({ data }) => eventsText(data));
  notePage(context, received.document.page);
  return ExitCode.Ok;
};

const pageRows = 1_000;

/** Exports page by page, so that neither side ever holds more than one page. */
export const exportAudit: Handler = async (context, input) => {
  const formats = readChoices(input, 'format', ['ndjson', 'csv']).format;
  const filter = { ...filterOf(input), ...(formats?.[0] && { format: formats[0] }) };
  const { exchange } = await context.service();
  const query = { ...filter, ...(await databaseOf(exchange, input)) };
  let cursor: string | null = null;
  do {
    const page: { limit: number; cursor?: string } =
      cursor === null ? { limit: pageRows } : { limit: pageRows, cursor };
    const answer = await exchange.send(
      contractRequest('get', '/api/v1/audit-events/export', { query: { ...query, ...page } }),
    );
    requireType(answer, filter.format === 'csv' ? 'text/csv' : 'application/x-ndjson');
    context.output.result(answer.body);
    cursor = answer.headers.get('next-cursor');
  } while (cursor !== null);
  return ExitCode.Ok;
};

export const verifyAudit: Handler = async (context, input) => {
  const { exchange } = await context.service();
  let from = '1';
  let checked = 0;
  for (;;) {
    const request = contractRequest('get', '/api/v1/audit-events/verify', { query: { from } });
    const received = await receive(exchange, request);
    const { document } = received;
    checked += document.checked;
    if (document.fault === null && document.next !== null) {
      from = document.next;
      continue;
    }
    printAnswer(context, input, received, (result) => verificationText(result, checked));
    return document.valid ? ExitCode.Ok : ExitCode.General;
  }
};

const outcomes = ['SUCCESS', 'DENIED', 'FAILED'] as const;

async function databaseOf(exchange: Exchange, input: Input): Promise<{ databaseId?: string }> {
  const database = input.text('database');
  return database === undefined ? {} : { databaseId: await databaseIdOf(exchange, database) };
}

function filterOf(input: Input) {
  const text = (option: string, property: string) => {
    const value = input.text(option);
    return value === undefined ? {} : { [property]: value };
  };
  const types = input.list('type');
  return {
    ...(types.length === 0 ? {} : { type: [...types] }),
    ...readChoices(input, 'outcome', outcomes),
    ...text('actor', 'actorId'),
    ...text('target', 'targetId'),
    ...text('after', 'after'),
    ...text('before', 'before'),
  };
}

function verificationText(
  { fault, head, keyedFrom, removedThrough }: AuditVerification,
  checked: number,
): string {
  if (fault !== null) {
    return `NOT SOUND at event ${fault.sequence} (${fault.code}): ${printable(fault.detail)}\n`;
  }
  const keyed = keyedFrom === null ? 'no event is keyed' : `keyed from event ${keyedFrom} on`;
  const removed =
    removedThrough === null
      ? ''
      : `removed after their retention: events up to ${removedThrough}\n`;
  return `sound: ${checked} events, ${keyed}\n${removed}last event: ${head.sequence} ${head.hash}\n`;
}

const eventsText = (events: readonly AuditEvent[]): string =>
  events.length === 0
    ? '(nothing)\n'
    : table(
        [
          { title: 'TIME', cell: ({ occurredAt }) => occurredAt },
          { title: 'TYPE', cell: ({ type }) => type },
          { title: 'OUTCOME', cell: ({ outcome }) => outcome },
          { title: 'BY', cell: ({ actor }) => `${actor.type} ${actor.display}` },
          { title: 'TO', cell: ({ target }) => `${target.type} ${target.display}` },
          { title: 'FROM', cell: ({ ip }) => ip ?? '-' },
        ],
        events,
      );
