/** Views of databases: a single one, or a page of them. */
import { sql, type Selectable } from 'kysely';
import type { DatabaseStatus } from '../model/database-standing.ts';
import { builtOnce } from './built-once.ts';
import { databaseOf, profileOf, type DatabaseView, type LedgerView } from './database-record.ts';
import { typeIdOrNull, uuidOf } from './ids.ts';
import { beyond, pageOf, type Page } from './page.ts';
import type { DatabasesTable, Reader } from './tables.ts';

const databaseSorts = ['createdAt', '-createdAt', 'name'] as const;
export type DatabaseSort = (typeof databaseSorts)[number];

interface DatabaseFilter {
  /** IDs of the only databases that the reader may see. */
  readonly onlyIds?: readonly string[];
  readonly statuses?: readonly DatabaseStatus[];
  readonly provider?: string;
  readonly region?: string;
  readonly name?: string;
  /** Text that the name must contain. */
  readonly search?: string;
  /** Labels that the database must have, with these values. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Labels that the database must have, with any value. */
  readonly labelKeys?: readonly string[];
  /** Includes deleted databases that can still be restored. A filter for their status includes them as well. */
  readonly includeDeleted?: boolean;
}

/** Returns the view of a database, even of a deleted one. Returns `undefined` if the organization has no such database. */
export async function findDatabaseView(
  db: Reader,
  organizationId: string,
  id: string,
): Promise<DatabaseView | undefined> {
  const [row] = await viewOfOne(db, uuidOf(id), uuidOf(organizationId));
  return row && viewOf(row);
}

/** The same, with what requests to its ledger depend on. */
export async function findLedgerView(
  db: Reader,
  organizationId: string,
  id: string,
): Promise<LedgerView | undefined> {
  const [row] = await ledgerViewOfOne(db, uuidOf(id), uuidOf(organizationId));
  return row && { ...viewOf(row), streams: Boolean(row.streams) };
}

/** `position`: the sort column and the UUID of the last row of the page before. */
export async function listDatabases(
  db: Reader,
  organizationId: string,
  filter: DatabaseFilter,
  page: { sort: DatabaseSort; limit: number; position?: readonly [string, string] },
): Promise<Page<DatabaseView, [string, string]>> {
  const column = page.sort === 'name' ? 'databases.name' : 'databases.createdAt';
  const [direction, comparison] =
    page.sort === '-createdAt' ? (['desc', '<'] as const) : (['asc', '>'] as const);
  let query = filtered(db, filter)
    .where('databases.organizationId', '=', uuidOf(organizationId))
    .orderBy(column, direction)
    .orderBy('databases.id', direction)
    .limit(page.limit + 1);
  if (page.position !== undefined) {
    query = query.where(beyond([column, 'databases.id'], comparison, page.position));
  }
  return pageOf(await query.execute(), page.limit, viewOf, (row) => [
    page.sort === 'name' ? row.name : row.createdAt.toISOString(),
    row.id,
  ]);
}

/** A single statement: database, profile and job are of the same moment. The profile's columns have the prefix `profile`. */
const views = (db: Reader) =>
  db
    .selectFrom('databases')
    .innerJoin('profiles', (join) =>
      join.onRef('profiles.databaseId', '=', 'databases.id').on('profiles.active', '=', true),
    )
    .leftJoin('jobs', (join) =>
      join
        .onRef('jobs.databaseId', '=', 'databases.id')
        .on('jobs.finishedAt', 'is', null)
        .on('jobs.exclusive', '=', true),
    )
    .selectAll('databases')
    .select([
      'profiles.id as profileId',
      'profiles.revision as profileRevision',
      'profiles.status as profileStatus',
      'profiles.provider as profileProvider',
      'profiles.region as profileRegion',
      'profiles.clusterConfiguration as profileClusterConfiguration',
      'profiles.clusterSize as profileClusterSize',
      'profiles.storageTier as profileStorageTier',
      'profiles.selectedStorageGb as profileSelectedStorageGb',
      'profiles.engine as profileEngine',
      'profiles.engineVersion as profileEngineVersion',
      'profiles.parameters as profileParameters',
      'profiles.autogrowLimitGb as profileAutogrowLimitGb',
      'profiles.archiveRpoSeconds as profileArchiveRpoSeconds',
      'profiles.streamsSuspended as profileStreamsSuspended',
      'profiles.suspended as profileSuspended',
      'profiles.price as profilePrice',
      'profiles.actor as profileActor',
      'profiles.error as profileError',
      'profiles.createdAt as profileCreatedAt',
      'profiles.readyAt as profileReadyAt',
      'jobs.id as activeJobId',
    ]);

