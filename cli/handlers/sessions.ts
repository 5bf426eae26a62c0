import type { OwnSession } from '../../gen/api.ts';
import type { Handler } from '../command.ts';
import { isDryRun } from '../dry-run.ts';
import { ExitCode } from '../exit-code.ts';
import { contractRequest, execute, receive } from '../http/contract.ts';
import { explained } from '../http/next-step.ts';
import { readLimit } from '../list-options.ts';
import { notePage, orDash, printAnswer } from '../output/answer.ts';
import { table } from '../output/table.ts';

const all = '/api/v1/sessions';

export const listSessions: Handler = async (context, input) => {
  const query = readLimit(input);
  const { exchange } = await context.service();
  const received = await receive(exchange, contractRequest('get', all, { query }));
  printAnswer(context, input, received, ({ data }) => sessionsText(data));
  notePage(context, received.document.page);
  return ExitCode.Ok;
};

export const endSession: Handler = async (context, input) => {
  const params = { sessionId: input.argument(0) };
  const request = contractRequest('delete', `${all}/{sessionId}`, { params });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const { exchange } = await context.service();
  const ending = execute(exchange, request);
  await explained(ending, 'session_not_found', 'find the ID: ledgerhouse sessions list');
  context.output.note(`${params.sessionId} has ended`);
  return ExitCode.Ok;
};

const sessionsText = (rows: readonly OwnSession[]): string =>
  rows.length === 0
    ? '(no sessions)\n'
    : table(
        [
          { title: 'ID', cell: ({ id, current }) => (current ? `${id} *` : id) },
          { title: 'KIND', cell: ({ kind }) => kind },
          { title: 'ADDRESS', cell: ({ ip }) => orDash(ip) },
          { title: 'OPENED', cell: ({ createdAt }) => createdAt },
          { title: 'LAST USED', cell: ({ lastUsedAt }) => lastUsedAt },
          { title: 'EXPIRES', cell: ({ expiresAt }) => expiresAt },
          { title: 'WITH', cell: ({ userAgent }) => orDash(userAgent) },
        ],
        rows,
      );
