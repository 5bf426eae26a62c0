import { expect, test } from '@jest/globals';
import { catalogSpec } from '../../test/fixtures/catalog.ts';
import type { Choice } from '../databases/choose.ts';
import { Refusal } from '../model/refusal.ts';
import { requireFilesFit } from './files-fit.ts';

const file = { sizeBytes: 14 * 2 ** 30, sha256: 'd'.repeat(64) };
const facts = {
  files: { clusterId: '77', files: [file, file, file] },
  release: '0.17.7',
  sizeBytes: 0,
  storedBytes: 0,
  seconds: 1,
};
const fitting = {
  engine: 'TigerBeetle',
  engineVersion: '0.17.9',
  clusterConfiguration: 'ha-3',
  selectedStorageGb: 16,
} as Choice;
const catalog = {
  ...catalogSpec(),
  engines: [
    {
      name: 'TigerBeetle',
      defaultVersion: '0.17.9',
      versions: [
        { version: '0.17.9', release: '0.17.9' },
        { version: '0.17.4', release: '0.17.4' },
      ],
    },
  ],
} as unknown as Parameters<typeof requireFilesFit>[3];

function refusedFor(change: Partial<Choice>, request = {}): readonly string[] {
  try {
    requireFilesFit({ facts }, { ...fitting, ...change }, request, catalog);
    return [];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { errors = [] } = error.occasion;
    return errors.map(({ code }) => code);
  }
}

test('a backup of data files fits TigerBeetle of its topology, of no older release, with room for the files', () => {
  expect(refusedFor({})).toEqual([]);
  expect(refusedFor({ engine: 'Builtin' })).toEqual(['engine_unsupported']);
  expect(refusedFor({ clusterConfiguration: 'single' })).toEqual(['topology_differs']);
  expect(refusedFor({ engineVersion: '0.17.4' })).toEqual(['release_newer']);
  // An eighth of the volume stays free.
  expect(refusedFor({ selectedStorageGb: 15 })).toEqual(['files_too_large']);
  expect(refusedFor({}, { dropTimeouts: true })).toEqual(['timeouts_kept']);
});
