/** The store against a real PostgreSQL: uniqueness, transactions, concurrent changes. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { sql } from 'kysely';
import {
  findDatabaseView,
  listDatabases,
  type DatabaseSort,
} from '../../../api/store/database-list.ts';
import {
  countDatabases,
  createDatabase,
  findDatabase,
  findDatabaseByName,
  updateActiveProfile,
  updateDatabase,
} from '../../../api/store/databases.ts';
import { listEvents } from '../../../api/store/events.ts';
import { onBehalfOf } from '../../../api/store/connection-shares.ts';
import { organizationsWithEvents, takeEvents } from '../../../api/store/event-positions.ts';
import {
  createOrganization,
  ensureDefaultOrganization,
  findOrganizationByNamespace,
  findOrganizationBySlug,
  listOrganizations,
  type Organization,
} from '../../../api/store/organizations.ts';
import type { StoredEvent } from '../../../api/model/event.ts';
import { checkout } from '../../support/shell.ts';
import { TestPostgres } from '../../support/api/postgres.ts';
import {
  anotherOrganization,
  choice,
  makeDatabase,
  newDatabase,
  openTestStore,
  tester,
} from '../../support/api/store.ts';
import type { Store } from '../../../api/store/store.ts';

let postgres: TestPostgres;
let store: Store;
let organization: Organization;
let url: string;

beforeAll(async () => {
  postgres = await TestPostgres.create();
  ({ store, organization, url } = await openTestStore(postgres));
});

afterAll(async () => {
  await store?.close();
  await postgres?.remove();
});

const event = ({ id, name }: Organization) => ({
  organizationId: id,
  type: 'organization.created' as const,
  subject: { type: 'organization' as const, id, display: name },
  data: { organization: { id, name } },
});

/** All events of an organization, oldest first. */
async function allEvents({ id }: Organization): Promise<StoredEvent[]> {
  const all: StoredEvent[] = [];
  let position: [string] | undefined;
  do {
    const page = await listEvents(
      store.read,
      id,
      {},
      { limit: 100, ...(position && { position }) },
    );
    all.push(...page.rows);
    position = page.next;
  } while (position !== undefined);
  return all.reverse();
}

test('starting again finds the organization that is there, and processes that start at once make one', async () => {
  const made = await Promise.all(
    Array.from({ length: 8 }, () => store.change(tester, ensureDefaultOrganization)),
  );
  expect(new Set(made.map(({ id }) => id))).toEqual(new Set([organization.id]));
  expect(organization).toMatchObject({
    slug: 'default',
    namespace: 'org-default',
    status: 'ACTIVE',
  });
});

test('a slug is one organization’s', async () => {
  const other = await anotherOrganization(store, 'acme');
  const again = await store.change(tester, (change) =>
    createOrganization(change, { slug: 'acme', name: 'Acme again' }),
  );
  expect(again).toBe('slug_taken');
  expect(await findOrganizationBySlug(store.read, 'acme')).toEqual(other);
  expect(await findOrganizationByNamespace(store.read, 'org-acme')).toEqual(other);
  const listed = await listOrganizations(store.read, { limit: 100 });
  expect(listed.rows.map(({ slug }) => slug)).toEqual(expect.arrayContaining(['default', 'acme']));
});

test('ten concurrent creates with one name: one gets it, nine are told which database has it', async () => {
  const own = await anotherOrganization(store, 'race');
  const made = await Promise.allSettled(
    Array.from({ length: 10 }, () =>
      store.change(tester, (change) =>
        createDatabase(change, newDatabase(own, 'payments'), choice),
      ),
    ),
  );
  const winners = made.flatMap((one) =>
    one.status === 'fulfilled' ? [one.value.database.id] : [],
  );
  const losers = made.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  expect(winners).toHaveLength(1);
  expect(losers).toHaveLength(9);
  for (const refusal of losers) {
    expect(refusal).toMatchObject({
      code: 'database_name_taken',
      occasion: { members: { existingDatabaseId: winners[0] } },
    });
  }
  expect(await countDatabases(store.read, own.id)).toEqual({ living: 1, deleted: 0 });
});

