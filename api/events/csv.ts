/** Audit events as CSV (RFC 4180). */
import type { AuditEventRow } from './shown.ts';

const columns: readonly [title: string, cell: (event: AuditEventRow) => string | null][] = [
  ['sequence', (event) => event.sequence],
  ['id', (event) => event.id],
  ['occurredAt', (event) => event.occurredAt],
  ['type', (event) => event.type],
  ['outcome', (event) => event.outcome],
  ['actorType', (event) => event.actor.type],
  ['actorId', (event) => event.actor.id],
  ['actorDisplay', (event) => event.actor.display],
  ['ip', (event) => event.ip],
  ['userAgent', (event) => event.userAgent],
  ['organizationId', (event) => event.organizationId],
  ['databaseId', (event) => event.databaseId],
  ['targetType', (event) => event.target.type],
  ['targetId', (event) => event.target.id],
  ['targetDisplay', (event) => event.target.display],
  ['requestId', (event) => event.requestId],
  ['data', (event) => JSON.stringify(event.data)],
  ['changes', (event) => JSON.stringify(event.changes)],
  ['keyVersion', (event) => event.keyVersion],
  ['previousHash', (event) => event.previousHash],
  ['hash', (event) => event.hash],
];

export const csvHead = `${columns.map(([title]) => title).join(',')}\r\n`;

export const csvLine = (event: AuditEventRow): string =>
  `${columns.map(([, cell]) => quoted(cell(event) ?? '')).join(',')}\r\n`;

/** Quotes a cell. Anybody can choose names and user agents, and a spreadsheet must not run them as formulas. */
function quoted(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
