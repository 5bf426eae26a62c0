/** Saved queries over HTTP. */
import type { MemberPrincipal } from '../auth/principal.ts';
import type { savedQueryRoutes } from '../contract/routes/saved-queries.ts';
import { databaseNotFound, deletedAlready } from '../databases/refusal.ts';
import { requireDatabase } from '../databases/require.ts';
import { checkMatch, etagOf } from '../http/conditional.ts';
import { notThere } from '../http/gate.ts';
import type { HandlersOf } from '../http/handler.ts';
import type { IdempotentRequests } from '../http/idempotent.ts';
import { hasRight } from '../model/access.ts';
import { Refusal } from '../model/refusal.ts';
import type { SavedQuery } from '../model/saved-query.ts';
import type { Change } from '../store/change.ts';
import { lockDatabase } from '../store/databases.ts';
import {
  createSavedQuery,
  deleteSavedQuery,
  findSavedQuery,
  listSavedQueries,
  savedQueriesMax,
  updateSavedQuery,
} from '../store/saved-queries.ts';
import type { Store } from '../store/store.ts';

interface SavedQueryServices {
  readonly store: Store;
  readonly requests: IdempotentRequests;
}

export const savedQueryHandlers = ({
  store,
  requests,
}: SavedQueryServices): HandlersOf<typeof savedQueryRoutes> => ({
  createSavedQuery(request) {
    const { params, body, principal } = request;
    const { databaseId } = params;
    const { id: organizationId } = principal.organization;
    return requests.change(request, async (change) => {
      await lockedDatabase(change, organizationId, databaseId);
      const made = await createSavedQuery(change, { organizationId, databaseId }, body);
      if (made === 'too_many') throw tooMany();
      if (made === 'name_taken') throw nameTaken(body.name);
      return {
        status: 201,
        headers: { Location: `/api/v1/databases/${databaseId}/saved-queries/${made.id}` },
        body: { success: true, savedQuery: shown(made) },
      };
    });
  },

  async listSavedQueries({ params: { databaseId }, principal }) {
    await requireDatabase(store.read, principal.organization.id, databaseId);
    const queries = await listSavedQueries(store.read, databaseId);
    return { status: 200, body: { data: queries.map(shown) } };
  },

  async getSavedQuery({ params: { databaseId, queryId }, principal }) {
    await requireDatabase(store.read, principal.organization.id, databaseId);
    const found = await findSavedQuery(store.read, databaseId, queryId);
    if (found === undefined) throw notThere('queryId', queryId);
    return { status: 200, etag: tagOf(found), body: { savedQuery: shown(found) } };
  },

  async updateSavedQuery({ params, body, principal, author, ifMatch }) {
    const changed = await store.change(author, async (change) => {
      const before = await lockedQuery(change, principal, params, ifMatch);
      const { name = before.name, operation = before.operation, filters = before.filters } = body;
      const after = await updateSavedQuery(change, before, { name, operation, filters });
      if (after === 'name_taken') throw nameTaken(name);
      return after;
    });
    return {
      status: 200,
      etag: tagOf(changed),
      body: { success: true, savedQuery: shown(changed) },
    };
  },

  async deleteSavedQuery({ params, principal, author, ifMatch }) {
    await store.change(author, async (change) => {
      const { id } = await lockedQuery(change, principal, params, ifMatch);
      await deleteSavedQuery(change, id);
    });
    return { status: 204 };
  },
});

async function lockedDatabase(change: Change, organizationId: string, id: string): Promise<void> {
  await requireDatabase(change.db, organizationId, id);
  const database = await lockDatabase(change, id);
  if (database === undefined) throw databaseNotFound(id);
  if (database.deletedAt !== null) throw deletedAlready(database);
}

/** The query of a locked database; throws a refusal unless the person may change it and saw its present version. */
async function lockedQuery(
  change: Change,
  principal: MemberPrincipal,
  { databaseId, queryId }: { readonly databaseId: string; readonly queryId: string },
  ifMatch: string | undefined,
): Promise<SavedQuery> {
  await lockedDatabase(change, principal.organization.id, databaseId);
  const found = await findSavedQuery(change.db, databaseId, queryId);
  if (found === undefined) throw notThere('queryId', queryId);
  if (!mayChange(principal, found)) {
    throw new Refusal('insufficient_scope', {
      detail: 'Only the person who saved the query, owners and admins may change it.',
    });
  }
  checkMatch(ifMatch, tagOf(found));
  return found;
}

const mayChange = ({ role, actor }: MemberPrincipal, { createdBy }: SavedQuery): boolean =>
  hasRight(role, 'changeDatabase') || (createdBy.id !== null && createdBy.id === actor.id);

const tooMany = (): Refusal =>
  new Refusal('quota_exceeded', {
    detail: `The database has ${savedQueriesMax} saved queries, the maximum. Delete one first.`,
  });

const nameTaken = (name: string): Refusal =>
  new Refusal('saved_query_name_taken', {
    detail: `The database has a saved query “${name}”.`,
  });

const tagOf = ({ id, version }: SavedQuery): string => etagOf(id, version);

const shown = ({ createdAt, updatedAt, ...query }: SavedQuery) => ({
  ...query,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});
