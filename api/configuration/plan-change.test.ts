import { describe, expect, test } from '@jest/globals';
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import { catalogSpec } from '../../test/fixtures/catalog.ts';
import { refusalOf, worldOf } from '../../test/support/api/change-worlds.ts';
import type { ChangeRequest } from '../model/configuration-change.ts';
import type { Database, Profile } from '../store/database-record.ts';
import { planChange, type ChangeWorld } from './plan-change.ts';
import { reshaped } from './shape.ts';

test('only what is asked for is written, and only what differs is a difference', () => {
  const plan = planChange(worldOf(), { clusterSize: 'lh-10', selectedStorageGb: 1 });
  expect(plan.patch).toEqual({ size: 'lh-10', storage: { sizeGb: 1 } });
  expect(plan.diff).toEqual([{ path: '/clusterSize', from: 'lh-5', to: 'lh-10' }]);
});

test('archiving is written into the spec, replaces pods, and says what it takes and what is lost without it', () => {
  const on = planChange(worldOf(), { continuousArchiving: { rpoSeconds: 3 } });
  expect(on.patch).toEqual({ backup: { continuous: { enabled: true, rpoSeconds: 3 } } });
  expect(on.diff).toEqual([{ path: '/continuousArchiving', from: null, to: { rpoSeconds: 3 } }]);
  expect(on.impact).toMatchObject({ rollingRestart: true, reversible: true });
  expect(on.impact.warnings.join(' ')).toMatch(/15 to 110 bytes/);
  expect(on.needsRight).toBe(false);

  const asked = worldOf({ backup: { continuous: { enabled: true, rpoSeconds: 3 } } });
  const archived = { ...asked, profile: { ...asked.profile, archiveRpoSeconds: 3 } };
  expect(refusalOf(archived, { continuousArchiving: { rpoSeconds: 3 } }).code).toBe(
    'nothing_to_change',
  );
  const off = planChange(archived, { continuousArchiving: null });
  expect(off.patch).toMatchObject({ backup: { continuous: { enabled: false } } });
  expect(off.impact.reversible).toBe(false);
  expect(off.impact.warnings.join(' ')).toMatch(/from backups only/);
  // The way back is the revision before, as for every field.
  const before = { ...archived, earlier: { ...archived.profile, archiveRpoSeconds: null } };
  expect(planChange(before, { revision: 1 }).diff).toEqual(off.diff);
});

test('the log of TigerBeetle is not archived', () => {
  const world = worldOf({ engine: 'TigerBeetle' });
  const other = { ...world, profile: { ...world.profile, engine: 'TigerBeetle' } };
  const refusal = refusalOf(other, { continuousArchiving: { rpoSeconds: 5 } });
  expect(refusal.code).toBe('catalog_choice_unavailable');
  expect(refusal.occasion.errors).toMatchObject([{ pointer: '#/continuousArchiving' }]);
});

test('several replicas are replaced one at a time, in less time than a single one', () => {
  const single = planChange(worldOf(), { parameters: { limitConnections: '9' } }).impact;
  const several = planChange(worldOf({ topology: 'ha-3' }), {
    parameters: { limitConnections: '9' },
  }).impact;
  expect([single.interruption, several.interruption]).toEqual(['SECONDS', 'SECONDS']);
  expect(single.longestWaitSeconds ?? 0).toBeGreaterThan(several.longestWaitSeconds ?? Infinity);
  expect([single.warnings.length, several.warnings.length]).toEqual([1, 0]);
});

test('labels alone write nothing into the resource and interrupt nobody', () => {
  const plan = planChange(worldOf(), { labels: { a: null, b: '2' } });
  expect(plan).toMatchObject({ patch: {}, labels: { b: '2' } });
  expect(plan.impact).toMatchObject({ interruption: 'NONE', rollingRestart: false });
});

test('a smaller size says what it holds, and a larger one that the volume is too small for it', () => {
  const smaller = planChange(worldOf({ size: 'lh-10' }), { clusterSize: 'lh-5' });
  expect(smaller.impact.warnings).toContain(
    'Each replica gets less memory, and holds 3,100,000 transfers and 540,000 accounts then.',
  );
  const larger = (storageGb: number) =>
    planChange(worldOf({ storage: { sizeGb: storageGb } }), { clusterSize: 'lh-10' }).impact;
  expect(larger(1).warnings).toContain(
    'The volume of 1 GiB has room for 3,100,000 transfers, fewer than the memory. Choose more storage for more.',
  );
  expect(larger(10).warnings.join(' ')).not.toContain('The volume');
});

