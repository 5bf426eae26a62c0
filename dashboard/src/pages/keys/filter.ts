/** The filters of the keys, kept in the address. */
import type { KeyFilter } from '../../data/settings-queries.ts';
import { given, textOf, wordOf } from '../../lib/search.ts';

export const statuses = [
  ['ACTIVE', 'Active'],
  ['ROTATING', 'Rotating'],
  ['EXPIRED', 'Expired'],
  ['REVOKED', 'Revoked'],
] as const;

export const permissions = [
  ['db:read', 'Read'],
  ['db:write', 'Write'],
] as const;

export const ends = [
  ['7', 'Within a week'],
  ['30', 'Within 30 days'],
  ['90', 'Within 90 days'],
] as const;

const wordsOf = <T extends string>(choices: readonly (readonly [T, string])[]): readonly T[] =>
  choices.map(([word]) => word);

export const readKeyFilter = (search: Record<string, unknown>): KeyFilter =>
  given({
    q: textOf(search['q'], 100),
    status: wordOf(search['status'], wordsOf(statuses)),
    permission: wordOf(search['permission'], wordsOf(permissions)),
    databaseId: textOf(search['databaseId'], 40),
    endsWithin: wordOf(search['endsWithin'], wordsOf(ends)),
  });
