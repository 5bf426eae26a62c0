import { expect, test } from '@jest/globals';
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type CompiledQuery,
} from 'kysely';
import { builtOnce } from './built-once.ts';
import type { Reader, Tables } from './tables.ts';

/** A reader that keeps the statements which it is to run. */
function recorder(): { readonly db: Reader; readonly ran: CompiledQuery[] } {
  const ran: CompiledQuery[] = [];
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (of) => new PostgresIntrospector(of),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: ({ query }) => void ran.push(query),
  });
  return { db, ran };
}

test('a statement that is built once runs with the values of each call', async () => {
  let builds = 0;
  const find = builtOnce((db, name: string, status: string) => {
    builds += 1;
    return db
      .selectFrom('databases')
      .select('id')
      .where('deletionProtection', '=', true)
      .where('name', '=', name)
      .where('mode', '=', 'new')
      .where('status', '!=', status as 'READY');
  });
  const { db, ran } = recorder();
  await find(db, 'one', 'FAILED');
  await find(db, 'two', 'READY');
  expect(builds).toBe(1);
  expect(ran.map(({ parameters }) => parameters)).toEqual([
    [true, 'one', 'new', 'FAILED'],
    [true, 'two', 'new', 'READY'],
  ]);
  expect(new Set(ran.map(({ sql }) => sql)).size).toBe(1);
});
