/** The choices of a database that is to begin with another one's data, and the request that they become. */
import { fillsFromRelease } from '../../../../domain/restores/fills-from.ts';
import type { CreateCatalog, Database, RestoreBackupRequest } from '../../../../gen/api.ts';
import { draftOf, storageOf, withEngine, type Draft } from '../create/draft.ts';

export interface RestoreDraft extends Draft {
  /** Whether pending transfers may lose their timeouts on the way to TigerBeetle. */
  readonly dropTimeouts: boolean;
}

/** A draft with the shape of a database, of the built-in engine: it loses the least. Data files of TigerBeetle stay with theirs. */
export function draftLike(database: Database, catalog: CreateCatalog, files = false): RestoreDraft {
  const shape = {
    ...draftOf(catalog),
    provider: database.provider,
    region: database.region,
    clusterConfiguration: database.clusterConfiguration,
    clusterSize: database.clusterSize,
    storageTier: database.storageTier,
    storageGb: String(database.selectedStorageGb),
  };
  const engine = files ? 'TigerBeetle' : 'Builtin';
  return { ...shape, ...withEngine(catalog, shape, engine), dropTimeouts: false };
}

const about: Readonly<Record<string, string>> = {
  Builtin: 'Begins with the data as they are.',
  TigerBeetle:
    'Is filled row by row through its protocol: it takes longer, and some things are lost.',
};

const aboutFiles = 'Begins with its data files as they are.';

/** The engines of the catalog, each in its default version, which a restore takes. `files`: only TigerBeetle reads them. */
export const engineChoices = ({ engines }: Pick<CreateCatalog, 'engines'>, files = false) =>
  engines
    .filter(({ name }) => !files || name === 'TigerBeetle')
    .map(({ name, defaultVersion, versions }) => {
      const release = versions.find(({ version }) => version === defaultVersion)?.release ?? '';
      return {
        id: name,
        title: name,
        about: files ? aboutFiles : (about[name] ?? ''),
        refused:
          name === 'TigerBeetle' && !files && !fillsFromRelease(release)
            ? `version ${defaultVersion} cannot be filled`
            : undefined,
      };
    });

/** The request has all choices, also those that equal the original, and the catalog whose price was shown. */
export const restoreRequest = (
  draft: RestoreDraft,
  catalogVersion: string,
): RestoreBackupRequest => ({
  name: draft.name,
  provider: draft.provider,
  region: draft.region,
  clusterConfiguration: draft.clusterConfiguration,
  clusterSize: draft.clusterSize,
  storageTier: draft.storageTier,
  selectedStorageGb: storageOf(draft),
  engine: draft.engine === 'TigerBeetle' ? 'TigerBeetle' : 'Builtin',
  ...(draft.engine === 'TigerBeetle' && draft.dropTimeouts && { dropTimeouts: true }),
  catalogVersion,
});

/** A backup of a database, or a moment of its log. */
export type From =
  | { readonly databaseId: string; readonly backupId: string }
  | { readonly databaseId: string; readonly targetTime: string };

/** The same, as requests about that database have it. */
export const originOf = (from: From): { backupId: string } | { targetTime: string } =>
  'backupId' in from ? { backupId: from.backupId } : { targetTime: from.targetTime };
