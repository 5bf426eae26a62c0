/**
 * Resolves what a database asks for into what it gets: a pure function that the API (before it creates) and the operator
 * (before it acts) share. Earlier results stay until the spec asks for something else, so that editing the catalog never
 * changes a running database; a refusal of any part changes nothing at all.
 */
import type { CatalogSpec, DatabaseSpec, EngineName, Resolved } from '../custom-resources.ts';
import { resolvePods } from './pods.ts';
import { resolveParameters } from './parameters.ts';
import { priceOf } from './price.ts';
import { problem, type Problem } from './problem.ts';
import { isAhead } from './versions.ts';

export type Request = Pick<
  DatabaseSpec,
  | 'engine'
  | 'version'
  | 'provider'
  | 'region'
  | 'topology'
  | 'size'
  | 'storage'
  | 'pods'
  | 'parameters'
>;

/** The existing parts of a database. */
export interface Previous {
  readonly resolved: Resolved | undefined;
  readonly storageGb: number | undefined;
  /** The version that every replica is known to run; `undefined` while there is none. */
  readonly activeVersion: string | undefined;
  /** Smallest size while the spec has `storage.autogrow`: the one that it has led to, or that the volumes have. */
  readonly grownGb?: number;
  /** Whether the region's pod settings of today are wanted instead of those that the database has. Default false. */
  readonly refreshPods?: boolean;
}

export type Complete = Required<Omit<Resolved, 'price' | 'pods' | 'parameters'>> &
  Pick<Resolved, 'price' | 'pods' | 'parameters'>;

export type Resolution =
  | { readonly ok: true; readonly resolved: Complete; readonly storageGb: number }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export const nothing: Previous = {
  resolved: undefined,
  storageGb: undefined,
  activeVersion: undefined,
};

/** `catalog`: as it is at a moment (`catalogAt`). */
export function resolve(
  catalog: CatalogSpec,
  request: Request,
  previous: Previous = nothing,
): Resolution {
  const problems: Problem[] = [];
  const take = <T>(result: T | readonly Problem[]): T | undefined => {
    if (!Array.isArray(result)) return result as T;
    problems.push(...(result as readonly Problem[]));
    return undefined;
  };
  const placement = take(resolvePlacement(catalog, request, previous.resolved?.placement));
  const topology = take(resolveTopology(catalog, request, previous.resolved?.topology));
  const engine = take(resolveEngine(catalog, request, previous, topology));
  const needs = { engine: engine?.name, topology, placement };
  const size = take(resolveSize(catalog, request, previous.resolved?.size, needs));
  const storage = take(resolveStorage(catalog, request, previous));
  const pods = take(podsOf(catalog, request, previous, placement));
  const engineRow = catalog.engines.find((row) => row.name === engine?.name);
  const { flags, problems: wrong } = resolveParameters(
    engineRow?.parameters ?? [],
    request.parameters ?? {},
    previous.resolved?.parameters ?? {},
  );
  if (engine !== undefined) problems.push(...wrong);
  if (!engine || !placement || !topology || !size || !storage) return { ok: false, problems };
  // A pair that already runs is not checked again: the catalog may have changed since.
  if (previous.resolved?.topology === undefined) {
    problems.push(...pairProblems(catalog, topology.name, storage.tier, engine.name as EngineName));
  }
  if (problems.length > 0) return { ok: false, problems };
  const { storageGb, ...rest } = storage;
  const price = agreedPrice(catalog, previous, { topology, size, tier: storage.tier, storageGb });
  return {
    ok: true,
    storageGb,
    resolved: {
      engine,
      placement,
      topology,
      size,
      storage: rest,
      ...parametersOf(flags, previous.resolved),
      ...(pods === undefined ? {} : { pods }),
      ...(price === undefined ? {} : { price }),
    },
  };
}

/**
 * Without parameters the field is absent: server-side apply makes null of a map that loses its last entry, which the definition
 * refuses. A map that was empty before stays, so that a status which earlier versions wrote is not written again.
 */
