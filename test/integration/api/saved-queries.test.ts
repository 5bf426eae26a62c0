/** Saved queries from the handlers to PostgreSQL: who may change them, two people at once, their bound, their end. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { IdempotentRequests } from '../../../api/http/idempotent.ts';
import type { Role } from '../../../api/model/access.ts';
import type { Actor } from '../../../api/model/actor.ts';
import type { QueryContent } from '../../../api/model/saved-query.ts';
import { savedQueryHandlers } from '../../../api/saved-queries/handlers.ts';
import { markPurged } from '../../../api/databases/purge.ts';
import { updateDatabase } from '../../../api/store/databases.ts';
import type { Organization } from '../../../api/store/organizations.ts';
import {
  createSavedQuery,
  listSavedQueries,
  savedQueriesMax,
} from '../../../api/store/saved-queries.ts';
import { Sealer } from '../../../api/store/sealing.ts';
import type { Store } from '../../../api/store/store.ts';
import { TestPostgres } from '../../support/api/postgres.ts';
import { makeDatabase, openTestStore, signingKeys, tester } from '../../support/api/store.ts';

let postgres: TestPostgres;
let store: Store;
let organization: Organization;
let databaseId = '';
let handlers: ReturnType<typeof savedQueryHandlers>;

beforeAll(async () => {
  postgres = await TestPostgres.create();
  ({ store, organization } = await openTestStore(postgres));
  ({ id: databaseId } = await makeDatabase(store, organization, 'payments'));
  ada = by('ada', 'viewer');
  eve = by('eve', 'developer');
  const requests = new IdempotentRequests(store, new Sealer(signingKeys));
  handlers = savedQueryHandlers({ store, requests });
});
afterAll(async () => {
  await store?.close();
  await postgres?.remove();
});

/** Facts of a request by a person. */
function by(name: string, role: Role) {
  const actor: Actor = { type: 'user', id: `usr_${name}`, display: name };
  return {
    principal: { type: 'session', organization, role, actor, credentialId: `ses_${name}` },
    author: { actor, requestId: 'req_1', ip: null, userAgent: null },
    idempotency: undefined,
  };
}
type Person = ReturnType<typeof by>;
let ada: Person;
let eve: Person;
const fees: QueryContent = {
  name: 'Fees',
  operation: 'query_transfers',
  filters: { code: '4', from: '-1h' },
};

const save = async (who: Person, content: QueryContent, of = databaseId) => {
  const request = { ...who, params: { databaseId: of }, body: content };
  return (await handlers.createSavedQuery(request as never)).body.savedQuery;
};
const read = async (queryId: string) => {
  const { body, etag } = await handlers.getSavedQuery({
    ...eve,
    params: { databaseId, queryId },
  } as never);
  return { ...body.savedQuery, etag };
};
const change = (
  who: Person,
  queryId: string,
  body: Partial<QueryContent>,
  ifMatch?: string,
): Promise<unknown> =>
  handlers.updateSavedQuery({ ...who, params: { databaseId, queryId }, body, ifMatch } as never);
const remove = (who: Person, queryId: string, ifMatch?: string): Promise<unknown> =>
  handlers.deleteSavedQuery({ ...who, params: { databaseId, queryId }, ifMatch } as never);

test('a query that one member saves is there for the others as it was typed, and only its maker, owners and admins change it', async () => {
  const { id } = await save(ada, fees);
  expect(await read(id)).toMatchObject({ ...fees, version: 1, createdBy: ada.principal.actor });
  await expect(change(eve, id, { name: 'Mine now' })).rejects.toThrow('insufficient_scope');
  await expect(remove(eve, id)).rejects.toThrow('insufficient_scope');
  await change(ada, id, { filters: { code: '5' } });
  await change(by('root', 'admin'), id, { name: 'Charges' });
  expect(await read(id)).toMatchObject({
    name: 'Charges',
    operation: 'query_transfers',
    filters: { code: '5' },
    version: 3,
  });
  await remove(ada, id);
  await expect(read(id)).rejects.toThrow('saved_query_not_found');
});

test('a query that somebody saved meanwhile is neither overwritten nor deleted, and a name is given once', async () => {
  const { id } = await save(ada, fees);
  const { etag } = await read(id);
  const both = await Promise.allSettled([
    change(ada, id, { filters: { code: '6' } }, etag),
    change(ada, id, { filters: { code: '7' } }, etag),
  ]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  await expect(remove(ada, id, etag)).rejects.toThrow('precondition_failed');
  const names = await Promise.allSettled([
    save(ada, { ...fees, name: 'Twice' }),
    save(eve, { ...fees, name: 'Twice' }),
  ]);
  expect(names.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  await expect(change(ada, id, { name: 'Twice' })).rejects.toThrow('saved_query_name_taken');
  expect(await read(id)).toMatchObject({ name: 'Fees', version: 2 });
});

test('a database has a hundred queries at most, another one has its own, and they go when it is purged', async () => {
  const other = await makeDatabase(store, organization, 'full');
  await store.change(tester, async (within) => {
    const of = { organizationId: organization.id, databaseId: other.id };
    for (let number = 0; number < savedQueriesMax; number += 1)
      await createSavedQuery(within, of, { ...fees, name: `Query ${number}` });
  });
  await expect(save(ada, { ...fees, name: 'One more' }, other.id)).rejects.toThrow(
    'quota_exceeded',
  );
  await save(ada, { ...fees, name: 'Query 1' });
  const past = new Date(Date.now() - 1_000);
  await store.change(tester, (within) =>
    updateDatabase(within, other.id, { status: 'DELETED', deletedAt: past, purgeAt: past }),
  );
  await expect(save(ada, fees, other.id)).rejects.toThrow('database_not_found');
  expect(await listSavedQueries(store.read, other.id)).toHaveLength(savedQueriesMax);
  await markPurged(store);
  expect(await listSavedQueries(store.read, other.id)).toEqual([]);
  expect((await listSavedQueries(store.read, databaseId)).length).toBeGreaterThan(0);
});
