/**
 * Writer of LedgerBackups. It reads and creates them, requests their test and removal, and sets their protection and holds, always on
 * exactly the intended object.
 */
import { createIfNone } from '../../base/kube/create-if-none.ts';
import type { Kube, Reference } from '../../base/kube/kube.ts';
import {
  apiVersion,
  type LedgerBackup,
  type OneBackupObject,
} from '../../domain/custom-resources.ts';
import { resources } from '../../domain/kinds.ts';
import { apiName, labels } from '../../domain/names.ts';
import { patchOwn } from './patch-own.ts';

export interface BackupPlace {
  readonly namespace: string;
  readonly name: string;
}

export class BackupWriter {
  readonly #kube: Kube;

  constructor(kube: Kube) {
    this.#kube = kube;
  }

  /** Reads from the API server, not from a cache. */
  read(place: BackupPlace): Promise<OneBackupObject | undefined> {
    return this.#kube.read<OneBackupObject>(referenceOf(place));
  }

  /** Lists the backups of a namespace from the API server, not from a cache. */
  list(namespace: string): Promise<readonly OneBackupObject[]> {
    return this.#kube.list<OneBackupObject>(resources.backup, { namespace });
  }

  /** Creates the resource. Returns `undefined`, writing nothing, if there is one of that name. */
  create(
    { namespace, name }: BackupPlace,
    databaseId: string,
    spec: LedgerBackup['spec'],
    annotations: Readonly<Record<string, string>> = {},
  ): Promise<OneBackupObject | undefined> {
    const object: OneBackupObject = {
      apiVersion,
      kind: 'LedgerBackup',
      metadata: {
        namespace,
        name,
        labels: { [labels.databaseId]: databaseId, [labels.managedBy]: apiName },
        annotations,
      },
      spec,
    };
    return createIfNone(this.#kube, resources.backup, object, { fieldManager: apiName });
  }

  /**
   * Asks the operator to remove the backup from the bucket, only if the resource is still as it was read. Throws `ApiError` with
   * status 409 otherwise.
   */
  async requestRemoval({ metadata }: OneBackupObject): Promise<void> {
    const { namespace = '', name, uid, resourceVersion } = metadata;
    await this.#kube.mergePatch(
      referenceOf({ namespace, name }),
      { metadata: { uid, resourceVersion }, spec: { removeRequested: true } },
      { fieldManager: apiName },
    );
  }

  /** Same as `patchOwn`. */
  protect(
    place: BackupPlace,
    uid: string,
    isProtected: boolean,
  ): Promise<OneBackupObject | undefined> {
    return patchOwn<OneBackupObject>(this.#kube, referenceOf(place), uid, {
      spec: { protected: isProtected },
    });
  }

  /**
   * Sets or takes away the hold, only if the resource is still as it was read. Throws `ApiError` with status 409 otherwise, and with status
   * 422 if a removal has begun. Returns the resource with it.
   */
  async hold(
    { metadata }: OneBackupObject,
    hold: NonNullable<LedgerBackup['spec']['hold']> | null,
  ): Promise<OneBackupObject> {
    const { namespace = '', name, uid, resourceVersion } = metadata;
    return this.#kube.mergePatch<OneBackupObject>(
      referenceOf({ namespace, name }),
      { metadata: { uid, resourceVersion }, spec: { hold } },
      { fieldManager: apiName },
    );
  }

  /** Makes the operator test the backup, unless a test began at this time or later. Same as `patchOwn`. */
  requestTest(
    place: BackupPlace,
    uid: string,
    requestedAt: string,
  ): Promise<OneBackupObject | undefined> {
    return patchOwn<OneBackupObject>(this.#kube, referenceOf(place), uid, {
      spec: { verifyRequestedAt: requestedAt },
    });
  }

  /** Writes annotations on the resource that was read, or removes them, whatever else has become of it. */
  async annotate(
    { metadata: { namespace = '', name, uid } }: OneBackupObject,
    annotations: Readonly<Record<string, string | null>>,
  ): Promise<void> {
    await this.#kube.mergePatch(
      referenceOf({ namespace, name }),
      { metadata: { uid, annotations } },
      { fieldManager: apiName },
    );
  }

  /** Time by the API server's clock; `undefined` before its first answer. */
  serverTimeMs(): number | undefined {
    return this.#kube.serverTimeMs();
  }

  /** Deletes the resource; the bucket stays as it is. Does nothing if it is gone. */
  delete(place: BackupPlace, uid: string): Promise<void> {
    return this.#kube.delete(referenceOf(place), { uid });
  }
}

const referenceOf = ({ namespace, name }: BackupPlace): Reference => ({
  resource: resources.backup,
  namespace,
  name,
});
