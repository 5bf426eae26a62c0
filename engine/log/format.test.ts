import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { SectionKind } from '../ledger/checkpoint.ts';
import { TableId } from '../ledger/checkpoint-tables.ts';
import { FORMAT_VERSION, PAUSE_TABLE, RULES_TABLE, SESSIONS_TABLE } from './layout.ts';

// This unit test reads one file, the document under test.
const text = readFileSync(join(import.meta.dirname, 'FORMAT.md'), 'utf8');

test('FORMAT.md lists every table, every kind of section and every record, and no others', () => {
  const tables = section('## Tables');
  const listed = [...tables.matchAll(/^\| (\d+) \| (\w+) \|/gm)].map(([, id, name]) => [
    name,
    Number(id),
  ]);
  expect(listed).toEqual([
    ...Object.entries(TableId),
    ['sessions', SESSIONS_TABLE],
    ['rules', RULES_TABLE],
    ['pause', PAUSE_TABLE],
  ]);
  const kinds = [...section('## Manifest').matchAll(/^\| (\d+) \| (append|update|replace) \|/gm)];
  expect(kinds.map(([, id, name]) => [name, Number(id)])).toEqual(Object.entries(SectionKind));
  for (const magic of ['LHLEDGER', 'LMRK', 'LGRP', 'LMAN']) expect(text).toContain(`\`${magic}\``);
  expect(text).toContain(`format version ${FORMAT_VERSION}`);
});

function section(title: string): string {
  const start = text.indexOf(`${title}\n`);
  expect(start).toBeGreaterThan(0);
  const end = text.indexOf('\n## ', start + 1);
  return text.slice(start, end);
}
