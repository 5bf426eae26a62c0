/** Further volumes are made beside a single replica only while somebody asks for them, and nobody else's is touched. */
import { expect, test } from '@jest/globals';
import { planOf } from '../../../test/support/operator/plan-of.ts';
import type { Claim } from '../../../domain/kinds.ts';
import { annotations } from '../../../domain/names.ts';
import { targetOf } from '../actions.ts';
import type { Observation } from '../observation.ts';

const single = {
  kind: { engine: 'Builtin', topology: 'single' },
  changes: { size: 'lh-40', sizeGb: 2, version: 'none' },
} as const;

/** A database that is asked for this, beside these further volumes. */
const asking =
  (word: (nowMs: number) => string | undefined, further: readonly object[] = []) =>
  ({ database, owned, nowMs }: Observation): Partial<Observation> => {
    const [first] = owned.claims;
    if (first === undefined) throw new Error('there is no volume');
    const asked = word(nowMs);
    const claims = further.map((notes, index): Claim => {
      const { annotations: _, ...metadata } = first.metadata;
      const name = metadata.name?.replace(/0$/, String(index + 1)) ?? '';
      return {
        ...first,
        metadata: { ...metadata, name, uid: `further-${index}`, annotations: { ...notes } },
      };
    });
    return {
      live: true,
      owned: { ...owned, claims: [...owned.claims, ...claims] },
      database: {
        ...database,
        metadata: {
          ...database.metadata,
          ...(asked !== undefined && { annotations: { [annotations.nextTopology]: asked } }),
        },
      },
    };
  };

const forMinutes = (topology: string, minutes: number) => (nowMs: number) =>
  `${topology}/${new Date(nowMs + minutes * 60_000).toISOString()}`;

const done = (seen: ReturnType<typeof asking>, changes: object = {}) => {
  const { draft } = planOf({ ...single, ...changes }, {}, seen);
  return {
    ...draft,
    done: draft.actions
      // The version that runs is noted on whatever a volume's labels say.
      .filter(({ purpose }) => purpose !== 'record')
      .map((action) => {
        const { resource, name } = targetOf(action);
        return `${action.verb} ${resource.kind} ${name.replace(/^.*(?=-\d$)/, '…')}`;
      }),
  };
};

test('both further volumes are asked for, and are no part of the database that serves', () => {
  const draft = done(asking(forMinutes('ha-3', 10)));
  expect(draft.done).toEqual([
    'create PersistentVolumeClaim …-1',
    'create PersistentVolumeClaim …-2',
  ]);
  expect(draft.nextTopology).toEqual({
    name: 'ha-3',
    ready: false,
    message: '0 of 2 further data files exist',
  });
  expect(draft.stall).toBeUndefined();
  expect(draft.requeueAfterMs).toBeLessThanOrEqual(600_000);
});

/** A timer of more than 24 days fires at once, and would have the operator look without a pause. */
test('a time that somebody writes for years is looked at again within a day', () => {
  const { requeueAfterMs } = done(asking(forMinutes('ha-3', 10 * 365 * 24 * 60)));
  expect(requeueAfterMs).toBeGreaterThan(0);
  expect(requeueAfterMs).toBeLessThanOrEqual(24 * 3_600_000);
});

test.each([
  ['nobody asks', () => undefined],
  ['the time is over', forMinutes('ha-3', -1)],
  ['the word has no time', () => 'ha-3'],
  ['its time is none', () => 'ha-3/soon'],
  ['the catalog has no such topology', forMinutes('ha-4', 10)],
  ['it has one replica', forMinutes('single', 10)],
])('nothing is made if %s, and what was made goes', (_, word) => {
  expect(done(asking(word)).done).toEqual([]);
  const made = { [annotations.madeFor]: 'ha-3 1/1' };
  expect(done(asking(word, [made, { [annotations.madeFor]: 'ha-3' }])).done).toEqual([
    'delete PersistentVolumeClaim …-1',
    'delete PersistentVolumeClaim …-2',
  ]);
});

test('a volume that was made for another topology is not taken for this one’s', () => {
  const made = { [annotations.madeFor]: 'ha-6 1/1' };
  expect(done(asking(forMinutes('ha-3', 10), [made])).done).toEqual([
    'delete PersistentVolumeClaim …-1',
  ]);
});

test.each([
  ['has no note', {}],
  ['has a data file', { [annotations.madeFor]: 'ha-3', [annotations.formatted]: '1/1' }],
])('a further volume that %s is nobody’s to take or to delete', (_, notes) => {
  const draft = done(asking(forMinutes('ha-3', 10), [notes]));
  expect(draft.done).toEqual([]);
  expect(draft.nextTopology?.message).toMatch(/volume .*-1 is there already; delete it/);
  expect(done(asking(() => undefined, [notes])).done).toEqual([]);
});

test('nothing is made beside a database that is stopped', () => {
  const draft = done(asking(forMinutes('ha-3', 10)), { suspend: true });
  expect(draft.nextTopology).toBeUndefined();
  expect(draft.done.filter((word) => word.includes('PersistentVolumeClaim'))).toEqual([]);
});
