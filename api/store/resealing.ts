/** Seals signing secrets again after the signing key was rotated, so that they do not depend on the earlier key. */
import { sql } from 'kysely';
import { typeIdOfUuid } from '../../domain/type-id.ts';
import type { Sealer } from './sealing.ts';
import type { Reader } from './tables.ts';

const atOnce = 100;

interface SealedTable {
  readonly name: string;
  /** Prefix of its rows' TypeIDs, to which the secrets are bound. */
  readonly prefix: string;
}

/** All tables with secrets that sign requests to receivers. */
const sealedTables: readonly SealedTable[] = [
  { name: 'webhook_endpoints', prefix: 'whe' },
  { name: 'change_streams', prefix: 'chs' },
];

/**
 * Seals all secrets again that another key than the present one sealed. Returns the number of rows. Rows that no key opens do
 * not delay others; rejects if only such rows are left: a key is missing.
 */
export async function resealSecrets(db: Reader, sealer: Sealer): Promise<number> {
  const failures: unknown[] = [];
  let sealed = 0;
  for (const table of sealedTables) sealed += await resealTable(db, sealer, table, failures);
  if (failures.length > 0 && sealed === 0) {
    throw new AggregateError(failures, 'secrets that sign cannot be sealed anew');
  }
  return sealed;
}

async function resealTable(
  db: Reader,
  sealer: Sealer,
  table: SealedTable,
  failures: unknown[],
): Promise<number> {
  let sealed = 0;
  let after: string | null = null;
  for (;;) {
    const rows: readonly Sealed[] = await sealedOtherwise(db, sealer, table, after);
    for (const row of rows) {
      try {
        await reseal(db, sealer, table, row);
        sealed += 1;
      } catch (error) {
        failures.push(error);
      }
    }
    after = rows.at(-1)?.id ?? null;
    if (rows.length < atOnce) return sealed;
  }
}

interface Sealed {
  readonly id: string;
  readonly sealedSecret: Buffer;
  readonly previousSealedSecret: Buffer | null;
}

/** Rows after `after` whose secrets another key sealed. */
async function sealedOtherwise(
  db: Reader,
  sealer: Sealer,
  { name }: SealedTable,
  after: string | null,
): Promise<readonly Sealed[]> {
  const { rows } = await sql<Sealed>`
    SELECT id, sealed_secret, previous_sealed_secret FROM ${sql.table(name)}
    WHERE sealed_by IS DISTINCT FROM ${sealer.version} AND (${after}::uuid IS NULL OR id > ${after}::uuid)
    ORDER BY id LIMIT ${atOnce}`.execute(db);
  return rows;
}

async function reseal(
  db: Reader,
  sealer: Sealer,
  { name, prefix }: SealedTable,
  { id, sealedSecret, previousSealedSecret: previous }: Sealed,
): Promise<void> {
  const context = typeIdOfUuid(prefix, id);
  const again = (secret: Buffer) => sealer.seal(context, sealer.open(context, secret));
  // Another worker may have been faster, or a person may have replaced the secret.
  await sql`
    UPDATE ${sql.table(name)} SET sealed_secret = ${again(sealedSecret)},
      previous_sealed_secret = ${previous && again(previous)}, sealed_by = ${sealer.version}
    WHERE id = ${id} AND sealed_secret = ${sealedSecret}
      AND previous_sealed_secret IS NOT DISTINCT FROM ${previous}`.execute(db);
}
