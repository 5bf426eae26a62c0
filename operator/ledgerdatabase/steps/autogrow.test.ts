import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { planOf } from '../../../test/support/operator/plan-of.ts';
import type { CatalogObject } from '../../../domain/custom-resources.ts';
import type { Observation } from '../observation.ts';
import { statusOf } from '../status.ts';

interface Case {
  readonly limitGb?: number;
  readonly usedPart?: number;
  /** Age of the engines' answer, in milliseconds; the volumes have had their size for an hour. */
  readonly ageMs?: number;
  readonly tier?: Partial<CatalogObject['spec']['storageTiers'][number]>;
  readonly expandable?: 'yes' | 'no';
  /** Size in the spec; the volumes have `volumeGb`. */
  readonly sizeGb?: 1 | 2 | 5;
  readonly volumeGb?: 1 | 2 | 5;
  readonly recordedGb?: number;
  /** Whether that was decided just now rather than long ago. */
  readonly justNow?: boolean;
  readonly storageReady?: 'True' | 'False';
  /** Age of the condition `StorageReady` in milliseconds; an hour by default. */
  readonly storageReadyAgeMs?: number;
  /** Size in the status; that of the record or the spec by default. */
  readonly statusGb?: number;
}

const hour = 3_600_000;
const timeOf = (ms: number) => new Date(ms).toISOString();

/** The plan for a healthy database of 2 GiB with `autogrow` and the differences of the case. */
function planFor(made: Case) {
  const { limitGb = 100, usedPart = 0.9, ageMs = 0, storageReady = 'True', recordedGb } = made;
  const { justNow = false, expandable = 'yes', sizeGb = 2, volumeGb = 2, tier = {} } = made;
  const { storageReadyAgeMs = hour, statusGb = recordedGb ?? sizeGb } = made;
  const volume = { requestedGb: volumeGb, capacityGb: volumeGb } as const;
  const changes = { size: 'lh-40', sizeGb, version: 'old' } as const;
  const seen = ({ database, catalog, nowMs }: Observation): Partial<Observation> => {
    const status = database.status ?? {};
    const condition = {
      type: 'StorageReady',
      status: storageReady,
      reason: 'InSize',
      message: '',
      lastTransitionTime: timeOf(nowMs - storageReadyAgeMs),
      observedGeneration: database.metadata.generation ?? 0,
    } as const;
    return {
      database: {
        ...database,
        spec: { ...database.spec, storage: { ...database.spec.storage, autogrow: { limitGb } } },
        status: {
          ...status,
          conditions: [condition],
          storage: { requestedGb: statusGb, acknowledgedGb: volumeGb },
          ...(recordedGb === undefined
            ? {}
            : { autogrow: { sizeGb: recordedGb, at: timeOf(nowMs - (justNow ? 0 : hour)) } }),
        },
      },
      capacity: {
        reason: 'Enough',
        message: 'no limit is near',
        storage: { usedPart, atMs: nowMs - ageMs },
      },
      ...(catalog === undefined
        ? {}
        : {
            catalog: {
              ...catalog,
              spec: {
                ...catalog.spec,
                storageTiers: catalog.spec.storageTiers.map((row) => ({ ...row, ...tier })),
              },
            },
          }),
    };
  };
  const replicas = { 0: volume, 1: volume, 2: volume };
  const { draft, observed } = planOf({ changes, expandable }, replicas, seen);
  const status = statusOf(observed, draft);
  const condition = status.conditions?.find(({ type }) => type === 'Autogrow');
  const requests = draft.actions
    .filter(({ purpose }) => purpose === 'growth')
    .map((action) => JSON.stringify('patch' in action ? action.patch : {}));
  return { draft, observed, status, condition, requests };
}

test('storage of which 85 % are used grows by 20 %, and the decision is recorded', () => {
  const { draft, status, condition, requests } = planFor({
    sizeGb: 5,
    volumeGb: 5,
    usedPart: 0.85,
  });
  expect(draft.facts.autogrow).toMatchObject({ sizeGb: 6, fromGb: 5, usedPercent: 85 });
  expect(status.storage?.requestedGb).toBe(6);
  expect(condition).toMatchObject({ status: 'True', reason: 'Watching' });
  expect(requests).toHaveLength(3);
  expect(requests[0]).toContain('6Gi');
});

test('storage that has room does not grow', () => {
  expect(planFor({ usedPart: 0.84 }).draft.storageGb).toBe(2);
});

test('a recorded growth stays, whatever smaller size the spec says', () => {
  const { draft, requests } = planFor({ usedPart: 0, recordedGb: 5, volumeGb: 5 });
  expect(draft.storageGb).toBe(5);
  expect(requests).toEqual([]);
});

