/**
 * Refuses changes that the catalog's resolution does not know: those that depend on the database's life, and on storage that
 * cannot shrink or grow. Pure.
 */
import type { DatabaseObject } from '../../domain/custom-resources.ts';
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
  refuseStorage(world, request);
  refuseArchiving(world.profile.engine, request.continuousArchiving);
  refuseFullMemory(world, request);
}

/** Only a database that serves, or is stopped, may be changed. */
export function requireChangeable(database: Database): void {
  const { name, status, deletedAt } = database;
  if (deletedAt !== null) throw deletedAlready(database);
  if (status === 'READY' || status === 'SUSPENDED') return;
  throw new Refusal('database_not_ready', {
    detail:
      status === 'PROVISIONING'
        ? `${name} is still being made; change it when it is READY.`
        : `${name} is ${status}; retry the job that made it, or delete it.`,
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
    const detail = `Storage cannot shrink: the volumes have ${has} GB. Ask for ${has} GB or more.`;
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
    const detail = `storage grows by itself up to ${limit} GB; raise autogrow.limitGb too, or ask for less`;
    errors.push({ pointer: '#/selectedStorageGb', code: 'storage_out_of_range', detail });
  }
  if (errors.length === 0) return;
  throw new Refusal('catalog_choice_unavailable', {
    detail: `${errors.map(({ detail }) => detail).join('. ')}.`,
    errors,
  });
}

/** Refuses a smaller size while the engines report that their memory is nearly or completely used. */
function refuseFullMemory({ catalog, object }: ChangeWorld, { clusterSize }: ChangeRequest): void {
  if (clusterSize === undefined) return;
  const wanted = catalog.sizes.find(({ id }) => id === clusterSize);
  const has = object.status?.resolved?.size?.memoryMib ?? 0;
  if (wanted === undefined || wanted.memoryMib >= has) return;
  const capacity = conditionOf(object, 'CapacityLeft');
  const isMemory = capacity?.message.startsWith('memory of ') === true;
  if (capacity === undefined || !isMemory || capacity.reason === 'Enough') return;
  const fits = catalog.sizes.filter(({ memoryMib }) => memoryMib >= has).map(({ id }) => id);
  throw new Refusal('catalog_choice_unavailable', {
    detail: `The data do not fit ${clusterSize}: ${capacity.message}. Choose one of ${fits.join(', ')}.`,
    errors: [
      {
        pointer: '#/clusterSize',
        code: 'data_do_not_fit',
        detail: capacity.message,
        meta: { allowed: fits },
      },
    ],
  });
}

const conditionOf = ({ status }: DatabaseObject, wanted: string) =>
  status?.conditions?.find(({ type }) => type === wanted);

const invalid = (error: FieldError): Refusal =>
  new Refusal('validation_failed', { detail: error.detail, errors: [error] });
