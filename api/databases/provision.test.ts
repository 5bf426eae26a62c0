/** The interplay with the real API server and operator is tested in test/integration/api. */
import { expect, test } from '@jest/globals';
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import type { DatabaseWriter } from '../kubernetes/database-writer.ts';
import type { OrganizationNamespaces } from '../kubernetes/organization-namespaces.ts';
import type { Database, Profile } from '../store/database-record.ts';
import { provision } from './provision.ts';

const restored = {
  id: 'db_2',
  organizationId: 'org_1',
  name: 'again',
  status: 'PROVISIONING',
  kubernetesNamespace: 'acme',
  kubernetesUid: null,
  clusterId: '7',
  restoredFrom: { backupId: 'bkp_1', databaseId: 'db_1', archiveId: 'bkp_a' },
  importedFrom: null,
  maintenanceWindow: null,
  observed: null,
} as unknown as Database;
const profile = { engine: 'Builtin', clusterConfiguration: 'single' } as Profile;
const normal = { automatic: true, fromVolumes: false, decision: undefined };

function world({ removed, exists = false }: { removed: boolean; exists?: boolean }) {
  const made: string[] = [];
  const object = { metadata: { uid: 'u2' } } as DatabaseObject;
  return {
    made,
    writer: {
      read: () => Promise.resolve(exists ? object : undefined),
      create: ({ name }: { readonly name: string }) => {
        made.push(name);
        return Promise.resolve(object);
      },
    } as unknown as DatabaseWriter,
    namespaces: { ensure: () => Promise.resolve() } as unknown as OrganizationNamespaces,
    nowMs: () => Date.parse('2027-01-01T00:00:05Z'),
    place: () => Promise.resolve(),
    leaves: () => Promise.resolve(false),
    isRemoved: (id: string) => Promise.resolve(removed && id === 'bkp_1'),
    hasImport: (database: Database, id: string) =>
      Promise.resolve(!removed && database.id === 'db_2' && id === 'imp_1'),
  };
}

const ends = {
  kind: 'failed',
  code: 'backup_removed',
  final: true,
  message: expect.stringContaining('restore another backup'),
};

test('a restore whose backup was removed before its resource was made ends with that reason, and makes nothing', async () => {
  const here = world({ removed: true });
  expect(await provision(here, { database: restored, profile }, normal)).toEqual(ends);
  expect(here.made).toEqual([]);
});

test('a restore whose backup is there goes on, and so does one that began before its backup was removed', async () => {
  for (const own of [{ removed: false }, { removed: true, exists: true }]) {
    const here = world(own);
    const look = await provision(here, { database: restored, profile }, normal);
    expect([look.kind, here.made]).toEqual(['going_on', ['again']]);
  }
});

test('a database that comes back with its volumes needs no backup', async () => {
  const here = world({ removed: true });
  const look = await provision(
    here,
    { database: restored, profile },
    { ...normal, fromVolumes: true },
  );
  expect(look.kind).toBe('going_on');
});

test.each([
  ['ends at once when the operator finds no backup', true, false, 'failed'],
  ['waits like any other while the backup is there', false, false, 'going_on'],
  ['has what it needs once its data file is made', true, true, 'going_on'],
] as const)('a restore %s', async (_, removed, bootstrapped, kind) => {
  const observed = { stalledSince: '2027-01-01T00:00:00Z', accepted: true, bootstrapped };
  const database = { ...restored, kubernetesUid: 'u2', observed, statusReason: null };
  const look = await provision(
    world({ removed }),
    { database: database as unknown as Database, profile },
    normal,
  );
  expect(look.kind).toBe(kind);
  if (kind === 'failed') expect(look).toEqual(ends);
});

const imported = {
  ...restored,
  restoredFrom: null,
  importedFrom: { importId: 'imp_1', clusterId: '77' },
} as unknown as Database;

test.each([
  ['ends with that reason, and makes nothing, if its import is gone', true, false, 'failed'],
  ['goes on while its import is there', false, false, 'going_on'],
  ['goes on if its resource was made before its import was gone', true, true, 'going_on'],
] as const)('a database that begins with an import %s', async (_, removed, exists, kind) => {
  const here = world({ removed, exists });
  const look = await provision(here, { database: imported, profile }, normal);
  expect(look.kind).toBe(kind);
  expect(here.made).toEqual(kind === 'failed' ? [] : ['again']);
  if (kind !== 'failed') return;
  const message = expect.stringContaining('upload the files again');
  expect(look).toMatchObject({ code: 'import_gone', final: true, message });
});

test.each([
  ['ends at once when the operator finds no files', false, 'failed'],
  ['has what it needs once its data files are made', true, 'going_on'],
] as const)('a database whose import is gone %s', async (_, bootstrapped, kind) => {
  const observed = { stalledSince: '2027-01-01T00:00:00Z', accepted: true, bootstrapped };
  const database = { ...imported, kubernetesUid: 'u2', observed, statusReason: null };
  const look = await provision(
    world({ removed: true }),
    { database: database as unknown as Database, profile },
    normal,
  );
  expect(look.kind).toBe(kind);
});
