/** The filters of the audit log, kept in the address. */
import type { AuditFilter } from '../../data/settings-queries.ts';
import { given, textOf, wordOf } from '../../lib/search.ts';

export const outcomes = [
  ['SUCCESS', 'Success'],
  ['DENIED', 'Denied'],
  ['FAILED', 'Failed'],
] as const;

export const readAuditSearch = (search: Record<string, unknown>): AuditFilter =>
  given({
    type: textOf(search['type'], 64),
    outcome: wordOf(
      search['outcome'],
      outcomes.map(([word]) => word),
    ),
    actorId: textOf(search['actorId'], 64),
    targetId: textOf(search['targetId'], 64),
    databaseId: textOf(search['databaseId'], 40),
    after: textOf(search['after'], 40),
    before: textOf(search['before'], 40),
  });
