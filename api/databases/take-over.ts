/**
 * Copies changes of a resource's spec into its row: a spec that the operator has accepted becomes a new revision of the
 * profile, and protection that was set in Kubernetes also applies over HTTP. A revision that was requested over HTTP has the
 * requester as author; any other one is a separate change by the field manager that wrote it.
 */
import { aboutDatabase, databaseFact } from './events.ts';
import { apiName, uidOf } from '../../domain/names.ts';
import type { CatalogSpec, DatabaseObject } from '../../domain/custom-resources.ts';
import { isOfChange, recordKubernetesChange } from '../configuration/kubernetes-changes.ts';
import { withStoragePrice } from '../configuration/price-delta.ts';
import type { DatabaseWriter } from '../kubernetes/database-writer.ts';
import { kubernetesAuthor, systemAuthor, type Author } from '../model/actor.ts';
import type { ConfigurationChange } from '../model/configuration-change.ts';
import { findApplying, updateConfigurationChange } from '../store/configuration-changes.ts';
import type { Database } from '../store/database-record.ts';
import { findActiveProfile, lockDatabase, updateDatabase } from '../store/databases.ts';
import { addRevision } from '../store/profile-revisions.ts';
import type { Store } from '../store/store.ts';
import { isNews } from './belonging.ts';
import { managerOf, specChangeOf, type SpecChange } from './spec-change.ts';

interface TakeOverWorld {
  readonly store: Store;
  readonly writer: DatabaseWriter;
  readonly catalog: CatalogSpec | undefined;
}

export async function takeOverSpec(
  { store, writer, catalog }: TakeOverWorld,
  known: Database,
  object: DatabaseObject,
): Promise<void> {
  const profile = await findActiveProfile(store.read, known.id);
  if (profile === undefined) return;
  const seen = specChangeOf(known, profile, object);
  if (seen === undefined) return;
  const applying = await findApplying(store.read, known.id);
  // A change of shape writes into a resource that it is about to delete: these values do not describe the database.
  const { uid, removing } = applying?.replaced ?? {};
  if ([uid, removing].includes(uidOf(object))) return;
  const ours = isOfChange(applying, seen.changes) ? applying : undefined;
  const author = ours === undefined ? await authorOf(writer, object, seen) : ownAuthor(ours);
  await store.change(author, async (change) => {
    const database = await lockDatabase(change, known.id);
    const before = await findActiveProfile(change.db, known.id);
    if (database === undefined || before === undefined || !isNews(database, object)) return;
    const difference = specChangeOf(database, before, object);
    if (difference === undefined) return;
    const { choice, deletionProtection, changes } = difference;
    const after = await updateDatabase(change, database.id, {
      ...(deletionProtection !== undefined && { deletionProtection }),
    });
    if (choice !== undefined) {
      const priced = withStoragePrice(catalog, before, choice);
      const revision = await addRevision(change, before, priced);
      if (ours !== undefined) {
        await updateConfigurationChange(change, ours.id, { profileRevision: revision.revision });
      } else {
        const diff = changes.filter(({ path }) => path !== '/deletionProtection');
        const facts = { before, after: revision, diff, object, catalog };
        await recordKubernetesChange(change, after, facts);
      }
    }
    change.emit({
      ...aboutDatabase(after),
      type: 'database.changed',
      data: { database: databaseFact(after) },
      changes,
    });
  });
}

/**
 * The author of a write in the cluster. This service itself also writes there for billing, which stops and starts databases.
 */
async function authorOf(
  writer: DatabaseWriter,
  object: DatabaseObject,
  { changes }: SpecChange,
): Promise<Author> {
  const { namespace = '', name } = object.metadata;
  // The cache of the watch has no managedFields.
  const whole = await writer.read({ namespace, name });
  const manager = managerOf(whole ?? object, changes);
  if (manager === apiName) return systemAuthor('service');
  return kubernetesAuthor(manager);
}

const ownAuthor = ({ actor, requestId }: ConfigurationChange): Author => ({
  actor,
  requestId,
  ip: null,
  userAgent: null,
});
