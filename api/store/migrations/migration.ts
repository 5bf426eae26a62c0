/** A step of the schema. A step that a release has shipped is never edited; a later step changes the schema. */
export interface Migration {
  /** From 1, without gaps. */
  readonly number: number;
  readonly name: string;
  /** SQL statements; they run in one transaction with all other steps that are due. */
  readonly sql: string;
}