const ledgerViewOfOne = builtOnce((db, id: string, organizationId: string) =>
  views(db)
    .select((builder) =>
      builder
        .exists(
          builder
            .selectFrom('changeStreams')
            .select('changeStreams.id')
            .whereRef('changeStreams.databaseId', '=', 'databases.id')
            .where('changeStreams.state', 'in', ['RUNNING', 'RETRYING']),
        )
        .as('streams'),
    )
    .where('databases.id', '=', id)
    .where('databases.organizationId', '=', organizationId),
);

/** Nearly every request asks for it. */
const viewOfOne = builtOnce((db, id: string, organizationId: string) =>
  views(db).where('databases.id', '=', id).where('databases.organizationId', '=', organizationId),
);

type ViewRow = Awaited<ReturnType<ReturnType<typeof views>['execute']>>[number];

function viewOf(row: ViewRow): DatabaseView {
  return {
    database: databaseOf(databaseColumns(row)),
    profile: profileOf({
      id: row.profileId,
      databaseId: row.id,
      revision: row.profileRevision,
      active: true,
      status: row.profileStatus,
      provider: row.profileProvider,
      region: row.profileRegion,
      clusterConfiguration: row.profileClusterConfiguration,
      clusterSize: row.profileClusterSize,
      storageTier: row.profileStorageTier,
      selectedStorageGb: row.profileSelectedStorageGb,
      engine: row.profileEngine,
      engineVersion: row.profileEngineVersion,
      parameters: row.profileParameters,
      autogrowLimitGb: row.profileAutogrowLimitGb,
      archiveRpoSeconds: row.profileArchiveRpoSeconds,
      streamsSuspended: row.profileStreamsSuspended,
      suspended: row.profileSuspended,
      price: row.profilePrice,
      actor: row.profileActor,
      error: row.profileError,
      createdAt: row.profileCreatedAt,
      readyAt: row.profileReadyAt,
      supersededAt: null,
    }),
    activeJobId: typeIdOrNull('job', row.activeJobId),
  };
}

/** The columns of the database, without those of the profile and the job. */
const databaseColumns = (row: ViewRow) =>
  Object.fromEntries(
    Object.entries(row).filter(([name]) => !name.startsWith('profile') && name !== 'activeJobId'),
  ) as Selectable<DatabasesTable>;

function filtered(db: Reader, filter: DatabaseFilter) {
  let query = views(db);
  // A purged database is in no list; it can still be read by its ID.
  query = query.where('databases.purgedAt', 'is', null);
  const wantsDeleted =
    filter.includeDeleted === true ||
    filter.statuses?.some((status) => status === 'DELETING' || status === 'DELETED') === true;
  if (!wantsDeleted) query = query.where('databases.deletedAt', 'is', null);
  if (filter.onlyIds !== undefined) {
    query = query.where('databases.id', 'in', filter.onlyIds.map(uuidOf));
  }
  if (filter.statuses !== undefined) {
    query = query.where('databases.status', 'in', filter.statuses);
  }
  if (filter.provider !== undefined) {
    query = query.where('profiles.provider', '=', filter.provider);
  }
  if (filter.region !== undefined) query = query.where('profiles.region', '=', filter.region);
  if (filter.name !== undefined) query = query.where('databases.name', '=', filter.name);
  if (filter.search !== undefined) {
    // Not LIKE: the text may contain its wildcards.
    query = query.where(sql<boolean>`strpos(databases.name, ${filter.search}) > 0`);
  }
  if (filter.labels !== undefined) {
    query = query.where(sql<boolean>`databases.labels @> ${JSON.stringify(filter.labels)}::jsonb`);
  }
  if (filter.labelKeys !== undefined && filter.labelKeys.length > 0) {
    query = query.where(
      sql<boolean>`jsonb_exists_all(databases.labels, ${[...filter.labelKeys]}::text[])`,
    );
  }
  return query;
}
