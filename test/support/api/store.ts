/** A store in a database of its own, with the organization that it has from the start. */
import pino from 'pino';
import { systemAuthor, type Author } from '../../../api/model/actor.ts';
import { createDatabase, updateDatabase, type NewDatabase } from '../../../api/store/databases.ts';
import type { ProfileChoice } from '../../../api/store/database-record.ts';
import { createJob } from '../../../api/store/jobs.ts';
import { Listener } from '../../../api/store/listener.ts';
import {
  createOrganization,
  ensureDefaultOrganization,
  type Organization,
} from '../../../api/store/organizations.ts';
import { SigningKeys } from '../../../api/store/signing-keys.ts';
import { Store, type StoreOptions } from '../../../api/store/store.ts';
import type { Job, NewJob } from '../../../api/model/job.ts';
import type { TestPostgres } from './postgres.ts';

export const silent = pino({ level: 'silent' });
/** The key of the API processes that suites start. */
export const signingKeyBytes = Buffer.alloc(48, 'k');
export const signingKeys = new SigningKeys([signingKeyBytes]);
/** For a store's connections: on a machine that is busy with other tests, the server takes its time. */
export const patient = { signingKeys, connectTimeoutMs: 20_000, statementTimeoutMs: 20_000 };
export const tester: Author = { ...systemAuthor('test', 'req_test'), ip: '127.0.0.1' };

export async function openTestStore(postgres: TestPostgres, options: Partial<StoreOptions> = {}) {
  const url = options.url ?? (await postgres.createDatabase());
  const store = new Store({ logger: silent, ...patient, ...options, url });
  await store.start();
  const organization = await store.change(tester, ensureDefaultOrganization);
  return { store, organization, url };
}

export async function anotherOrganization(store: Store, slug: string): Promise<Organization> {
  const made = await store.change(tester, (change) =>
    createOrganization(change, { slug, name: slug }),
  );
  if (made === 'slug_taken') throw new Error(`there is an organization ${slug}`);
  return made;
}

export const choice: ProfileChoice = {
  provider: 'local',
  region: 'local-1',
  clusterConfiguration: 'single',
  clusterSize: 'lh-5',
  storageTier: 'network-ssd',
  selectedStorageGb: 1,
  engine: 'Builtin',
  engineVersion: '0.1.0',
  parameters: {},
  autogrowLimitGb: null,
  archiveRpoSeconds: null,
  streamsSuspended: false,
  suspended: false,
  price: { currency: 'EUR', monthly: '10.10' },
};

export const newDatabase = (
  { id, namespace }: Organization,
  name: string,
  more: Partial<NewDatabase> = {},
): NewDatabase => ({
  organizationId: id,
  name,
  mode: 'new',
  deletionProtection: false,
  labels: {},
  kubernetesNamespace: namespace,
  ...more,
});

/** Throws when the name is taken. */
export async function makeDatabase(store: Store, organization: Organization, name: string) {
  return store.change(tester, async (change) => {
    const made = await createDatabase(change, newDatabase(organization, name), choice);
    return made.database;
  });
}

/** Makes a database that serves, with the engine whose replicas listen to these ports and have the cluster ID 0. */
export async function makeServingDatabase(
  store: Store,
  organization: Organization,
  name: string,
  ...ports: readonly number[]
) {
  const { id } = await makeDatabase(store, organization, name);
  return store.change(tester, (change) =>
    updateDatabase(change, id, {
      status: 'READY',
      clusterId: '0',
      observed: {
        addresses: ports.map((port) => `127.0.0.1:${port}`),
        nodes: [],
        engineVersion: '0.1.0',
        release: null,
        observedAt: new Date().toISOString(),
        resourceVersion: '1',
        accepted: true,
        bootstrapped: true,
        serves: true,
        stalledSince: null,
      },
    }),
  );
}

export const newJob = (organization: Organization, more: Partial<NewJob> = {}): NewJob => ({
  organizationId: organization.id,
  databaseId: null,
  type: 'database.create',
  input: {},
  steps: ['one', 'two', 'three'],
  timeoutMs: 60_000,
  maxAttempts: 3,
  cancellable: true,
  message: 'Queued.',
  ...more,
});

/** Throws when the database has one. */
export async function makeJob(
  store: Store,
  organization: Organization,
  more: Partial<NewJob> = {},
): Promise<Job> {
  return store.change(tester, (change) => createJob(change, newJob(organization, more)));
}

export function startListener(store: Store): Listener {
  const listener = new Listener(store.pool, silent);
  listener.start();
  return listener;
}
