import { archivingOf } from '../configuration/differences.ts';
import { visibleDatabases, type Principal } from '../auth/principal.ts';
import type { databaseRoutes } from '../contract/routes/databases.ts';
import type { CallerFacts, Handler, HandlersOf } from '../http/handler.ts';
import type { IdempotentRequests } from '../http/idempotent.ts';
import { readCursor, shownPage } from '../http/paging.ts';
import { Refusal } from '../model/refusal.ts';
import { shownJob } from '../jobs/present.ts';
import type { DatabaseWriter } from '../kubernetes/database-writer.ts';
import type { Cursors } from '../store/cursor.ts';
import type { DatabaseView } from '../store/database-record.ts';
import { findDatabaseView, listDatabases } from '../store/database-list.ts';
import { settleSavedCreate } from '../store/saved-creates.ts';
import {
  attachImport,
  importToBegin,
  requireRelease,
  withVersion,
  requireVolumes,
  type ImportToBegin,
} from '../imports/begin-database.ts';
import type { StagingStore } from '../imports/staging-store.ts';
import {
  byHand,
  createPlanned,
  noCatalog,
  planCreation,
  type CreateRequest,
  type CreationPlan,
} from './create.ts';
import type { Caller, DatabaseServices, WithJob } from './database-service.ts';
import { deleteDatabase } from './delete.ts';
import { etagOf, shownDatabase, shownProfile, type Surroundings } from './present.ts';
import { databaseNotFound } from './refusal.ts';
import { restoreDatabase } from './restore.ts';
import { changeDatabase } from './update.ts';

interface DatabaseHandlerOptions {
  readonly services: DatabaseServices;
  readonly requests: IdempotentRequests;
  readonly writer: DatabaseWriter;
  readonly cursors: Cursors;
  readonly surroundings: () => Surroundings;
  /** Whether the operator has a store for backups. */
  readonly backupStore: boolean;
  /** Store in which imports are staged; `undefined`: the service accepts none. */
  readonly staging: StagingStore | undefined;
  /** Called when this process must forget its cached data about a database. */
  readonly changed: (organizationId: string, id: string) => void;
}

/** Estimated duration of a creation. With volumes provisioned and images pulled, it takes 15 s. */
const estimatedSeconds = 30;

type Handlers = HandlersOf<typeof databaseRoutes>;

export const databaseHandlers = (options: DatabaseHandlerOptions): Handlers => ({
  createDatabase: create(options),
  restoreDatabase: restore(options),
  listDatabases: list(options),
  getDatabase: get(options),
  updateDatabase: update(options),
  deleteDatabase: remove(options),
});

const create =
  ({
    services,
    requests,
    surroundings,
    staging,
  }: DatabaseHandlerOptions): Handler<'createDatabase'> =>
  async (request) => {
    const { query, body, principal, author } = request;
    const caller = callerOf({ principal, author });
    const { mode: _, importId, ...asked } = body;
    const find = { store: services.store, staging };
    const plans = async (dry?: 'dry') => {
      const begins =
        importId === undefined
          ? undefined
          : await importToBegin(find, principal.organization.id, importId, asked);
      return planned(services, caller, asked, begins, dry);
    };
    if (query.dryRun) {
      const plan = await shown(principal, plans('dry'));
      const { billingReason: reason = null } = plan;
      const billing = { ready: reason === null, reason };
      return {
        status: 200,
        body: { success: true, dryRun: true, plan: shownPlan(plan), billing },
      };
    }
    return requests.run(request, async (keep) => {
      const plan = await plans();
      const reply = (made: WithJob) => created(made, plan, surroundings());
      const within: Parameters<typeof createPlanned>[4] = async (change, made) => {
        await settleSavedCreate(change, made.database);
        if (importId !== undefined) await attachImport(change, importId, made.database);
        await keep(change, reply(made));
      };
      const { labels = {} } = body;
      return reply(await shown(principal, createPlanned(services, caller, plan, labels, within)));
    });
  };

/** Plans an empty database, or one that begins with an import. */
async function planned(
  services: DatabaseServices,
  caller: Caller,
  asked: CreateRequest,
  found: ImportToBegin | undefined,
  dry?: 'dry',
): Promise<CreationPlan> {
  if (found === undefined) return planCreation(services, caller, asked, dry);
  const catalog = services.catalog();
  if (catalog === undefined) throw noCatalog();
  const begins = withVersion(found, catalog.spec);
  const plan = await planCreation(services, caller, begins.request, dry ?? 'restore');
  requireRelease(plan, begins, catalog.spec);
  requireVolumes(plan, begins);
  return { ...plan, importedFrom: begins.importedFrom };
}

const restore =
  ({ services, requests, surroundings }: DatabaseHandlerOptions): Handler<'restoreDatabase'> =>
  (request) => {
    const { params, body, principal, author } = request;
    const caller = callerOf({ principal, author });
    return requests.run(request, async (keep) => {
      const restored = await restoreDatabase(
        services,
        caller,
        params.databaseId,
        body.name,
        (change, view) => keep(change, accepted(view, surroundings())),
      );
      return accepted(restored, surroundings());
    });
  };

/** Hides which database has the name from callers without the right to read databases. */
async function shown<T>(principal: Principal, result: Promise<T>): Promise<T> {
  const reads = principal.type !== 'api_key' || principal.permissions.includes('db:read');
  try {
    return await result;
  } catch (error) {
    if (reads || !(error instanceof Refusal) || error.code !== 'database_name_taken') throw error;
    throw new Refusal(error.code, { detail: error.occasion.detail });
  }
}

