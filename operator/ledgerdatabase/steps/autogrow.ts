/**
 * Growth of storage without a person (`spec.storage.autogrow`): at 85 % by 20 %, within the tier's limits and up to the spec's.
 * The size is decided once, recorded in the status, and treated like one of the spec from then on. Pure.
 */
import type { CatalogSpec, DatabaseStatus } from '../../../domain/custom-resources.ts';
import type { ReasonOf } from '../../../domain/conditions.ts';
import { replicaVolumes, type Observation } from '../observation.ts';
import { capacityGb } from './volumes.ts';

/** Part of the storage in use at which it grows. */
export const growsAt = 0.85;
const growthFactor = 1.2;
/** Conditions hold the time of their transition in whole seconds: it may be that much later. */
const wholeSecondMs = 1_000;

export type Growth = NonNullable<DatabaseStatus['autogrow']>;
export type AutogrowVerdict = readonly ['True' | 'False', ReasonOf<'Autogrow'>, string];

/** The recorded growth as far as it still counts. A size that no volume has reached can be withdrawn by a lower limit. */
export function growthSoFar(
  { database, catalog }: Observation,
  knownGb: number | undefined,
): Growth | undefined {
  const { autogrow } = database.spec.storage ?? {};
  if (autogrow === undefined) return undefined;
  const { autogrow: recorded, storage } = database.status ?? {};
  if (recorded === undefined) {
    // A lost status: the volumes know the size.
    return storage === undefined && knownGb !== undefined ? { sizeGb: knownGb } : undefined;
  }
  const tierId = database.status?.resolved?.storage?.tier;
  const { stepGb = 1 } = catalog?.spec.storageTiers.find(({ id }) => id === tierId) ?? {};
  const most = Math.max(inSteps(autogrow.limitGb, stepGb), storage?.acknowledgedGb ?? 0);
  return recorded.sizeGb <= most ? recorded : { ...recorded, sizeGb: most };
}

/**
 * Smallest size while storage grows by itself: `growth`, and the size that all volumes have. Without `autogrow` the
 * definition refuses smaller sizes.
 */
export function floorGb({ database }: Observation, growth: Growth | undefined): number | undefined {
  if (database.spec.storage?.autogrow === undefined) return undefined;
  const floor = Math.max(growth?.sizeGb ?? 0, database.status?.storage?.acknowledgedGb ?? 0);
  return floor === 0 ? undefined : floor;
}

/** The largest size of the tier that is at most `gb`. */
const inSteps = (gb: number, stepGb: number): number => Math.floor(gb / stepGb) * stepGb;

interface Autogrow {
  readonly verdict: AutogrowVerdict;
  /** The next size; `undefined` if nothing grows now. */
  readonly growth?: Growth;
  /** The decision needs the storage class. */
  readonly needsClass?: true;
}

/** Decides about a database whose storage is to have `wantedGb`; its volumes may have more. */
export function autogrow(
  observed: Observation,
  tier: CatalogSpec['storageTiers'][number] | undefined,
  wantedGb: number,
): Autogrow {
  const { owned, database } = observed;
  const volumes = replicaVolumes(owned.claims, database.status?.resolved?.topology?.replicas);
  const capacities = volumes.map((claim) => Math.floor(capacityGb(claim) ?? 0));
  const smallestGb = capacities.length === 0 ? 0 : Math.min(...capacities);
  const storageGb = Math.max(wantedGb, smallestGb);
  const { autogrow: asked } = database.spec.storage ?? {};
  if (asked === undefined) {
    return {
      verdict: ['False', 'NotEnabled', 'storage grows only when spec.storage.sizeGb is raised'],
    };
  }
  if (tier === undefined || tier.growable === false) {
    const why = tier === undefined ? 'the catalog no longer has it' : 'its volumes cannot grow';
    return { verdict: ['False', 'NotGrowable', `storage of this tier does not grow: ${why}`] };
  }
  const { stepGb } = tier;
  const limitGb = inSteps(Math.min(asked.limitGb, tier.maxGb), stepGb);
  if (storageGb >= limitGb) {
    const whose =
      asked.limitGb <= tier.maxGb ? 'spec.storage.autogrow.limitGb' : 'the maximum of its tier';
    return { verdict: ['False', 'LimitReached', `storage has ${storageGb} GiB, ${whose}`] };
  }
  const verdict: AutogrowVerdict = [
    'True',
    'Watching',
    `storage grows by 20 % when 85 % are used, up to ${limitGb} GiB`,
  ];
  const part = smallestGb < storageGb ? undefined : usedPart(observed);
  if (part === undefined || part < growsAt) return { verdict };
  const { storageClass } = observed;
  if (storageClass === undefined) return { verdict, needsClass: true };
  if (storageClass.found?.allowVolumeExpansion !== true) {
    const why = `the storage class ${tier.className} does not let volumes grow`;
    return { verdict: ['False', 'NotGrowable', `storage of this tier does not grow: ${why}`] };
  }
  const next = Math.max(
    inSteps(Math.ceil(storageGb * growthFactor), stepGb),
    inSteps(storageGb, stepGb) + stepGb,
  );
  const at = new Date(observed.nowMs).toISOString();
  const usedPercent = Math.floor(part * 100);
  return {
    verdict,
    growth: { sizeGb: Math.min(next, limitGb), fromGb: storageGb, usedPercent, at },
  };
}

/**
 * Part of the fullest replica's storage in use; `undefined` while the status says that volumes are growing, and for answers
 * from before their last growth: either would let them grow again and again.
 */
function usedPart({ database, capacity, nowMs }: Observation): number | undefined {
  const { status, metadata } = database;
  const ready = status?.conditions?.find(({ type }) => type === 'StorageReady');
  if (capacity?.storage === undefined || ready?.status !== 'True') return undefined;
  // The status must be about this spec: a size that was just requested is no reason to request more.
  if (ready.observedGeneration !== metadata.generation) return undefined;
  const since = [ready.lastTransitionTime, status?.autogrow?.at]
    .map((time) => Date.parse(time ?? ''))
    // A time in the future comes from another operator, whose clock was ahead; this one asked the engines after it took over.
    .filter((time) => time <= nowMs);
  const { atMs, usedPart: part } = capacity.storage;
  return since.every((time) => atMs >= time + wholeSecondMs) ? part : undefined;
}
