/** Lists in pages: turns the store's positions into cursors for the client, and cursors into positions. */
import type { Cursors } from '../store/cursor.ts';
import type { Page } from '../store/page.ts';
import { Refusal } from '../model/refusal.ts';

interface Positions {
  1: readonly [string];
  2: readonly [string, string];
}

/**
 * Position in a cursor; `undefined`: the first page. `list` identifies the list with its filters; `width` is the position's
 * length.
 */
export function readCursor<const Width extends 1 | 2>(
  cursors: Cursors,
  list: object,
  cursor: string | undefined,
  width: Width,
): Positions[Width] | undefined {
  if (cursor === undefined) return undefined;
  const position = cursors.read(list, cursor);
  if (position?.length !== width) {
    throw new Refusal('invalid_cursor', {
      detail:
        'The cursor is too old, or belongs to another list or other filters. Begin without a cursor.',
      errors: [
        {
          parameter: 'cursor',
          code: 'invalid_cursor',
          detail: 'The cursor does not belong to this list.',
        },
      ],
    });
  }
  // The cursor is signed: only a position written for this list is accepted.
  return position as unknown as Positions[Width];
}

export function shownPage<Row, Shown, Position extends readonly string[]>(
  cursors: Cursors,
  list: object,
  limit: number,
  { rows, next }: Page<Row, Position>,
  show: (row: Row) => Shown,
) {
  return {
    data: rows.map(show),
    page: {
      limit,
      nextCursor: next === undefined ? null : cursors.write(list, next),
      hasMore: next !== undefined,
    },
  };
}