const list =
  ({ services, cursors, surroundings }: DatabaseHandlerOptions): Handler<'listDatabases'> =>
  async ({ query, principal }) => {
    const { limit, cursor, sort, status, label, ...rest } = query;
    const onlyIds = visibleDatabases(principal);
    const listing = { of: 'databases', sort, status, label, ...rest, onlyIds };
    const position = readCursor(cursors, listing, cursor, 2);
    const page = await listDatabases(
      services.store.read,
      principal.organization.id,
      {
        includeDeleted: rest.includeDeleted,
        ...(onlyIds && { onlyIds }),
        ...(status && { statuses: status }),
        ...(rest.provider !== undefined && { provider: rest.provider }),
        ...(rest.region !== undefined && { region: rest.region }),
        ...(rest.name !== undefined && { name: rest.name }),
        ...(rest.q !== undefined && { search: rest.q }),
        ...(label && labelFilterOf(label)),
      },
      { sort, limit, ...(position && { position }) },
    );
    const around = surroundings();
    const show = (view: (typeof page.rows)[number]) => shownDatabase(view, around);
    return { status: 200, body: shownPage(cursors, listing, limit, page, show) };
  };

const get =
  ({ services, surroundings }: DatabaseHandlerOptions): Handler<'getDatabase'> =>
  async ({ params, principal }) => {
    const { databaseId } = params;
    const view = await findDatabaseView(services.store.read, principal.organization.id, databaseId);
    if (view === undefined) throw databaseNotFound(databaseId);
    const body = shownBoth(view, surroundings());
    return { status: 200, etag: etagOf(view, body), body };
  };

const update =
  ({ services, writer, surroundings }: DatabaseHandlerOptions): Handler<'updateDatabase'> =>
  async ({ params, body, principal, author, ifMatch }) => {
    const { databaseId } = params;
    const caller = callerOf({ principal, author });
    const version = versionOf(ifMatch, databaseId);
    const view = await changeDatabase(services, writer, caller, databaseId, body, version);
    const both = shownBoth(view, surroundings());
    return { status: 200, etag: etagOf(view, both), body: { success: true, ...both } };
  };

const remove =
  ({
    services,
    surroundings,
    changed,
    backupStore,
  }: DatabaseHandlerOptions): Handler<'deleteDatabase'> =>
  async ({ params, query, principal, author, ifMatch }) => {
    const { databaseId } = params;
    const caller = callerOf({ principal, author });
    const ifVersion = versionOf(ifMatch, databaseId);
    const { finalBackup } = query;
    const wanted = { ifVersion, finalBackup, backupStore };
    const gone = await deleteDatabase(services, caller, databaseId, wanted);
    changed(principal.organization.id, databaseId);
    return accepted(gone, surroundings());
  };

const callerOf = ({ principal, author }: CallerFacts<Principal>): Caller => ({
  organization: principal.organization,
  author,
});

/** Version in `If-Match`; `undefined`: any version. An ETag of something else gives 0, which no version has. */
export function versionOf(ifMatch: string | undefined, id: string): number | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined;
  const [, of, version] = /"(db_[0-9a-z]{26})-(\d{1,9})-/.exec(ifMatch) ?? [];
  return of === id ? Number(version) : 0;
}

const shownPlan = ({ choice, price, name, deletionProtection, ...plan }: CreationPlan) => ({
  name,
  ...choice,
  continuousArchiving: archivingOf(plan),
  deletionProtection,
  estimatedMonthlyPrice: price ?? null,
  capacity: plan.capacity,
  catalogVersion: plan.catalogVersion,
});

const shownBoth = (view: DatabaseView, around: Surroundings) => ({
  database: shownDatabase(view, around),
  profile: shownProfile(view, around),
});

const links = ({ database, job }: WithJob) => ({
  Location: `/api/v1/databases/${database.id}`,
  Link: `</api/v1/jobs/${job.id}>; rel="monitor"`,
  'Retry-After': '5',
});

const created = (made: WithJob, { automatic }: CreationPlan, around: Surroundings) => ({
  status: 202 as const,
  headers: links(made),
  body: {
    success: true as const,
    database: shownDatabase(made, around),
    profile: shownProfile(made, around),
    job: shownJob(made.job),
    provisioning: automatic
      ? queued(around)
      : { status: 'NOT_STARTED' as const, started: false, message: byHand, estimatedSeconds: null },
  },
});

const queued = ({ workerStopped }: Surroundings) => ({
  status: 'QUEUED' as const,
  started: true,
  message: workerStopped
    ? 'Provisioning is queued. No worker of this service runs now; it begins when one does.'
    : 'Provisioning is queued. It usually takes less than a minute.',
  estimatedSeconds: workerStopped ? null : estimatedSeconds,
});

/** The answer to a request that a job carries out on a database. */
export const accepted = (view: WithJob, around: Surroundings) => ({
  status: 202 as const,
  headers: links(view),
  body: {
    success: true as const,
    database: shownDatabase(view, around),
    profile: shownProfile(view, around),
    job: shownJob(view.job),
  },
});

/** Like `accepted`, with what the new database does not have of the ledger that it begins with. */
export function acceptedRestore(
  view: WithJob & { readonly warnings: readonly string[] },
  around: Surroundings,
) {
  const { body, ...rest } = accepted(view, around);
  return { ...rest, body: { ...body, warnings: [...view.warnings] } };
}

/** Parses label filters. `key` matches any value, `key=value` that value, which may be empty. */
function labelFilterOf(rows: readonly string[]) {
  const pairs = rows.filter((row) => row.includes('='));
  return {
    labelKeys: rows.filter((row) => !row.includes('=')),
    labels: Object.fromEntries(
      pairs.map((row) => [row.slice(0, row.indexOf('=')), row.slice(row.indexOf('=') + 1)]),
    ),
  };
}
