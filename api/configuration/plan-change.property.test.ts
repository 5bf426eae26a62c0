/** What holds for every change that somebody may ask for, of every database. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { DatabaseSpec } from '../../domain/custom-resources.ts';
import { worldOf } from '../../test/support/api/change-worlds.ts';
import { canonicalJson } from '../model/canonical-json.ts';
import type { ChangeRequest } from '../model/configuration-change.ts';
import { Refusal } from '../model/refusal.ts';
import type { Profile } from '../store/database-record.ts';
import { memberOf } from './impact.ts';
import { planChange, type ChangePlan, type ChangeWorld } from './plan-change.ts';

const sizes = fc.constantFrom('lh-5', 'lh-10', 'lh-40');
const some = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined });

const worlds: fc.Arbitrary<ChangeWorld> = fc
  .record({
    topology: fc.constantFrom('single', 'ha-3'),
    size: sizes,
    tier: fc.constantFrom('network-ssd', 'local-nvme'),
    sizeGb: fc.integer({ min: 2, max: 20 }),
    /** Further than the size. */
    grows: some(fc.integer({ min: 0, max: 80 })),
    limit: some(fc.constantFrom('7', '512')),
    archived: fc.boolean(),
    suspend: fc.boolean(),
    full: fc.boolean(),
    held: some(fc.record({ transfers: fc.nat(300_000_000), accounts: fc.nat(80_000_000) })),
    earlier: fc.record({
      clusterSize: sizes,
      selectedStorageGb: fc.integer({ min: 1, max: 20 }),
      autogrowLimitGb: fc.option(fc.integer({ min: 1, max: 100 })),
      parameters: fc.constantFrom({}, { limitConnections: '9' }),
      engineVersion: fc.constantFrom('0.1.0', '0.2.0'),
    }),
  })
  .map((made) => {
    const { sizeGb, grows, limit, archived, full, held, earlier, topology, tier } = made;
    const isGrown = grows !== undefined && tier !== 'local-nvme';
    const spec = {
      topology,
      size: made.size,
      suspend: made.suspend,
      storage: { tier, sizeGb, ...(isGrown && { autogrow: { limitGb: sizeGb + grows } }) },
      ...(limit !== undefined && { parameters: { limitConnections: limit } }),
      ...(archived && { backup: { continuous: { enabled: true, rpoSeconds: 5 } } }),
    } as Partial<DatabaseSpec>;
    const near = {
      type: 'CapacityLeft',
      status: 'True',
      reason: 'NearLimit',
      message: 'memory of one-0: 91 % used',
    };
    const world = worldOf(spec, { conditions: full ? [near] : [] });
    const profile: Profile = { ...world.profile, parameters: spec.parameters ?? {} };
    return { ...world, profile, held, earlier: { ...profile, ...earlier, revision: 1 } };
  });

/** A value for each property that can be asked for. */
const values = fc.record({
  clusterConfiguration: fc.constantFrom('single', 'ha-3'),
  clusterSize: fc.oneof(sizes, fc.constant('lh-unheard')),
  selectedStorageGb: fc.integer({ min: 1, max: 120 }),
  autogrow: fc.option(fc.record({ limitGb: fc.integer({ min: 1, max: 120 }) })),
  parameters: fc.record(
    {
      limitConnections: fc.constantFrom(null, '0', '7', '512', 'many'),
      unheard: fc.constantFrom(null, '1'),
    },
    { requiredKeys: [] },
  ),
  engineVersion: fc.constantFrom('0.1.0', '0.2.0', '9.9.9'),
  labels: fc.constantFrom({ a: '2' }, { a: null }, { b: '3' }),
  continuousArchiving: fc.option(fc.record({ rpoSeconds: fc.constantFrom(1, 5) })),
  changeDataCapture: fc.record({ suspended: fc.boolean() }),
  suspended: fc.boolean(),
  revision: fc.constant(1),
});
const names = [
  'clusterConfiguration',
  'clusterSize',
  'selectedStorageGb',
  'autogrow',
  'parameters',
  'engineVersion',
  'labels',
  'continuousArchiving',
  'changeDataCapture',
  'suspended',
  'revision',
] as const;

