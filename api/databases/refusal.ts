/** Refusals that several operations on a database share. */
import { Refusal } from '../model/refusal.ts';
import type { Database } from '../store/database-record.ts';

export const databaseNotFound = (id: string): Refusal =>
  new Refusal('database_not_found', { detail: `There is no database ${id}.` });

/** A deleted database can still be read and restored, but nothing else may change it. */
export const deletedAlready = ({ id, name, status, purgeAt }: Database): Refusal =>
  new Refusal('database_not_found', {
    detail: `${name} (${id}) is ${status === 'DELETING' ? 'being deleted' : 'deleted'}${purgeAt === null ? '' : `; it can be restored until ${purgeAt.toISOString()}`}.`,
  });

export const changedMeanwhile = (): Refusal =>
  new Refusal('precondition_failed', {
    detail: 'The database has changed since the version that If-Match names. Read it again.',
  });