test('a name is free at once when its database is deleted, and a restored one must not take it back', async () => {
  const own = await anotherOrganization(store, 'names');
  const old = await makeDatabase(store, own, 'payments');
  await store.change(tester, (change) =>
    updateDatabase(change, old.id, { status: 'DELETING', deletedAt: new Date() }),
  );
  const next = await makeDatabase(store, own, 'payments');
  expect(next.id).not.toBe(old.id);
  expect((await findDatabaseByName(store.read, own.id, 'payments'))?.id).toBe(next.id);
  const restore = (name?: string) =>
    store.change(tester, (change) =>
      updateDatabase(change, old.id, {
        status: 'PROVISIONING',
        deletedAt: null,
        ...(name === undefined ? {} : { name }),
      }),
    );
  const taken = { code: 'database_name_taken' };
  await expect(restore()).rejects.toMatchObject(taken);
  expect((await findDatabase(store.read, own.id, old.id))?.status).toBe('DELETING');
  // If several databases, restored or new, want a name at once, one gets it.
  const older = await makeDatabase(store, own, 'ledger');
  const remove = (id: string) =>
    store.change(tester, (change) =>
      updateDatabase(change, id, { status: 'DELETED', deletedAt: new Date() }),
    );
  await remove(older.id);
  const oldest = await makeDatabase(store, own, 'ledger');
  await remove(oldest.id);
  const claims = await Promise.allSettled<unknown>([
    ...[older, oldest].map(({ id }) =>
      store.change(tester, (change) =>
        updateDatabase(change, id, { status: 'PROVISIONING', deletedAt: null }),
      ),
    ),
    store.change(tester, (change) => createDatabase(change, newDatabase(own, 'ledger'), choice)),
  ]);
  const refused = claims.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  expect(refused).toHaveLength(2);
  for (const refusal of refused) expect(refusal).toMatchObject(taken);
  // A refused change does nothing at all.
  const renaming = store.change(tester, async (change) => {
    await updateDatabase(change, old.id, { health: 'DEGRADED' });
    await updateDatabase(change, old.id, { name: 'ledger', deletedAt: null, status: 'READY' });
  });
  await expect(renaming).rejects.toMatchObject(taken);
  expect(await findDatabase(store.read, own.id, old.id)).toMatchObject({
    name: 'payments',
    status: 'DELETING',
    health: 'UNKNOWN',
  });
  expect(await restore('payments-2')).toMatchObject({ name: 'payments-2', status: 'PROVISIONING' });
  // The same name in another organization is another name.
  await makeDatabase(store, organization, 'payments');
});

test('a database is shown with its configuration as it was given', async () => {
  const { id } = await makeDatabase(store, organization, 'shown');
  await store.change(tester, async (change) => {
    await updateDatabase(change, id, {
      status: 'READY',
      statusReason: { code: 'Degraded', message: 'One of three is away.' },
      clusterId: '340282366920938463463374607431768211455',
      observed: {
        addresses: ['10.0.0.1:3001'],
        nodes: [{ index: 0, role: 'PRIMARY', status: 'NORMAL', zone: null }],
        engineVersion: '0.1.0',
        release: '0.17.9',
        observedAt: '2026-11-21T02:03:04.567Z',
        resourceVersion: '12',
        accepted: true,
        bootstrapped: true,
        serves: true,
        stalledSince: null,
      },
      readyAt: new Date(1_795_000_000_123),
    });
    await updateActiveProfile(change, id, {
      status: 'READY',
      readyAt: new Date(1_795_000_000_123),
    });
  });
  const view = await findDatabaseView(store.read, organization.id, id);
  expect(view).toMatchObject({
    activeJobId: null,
    database: {
      id,
      organizationId: organization.id,
      status: 'READY',
      clusterId: '340282366920938463463374607431768211455',
      statusReason: { code: 'Degraded' },
      observed: { nodes: [{ index: 0, zone: null }] },
      readyAt: new Date(1_795_000_000_123),
      createdBy: { type: 'system', id: null, display: 'test' },
    },
    profile: { ...choice, databaseId: id, revision: 1, active: true, status: 'READY', error: null },
  });
  expect(Object.keys(view?.database ?? {}).filter((name) => name.startsWith('profile'))).toEqual(
    [],
  );
});

test('a database is not visible to other organizations', async () => {
  const own = await anotherOrganization(store, 'secretive');
  const { id } = await makeDatabase(store, own, 'hidden');
  expect(await findDatabase(store.read, organization.id, id)).toBeUndefined();
  expect(await findDatabaseView(store.read, organization.id, id)).toBeUndefined();
  const seen = await listDatabases(
    store.read,
    organization.id,
    { onlyIds: [id], includeDeleted: true },
    { sort: 'name', limit: 100 },
  );
  expect(seen.rows).toEqual([]);
});