/** A few properties at a time: of many at once, one is nearly always impossible. */
const asked: fc.Arbitrary<ChangeRequest> = fc
  .tuple(values, fc.subarray([...names], { minLength: 1, maxLength: 3 }))
  .map(([all, chosen]) => Object.fromEntries(chosen.map((name) => [name, all[name]])));

/** An earlier revision is read if the request names it. */
const cases = fc
  .tuple(worlds, asked)
  .map(([world, request]): readonly [ChangeWorld, ChangeRequest] => [
    request.revision === undefined ? { ...world, earlier: undefined } : world,
    request,
  ]);

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}

const outcome = (world: ChangeWorld, request: ChangeRequest): ChangePlan | Refusal => {
  try {
    return planChange(world, request);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
};
const shown = (one: ChangePlan | Refusal): string =>
  canonicalJson(one instanceof Refusal ? { code: one.code, ...one.occasion } : one);

/** Merges as the API server does (RFC 7396). */
function mergedWith(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null) return patch;
  const result: Record<string, unknown> = { ...(target as object | undefined) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergedWith(result[key], value);
  }
  return result;
}

/** The database once the plan was applied. */
function applied(world: ChangeWorld, plan: ChangePlan): ChangeWorld {
  const spec = mergedWith(world.object.spec, plan.patch) as DatabaseSpec;
  const conditions = world.object.status?.conditions ?? [];
  const next = worldOf(spec, { conditions });
  const { database, profile, held } = { ...world, profile: next.profile };
  const labels = plan.labels ?? database.labels;
  return {
    ...next,
    database: { ...database, labels },
    profile: { ...profile, parameters: spec.parameters ?? {} },
    held,
  };
}

const runs = { numRuns: 2_000 };

test('a plan depends on what it is made from alone, and changes nothing of it', () => {
  fc.assert(
    fc.property(cases, ([world, request]) => {
      frozen(world);
      frozen(request);
      expect(shown(outcome(world, request))).toBe(shown(outcome(world, request)));
    }),
    runs,
  );
});

test('a refusal points to what was asked for, and says what is wrong', () => {
  const valueAt = (request: object, pointer: string) =>
    pointer
      .slice(2)
      .split('/')
      .reduce<unknown>(
        (found, member) => (found as Readonly<Record<string, unknown>> | undefined)?.[member],
        request,
      );
  fc.assert(
    fc.property(cases, ([world, request]) => {
      const refused = outcome(world, request);
      if (!(refused instanceof Refusal)) return;
      expect(refused.occasion.detail).toMatch(/\w.*[.]$/);
      for (const { pointer = '', detail } of refused.occasion.errors ?? []) {
        expect({ pointer, value: valueAt(request, pointer) }).not.toEqual({
          pointer,
          value: undefined,
        });
        expect(detail).not.toBe('');
      }
    }),
    runs,
  );
});

test('a plan changes only what was asked for, writes what the cluster takes, and leaves nothing of the request to do', () => {
  fc.assert(
    fc.property(cases, ([world, request]) => {
      const plan = outcome(world, request);
      if (plan instanceof Refusal) return;
      const ofRevision = request.revision !== undefined;
      for (const { path } of plan.diff)
        if (!ofRevision) expect(Object.keys(request)).toContain(memberOf(path));
      if (plan.diff.some(({ path }) => path === '/clusterConfiguration')) {
        expect([plan.patch, plan.diff.length]).toEqual([{}, 1]);
        return;
      }
      const after = applied(world, plan);
      const { sizeGb = 0, autogrow } = after.object.spec.storage ?? {};
      const has = world.object.status?.storage?.acknowledgedGb ?? 0;
      expect(sizeGb).toBeGreaterThanOrEqual(has);
      if (autogrow) expect(autogrow.limitGb).toBeGreaterThanOrEqual(sizeGb);
      const again = outcome({ ...after, earlier: world.earlier }, request);
      expect(again).toMatchObject({ code: 'nothing_to_change' });
    }),
    runs,
  );
});
