/** A process that makes a change and stops right before its commit, for a test to kill. Arguments: address, organization, name. */
import { createDatabase } from '../../../api/store/databases.ts';
import { findOrganization } from '../../../api/store/organizations.ts';
import { createJob } from '../../../api/store/jobs.ts';
import { Store } from '../../../api/store/store.ts';
import { choice, newDatabase, newJob, patient, silent, tester } from './store.ts';

const [url = '', organizationId = '', name = ''] = process.argv.slice(2);
const store = new Store({ url, logger: silent, ...patient });
await store.start();
const organization = await findOrganization(store.read, organizationId);
if (organization === undefined) throw new Error('there is no such organization');
await store.change(tester, async (change) => {
  const made = await createDatabase(change, newDatabase(organization, name), choice);
  const { id, status } = made.database;
  await createJob(change, newJob(organization, { databaseId: id }));
  change.emit({
    organizationId,
    type: 'database.created',
    subject: { type: 'database', id, display: name },
    data: { database: { id, name, status } },
  });
  // Numbers are taken and rows are written: only the commit is missing.
  await change.writeEvents();
  process.stdout.write('before the commit\n');
  await new Promise((resolve) => setTimeout(resolve, 60_000));
});