test('a stop costs the volume only, and a start needs the right to run', () => {
  const stop = planChange(worldOf(), { suspended: true });
  expect([stop.priceDelta?.amount, stop.needsRight]).toEqual(['-10.00', false]);
  const start = planChange(worldOf({ suspend: true }), { suspended: false });
  expect([start.priceDelta?.amount, start.needsRight]).toEqual(['10.00', true]);
});

test('more storage costs more, cannot be taken back, and interrupts nobody', () => {
  const plan = planChange(worldOf(), { selectedStorageGb: 11 });
  expect(plan.priceDelta).toEqual({ currency: 'EUR', amount: '1.00' });
  expect(plan.impact).toMatchObject({ interruption: 'NONE', reversible: false });
  expect(plan.needsRight).toBe(true);
});

test('storage does not shrink below what the volumes have; a growth that failed can be taken back', () => {
  const has = { storage: { requestedGb: 9, acknowledgedGb: 4 } };
  const world = worldOf({ storage: { sizeGb: 9 } }, has);
  expect(refusalOf(world, { selectedStorageGb: 3 })).toMatchObject({
    code: 'storage_cannot_shrink',
    occasion: { errors: [{ meta: { min: 4 } }] },
  });
  expect(planChange(world, { selectedStorageGb: 4 }).diff).toEqual([
    { path: '/selectedStorageGb', from: 9, to: 4 },
  ]);
});

test('volumes of a tier that does not grow keep their size', () => {
  const world = worldOf({ storage: { tier: 'local-nvme', sizeGb: 2 } });
  for (const request of [{ selectedStorageGb: 3 }, { autogrow: { limitGb: 9 } }]) {
    expect(refusalOf(world, request).occasion.errors).toMatchObject([
      { code: 'storage_cannot_grow' },
    ]);
  }
});

test('a version without a way to it is refused with those that have one; one without a way back says so', () => {
  const world = worldOf({ version: '0.2.0' });
  expect(refusalOf(world, { engineVersion: '0.1.0' }).occasion.errors).toMatchObject([
    {
      pointer: '#/engineVersion',
      code: 'upgrade_path_unsupported',
      meta: { allowed: ['0.3.0-broken', '0.2.0'] },
    },
  ]);
  expect(planChange(worldOf(), { engineVersion: '0.2.0' }).impact).toMatchObject({
    reversible: false,
    warnings: expect.arrayContaining(['There is no way back to the version before.']),
  });
});

test('a smaller size is refused while memory is nearly used, with the sizes that fit', () => {
  const near = {
    type: 'CapacityLeft',
    status: 'True',
    reason: 'NearLimit',
    message: 'memory of one-0: 85 % used; before it is full choose a larger spec.size',
  };
  const world = worldOf({ size: 'lh-10' }, { conditions: [near] });
  expect(refusalOf(world, { clusterSize: 'lh-5' }).occasion.errors).toMatchObject([
    { code: 'data_do_not_fit', meta: { allowed: ['lh-10', 'lh-40'] } },
  ]);
  const ofStorage = { ...near, message: 'storage of one-0: 85 % used' };
  const other = worldOf({ size: 'lh-10' }, { conditions: [ofStorage] });
  expect(planChange(other, { clusterSize: 'lh-5' }).diff).toHaveLength(1);
});

test('a size whose memory the records would take for ever is refused, also in an earlier revision; one that holds fewer is warned of', () => {
  const holding = (transfers: number, accounts = 1) => ({
    ...worldOf({ size: 'lh-40' }),
    held: { transfers, accounts },
  });
  const size = { clusterSize: 'lh-5' } as const;
  for (const world of [holding(200_000_000), holding(1, 100_000_000)]) {
    const { code, occasion } = refusalOf(world, size);
    expect(code).toBe('catalog_choice_unavailable');
    expect(occasion.errors).toMatchObject([
      { pointer: '#/clusterSize', code: 'data_do_not_fit', meta: { allowed: ['lh-40'] } },
    ]);
  }
  // lh-10 has the memory that these keep.
  expect(refusalOf(holding(110_000_000), size).occasion.errors).toMatchObject([
    { meta: { allowed: ['lh-10', 'lh-40'] } },
  ]);
  const { impact } = planChange(holding(4_000_000), size);
  expect(impact.warnings.join(' ')).toContain(
    'holds 3,100,000 transfers and 540,000 accounts then; it has 4,000,000 and 1, so that requests for old ones wait',
  );
  expect(planChange(holding(3_000_000), size).impact.warnings.join(' ')).not.toContain('it has');
  // A larger one is never refused for it: that is the cure.
  const full = { ...worldOf({ size: 'lh-5' }), held: { transfers: 2e9, accounts: 2e9 } };
  expect(planChange(full, { clusterSize: 'lh-40' }).diff).toHaveLength(1);

  const world = holding(110_000_000);
  const earlier = { ...world.profile, revision: 2, clusterSize: 'lh-5' };
  const back = refusalOf({ ...world, earlier }, { revision: 2 });
  expect(back.occasion.errors).toMatchObject([
    { pointer: '#/revision', code: 'data_do_not_fit', meta: { field: 'clusterSize' } },
  ]);
  expect(back.occasion.detail).toContain('Give clusterSize beside it');
  const beside = { revision: 2, clusterSize: 'lh-10' };
  expect(planChange({ ...world, earlier }, beside).diff).toMatchObject([{ to: 'lh-10' }]);
});

