/** Conversion of IDs: rows hold UUIDs, all other code uses TypeIDs. */
import { assert } from '../../base/assert.ts';
import { typeIdOfUuid, uuidOfTypeId } from '../../domain/type-id.ts';

/** Returns the UUID of a TypeID that this program made or has checked. The contract checks clients' IDs before they come here. */
export function uuidOf(typeId: string): string {
  const uuid = uuidOfTypeId(typeId.slice(0, typeId.indexOf('_')), typeId);
  assert(uuid !== undefined, 'the ID was not checked');
  return uuid;
}

export const uuidOrNull = (typeId: string | null | undefined): string | null =>
  typeId === null || typeId === undefined ? null : uuidOf(typeId);

export const typeIdOrNull = (prefix: string, uuid: string | null): string | null =>
  uuid === null ? null : typeIdOfUuid(prefix, uuid);
