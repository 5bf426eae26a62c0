/** Specs of the resource in which a database goes on while its shape changes, from what it was before. Pure. */
import type { DatabaseObject, DatabaseSpec, TopologyName } from '../../domain/custom-resources.ts';
import type { ConfigurationChange, ReplacedResource } from '../model/configuration-change.ts';
import type { Database } from '../store/database-record.ts';
import { reshaped } from './shape.ts';

export interface Replacement {
  readonly change: Pick<ConfigurationChange, 'request'>;
  readonly database: Pick<Database, 'id' | 'deletionProtection'>;
  readonly replaced: ReplacedResource;
}

/**
 * The spec that another resource needs in order to be as this one is. `HandOver` is only for one that is being replaced: what an earlier
 * change left of it, as at its deadline, must not keep the volumes of a database that is deleted later without a time.
 */
export function asItIs(object: DatabaseObject): DatabaseSpec {
  const spec = reshaped(
    object,
    object.status?.resolved?.topology?.name as DatabaseSpec['topology'],
  );
  return spec.deletionPolicy === 'HandOver' ? { ...spec, deletionPolicy: 'Retain' } : spec;
}

/** The earlier spec. Protection that somebody asked for over HTTP meanwhile is in the row alone. */
export const protectedAs = ({
  database: { deletionProtection },
  replaced: { spec },
}: Replacement): DatabaseSpec => ({
  ...spec,
  deletionProtection: spec.deletionProtection || deletionProtection,
});

/** The shape that the database is to get now: the one that was asked for, or, once that is given up, its earlier one. */
const wantedTopology = ({ change, replaced }: Replacement): TopologyName | undefined =>
  replaced.givenUp === undefined
    ? (change.request.clusterConfiguration ?? replaced.spec.topology)
    : replaced.spec.topology;

/**
 * With the last backup, or with the earlier state that was asked for. The archive of several replicas may have more than their last backup,
 * so that a database which comes back with it after all goes on after that, too.
 */
export function fromBackup(replacement: Replacement, backupId: string): DatabaseSpec {
  const { change, database, replaced } = replacement;
  const { restoredTo } = replaced.givenUp === undefined ? change.request : {};
  const { follows } = replaced;
  const begins = restoredTo !== undefined || replaced.spec.topology !== 'single';
  return {
    ...of(replacement),
    clusterId: replaced.clusterId,
    ...(restoredTo !== undefined && { changeDataCapture: { suspend: true } }),
    bootstrap: {
      backup: {
        databaseId: database.id,
        ...(restoredTo ?? { backupId }),
        ...(follows !== undefined && begins && { follows: { ...follows } }),
      },
    },
  };
}

/**
 * With the volumes that the database has. The earlier shape takes the cluster ID and the version from them, and the size: somebody may have
 * let them grow under the new one, and they never shrink.
 */
export function fromVolumes(replacement: Replacement): DatabaseSpec {
  const { database, replaced } = replacement;
  const { version, clusterId: _, storage = {}, ...spec } = of(replacement);
  const isNew = replaced.givenUp === undefined && replaced.turned !== true;
  const { sizeGb: __, ...tiered } = storage;
  return {
    ...spec,
    storage: isNew ? storage : tiered,
    ...(replaced.givenUp === undefined && { clusterId: replaced.clusterId }),
    ...(replaced.givenUp === undefined && version !== undefined && { version }),
    bootstrap: { volumes: { databaseId: database.id } },
  };
}

function of(replacement: Replacement): DatabaseSpec {
  const topology = wantedTopology(replacement);
  return { ...protectedAs(replacement), ...(topology !== undefined && { topology }) };
}
