/**
 * Refuses changes that the catalog's resolution does not know: those that depend on the database's life, and on storage that
 * cannot shrink or grow. Pure.
 */
import { fitsMemory } from '../../domain/catalog/capacity.ts';
import type { CatalogSpec, DatabaseObject } from '../../domain/custom-resources.ts';
import { refuseArchiving } from '../databases/refuse-archiving.ts';
import { deletedAlready } from '../databases/refusal.ts';
import { Refusal, type FieldError } from '../model/refusal.ts';
import type { ChangeRequest } from '../model/configuration-change.ts';
import type { Database } from '../store/database-record.ts';
import type { ChangeWorld } from './plan-change.ts';

export function refuseImpossible(world: ChangeWorld, request: ChangeRequest): void {
  const { database, profile, earlier } = world;
  requireChangeable(database);
  if (request.revision !== undefined && earlier === undefined) {
    const detail = `There is no revision ${request.revision}; there are 1 to ${profile.revision}.`;
    throw invalid({ pointer: '#/revision', code: 'unknown_revision', detail });
  }
  refuseMore(world, request);
  refuseArchiving(world.profile.engine, request.continuousArchiving);
}

/** Refuses storage that cannot be had, and a size that the data do not fit. `wanted`: with what an earlier revision asks for. */
export function refuseUnfit(world: ChangeWorld, wanted: ChangeRequest): void {
  refuseStorage(world, wanted);
  refuseSmallMemory(world, wanted);
}

const whatNow: Readonly<Partial<Record<Database['status'], string>>> = {
  PROVISIONING: 'change it when it is READY',
  FAILED: 'retry the job that made it, or delete it',
  DELETING: 'restore it when the deletion has ended, and change it then',
};

/** Only a database that serves, or is stopped, may be changed. */
export function requireChangeable(database: Database): void {
  const { name, status, deletedAt } = database;
  if (status === 'READY' || status === 'SUSPENDED') return;
  if (deletedAt !== null && status !== 'DELETING') throw deletedAlready(database);
  throw new Refusal('database_not_ready', {
    detail: `${name} is ${status}; ${whatNow[status] ?? 'see its statusReason'}.`,
    members: { databaseStatus: status },
    ...(status === 'PROVISIONING' ? { retryAfterSeconds: 5 } : { retryable: false }),
  });
}

/** Another number of replicas is a change of its own: it can only be told, and taken back, by itself. */
function refuseMore({ profile }: ChangeWorld, request: ChangeRequest): void {
  const { clusterConfiguration, ...others } = request;
  if (clusterConfiguration === undefined || clusterConfiguration === profile.clusterConfiguration)
    return;
  const more = Object.entries(others).filter(([, value]) => value !== undefined);
  if (more.length === 0) return;
  const names = more.map(([name]) => name).join(', ');
  throw invalid({
    pointer: '#/clusterConfiguration',
    code: 'not_alone',
    detail: `A change of the cluster configuration must be separate. Ask for ${names} before or after it.`,
  });
}

