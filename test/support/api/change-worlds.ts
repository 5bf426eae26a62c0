/** What a change is planned from, as the operator would have made it of a spec. */
import { resolve } from '../../../domain/catalog/resolve.ts';
import type {
  CatalogSpec,
  DatabaseObject,
  DatabaseSpec,
} from '../../../domain/custom-resources.ts';
import { planChange, type ChangeWorld } from '../../../api/configuration/plan-change.ts';
import type { ChangeRequest } from '../../../api/model/configuration-change.ts';
import { Refusal } from '../../../api/model/refusal.ts';
import type { Database, Profile } from '../../../api/store/database-record.ts';
import { catalogSpec } from '../../fixtures/catalog.ts';
import { choice } from './store.ts';

const catalog = catalogSpec();

/** A database that serves with this spec, as the operator resolved it. */
export function worldOf(
  more: Partial<DatabaseSpec> = {},
  status: object = {},
  from: CatalogSpec = catalog,
): ChangeWorld {
  const spec: DatabaseSpec = {
    deletionProtection: false,
    deletionPolicy: 'Retain',
    suspend: false,
    ...more,
  };
  const resolution = resolve(from, spec);
  if (!resolution.ok) throw new Error(JSON.stringify(resolution.problems));
  const { resolved, storageGb } = resolution;
  const object = {
    metadata: { name: 'one', generation: 1, managedFields: [] },
    spec,
    status: {
      observedGeneration: 1,
      resolved,
      version: { active: resolved.engine.version },
      restoresInPlace: true,
      storage: { requestedGb: storageGb, acknowledgedGb: storageGb },
      ...status,
    },
  } as unknown as DatabaseObject;
  const database = {
    id: 'db_1',
    name: 'one',
    status: 'READY',
    deletedAt: null,
    labels: { a: '1' },
  };
  const profile = {
    ...choice,
    revision: 3,
    clusterSize: resolved.size.name,
    selectedStorageGb: storageGb,
    clusterConfiguration: resolved.topology.name,
    suspended: spec.suspend,
    price: resolved.price ?? null,
  };
  return {
    catalog: from,
    database: database as unknown as Database,
    profile: profile as Profile,
    object,
    earlier: undefined,
    held: undefined,
  };
}

export function refusalOf(world: ChangeWorld, request: ChangeRequest): Refusal {
  try {
    planChange(world, request);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('it was not refused');
}
