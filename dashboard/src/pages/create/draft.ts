/** The choices of a database that is to be made, and the request that they become. Each choice starts as the catalog’s default. */
import type { CreateCatalog, CreateDatabaseRequest, Import } from '../../../../gen/api.ts';
import { shownFigure } from '../../lib/figures.ts';

/** What an engine may not run. */
interface Shape {
  readonly clusterConfiguration: string;
  readonly clusterSize: string;
}

export interface Draft extends Shape {
  readonly name: string;
  readonly mode: 'new' | 'import';
  /** The import with which the database begins. `undefined` in mode `new`, and until the files are uploaded. */
  readonly files: Import | undefined;
  readonly provider: string;
  readonly region: string;
  readonly storageTier: string;
  readonly storageGb: string;
  readonly engine: string;
  readonly engineVersion: string;
  /** The shape that gave way to one that the engine runs. Another engine brings it back, unless a shape was chosen since. */
  readonly gaveWay?: Shape | undefined;
  readonly parameters: Readonly<Record<string, string>>;
  /** Seconds within which the archived log has an operation; empty: the log is not archived. */
  readonly archiveSeconds: string;
  readonly protection: boolean | undefined;
  /** One label a line, `key=value`. */
  readonly labels: string;
}

export function draftOf({ defaults }: CreateCatalog): Draft {
  return {
    name: '',
    mode: 'new',
    files: undefined,
    provider: defaults.provider,
    region: defaults.region,
    clusterConfiguration: defaults.clusterConfiguration,
    clusterSize: defaults.clusterSize,
    storageTier: defaults.storageTier,
    storageGb: String(defaults.selectedStorageGb),
    engine: defaults.engine,
    engineVersion: '',
    parameters: {},
    archiveSeconds: '',
    protection: undefined,
    labels: '',
  };
}

/** Another engine, of its default version. What it does not run gives way to what it runs: of the sizes, to the next larger one. */
export function withEngine(
  { clusterConfigurations, clusterSizes }: CreateCatalog,
  draft: Shape & Pick<Draft, 'gaveWay'>,
  engine: string,
): Partial<Draft> {
  const wanted = draft.gaveWay ?? draft;
  const runs = <T extends { readonly engines: readonly string[] }>(offered: readonly T[]) =>
    offered.filter(({ engines }) => engines.includes(engine));
  const topologies = runs(clusterConfigurations).map(({ id }) => id);
  const clusterConfiguration = fitting(topologies, wanted.clusterConfiguration, topologies[0]);
  const memory = clusterSizes.find(({ id }) => id === wanted.clusterSize)?.memoryBytes ?? 0;
  const sizes = runs(clusterSizes.filter(({ available }) => available)).toSorted(
    (one, other) => one.memoryBytes - other.memoryBytes,
  );
  const next = sizes.find(({ memoryBytes }) => memoryBytes >= memory) ?? sizes.at(-1);
  const clusterSize = fitting(
    sizes.map(({ id }) => id),
    wanted.clusterSize,
    next?.id,
  );
  const isWanted =
    clusterConfiguration === wanted.clusterConfiguration && clusterSize === wanted.clusterSize;
  const { clusterConfiguration: topology, clusterSize: size } = wanted;
  return {
    engine,
    engineVersion: '',
    parameters: {},
    clusterConfiguration,
    clusterSize,
    gaveWay: isWanted ? undefined : { clusterConfiguration: topology, clusterSize: size },
  };
}

const fitting = (offered: readonly string[], wanted: string, otherwise = wanted): string =>
  offered.includes(wanted) ? wanted : otherwise;

/** The engine that can begin with an import: that of its data files, and for rows the built-in one. */
export const engineOfFiles = (files: Import | undefined): string =>
  files?.files.find(({ head }) => head !== null)?.head?.engine ?? 'Builtin';

export const beginWith = (
  catalog: CreateCatalog,
  draft: Draft,
  mode: Draft['mode'],
): Partial<Draft> => ({
  mode,
  ...(mode === 'import' ? takeFiles(catalog, draft, undefined) : { files: undefined }),
});

/** The files determine the topology and the engine, and so the sizes that can be chosen. */
export const takeFiles = (
  catalog: CreateCatalog,
  draft: Pick<Draft, 'engine' | 'clusterConfiguration' | 'clusterSize'>,
  files: Import | undefined,
): Partial<Draft> => {
  const { clusterConfigurations } = catalog;
  const fitting = clusterConfigurations.find(({ replicas }) => replicas === files?.replicaCount);
  const engine = engineOfFiles(files);
  return {
    files,
    ...(draft.engine !== engine && withEngine(catalog, draft, engine)),
    ...(fitting !== undefined && { clusterConfiguration: fitting.id }),
  };
};

export function labelsOf(text: string): Readonly<Record<string, string>> {
  const lines = text.split('\n').map((line) => line.trim());
  return Object.fromEntries(
    lines
      .filter((line) => line !== '')
      .map((line) => {
        const at = line.indexOf('=');
        return at < 0 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
      }),
  );
}