function parametersOf(
  flags: Readonly<Record<string, string>>,
  before: Resolved | undefined,
): Pick<Resolved, 'parameters'> {
  const wasEmpty = before?.parameters !== undefined && Object.keys(before.parameters).length === 0;
  return Object.keys(flags).length > 0 || wasEmpty ? { parameters: flags } : {};
}

type Part<Key extends keyof Resolved> = NonNullable<Resolved[Key]>;

function podsOf(
  catalog: CatalogSpec,
  { pods: asked }: Request,
  { resolved, refreshPods }: Previous,
  placement: Part<'placement'> | undefined,
): Resolved['pods'] | readonly Problem[] {
  if (placement === undefined) return undefined;
  const anew = resolved?.placement === undefined || refreshPods === true;
  return resolvePods({ asked, before: resolved?.pods, anew, catalog, placement });
}

/** The earlier price, while nothing changes that costs money. */
function agreedPrice(
  catalog: CatalogSpec,
  { resolved: before, storageGb: storageGbBefore }: Previous,
  now: Pick<Complete, 'topology' | 'size'> & { tier: string; storageGb: number },
): Resolved['price'] {
  const { topology, size, tier, storageGb } = now;
  const same =
    before?.price !== undefined &&
    before.size?.name === size.name &&
    before.storage?.tier === tier &&
    storageGbBefore === storageGb;
  if (same) return before.price;
  const members = size.member !== undefined;
  const { replicas } = topology;
  return priceOf(catalog, { size: size.name, tier, storageGb, replicas, members });
}

function resolveEngine(
  catalog: CatalogSpec,
  request: Request,
  previous: Previous,
  topology: Part<'topology'> | undefined,
): Part<'engine'> | readonly Problem[] {
  const before = previous.resolved?.engine;
  const name = request.engine ?? before?.name ?? catalog.defaults.engine;
  const row = catalog.engines.find((candidate) => candidate.name === name);
  // The image that every replica runs stays. An image that never ran may be corrected in the catalog.
  const runs = before !== undefined && previous.activeVersion === before.version;
  const version = request.version ?? before?.version ?? row?.defaultVersion;
  if (before !== undefined && before.version === version && (runs || row === undefined)) {
    return before;
  }
  if (row === undefined) {
    const names = catalog.engines.map((candidate) => candidate.name);
    return [problem('spec.engine', 'UnknownEngine', `the catalog has no engine "${name}"`, names)];
  }
  const found = row.versions.find((candidate) => candidate.version === version);
  const { activeVersion } = previous;
  const isNew = before === undefined && activeVersion === undefined;
  if (found === undefined || (isNew && found.deprecated) || isAhead(found)) {
    if (before !== undefined && before.version === version) return before;
    const offered = row.versions
      .filter((candidate) => !candidate.deprecated && !isAhead(candidate))
      .map((candidate) => candidate.version);
    const sentence =
      found === undefined
        ? `the catalog has no version "${version}" of ${name}`
        : isAhead(found)
          ? `version ${version} of ${name} can be chosen from ${found.availableFrom} on`
          : `version ${version} of ${name} is deprecated; only databases that have it may keep it`;
    return [problem('spec.version', 'UnknownVersion', sentence, offered)];
  }
  if (
    activeVersion !== undefined &&
    activeVersion !== found.version &&
    !(found.upgradableFrom ?? []).includes(activeVersion)
  ) {
    const reachable = row.versions
      .filter((candidate) => candidate.upgradableFrom?.includes(activeVersion))
      .filter((candidate) => !isAhead(candidate))
      .map((candidate) => candidate.version);
    const sentence = `there is no upgrade from the running version ${activeVersion} to ${found.version}`;
    return [
      problem('spec.version', 'UpgradePathUnsupported', sentence, [...reachable, activeVersion]),
    ];
  }
  const etcdImage = found.etcdImage ?? before?.etcdImage;
  const replicated = topology !== undefined && isReplicatedByEtcd(name, topology.replicas);
  if (replicated && etcdImage === undefined) {
    const sentence = `version ${found.version} of ${name} has no etcdImage in the catalog, which topology ${topology.name} needs`;
    const offered = catalog.topologies.filter((one) => one.replicas === 1).map(({ id }) => id);
    return [problem('spec.topology', 'TopologyUnsupported', sentence, offered)];
  }
  return {
    name,
    version: found.version,
    release: found.release,
    image: found.image,
    agentImage: found.agentImage ?? found.image,
    ...(replicated && etcdImage !== undefined ? { etcdImage } : {}),
  };
}

