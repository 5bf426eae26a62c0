/**
 * Databases that nobody has written to since a watch of this process told that they were made. An operator records its decisions
 * in the status before it makes anything for a database but Services, so such a database has no volumes, Jobs, pods or StatefulSet,
 * and none need be looked for. The status that is written next names the version that was seen: another operator's is not missed.
 */
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import { uidOf } from '../../domain/names.ts';
import type { ObjectChange } from '../../base/kube/object-cache.ts';

export class Untouched {
  /** First versions by the databases' uids. */
  readonly #versions = new Map<string, string>();

  note({ object, previous, isBirth = false }: ObjectChange<DatabaseObject>): void {
    const one = object ?? previous;
    if (one === undefined) return;
    const { resourceVersion } = one.metadata;
    const isUntouched = isBirth && one.status === undefined;
    if (isUntouched && resourceVersion !== undefined)
      this.#versions.set(uidOf(one), resourceVersion);
    else this.#versions.delete(uidOf(one));
  }

  has(database: DatabaseObject): boolean {
    const { resourceVersion } = database.metadata;
    return resourceVersion !== undefined && this.#versions.get(uidOf(database)) === resourceVersion;
  }
}