test('an earlier revision whose growth ended below the storage of today is refused with its place, instead of by the cluster later', () => {
  const world = worldOf({ storage: { sizeGb: 8 } });
  const earlier = { ...world.profile, revision: 1, selectedStorageGb: 2, autogrowLimitGb: 5 };
  expect(refusalOf({ ...world, earlier }, { revision: 1 }).occasion.errors).toMatchObject([
    { pointer: '#/revision', code: 'storage_out_of_range', meta: { field: 'autogrow/limitGb' } },
  ]);
  const beside = { revision: 1, autogrow: { limitGb: 9 } };
  expect(planChange({ ...world, earlier }, beside).patch).toMatchObject({
    storage: { sizeGb: 8, autogrow: { limitGb: 9 } },
  });
});

test('a field that a program declares is refused with its name; one that somebody edited is not', () => {
  const managed = (manager: string, operation: string) => {
    const world = worldOf({ size: 'lh-5' });
    const fieldsV1 = { 'f:spec': { 'f:size': {} } };
    const managedFields = [{ manager, operation, fieldsV1 }];
    const metadata = { ...world.object.metadata, managedFields };
    return { ...world, object: { ...world.object, metadata } as DatabaseObject };
  };
  const size = { clusterSize: 'lh-10' };
  for (const [manager, operation] of [
    ['argocd-controller', 'Apply'],
    ['kubectl-client-side-apply', 'Update'],
  ] as const) {
    expect(refusalOf(managed(manager, operation), size)).toMatchObject({
      code: 'field_managed_elsewhere',
      occasion: { errors: [{ pointer: '#/clusterSize', meta: { manager } }] },
    });
  }
  expect(planChange(managed('kubectl-edit', 'Update'), size).diff).toHaveLength(1);
  const parameters = { parameters: { limitConnections: '9' } };
  expect(planChange(managed('argocd-controller', 'Apply'), parameters).diff).toHaveLength(1);
});

test('the way back is the earlier revision with the storage of today', () => {
  const world = worldOf({
    size: 'lh-10',
    storage: { sizeGb: 8 },
    parameters: { limitConnections: '9' },
  });
  const profile = { ...world.profile, parameters: { limitConnections: '9' } };
  const earlier = {
    ...profile,
    revision: 1,
    clusterSize: 'lh-5',
    selectedStorageGb: 2,
    parameters: {},
  };
  const plan = planChange({ ...world, profile, earlier }, { revision: 1 });
  expect(plan.diff).toEqual([
    { path: '/clusterSize', from: 'lh-10', to: 'lh-5' },
    { path: '/parameters/limitConnections', from: '9', to: null },
  ]);
  expect(plan.impact.warnings).toContain('Revision 1 had 2 GiB; storage stays.');
});

test.each([
  ['PROVISIONING', /when it is READY/],
  ['FAILED', /retry the job/],
  ['DELETING', /restore it/],
] as const)('a database that is %s is not changed, and what to do is said', (status, what) => {
  const world = worldOf();
  const deletedAt = status === 'DELETING' ? new Date(0) : null;
  const database = { ...world.database, status, deletedAt };
  expect(refusalOf({ ...world, database }, { clusterSize: 'lh-10' })).toMatchObject({
    code: 'database_not_ready',
    occasion: { members: { databaseStatus: status }, detail: expect.stringMatching(what) },
  });
});

