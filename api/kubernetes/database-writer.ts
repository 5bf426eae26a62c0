/**
 * The LedgerDatabases that the API writes. One is created, never written over one that somebody else made; later changes are
 * of single fields, on that very object and not on another that has its name since.
 */
import { createIfNone } from '../../base/kube/create-if-none.ts';
import { ApiError, type Kube, type Reference } from '../../base/kube/kube.ts';
import type { DatabaseObject } from '../../domain/custom-objects.ts';
import { resources } from '../../domain/kinds.ts';
import { apiName, labels } from '../../domain/names.ts';
import { apiVersion, type DatabaseSpec } from '../../domain/resources.ts';

/** The name is somebody else's: nothing was written. */
export class NotOurs extends Error {
  override readonly name = 'NotOurs';
  /** TypeID of the database that has the name, where one has. */
  readonly holder: string | undefined;
  /** It is going: the name is free in a moment. */
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

  /** Makes it, or finds that it was made before. `NotOurs`: there is another of that name. */
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

  /** From the API server itself. */
  read({ namespace, name }: DatabaseIdentity): Promise<DatabaseObject | undefined> {
    return this.#kube.read<DatabaseObject>({ resource: resources.database, namespace, name });
  }

  /** Changes fields of the spec. `undefined`: it is gone, or another has its name now. */
  async change(
    identity: DatabaseIdentity,
    uid: string,
    spec: Partial<DatabaseSpec>,
  ): Promise<DatabaseObject | undefined> {
    const found = await this.read(identity);
    if (found?.metadata.uid !== uid) return undefined;
    try {
      // By its uid alone: the operator writes to it all the time, and no field given here follows from one that was read.
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

  /** Gives it the public ID as a label, so that what is made of it bears it too. */
  async label(identity: DatabaseIdentity, uid: string): Promise<void> {
    await this.#kube.mergePatch(
      referenceOf(identity),
      { metadata: { uid, labels: { [labels.databaseId]: identity.databaseId } } },
      { fieldManager: apiName },
    );
  }

  /**
   * Deletes it and keeps its volumes, whatever its policy was. `unprotect`: takes its protection off before. What is gone
   * already, or another by now, is left as it is.
   */
  async delete(
    identity: DatabaseIdentity,
    uid: string,
    { unprotect }: { readonly unprotect: boolean },
  ): Promise<void> {
    const found = await this.change(identity, uid, {
      deletionPolicy: 'Retain',
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