test.each<[DatabaseSort, string[]]>([
  ['createdAt', ['d', 'b', 'a', 'c', 'e']],
  ['-createdAt', ['e', 'c', 'a', 'b', 'd']],
  ['name', ['a', 'b', 'c', 'd', 'e']],
])(
  'pages by %s hold every database once, whatever comes and goes between them',
  async (sort, expected) => {
    const own = await anotherOrganization(store, `pages-${sort.replace('-', 'd').toLowerCase()}`);
    // All are created at the same moment, so that the ID must decide.
    await store.change(tester, async (change) => {
      for (const name of ['d', 'b', 'a', 'c', 'e']) {
        await createDatabase(change, newDatabase(own, `database-${name}`), choice);
      }
    });
    await sql`UPDATE databases SET created_at = '2026-11-21T00:00:00Z' WHERE name IN ('database-b', 'database-a')`.execute(
      store.read,
    );
    await sql`UPDATE databases SET created_at = '2026-11-20T00:00:00Z' WHERE name = 'database-d'`.execute(
      store.read,
    );
    const seen: string[] = [];
    let position: [string, string] | undefined;
    do {
      const page = await listDatabases(
        store.read,
        own.id,
        { search: 'database-' },
        {
          sort,
          limit: 2,
          ...(position && { position }),
        },
      );
      expect(page.rows.length).toBeLessThanOrEqual(2);
      seen.push(...page.rows.map(({ database }) => database.name.slice(-1)));
      position = page.next;
      // The row that the position names goes away.
      const last = page.rows.at(-1);
      if (last !== undefined) {
        await store.change(tester, (change) =>
          updateDatabase(change, last.database.id, { status: 'DELETED', deletedAt: new Date() }),
        );
      }
    } while (position !== undefined);
    // The IDs decide the order of the two that were made at the same moment.
    const sorted = (names: string[]) =>
      names.map((name) => ('ab'.includes(name) && sort !== 'name' ? '?' : name));
    expect(sorted(seen)).toEqual(sorted(expected));
    expect(new Set(seen).size).toBe(5);
  },
);

test('filters hold what they say', async () => {
  const own = await anotherOrganization(store, 'filters');
  const make = (name: string, labels: Record<string, string>, region: string) =>
    store.change(tester, (change) =>
      createDatabase(change, newDatabase(own, name, { labels }), { ...choice, region }),
    );
  await make('pay-eu', { team: 'pay', tier: '1' }, 'eu');
  await make('pay_us%', { team: 'pay' }, 'us');
  const gone = await make('gone', {}, 'eu');
  await store.change(tester, (change) =>
    updateDatabase(change, gone.database.id, { status: 'DELETED', deletedAt: new Date() }),
  );
  const names = async (filter: Parameters<typeof listDatabases>[2]) => {
    const page = await listDatabases(store.read, own.id, filter, { sort: 'name', limit: 100 });
    return page.rows.map(({ database }) => database.name);
  };
  expect(await names({})).toEqual(['pay-eu', 'pay_us%']);
  expect(await names({ includeDeleted: true })).toEqual(['gone', 'pay-eu', 'pay_us%']);
  expect(await names({ includeDeleted: true, statuses: ['DELETED'] })).toEqual(['gone']);
  expect(await names({ statuses: ['DELETED'] })).toEqual(['gone']);
  expect(await names({ statuses: ['READY'] })).toEqual([]);
  expect(await names({ labelKeys: ['team'] })).toEqual(['pay-eu', 'pay_us%']);
  expect(await names({ labelKeys: ['team', 'tier'] })).toEqual(['pay-eu']);
  expect(await names({ labels: { team: '' } })).toEqual([]);
  expect(await names({ region: 'eu' })).toEqual(['pay-eu']);
  expect(await names({ provider: 'elsewhere' })).toEqual([]);
  expect(await names({ name: 'pay-eu' })).toEqual(['pay-eu']);
  expect(await names({ search: '_us%' })).toEqual(['pay_us%']);
  expect(await names({ search: 'pay-' })).toEqual(['pay-eu']);
  expect(await names({ labels: { team: 'pay' } })).toEqual(['pay-eu', 'pay_us%']);
  expect(await names({ labels: { team: 'pay', tier: '1' } })).toEqual(['pay-eu']);
  expect(await names({ labels: { team: "'; DROP TABLE databases; --" } })).toEqual([]);
  // A purged one is in no list.
  await store.change(tester, (change) =>
    updateDatabase(change, gone.database.id, { purgedAt: new Date() }),
  );
  expect(await names({ includeDeleted: true, statuses: ['DELETED'] })).toEqual([]);
});

