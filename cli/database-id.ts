/** Finds databases by name. IDs begin with `db_`, which no name can. */
import { CliFailure, usageFailure } from './failure.ts';
import { ExitCode } from './exit-code.ts';
import { contractRequest, receive } from './http/contract.ts';
import type { Exchange } from './http/exchange.ts';

export async function databaseIdOf(
  exchange: Exchange,
  word: string,
  { deleted = false }: { readonly deleted?: boolean } = {},
): Promise<string> {
  if (word.startsWith('db_')) return word;
  const { document } = await receive(
    exchange,
    contractRequest('get', '/api/v1/databases', {
      query: { name: word, limit: 10, ...(deleted ? { includeDeleted: true } : {}) },
    }),
  );
  const candidates = document.data.filter(({ deletedAt }) => !deleted || deletedAt !== null);
  const [first, second] = candidates;
  if (second !== undefined) {
    throw usageFailure(
      `${candidates.length} databases had the name "${word}"; give the ID instead`,
      ...candidates.map(({ id, deletedAt }) => `${id}, deleted ${deletedAt ?? 'never'}`),
    );
  }
  if (first !== undefined) return first.id;
  throw new CliFailure({
    exitCode: ExitCode.NotFound,
    code: 'database_not_found',
    title: 'The database does not exist',
    detail: `no ${deleted ? 'deleted ' : ''}database has the name "${word}"`,
    nextSteps: [`ledgerhouse databases list${deleted ? ' --include-deleted' : ''}`],
  });
}
