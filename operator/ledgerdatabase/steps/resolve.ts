/** Resolves the spec and the catalog into the database's configuration, which the status keeps: it is decided once. */
import { cutText } from '../../../base/cut-text.ts';
import {
  resolve,
  type Complete,
  type Previous,
  type Resolution,
} from '../../../domain/catalog/resolve.ts';
import { nextDateMs } from '../../../domain/catalog/versions.ts';
import {
  annotations,
  catalogName,
  databaseIdOf,
  uidOf,
  workloadNameOf,
} from '../../../domain/names.ts';
import type { Draft, StepResult } from '../draft.ts';
import type { Observation } from '../observation.ts';
import { autogrow, floorGb, growthSoFar, type Growth } from './autogrow.ts';
import { inherit } from './inherit.ts';
import { remember } from './remember.ts';
import { reshapedFrom } from './reshaping.ts';
import { refuseRetained } from './retained.ts';

const LOOK_AGAIN_MS_MAX = 10 * 60_000;

export function resolveSpec(observed: Observation, draft: Draft): StepResult {
  const { database, catalog } = observed;
  const status = database.status ?? {};
  draft.facts = {
    ...draft.facts,
    // Set also for an invalid spec: tools believe `Stalled` only once the generation was observed.
    observedGeneration: database.metadata.generation ?? 0,
    databaseId: status.databaseId ?? databaseIdOf(database),
  };
  if (refuseRetained(observed, draft)) return 'halt';
  // These decisions are final, so existing volumes must be known first.
  if (status.resolved === undefined) draft.needs.add('live');
  const heritage = inherit(observed, draft);
  if (heritage === 'refused') return 'halt';
  const memory = heritage ?? remember(observed.owned.claims, observed);
  const storageGb = status.storage?.requestedGb ?? memory?.storageGb;
  const grown = growthSoFar(observed, storageGb);
  const grownGb = floorGb(observed, grown);
  const previous: Previous = {
    resolved: status.resolved,
    storageGb,
    ...(grownGb === undefined ? {} : { grownGb }),
    activeVersion: status.version?.active ?? memory?.activeVersion,
    refreshPods: wantsNewest(observed),
  };
  // Earlier decisions by the catalog's defaults are not repeated, neither for adopted volumes nor when a status was lost.
  const request =
    status.resolved === undefined ? { ...memory?.choices, ...database.spec } : database.spec;
  const result =
    catalog === undefined
      ? undefined
      : withGrowth(observed, draft, grown, (grownGb) =>
          resolve(
            catalog.spec,
            request,
            grownGb === undefined ? previous : { ...previous, grownGb },
          ),
        );
  if (result?.ok === true && manualProvider(observed, result.resolved)) {
    draft.stallWith(
      'ManualProvider',
      `people make the databases of provider ${result.resolved.placement.provider} by hand; choose another provider, or set the annotation ${annotations.manuallyApproved}=true to let the operator make this one`,
    );
    return 'halt';
  }
  if (result?.ok === true) {
    draft.storageGb = result.storageGb;
    draft.facts = { ...draft.facts, resolved: result.resolved };
  } else {
    explain(draft, catalog === undefined, result?.problems ?? []);
    // The version may be one that can be chosen later.
    const waitMs = catalog && nextDateMs(catalog.spec, observed.nowMs);
    if (waitMs !== undefined) draft.again(Math.min(waitMs, LOOK_AGAIN_MS_MAX));
    // A running database keeps its last resolved configuration until the spec can be met.
    if (!isComplete(status.resolved) || previous.storageGb === undefined) return 'halt';
    draft.storageGb = previous.storageGb;
  }
  draft.facts = {
    ...draft.facts,
    workload: status.workload ?? memory?.workload ?? workloadNameOf(database),
    clusterId: status.clusterId ?? memory?.clusterId ?? chosenClusterId(observed, draft),
  };
  // A data file that was another topology's is made the database's own first.
  const claims = [...observed.owned.claims, ...(observed.inheritance?.claims ?? [])];
  const keepsFile = reshapedFrom(claims, draft.facts.resolved?.topology?.name) === undefined;
  if (heritage !== undefined && keepsFile) draft.facts = { ...draft.facts, bootstrapped: true };
  draft.activeVersion ??= memory?.activeVersion;
  return 'continue';
}

/** Resolves with the recorded growth of the storage and, if it is time for the next one, with that. */
function withGrowth(
  observed: Observation,
  draft: Draft,
  grown: Growth | undefined,
  resolveWith: (grownGb?: number) => Resolution,
): Resolution {
  const result = resolveWith();
  if (!result.ok) return result;
  const { tier: name } = result.resolved.storage;
  const tier = observed.catalog?.spec.storageTiers.find(({ id }) => id === name);
  const { verdict, growth, needsClass } = autogrow(observed, tier, result.storageGb);
  draft.autogrow = verdict;
  if (needsClass === true) draft.needs.add('storageClass');
  const larger = growth === undefined ? undefined : resolveWith(growth.sizeGb);
  const grows = larger?.ok === true;
  const { autogrow: _, ...facts } = draft.facts;
  const now = grows ? growth : grown;
  draft.facts = { ...facts, ...(now === undefined ? {} : { autogrow: now }) };
  return grows ? larger : result;
}

/** Whether somebody has asked for the newest template, and the StatefulSet does not have it yet. */
function wantsNewest({ database, owned }: Observation): boolean {
  const word = database.metadata.annotations?.[annotations.refreshTemplate];
  const set = owned.statefulSets.find(
    ({ metadata }) => metadata.name === database.status?.workload,
  );
  return word !== undefined && word !== set?.metadata.annotations?.[annotations.refreshTemplate];
}

/**
 * The one that was asked for; that of TigerBeetle's files, which keep it; or the uid's 128 bits: chosen at random by the API server, and the
 * same on every call.
 */
function chosenClusterId({ database }: Observation, { facts }: Draft): string {
  const { clusterId, bootstrap } = database.spec;
  const kept =
    facts.resolved?.engine?.name === 'TigerBeetle'
      ? (bootstrap?.import?.clusterId ?? bootstrap?.backup?.clusterId)
      : undefined;
  return clusterId ?? kept ?? String(BigInt(`0x${uidOf(database).replaceAll('-', '')}`));
}

function explain(
  draft: Draft,
  catalogMissing: boolean,
  problems: readonly {
    reason: Parameters<Draft['stallWith']>[0];
    message: string;
    field: string;
  }[],
): void {
  if (catalogMissing) {
    const choose = 'apply one; the chart ledgerhouse creates one with catalog.create=true';
    draft.stallWith('CatalogMissing', `there is no LedgerCatalog named ${catalogName}: ${choose}`);
    return;
  }
  const [first, ...others] = problems;
  if (first === undefined) return;
  const rest = others.map((one) => `; ${one.field}: ${one.message}`).join('');
  draft.stallWith(first.reason, cutText(`${first.field}: ${first.message}${rest}`, 1_024));
}

function manualProvider({ catalog, database }: Observation, resolved: Complete): boolean {
  if (database.status?.resolved?.placement !== undefined) return false;
  if (database.metadata.annotations?.[annotations.manuallyApproved] === 'true') return false;
  const row = catalog?.spec.providers.find((one) => one.id === resolved.placement.provider);
  return row?.provisioning === 'MANUAL';
}

export function isComplete(resolved: Partial<Complete> | undefined): resolved is Complete {
  return (
    resolved?.engine !== undefined &&
    resolved.placement !== undefined &&
    resolved.topology !== undefined &&
    resolved.size !== undefined &&
    resolved.storage !== undefined
  );
}
