/** The role and databases of a member or an invitation, as the options of a command give them. */
import { roles } from './commands/members.ts';
import { databaseIdOf } from './database-id.ts';
import { valueFailure } from './failure.ts';
import type { Exchange } from './http/exchange.ts';
import type { Input } from './input.ts';

type Role = (typeof roles)[number];

export function readRole(input: Input): Role | undefined {
  const given = input.text('role');
  if (given === undefined) return undefined;
  const role = roles.find((candidate) => candidate === given.toLowerCase());
  if (role !== undefined) return role;
  throw valueFailure(`--role "${given}" is not one of ${roles.join(', ')}`);
}

/** The databases of `--database`, given by name or ID, if there are any. */
export async function scopeOf(exchange: Exchange, input: Input) {
  const databaseIds: string[] = [];
  for (const word of input.list('database')) {
    // One after the other: a restriction may have a hundred, and each name is a request.
    databaseIds.push(await databaseIdOf(exchange, word));
  }
  return databaseIds.length === 0
    ? undefined
    : ({ type: 'DATABASES', databaseIds: [...new Set(databaseIds)] } as const);
}
