import type { auditRoutes } from '../contract/routes/events.ts';
import type { HandlersOf } from '../http/handler.ts';
import { readCursor, shownPage } from '../http/paging.ts';
import { Refusal } from '../model/refusal.ts';
import type { Cursors } from '../store/cursor.ts';
import { listEvents } from '../store/events.ts';
import type { Store } from '../store/store.ts';
import type { StoredEvent } from '../model/event.ts';
import { eventTypes, type EventType } from '../model/event-types.ts';

export interface AuditServices {
  readonly store: Store;
  readonly cursors: Cursors;
}

export function auditHandlers({ store, cursors }: AuditServices): HandlersOf<typeof auditRoutes> {
  return {
    async listAuditEvents({ query, principal }) {
      const { limit, cursor, ...filter } = query;
      const list = { of: 'audit-events', ...filter };
      const position = readCursor(cursors, list, cursor, 1);
      const { type, actorId, targetId, after, before } = filter;
      const page = await listEvents(
        store.read,
        principal.organization.id,
        {
          ...(type && { types: type.map(knownType) }),
          ...(actorId !== undefined && { actorId }),
          ...(targetId !== undefined && { subjectId: checkedId(targetId) }),
          ...(after !== undefined && { after: new Date(after) }),
          ...(before !== undefined && { before: new Date(before) }),
        },
        { limit, ...(position && { position }) },
      );
      return { status: 200, body: shownPage(cursors, list, limit, page, shown) };
    },
  };
}

const shown = (event: StoredEvent) => ({
  id: event.id,
  sequence: String(event.sequence),
  occurredAt: event.occurredAt.toISOString(),
  type: event.type,
  outcome: event.outcome,
  actor: event.author.actor,
  ip: event.author.ip,
  userAgent: event.author.userAgent,
  organizationId: event.organizationId,
  databaseId: event.databaseId,
  target: event.subject,
  data: event.data as Record<string, unknown>,
  changes: event.changes,
  requestId: event.author.requestId,
  previousHash: event.previousHash.toString('hex'),
  hash: event.hash.toString('hex'),
});

function knownType(type: string): EventType {
  if (type in eventTypes) return type as EventType;
  throw invalid('type', `There are no events ${type.slice(0, 64)}.`);
}

function checkedId(id: string): string {
  if (/^[a-z]{2,4}_[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(id)) return id;
  throw invalid('targetId', `${id.slice(0, 64)} is no ID.`);
}

const invalid = (parameter: string, detail: string) =>
  new Refusal('invalid_parameter', {
    detail,
    errors: [{ parameter, code: 'invalid_value', detail }],
  });