test('an organization whose calls all wait leaves connections to the others', async () => {
  const connections = 6;
  const { store: small } = await openTestStore(postgres, { url, connections });
  const lock = sql`SELECT pg_advisory_lock(4711)`;
  const unlock = sql`SELECT pg_advisory_unlock(4711)`;
  try {
    await store.change(tester, async (change) => {
      // Held until all others have been asked.
      await lock.execute(change.db);
      const greedy = onBehalfOf('greedy', () =>
        Promise.all(
          Array.from({ length: 3 * connections }, () =>
            sql`SELECT pg_advisory_lock_shared(4711), pg_advisory_unlock_shared(4711)`.execute(
              small.read,
            ),
          ),
        ),
      );
      const other = await onBehalfOf('other', () =>
        sql<{ one: number }>`SELECT 1 AS one`.execute(small.read),
      );
      expect(other.rows).toEqual([{ one: 1 }]);
      expect(small.figures.open).toBeLessThan(connections);
      await unlock.execute(change.db);
      expect(await greedy).toHaveLength(3 * connections);
    });
  } finally {
    await small.close();
  }
});

test('a change that throws leaves neither rows nor events', async () => {
  const before = await allEvents(organization);
  const failing = store.change(tester, async (change) => {
    await createDatabase(change, newDatabase(organization, 'never'), choice);
    change.emit(event(organization));
    throw new Error('on purpose');
  });
  await expect(failing).rejects.toThrow('on purpose');
  expect(await findDatabaseByName(store.read, organization.id, 'never')).toBeUndefined();
  expect(await allEvents(organization)).toEqual(before);
});

test('a process killed right before its commit leaves neither rows nor events, and holds up nobody', async () => {
  const before = await allEvents(organization);
  const program = join(checkout, 'test/support/api/stopped-change.ts');
  const child = spawn(process.execPath, [program, url, organization.id, 'killed'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  expect(said.toString()).toBe('before the commit\n');
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
  // The new database waits for the dead process's lock on the name, and gets the name.
  const { id } = await makeDatabase(store, organization, 'killed');
  const view = await findDatabaseView(store.read, organization.id, id);
  expect(view?.activeJobId).toBeNull();
  const numbered = await store.change(tester, (change) =>
    Promise.resolve(change.emit(event(organization))),
  );
  const after = await allEvents(organization);
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after.map(({ id: eventId }) => eventId).slice(before.length)).toEqual([numbered]);
});

test('numbers of events have no gap and appear in order, also when several write, fail and read at once', async () => {
  const own = await anotherOrganization(store, 'numbers');
  const write = (count: number, fails: boolean) =>
    store
      .change(tester, async (change) => {
        for (let index = 0; index < count; index += 1) change.emit(event(own));
        await sql`SELECT pg_sleep(random() / 100)`.execute(change.db);
        if (fails) throw new Error('on purpose');
      })
      .catch((error: unknown) => {
        if (!fails) throw error;
      });
  const written = new AbortController();
  const seen: bigint[] = [];
  const taken: bigint[] = [];
  const read = async () => {
    while (!written.signal.aborted) {
      const { rows } = await listEvents(store.read, own.id, {}, { limit: 100 });
      const newest = rows[0]?.sequence ?? 0n;
      // A reader that sees an event sees all earlier ones: none appears behind a reader's back.
      expect(rows.map(({ sequence }) => sequence)).toEqual(
        rows.map((_, index) => newest - BigInt(index)),
      );
      seen.push(newest);
    }
  };
  const take = async () => {
    do {
      const events = await store.change(tester, (change) =>
        takeEvents(change, 'reader', own.id, 5),
      );
      taken.push(...events.map(({ sequence }) => sequence));
    } while (
      !written.signal.aborted ||
      (await organizationsWithEvents(store.read, 'reader', 100)).includes(own.id)
    );
  };
  const working = Promise.all([read(), take(), take()]);
  await Promise.all(
    Array.from({ length: 30 }, (_, index) => write(1 + (index % 3), index % 5 === 4)),
  );
  written.abort();
  await working;
  const all = await allEvents(own);
  expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_, index) => BigInt(index + 1)));
  // The organization's own, and those of the changes that did not fail.
  expect(all).toHaveLength(1 + 60 - 12);
  expect([...taken].sort((a, b) => Number(a - b))).toEqual(all.map(({ sequence }) => sequence));
  expect([...seen].sort((a, b) => Number(a - b))).toEqual(seen);
});

