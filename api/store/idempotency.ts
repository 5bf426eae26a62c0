/**
 * Idempotency keys (draft-ietf-httpapi-idempotency-key-header-07): a request repeated with its key is executed once and gets the
 * same answer for a day. The answer is committed with the request's changes: a crash after the commit repeats nothing.
 */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Change } from './change.ts';
import { sweepRows } from './sweeping.ts';
import type { Reader } from './tables.ts';

export interface IdempotencyKey {
  /** TypeID of the caller's credential. Each has its own keys. */
  readonly principal: string;
  readonly key: string;
}

type IdempotencyStart =
  /** The caller must execute the request and end it with `token`. */
  | { readonly kind: 'begun'; readonly token: string }
  /** `sealed`: the answer, encrypted; null: a release that did not encrypt answers has carried out the request. */
  | { readonly kind: 'answered'; readonly sealed: Buffer | null }
  | { readonly kind: 'in_progress' }
  /** The key was used with another request before. */
  | { readonly kind: 'reused' };

/** The lease had run out and another process took over the request. The change that throws this is rolled back. */
export class IdempotencyLeaseLost extends Error {
  override readonly name = 'IdempotencyLeaseLost';
  readonly code = 'idempotency_in_progress';
}

const lifetimeMs = 24 * 60 * 60 * 1_000;

/** Begins a request. `requestHash`: SHA-256 of the request. `leaseMs`: must be longer than the request may take. */
export async function beginIdempotent(
  db: Reader,
  { principal, key }: IdempotencyKey,
  requestHash: Buffer,
  leaseMs: number,
): Promise<IdempotencyStart> {
  const token = randomUUID();
  // The statement takes the key if it is new or expired, or if the lease of the same request has run out.
  const { rows } = await sql<{ token: string | null }>`
    INSERT INTO idempotency_keys AS held
      (principal, key, request_hash, token, lease_until, expires_at)
    VALUES (
      ${principal}, ${key}, ${requestHash}, ${token},
      clock_timestamp() + ${leaseMs} * interval '1 millisecond',
      clock_timestamp() + ${lifetimeMs} * interval '1 millisecond'
    )
    ON CONFLICT (principal, key) DO UPDATE SET
      request_hash = excluded.request_hash, token = excluded.token, lease_until = excluded.lease_until,
      response = NULL, sealed_answer = NULL, created_at = clock_timestamp(), expires_at = excluded.expires_at
    WHERE held.expires_at < clock_timestamp()
      OR (held.lease_until < clock_timestamp() AND held.request_hash = excluded.request_hash)
    RETURNING token`.execute(db);
  if (rows.length > 0) return { kind: 'begun', token };
  const held = await db
    .selectFrom('idempotencyKeys')
    .select(['requestHash', 'token', 'sealedAnswer'])
    .where('principal', '=', principal)
    .where('key', '=', key)
    .executeTakeFirst();
  // The key was abandoned between the two statements. The client tries again, as it does with a request in progress.
  if (held === undefined) return { kind: 'in_progress' };
  if (!held.requestHash.equals(requestHash)) return { kind: 'reused' };
  if (held.token !== null) return { kind: 'in_progress' };
  return { kind: 'answered', sealed: held.sealedAnswer };
}

/** Stores the encrypted answer in the change that executes the request. */
export async function endIdempotent(change: Change, token: string, sealed: Buffer): Promise<void> {
  const { numUpdatedRows } = await change.db
    .updateTable('idempotencyKeys')
    .set({ token: null, leaseUntil: null, sealedAnswer: sealed })
    .where('token', '=', token)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) {
    throw new IdempotencyLeaseLost('another request with this key took over');
  }
}

/** Releases a key whose request did nothing, as if it had never been used. */
export async function abandonIdempotent(db: Reader, token: string): Promise<void> {
  await db.deleteFrom('idempotencyKeys').where('token', '=', token).execute();
}

/** Deletes expired keys; returns their number. */
export function sweepIdempotencyKeys(db: Reader): Promise<number> {
  return sweepRows(db, 'idempotencyKeys', sql`expires_at < clock_timestamp()`);
}
