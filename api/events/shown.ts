/** Audit events in the API's form. */
import type { StoredEvent } from '../model/event.ts';

export type AuditEventRow = ReturnType<typeof shown>;

export const shown = (event: StoredEvent) => ({
  id: event.id,
  sequence: String(event.sequence),
  occurredAt: event.occurredAt.toISOString(),
  type: event.type as string,
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
  keyVersion: event.keyVersion,
  previousHash: event.previousHash.toString('hex'),
  hash: event.hash.toString('hex'),
});
