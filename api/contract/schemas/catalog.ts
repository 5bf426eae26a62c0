/** The create catalog: all choices, each with its ID. */
import { z } from 'zod';
import { time } from './common.ts';

export const engineName = z.enum(['Builtin', 'TigerBeetle']);
const topologyId = z.enum(['single', 'ha-3', 'ha-6']);

const sizeCapacity = z.object({
  transfersMax: z
    .int()
    .describe('Transfers that a replica holds with a volume that is large enough.'),
  accountsMax: z.int().describe('Accounts that it holds besides.'),
  storageGb: z.int().describe('GiB of volume with which a single replica holds so many.'),
  transfersPerSecond: z
    .int()
    .describe(
      'Transfers a second that its processors can execute, in full requests to one replica.',
    ),
});

export const createCatalog = z
  .object({
    version: z.string().describe('Changes whenever the catalog does.'),
    currency: z.string().nullable().describe('ISO 4217; null without prices.'),
    storageUnit: z.literal('GiB').describe('Unit of every …Gb.'),
    defaults: z
      .object({
        provider: z.string(),
        region: z.string(),
        clusterConfiguration: topologyId,
        clusterSize: z.string(),
        storageTier: z.string(),
        selectedStorageGb: z.int().min(1),
        engine: engineName,
      })
      .describe('Values of omitted choices.'),
    providers: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        available: z.boolean(),
        provisioning: z
          .enum(['AUTOMATIC', 'MANUAL'])
          .describe('MANUAL: people make its databases; a create request is queued for them.'),
      }),
    ),
    regions: z.array(
      z.object({
        id: z.string(),
        providerId: z.string(),
        name: z.string(),
        available: z.boolean(),
      }),
    ),
    clusterConfigurations: z.array(
      z.object({
        id: topologyId,
        name: z.string(),
        replicas: z.union([z.literal(1), z.literal(3), z.literal(6)]),
        highAvailability: z.boolean(),
        toleratedFailures: z.int().min(0),
        recommendedForProduction: z.boolean(),
        engines: z.array(engineName).describe('Engines that run it.'),
      }),
    ),
    clusterSizes: z.array(
      z.object({
        id: z.string(),
        number: z.int().describe('The number in the ID.'),
        cpuMillis: z
          .int()
          .describe('Minimum processor time of each replica, in thousandths of a core.'),
        memoryBytes: z.int().describe('Memory of each replica.'),
        logMember: z
          .object({ cpuMillis: z.int(), memoryBytes: z.int() })
          .describe(
            'Additional resources beside each of several replicas of the built-in engine: the etcd member that keeps their log.',
          ),
        capacity: sizeCapacity
          .nullable()
          .describe(
            'What it is for with the built-in engine; null if it is for other engines only.',
          ),
        engines: z.array(engineName).describe('Engines for which it is large enough.'),
        available: z.boolean(),
      }),
    ),
    storageTiers: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        minGb: z.int(),
        maxGb: z.int(),
        stepGb: z.int(),
        growable: z.boolean(),
      }),
    ),
    storageCapabilities: z
      .array(
        z.object({
          id: z.string(),
          storageTierId: z.string(),
          clusterConfigurationId: topologyId,
          supported: z.boolean(),
          reason: z.string().nullable(),
        }),
      )
      .describe('Every pair of storage tier and cluster configuration.'),
    engines: z.array(
      z.object({
        name: engineName,
        defaultVersion: z.string(),
        versions: z.array(
          z.object({
            version: z.string(),
            release: z.string().describe('Release of the client protocol.'),
            oldestClient: z.string().nullable(),
            deprecated: z.boolean().describe('New databases cannot choose it.'),
            availableFrom: time('Nobody can choose it before this time.').nullable(),
            deprecatedAt: time('It is deprecated from this time on.').nullable(),
            forcedAt: time(
              'Databases with an older version get it in their first maintenance window after this time.',
            ).nullable(),
            upgradableFrom: z
              .array(z.string())
              .describe('Versions from which a database can be upgraded to it.'),
          }),
        ),
        parameters: z.array(
          z.object({
            name: z.string(),
            type: z.enum(['integer', 'size', 'boolean']),
            minimum: z.int().nullable(),
            maximum: z.int().nullable(),
            default: z.string().nullable(),
            description: z.string(),
          }),
        ),
      }),
    ),
    prices: z
      .object({
        sizes: z.array(
          z.object({
            clusterSizeId: z.string(),
            perReplicaMonthly: z.string(),
            perLogMemberMonthly: z
              .string()
              .describe('Additional price beside each of several replicas of the built-in engine.'),
          }),
        ),
        storage: z.array(z.object({ storageTierId: z.string(), perGbReplicaMonthly: z.string() })),
      })
      .describe('Decimals in `currency`, for one replica a month. Empty without prices.'),
    import: z
      .object({
        supported: z.boolean(),
        reason: z.string().nullable().describe('Why it is not supported.'),
        engine: z.literal('Builtin').describe('The engine that can begin with exported files.'),
        tigerBeetle: z
          .object({
            newestRelease: z.string().describe('Newest release whose files can be imported.'),
            fileExtension: z.literal('.tigerbeetle'),
            headBytes: z.int(),
          })
          .nullable()
          .describe(
            'For files of TigerBeetle, with which databases of TigerBeetle begin; null without that engine.',
          ),
        newestRelease: z
          .string()
          .nullable()
          .describe('Newest release whose files can be imported; null without that engine.'),
        fileExtension: z.literal('.ledger'),
        headBytes: z.int().describe('First bytes of a file that tell what it is.'),
        maxFileBytes: z.int(),
        maxOrganizationBytes: z
          .int()
          .describe('Maximum of all files of an organization’s imports that are not used yet.'),
        maxImports: z.int().describe('Imports of an organization at a time.'),
        lifetimeDays: z.int().describe('Days until an unused import expires.'),
      })
      .describe('Whether and how a database can begin with files that were exported elsewhere.'),
  })
  .meta({ id: 'CreateCatalog' });

