/**
 * Copies changes of a resource's spec into its row: a change made in Kubernetes becomes a new revision of the profile, and
 * protection that was set there holds over HTTP. The event names the field manager that made the change.
 */
import type { DatabaseObject } from '../../domain/custom-objects.ts';
import type { DatabaseWriter } from '../kubernetes/database-writer.ts';
import { kubernetesAuthor } from '../model/actor.ts';
import type { Database } from '../store/database-record.ts';
import { findActiveProfile, lockDatabase, updateDatabase } from '../store/databases.ts';
import { addRevision } from '../store/profile-revisions.ts';
import type { Store } from '../store/store.ts';
import { isNews } from './belonging.ts';
import { managerOf, specChangeOf } from './spec-change.ts';

export async function takeOverSpec(
  store: Store,
  writer: DatabaseWriter,
  known: Database,
  object: DatabaseObject,
): Promise<void> {
  const profile = await findActiveProfile(store.read, known.id);
  if (profile === undefined) return;
  const seen = specChangeOf(known, profile, object);
  if (seen === undefined) return;
  const { namespace = '', name } = object.metadata;
  // The cache of the watch has no managedFields.
  const whole = await writer.read({ namespace, name, databaseId: known.id });
  const manager = managerOf(whole ?? object, seen.changes);
  await store.change(kubernetesAuthor(manager), async (change) => {
    const database = await lockDatabase(change, known.id);
    const before = await findActiveProfile(change.db, known.id);
    if (database === undefined || before === undefined || !isNews(database, object)) return;
    const difference = specChangeOf(database, before, object);
    if (difference === undefined) return;
    const { choice, deletionProtection, changes } = difference;
    if (choice !== undefined) await addRevision(change, before, choice);
    const after = await updateDatabase(change, database.id, {
      ...(deletionProtection !== undefined && { deletionProtection }),
    });
    const { id, organizationId, status } = after;
    change.emit({
      organizationId,
      type: 'database.changed',
      subject: { type: 'database', id, display: after.name },
      databaseId: id,
      data: { database: { id, name: after.name, status } },
      changes,
    });
  });
}
