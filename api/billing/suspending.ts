/** Stops the databases of organizations that do not pay, and starts them again when they pay. Nothing is deleted. */
import { systemAuthor } from '../model/actor.ts';
import type { DatabaseWriter } from '../kubernetes/database-writer.ts';
import {
  databasesToResume,
  databasesToSuspend,
  endSuspension,
  isSuspensionDue,
  noteSuspensions,
  type SuspendableDatabase,
} from '../store/billing-suspensions.ts';
import type { Store } from '../store/store.ts';
import { forEachOf } from './for-each-of.ts';

type SpecWriter = Pick<DatabaseWriter, 'change'>;

/**
 * Returns how many databases were stopped or started. A failure stops no other database; the failures are thrown together at the
 * end, and the next run does the rest.
 */
export async function suspendAndResume(store: Store, writer: SpecWriter): Promise<number> {
  await store.change(systemAuthor('billing'), noteSuspensions);
  const toSuspend = await databasesToSuspend(store.read);
  const suspend = async (database: SuspendableDatabase) => {
    await setSuspended(writer, database, true);
    // The organization has paid meanwhile, and another process started the database before this one stopped it.
    if (!(await isSuspensionDue(store.read, database.id))) {
      await setSuspended(writer, database, false);
    }
  };
  const resume = async (database: SuspendableDatabase) => {
    await setSuspended(writer, database, false);
    await endSuspension(store.read, database.id);
  };
  const toResume = await databasesToResume(store.read);
  await forEachOf([
    ...toSuspend.map((database) => () => suspend(database)),
    ...toResume.map((database) => () => resume(database)),
  ]);
  return toSuspend.length + toResume.length;
}

/** Does nothing for a database that no longer exists. */
async function setSuspended(
  writer: SpecWriter,
  { id, name, kubernetesNamespace, kubernetesUid }: SuspendableDatabase,
  suspend: boolean,
): Promise<void> {
  const identity = { namespace: kubernetesNamespace, name, databaseId: id };
  await writer.change(identity, kubernetesUid, { suspend });
}
