/** Rows hold UUIDs, everything else TypeIDs. */
import { assert } from '../../base/assert.ts';
import { typeIdOfUuid, uuidOfTypeId } from '../../domain/type-id.ts';

/** Of an ID that this program made or has checked; a client's own is checked by the contract before it comes here. */
export function uuidOf(typeId: string): string {
  const uuid = uuidOfTypeId(typeId.slice(0, typeId.indexOf('_')), typeId);
  assert(uuid !== undefined, 'the ID was not checked');
  return uuid;
}

export const uuidOrNull = (typeId: string | null | undefined): string | null =>
  typeId === null || typeId === undefined ? null : uuidOf(typeId);

export const typeIdOrNull = (prefix: string, uuid: string | null): string | null =>
  uuid === null ? null : typeIdOfUuid(prefix, uuid);
