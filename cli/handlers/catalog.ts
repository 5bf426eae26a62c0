import type { Handler } from '../command.ts';
import type { CreateCatalog } from '../../gen/api.ts';
import { ExitCode } from '../exit-code.ts';
import { contractRequest, receive } from '../http/contract.ts';
import { orDash, printAnswer } from '../output/answer.ts';
import { table } from '../output/table.ts';

export const catalog: Handler = async (context, input) => {
  const { exchange } = await context.service();
  const received = await receive(exchange, contractRequest('get', '/api/v1/catalog/create'));
  printAnswer(context, input, received, catalogText);
  return ExitCode.Ok;
};

/** A star marks the default of a choice. */
function catalogText(catalog: CreateCatalog): string {
  const sections = [...placesText(catalog), ...shapesText(catalog)];
  const { selectedStorageGb } = catalog.defaults;
  return `${sections.join('\n')}\n* the default; storage: ${selectedStorageGb} GiB\n`;
}

const marked = (id: string, usual: string) => (id === usual ? `${id} *` : id);
const available = (is: boolean) => (is ? 'yes' : 'no');

function placesText(catalog: CreateCatalog): readonly string[] {
  const { defaults } = catalog;
  return [
    table(
      [
        { title: 'PROVIDER', cell: (row) => marked(row.id, defaults.provider) },
        { title: 'NAME', cell: ({ name }) => name },
        { title: 'AVAILABLE', cell: (row) => available(row.available) },
        { title: 'PROVISIONING', cell: ({ provisioning }) => provisioning },
      ],
      catalog.providers,
    ),
    table(
      [
        { title: 'REGION', cell: (row) => marked(row.id, defaults.region) },
        { title: 'PROVIDER', cell: ({ providerId }) => providerId },
        { title: 'NAME', cell: ({ name }) => name },
        { title: 'AVAILABLE', cell: (row) => available(row.available) },
      ],
      catalog.regions,
    ),
  ];
}

type Size = CreateCatalog['clusterSizes'][number];
type Figure = Exclude<keyof NonNullable<Size['capacity']>, 'storageGb'>;

const held =
  (figure: Figure) =>
  ({ capacity }: Size) =>
    orDash(capacity && capacity[figure].toLocaleString('en-US'));

function shapesText(catalog: CreateCatalog): readonly string[] {
  const { defaults, prices, currency } = catalog;
  const sizePrice = new Map(prices.sizes.map((row) => [row.clusterSizeId, row.perReplicaMonthly]));
  const gbPrice = new Map(
    prices.storage.map((row) => [row.storageTierId, row.perGbReplicaMonthly]),
  );
  const price = (amount: string | undefined) =>
    amount === undefined ? '-' : `${amount} ${currency ?? ''}`.trimEnd();
  return [
    table(
      [
        { title: 'CONFIGURATION', cell: (row) => marked(row.id, defaults.clusterConfiguration) },
        { title: 'NAME', cell: ({ name }) => name },
        { title: 'REPLICAS', cell: (row) => String(row.replicas), align: 'right' },
        { title: 'MAY FAIL', cell: (row) => String(row.toleratedFailures), align: 'right' },
        { title: 'ENGINES', cell: ({ engines }) => engines.join(', ') },
      ],
      catalog.clusterConfigurations,
    ),
    table(
      [
        { title: 'SIZE', cell: (row) => marked(row.id, defaults.clusterSize) },
        { title: 'CORES', cell: (row) => String(row.cpuMillis / 1_000), align: 'right' },
        { title: 'MEMORY', cell: (row) => `${row.memoryBytes / 2 ** 30} GiB`, align: 'right' },
        { title: 'TRANSFERS', cell: held('transfersMax'), align: 'right' },
        { title: 'ACCOUNTS', cell: held('accountsMax'), align: 'right' },
        { title: 'ON', cell: ({ capacity }) => orDash(capacity && `${capacity.storageGb} GiB`) },
        { title: 'A SECOND', cell: held('transfersPerSecond'), align: 'right' },
        { title: 'PRICE/REPLICA', cell: ({ id }) => price(sizePrice.get(id)), align: 'right' },
        { title: 'AVAILABLE', cell: (row) => available(row.available) },
        { title: 'ENGINES', cell: ({ engines }) => engines.join(', ') },
      ],
      catalog.clusterSizes,
    ),
    table(
      [
        { title: 'STORAGE', cell: (row) => marked(row.id, defaults.storageTier) },
        { title: 'NAME', cell: ({ name }) => name },
        { title: 'GIB', cell: (row) => `${row.minGb} to ${row.maxGb}` },
        { title: 'PRICE/GIB', cell: ({ id }) => price(gbPrice.get(id)), align: 'right' },
        { title: 'NOT WITH', cell: ({ id }) => orDash(excluded(catalog, id)) },
      ],
      catalog.storageTiers,
    ),
    table(
      [
        { title: 'ENGINE', cell: (row) => marked(row.name, defaults.engine) },
        { title: 'VERSIONS', cell: (row) => row.versions.map(({ version }) => version).join(', ') },
        { title: 'DEFAULT', cell: (row) => row.defaultVersion },
      ],
      catalog.engines,
    ),
  ];
}

function excluded({ storageCapabilities }: CreateCatalog, tier: string): string {
  return storageCapabilities
    .filter(({ storageTierId, supported }) => storageTierId === tier && !supported)
    .map((row) => `${row.clusterConfigurationId} (${row.reason ?? 'no reason given'})`)
    .join('; ');
}