describe('another cluster configuration', () => {
  const shape = { clusterConfiguration: 'ha-3' } as const;

  test('is told with its interruption and its price, and writes nothing into the resource that it replaces', () => {
    const { diff, impact, patch, needsRight, priceDelta } = planChange(worldOf(), shape);
    expect(diff).toEqual([{ path: '/clusterConfiguration', from: 'single', to: 'ha-3' }]);
    expect(impact).toMatchObject({ interruption: 'MINUTES', reversible: true });
    expect(impact.warnings.join(' ')).toMatch(/addresses change/);
    expect([patch, needsRight]).toEqual([{}, true]);
    expect(Number(priceDelta?.amount)).toBeGreaterThan(0);
  });

  test('keeps what the database was resolved to, whatever the defaults of the catalog are now', () => {
    const world = worldOf({ size: 'lh-10' }, { clusterId: '77' });
    const spec = reshaped(world.object, 'ha-3');
    const { resolved, storage } = world.object.status ?? {};
    expect(spec).toMatchObject({
      topology: 'ha-3',
      size: 'lh-10',
      clusterId: '77',
      version: resolved?.engine?.version,
      storage: { tier: resolved?.storage?.tier, sizeGb: storage?.requestedGb },
    });
    expect(spec.bootstrap).toBeUndefined();
  });

  const archived = { backup: { continuous: { enabled: true, rpoSeconds: 3 } } } as const;
  const declared = (world: ChangeWorld): ChangeWorld => ({
    ...world,
    object: {
      ...world.object,
      metadata: {
        ...world.object.metadata,
        managedFields: [
          { manager: 'argocd', operation: 'Apply', fieldsV1: { 'f:spec': { 'f:size': {} } } },
        ],
      },
    },
  });
  const of = (world: ChangeWorld, more: Partial<Database>): ChangeWorld => ({
    ...world,
    database: { ...world.database, ...more },
  });

  test.each<[string, ChangeWorld, ChangeRequest, string]>([
    [
      'together with another change',
      worldOf(),
      { ...shape, clusterSize: 'lh-10' },
      'validation_failed',
    ],
    [
      'of several replicas whose log is archived',
      worldOf({ topology: 'ha-3', ...archived }),
      { clusterConfiguration: 'single' },
      'catalog_choice_unavailable',
    ],
    [
      'of a resource that a program would make again',
      declared(worldOf()),
      shape,
      'field_managed_elsewhere',
    ],
    [
      'of a database that is stopped',
      of(worldOf({ suspend: true }), { status: 'SUSPENDED' }),
      shape,
      'database_not_ready',
    ],
    ['of a database that is paused', worldOf({ paused: true }), shape, 'database_not_ready'],
    ['that the database has', worldOf(), { clusterConfiguration: 'single' }, 'nothing_to_change'],
  ])('is refused %s', (_, world, request, code) => {
    expect(refusalOf(world, request).code).toBe(code);
  });

  test('is possible for a single replica whose log is archived: its archive goes on', () => {
    expect(planChange(worldOf(archived), shape).diff).toHaveLength(1);
  });

  /** The catalog says that the database's version can do it. */
  const reshaping = (world: ChangeWorld, reshapes: boolean): ChangeWorld => ({
    ...world,
    catalog: {
      ...world.catalog,
      engines: world.catalog.engines.map((engine) => ({
        ...engine,
        versions: engine.versions.map((row) => ({ ...row, reshapes })),
      })),
    },
  });

  test('keeps the volume of a single replica, in seconds, and says that no old one is kept beside it', () => {
    const { impact } = planChange(reshaping(worldOf(), true), shape);
    expect(impact).toMatchObject({ interruption: 'SECONDS', longestWaitSeconds: 120 });
    expect(impact.warnings.join(' ')).toMatch(/no old one is kept beside it.* takes minutes/);
    expect(impact.warnings.join(' ')).not.toMatch(/volumes of the old replicas are kept/);
  });

  test.each([
    ['whose engine cannot do it', reshaping(worldOf(), false), shape],
    ['whose log is archived', reshaping(worldOf(archived), true), shape],
    [
      'of several replicas',
      reshaping(worldOf({ topology: 'ha-3' }), true),
      { clusterConfiguration: 'single' },
    ],
  ] as const)('goes through a last backup: of one %s', (_, world, request) => {
    const { impact } = planChange(world, request);
    expect(impact).toMatchObject({ interruption: 'MINUTES', longestWaitSeconds: 1_800 });
    expect(impact.warnings.join(' ')).toMatch(/volumes of the old replicas are kept/);
  });

  test('is not undone by an earlier revision, and the answer says so', () => {
    const world = worldOf();
    const earlier = {
      ...world.profile,
      clusterConfiguration: 'ha-3',
      clusterSize: 'lh-10',
    } as Profile;
    const { diff, impact } = planChange({ ...world, earlier }, { revision: 2 });
    expect(diff.map(({ path }) => path)).toEqual(['/clusterSize']);
    expect(impact.warnings.join(' ')).toMatch(/cluster configuration ha-3; it stays/);
  });
});

