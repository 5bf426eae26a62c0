/** Changes of configurations: makes, finds, lists and updates them. Callers emit the events and lock the database first. */
import { sql, type Selectable } from 'kysely';
import { newTypeId, typeIdOfUuid } from '../../domain/type-id.ts';
import type { Actor } from '../model/actor.ts';
import type {
  ChangeError,
  ChangeOrigin,
  ChangeRequest,
  ChangeStatus,
  ConfigurationChange,
  Impact,
  PriceDelta,
  ReplacedResource,
} from '../model/configuration-change.ts';
import type { FieldChange } from '../model/event.ts';
import type { Change } from './change.ts';
import { typeIdOrNull, uuidOf } from './ids.ts';
import { beyond, pageOf, type Page } from './page.ts';
import type { ConfigurationChangesTable, Reader } from './tables.ts';

const now = sql<Date>`clock_timestamp()`;

type NewConfigurationChange = Pick<
  ConfigurationChange,
  | 'organizationId'
  | 'databaseId'
  | 'origin'
  | 'request'
  | 'diff'
  | 'impact'
  | 'priceDelta'
  | 'applyAfter'
  | 'inWindow'
  | 'previousRevision'
> & {
  readonly status: 'QUEUED' | 'APPLYING';
  readonly generation?: number;
  readonly profileRevision?: number;
};

