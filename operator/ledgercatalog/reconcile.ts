/** Checks that a database can be made from the catalog's defaults, so that a mistake is seen when the catalog is applied. */
import { cutText } from '../../base/cut-text.ts';
import { resolve } from '../../domain/catalog/resolve.ts';
import { catalogAt, nextDateMs } from '../../domain/catalog/versions.ts';
import { CatalogReason } from '../../domain/conditions.ts';
import type { CatalogObject, LedgerCatalog } from '../../domain/custom-resources.ts';
import type { Key, Outcome } from '../runtime/controller.ts';
import { sameStatus, setConditions } from '../runtime/conditions.ts';
import { resources } from '../../domain/kinds.ts';
import type { Cache, Kube } from '../../base/kube/kube.ts';
import { statusManager } from '../field-managers.ts';

interface CatalogEnvironment {
  readonly kube: Kube;
  readonly catalogs: Cache<CatalogObject>;
  readonly nowMs: () => number;
}

const LOOK_AGAIN_MS_MAX = 60 * 60_000;

export async function reconcileCatalog(
  { kube, catalogs, nowMs }: CatalogEnvironment,
  key: Key,
): Promise<Outcome> {
  const catalog = catalogs.get(undefined, key.name);
  if (catalog === undefined) return {};
  const { generation = 0, name } = catalog.metadata;
  const now = nowMs();
  const problems = problemsOf(catalogAt(catalog.spec, now));
  const status = {
    observedGeneration: generation,
    conditions: setConditions(
      catalog.status?.conditions ?? [],
      [
        problems.length === 0
          ? {
              type: 'Valid',
              status: 'True',
              reason: CatalogReason.valid,
              message: 'databases can be made from it',
            }
          : {
              type: 'Valid',
              status: 'False',
              reason: CatalogReason.inconsistent,
              message: cutText(problems.join('; '), 1_024),
            },
      ],
      { observedGeneration: generation, nowMs: now },
    ),
  };
  // A default version can become deprecated.
  const waitMs = nextDateMs(catalog.spec, now);
  const outcome =
    waitMs === undefined ? {} : { requeueAfterMs: Math.min(waitMs, LOOK_AGAIN_MS_MAX) };
  if (sameStatus(status, catalog.status)) return outcome;
  const { apiVersion, kind } = catalog;
  await kube.apply(
    resources.catalog,
    { apiVersion, kind, metadata: { name }, status } as unknown as CatalogObject,
    { fieldManager: statusManager, force: true, subresource: 'status' },
  );
  return outcome;
}

/** Checks what a schema cannot: each name that one part of the catalog uses exists in another. `spec`: as it is at a moment. */
export function problemsOf(spec: LedgerCatalog['spec']): readonly string[] {
  const problems: string[] = [];
  const defaults = resolve(spec, {});
  if (!defaults.ok) {
    problems.push(...defaults.problems.map((one) => `the defaults are not valid: ${one.message}`));
  }
  const tiers = new Set(spec.storageTiers.map((row) => row.id));
  for (const row of spec.capabilities ?? []) {
    if (!tiers.has(row.tier))
      problems.push(`capabilities name the tier ${row.tier}, which does not exist`);
  }
  for (const engine of spec.engines) {
    const versions = new Set(engine.versions.map((row) => row.version));
    if (!versions.has(engine.defaultVersion)) {
      problems.push(`${engine.name} has no version ${engine.defaultVersion}, its defaultVersion`);
    }
    for (const row of engine.versions) {
      if (engine.name === 'TigerBeetle' && row.agentImage === undefined) {
        problems.push(`TigerBeetle ${row.version} needs an agentImage: its own image has no agent`);
      }
    }
  }
  return problems;
}
