import type { SentInvitation } from '../../gen/api.ts';
import type { Handler } from '../command.ts';
import type { Context } from '../context.ts';
import { isDryRun } from '../dry-run.ts';
import { ExitCode } from '../exit-code.ts';
import { usageFailure, valueFailure } from '../failure.ts';
import { contractRequest, execute, receive, type Received } from '../http/contract.ts';
import { explained } from '../http/next-step.ts';
import type { Input } from '../input.ts';
import { readLimit } from '../list-options.ts';
import { readRole, scopeOf } from '../member-scope.ts';
import { notePage, orDash, printAnswer } from '../output/answer.ts';
import { invitationsText } from '../output/member.ts';
import { printable } from '../output/printable.ts';
import { fields } from '../output/table.ts';
import { readSecret } from '../secret.ts';

const all = '/api/v1/invitations';
const one = '/api/v1/invitations/{invitationId}';

const found = <T>(work: Promise<T>): Promise<T> =>
  explained(work, 'invitation_not_found', 'find the ID: ledgerhouse invitations list');

export const listInvitations: Handler = async (context, input) => {
  const query = readLimit(input);
  const { exchange } = await context.service();
  const received = await receive(exchange, contractRequest('get', all, { query }));
  printAnswer(context, input, received, ({ data }) => invitationsText(data));
  notePage(context, received.document.page);
  return ExitCode.Ok;
};

export const createInvitation: Handler = async (context, input) => {
  const role = readRole(input);
  if (role === undefined) throw usageFailure('no role is given', 'give --role');
  const { exchange } = await context.service();
  const scope = await scopeOf(exchange, input);
  const request = contractRequest('post', all, {
    body: {
      email: input.argument(0),
      role,
      databaseScope: scope ?? { type: 'ALL' },
    },
  });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const sending = receive(exchange, request);
  const received = await explained(
    sending,
    'invitation_exists',
    'find its ID: ledgerhouse invitations list',
  );
  printLink(context, input, received);
  return ExitCode.Ok;
};

export const resendInvitation: Handler = async (context, input) => {
  const params = { invitationId: input.argument(0) };
  const request = contractRequest('post', `${one}/resend`, { params });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const { exchange } = await context.service();
  printLink(context, input, await found(receive(exchange, request)));
  return ExitCode.Ok;
};

export const revokeInvitation: Handler = async (context, input) => {
  const params = { invitationId: input.argument(0) };
  const request = contractRequest('delete', one, { params });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const { exchange } = await context.service();
  await found(execute(exchange, request));
  context.output.note(`${params.invitationId} is revoked`);
  return ExitCode.Ok;
};

/** The token comes from standard input, because other users of the machine can see arguments. */
export const acceptInvitation: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const token = tokenIn(await readSecret('link or token of the invitation (not shown): '));
  const accepting = receive(
    exchange,
    contractRequest('post', `${all}/accept`, { body: { token } }),
  );
  const received = await explained(
    accepting,
    'invitation_not_found',
    'sign in as the person with the invited address: ledgerhouse login',
    'or ask for another invitation',
  );
  const { id } = received.document.organization;
  printAnswer(context, input, received, ({ organization }) =>
    fields([
      ['organization', id],
      ['slug', organization.slug],
      ['name', organization.name],
      ['role', orDash(organization.role)],
    ]),
  );
  context.output.note(`if you belong to several organizations: --organization ${id}`);
  return ExitCode.Ok;
};

/** The token of an invitation's link; other text is the token itself. */
function tokenIn(text: string): string {
  const given = text.trim();
  if (given === '') throw usageFailure('standard input has no link and no token');
  if (!/^https?:/i.test(given)) return given;
  const token = URL.canParse(given) ? new URL(given).searchParams.get('token') : null;
  if (token !== null && token !== '') return token;
  throw valueFailure('the link has no token', 'copy the whole link of the invitation');
}

/** Prints the link alone on stdout. Whoever reads it can only use it with the invited address. */
function printLink(context: Context, input: Input, received: Received<SentInvitation>): void {
  printAnswer(context, input, received, ({ acceptUrl }) => `${printable(acceptUrl)}\n`);
  const { invitation, mailed } = received.document;
  const { id, email, expiresAt } = invitation;
  context.output.note(
    `${id} for ${email}, open until ${expiresAt}; the link is shown only once; ${
      mailed ? 'a mail is on its way' : 'this service sends no mail: hand the link over'
    }`,
  );
}
