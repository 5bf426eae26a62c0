import type { Database } from '../store/database-record.ts';
import { findActiveJob } from '../store/jobs.ts';
import type { Reader } from '../store/tables.ts';

/** Whether a database that begins with an import still needs its files. */
export async function isBeingMade(db: Reader, { id, status, readyAt }: Database): Promise<boolean> {
  if (readyAt !== null) return false;
  if (status === 'PROVISIONING' || status === 'SUSPENDED') return true;
  // A retry of its job is queued, or has just begun.
  return status === 'FAILED' && (await findActiveJob(db, id)) !== undefined;
}
