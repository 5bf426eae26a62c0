/** Begins a new database with a backup, or as another one was at a moment. In all other respects the request is a create, with the same checks. */
import { createPlanned, noCatalog, planCreation, type CreateRequest } from '../databases/create.ts';
import type { Choice } from '../databases/choose.ts';
import type { Caller, WithJob, Within } from '../databases/database-service.ts';
import { requireDatabase } from '../databases/require.ts';
import type { CatalogSpec, EngineName } from '../../domain/custom-resources.ts';
import { fillsFromRelease } from '../../domain/restores/fills-from.ts';
import { backupIdOf } from '../../domain/names.ts';
import { restoreWarnings } from '../../domain/restores/warnings.ts';
import type { Backup } from '../model/backup.ts';
import { Refusal } from '../model/refusal.ts';
import { findBackup, lockBackup } from '../store/backups.ts';
import type { Database, Profile, RestoredFrom } from '../store/database-record.ts';
import { findActiveProfile } from '../store/databases.ts';
import type { ArchiveEnds } from './archive-ends.ts';
import { tellRestore } from './backup-events.ts';
import { requireFilesFit } from './files-fit.ts';
import { momentOf, requirePossible, targetOf, type TargetRequest } from './moments.ts';
import { backupNotFound, backupNotRestorable, isRestorable, requireStore } from './refusal.ts';
import type { BackupServices } from './request-backup.ts';

type RestoreRequest = Pick<
  CreateRequest,
  | 'name'
  | 'provider'
  | 'region'
  | 'clusterConfiguration'
  | 'clusterSize'
  | 'storageTier'
  | 'selectedStorageGb'
  | 'catalogVersion'
> & {
  readonly engine?: EngineName | undefined;
  /** Whether open pending transfers may lose their timeouts. */
  readonly dropTimeouts?: boolean | undefined;
};

/** The new database, and what it does not have of the ledger that it begins with. */
export interface Restored extends WithJob {
  readonly warnings: readonly string[];
}

export type RecoveryServices = BackupServices & { readonly archives: ArchiveEnds };

export async function restoreBackup(
  services: BackupServices,
  caller: Caller,
  { databaseId, backupId }: { readonly databaseId: string; readonly backupId: string },
  request: RestoreRequest,
  within: Within<Restored>,
): Promise<Restored> {
  const { store, backupStore } = services;
  const source = await requireDatabase(store.read, caller.organization.id, databaseId);
  const known = await findBackup(store.read, databaseId, backupId);
  if (known === undefined) throw backupNotFound(backupId);
  const restoredFrom = originOf(known);
  requireStore(backupStore);
  const ofFiles = known.method === 'FILES' ? { ofFiles: known } : {};
  return begin(services, caller, { source, request, restoredFrom, ...ofFiles }, within);
}

/** Begins a new database as another one was at a moment. */
export async function restoreToMoment(
  services: RecoveryServices,
  caller: Caller,
  databaseId: string,
  { targetTime, targetTimestamp, targetOp, ...request }: RestoreRequest & TargetRequest,
  within: Within<Restored>,
): Promise<Restored> {
  const { store, backupStore, archives } = services;
  const source = await requireDatabase(store.read, caller.organization.id, databaseId);
  requireStore(backupStore);
  const target = targetOf({ targetTime, targetTimestamp, targetOp });
  const { plan } = await requirePossible({ db: store.read, archives }, source, target);
  const origin =
    plan.backup === undefined
      ? { backupId: null, archiveId: null, databaseId }
      : originOf(plan.backup.backup);
  const isBackup = plan.backup !== undefined && plan.backup.op === plan.op;
  const restoredFrom = isBackup ? origin : { ...origin, moment: momentOf(target) };
  return begin(services, caller, { source, request, restoredFrom }, within);
}

interface Beginning {
  readonly source: Database;
  readonly request: RestoreRequest;
  readonly restoredFrom: RestoredFrom;
  /** The backup, if it has data files. */
  readonly ofFiles?: Backup;
}

