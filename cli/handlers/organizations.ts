import type { Organization } from '../../gen/api.ts';
import type { Handler } from '../command.ts';
import { confirmByName, requireConfirmable } from '../confirm.ts';
import { isDryRun } from '../dry-run.ts';
import { ExitCode } from '../exit-code.ts';
import { usageFailure } from '../failure.ts';
import { contractRequest, receive } from '../http/contract.ts';
import type { Input } from '../input.ts';
import { readInteger } from '../ledger/integers.ts';
import { readLimit } from '../list-options.ts';
import { notePage, orDash, printAnswer } from '../output/answer.ts';
import { fields, table } from '../output/table.ts';

const path = '/api/v1/organizations';
const one = '/api/v1/organizations/{organizationId}';

const slug = { kind: 'slug', thing: 'organization' };

const paramsOf = (input: Input) => ({ params: { organizationId: input.argument(0) } });

export const listOrganizations: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const query = {
    ...readLimit(input),
    ...(input.has('include-deleted') && { includeDeleted: true }),
  };
  const received = await receive(exchange, contractRequest('get', path, { query }));
  printAnswer(context, input, received, ({ data }) => organizationsText(data));
  notePage(context, received.document.page);
  return ExitCode.Ok;
};

export const getOrganization: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const received = await receive(exchange, contractRequest('get', one, paramsOf(input)));
  printAnswer(context, input, received, ({ organization }) => organizationText(organization));
  return ExitCode.Ok;
};

export const createOrganization: Handler = async (context, input) => {
  const given = input.argument(0);
  const { exchange } = await context.service();
  const request = contractRequest('post', path, {
    body: { slug: given, name: input.text('name') ?? given },
  });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const received = await receive(exchange, request);
  printAnswer(context, input, received, ({ organization }) => organizationText(organization));
  return ExitCode.Ok;
};

export const updateOrganization: Handler = async (context, input) => {
  const name = input.text('name');
  const databasesMax = quotaOf(input);
  const auditRetentionDays = retentionOf(input);
  if (name === undefined && databasesMax === undefined && auditRetentionDays === undefined) {
    throw usageFailure(
      'there is nothing to change',
      'give --name, --audit-retention-days or --databases-max',
    );
  }
  const { exchange } = await context.service();
  const request = contractRequest('patch', one, {
    ...paramsOf(input),
    body: {
      ...(name !== undefined && { name }),
      ...(databasesMax !== undefined && { databasesMax }),
      ...(auditRetentionDays !== undefined && { auditRetentionDays }),
    },
  });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const received = await receive(exchange, request);
  printAnswer(context, input, received, ({ organization }) => organizationText(organization));
  return ExitCode.Ok;
};

export const suspendOrganization: Handler = async (context, input) => {
  const reason = input.text('reason');
  if (reason === undefined) {
    throw usageFailure(
      'the reason is missing; the members of the organization see it',
      'give --reason',
    );
  }
  const { exchange } = await context.service();
  const request = contractRequest('post', `${one}/suspend`, {
    ...paramsOf(input),
    body: { reason },
  });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const received = await receive(exchange, request);
  printAnswer(context, input, received, ({ organization }) => organizationText(organization));
  return ExitCode.Ok;
};

export const resumeOrganization: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const request = contractRequest('post', `${one}/resume`, paramsOf(input));
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const received = await receive(exchange, request);
  printAnswer(context, input, received, ({ organization }) => organizationText(organization));
  return ExitCode.Ok;
};

export const deleteOrganization: Handler = async (context, input) => {
  if (!input.has('dry-run')) requireConfirmable(input, slug);
  const { exchange } = await context.service();
  const request = contractRequest('delete', one, paramsOf(input));
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const { document } = await receive(exchange, contractRequest('get', one, paramsOf(input)));
  await confirmByName(input, document.organization.slug, slug);
  const received = await receive(exchange, request);
  const { purgeAt } = received.document.organization;
  context.output.note(`it can be restored until ${purgeAt ?? 'it is gone'}`);
  printAnswer(context, input, received, ({ organization }) => organizationText(organization));
  return ExitCode.Ok;
};

export const restoreOrganization: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const request = contractRequest('post', `${one}/restore`, paramsOf(input));
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  const received = await receive(exchange, request);
  printAnswer(context, input, received, ({ organization }) => organizationText(organization));
  return ExitCode.Ok;
};

function quotaOf(input: Input): number | null | undefined {
  const given = input.text('databases-max');
  if (given === undefined || given === 'default') return given === undefined ? undefined : null;
  const limits = { bits: 32, minimum: 0n, maximum: 100_000n } as const;
  return Number(readInteger('--databases-max', given, limits));
}

function retentionOf(input: Input): number | undefined {
  const given = input.text('audit-retention-days');
  if (given === undefined) return undefined;
  const limits = { bits: 32, minimum: 90n, maximum: 2_557n } as const;
  return Number(readInteger('--audit-retention-days', given, limits));
}

const organizationsText = (rows: readonly Organization[]): string =>
  rows.length === 0
    ? '(no organizations)\n'
    : table(
        [
          { title: 'ID', cell: ({ id }) => id },
          { title: 'SLUG', cell: ({ slug }) => slug },
          { title: 'NAME', cell: ({ name }) => name },
          { title: 'STATUS', cell: ({ status }) => status },
          { title: 'ROLE', cell: ({ role }) => orDash(role) },
          { title: 'CREATED', cell: ({ createdAt }) => createdAt },
        ],
        rows,
      );

const organizationText = (organization: Organization): string =>
  fields([
    ['id', organization.id],
    ['slug', organization.slug],
    ['name', organization.name],
    ['status', organization.status],
    ['reason', orDash(organization.suspensionReason)],
    ['namespace', organization.namespace],
    [
      'databases',
      organization.databasesMax === null
        ? 'the installation’s maximum'
        : `at most ${organization.databasesMax}`,
    ],
    ['audit events', `kept for ${organization.auditRetentionDays} days`],
    ['created', organization.createdAt],
    ['deleted', orDash(organization.deletedAt)],
    ['restorable until', orDash(organization.purgeAt)],
  ]);
