/** The filters of the audit log, kept in the address. */
import { given, textOf } from '../../lib/search.ts';

export const readAuditSearch = (search: Record<string, unknown>) =>
  given({
    type: textOf(search['type'], 64),
    actorId: textOf(search['actorId'], 64),
    targetId: textOf(search['targetId'], 64),
    after: textOf(search['after'], 40),
    before: textOf(search['before'], 40),
  });

export type AuditSearch = ReturnType<typeof readAuditSearch>;