async function begin(
  services: BackupServices,
  caller: Caller,
  { source, request, restoredFrom: origin, ofFiles }: Beginning,
  within: Within<Restored>,
): Promise<Restored> {
  const profile = await findActiveProfile(services.store.read, source.id);
  const view = services.catalog();
  if (view === undefined) throw noCatalog();
  if (profile === undefined) throw new Error(`${source.id} has no active profile`);
  const engineOf = request.engine ?? (ofFiles === undefined ? 'Builtin' : 'TigerBeetle');
  const wanted = choiceFor({ ...request, engine: engineOf }, profile, view.spec);
  const plan = await planCreation(services, caller, wanted, 'restore');
  const { engine } = plan.choice;
  if (ofFiles !== undefined) requireFilesFit(ofFiles, plan.choice, request, view.spec);
  else if (engine === 'TigerBeetle') requireFillable(plan.choice, view.spec);
  const dropTimeouts = request.dropTimeouts === true;
  const restoredFrom: RestoredFrom = { ...origin, ...(dropTimeouts && { dropTimeouts }) };
  const warnings = restoreWarnings({
    from: profile.engine,
    to: engine,
    dropTimeouts,
    files: ofFiles !== undefined,
  });
  const { backupId } = restoredFrom;
  const begun = await createPlanned(
    services,
    caller,
    { ...plan, restoredFrom },
    {},
    async (change, made) => {
      // Locked, so that nobody removes the backup before the new database is recorded as beginning with it.
      const backup = backupId === null ? undefined : await lockBackup(change, backupId);
      if (backupId !== null && backup === undefined) throw backupNotFound(backupId);
      if (backup !== undefined) originOf(backup);
      tellRestore(change, source, made.database, backup);
      await within(change, { ...made, warnings });
    },
  );
  return { ...begun, warnings };
}

/** Throws unless the chosen version of TigerBeetle can be filled through its protocol. */
function requireFillable({ engineVersion }: Choice, { engines }: CatalogSpec): void {
  const versions = engines.find(({ name }) => name === 'TigerBeetle')?.versions ?? [];
  const chosen = versions.find(({ version }) => version === engineVersion);
  if (chosen !== undefined && fillsFromRelease(chosen.release)) return;
  const detail = `Version ${engineVersion} of TigerBeetle cannot be filled with a backup.`;
  throw new Refusal('catalog_choice_unavailable', {
    detail,
    errors: [{ pointer: '#/engine', code: 'engine_unsupported', detail }],
  });
}

function originOf(backup: Backup): RestoredFrom {
  const { id, databaseId, kubernetesUid, facts } = backup;
  if (isRestorable(backup) && kubernetesUid !== null) {
    const { clusterId } = facts?.files ?? {};
    const archiveId = backupIdOf(kubernetesUid);
    return { backupId: id, databaseId, archiveId, ...(clusterId !== undefined && { clusterId }) };
  }
  throw backupNotRestorable(backup);
}

/** The choice of the original database where the request has none. Its version only if the catalog still has it. */
function choiceFor(
  request: RestoreRequest & { readonly engine: EngineName },
  { engine, engineVersion, parameters, ...before }: Profile,
  { engines }: CatalogSpec,
): CreateRequest {
  const { engine: wanted } = request;
  const isOther = engine !== wanted;
  const versions = engines.find(({ name }) => name === engine)?.versions ?? [];
  const isOffered = versions.some(({ version }) => version === engineVersion);
  return {
    name: request.name,
    provider: request.provider ?? before.provider,
    // A region belongs to a provider.
    region: request.region ?? (request.provider === undefined ? before.region : undefined),
    clusterConfiguration: request.clusterConfiguration ?? before.clusterConfiguration,
    clusterSize: request.clusterSize ?? before.clusterSize,
    storageTier:
      request.storageTier ?? (request.provider === undefined ? before.storageTier : undefined),
    selectedStorageGb: request.selectedStorageGb ?? before.selectedStorageGb,
    engine: wanted,
    engineVersion: isOffered && !isOther ? engineVersion : undefined,
    parameters: isOther ? {} : parameters,
    catalogVersion: request.catalogVersion,
  };
}
