/** A step of the schema. A step that a release has shipped is never edited; a later step changes the schema. */
export interface Migration {
  /** Greater than those of the steps before. Steps that are written at the same time take numbers apart, so gaps are allowed. */
  readonly number: number;
  readonly name: string;
  /** SQL statements; they run in one transaction with all other steps that are due. */
  readonly sql: string;
}
