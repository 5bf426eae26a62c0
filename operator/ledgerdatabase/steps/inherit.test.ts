import { expect, test } from '@jest/globals';
import { planOf } from '../../../test/support/operator/plan-of.ts';
import type { Observation } from '../observation.ts';

const absent = { claim: 'absent', pod: 'absent', service: 'right' } as const;

/** A new database of 2 GiB that names the volumes of a deleted one, which grew to `volumeGb`. */
function heirOf(volumeGb: number, limitGb?: number) {
  const seen = ({ database, inheritance }: Observation): Partial<Observation> => ({
    database: {
      ...database,
      spec: {
        ...database.spec,
        storage: { sizeGb: 2, ...(limitGb === undefined ? {} : { autogrow: { limitGb } }) },
      },
    },
    inheritance: {
      livingOwners: [],
      formerPods: [],
      claims: (inheritance?.claims ?? []).map((claim) => ({
        ...claim,
        spec: Object.assign({}, claim.spec, {
          resources: { requests: { storage: `${volumeGb}Gi` } },
        }),
      })),
    },
  });
  const made = { inherits: 'volumes', known: 'nothing', set: 'absent' } as const;
  return planOf(made, { 0: absent, 1: absent, 2: absent }, seen).draft;
}

test('volumes that have grown by themselves are taken over by the manifest that they outgrew', () => {
  const draft = heirOf(5, 100);
  expect(draft.stall).toBeUndefined();
  expect(draft.storageGb).toBe(5);
  expect(draft.facts.autogrow).toMatchObject({ sizeGb: 5 });
});

test('volumes larger than a size that somebody chose are not taken over', () => {
  expect(heirOf(5).stall).toMatchObject({ reason: 'VolumesMismatch' });
});

test('volumes larger than the limit of growing by itself are not taken over: they would be told, and counted, as smaller', () => {
  expect(heirOf(20, 10).stall).toMatchObject({
    reason: 'VolumesMismatch',
    message: expect.stringContaining('spec.storage.autogrow.limitGb'),
  });
  expect(heirOf(20, 20).storageGb).toBe(20);
});
