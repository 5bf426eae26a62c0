/** The newest slow and failed requests of each database. */
import { sql } from 'kysely';
import { uuidOf } from './ids.ts';
import { pageOf, type Page } from './page.ts';
import { sweptAtOnce } from './sweeping.ts';
import type { Reader } from './tables.ts';

export interface RemarkableRequest {
  readonly databaseId: string;
  readonly at: Date;
  readonly operation: string;
  /** Code of the problem; null: it was answered. */
  readonly code: string | null;
  readonly events: number;
  readonly durationMs: number;
  /** Time in the engine; null: it did not answer. */
  readonly ledgerMs: number | null;
  readonly requestId: string;
  readonly credentialId: string;
  readonly standsFor: number;
}

/** Maximum number of rows kept of a database. */
const requestsKept = 1_000;

export async function writeRequests(
  db: Reader,
  requests: readonly RemarkableRequest[],
): Promise<void> {
  if (requests.length === 0) return;
  await db
    .insertInto('remarkableRequests')
    .values(requests.map((row) => ({ ...row, databaseId: uuidOf(row.databaseId) })))
    .execute();
}

interface RequestFilter {
  /** Only failed requests, or only others. */
  readonly failed?: boolean;
  readonly from?: Date;
  /** Exclusive. */
  readonly to?: Date;
}

/** Lists them, newest first. */
export async function listRequests(
  db: Reader,
  databaseId: string,
  { failed, from, to }: RequestFilter,
  page: { readonly limit: number; readonly position?: readonly [id: string] },
): Promise<Page<RemarkableRequest & { readonly id: string }, [string]>> {
  let query = db
    .selectFrom('remarkableRequests')
    .selectAll()
    .where('databaseId', '=', uuidOf(databaseId))
    .orderBy('id', 'desc')
    .limit(page.limit + 1);
  if (failed !== undefined) query = query.where('code', failed ? 'is not' : 'is', null);
  if (from !== undefined) query = query.where('at', '>=', from);
  if (to !== undefined) query = query.where('at', '<', to);
  if (page.position !== undefined) query = query.where('id', '<', page.position[0]);
  return pageOf(
    await query.execute(),
    page.limit,
    (row) => ({ ...row, databaseId }),
    (row) => [row.id],
  );
}

/** Deletes rows of each database beyond the maximum. Returns their number. */
export async function sweepRequests(db: Reader): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM remarkable_requests WHERE id IN (
      SELECT id FROM (
        SELECT id, row_number() OVER (PARTITION BY database_id ORDER BY id DESC) AS place FROM remarkable_requests
      ) AS placed WHERE place > ${requestsKept} LIMIT ${sweptAtOnce})
  `.execute(db);
  return Number(numAffectedRows ?? 0n);
}