export async function createConfigurationChange(
  change: Change,
  {
    organizationId,
    databaseId,
    request,
    diff,
    impact,
    priceDelta,
    ...rest
  }: NewConfigurationChange,
): Promise<ConfigurationChange> {
  const row = await change.db
    .insertInto('configurationChanges')
    .values({
      ...rest,
      generation: rest.generation === undefined ? null : String(rest.generation),
      id: uuidOf(newTypeId('chg')),
      organizationId: uuidOf(organizationId),
      databaseId: uuidOf(databaseId),
      request: JSON.stringify(request),
      diff: JSON.stringify(diff),
      impact: JSON.stringify(impact),
      priceDelta: jsonOrNull(priceDelta),
      actor: JSON.stringify(change.author.actor),
      requestId: change.author.requestId,
      ...(rest.status === 'APPLYING' && { startedAt: now }),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return changeOf(row);
}

interface ConfigurationChangePatch {
  readonly status?: ChangeStatus;
  readonly request?: ChangeRequest;
  readonly diff?: readonly FieldChange[];
  readonly impact?: Impact;
  readonly priceDelta?: PriceDelta | null;
  readonly applyAfter?: Date | null;
  readonly inWindow?: boolean;
  readonly jobId?: string;
  readonly generation?: number;
  readonly previousRevision?: number;
  readonly profileRevision?: number;
  readonly replaced?: ReplacedResource | null;
  readonly progress?: string | null;
  readonly error?: ChangeError | null;
}

const ended: ReadonlySet<ChangeStatus> = new Set(['APPLIED', 'FAILED', 'CANCELED']);

export async function updateConfigurationChange(
  change: Change,
  id: string,
  patch: ConfigurationChangePatch,
): Promise<ConfigurationChange> {
  const { request, diff, impact, priceDelta, jobId, generation, replaced, error, ...plain } = patch;
  const { status } = patch;
  const row = await change.db
    .updateTable('configurationChanges')
    .set({
      ...plain,
      version: sql<number>`version + 1`,
      updatedAt: now,
      ...(request !== undefined && { request: JSON.stringify(request) }),
      ...(diff !== undefined && { diff: JSON.stringify(diff) }),
      ...(impact !== undefined && { impact: JSON.stringify(impact) }),
      ...(priceDelta !== undefined && { priceDelta: jsonOrNull(priceDelta) }),
      ...(jobId !== undefined && { jobId: uuidOf(jobId) }),
      ...(generation !== undefined && { generation: String(generation) }),
      ...(replaced !== undefined && { replaced: jsonOrNull(replaced) }),
      ...(error !== undefined && { error: jsonOrNull(error) }),
      ...(status === 'APPLYING' && { startedAt: now, finishedAt: null }),
      ...(status !== undefined && ended.has(status) && { finishedAt: now }),
    })
    .where('id', '=', uuidOf(id))
    .returningAll()
    .executeTakeFirstOrThrow();
  return changeOf(row);
}

/** Changes of a database that have not ended, the oldest first. */
export async function unfinishedChanges(
  db: Reader,
  databaseId: string,
): Promise<readonly ConfigurationChange[]> {
  const rows = await db
    .selectFrom('configurationChanges')
    .selectAll()
    .where('databaseId', '=', uuidOf(databaseId))
    .where('finishedAt', 'is', null)
    .orderBy('createdAt')
    .execute();
  return rows.map(changeOf);
}

/** The change that this service applies to a database, if there is one. */
export async function findApplying(
  db: Reader,
  databaseId: string,
): Promise<ConfigurationChange | undefined> {
  const all = await unfinishedChanges(db, databaseId);
  return all.find(({ status, origin }) => status === 'APPLYING' && origin === 'api');
}

/** Whether a change of shape replaces this resource of a database, or takes it away again, or has done so. */
export async function isReplaced(db: Reader, databaseId: string, uid: string): Promise<boolean> {
  const row = await db
    .selectFrom('configurationChanges')
    .select('id')
    .where('databaseId', '=', uuidOf(databaseId))
    .where('status', '!=', 'CANCELED')
    .where(sql<boolean>`${uid} IN (replaced->>'uid', replaced->>'removing')`)
    .executeTakeFirst();
  return row !== undefined;
}

export async function findConfigurationChange(
  db: Reader,
  databaseId: string,
  id: string,
): Promise<ConfigurationChange | undefined> {
  const row = await db
    .selectFrom('configurationChanges')
    .selectAll()
    .where('id', '=', uuidOf(id))
    .where('databaseId', '=', uuidOf(databaseId))
    .executeTakeFirst();
  return row && changeOf(row);
}

/** Lists the changes of a database, newest first. */
export async function listConfigurationChanges(
  db: Reader,
  databaseId: string,
  page: {
    readonly limit: number;
    readonly statuses?: readonly ChangeStatus[] | undefined;
    readonly position?: readonly [string, string];
  },
): Promise<Page<ConfigurationChange, [string, string]>> {
  let query = db
    .selectFrom('configurationChanges')
    .selectAll()
    .where('databaseId', '=', uuidOf(databaseId))
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit + 1);
  if (page.statuses !== undefined) query = query.where('status', 'in', page.statuses);
  if (page.position !== undefined) {
    query = query.where(beyond(['createdAt', 'id'], '<', page.position));
  }
  return pageOf(await query.execute(), page.limit, changeOf, (row) => [
    row.createdAt.toISOString(),
    row.id,
  ]);
}

/**
 * Queued changes whose time has come and whose database has no unfinished job that excludes others, the oldest first. `after`:
 * ID of the last change of the previous page.
 */
export async function dueChanges(
  db: Reader,
  limit: number,
  after: string | undefined,
): Promise<readonly ConfigurationChange[]> {
  let query = db
    .selectFrom('configurationChanges as queued')
    .selectAll('queued')
    .where('queued.status', '=', 'QUEUED')
    .where((where) =>
      where.or([
        where('queued.applyAfter', 'is', null),
        where('queued.applyAfter', '<=', sql<Date>`clock_timestamp()`),
      ]),
    )
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('jobs')
            .select('jobs.id')
            .whereRef('jobs.databaseId', '=', 'queued.databaseId')
            .where('jobs.finishedAt', 'is', null)
            .where('jobs.exclusive', '=', true),
        ),
      ),
    )
    // IDs begin with the time.
    .orderBy('queued.id')
    .limit(limit);
  if (after !== undefined) query = query.where('queued.id', '>', uuidOf(after));
  return (await query.execute()).map(changeOf);
}

const jsonOrNull = (value: object | null) => (value === null ? null : JSON.stringify(value));

const changeOf = (row: Selectable<ConfigurationChangesTable>): ConfigurationChange => ({
  ...row,
  id: typeIdOfUuid('chg', row.id),
  organizationId: typeIdOfUuid('org', row.organizationId),
  databaseId: typeIdOfUuid('db', row.databaseId),
  status: row.status as ChangeStatus,
  origin: row.origin as ChangeOrigin,
  request: row.request,
  diff: row.diff as unknown as readonly FieldChange[],
  impact: row.impact as Impact,
  priceDelta: row.priceDelta as PriceDelta | null,
  jobId: typeIdOrNull('job', row.jobId),
  generation: row.generation === null ? null : Number(row.generation),
  replaced: row.replaced as ReplacedResource | null,
  error: row.error as ChangeError | null,
  actor: row.actor as Actor,
});
