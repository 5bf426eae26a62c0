/** The filters of the members, kept in the address. */
import type { MemberFilter } from '../../data/settings-queries.ts';
import { given, textOf, wordOf } from '../../lib/search.ts';
import { roles } from './roles.ts';

export const readMemberFilter = (search: Record<string, unknown>): MemberFilter =>
  given({
    q: textOf(search['q'], 100),
    role: wordOf(
      search['role'],
      roles.map(({ id }) => id),
    ),
  });