function refuseStorage({ catalog, object }: ChangeWorld, request: ChangeRequest): void {
  const { selectedStorageGb: wanted, autogrow } = request;
  const { storage, resolved } = object.status ?? {};
  const has = storage?.acknowledgedGb ?? 0;
  const tierId = resolved?.storage?.tier;
  const tier = catalog.storageTiers.find(({ id }) => id === tierId);
  if (wanted !== undefined && wanted < has) {
    const detail = `Storage cannot shrink: the volumes have ${has} GiB. Ask for ${has} GiB or more.`;
    throw new Refusal('storage_cannot_shrink', {
      detail,
      errors: [
        {
          pointer: '#/selectedStorageGb',
          code: 'storage_cannot_shrink',
          detail,
          meta: { min: has },
        },
      ],
    });
  }
  const errors: FieldError[] = [];
  const fixed = tier?.growable === false;
  const stays = `volumes of tier ${tierId ?? ''} keep the size that they were made with`;
  if (fixed && wanted !== undefined && wanted > Math.max(has, storage?.requestedGb ?? 0)) {
    const detail = `${stays}; make a database with more storage instead`;
    errors.push({ pointer: '#/selectedStorageGb', code: 'storage_cannot_grow', detail });
  }
  if (fixed && autogrow) {
    errors.push({ pointer: '#/autogrow', code: 'storage_cannot_grow', detail: stays });
  }
  const least = wanted ?? object.spec.storage?.sizeGb ?? has;
  if (
    autogrow &&
    !fixed &&
    (autogrow.limitGb < least || autogrow.limitGb > (tier?.maxGb ?? Infinity))
  ) {
    const detail = `autogrow.limitGb must be ${least} to ${tier?.maxGb ?? least}`;
    errors.push({ pointer: '#/autogrow/limitGb', code: 'storage_out_of_range', detail });
  }
  const limit = autogrow === undefined ? object.spec.storage?.autogrow?.limitGb : undefined;
  if (wanted !== undefined && limit !== undefined && wanted > limit) {
    const detail = `storage grows by itself up to ${limit} GiB; raise autogrow.limitGb too, or ask for less`;
    errors.push({ pointer: '#/selectedStorageGb', code: 'storage_out_of_range', detail });
  }
  if (errors.length === 0) return;
  throw new Refusal('catalog_choice_unavailable', {
    detail: `${errors.map(({ detail }) => detail).join('. ')}.`,
    errors,
  });
}

/** Refuses a smaller size whose memory the records would take for ever, or while the engines report that theirs is nearly used. */
function refuseSmallMemory(world: ChangeWorld, { clusterSize }: ChangeRequest): void {
  if (clusterSize === undefined) return;
  const { catalog, object } = world;
  const wanted = catalog.sizes.find(({ id }) => id === clusterSize);
  const has = object.status?.resolved?.size?.memoryMib ?? 0;
  if (wanted === undefined || wanted.memoryMib >= has) return;
  const used = nearlyUsed(object);
  const why = used ?? tooSmallFor(world, wanted);
  if (why === undefined) return;
  const fits = catalog.sizes
    .filter((size) => size.memoryMib >= has || (used === undefined && holds(world, size)))
    .map(({ id }) => id);
  throw new Refusal('catalog_choice_unavailable', {
    detail: `The data do not fit ${clusterSize}: ${why}. Choose one of ${fits.join(', ')}.`,
    errors: [
      { pointer: '#/clusterSize', code: 'data_do_not_fit', detail: why, meta: { allowed: fits } },
    ],
  });
}

function nearlyUsed(object: DatabaseObject): string | undefined {
  const capacity = conditionOf(object, 'CapacityLeft');
  const isMemory = capacity?.message.startsWith('memory of ') === true;
  return isMemory && capacity?.reason !== 'Enough' ? capacity?.message : undefined;
}

type Size = CatalogSpec['sizes'][number];

/** What exceeds its capacity may still fit, and is warned of (plan-change.ts). The rule is that of the built-in engine. */
const holds = ({ profile, held }: ChangeWorld, size: Size): boolean =>
  profile.engine !== 'Builtin' || held === undefined || fitsMemory(size, held);

function tooSmallFor(world: ChangeWorld, size: Size): string | undefined {
  const { held } = world;
  if (held === undefined || holds(world, size)) return undefined;
  const shown = (count: number) => count.toLocaleString('en');
  return `${shown(held.transfers)} transfers and ${shown(held.accounts)} accounts keep more memory than it has`;
}

const conditionOf = ({ status }: DatabaseObject, wanted: string) =>
  status?.conditions?.find(({ type }) => type === wanted);

const invalid = (error: FieldError): Refusal =>
  new Refusal('validation_failed', { detail: error.detail, errors: [error] });
