import type { Database } from '../store/database-record.ts';
import { findDatabase } from '../store/databases.ts';
import type { Reader } from '../store/tables.ts';
import { databaseNotFound } from './refusal.ts';

/**
 * Returns a database of the organization, even a deleted one; throws a refusal if it has none with this ID. Every read of a
 * database's data must call this first: tables of figures and requests name only the database, so only this check keeps them
 * from other organizations.
 */
export async function requireDatabase(
  db: Reader,
  organizationId: string,
  id: string,
): Promise<Database> {
  const database = await findDatabase(db, organizationId, id);
  if (database === undefined) throw databaseNotFound(id);
  return database;
}
