/** Configuration that a request to create a database gets: the catalog's resolution, in the words of the API. */
import { capacityOf, type Capacity } from '../../domain/catalog/capacity.ts';
import { priceLinesOf, priceOf } from '../../domain/catalog/price.ts';
import type { Problem } from '../../domain/catalog/problem.ts';
import { isReplicatedByEtcd, resolve } from '../../domain/catalog/resolve.ts';
import { replicasOf } from '../../domain/catalog/topologies.ts';
import { archivingSpec } from '../../domain/continuous-archiving.ts';
import type {
  CatalogSpec,
  DatabaseSpec,
  EngineName,
  TopologyName,
} from '../../domain/custom-resources.ts';
import type { ProfileChoice } from '../store/database-record.ts';

/** IDs of the catalog that the request contains. */
export interface ChoiceRequest {
  readonly provider?: string | undefined;
  readonly region?: string | undefined;
  readonly clusterConfiguration?: string | undefined;
  readonly clusterSize?: string | undefined;
  readonly storageTier?: string | undefined;
  readonly selectedStorageGb?: number | undefined;
  readonly engine?: string | undefined;
  readonly engineVersion?: string | undefined;
  readonly parameters?: Readonly<Record<string, string>> | undefined;
}

/** A complete choice; it depends on no default that may change. */
export interface Choice {
  readonly provider: string;
  readonly region: string;
  readonly clusterConfiguration: TopologyName;
  readonly clusterSize: string;
  readonly storageTier: string;
  readonly selectedStorageGb: number;
  readonly engine: EngineName;
  readonly engineVersion: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly nodeCount: number;
}

export interface Price {
  readonly currency: string;
  readonly amount: string;
  readonly lines: readonly { readonly item: string; readonly amount: string }[];
}

interface ChoiceError {
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
  readonly meta?: { readonly allowed: readonly string[] };
}

type Chosen =
  | {
      readonly ok: true;
      readonly choice: Choice;
      readonly price: Price | undefined;
      /** Whether the operator makes the database; if false, people do. */
      readonly automatic: boolean;
    }
  | {
      readonly ok: false;
      /** Set if the topology cannot have a local volume: the topologies that can. */
      readonly supportedTopologies: readonly string[] | undefined;
      readonly errors: readonly ChoiceError[];
    };

export function choose(catalog: CatalogSpec, request: ChoiceRequest): Chosen {
  // People make the databases that the operator does not. The answer reports this; it is no reason to refuse.
  const everyProvider = catalog.providers.map((row) => ({
    ...row,
    provisioning: 'AUTOMATIC' as const,
  }));
  const { parameters = {} } = request;
  const resolution = resolve({ ...catalog, providers: everyProvider }, requested(request));
  if (!resolution.ok) return refused(catalog, request, resolution.problems);
  const { resolved, storageGb } = resolution;
  const { engine, placement, topology, size, storage } = resolved;
  const provider = catalog.providers.find((row) => row.id === placement.provider);
  const choice: Choice = {
    provider: placement.provider,
    region: placement.region,
    clusterConfiguration: topology.name as TopologyName,
    clusterSize: size.name,
    storageTier: storage.tier,
    selectedStorageGb: storageGb,
    engine: engine.name as EngineName,
    engineVersion: engine.version,
    parameters,
    nodeCount: topology.replicas,
  };
  return {
    ok: true,
    choice,
    price: priceOfChoice(catalog, choice),
    automatic: provider?.provisioning === 'AUTOMATIC',
  };
}

/** Estimated price of an earlier choice, by the current catalog. */
export function priceOfChoice(catalog: CatalogSpec, choice: Choice): Price | undefined {
  const chosen = {
    size: choice.clusterSize,
    tier: choice.storageTier,
    storageGb: choice.selectedStorageGb,
    replicas: choice.nodeCount,
    members: isReplicatedByEtcd(choice.engine, choice.nodeCount),
  };
  const price = priceOf(catalog, chosen);
  return (
    price && {
      currency: price.currency,
      amount: price.monthly,
      lines: priceLinesOf(catalog, chosen),
    }
  );
}

