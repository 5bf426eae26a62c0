/**
 * Writer of LedgerDatabases. It creates one only if no other exists. Later changes set single fields, only on the same object and
 * not on a new one of the same name.
 */
import { createIfNone } from '../../base/kube/create-if-none.ts';
import { ApiError, type Kube, type Reference } from '../../base/kube/kube.ts';
import {
  type DatabaseObject,
  apiVersion,
  type DatabaseSpec,
} from '../../domain/custom-resources.ts';
import { resources } from '../../domain/kinds.ts';
import { apiName, labels } from '../../domain/names.ts';

/** Another resource has the name; nothing was written. */
export class NotOurs extends Error {
  override readonly name = 'NotOurs';
  /** TypeID of the database that has the name, if it is one. */
  readonly holder: string | undefined;
  /** Whether the other resource is being deleted, so that the name is free soon. */
  readonly going: boolean;

  constructor(
    message: string,
    { holder, going = false }: { holder?: string | undefined; going?: boolean } = {},
  ) {
    super(message);
    this.holder = holder;
    this.going = going;
  }
}

export interface DatabaseIdentity {
  readonly namespace: string;
  readonly name: string;
  /** TypeID `db_…`. */
  readonly databaseId: string;
}

export class DatabaseWriter {
  readonly #kube: Kube;

  constructor(kube: Kube) {
    this.#kube = kube;
  }

  /** Creates the resource, or finds the one that was made before. Throws `NotOurs` if another one has the name. */
  async create(
    identity: DatabaseIdentity,
    spec: DatabaseSpec,
    annotations: Readonly<Record<string, string>> = {},
  ): Promise<DatabaseObject> {
    const object = objectOf(identity, spec, annotations);
    const made = await createIfNone(this.#kube, resources.database, object, {
      fieldManager: apiName,
    });
    if (made !== undefined) return made;
    const found = await this.read(identity);
    if (found === undefined) throw new Error(`${identity.name} came and went while it was made`);
    const holder = found.metadata.labels?.[labels.databaseId];
    const going = found.metadata.deletionTimestamp !== undefined;
    if (holder === identity.databaseId && !going) return found;
    throw new NotOurs(
      `there is a LedgerDatabase ${identity.name} in ${identity.namespace} that was made otherwise; choose another name`,
      { holder, going },
    );
  }

  /** Reads from the API server, not from a cache. */
  read({
    namespace,
    name,
  }: Pick<DatabaseIdentity, 'namespace' | 'name'>): Promise<DatabaseObject | undefined> {
    return this.#kube.read<DatabaseObject>({ resource: resources.database, namespace, name });
  }

  /** Changes fields of the spec. Returns `undefined` if the resource is gone or another one has its name. */
  async change(
    identity: DatabaseIdentity,
    uid: string,
    spec: Partial<DatabaseSpec>,
  ): Promise<DatabaseObject | undefined> {
    const found = await this.read(identity);
    if (found?.metadata.uid !== uid) return undefined;
    try {
      // Checks only the UID: the operator writes to the resource often, and no field here depends on one that was read.
      return await this.#kube.mergePatch<DatabaseObject>(
        referenceOf(identity),
        { metadata: { uid }, spec },
        { fieldManager: apiName },
      );
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if ((await this.read(identity))?.metadata.uid !== uid) return undefined;
      throw error;
    }
  }

  /**
   * Changes fields of the spec, only if the resource is still the one that was read. Otherwise throws `ApiError` with status
   * 409: the caller reads and decides again, so it never overwrites a change made in between.
   */
  changeIf(
    { metadata: { namespace, name, uid, resourceVersion } }: DatabaseObject,
    spec: Readonly<Record<string, unknown>>,
  ): Promise<DatabaseObject> {
    return this.#kube.mergePatch<DatabaseObject>(
      { resource: resources.database, namespace, name },
      { metadata: { uid, resourceVersion }, spec },
      { fieldManager: apiName },
    );
  }

  /** Deletes the resource only if it is still as it was read. Otherwise throws `ApiError` with status 409. */
  deleteIf({ metadata: { namespace, name, uid = '', resourceVersion } }: DatabaseObject) {
    return this.#kube.delete(
      { resource: resources.database, namespace, name },
      { uid, resourceVersion },
    );
  }

  /** Writes annotations on the resource that was read, or removes them, whatever else has become of it. */
  async annotate(
    { metadata: { namespace, name, uid } }: DatabaseObject,
    annotations: Readonly<Record<string, string | null>>,
  ): Promise<void> {
    await this.#kube.mergePatch(
      { resource: resources.database, namespace, name },
      { metadata: { uid, annotations } },
      { fieldManager: apiName },
    );
  }

  /** Labels the resource with the public ID, so that the objects made from it have the label too. */
  async label(identity: DatabaseIdentity, uid: string): Promise<void> {
    await this.#kube.mergePatch(
      referenceOf(identity),
      { metadata: { uid, labels: { [labels.databaseId]: identity.databaseId } } },
      { fieldManager: apiName },
    );
  }

  /**
   * Deletes the resource under this policy for its volumes, whatever its earlier policy. `unprotect`: removes its protection
   * first. Does nothing if the resource is gone or another one has its name.
   */
  async delete(
    identity: DatabaseIdentity,
    uid: string,
    {
      unprotect,
      deletionPolicy,
    }: { readonly unprotect: boolean; readonly deletionPolicy: DatabaseSpec['deletionPolicy'] },
  ): Promise<void> {
    const found = await this.change(identity, uid, {
      deletionPolicy,
      ...(unprotect && { deletionProtection: false }),
    });
    if (found === undefined) return;
    await this.#kube.delete(referenceOf(identity), { uid });
  }
}

const referenceOf = ({ namespace, name }: DatabaseIdentity): Reference => ({
  resource: resources.database,
  namespace,
  name,
});

const objectOf = (
  { namespace, name, databaseId }: DatabaseIdentity,
  spec: DatabaseSpec,
  annotations: Readonly<Record<string, string>>,
): DatabaseObject => ({
  apiVersion,
  kind: 'LedgerDatabase',
  metadata: {
    namespace,
    name,
    labels: { [labels.databaseId]: databaseId, [labels.managedBy]: apiName },
    annotations,
  },
  spec,
});
