import { expect, test } from '@jest/globals';
import type { DatabaseObject, DatabaseSpec } from '../../domain/custom-resources.ts';
import { labels } from '../../domain/names.ts';
import type { ReplacedResource } from '../model/configuration-change.ts';
import { begunOf, goesOn, whyNotBegun } from './shape-progress.ts';

const nowMs = Date.parse('2026-11-21T10:00:00Z');
const before = (minutes: number) => new Date(nowMs - minutes * 60_000).toISOString();

/** A resource of this age that is stalled since so many minutes. */
const resource = (
  minutes: number,
  status: {
    readonly bootstrapped?: boolean;
    readonly stalledFor?: number;
    readonly inPlace?: boolean;
    readonly goesBack?: boolean;
  } = {},
): DatabaseObject =>
  ({
    metadata: { name: 'one', creationTimestamp: before(minutes) },
    spec: {
      bootstrap: {
        ...(status.inPlace === true && { volumes: { databaseId: 'its' } }),
        ...(status.goesBack === true && { backup: { follows: { op: 1, timestamp: '1' } } }),
      },
    },
    status: {
      bootstrapped: status.bootstrapped ?? false,
      conditions:
        status.stalledFor === undefined
          ? []
          : [
              {
                type: 'Stalled',
                status: 'True',
                reason: 'FormatFailed',
                message: 'no node has room',
                lastTransitionTime: before(status.stalledFor),
              },
            ],
    },
  }) as unknown as DatabaseObject;

test('new replicas that get no data file in time are given up, with the reason', () => {
  expect(whyNotBegun(resource(14), nowMs)).toBeUndefined();
  expect(whyNotBegun(resource(16), nowMs)?.code).toBe('new_shape_not_begun');
  expect(whyNotBegun(resource(4, { inPlace: true }), nowMs)).toBeUndefined();
  expect(whyNotBegun(resource(6, { inPlace: true }), nowMs)?.code).toBe('new_shape_not_begun');
  // An earlier state may have much of the log to replay.
  expect(whyNotBegun(resource(59, { goesBack: true }), nowMs)).toBeUndefined();
  expect(whyNotBegun(resource(61, { goesBack: true }), nowMs)?.code).toBe('new_shape_not_begun');
  expect(whyNotBegun(resource(3, { stalledFor: 0.5 }), nowMs)).toBeUndefined();
  expect(whyNotBegun(resource(3, { stalledFor: 2 }), nowMs)?.message).toContain('No node has room');
});

test('replicas that may have run are never given up: they may have taken writes', () => {
  const begun = resource(600, { bootstrapped: true, stalledFor: 600 });
  expect(whyNotBegun(begun, nowMs)).toBeUndefined();
});

test('a database goes on in no resource that somebody made again from a manifest of before', () => {
  const id = 'db_01k0000000e0080000000000a1';
  const made = (bootstrap?: object) =>
    ({
      metadata: { name: 'one', labels: { [labels.databaseId]: id } },
      spec: { bootstrap },
    }) as unknown as DatabaseObject;
  const spec = { topology: 'single' } as DatabaseSpec;
  const request = { clusterConfiguration: 'ha-3' } as const;
  const of = (more: Partial<ReplacedResource>) => ({
    database: { id },
    change: { request },
    replaced: { spec, ...more },
  });
  const byBackup = of({ backupId: 'bkp_of_this_change' });
  const from = (backupId: string) => made({ backup: { databaseId: id, backupId } });
  expect(goesOn(byBackup, from('bkp_of_this_change'))).toBe(true);
  expect(goesOn(byBackup, from('bkp_of_an_earlier_one'))).toBe(false);
  expect(goesOn(byBackup, made())).toBe(false);
  const volumes = (topology: string, uid = 'its') => {
    const { metadata, spec: its } = made({ volumes: { databaseId: id } });
    return { metadata: { ...metadata, uid }, spec: { ...its, topology } } as DatabaseObject;
  };
  expect(goesOn(byBackup, volumes('single'))).toBe(false);
  const givenUp = { from: 'volumes', code: 'last_backup_failed', message: 'full' } as const;
  expect(goesOn(of({ backupId: 'bkp_of_this_change', givenUp }), volumes('single'))).toBe(true);
  // With the volumes in place it must have the shape that is wanted, or be one that is taken away.
  const inPlace = of({ inPlace: true });
  expect(goesOn(inPlace, volumes('ha-3'))).toBe(true);
  expect(goesOn(inPlace, volumes('single'))).toBe(false);
  expect(goesOn(inPlace, volumes('ha-6'))).toBe(false);
  expect(goesOn(inPlace, made())).toBe(false);
  expect(goesOn(of({ inPlace: true, givenUp }), volumes('single'))).toBe(true);
  expect(goesOn(of({ inPlace: true, removing: 'its' }), volumes('single'))).toBe(true);
});

test('a change ends though somebody stops the database meanwhile: to resume it must not wait for the change', () => {
  const stopped = (bootstrapped: boolean) =>
    ({ ...resource(3, { bootstrapped }), spec: { suspend: true } }) as DatabaseObject;
  expect(begunOf(stopped(true)).serves).toBe(true);
  expect(begunOf(stopped(false)).serves).toBe(false);
});

test('a database that goes on in place serves once a replica leads, whatever the others still fetch', () => {
  const begun = (inPlace: boolean, role: string) => {
    const made = resource(3, { bootstrapped: true, inPlace });
    const status = {
      ...made.status,
      resolved: { topology: { name: 'ha-3', replicas: 3 } },
      members: [{ index: 0, pod: 'one-0', state: 'Ready', role }],
      replicas: { ready: 1 },
    };
    return begunOf({ ...made, status } as unknown as DatabaseObject);
  };
  expect(begun(true, 'primary').serves).toBe(true);
  expect(begun(true, 'primary').message).toMatch(/serves; 1 of 3 .* fetch its state/);
  expect(begun(true, 'backup').serves).toBe(false);
  // One that begins with a backup has everything on all replicas, and is done when all are ready.
  expect(begun(false, 'primary').serves).toBe(false);
});
