import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { ClusterNotes } from '../../tools/test/left-clusters.ts';

let folder: string;
let notes: ClusterNotes;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-notes-'));
  notes = new ClusterNotes(join(folder, 'clusters'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const pidOfTheDead = () => spawnSync(process.execPath, ['--version']).pid;

test('a cluster whose test was killed is left, one whose test still runs is not', () => {
  notes.add('/tmp/one', pidOfTheDead());
  notes.add('/tmp/two');
  expect(notes.left()).toEqual(['/tmp/one']);
});

test('one that was taken down is not left', () => {
  notes.add('/tmp/one', pidOfTheDead());
  notes.remove('/tmp/one');
  expect(notes.left()).toEqual([]);
});
