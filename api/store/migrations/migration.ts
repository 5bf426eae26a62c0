/** A step of the schema. What a release has shipped is never edited: the next step changes it. */
export interface Migration {
  /** From 1, without gaps. */
  readonly number: number;
  readonly name: string;
  /** Statements; run in one transaction with all others that are due. */
  readonly sql: string;
}