/** Capacity of each replica of such a database, by the current catalog; null: not known. */
export function capacityOfChoice(catalog: CatalogSpec | undefined, choice: Held): Capacity | null {
  if (catalog === undefined) return null;
  const chosen = {
    engine: choice.engine as EngineName,
    replicas: replicasOf[choice.clusterConfiguration as TopologyName],
    size: choice.clusterSize,
    storageGb: choice.selectedStorageGb,
  };
  return capacityOf(catalog, chosen) ?? null;
}

type Held = Pick<
  ProfileChoice,
  'engine' | 'clusterConfiguration' | 'clusterSize' | 'selectedStorageGb'
>;

/** The spec that requests exactly this choice. */
export function specOf(
  choice: Omit<Choice, 'nodeCount'> &
    Partial<Pick<ProfileChoice, 'autogrowLimitGb' | 'archiveRpoSeconds' | 'streamsSuspended'>>,
  rest: Pick<DatabaseSpec, 'clusterId' | 'bootstrap'> & { readonly deletionProtection: boolean },
): DatabaseSpec {
  const asked = requested(choice);
  const { autogrowLimitGb: limitGb = null, archiveRpoSeconds = null } = choice;
  return {
    ...asked,
    ...(limitGb !== null && { storage: { ...asked.storage, autogrow: { limitGb } } }),
    ...(archiveRpoSeconds !== null && { backup: archivingSpec(archiveRpoSeconds) }),
    ...(choice.streamsSuspended === true && { changeDataCapture: { suspend: true } }),
    ...rest,
    suspend: false,
    // Deleting over HTTP is soft: a deleted database can be restored until its volumes are purged.
    deletionPolicy: 'Retain',
  };
}

type Requested = Pick<
  DatabaseSpec,
  'engine' | 'version' | 'provider' | 'region' | 'topology' | 'size' | 'storage' | 'parameters'
>;

/** Converts a request. Unknown IDs pass through; the resolution reports them. */
const requested = (request: ChoiceRequest): Requested => ({
  ...defined({
    engine: request.engine as EngineName | undefined,
    version: request.engineVersion,
    provider: request.provider,
    region: request.region,
    topology: request.clusterConfiguration as TopologyName | undefined,
    size: request.clusterSize,
  }),
  storage: defined({ tier: request.storageTier, sizeGb: request.selectedStorageGb }),
  parameters: request.parameters ?? {},
});

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };
const defined = <T extends object>(fields: T): Defined<T> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Defined<T>;

const pointers: Readonly<Record<string, string>> = {
  'spec.engine': '#/engine',
  'spec.version': '#/engineVersion',
  'spec.provider': '#/provider',
  'spec.region': '#/region',
  'spec.topology': '#/clusterConfiguration',
  'spec.size': '#/clusterSize',
  'spec.storage.tier': '#/storageTier',
  'spec.storage.sizeGb': '#/selectedStorageGb',
};

function refused(
  catalog: CatalogSpec,
  request: ChoiceRequest,
  problems: readonly Problem[],
): Chosen {
  const noPair =
    problems.length > 0 && problems.every(({ reason }) => reason === 'TierUnavailable');
  return {
    ok: false,
    supportedTopologies: noPair ? topologiesFor(catalog, request) : undefined,
    errors: choiceErrors(problems),
  };
}

/** The catalog's problems in the API's words: the place in the request, and the possible choices. */
export const choiceErrors = (problems: readonly Problem[]): readonly ChoiceError[] =>
  problems.map(({ field, reason, message, choices }) => ({
    pointer: pointers[field] ?? `#/${field.replace(/^spec\./, '').replaceAll('.', '/')}`,
    code: snakeCase(reason),
    detail: message,
    ...(choices.length > 0 && { meta: { allowed: choices } }),
  }));

function topologiesFor(catalog: CatalogSpec, request: ChoiceRequest): readonly string[] {
  const tier = request.storageTier ?? catalog.defaults.storageTier;
  return catalog.topologies
    .map(({ id }) => id)
    .filter((id) =>
      (catalog.capabilities ?? []).every(
        (row) => row.tier !== tier || row.topology !== id || row.available,
      ),
    );
}

const snakeCase = (words: string): string =>
  words.replaceAll(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
