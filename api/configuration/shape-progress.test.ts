import { expect, test } from '@jest/globals';
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import { labels } from '../../domain/names.ts';
import { begunOf, goesOn, whyNotBegun } from './shape-progress.ts';

const nowMs = Date.parse('2026-11-21T10:00:00Z');
const before = (minutes: number) => new Date(nowMs - minutes * 60_000).toISOString();

/** A resource of this age that is stalled since so many minutes. */
const resource = (
  minutes: number,
  status: { readonly bootstrapped?: boolean; readonly stalledFor?: number } = {},
): DatabaseObject =>
  ({
    metadata: { name: 'one', creationTimestamp: before(minutes) },
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
  const replaced = { backupId: 'bkp_of_this_change' };
  const from = (backupId: string) => made({ backup: { databaseId: id, backupId } });
  expect(goesOn({ id }, replaced, from('bkp_of_this_change'))).toBe(true);
  expect(goesOn({ id }, replaced, from('bkp_of_an_earlier_one'))).toBe(false);
  expect(goesOn({ id }, replaced, made())).toBe(false);
  const volumes = made({ volumes: { databaseId: id } });
  expect(goesOn({ id }, replaced, volumes)).toBe(false);
  const givenUp = { from: 'volumes', code: 'last_backup_failed', message: 'full' } as const;
  expect(goesOn({ id }, { ...replaced, givenUp }, volumes)).toBe(true);
});

test('a change ends though somebody stops the database meanwhile: to resume it must not wait for the change', () => {
  const stopped = (bootstrapped: boolean) =>
    ({ ...resource(3, { bootstrapped }), spec: { suspend: true } }) as DatabaseObject;
  expect(begunOf(stopped(true)).serves).toBe(true);
  expect(begunOf(stopped(false)).serves).toBe(false);
});
