/** Gathers the inputs of a change's plan: the rows, and the resource from the API server. */
import type { CatalogSpec } from '../../domain/custom-resources.ts';
import type { DatabaseWriter } from '../kubernetes/database-writer.ts';
import type { ChangeRequest } from '../model/configuration-change.ts';
import { Refusal } from '../model/refusal.ts';
import type { Database } from '../store/database-record.ts';
import { findActiveProfile } from '../store/databases.ts';
import { heldRecords } from '../store/held-records.ts';
import { findRevision } from '../store/profile-revisions.ts';
import type { Reader } from '../store/tables.ts';
import type { ChangeWorld } from './plan-change.ts';
import { requireChangeable } from './refuse-impossible.ts';

interface ChangeSources {
  readonly db: Reader;
  readonly writer: DatabaseWriter;
  readonly catalog: CatalogSpec;
}

/** Throws a `Refusal` if the database cannot be changed in its present state. */
export async function readChangeWorld(
  { db, writer, catalog }: ChangeSources,
  database: Database,
  { revision, clusterSize }: ChangeRequest,
): Promise<ChangeWorld> {
  requireChangeable(database);
  const { kubernetesNamespace: namespace, kubernetesUid, name, id } = database;
  const asksForSize = revision !== undefined || clusterSize !== undefined;
  const [profile, object, earlier, held] = await Promise.all([
    findActiveProfile(db, id),
    writer.read({ namespace, name }),
    revision === undefined ? undefined : findRevision(db, id, revision),
    asksForSize ? heldRecords(db, id) : undefined,
  ]);
  if (profile === undefined) throw new Error(`${id} has no active profile`);
  if (object === undefined || object.metadata.uid !== kubernetesUid) {
    throw new Refusal('database_not_ready', {
      detail: `${name} has no resource in Kubernetes at the moment.`,
      members: { databaseStatus: database.status },
      retryAfterSeconds: 5,
    });
  }
  return { catalog, database, profile, object, earlier, held };
}