/** Whether each replica has a member of etcd beside it, which keeps the log of all replicas. */
export const isReplicatedByEtcd = (engine: string | undefined, replicas: number): boolean =>
  engine === 'Builtin' && replicas > 1;

function resolvePlacement(
  catalog: CatalogSpec,
  request: Request,
  before: Resolved['placement'],
): Part<'placement'> | readonly Problem[] {
  const same =
    before !== undefined &&
    (request.provider ?? before.provider) === before.provider &&
    (request.region ?? before.region) === before.region;
  if (same) return before;
  const providerId = request.provider ?? catalog.defaults.provider;
  const provider = catalog.providers.find((row) => row.id === providerId);
  if (provider === undefined) {
    const ids = catalog.providers.map((row) => row.id);
    const sentence = `the catalog has no provider "${providerId}"`;
    return [problem('spec.provider', 'UnknownProvider', sentence, ids)];
  }
  // The default region belongs to the default provider; another provider begins with its first.
  const fallback =
    providerId === catalog.defaults.provider ? catalog.defaults.region : provider.regions[0]?.id;
  const regionId = request.region ?? fallback;
  const region = provider.regions.find((row) => row.id === regionId);
  if (region === undefined) {
    const ids = provider.regions.map((row) => row.id);
    const sentence = `provider ${providerId} has no region "${regionId}"`;
    return [problem('spec.region', 'UnknownRegion', sentence, ids)];
  }
  const { nodeSelector = {}, spread, zoneSpread, cpuRequestPercent, ipFamilyPolicy } = region;
  return {
    provider: provider.id,
    region: region.id,
    nodeSelector,
    ...(spread === undefined ? {} : { spread }),
    ...(zoneSpread === undefined ? {} : { zoneSpread }),
    ...(cpuRequestPercent === undefined ? {} : { cpuRequestPercent }),
    ...(ipFamilyPolicy === undefined ? {} : { ipFamilyPolicy }),
  };
}

function resolveTopology(
  catalog: CatalogSpec,
  request: Request,
  before: Resolved['topology'],
): Part<'topology'> | readonly Problem[] {
  const name = request.topology ?? before?.name ?? catalog.defaults.topology;
  if (before !== undefined && before.name === name) return before;
  const row = catalog.topologies.find((candidate) => candidate.id === name);
  if (row !== undefined) return { name: row.id, replicas: row.replicas };
  const ids = catalog.topologies.map((candidate) => candidate.id);
  const sentence = `the catalog has no topology "${name}"`;
  return [problem('spec.topology', 'UnknownTopology', sentence, ids)];
}

