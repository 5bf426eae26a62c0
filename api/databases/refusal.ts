import type { ProblemCode } from '../model/problems.ts';
import type { Database } from '../store/database-record.ts';

/** Why nothing was done: a row of the problem catalogue, this occasion's sentence, and its members. */
export interface Refusal {
  readonly refused: ProblemCode;
  readonly detail: string;
  readonly members?: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds?: number;
}

export const isRefusal = (result: object): result is Refusal => 'refused' in result;

export const databaseNotFound = (id: string): Refusal => ({
  refused: 'database_not_found',
  detail: `There is no database ${id}.`,
});

/** It can still be read and restored, but is none any more for whoever wants to change it. */
export const deletedAlready = ({ id, name, status, purgeAt }: Database): Refusal => ({
  refused: 'database_not_found',
  detail: `${name} (${id}) is ${status === 'DELETING' ? 'being deleted' : 'deleted'}${purgeAt === null ? '' : `; it can be restored until ${purgeAt.toISOString()}`}.`,
});
