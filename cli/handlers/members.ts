import type { RemovedMember } from '../../gen/api.ts';
import type { Handler } from '../command.ts';
import { roles } from '../commands/members.ts';
import { confirmByName, requireConfirmable } from '../confirm.ts';
import { isDryRun } from '../dry-run.ts';
import { ExitCode } from '../exit-code.ts';
import { usageFailure } from '../failure.ts';
import { contractRequest, execute, receive } from '../http/contract.ts';
import { explained } from '../http/next-step.ts';
import type { Input } from '../input.ts';
import { readChoices, readLimit } from '../list-options.ts';
import { readRole, scopeOf } from '../member-scope.ts';
import { notePage, printAnswer } from '../output/answer.ts';
import { keysText } from '../output/key.ts';
import { invitationsText, membersText, memberText } from '../output/member.ts';
import { printable } from '../output/printable.ts';

const all = '/api/v1/members';
const one = '/api/v1/members/{membershipId}';

const paramsOf = (input: Input) => ({ membershipId: input.argument(0) });

const found = <T>(work: Promise<T>): Promise<T> =>
  explained(work, 'member_not_found', 'find the ID: ledgerhouse members list');

export const listMembers: Handler = async (context, input) => {
  const search = input.text('search');
  const query = {
    ...readLimit(input),
    ...readChoices(input, 'role', roles),
    ...(search !== undefined && { q: search }),
  };
  const { exchange } = await context.service();
  const received = await receive(exchange, contractRequest('get', all, { query }));
  printAnswer(context, input, received, ({ data }) => membersText(data));
  notePage(context, received.document.page);
  return ExitCode.Ok;
};

export const getMember: Handler = async (context, input) => {
  const request = contractRequest('get', one, { params: paramsOf(input) });
  const { exchange } = await context.service();
  const received = await found(receive(exchange, request));
  printAnswer(context, input, received, ({ member }) => memberText(member));
  return ExitCode.Ok;
};

export const updateMember: Handler = async (context, input) => {
  const role = readRole(input);
  const isUnrestricted = input.has('all-databases');
  if (isUnrestricted && input.has('database')) {
    throw usageFailure('--database and --all-databases exclude each other');
  }
  if (role === undefined && !isUnrestricted && !input.has('database')) {
    throw usageFailure('no change is given', 'give --role, --database or --all-databases');
  }
  const { exchange } = await context.service();
  const scope = isUnrestricted ? ({ type: 'ALL' } as const) : await scopeOf(exchange, input);
  const request = contractRequest('patch', one, {
    params: paramsOf(input),
    body: { ...(role !== undefined && { role }), ...(scope && { databaseScope: scope }) },
  });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const received = await found(receive(exchange, request));
  printAnswer(context, input, received, ({ member }) => memberText(member));
  return ExitCode.Ok;
};

export const removeMember: Handler = async (context, input) => {
  const params = paramsOf(input);
  const revoke = [
    ...(input.has('revoke-keys') ? (['apiKeys'] as const) : []),
    ...(input.has('revoke-invitations') ? (['invitations'] as const) : []),
  ];
  const request = contractRequest('delete', one, {
    params,
    ...(revoke.length > 0 && { query: { revoke } }),
  });
  if (!input.has('dry-run')) {
    requireConfirmable(input, { kind: 'address', thing: 'member' }, 'a removal');
  }
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const { exchange } = await context.service();
  const { document } = await found(receive(exchange, contractRequest('get', one, { params })));
  const { id, user } = document.member;
  const address = user.email ?? '';
  const [kind, word] = address === '' ? ['ID', id] : ['address', address];
  await confirmByName(input, word, { kind, thing: 'member' }, `to remove ${user.name}`);
  const received = await found(receive(exchange, request));
  printAnswer(context, input, received, removedText);
  const working = received.document.apiKeys.filter(({ status }) => status !== 'REVOKED');
  if (working.length > 0) {
    context.output.warn('keys that they made still work; revoke one: ledgerhouse keys revoke ID');
  }
  const open = received.document.invitations.filter(({ status }) => status === 'OPEN');
  if (open.length > 0) {
    context.output.warn(
      'invitations that they made are open; revoke one: ledgerhouse invitations revoke ID',
    );
  }
  return ExitCode.Ok;
};

export const leaveOrganization: Handler = async (context, input) => {
  const slug = { kind: 'slug', thing: 'organization' };
  const request = contractRequest('post', `${all}/leave`);
  if (!input.has('dry-run')) requireConfirmable(input, slug, 'leaving');
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const { exchange } = await context.service();
  const { document } = await receive(exchange, contractRequest('get', '/api/v1/session'));
  const { organization } = document;
  // Without an organization, or with a key, the service says why nobody leaves.
  if (organization !== null) await confirmByName(input, organization.slug, slug, 'to leave it');
  await execute(exchange, request);
  context.output.note(`you have left ${printable(organization?.name ?? 'the organization')}`);
  return ExitCode.Ok;
};

/** The removed member, and what they made, with its status after the removal. */
const removedText = ({ member, apiKeys, invitations }: RemovedMember): string =>
  [
    memberText(member),
    ...(apiKeys.length === 0 ? [] : [keysText(apiKeys)]),
    ...(invitations.length === 0 ? [] : [invitationsText(invitations)]),
  ].join('\n');