test.each<[string, Case]>([
  ['an answer of before the last growth', { ageMs: 2 * hour }],
  ['volumes that are still growing', { recordedGb: 3 }],
  ['volumes that have just been told to be too small', { storageReady: 'False' }],
])('%s: storage does not grow again', (_, made) => {
  const { draft } = planFor(made);
  expect(draft.storageGb).toBe(made.recordedGb ?? 2);
});

test.each<[string, Case, string, string]>([
  ['its own limit', { limitGb: 2 }, 'LimitReached', 'spec.storage.autogrow.limitGb'],
  ["the tier's maximum", { tier: { maxGb: 2 } }, 'LimitReached', 'the maximum of its tier'],
  ['a tier that cannot grow', { tier: { growable: false } }, 'NotGrowable', 'cannot grow'],
  ['a class that cannot grow', { expandable: 'no' }, 'NotGrowable', 'does not let volumes grow'],
])('%s ends the growth, and the condition says so', (_, made, reason, words) => {
  const { draft, condition } = planFor(made);
  expect(draft.storageGb).toBe(2);
  expect(condition).toMatchObject({ status: 'False', reason });
  expect(condition?.message).toContain(words);
});

test('a growth that no volume has reached is withdrawn by a lower limit', () => {
  expect(planFor({ recordedGb: 5, limitGb: 3, usedPart: 0 }).draft.storageGb).toBe(3);
});

test('a limit between two steps of the tier withdraws the growth to the step below it', () => {
  const { draft } = planFor({ recordedGb: 6, limitGb: 5, usedPart: 0, tier: { stepGb: 2 } });
  expect(draft.stall).toBeUndefined();
  expect(draft.storageGb).toBe(4);
});

test('with storage that grows by itself, the size cannot be less than the volumes have', () => {
  const { draft, status } = planFor({ sizeGb: 1, volumeGb: 5, usedPart: 0, statusGb: 5 });
  expect(draft.storageGb).toBe(5);
  expect(status.storage).toMatchObject({ requestedGb: 5, acknowledgedGb: 5 });
});

test('an answer of the second in which the volumes got their size may be older: nothing grows', () => {
  expect(planFor({ storageReadyAgeMs: 1_900, ageMs: 1_000 }).draft.storageGb).toBe(2);
  expect(planFor({ storageReadyAgeMs: 1_900, ageMs: 0 }).draft.storageGb).toBe(3);
});

test('a clock that ran ahead under another operator does not end the growth', () => {
  const { draft } = planFor({ storageReadyAgeMs: -24 * hour });
  expect(draft.facts.autogrow).toMatchObject({ sizeGb: 3 });
});

test('for any request, growth stays within every limit and keeps the steps of the tier', () => {
  let grown = 0;
  fc.assert(
    fc.property(
      fc.record({
        limitGb: fc.integer({ min: 2, max: 12 }),
        usedPart: fc.constantFrom(0, 0.84, 0.85, 0.9, 0.99, 1, 1.1),
        ageMs: fc.constantFrom(0, 0, hour / 2, 2 * hour),
        tier: fc.record({
          minGb: fc.constant(1),
          maxGb: fc.integer({ min: 5, max: 10 }),
          stepGb: fc.constantFrom(1, 1, 2),
          growable: fc.constantFrom(true, true, false),
        }),
        expandable: fc.constantFrom('yes', 'yes', 'no'),
        sizeGb: fc.constantFrom(1, 2, 5),
        volumeGb: fc.constantFrom(2, 5, 5),
        storageReady: fc.constantFrom('True', 'True', 'False'),
      }),
      (made) => {
        const { draft } = planFor(made);
        const { autogrow } = draft.facts;
        if (autogrow === undefined) return;
        grown += 1;
        expect(autogrow.sizeGb).toBeLessThanOrEqual(Math.min(made.limitGb, made.tier.maxGb));
        expect(autogrow.sizeGb).toBeGreaterThan(Math.max(made.sizeGb, made.volumeGb));
        expect(autogrow.sizeGb % made.tier.stepGb).toBe(0);
        expect(made.usedPart).toBeGreaterThanOrEqual(0.85);
        expect([made.ageMs < hour, made.tier.growable, made.expandable]).toEqual([
          true,
          true,
          'yes',
        ]);
        // And what is planned next, with the decision on record, asks for nothing more.
        const next = planFor({ ...made, recordedGb: autogrow.sizeGb, justNow: true }).draft;
        expect(next.storageGb).toBe(autogrow.sizeGb);
      },
    ),
    { numRuns: 400 },
  );
  expect(grown).toBeGreaterThanOrEqual(5);
});
