/**
 * Provisioning: work of the jobs that make a database, either new or from the volumes of a deleted one. It is called until the
 * database is done. Each call finds the earlier work of any process, and continues from there.
 */
import { sentence } from '../../base/sentence.ts';
import { annotations } from '../../domain/names.ts';
import type { DatabaseSpec, EngineName, TopologyName } from '../../domain/custom-resources.ts';
import {
  NotOurs,
  type DatabaseIdentity,
  type DatabaseWriter,
} from '../kubernetes/database-writer.ts';
import { clusterRefusalOf } from '../jobs/cluster-refusal.ts';
import type { OrganizationNamespaces } from '../kubernetes/organization-namespaces.ts';
import type { ManualDecision } from '../model/job.ts';
import type { Database, Profile, RestoredFrom } from '../store/database-record.ts';
import { specOf } from './choose.ts';
import type { ProvisioningStep } from './provisioning-jobs.ts';

/** Result of one call for a job. */
export type Look =
  | {
      readonly kind: 'going_on';
      readonly step: string;
      readonly percent: number;
      readonly message: string;
      /** Time until the next call, unless something happens before. */
      readonly againInMs: number;
      /** Set while the job waits for people: no deadline runs. */
      readonly waiting?: true;
    }
  | { readonly kind: 'done'; readonly message: string }
  /** A retry is useless until a person acts; `final`: it is always useless. */
  | {
      readonly kind: 'failed';
      readonly code: string;
      readonly message: string;
      readonly final?: true;
    };

interface ProvisioningWorld {
  readonly writer: DatabaseWriter;
  readonly namespaces: OrganizationNamespaces;
  readonly nowMs: () => number;
  /** Records the UID of the database's resource. */
  readonly place: (database: Database, uid: string) => Promise<void>;
  /** Whether this database is deleted, or being deleted. */
  readonly leaves: (databaseId: string) => Promise<boolean>;
  /** Whether this backup is removed from the bucket, so that nothing can begin with it. */
  readonly isRemoved: (backupId: string) => Promise<boolean>;
  /** Whether the import is still there, for this database. */
  readonly hasImport: (database: Database, importId: string) => Promise<boolean>;
}

/**
 * Result while people decide. They may be faster: an operator that reported a wrong catalog looks again once the catalog is
 * corrected.
 */
const waitingForPeople: Look = {
  kind: 'going_on',
  step: 'create_resource',
  percent: 0,
  message: 'Waiting for the provider, who makes this database by hand.',
  againInMs: 60_000,
  waiting: true,
};
const refusedBy = (reason: string): Look => ({
  kind: 'failed',
  code: 'refused_by_provider',
  message: reason,
  final: true,
});

const backupRemoved: Look = {
  kind: 'failed',
  code: 'backup_removed',
  message:
    'The backup with which this database was to begin has been removed. Delete this database and restore another backup.',
  final: true,
};
const importGone: Look = {
  kind: 'failed',
  code: 'import_gone',
  message:
    'The import with which this database was to begin is deleted, expired or used by another database. Delete this database, upload the files again, and make another one.',
  final: true,
};

const stalledMaxMs = 60_000;
const lookAgainMs = 10_000;
const nameAgainMs = 1_000;

export async function provision(
  world: ProvisioningWorld,
  { database, profile }: { readonly database: Database; readonly profile: Profile },
  {
    automatic,
    fromVolumes,
    decision,
  }: {
    readonly automatic: boolean;
    readonly fromVolumes: boolean;
    readonly decision: ManualDecision | undefined;
  },
): Promise<Look> {
  const { writer, namespaces, place, leaves } = world;
  if (database.status === 'READY') return { kind: 'done', message: 'The database serves.' };
  if (!automatic && database.kubernetesUid === null && decision?.kind !== 'completed') {
    return decision === undefined ? waitingForPeople : refusedBy(decision.reason);
  }
  const identity: DatabaseIdentity = {
    namespace: database.kubernetesNamespace,
    name: database.name,
    databaseId: database.id,
  };
  const lost = () => (fromVolumes ? Promise.resolve(undefined) : lostSource(world, database));
  if (database.kubernetesUid === null) {
    // Without a resource, the operator does not know that the source is needed.
    const reason = await lost();
    if (reason !== undefined && (await writer.read(identity)) === undefined) return reason;
    try {
      await namespaces.ensure(identity.namespace, database.organizationId);
      const made = await writer.create(
        identity,
        specFor(database, profile, fromVolumes),
        automatic ? {} : { [annotations.manuallyApproved]: 'true' },
      );
      await place(database, made.metadata.uid ?? '');
    } catch (error) {
      if (error instanceof NotOurs && (await isLeaving(error, leaves))) {
        const message = 'Waiting until the earlier database with this name is deleted.';
        return { ...goingOn('create_resource', 0, message), againInMs: nameAgainMs };
      }
      const refusal = refusalOf(error);
      if (refusal === undefined) throw error;
      return refusal;
    }
    return goingOn('create_resource', 10, 'The resource exists; waiting for the operator.');
  }
  return (await stalledFor(world, database, lost)) ?? progressOf(database);
}

