import type { ApiKeyWithSecret } from '../../gen/api.ts';
import type { Handler } from '../command.ts';
import type { Context } from '../context.ts';
import { databaseIdOf } from '../database-id.ts';
import { readDurationMs } from '../duration.ts';
import { isDryRun } from '../dry-run.ts';
import { ExitCode } from '../exit-code.ts';
import { usageFailure } from '../failure.ts';
import { contractRequest, execute, receive, type Received } from '../http/contract.ts';
import type { Input } from '../input.ts';
import { readInteger } from '../ledger/integers.ts';
import { readChoices, readLimit } from '../list-options.ts';
import { notePage, printAnswer } from '../output/answer.ts';
import { keysText, keyText } from '../output/key.ts';
import { printable } from '../output/printable.ts';

const permissions = ['db:read', 'db:write'] as const;
const statuses = ['ACTIVE', 'ROTATING', 'EXPIRED', 'REVOKED'] as const;
const dayMs = 86_400_000;

export const listKeys: Handler = async (context, input) => {
  const search = input.text('search');
  const days = input.text('expires-within');
  const filter = {
    ...readLimit(input),
    ...readChoices(input, 'status', statuses),
    ...(search === undefined ? {} : { q: search }),
    ...(days === undefined ? {} : { expiresWithinDays: readDays('--expires-within', days) }),
  };
  const { exchange } = await context.service();
  const database = input.text('database');
  const databaseId = database === undefined ? undefined : await databaseIdOf(exchange, database);
  const query = { ...filter, ...(databaseId === undefined ? {} : { databaseId }) };
  const request = contractRequest('get', '/api/v1/api-keys', { query });
  const received = await receive(exchange, request);
  printAnswer(context, input, received, ({ data }) => keysText(data));
  notePage(context, received.document.page);
  return ExitCode.Ok;
};

export const getKey: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const request = contractRequest('get', '/api/v1/api-keys/{keyId}', {
    params: { keyId: input.argument(0) },
  });
  printAnswer(context, input, await receive(exchange, request), ({ apiKey }) => keyText(apiKey));
  return ExitCode.Ok;
};

export const createKey: Handler = async (context, input) => {
  const given = readChoices(input, 'permission', permissions).permission ?? ['db:read' as const];
  const expiry = expiryOf(context, input);
  const allowed = input.list('allow-ip');
  const { exchange } = await context.service();
  const database = input.text('database');
  const scope =
    database === undefined
      ? ({ type: 'ALL' } as const)
      : ({ type: 'DATABASE', databaseId: await databaseIdOf(exchange, database) } as const);
  const request = contractRequest('post', '/api/v1/api-keys', {
    body: {
      name: input.argument(0),
      permissions: [...given],
      databaseScope: scope,
      ...(allowed.length === 0 ? {} : { ipAllowList: [...allowed] }),
      ...expiry,
    },
  });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  printSecret(context, input, await receive(exchange, request));
  return ExitCode.Ok;
};

export const rotateKey: Handler = async (context, input) => {
  const grace = input.text('grace');
  const body =
    grace === undefined ? {} : { gracePeriodSeconds: readDurationMs('--grace', grace) / 1_000 };
  const { exchange } = await context.service();
  const request = contractRequest('post', '/api/v1/api-keys/{keyId}/rotate', {
    params: { keyId: input.argument(0) },
    body,
  });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  printSecret(context, input, await receive(exchange, request));
  return ExitCode.Ok;
};

export const renewKey: Handler = async (context, input) => {
  const body = expiryOf(context, input);
  const { exchange } = await context.service();
  const request = contractRequest('post', '/api/v1/api-keys/{keyId}/renew', {
    params: { keyId: input.argument(0) },
    body,
  });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  printAnswer(context, input, await receive(exchange, request), ({ apiKey }) => keyText(apiKey));
  return ExitCode.Ok;
};

export const updateKey: Handler = async (context, input) => {
  const name = input.text('name');
  const addresses = input.list('allow-ip');
  const any = input.has('allow-any-ip');
  if (any && addresses.length > 0) {
    throw usageFailure('--allow-ip and --allow-any-ip exclude each other');
  }
  const body = {
    ...(name === undefined ? {} : { name }),
    ...(any || addresses.length > 0 ? { ipAllowList: [...addresses] } : {}),
  };
  if (Object.keys(body).length === 0) {
    throw usageFailure('no change is given', 'give --name, --allow-ip or --allow-any-ip');
  }
  const { exchange } = await context.service();
  const request = contractRequest('patch', '/api/v1/api-keys/{keyId}', {
    params: { keyId: input.argument(0) },
    body,
  });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  printAnswer(context, input, await receive(exchange, request), ({ apiKey }) => keyText(apiKey));
  return ExitCode.Ok;
};

export const revokeKey: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const keyId = input.argument(0);
  const params = { keyId };
  const request = contractRequest('delete', '/api/v1/api-keys/{keyId}', { params });
  if (await isDryRun(context, input, request)) return ExitCode.Ok;
  await execute(exchange, request);
  context.output.note(`${keyId} is revoked`);
  return ExitCode.Ok;
};

/** Prints the secret alone on stdout, so that it can be redirected to a file. */
function printSecret(context: Context, input: Input, received: Received<ApiKeyWithSecret>): void {
  printAnswer(context, input, received, ({ secret }) => `${secret}\n`);
  const { id, name } = received.document.apiKey;
  context.output.note(`${printable(name)} (${id}); the secret is shown only once`);
}

function expiryOf({ timers }: Context, input: Input): { readonly expiresAt?: string | null } {
  const days = input.text('expires-in');
  if (days === undefined) return {};
  if (days === 'never') return { expiresAt: null };
  const lifetimeMs = readDays('--expires-in', days) * dayMs;
  return { expiresAt: new Date(timers.wallMs() + lifetimeMs).toISOString() };
}

const readDays = (option: string, text: string): number =>
  Number(readInteger(option, text, { bits: 16, minimum: 1n }));