function resolveSize(
  catalog: CatalogSpec,
  request: Request,
  before: Resolved['size'],
  { engine, topology, placement }: SizeNeeds,
): Part<'size'> | readonly Problem[] {
  const name = request.size ?? before?.name ?? catalog.defaults.size;
  if (before !== undefined && before.name === name) return before;
  const fits = (row: CatalogSpec['sizes'][number]) =>
    row.engines === undefined || engine === undefined || row.engines.includes(engine as EngineName);
  const row = catalog.sizes.find((candidate) => candidate.id === name);
  const ids = catalog.sizes.filter(fits).map((candidate) => candidate.id);
  if (row === undefined) {
    return [problem('spec.size', 'UnknownSize', `the catalog has no size "${name}"`, ids)];
  }
  if (!fits(row)) {
    const sentence = `size ${name} is too small for the engine ${engine}`;
    return [problem('spec.size', 'SizeUnsupported', sentence, ids)];
  }
  // With few processors, pods are promised less than their size says; they may use all that is free.
  const percent = placement?.cpuRequestPercent ?? 100;
  const cpuMillis = Math.max(Math.round((row.cpuMillis * percent) / 100), 1);
  const several = topology !== undefined && isReplicatedByEtcd(engine, topology.replicas);
  return {
    name: row.id,
    cpuMillis,
    memoryMib: row.memoryMib,
    // The member gets its full request: the choice of the leader depends on members that answer in time.
    ...(several ? { member: memberOf(row) } : {}),
  };
}

interface SizeNeeds {
  readonly engine: string | undefined;
  readonly topology: Part<'topology'> | undefined;
  readonly placement: Part<'placement'> | undefined;
}

/** Resources of an etcd member for a size that does not name them: enough for full batches. */
const defaultMember = { cpuMillis: 100, memoryMib: 1024 };

/** Resources of the etcd member beside each of several replicas. */
export const memberOf = ({ member }: CatalogSpec['sizes'][number]) => member ?? defaultMember;

function resolveStorage(
  catalog: CatalogSpec,
  request: Request,
  previous: Previous,
): (Part<'storage'> & { storageGb: number }) | readonly Problem[] {
  const before = previous.resolved?.storage;
  const tierId = request.storage?.tier ?? before?.tier ?? catalog.defaults.storageTier;
  const tier = catalog.storageTiers.find((row) => row.id === tierId);
  const askedGb =
    request.storage?.sizeGb ??
    previous.storageGb ??
    Math.max(catalog.defaults.storageGb, tier?.minGb ?? 1);
  const grownGb = request.storage?.autogrow === undefined ? undefined : previous.grownGb;
  const storageGb = Math.max(askedGb, grownGb ?? 0);
  const keeps = before !== undefined && before.tier === tierId;
  if (keeps && storageGb === previous.storageGb) return { ...before, storageGb };
  if (tier === undefined) {
    const ids = catalog.storageTiers.map((row) => row.id);
    const sentence = `the catalog has no storage tier "${tierId}"`;
    return [problem('spec.storage.tier', 'UnknownTier', sentence, ids)];
  }
  if (storageGb < tier.minGb || storageGb > tier.maxGb || storageGb % tier.stepGb !== 0) {
    const step = tier.stepGb === 1 ? '' : ` in steps of ${tier.stepGb}`;
    const sentence = `storage of tier ${tierId} has ${tier.minGb} to ${tier.maxGb} GiB${step}, not ${storageGb}`;
    return [problem('spec.storage.sizeGb', 'StorageOutOfRange', sentence)];
  }
  return keeps ? { ...before, storageGb } : { tier: tier.id, className: tier.className, storageGb };
}

/** Compatibility checks: tiers with topologies, topologies with engines. */
function pairProblems(
  catalog: CatalogSpec,
  topology: string,
  tier: string,
  engine: EngineName,
): readonly Problem[] {
  const problems: Problem[] = [];
  const pair = catalog.capabilities?.find((row) => row.tier === tier && row.topology === topology);
  if (pair !== undefined && !pair.available) {
    const sentence = `storage tier ${tier} is not available for topology ${topology}: ${pair.reason ?? ''}`;
    problems.push(problem('spec.storage.tier', 'TierUnavailable', sentence));
  }
  const runs = catalog.engines.find((row) => row.name === engine)?.topologies;
  if (runs !== undefined && !runs.some((id) => id === topology)) {
    const sentence = `engine ${engine} does not run topology ${topology} in this catalog`;
    problems.push(problem('spec.topology', 'TopologyUnsupported', sentence, runs));
  }
  return problems;
}
