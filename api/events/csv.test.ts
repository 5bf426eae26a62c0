import { expect, test } from '@jest/globals';
import { csvHead, csvLine } from './csv.ts';
import type { AuditEventRow } from './shown.ts';

const event: AuditEventRow = {
  id: 'evt_1',
  sequence: '1',
  occurredAt: '2026-01-01T00:00:00.000Z',
  type: 'member.joined',
  outcome: 'SUCCESS',
  actor: { type: 'user', id: null, display: '=HYPERLINK("http://x","y")' },
  ip: null,
  userAgent: '@SUM(1)\n',
  organizationId: 'org_1',
  databaseId: null,
  target: { type: 'member', id: null, display: 'Anna, "the first"' },
  data: { a: 1 },
  changes: [],
  requestId: null,
  keyVersion: null,
  previousHash: '00',
  hash: '01',
};

test('a spreadsheet takes no text of others for a formula', () => {
  const line = csvLine(event);
  expect(line).toContain(`"'=HYPERLINK(""http://x"",""y"")"`);
  expect(line).toContain(`"'@SUM(1)\n"`);
});

test('commas and quotes stay in their cell', () => {
  expect(csvLine(event)).toContain(`"Anna, ""the first"""`);
  expect(csvHead.trim().split(',')).toHaveLength(21);
});
