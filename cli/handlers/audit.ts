import type { AuditEvent } from '../../gen/api.ts';
import type { Handler } from '../command.ts';
import { ExitCode } from '../exit-code.ts';
import { contractRequest, receive } from '../http/contract.ts';
import { readLimit } from '../list-options.ts';
import { notePage, printAnswer } from '../output/answer.ts';
import { table } from '../output/table.ts';

export const audit: Handler = async (context, input) => {
  const text = (option: string, property: string) => {
    const value = input.text(option);
    return value === undefined ? {} : { [property]: value };
  };
  const types = input.list('type');
  const query = {
    ...readLimit(input),
    ...(types.length === 0 ? {} : { type: [...types] }),
    ...text('actor', 'actorId'),
    ...text('target', 'targetId'),
    ...text('after', 'after'),
    ...text('before', 'before'),
  };
  const { exchange } = await context.service();
  const request = contractRequest('get', '/api/v1/audit-events', { query });
  const received = await receive(exchange, request);
  printAnswer(context, input, received, ({ data }) => eventsText(data));
  notePage(context, received.document.page);
  return ExitCode.Ok;
};

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
