/** Two who change the protection of a backup at once, in a real PostgreSQL. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { changeBackup, type BackupServices } from '../../../api/backups/request-backup.ts';
import { createBackup, findAnyBackup, updateBackup } from '../../../api/store/backups.ts';
import type { Organization } from '../../../api/store/organizations.ts';
import type { Store } from '../../../api/store/store.ts';
import { TestPostgres } from '../../support/api/postgres.ts';
import { makeDatabase, openTestStore, tester } from '../../support/api/store.ts';

let postgres: TestPostgres;
let store: Store;
let organization: Organization;

beforeAll(async () => {
  postgres = await TestPostgres.create();
  ({ store, organization } = await openTestStore(postgres));
});
afterAll(async () => {
  await store?.close();
  await postgres?.remove();
});

test('a request that is slow does not write over the protection that somebody set after it', async () => {
  const { id: databaseId } = await makeDatabase(store, organization, 'payments');
  const { id } = await store.change(tester, async (change) => {
    const made = await createBackup(change, {
      organizationId: organization.id,
      databaseId,
      name: 'one',
      type: 'MANUAL',
      protected: false,
      expiresAt: null,
      schedule: null,
      kubernetesNamespace: organization.namespace,
      resourceName: 'one',
      kubernetesUid: 'uid-1',
      actor: tester.actor,
    });
    if (made === undefined) throw new Error('there is one');
    return updateBackup(change, made.id, { status: 'SUCCEEDED', resourceVersion: '98' });
  });
  const backups = {
    protect: async () => {
      // Before the answer comes back, somebody else takes the protection away, and the watch has seen it.
      await store.change(tester, (change) =>
        updateBackup(change, id, { resourceVersion: '100', protected: false }),
      );
      return { metadata: { resourceVersion: '99' } };
    },
  };
  const services = { store, backups } as unknown as BackupServices;
  const caller = { organization, author: tester };
  const answered = await changeBackup(services, caller, databaseId, id, { protected: true });
  expect(answered.protected).toBe(false);
  expect((await findAnyBackup(store.read, id))?.protected).toBe(false);
});