describe('a return to an earlier state', () => {
  const request: ChangeRequest = { restoredTo: { targetOp: 40 } };

  test('suspends the streams, costs nothing, takes minutes, and says how it is undone', () => {
    const { diff, impact, priceDelta, needsRight } = planChange(worldOf(), request);
    expect(diff).toEqual([
      { path: '/restoredTo', from: null, to: { targetOp: 40 } },
      { path: '/changeDataCapture', from: { suspended: false }, to: { suspended: true } },
    ]);
    expect([priceDelta, needsRight]).toEqual([null, false]);
    expect(impact).toMatchObject({ interruption: 'MINUTES', longestWaitSeconds: 4_500 });
    expect(impact.warnings.join(' ')).toMatch(/to undo the restore, restore that backup in place/);
    const without = worldOf({ changeDataCapture: { suspend: true } });
    expect(planChange(without, request).diff.map(({ path }) => path)).toEqual(['/restoredTo']);
  });

  test('is possible where several replicas archive their log, which cannot change their shape', () => {
    const archived = worldOf({
      topology: 'ha-3',
      backup: { continuous: { enabled: true, rpoSeconds: 5 } },
    });
    expect(planChange(archived, request).impact.interruption).toBe('MINUTES');
    expect(refusalOf(archived, { clusterConfiguration: 'single' }).code).toBe(
      'catalog_choice_unavailable',
    );
  });

  describe('by an engine of a release that cannot restore in place', () => {
    const releases = (...able: readonly string[]): ChangeWorld => {
      const spec = catalogSpec();
      const engines = spec.engines.map((engine) => ({
        ...engine,
        versions: engine.versions.map((row) => ({
          ...row,
          restoresInPlace: able.includes(row.version),
        })),
      }));
      return worldOf({ version: '0.1.0' }, {}, { ...spec, engines });
    };

    test('is refused before anything is made, and the refusal names the version to upgrade to', () => {
      const { code, occasion } = refusalOf(releases('0.2.0'), request);
      expect(code).toBe('catalog_choice_unavailable');
      expect(occasion).toMatchObject({
        detail:
          'version 0.1.0 of the engine cannot be restored in place; upgrade it to 0.2.0 first, or restore into a new database.',
        errors: [
          {
            pointer: '#',
            code: 'engine_version_unsupported',
            meta: { version: '0.1.0', allowed: ['0.2.0'] },
          },
        ],
      });
    });

    test('is refused without a version to upgrade to if none of those in the catalog can', () => {
      expect(refusalOf(releases(), request).occasion).toMatchObject({
        detail: expect.stringContaining('restore into a new database instead'),
        errors: [{ code: 'engine_version_unsupported', meta: { allowed: [] } }],
      });
    });

    test('is accepted once the version that the database runs can', () => {
      expect(planChange(releases('0.1.0'), request).diff[0]?.path).toBe('/restoredTo');
    });
  });

  test('is refused before anything is made while the operator, or its definitions, are of a release that cannot', () => {
    const { code, occasion } = refusalOf(worldOf({}, { restoresInPlace: undefined }), request);
    expect(code).toBe('catalog_choice_unavailable');
    expect(occasion).toMatchObject({
      detail: expect.stringContaining('restore into a new database'),
      errors: [{ pointer: '#', code: 'operator_unsupported' }],
    });
  });

  test('is refused for TigerBeetle, and for a database that is stopped or paused', () => {
    const world = worldOf({ engine: 'TigerBeetle' });
    const other = { ...world, profile: { ...world.profile, engine: 'TigerBeetle' } };
    expect(refusalOf(other, request).occasion.errors).toMatchObject([
      { code: 'engine_unsupported' },
    ]);
    const stopped = { ...worldOf(), database: { ...worldOf().database, status: 'SUSPENDED' } };
    expect(refusalOf(stopped as ChangeWorld, request).code).toBe('database_not_ready');
    expect(refusalOf(worldOf({ paused: true }), request).code).toBe('database_not_ready');
  });
});
