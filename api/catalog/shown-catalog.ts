/** The LedgerCatalog in the form of the contract: every choice with its ID, and every incompatible pair with its reason. */
import type { z } from 'zod';
import { capacityOfSize } from '../../domain/catalog/capacity.ts';
import { isReplicatedByEtcd, memberOf } from '../../domain/catalog/resolve.ts';
import type { CatalogSpec, EngineName } from '../../domain/custom-resources.ts';
import type { createCatalog } from '../contract/schemas/catalog.ts';
import type { Immutable } from '../contract/route.ts';
import { FILE_HEAD_SIZE, FILE_HEAD_SIZE_MAX } from '../../domain/import-files/file-head.ts';
import { bytesMaxOf } from '../imports/bytes-max.ts';
import { newestRelease } from '../imports/heads.ts';
import { importsUnsupported } from '../imports/refusal.ts';
import type { CatalogView } from '../kubernetes/cluster-view.ts';
import { importDays, importFileBytesMax, importsMax } from '../model/import.ts';

/** Whether this installation takes files, and how many bytes of an organization. */
export interface ImportTerms {
  readonly supported: boolean;
  /** `undefined`: what the catalog's largest storage holds. */
  readonly bytesMax: number | undefined;
}

type Shown = Immutable<z.input<typeof createCatalog>>;

/** Six replicas always survive two failures; three survive one. */
const toleratedFailures = { 1: 0, 3: 1, 6: 2 } as const;
const mib = 1024 * 1024;

export function shownCatalog({ spec, version }: CatalogView, imports: ImportTerms): Shown {
  const { defaults, providers, topologies, storageTiers, prices } = spec;
  return {
    version,
    currency: prices?.currency ?? null,
    storageUnit: 'GiB',
    defaults: {
      provider: defaults.provider,
      region: defaults.region,
      clusterConfiguration: defaults.topology,
      clusterSize: defaults.size,
      storageTier: defaults.storageTier,
      selectedStorageGb: defaults.storageGb,
      engine: defaults.engine,
    },
    providers: providers.map(({ id, name, provisioning, regions }) => ({
      id,
      name,
      provisioning,
      available: regions.length > 0,
    })),
    regions: providers.flatMap((provider) =>
      provider.regions.map(({ id, name }) => ({
        id,
        providerId: provider.id,
        name,
        available: true,
      })),
    ),
    clusterConfigurations: topologies.map((row) => ({
      id: row.id,
      name: row.name,
      replicas: row.replicas,
      highAvailability: row.replicas > 1,
      toleratedFailures: toleratedFailures[row.replicas],
      recommendedForProduction: row.replicas === 6,
      engines: enginesOf(spec, row),
    })),
    clusterSizes: sizesOf(spec),
    storageTiers: storageTiers.map(({ id, name, minGb, maxGb, stepGb, growable }) => ({
      id,
      name,
      minGb,
      maxGb,
      stepGb,
      growable,
    })),
    storageCapabilities: capabilitiesOf(spec),
    engines: spec.engines.map(shownEngine),
    prices: {
      sizes: (prices?.sizes ?? []).map(({ size, monthly, memberMonthly }) => ({
        clusterSizeId: size,
        perReplicaMonthly: monthly,
        perLogMemberMonthly: memberMonthly ?? '0',
      })),
      storage: (prices?.storage ?? []).map(({ tier, monthlyPerGb }) => ({
        storageTierId: tier,
        perGbReplicaMonthly: monthlyPerGb,
      })),
    },
    import: importOf(spec, imports),
  };
}

function importOf(spec: CatalogSpec, { supported, bytesMax }: ImportTerms): Shown['import'] {
  const release = newestRelease(spec);
  const tigerBeetle = newestRelease(spec, 'TigerBeetle');
  const reason = supported ? noRelease(release) : importsUnsupported;
  return {
    supported: reason === null,
    reason,
    engine: 'Builtin',
    newestRelease: release ?? null,
    fileExtension: '.ledger',
    headBytes: FILE_HEAD_SIZE,
    tigerBeetle:
      tigerBeetle === undefined
        ? null
        : {
            newestRelease: tigerBeetle,
            fileExtension: '.tigerbeetle',
            headBytes: FILE_HEAD_SIZE_MAX,
          },
    maxFileBytes: importFileBytesMax,
    maxOrganizationBytes: bytesMaxOf(spec, bytesMax),
    maxImports: importsMax,
    lifetimeDays: importDays,
  };
}

const noRelease = (release: string | undefined): string | null =>
  release === undefined ? 'The catalog has no version of the built-in engine.' : null;

const sizesOf = ({ sizes, engines: all }: CatalogSpec): Shown['clusterSizes'] =>
  sizes.map((size) => {
    const engines = all
      .map(({ name }) => name)
      .filter((name) => size.engines?.includes(name) ?? true);
    const member = memberOf(size);
    return {
      id: size.id,
      number: Number(/\d+$/.exec(size.id)?.[0]),
      cpuMillis: size.cpuMillis,
      memoryBytes: size.memoryMib * mib,
      logMember: { cpuMillis: member.cpuMillis, memoryBytes: member.memoryMib * mib },
      capacity: engines.includes('Builtin') ? capacityOfSize(size) : null,
      engines,
      available: engines.length > 0,
    };
  });

const enginesOf = (
  spec: CatalogSpec,
  { id, replicas }: CatalogSpec['topologies'][number],
): readonly EngineName[] =>
  spec.engines
    .filter(({ topologies }) => topologies?.includes(id) ?? true)
    .filter(
      ({ name, versions }) =>
        !isReplicatedByEtcd(name, replicas) ||
        versions.some(({ etcdImage }) => etcdImage !== undefined),
    )
    .map(({ name }) => name);

/** A pair that the catalog does not name is available. */
const capabilitiesOf = (spec: CatalogSpec): Shown['storageCapabilities'] =>
  spec.storageTiers.flatMap((tier) =>
    spec.topologies.map((topology) => {
      const pair = spec.capabilities?.find(
        (row) => row.tier === tier.id && row.topology === topology.id,
      );
      const supported = pair?.available ?? true;
      return {
        id: `${tier.id}.${topology.id}`,
        storageTierId: tier.id,
        clusterConfigurationId: topology.id,
        supported,
        reason: supported ? null : (pair?.reason ?? 'The catalog does not offer this combination.'),
      };
    }),
  );

const shownEngine = (engine: CatalogSpec['engines'][number]): Shown['engines'][number] => ({
  name: engine.name,
  defaultVersion: engine.defaultVersion,
  versions: engine.versions.map((row) => ({
    version: row.version,
    release: row.release,
    oldestClient: row.oldestClient ?? null,
    deprecated: row.deprecated,
    availableFrom: timeOf(row.availableFrom),
    deprecatedAt: timeOf(row.deprecatedAt),
    forcedAt: timeOf(row.forcedAt),
    upgradableFrom: row.upgradableFrom ?? [],
  })),
  parameters: (engine.parameters ?? []).map((parameter) => ({
    name: parameter.name,
    type: parameter.type,
    minimum: parameter.minimum ?? null,
    maximum: parameter.maximum ?? null,
    default: parameter.default ?? null,
    description: parameter.description,
  })),
});

const timeOf = (time: string | undefined): string | null =>
  time === undefined ? null : new Date(time).toISOString();
