/** Starts a database with the volumes that another, deleted one left (`spec.bootstrap.volumes`). */
import { annotations, labels, uidOf } from '../../../domain/names.ts';
import type { Draft } from '../draft.ts';
import { indexOf, replicaVolumes, type Observation } from '../observation.ts';
import { gigabytesOf } from '../quantity.ts';
import { remember, type Memory } from './remember.ts';
import { firstOf, reshapedFrom, reshapingOf } from './reshaping.ts';

/** Returns `undefined` when the database starts otherwise, or has its volumes already. */
export function inherit(observed: Observation, draft: Draft): Memory | 'refused' | undefined {
  const { database, inheritance } = observed;
  const from = database.spec.bootstrap?.volumes;
  if (from === undefined || inheritance === undefined) return undefined;
  if (database.status?.bootstrapped === true) return undefined;
  // This database already adopted them, and its status was lost since: the volumes have its own ID now.
  if (observed.owned.claims.length > 0) return remember(observed.owned.claims, observed);
  const { claims } = inheritance;
  const [first] = claims;
  const refuse = (...stall: Parameters<Draft['stallWith']>) => {
    draft.stallWith(...stall);
    draft.again(30_000);
    return 'refused' as const;
  };
  if (first === undefined) {
    return refuse(
      'VolumesNotFound',
      `this namespace has no volumes of ${from.databaseId} that no backup has replaced; list its volumes with: kubectl -n ` +
        `${database.metadata.namespace} get pvc -L ${labels.databaseId},${labels.database}`,
    );
  }
  const uid = uidOf(database);
  const owner = claims.find((claim) => {
    const other = claim.metadata.labels?.[labels.uid] ?? '';
    return other !== uid && inheritance.livingOwners.includes(other);
  });
  if (owner !== undefined) {
    return refuse(
      'VolumesInUse',
      `the volumes of ${from.databaseId} belong to the database ${owner.metadata.labels?.[labels.database]}, which is ` +
        'there; delete that one first, or give this one another bootstrap',
    );
  }
  const wrong = mismatch(observed);
  if (wrong !== undefined) return refuse('VolumesMismatch', wrong);
  return remember(claims, observed);
}

function mismatch({ inheritance, database, catalog }: Observation): string | undefined {
  const all = inheritance?.claims ?? [];
  const of = (firstOf(all) ?? all[0])?.metadata.labels ?? {};
  const engine = database.spec.engine ?? catalog?.spec.defaults.engine;
  const topology = database.spec.topology ?? catalog?.spec.defaults.topology;
  const written = reshapedFrom(all, topology) ?? of[labels.topology];
  const replicas = catalog?.spec.topologies.find((row) => row.id === written)?.replicas;
  if (of[labels.engine] !== engine) {
    return `the volumes were written by the engine ${of[labels.engine]}; set spec.engine to it in a new resource`;
  }
  const isSaid = database.spec.topology !== undefined;
  if (written !== topology && !(isSaid && replicas === 1 && engine === 'Builtin')) {
    return `the volumes have topology ${written}; set spec.topology to it in a new resource`;
  }
  const claims = replicaVolumes(all, replicas);
  const { clusterId } = database.spec;
  if (clusterId !== undefined && clusterId !== of[labels.clusterId]) {
    return `the volumes hold cluster ${of[labels.clusterId]}; leave spec.clusterId out in a new resource`;
  }
  const indexes = new Set(claims.map(indexOf));
  const missing = Array.from({ length: replicas ?? 1 }, (_, index) => index).filter(
    (index) => !indexes.has(index),
  );
  if (
    missing.length > 0 ||
    new Set(claims.map((one) => one.metadata.labels?.[labels.workload])).size > 1
  ) {
    return `the volumes are not those of one whole database: ${claims.length} found, replica ${missing.join(', ') || 'twice'} missing`;
  }
  const going = claims.find((claim) => claim.metadata.deletionTimestamp !== undefined);
  if (going !== undefined) return `volume ${going.metadata.name} is being deleted already`;
  const empty = claims.find(
    (claim) =>
      reshapingOf([claim]) === undefined &&
      claim.metadata.annotations?.[annotations.formatted] === undefined,
  );
  if (empty !== undefined) return `volume ${empty.metadata.name} never got a data file`;
  const unfilled = claims.find(
    ({ metadata }) => metadata.annotations?.[annotations.filling] !== undefined,
  );
  if (unfilled !== undefined)
    return `volume ${unfilled.metadata.name} has only a part of the backup that its database was to begin with; restore the backup again`;
  const { sizeGb: want, autogrow } = database.spec.storage ?? {};
  const have = Math.max(
    ...claims.map((one) => gigabytesOf(one.spec?.resources?.requests?.['storage']) ?? 0),
  );
  // Storage that grows by itself has outgrown the size in its manifest: the larger one counts.
  if (want !== undefined && want < have && autogrow === undefined)
    return `the volumes have ${have} GiB; spec.storage.sizeGb must not be less`;
  if (autogrow !== undefined && autogrow.limitGb < have)
    return `the volumes have ${have} GiB; spec.storage.autogrow.limitGb must not be less`;
  return undefined;
}
