import type { configurationRoutes } from '../contract/routes/configuration.ts';
import { capacityOfChoice } from '../databases/choose.ts';
import { noCatalog } from '../databases/create.ts';
import {
  configurationOf,
  etagOfDatabase,
  priceOf,
  shownProfile,
  type Surroundings,
} from '../databases/present.ts';
import { databaseNotFound } from '../databases/refusal.ts';
import type { Handler, HandlersOf } from '../http/handler.ts';
import { readCursor, shownPage } from '../http/paging.ts';
import type { Cursors } from '../store/cursor.ts';
import { findDatabaseView } from '../store/database-list.ts';
import type { DatabaseView } from '../store/database-record.ts';
import { listProfiles, type ProfileWithBefore } from '../store/profile-revisions.ts';
import type { Store } from '../store/store.ts';
import { differencesOf } from './differences.ts';
import { shownParameters } from './parameters.ts';

interface ConfigurationHandlerOptions {
  readonly store: Store;
  readonly cursors: Cursors;
  readonly surroundings: () => Surroundings;
}

type Handlers = HandlersOf<typeof configurationRoutes>;

export const configurationHandlers = (options: ConfigurationHandlerOptions): Handlers => ({
  getConfiguration: get(options),
  listParameters: parameters(options),
  listProfiles: profiles(options),
});

const get =
  ({ store, surroundings }: ConfigurationHandlerOptions): Handler<'getConfiguration'> =>
  async ({ params, principal }) => {
    const view = await viewOf(store, principal.organization.id, params.databaseId);
    const body = { configuration: shownConfiguration(view, surroundings()) };
    return { status: 200, etag: etagOfDatabase(view, body), body };
  };

const parameters =
  ({ store, surroundings }: ConfigurationHandlerOptions): Handler<'listParameters'> =>
  async ({ params, principal }) => {
    const view = await viewOf(store, principal.organization.id, params.databaseId);
    const { catalog } = surroundings();
    if (catalog === undefined) throw noCatalog();
    const page = { limit: 100, nextCursor: null, hasMore: false };
    return { status: 200, body: { data: shownParameters(catalog, view.profile), page } };
  };

const profiles =
  ({ store, cursors, surroundings }: ConfigurationHandlerOptions): Handler<'listProfiles'> =>
  async ({ params, query, principal }) => {
    const { databaseId } = params;
    const view = await viewOf(store, principal.organization.id, databaseId);
    const list = { of: 'profiles', databaseId };
    const position = readCursor(cursors, list, query.cursor, 1);
    const page = await listProfiles(store.read, databaseId, {
      limit: query.limit,
      ...(position && { position }),
    });
    const around = surroundings();
    const show = (pair: ProfileWithBefore) => shownRevision(view, pair, around);
    return { status: 200, body: shownPage(cursors, list, query.limit, page, show) };
  };

async function viewOf(store: Store, organizationId: string, id: string): Promise<DatabaseView> {
  const view = await findDatabaseView(store.read, organizationId, id);
  if (view === undefined) throw databaseNotFound(id);
  return view;
}

const shownConfiguration = ({ database, profile }: DatabaseView, around: Surroundings) => ({
  databaseId: database.id,
  revision: profile.revision,
  ...configurationOf(profile),
  labels: database.labels,
  estimatedMonthlyPrice: priceOf(profile, around.catalog),
  capacity: capacityOfChoice(around.catalog, profile),
});

const shownRevision = (
  view: DatabaseView,
  { profile, before }: ProfileWithBefore,
  around: Surroundings,
) => ({
  ...shownProfile({ ...view, profile }, around),
  status: profile.active ? view.database.status : ('SUPERSEDED' as const),
  supersededAt: profile.supersededAt?.toISOString() ?? null,
  actor: profile.actor,
  diff: before === undefined ? [] : differencesOf(before, profile),
});