/** Returns the failure if what the database is to begin with is no longer there. */
async function lostSource(
  { isRemoved, hasImport }: ProvisioningWorld,
  database: Database,
): Promise<Look | undefined> {
  const { restoredFrom, importedFrom } = database;
  const backupId = restoredFrom?.backupId ?? null;
  if (backupId !== null && (await isRemoved(backupId))) return backupRemoved;
  if (importedFrom !== null && !(await hasImport(database, importedFrom.importId)))
    return importGone;
  return undefined;
}

/** Spec of the database's resource. */
function specFor(database: Database, profile: Profile, fromVolumes: boolean): DatabaseSpec {
  const { deletionProtection, clusterId, restoredFrom, importedFrom } = database;
  const choice = {
    ...profile,
    clusterConfiguration: profile.clusterConfiguration as TopologyName,
    engine: profile.engine as EngineName,
  };
  if (!fromVolumes) {
    return specOf(choice, {
      deletionProtection,
      ...(clusterId !== null && { clusterId }),
      ...(restoredFrom !== null && { bootstrap: { backup: bootstrapOf(restoredFrom) } }),
      ...(importedFrom !== null && { bootstrap: { import: importedFrom } }),
    });
  }
  // Volumes already have a cluster ID and the version that wrote them last.
  const { version: _, ...withoutVersion } = specOf(choice, {
    deletionProtection,
    bootstrap: { volumes: { databaseId: database.id } },
  });
  return withoutVersion;
}

const bootstrapOf = ({ databaseId, archiveId, moment, clusterId, dropTimeouts }: RestoredFrom) => ({
  databaseId,
  ...(clusterId !== undefined && { clusterId }),
  ...(dropTimeouts === true && { dropTimeouts }),
  ...(moment ?? (archiveId !== null && { backupId: archiveId })),
});

/** Returns the failure if the API server would refuse every retry, too. */
function refusalOf(error: unknown): Look | undefined {
  if (error instanceof NotOurs) {
    return { kind: 'failed', code: 'name_conflict', message: error.message };
  }
  const refusal = clusterRefusalOf(error);
  return refusal && { kind: 'failed', ...refusal };
}

async function stalledFor(
  { nowMs }: ProvisioningWorld,
  { observed, statusReason }: Database,
  lost: () => Promise<Look | undefined>,
): Promise<Look | undefined> {
  const since = observed?.stalledSince;
  if (since === null || since === undefined) return undefined;
  // The data file can never be made.
  const hasData = observed?.bootstrapped === true && observed.filling !== true;
  const reason = hasData ? undefined : await lost();
  if (reason !== undefined) return reason;
  if (nowMs() - Date.parse(since) < stalledMaxMs) return undefined;
  return {
    kind: 'failed',
    code: 'provisioning_stalled',
    message: statusReason?.message ?? 'The database waits for a person to act.',
  };
}

function progressOf({ observed, statusReason }: Database): Look {
  const why = statusReason === null ? '' : ` ${sentence(statusReason.message)}`;
  if (observed?.accepted !== true) {
    return goingOn('create_resource', 10, `Waiting for the operator.${why}`);
  }
  if (!observed.bootstrapped) {
    return goingOn('prepare_volumes', 30, `Preparing the volumes.${why}`);
  }
  if (observed.filling === true) {
    return goingOn('fill', 70, `Filling the ledger with the backup.${why}`);
  }
  if (!observed.serves) return goingOn('start_replicas', 60, `Starting the replicas.${why}`);
  return goingOn('serve', 90, 'The replicas serve.');
}

const isLeaving = async (
  { going, holder }: NotOurs,
  leaves: ProvisioningWorld['leaves'],
): Promise<boolean> => going || (holder !== undefined && (await leaves(holder)));

const goingOn = (step: ProvisioningStep, percent: number, message: string) => ({
  kind: 'going_on' as const,
  step,
  percent,
  message,
  againInMs: lookAgainMs,
});
