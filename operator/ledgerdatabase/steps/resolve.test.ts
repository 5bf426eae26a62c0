import { expect, test } from '@jest/globals';
import { planOf } from '../../../test/support/operator/plan-of.ts';
import type { CatalogObject, CatalogSpec, DatabaseSpec } from '../../../domain/custom-resources.ts';
import { plan } from '../plan.ts';
import type { Observation } from '../observation.ts';
import { statusOf } from '../status.ts';

const forgotten = { known: 'nothing' } as const;

/** Plans again, for a spec that leaves everything to a catalog that has changed since. */
function planWith(
  { observed }: { observed: Observation },
  spec: Partial<DatabaseSpec>,
  edit: (catalog: CatalogSpec) => CatalogSpec = later,
) {
  const { catalog, database } = observed;
  if (catalog === undefined) throw new Error('there is no catalog');
  const { suspend, deletionPolicy, deletionProtection, bootstrap } = database.spec;
  const own = { suspend, deletionPolicy, deletionProtection, ...spec };
  const begun = bootstrap === undefined ? own : { ...own, bootstrap };
  const seen = {
    ...observed,
    catalog: { ...catalog, spec: edit(catalog.spec) } as CatalogObject,
    database: { ...database, spec: begun },
  };
  const draft = plan(seen, { operatorNamespace: 'ledgerhouse-system' });
  const { conditions } = statusOf(seen, draft);
  return { draft, stalled: conditions?.find(({ type }) => type === 'Stalled') };
}

/** Catalog with another default engine and topology, more storage, and versions that cannot be reached from the earlier ones. */
const later = (catalog: CatalogSpec): CatalogSpec => ({
  ...catalog,
  defaults: { ...catalog.defaults, engine: 'Builtin', topology: 'ha-6', storageGb: 50 },
  engines: catalog.engines.map((row) => ({
    ...row,
    defaultVersion: '9.0.0',
    versions: [
      ...row.versions,
      { version: '9.0.0', release: '9.0.0', image: 'ledgerhouse/nine:1', deprecated: false },
    ],
  })),
});

test('a lost status upgrades no database: its volumes know the version', () => {
  const { draft, stalled } = planWith(planOf(forgotten), { size: 'lh-40' });
  expect(stalled?.status).toBe('False');
  expect(draft.facts.resolved).toMatchObject({
    engine: { name: 'TigerBeetle', version: '0.17.8' },
    topology: { name: 'ha-3', replicas: 3 },
  });
  expect(draft.activeVersion).toBe('0.17.8');
  expect(draft.storageGb).toBe(2);
  expect(draft.actions).toEqual([]);
});

test('a lost status does not open a way to a version that cannot be reached', () => {
  const { draft, stalled } = planWith(planOf(forgotten), { version: '9.0.0' });
  expect(stalled).toMatchObject({
    status: 'True',
    reason: 'UpgradePathUnsupported',
    message: expect.stringContaining(
      'there is no upgrade from the running version 0.17.8 to 9.0.0',
    ),
  });
  expect(draft.actions).toEqual([]);
});

test('a lost status does not take an upgrade back that is on its way', () => {
  const known = planOf(forgotten);
  const [set] = known.observed.owned.statefulSets;
  const [engine] = set?.spec?.template.spec?.containers ?? [];
  if (engine === undefined) throw new Error('there is no engine');
  engine.image = 'ledgerhouse/tigerbeetle:2';
  const { draft } = planWith(known, {});
  expect(draft.facts.resolved?.engine).toMatchObject({ version: '0.17.9' });
  expect(draft.activeVersion).toBe('0.17.8');
});

test('a version that the catalog has no more is named when a status was lost, and nothing is replaced', () => {
  const { draft, stalled } = planWith(planOf(forgotten), {}, (catalog) => ({
    ...later(catalog),
    engines: later(catalog).engines.map((row) => ({ ...row, versions: row.versions.slice(-1) })),
  }));
  expect(stalled).toMatchObject({
    reason: 'UnknownVersion',
    message: expect.stringContaining('no version "0.17.8" of TigerBeetle'),
  });
  expect(draft.actions).toEqual([]);
});

test('a database that took volumes over goes on with them when its status is lost', () => {
  const { draft, stalled } = planWith(planOf({ ...forgotten, inherits: 'adopted' }), {
    size: 'lh-40',
  });
  expect(stalled?.status).toBe('False');
  expect(draft.facts).toMatchObject({
    bootstrapped: true,
    workload: 'payments-5e1f0c',
    clusterId: '18762113425345234523452345234523452345',
    resolved: { engine: { name: 'TigerBeetle', version: '0.17.8' } },
  });
  expect(draft.actions).toEqual([]);
});

test('final decisions are based on a read from the API server', () => {
  expect(planOf(forgotten).draft.needs.has('live')).toBe(true);
  expect(planOf({}).draft.needs.has('live')).toBe(false);
});

test('a spec that cannot be met was looked at all the same: observedGeneration moves with Stalled', () => {
  const changes = { size: 'lh-40', sizeGb: 2, version: 'unknown' } as const;
  const { observed } = planOf({ kind: { engine: 'Builtin', topology: 'single' }, changes });
  const { metadata } = observed.database;
  const edited = { ...observed.database, metadata: { ...metadata, generation: 7 } };
  const draft = plan(
    { ...observed, database: edited },
    { operatorNamespace: 'ledgerhouse-system' },
  );
  expect(draft.stall?.reason).toBe('UnknownVersion');
  expect(draft.facts.observedGeneration).toBe(7);
});
