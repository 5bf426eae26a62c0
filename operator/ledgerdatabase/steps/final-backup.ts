/**
 * The last backup of a deleted database, before its volumes are deleted (`deletionPolicy: BackupThenDelete`) or left behind
 * (`BackupThenRetain`).
 */
import { cutText } from '../../../base/cut-text.ts';
import { BackupReason } from '../../../domain/conditions.ts';
import type { LedgerBackup, LedgerDatabase } from '../../../domain/custom-resources.ts';
import { finalBackupName, uidOf } from '../../../domain/names.ts';
import { resources, type StatefulSet } from '../../../domain/kinds.ts';
import { askedAtMs, stateOf } from '../../ledgerbackup/states.ts';
import { buildBackup } from '../../manifests/backup.ts';
import { patchOf } from '../actions.ts';
import type { Draft } from '../draft.ts';
import type { Observation } from '../observation.ts';
import { replicaPods } from '../replica-pods.ts';
import type { PlanOptions } from '../subject-of.ts';

const LOOK_AGAIN_MS = 10_000;

/**
 * The time after the last backup of several replicas within which they must be stopped: their pause of writes lasts a day, and they
 * need some of it to stop.
 */
const STOPS_WITHIN_MS = 20 * 3_600_000;

/** The last backup, if it has succeeded: from then on all volumes go, however many of them are gone already. */
export const finalBackupOf = (
  { database, backups }: Observation,
  { facts }: Draft,
): LedgerBackup | undefined =>
  facts.workload === undefined
    ? undefined
    : backups?.backups.find(
        (one) =>
          one.metadata.name === finalBackupName(facts.workload ?? '') &&
          isOfDeletion(one, database) &&
          stateOf(one) === 'succeeded',
      );

/**
 * Returns whether running replicas may take writes again that their last backup does not have: nobody has stopped them within the pause,
 * as when the operator was away. Another backup is needed then.
 */
export function tellPauseOver(observed: Observation, draft: Draft, backup: LedgerBackup): boolean {
  const completedMs = Date.parse(backup.status?.completedAt ?? '');
  const isSingle = draft.facts.resolved?.topology?.replicas === 1;
  if (isSingle || observed.nowMs - completedMs < STOPS_WITHIN_MS) return false;
  const why =
    `its replicas took no writes for a day after LedgerBackup ${backup.metadata.name}, and were not stopped within it, so ` +
    'that they may have taken some since; delete that resource to have another one made';
  stalled(observed, draft, why);
  return true;
}

/** Makes the backup, or says why that is not possible. */
export function makeFinalBackup(observed: Observation, draft: Draft, { store }: PlanOptions): void {
  const { database } = observed;
  const { bootstrapped, workload, resolved } = draft.facts;
  // A lost status has no `bootstrapped` either: that does not prove that there is no data.
  if (bootstrapped !== true || workload === undefined)
    return stalled(observed, draft, 'its status knows of no data that could be backed up');
  if (resolved?.engine?.name !== 'Builtin' || store === undefined) {
    const why =
      store === undefined
        ? 'the operator knows no bucket (backups.store of its chart)'
        : 'TigerBeetle has no last backup, since it cannot be kept from taking writes; make a LedgerBackup and choose Delete or Retain';
    return stalled(observed, draft, `it cannot be backed up: ${why}`);
  }
  const name = finalBackupName(workload);
  const other = observed.backups?.inTheWay;
  if (other !== undefined) {
    const why = `LedgerBackup ${name} is a backup of ${other.spec.database}, and has the name that its last backup needs; delete that resource`;
    return stalled(observed, draft, why);
  }
  const found = observed.backups?.backups.find(({ metadata }) => metadata.name === name);
  if (found !== undefined && !isOfDeletion(found, database)) {
    return stalled(
      observed,
      draft,
      `LedgerBackup ${name} is not the last backup, it was made before the deletion; delete that resource`,
    );
  }
  const state = found === undefined ? undefined : stateOf(found);
  const row = found?.status?.conditions?.find(({ type }) => type === 'Succeeded');
  // Tenants read the conditions of a database; the store's own words are only in the backup's status.
  if (state === 'failed') {
    return stalled(
      observed,
      draft,
      `its last backup failed (${row?.reason}), LedgerBackup ${name} says why; to try again, delete that`,
    );
  }
  const noneRuns = replicaPods(observed.owned.pods).length === 0;
  if (found === undefined && resolved.topology?.replicas !== 1 && noneRuns) {
    const why = 'of several replicas only one that runs can be backed up, and none runs';
    return stalled(observed, draft, why);
  }
  draft.again(LOOK_AGAIN_MS);
  draft.wait(
    `LedgerBackup ${name} is made before the volumes go${row?.reason === BackupReason.Delayed ? '' : words(row?.message)}`,
  );
  // One that somebody else has asked for waits for the same (ledgerbackup/make.ts).
  const isReady = isReadyForBackup(observed, draft);
  if (found !== undefined || !isReady) return;
  const subject = {
    name: database.metadata.name,
    namespace: database.metadata.namespace ?? '',
    uid: uidOf(database),
    workload,
  };
  draft.do({
    verb: 'create',
    purpose: 'backup',
    guarded: false,
    resource: resources.backup,
    object: buildBackup(subject, name, 'Final'),
  });
}

/** Anybody who may make backups could have made one of this name long ago. */
const isOfDeletion = (backup: LedgerBackup, { metadata }: LedgerDatabase): boolean =>
  backup.spec.type === 'Final' && askedAtMs(backup) >= Date.parse(metadata.deletionTimestamp ?? '');

const words = (message: string | undefined): string =>
  message === undefined ? '' : cutText(`: ${message}`, 300);

/**
 * The file of a single replica is closed first, so that it has everything that was ever answered. Of several replicas, a
 * running one is backed up, because only the others know that it has everything; the backup itself has them take no more writes.
 */
function isReadyForBackup({ owned }: Observation, draft: Draft): boolean {
  if (draft.facts.resolved?.topology?.replicas !== 1) return true;
  const set = owned.statefulSets.find(runs);
  if (set === undefined) return replicaPods(owned.pods).length === 0;
  const stop = patchOf('purge', resources.statefulSet, set, { spec: { replicas: 0 } });
  draft.do({ ...stop, guarded: true });
  return false;
}

const runs = ({ metadata, spec }: StatefulSet): boolean =>
  metadata.deletionTimestamp === undefined && spec?.replicas !== 0;

function stalled({ database }: Observation, draft: Draft, why: string): void {
  const { namespace, name } = database.metadata;
  draft.stallWith(
    'BackupsUnavailable',
    `the database is deleted under ${database.spec.deletionPolicy}, and waits with its volumes: ${cutText(why, 600)}. To let it go without a backup, ` +
      `which keeps the volumes for a while: kubectl -n ${namespace} patch ldb ${name} --type=merge ` +
      `-p '{"spec":{"deletionPolicy":"Retain"}}'`,
  );
}