/** GiB of each node; 0, which the service refuses, if the text is no number. */
export const storageOf = ({ storageGb }: Draft): number =>
  /^\d{1,7}$/.test(storageGb) ? Number(storageGb) : 0;

/** 0, which the service refuses, if the text is no number. */
const secondsOf = (text: string): number => (/^\d{1,6}$/.test(text) ? Number(text) : 0);

/** The request has all choices, also those that equal the catalog’s defaults: people see everything that they chose. */
export function requestOf(draft: Draft, catalogVersion: string | undefined): CreateDatabaseRequest {
  const labels = labelsOf(draft.labels);
  const parameters = Object.fromEntries(
    Object.entries(draft.parameters).filter(([, value]) => value !== ''),
  );
  return {
    name: draft.name,
    ...(draft.files === undefined ? { mode: 'new' } : { mode: 'import', importId: draft.files.id }),
    provider: draft.provider,
    region: draft.region,
    clusterConfiguration: draft.clusterConfiguration,
    clusterSize: draft.clusterSize,
    storageTier: draft.storageTier,
    selectedStorageGb: storageOf(draft),
    engine: draft.engine,
    ...(draft.engineVersion !== '' && { engineVersion: draft.engineVersion }),
    ...(Object.keys(parameters).length > 0 && { parameters }),
    ...(draft.engine === 'Builtin' &&
      draft.archiveSeconds.trim() !== '' && {
        continuousArchiving: { rpoSeconds: secondsOf(draft.archiveSeconds.trim()) },
      }),
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(draft.protection !== undefined && { deletionProtection: draft.protection }),
    ...(catalogVersion !== undefined && { catalogVersion }),
  };
}

/** Whether two requests, as JSON, have all choices in common but the name, which costs nothing. */
export const haveOnePrice = (one: string, other: string): boolean =>
  nameless(one) === nameless(other);

const nameless = (body: string): string =>
  JSON.stringify({ ...(JSON.parse(body) as object), name: '' });

/** What follows where billing refuses: the service keeps a request for later, but not one that begins with an import. */
export const whenBillingRefuses = ({ mode }: Pick<Draft, 'mode'>): string =>
  mode === 'new'
    ? 'The draft is kept, and made once that is mended.'
    : 'Mend that first: an import is not kept for later.';

interface Choice {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  /** Why it cannot be chosen, in the catalog's words. */
  readonly refused: string | undefined;
}

const survives: Readonly<Record<string, string>> = {
  single:
    'One node. It comes back by itself after a crash; while its machine is away, so is the database.',
  'ha-3': 'Goes on when one of three nodes is lost.',
  'ha-6': 'Goes on when two of six nodes are lost.',
};

export const topologies = (
  catalog: CreateCatalog,
  draft: Pick<Draft, 'engine' | 'files'>,
): readonly Choice[] =>
  catalog.clusterConfigurations.map(
    ({ id, name, engines, replicas, recommendedForProduction }) => ({
      id,
      title: name,
      about: `${survives[id] ?? ''}${recommendedForProduction ? ' Recommended for production.' : ''}`,
      refused:
        typeof draft.files?.replicaCount === 'number' && draft.files.replicaCount !== replicas
          ? `the files are of ${countOf(draft.files.replicaCount)}`
          : engines.some((one) => one === draft.engine)
            ? undefined
            : `${draft.engine} does not run it`,
    }),
  );

const countOf = (replicas: number): string =>
  replicas === 1 ? 'one replica' : `${replicas} replicas`;

export const tiers = (catalog: CreateCatalog, draft: Draft): readonly Choice[] =>
  catalog.storageTiers.map(({ id, name, minGb, maxGb, growable }) => {
    const capability = catalog.storageCapabilities.find(
      (one) =>
        one.storageTierId === id && one.clusterConfigurationId === draft.clusterConfiguration,
    );
    return {
      id,
      title: name,
      about: `${shownFigure(minGb, 'count')} to ${shownFigure(maxGb, 'count')} GiB. ${growable ? 'Can grow later.' : 'Cannot grow later.'}`,
      refused:
        capability?.supported === false
          ? (capability.reason ?? 'not with this topology')
          : undefined,
    };
  });

export const sizes = (
  catalog: CreateCatalog,
  draft: Pick<Draft, 'engine' | 'clusterConfiguration'>,
): readonly Choice[] =>
  catalog.clusterSizes.map(({ id, cpuMillis, memoryBytes, engines, available }) => ({
    id,
    title: id,
    about: `${cpuMillis / 1_000} CPU, ${Math.round((memoryBytes / 1_073_741_824) * 10) / 10} GiB of memory${draft.clusterConfiguration === 'single' ? '' : ' each'}`,
    refused: available
      ? engines.some((one) => one === draft.engine)
        ? undefined
        : `too small for ${draft.engine}`
      : 'not available now',
  }));
