import { expect, test } from '@jest/globals';
import { VirtualTimers } from '../../test/support/operator/virtual-timers.ts';
import type { Context } from '../context.ts';
import { resumeImport } from './resume.ts';
import type { ImportSource, SourceFile } from './source-files.ts';
import { awaitTrial } from './trial.ts';

/** A service that shows one import, and what the command notes. */
function shownBy(service: object) {
  const notes: string[] = [];
  const document = () => ({ import: { id: 'imp_1', report: null, files: [], ...service } });
  const context = {
    timers: new VirtualTimers(),
    output: { note: (text: string) => notes.push(text), warn: (text: string) => notes.push(text) },
    service: () => Promise.resolve({ exchange: { send: () => Promise.resolve({ document }) } }),
  } as unknown as Context;
  return { context, notes, found: document().import as never };
}

test.each(['EXPIRED', 'USED'])(
  'rows that are %s before their trial has told anything are not called sound',
  async (status) => {
    const { context, notes, found } = shownBy({ status, databaseId: null });
    const { signal } = new AbortController();
    await expect(awaitTrial(context, { found, files: [] }, signal)).rejects.toMatchObject({
      fields: { code: 'import_not_resumable' },
    });
    expect(notes).toEqual([]);
  },
);

test('an upload of data files is resumed at an older service, which tells no kind', async () => {
  const file = { name: 'one.ledger', sizeBytes: 9, changedAt: new Date(0) };
  const { context, notes } = shownBy({
    status: 'UPLOADING',
    createdAt: '2026-11-26T00:00:00Z',
    files: [{ replicaIndex: 0, sizeBytes: 9, head: null }],
  });
  const source: ImportSource = {
    kind: 'DATA_FILES',
    files: [{ file, index: 0 } as unknown as SourceFile],
  };
  expect((await resumeImport(context, 'imp_1', source)).id).toBe('imp_1');
  expect(notes).toEqual([]);
});
