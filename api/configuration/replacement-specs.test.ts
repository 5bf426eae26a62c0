import { expect, test } from '@jest/globals';
import type { DatabaseObject, DatabaseSpec, TopologyName } from '../../domain/custom-resources.ts';
import { labels } from '../../domain/names.ts';
import type { ReplacedResource } from '../model/configuration-change.ts';
import { fromBackup } from './replacement-specs.ts';
import { goesOn, isWanted } from './shape-progress.ts';

const id = 'db_01k0000000e0080000000000a1';
const follows = { op: 70, timestamp: '1795372852090008189' };
const givenUp = { from: 'backup', code: 'new_shape_not_begun', message: 'no room' } as const;

const going = (topology: TopologyName, more: Partial<ReplacedResource> = {}) => {
  const spec = { topology, suspend: false, deletionProtection: false } as DatabaseSpec;
  const replaced = { uid: 'u', workload: 'w', clusterId: '5', spec, backupId: 'bkp_last', follows };
  return {
    change: { request: { restoredTo: { targetOp: 40 } } },
    database: { id, deletionProtection: true },
    replaced: { ...replaced, ...more },
  };
};

const made = (spec: DatabaseSpec): DatabaseObject =>
  ({
    metadata: { name: 'one', labels: { [labels.databaseId]: id } },
    spec,
  }) as unknown as DatabaseObject;

test('a database that goes back begins with the earlier state, after everything that it had, without streams, and as protected as before', () => {
  for (const topology of ['single', 'ha-3'] as const) {
    const work = going(topology);
    const spec = fromBackup(work, 'bkp_last');
    expect(spec).toMatchObject({
      topology,
      clusterId: '5',
      deletionProtection: true,
      changeDataCapture: { suspend: true },
    });
    expect(spec.bootstrap).toEqual({ backup: { databaseId: id, targetOp: 40, follows } });
    expect(goesOn(work, made(spec))).toBe(true);
    expect(isWanted(made(spec), work.change, work.replaced)).toBe(true);
  }
});

test('one that comes back after all has its last backup and its streams, and numbers behind the archive of several replicas', () => {
  const backup = { databaseId: id, backupId: 'bkp_last' };
  for (const [topology, begins] of [
    ['single', backup],
    ['ha-3', { ...backup, follows }],
  ] as const) {
    const work = going(topology, { givenUp });
    const spec = fromBackup(work, 'bkp_last');
    expect(spec.bootstrap).toEqual({ backup: begins });
    expect(spec.changeDataCapture).toBeUndefined();
    expect(goesOn(work, made(spec))).toBe(true);
    expect(isWanted(made(spec), work.change, work.replaced)).toBe(false);
  }
});

test('a database goes on in no resource that went back another time', () => {
  const earlier = { backup: { databaseId: id, targetOp: 40, follows: { ...follows, op: 69 } } };
  expect(goesOn(going('single'), made({ bootstrap: earlier } as DatabaseSpec))).toBe(false);
});

test('a database goes on in no resource that somebody made from an earlier manifest before its last backup is known', () => {
  const { replaced, ...work } = going('single');
  const { backupId: _, follows: __, ...asked } = replaced;
  const earlier = { backup: { databaseId: id, targetOp: 12, follows: { ...follows, op: 5 } } };
  expect(goesOn({ ...work, replaced: asked }, made({ bootstrap: earlier } as DatabaseSpec))).toBe(
    false,
  );
});