test('a failing consumer of events loses none', async () => {
  const own = await anotherOrganization(store, 'consumers');
  const failing = store.change(tester, async (change) => {
    expect(await takeEvents(change, 'mailer', own.id, 10)).toHaveLength(1);
    throw new Error('on purpose');
  });
  await expect(failing).rejects.toThrow('on purpose');
  expect(await organizationsWithEvents(store.read, 'mailer', 100)).toContain(own.id);
  expect(
    await store.change(tester, (change) => takeEvents(change, 'mailer', own.id, 10)),
  ).toHaveLength(1);
  expect(await organizationsWithEvents(store.read, 'mailer', 100)).not.toContain(own.id);
  expect(await organizationsWithEvents(store.read, 'another', 100)).toContain(own.id);
});

test('changes of two organizations at once, in whatever order they tell of them, wait for no one for ever', async () => {
  const [one, other] = [
    await anotherOrganization(store, 'left'),
    await anotherOrganization(store, 'right'),
  ];
  const tell = (first: Organization, second: Organization) =>
    store.change(tester, (change) => {
      change.emit(event(first));
      change.emit(event(second));
      return Promise.resolve();
    });
  await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      index % 2 === 0 ? tell(one, other) : tell(other, one),
    ),
  );
  expect(await allEvents(one)).toHaveLength(11);
  expect(await allEvents(other)).toHaveLength(11);
});

test('an event is stored as it was told, with who and how', async () => {
  const author = {
    actor: { type: 'api_key' as const, id: 'key_01h455vb4pex5vsknk084sn02q', display: 'lhk_abc' },
    requestId: 'req_1',
    ip: '192.0.2.1',
    userAgent: 'curl/8',
  };
  const { id: databaseId } = await makeDatabase(store, organization, 'told');
  const id = await store.change(author, (change) =>
    Promise.resolve(
      change.emit({
        organizationId: organization.id,
        type: 'access.denied',
        outcome: 'DENIED',
        subject: { type: 'database', id: databaseId, display: 'told' },
        databaseId,
        data: { action: 'database.delete', code: 'insufficient_scope' },
        changes: [{ path: '/labels/a', from: null, to: { deep: [1, '2', true] } }],
      }),
    ),
  );
  const found = (await allEvents(organization)).find((one) => one.id === id);
  expect(found).toMatchObject({
    id,
    type: 'access.denied',
    outcome: 'DENIED',
    author,
    databaseId,
    subject: { type: 'database', id: databaseId, display: 'told' },
    changes: [{ path: '/labels/a', from: null, to: { deep: [1, '2', true] } }],
  });
  const count = async (filter: Parameters<typeof listEvents>[2]) =>
    (await listEvents(store.read, organization.id, filter, { limit: 100 })).rows.length;
  expect(await count({ databaseId })).toBe(1);
  expect(await count({ subjectId: databaseId })).toBe(1);
  expect(await count({ actorId: author.actor.id })).toBe(1);
  expect(await count({ outcomes: ['DENIED'] })).toBe(1);
  expect(await count({ types: ['access.denied', 'api_key.created'] })).toBe(1);
  expect(await count({ before: new Date(0) })).toBe(0);
  expect(await count({ types: ['access.denied'], after: new Date(0) })).toBe(1);
});

test('a change that meets another is begun anew, and both are done', async () => {
  const [one, other] = [
    await makeDatabase(store, organization, 'deadlock-1'),
    await makeDatabase(store, organization, 'deadlock-2'),
  ];
  let tries = 0;
  let having = 0;
  const bothHaveTheirs = Promise.withResolvers<void>();
  const both = (first: string, second: string) =>
    store.change(tester, async (change) => {
      tries += 1;
      await updateDatabase(change, first, { health: 'HEALTHY' });
      // Each holds what the other is to have next: one of them must give way.
      having += 1;
      if (having === 2) bothHaveTheirs.resolve();
      await bothHaveTheirs.promise;
      await updateDatabase(change, second, { health: 'HEALTHY' });
    });
  await Promise.all([both(one.id, other.id), both(other.id, one.id)]);
  expect(tries).toBeGreaterThan(2);
  for (const { id } of [one, other]) {
    expect((await findDatabase(store.read, organization.id, id))?.version).toBe(3);
  }
});

test('text values are never interpreted', async () => {
  const name = `'"\\; DROP TABLE events; -- ${createHash('sha256').update(randomBytes(8)).digest('hex').slice(0, 8)}`;
  const { id } = await makeDatabase(store, organization, name);
  expect((await findDatabaseByName(store.read, organization.id, name))?.id).toBe(id);
});
