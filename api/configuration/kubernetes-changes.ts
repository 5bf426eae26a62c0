/**
 * Changes that somebody makes in Kubernetes, in this service's records: they are being applied once the operator accepts them,
 * and applied when it has nothing left to do.
 */
import { ConditionType } from '../../domain/conditions.ts';
import { replicasOf } from '../../domain/catalog/topologies.ts';
import type { CatalogSpec, DatabaseObject, TopologyName } from '../../domain/custom-resources.ts';
import type { ChangeRequest, ConfigurationChange } from '../model/configuration-change.ts';
import { canonicalJson } from '../model/canonical-json.ts';
import type { FieldChange } from '../model/event.ts';
import {
  createConfigurationChange,
  unfinishedChanges,
  updateConfigurationChange,
} from '../store/configuration-changes.ts';
import type { Change } from '../store/change.ts';
import type { Database, Profile } from '../store/database-record.ts';
import { tellChange } from './change-events.ts';
import { impactOf, memberOf } from './impact.ts';
import { priceDeltaOf } from './price-delta.ts';

/** Whether a change of this service asked for all of the differences. */
export const isOfChange = (
  applying: ConfigurationChange | undefined,
  differences: readonly FieldChange[],
): boolean =>
  applying !== undefined &&
  differences.every(({ path, to }) =>
    applying.diff.some((one) => one.path === path && canonicalJson(one.to) === canonicalJson(to)),
  );

export async function recordKubernetesChange(
  change: Change,
  database: Database,
  {
    before,
    after,
    diff,
    object,
    catalog,
  }: {
    readonly before: Profile;
    readonly after: Profile;
    readonly diff: readonly FieldChange[];
    readonly object: DatabaseObject;
    readonly catalog: CatalogSpec | undefined;
  },
): Promise<void> {
  const made = await createConfigurationChange(change, {
    organizationId: database.organizationId,
    databaseId: database.id,
    status: 'APPLYING',
    origin: 'kubernetes',
    request: requestOf(diff),
    diff,
    impact: impactOf(diff, {
      replicas: replicasOf[after.clusterConfiguration as TopologyName],
      suspended: before.suspended,
      // No preview was made; the way back is shown on request.
      versionReversible: true,
    }),
    priceDelta: catalog === undefined ? null : priceDeltaOf(catalog, before, after),
    applyAfter: null,
    inWindow: false,
    generation: object.metadata.generation ?? 0,
    previousRevision: before.revision,
    profileRevision: after.revision,
  });
  tellChange(change, 'configuration.change_started', database, made);
}

/** Ends the changes made in Kubernetes that the operator has carried out. */
export async function settleKubernetesChanges(
  change: Change,
  database: Database,
  object: DatabaseObject,
): Promise<void> {
  const open = (await unfinishedChanges(change.db, database.id)).filter(
    ({ origin }) => origin === 'kubernetes',
  );
  if (open.length === 0) return;
  const reconciling = object.status?.conditions?.find(
    ({ type }) => type === ConditionType.Reconciling,
  );
  for (const { id, generation } of open) {
    const isCurrent = (reconciling?.observedGeneration ?? 0) >= (generation ?? 0);
    if (!isCurrent || reconciling?.status !== 'False' || reconciling.reason === 'Stalled') continue;
    const ended = await updateConfigurationChange(change, id, { status: 'APPLIED' });
    tellChange(change, 'configuration.change_applied', database, ended);
  }
}

/** Ends all changes of a database that is being deleted. */
export async function cancelChanges(change: Change, databaseId: string): Promise<void> {
  for (const { id } of await unfinishedChanges(change.db, databaseId)) {
    await updateConfigurationChange(change, id, {
      status: 'CANCELED',
      error: {
        code: 'superseded',
        message: 'The database was deleted.',
        state: 'The database is deleted.',
        nextSteps: ['Restore the database; then ask for the change again.'],
      },
    });
  }
}

/** The same change in the words of a request. */
function requestOf(diff: readonly FieldChange[]): ChangeRequest {
  const parameters = diff.filter(({ path }) => memberOf(path) === 'parameters');
  const others = diff.filter(({ path }) => memberOf(path) !== 'parameters');
  return {
    ...Object.fromEntries(others.map(({ path, to }) => [path.slice(1), to])),
    ...(parameters.length > 0 && {
      parameters: Object.fromEntries(
        parameters.map(({ path, to }) => [path.split('/')[2] ?? '', to as string | null]),
      ),
    }),
  };
}