export const engine = engineName;
export const topology = topologyId;

export const catalogExample: z.input<typeof createCatalog> = {
  version: '5f0c2d1e.1',
  currency: 'USD',
  storageUnit: 'GiB',
  defaults: {
    provider: 'local',
    region: 'local-1',
    clusterConfiguration: 'single',
    clusterSize: 'lh-10',
    storageTier: 'network-ssd',
    selectedStorageGb: 20,
    engine: 'Builtin',
  },
  providers: [{ id: 'local', name: 'This cluster', available: true, provisioning: 'AUTOMATIC' }],
  regions: [{ id: 'local-1', providerId: 'local', name: 'Local 1', available: true }],
  clusterConfigurations: [
    {
      id: 'single',
      name: 'Single node',
      replicas: 1,
      highAvailability: false,
      toleratedFailures: 0,
      recommendedForProduction: false,
      engines: ['Builtin', 'TigerBeetle'],
    },
    {
      id: 'ha-3',
      name: 'HA, 3 replicas',
      replicas: 3,
      highAvailability: true,
      toleratedFailures: 1,
      recommendedForProduction: false,
      engines: ['Builtin', 'TigerBeetle'],
    },
  ],
  clusterSizes: [
    {
      id: 'lh-10',
      number: 10,
      cpuMillis: 500,
      memoryBytes: 2_147_483_648,
      logMember: { cpuMillis: 100, memoryBytes: 536_870_912 },
      capacity: {
        transfersMax: 46_000_000,
        accountsMax: 2_000_000,
        storageGb: 12,
        transfersPerSecond: 100_000,
      },
      engines: ['Builtin'],
      available: true,
    },
  ],
  storageTiers: [
    { id: 'network-ssd', name: 'Network SSD', minGb: 1, maxGb: 16_384, stepGb: 1, growable: true },
    { id: 'local-nvme', name: 'Local NVMe', minGb: 1, maxGb: 16_384, stepGb: 1, growable: false },
  ],
  storageCapabilities: [
    {
      id: 'local-nvme.single',
      storageTierId: 'local-nvme',
      clusterConfigurationId: 'single',
      supported: false,
      reason: 'a local volume is lost with its node, so it needs at least 3 replicas',
    },
    {
      id: 'network-ssd.single',
      storageTierId: 'network-ssd',
      clusterConfigurationId: 'single',
      supported: true,
      reason: null,
    },
  ],
  engines: [
    {
      name: 'Builtin',
      defaultVersion: '0.1.0',
      versions: [
        {
          version: '0.1.0',
          release: '0.17.9',
          oldestClient: '0.16.4',
          deprecated: false,
          availableFrom: null,
          deprecatedAt: null,
          forcedAt: null,
          upgradableFrom: [],
        },
      ],
      parameters: [
        {
          name: 'limitConnections',
          type: 'integer',
          minimum: 1,
          maximum: 65_535,
          default: null,
          description: 'Client connections at a time; 256 when absent.',
        },
      ],
    },
  ],
  prices: {
    sizes: [{ clusterSizeId: 'lh-10', perReplicaMonthly: '10.00', perLogMemberMonthly: '2.50' }],
    storage: [{ storageTierId: 'network-ssd', perGbReplicaMonthly: '0.1250' }],
  },
  import: {
    supported: true,
    reason: null,
    engine: 'Builtin',
    newestRelease: '0.17.9',
    fileExtension: '.ledger',
    headBytes: 16_384,
    tigerBeetle: { newestRelease: '0.17.9', fileExtension: '.tigerbeetle', headBytes: 81_920 },
    maxFileBytes: 167_772_160_000,
    maxOrganizationBytes: 17_592_186_044_416,
    maxImports: 3,
    lifetimeDays: 7,
  },
};
