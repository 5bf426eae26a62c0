import type { ProblemCode } from '../contract/problems.ts';

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
