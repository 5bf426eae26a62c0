/**
 * The shape of a database is its number of replicas. It changes by replacement: the database goes on, from its last backup, in another
 * resource of the same name and ID (docs/decisions/0148-shape-by-replacement.md). Here is what can be replaced, and by what. Pure.
 */
import { archivingAsked } from '../../domain/continuous-archiving.ts';
import {
  isAhead,
  isNewer,
  sourcesOf,
  type EngineRow,
  type VersionRow,
} from '../../domain/catalog/versions.ts';
import type {
  DatabaseObject,
  DatabaseSpec,
  EngineName,
  TopologyName,
} from '../../domain/custom-resources.ts';
import { Refusal, type FieldError } from '../model/refusal.ts';
import { declarerOfSpec } from './field-owners.ts';
import type { ChangeWorld } from './plan-change.ts';

const pointer = '#/clusterConfiguration';

export function refuseShape(world: ChangeWorld): void {
  refuseReplacement(world, pointer);
  const { object, profile } = world;
  if (profile.clusterConfiguration !== 'single' && archivingAsked(object.spec) !== null) {
    throw unavailable({
      pointer,
      code: 'archiving_is_on',
      detail:
        'the log of several replicas goes on after their last backup; switch continuous archiving off first, and on again afterwards',
    });
  }
}

/** Throws a refusal if the resource cannot be replaced by one that goes on from a backup. `pointer`: what is asked for. */
function refuseReplacement({ database, object, profile }: ChangeWorld, pointer: string): void {
  if (profile.engine !== 'Builtin') {
    throw unavailable({
      pointer,
      code: 'engine_unsupported',
      detail: `only databases of the built-in engine have backups to go on from; this one runs ${profile.engine}`,
    });
  }
  const manager = declarerOfSpec(object);
  if (manager !== undefined) {
    const detail = `${manager} declares the resource in Kubernetes, and would make an empty one while it is replaced; restore a backup into a new database instead.`;
    throw new Refusal('field_managed_elsewhere', {
      detail,
      errors: [{ pointer, code: 'field_declared', detail, meta: { manager } }],
    });
  }
  if (database.status === 'READY' && object.spec.paused !== true) return;
  throw new Refusal('database_not_ready', {
    detail:
      database.status === 'READY'
        ? `${database.name} is paused in Kubernetes; its resource can be replaced once it is not.`
        : `${database.name} is ${database.status}; resume it first: replicas that are stopped have no last backup.`,
    members: { databaseStatus: database.status },
    retryable: false,
  });
}

/**
 * Whether the volume of a single replica can go on with several. The engine's version must have that: one that has not could give the
 * volume back neither. The archive of its log would have a larger gap than with a last backup.
 */
export function canReshape(world: ChangeWorld): boolean {
  const { object, profile } = world;
  return (
    profile.clusterConfiguration === 'single' &&
    archivingAsked(object.spec) === null &&
    runningOf(world).row?.reshapes === true
  );
}

/**
 * Throws a refusal if the engine's version, or the operator, cannot begin with an earlier state under later numbers. That would be seen
 * only after the database was stopped.
 */
export function refuseReturn(world: ChangeWorld): void {
  refuseReplacement(world, '#');
  const { engine, version = '', row } = runningOf(world);
  if (row?.restoresInPlace === true) return refuseEarlierOperator(world);
  const allowed = updatesOf(engine, version)
    .filter((one) => one.restoresInPlace === true)
    .map((one) => one.version)
    .toSorted((one, other) => (isNewer(one, other) ? -1 : 1));
  const [newest] = allowed;
  const advice =
    newest === undefined
      ? 'the catalog has no later version for it that can; restore into a new database instead'
      : `upgrade it to ${newest} first, or restore into a new database`;
  throw unavailable({
    pointer: '#',
    code: 'engine_version_unsupported',
    detail: `version ${version} of the engine cannot be restored in place; ${advice}`,
    meta: { version, allowed },
  });
}

/** An operator of an earlier release, or definitions of one, would begin the earlier state under the numbers of the present one. */
function refuseEarlierOperator({ object }: ChangeWorld): void {
  if (object.status?.restoresInPlace === true) return;
  throw unavailable({
    pointer: '#',
    code: 'operator_unsupported',
    detail:
      'the operator of the service, or its definitions in Kubernetes, are of an earlier release, which cannot restore in place; ask again when they are upgraded, or restore into a new database',
  });
}

/** The version that the replicas run, and what the catalog says of it. */
function runningOf({ catalog, object }: ChangeWorld): {
  readonly engine: EngineRow | undefined;
  readonly version: string | undefined;
  readonly row: VersionRow | undefined;
} {
  const { resolved, version: now } = object.status ?? {};
  const version = now?.active ?? resolved?.engine?.version;
  const engine = catalog.engines.find(({ name }) => name === resolved?.engine?.name);
  return { engine, version, row: engine?.versions.find((one) => one.version === version) };
}

/** The later versions to which a database with this one can be upgraded now. */
const updatesOf = (engine: EngineRow | undefined, version: string): readonly VersionRow[] =>
  (engine?.versions ?? []).filter(
    (one) => !one.deprecated && !isAhead(one) && sourcesOf(one).includes(version),
  );

/**
 * The spec of the resource that goes on with the data of another one, with another number of replicas: what the old one was resolved to is
 * named, so that the catalog's defaults of today change nothing else.
 */
export function reshaped(
  { spec, status }: DatabaseObject,
  topology: TopologyName | undefined,
): DatabaseSpec {
  const { bootstrap: _, ...kept } = spec;
  const { resolved, storage, version, clusterId } = status ?? {};
  const { engine, placement, size, storage: volume } = resolved ?? {};
  return {
    ...kept,
    ...(topology !== undefined && { topology }),
    ...(engine && { engine: engine.name as EngineName }),
    ...(engine && { version: version?.active ?? engine.version }),
    ...(placement && { provider: placement.provider, region: placement.region }),
    ...(size && { size: size.name }),
    storage: {
      ...spec.storage,
      ...(volume && { tier: volume.tier }),
      ...(storage && { sizeGb: storage.requestedGb }),
    },
    ...(clusterId !== undefined && { clusterId }),
  };
}

const unavailable = (error: FieldError): Refusal =>
  new Refusal('catalog_choice_unavailable', { detail: `${error.detail}.`, errors: [error] });
