/**
 * Databases that this process has seen disappear and whose volumes are deleted with them: under the policy `Delete`, and not
 * paused.
 */
import { uidOf } from '../../domain/names.ts';
import type { LedgerDatabase } from '../../domain/custom-resources.ts';

/** Maximum number; the volumes of the oldest ones are kept for the retention. */
const databasesMax = 10_000;

export class GoneDatabases {
  /** Uid and namespace: a copy of the volume in another namespace has the uid, too. */
  readonly #places = new Set<string>();

  /** `last`: the last known state of the database. */
  note(last: LedgerDatabase): void {
    if (last.spec.deletionPolicy !== 'Delete' || last.spec.paused === true) return;
    this.#places.add(placeOf(uidOf(last), last.metadata.namespace));
    const [oldest] = this.#places;
    if (oldest !== undefined && this.#places.size > databasesMax) this.#places.delete(oldest);
  }

  tookVolumes(uid: string, namespace: string | undefined): boolean {
    return this.#places.has(placeOf(uid, namespace));
  }
}

const placeOf = (uid: string, namespace: string | undefined): string => `${namespace ?? ''}/${uid}`;
