import { sql } from 'kysely';

/** A page of a list. A position holds the sort columns of the last row, so rows may come and go meanwhile. */
export interface Page<Row, Position extends readonly string[]> {
  readonly rows: readonly Row[];
  /** Position of the next page; `undefined`: there is none. */
  readonly next: Position | undefined;
}

/** Makes a page from at most `limit` + 1 rows; the extra row tells that there is a next page. */
export function pageOf<Raw, Row, Position extends readonly string[]>(
  raw: readonly Raw[],
  limit: number,
  rowOf: (raw: Raw) => Row,
  positionOf: (raw: Raw) => Position,
): Page<Row, Position> {
  const shown = raw.slice(0, limit);
  const last = shown.at(-1);
  return {
    rows: shown.map(rowOf),
    next: raw.length > limit && last !== undefined ? positionOf(last) : undefined,
  };
}

/** Condition for rows whose column contains the text, whatever the case of letters. Not LIKE: the text may contain its wildcards. */
export const contains = (column: string, text: string) =>
  sql<boolean>`strpos(lower(${sql.ref(column)}), lower(${text})) > 0`;

/** Condition for the rows after a position, in a list that is sorted by these two columns. */
export const beyond = (
  [first, second]: readonly [string, string],
  comparison: '<' | '>',
  position: readonly [string, string],
) =>
  sql<boolean>`(${sql.ref(first)}, ${sql.ref(second)}) ${sql.raw(comparison)} (${position[0]}, ${position[1]})`;
