/** Begins a new database with an import: what the create request becomes, and that the import is still there when it is made. */
import { releaseOfText, type FileEngine } from '../../domain/import-files/file-head.ts';
import { replicasOf } from '../../domain/catalog/topologies.ts';
import type { CatalogSpec, TopologyName } from '../../domain/custom-resources.ts';
import type { CreateRequest, CreationPlan } from '../databases/create.ts';
import { engineOf, type Import } from '../model/import.ts';
import { Refusal, type FieldError } from '../model/refusal.ts';
import type { Change } from '../store/change.ts';
import type { Database, ImportedFrom } from '../store/database-record.ts';
import { findAnyDatabase } from '../store/databases.ts';
import { findImport, lockImport, updateImport, type ImportView } from '../store/imports.ts';
import type { ImportServices } from './import-services.ts';
import { versionFor } from './version-for.ts';
import { volumeForFile } from '../../domain/import-files/volume-for-file.ts';
import { importNotFound, requireStaging } from './refusal.ts';

export interface ImportToBegin {
  readonly request: CreateRequest;
  readonly importedFrom: ImportedFrom;
  readonly view: ImportView;
}

/** Throws a `Refusal` unless a database of the organization can begin with the import. */
export async function importToBegin(
  { store, staging }: Pick<ImportServices, 'store' | 'staging'>,
  organizationId: string,
  importId: string,
  request: CreateRequest,
): Promise<ImportToBegin> {
  requireStaging(staging);
  const view = await findImport(store.read, organizationId, importId);
  if (view === undefined) throw importNotFound(importId);
  const importedFrom = requireReady(view.made);
  const { replicaCount } = view.made;
  const topology = replicaCount === null ? undefined : topologyOf(replicaCount);
  const errors: FieldError[] = [];
  const fileEngine = engineOf(view.files.map(({ head }) => head)) ?? 'Builtin';
  const { clusterConfiguration = topology, engine = fileEngine } = request;
  if (topology !== undefined && clusterConfiguration !== topology) {
    const detail = `The import has ${replicaCount} files, one for each replica of ${topology}.`;
    errors.push(misfit('#/clusterConfiguration', 'topology_differs', detail, [topology]));
  }
  if (engine !== fileEngine) {
    const detail = view.made.rows === null ? filesBegin[fileEngine] : rowsBegin;
    errors.push(misfit('#/engine', 'engine_unsupported', detail, [fileEngine]));
  }
  if (errors.length > 0) throw doesNotFit(errors);
  return {
    view,
    importedFrom,
    request: { ...request, ...(clusterConfiguration && { clusterConfiguration }), engine },
  };
}

const rowsBegin = 'Only a database of the built-in engine can begin with rows.';
const filesBegin: Readonly<Record<FileEngine, string>> = {
  Builtin: 'Only a database of the built-in engine can begin with its data files.',
  TigerBeetle:
    'Only a database of TigerBeetle can begin with its data files. To go on with the built-in engine, make that database, back it up, and restore the backup as the built-in engine.',
};

/** The import with a version that reads the files, if the request names none and the default one does not: the next newer one. */
export function withVersion(begins: ImportToBegin, { engines }: CatalogSpec): ImportToBegin {
  const { request, view } = begins;
  const of = engines.find(({ name }) => name === request.engine);
  if (request.engineVersion !== undefined || of === undefined) return begins;
  const engineVersion = versionFor(of, neededBy(view));
  return engineVersion === undefined
    ? begins
    : { ...begins, request: { ...request, engineVersion } };
}

/** Number of the newest release that wrote one of the files, or tried the rows. */
function neededBy({ files, made: { report } }: ImportView): number {
  const wrote = [...files.map(({ head }) => head?.release), report?.release ?? undefined];
  return Math.max(...wrote.map(releaseNumber));
}

/** Throws a `Refusal` unless the volumes have room for files that are copied as they are. */
export function requireVolumes({ choice }: CreationPlan, { view }: ImportToBegin): void {
  if (choice.engine !== 'TigerBeetle') return;
  const largest = Math.max(...view.files.map(({ sizeBytes }) => sizeBytes));
  const gib = volumeForFile(largest);
  if (gib <= choice.selectedStorageGb) return;
  const detail = `The largest file has ${largest} bytes. Volumes of ${gib} GiB have room for it, those of ${choice.selectedStorageGb} GiB have not.`;
  throw doesNotFit([{ pointer: '#/selectedStorageGb', code: 'files_too_large', detail }]);
}

/** Throws a `Refusal` unless the chosen version of the engine is as new as the one that wrote the files. */
export function requireRelease(
  { choice }: CreationPlan,
  { view }: ImportToBegin,
  { engines }: CatalogSpec,
): void {
  const versions = engines.find(({ name }) => name === choice.engine)?.versions ?? [];
  const chosen = versions.find(({ version }) => version === choice.engineVersion);
  const { report } = view.made;
  const needed = neededBy(view);
  if (releaseNumber(chosen?.release) >= needed) return;
  const fitting = versions
    .filter(({ release }) => releaseNumber(release) >= needed)
    .map(({ version }) => version);
  const detail = `A newer release than that of version ${choice.engineVersion} ${report === null ? 'wrote the files' : 'tried the rows'}.`;
  throw doesNotFit([misfit('#/engineVersion', 'release_newer', detail, fitting)]);
}

/** In the change that makes the database: nobody has deleted or used the import meanwhile, and it now belongs to the database. */
export async function attachImport(
  change: Change,
  importId: string,
  database: Database,
): Promise<void> {
  const found = await lockImport(change, importId);
  if (found === undefined || found.status === 'DELETED') throw importNotFound(importId);
  requireReady(found);
  if (found.databaseId !== null) {
    const other = await findAnyDatabase(change.db, found.databaseId);
    if (other !== undefined && other.deletedAt === null) {
      throw new Refusal('import_in_use', {
        detail: `${other.name} begins with it and is ${other.status}. Retry its job, or delete it first.`,
      });
    }
  }
  await updateImport(change, importId, { databaseId: database.id });
}

function requireReady({ id, status, clusterId, rows, report, expiresAt }: Import): ImportedFrom {
  if (status === 'READY' && expiresAt > new Date()) {
    if (clusterId !== null) return { importId: id, clusterId };
    if (rows?.uploaded !== undefined && typeof report?.state === 'string')
      return { importId: id, rows: { ...rows.uploaded, state: report.state } };
  }
  const detail =
    status === 'UPLOADING'
      ? `${id} is not complete. Upload all parts, then complete it.`
      : status === 'CHECKING'
        ? `The rows of ${id} are being tried. Wait until it is READY.`
        : `${id} is ${status === 'READY' ? 'EXPIRED' : status}. Begin another one.`;
  throw new Refusal('import_not_ready', { detail });
}

const releaseNumber = (release: string | undefined): number => releaseOfText(release ?? '') ?? 0;

function topologyOf(replicas: number): TopologyName {
  const found = Object.entries(replicasOf).find(([, count]) => count === replicas);
  if (found === undefined) throw new Error(`no topology has ${replicas} replicas`);
  return found[0] as TopologyName;
}

const misfit = (
  pointer: string,
  code: string,
  detail: string,
  allowed: readonly string[],
): FieldError => ({ pointer, code, detail, meta: { allowed } });

const doesNotFit = (errors: readonly FieldError[]): Refusal =>
  new Refusal('import_does_not_fit', {
    detail: errors.map(({ detail }) => detail).join(' '),
    errors,
  });
