/** The chain of audit events: without the signing key, a writer to the store cannot change it unnoticed. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { Denials } from '../../../api/auth/denials.ts';
import type { Principal } from '../../../api/auth/principal.ts';
import type { ProblemCode } from '../../../api/model/problems.ts';
import { auditHandlers } from '../../../api/events/handlers.ts';
import { MetricRegistry } from '../../../base/metrics/metrics.ts';
import { AuditRetention } from '../../../api/events/retention.ts';
import { AuditChain } from '../../../api/store/audit-chain.ts';
import { removeOldEvents } from '../../../api/store/audit-removal.ts';
import { verifyEvents } from '../../../api/store/audit-verify.ts';
import { databasesOfHour } from '../../../api/store/billing-usage.ts';
import { Cursors } from '../../../api/store/cursor.ts';
import { listEvents } from '../../../api/store/events.ts';
import { uuidOf } from '../../../api/store/ids.ts';
import { migrations } from '../../../api/store/migrations/all.ts';
import { changeOrganization } from '../../../api/store/organization-lifecycle.ts';
import type { Organization } from '../../../api/store/organizations.ts';
import { hourMs } from '../../../api/store/running.ts';
import { SigningKeys } from '../../../api/store/signing-keys.ts';
import { Store } from '../../../api/store/store.ts';
import { webhookConsumer } from '../../../api/webhooks/fan-out.ts';
import { newTypeId } from '../../../domain/type-id.ts';
import { eventually } from '../../support/shell.ts';
import { VirtualTimers } from '../../support/operator/virtual-timers.ts';
import {
  organizationWithoutEvents,
  writePast,
  type PastEvent,
} from '../../support/api/audit-history.ts';
import { TestPostgres } from '../../support/api/postgres.ts';
import {
  anotherOrganization,
  makeDatabase,
  openTestStore,
  patient,
  signingKeyBytes,
  signingKeys,
  silent,
  tester,
} from '../../support/api/store.ts';

let postgres: TestPostgres;
let store: Store;
let url: string;

beforeAll(async () => {
  postgres = await TestPostgres.create();
  ({ store, url } = await openTestStore(postgres));
});

afterAll(async () => {
  await store?.close();
  await postgres?.remove();
});

const verify = (
  { id }: Organization,
  { from = 1n, limit = 1_000, chain = store.chain, of = store } = {},
) => verifyEvents(of.read, chain, id, { from, limit });

/** Writes `count` further events, each in its own change. */
async function tell({ id: organizationId }: Organization, count: number, through = store) {
  for (let index = 0; index < count; index += 1) {
    await through.change(tester, async (change) => {
      const subject = { type: 'session', id: null, display: `event ${index}` } as const;
      change.emit({ organizationId, type: 'session.opened', subject, data: {} });
    });
  }
}

/** An organization with five events. */
async function organizationWithEvents(slug: string): Promise<Organization> {
  const organization = await anotherOrganization(store, slug);
  await tell(organization, 4);
  return organization;
}

const guards = ['events_stay', 'events_remain'];

/** Runs a statement as the tables' owner, who can disable the triggers. */
async function byForce(statement: ReturnType<typeof sql>): Promise<void> {
  await store.read.transaction().execute(async (transaction) => {
    for (const guard of guards) {
      await sql`ALTER TABLE events DISABLE TRIGGER ${sql.ref(guard)}`.execute(transaction);
    }
    await statement.execute(transaction);
    for (const guard of guards) {
      await sql`ALTER TABLE events ENABLE TRIGGER ${sql.ref(guard)}`.execute(transaction);
    }
  });
}

test('a chain that nobody touched is sound, in one piece and in several', async () => {
  const own = await organizationWithEvents('sound');
  const whole = await verify(own);
  expect(whole).toMatchObject({ checked: 5, next: null, fault: null });
  expect(whole.head).toMatchObject({ sequence: 5n, keyedFrom: 1n });
  expect(await verify(own, { limit: 2 })).toMatchObject({ checked: 2, next: 3n, fault: null });
  expect(await verify(own, { from: 3n, limit: 2 })).toMatchObject({ checked: 2, next: 5n });
  expect(await verify(own, { from: 5n })).toMatchObject({ checked: 1, next: null, fault: null });
  expect(await verify(own, { from: 9n })).toMatchObject({ checked: 0, next: null, fault: null });
});

test('the database refuses to change, delete or empty audit events', async () => {
  await organizationWithEvents('guarded');
  for (const statement of [
    sql`UPDATE events SET type = 'database.ready'`,
    sql`DELETE FROM events`,
    sql`TRUNCATE events`,
    sql`DELETE FROM event_heads`,
    sql`TRUNCATE event_heads`,
  ]) {
    await expect(statement.execute(store.read)).rejects.toThrow('events are never changed');
  }
});

test('an event that was changed shows, though its plain hash was made anew', async () => {
  const own = await organizationWithEvents('changed');
  const { rows } = await listEvents(store.read, own.id, {}, { limit: 10, order: 'asc' });
  const [, , third] = rows;
  const forged = createHash('sha256').update('forged').digest();
  await byForce(
    sql`UPDATE events SET outcome = 'DENIED', hash = ${forged} WHERE hash = ${third?.hash}`,
  );
  expect(await verify(own)).toMatchObject({ checked: 2, fault: { code: 'altered', sequence: 3n } });
});

test('a whole chain made anew without the key shows', async () => {
  const own = await organizationWithEvents('made-anew');
  const others = new AuditChain(new SigningKeys([Buffer.alloc(32, 99)]));
  const { rows } = await listEvents(store.read, own.id, {}, { limit: 10, order: 'asc' });
  let previous: Buffer = Buffer.alloc(32);
  for (const { previousHash: _, hash, ...event } of rows) {
    const content = { ...event, keyVersion: null, outcome: 'FAILED' as const };
    const fresh = others.hash(previous, content) ?? previous;
    await byForce(sql`
      UPDATE events SET outcome = 'FAILED', key_version = NULL, previous_hash = ${previous},
        hash = ${fresh} WHERE hash = ${hash}`);
    previous = fresh;
  }
  await sql`UPDATE event_heads SET hash = ${previous} WHERE organization_id = ${uuidOf(own.id)}`.execute(
    store.read,
  );
  expect((await verify(own)).fault).toMatchObject({ code: 'head_altered' });
});

test('an event that was taken out shows, wherever it was', async () => {
  for (const sequence of [1, 3, 5]) {
    const own = await organizationWithEvents(`taken-out-${sequence}`);
    await byForce(
      sql`DELETE FROM events WHERE organization_id = ${uuidOf(own.id)} AND sequence = ${sequence}`,
    );
    const { fault } = await verify(own);
    expect(fault).toMatchObject({ code: 'missing', sequence: BigInt(sequence) });
  }
});

test('an end that was cut off shows, also after events that follow', async () => {
  const own = await organizationWithEvents('cut-off');
  const organization = uuidOf(own.id);
  await byForce(sql`DELETE FROM events WHERE organization_id = ${organization} AND sequence > 3`);
  await sql`
    UPDATE event_heads SET sequence = 3,
      hash = (SELECT hash FROM events WHERE organization_id = ${organization} AND sequence = 3)
    WHERE organization_id = ${organization}`.execute(store.read);
  expect((await verify(own)).fault).toMatchObject({ code: 'head_altered' });
  await tell(own, 2);
  expect((await verify(own)).fault).toMatchObject({ code: 'head_altered' });
});

test('an event that was put before the first or after the last shows', async () => {
  for (const sequence of [0, 6]) {
    const own = await organizationWithEvents(`put-in-${sequence}`);
    await sql`
      INSERT INTO events
      SELECT gen_random_uuid(), organization_id, ${sequence}, type, outcome, occurred_at, subject_type,
        subject_id, subject_display, database_id, actor, actor_id, ip, user_agent, request_id, data,
        changes, previous_hash, hash, key_version
      FROM events WHERE organization_id = ${uuidOf(own.id)} AND sequence = 2`.execute(store.read);
    const { fault } = await verify(own);
    expect(fault).toMatchObject({ code: 'altered', sequence: BigInt(sequence) });
  }
});

test('after a rotation the chain goes on, and says which key is missing once the old one is gone', async () => {
  const own = await organizationWithEvents('rotated');
  const fresh = Buffer.alloc(48, 8);
  const rotated = new SigningKeys([fresh, signingKeyBytes]);
  const later = new Store({ url, logger: silent, ...patient, signingKeys: rotated });
  await later.start();
  await tell(own, 2, later);
  const { rows } = await listEvents(later.read, own.id, {}, { limit: 10, order: 'asc' });
  expect(new Set(rows.map(({ keyVersion }) => keyVersion)).size).toBe(2);
  expect(await verify(own, { chain: later.chain })).toMatchObject({ checked: 7, fault: null });
  const without = new AuditChain(new SigningKeys([fresh]));
  expect((await verify(own, { chain: without })).fault).toMatchObject({
    code: 'unknown_key',
    sequence: 1n,
    detail: expect.stringContaining(store.chain.version),
  });
  await later.close();
});

test('events from before the key are covered by the first keyed one', async () => {
  const old = await postgres.createDatabase();
  const steps = migrations.slice(0, 11);
  const before = new Store({ url: old, logger: silent, ...patient, migrations: steps });
  await before.start();
  const chain = new AuditChain(signingKeys);
  const id = '01890000-0000-7000-8000-000000000001';
  await sql`
    INSERT INTO organizations (id, slug, name, namespace, status, created_by)
    VALUES (${id}, 'old', 'Old', 'old', 'ACTIVE', '{}')`.execute(before.read);
  const organizationId = 'org_01h4000000e008000000000001';
  let previous: Buffer = Buffer.alloc(32);
  for (const sequence of [1n, 2n]) {
    const occurredAt = new Date('2026-01-01T00:00:00.000Z');
    const author = { ...tester, userAgent: null };
    const event = {
      id: `evt_01h4000000e00800000000000${sequence}`,
      organizationId,
      sequence,
      type: 'session.opened' as const,
      outcome: 'SUCCESS' as const,
      occurredAt,
      subject: { type: 'session' as const, id: null, display: 'x' },
      databaseId: null,
      author,
      data: {},
      changes: [],
      keyVersion: null,
    };
    const hash = chain.hash(previous, event) ?? previous;
    await sql`
      INSERT INTO events (id, organization_id, sequence, type, outcome, occurred_at, subject_type,
        subject_display, actor, ip, request_id, data, changes, previous_hash, hash)
      VALUES (${uuidOf(event.id)}, ${id}, ${String(sequence)}, ${event.type}, 'SUCCESS', ${occurredAt}, 'session',
        'x', ${JSON.stringify(author.actor)}, ${author.ip}, ${author.requestId}, '{}', '[]', ${previous}, ${hash})`.execute(
      before.read,
    );
    previous = hash;
  }
  await sql`INSERT INTO event_heads VALUES (${id}, 2, ${previous})`.execute(before.read);
  await before.close();

  const after = new Store({ url: old, logger: silent, ...patient });
  await after.start();
  const own = { id: organizationId } as Organization;
  expect((await verify(own, { of: after })).head.keyedFrom).toBeNull();
  expect(await verify(own, { of: after })).toMatchObject({ checked: 2, fault: null });
  await tell(own, 2, after);
  const sound = await verify(own, { of: after });
  expect(sound).toMatchObject({ checked: 4, fault: null, head: { keyedFrom: 3n } });
  await after.close();
});

/** An organization whose events are so many days old, the oldest first. */
async function organizationOf(slug: string, past: readonly (number | PastEvent)[]) {
  const id = await organizationWithoutEvents(store, slug);
  await writePast(
    store,
    id,
    past.map((one) => (typeof one === 'number' ? { daysAgo: one } : one)),
  );
  return { id } as Organization;
}

const removing = { limit: 500, provenAtOnce: 5_000, consumer: webhookConsumer };

/** What the worker does for an organization: the number of removed events, or a fault. `clock`: the time of its process. */
async function remove(
  { id }: Organization,
  clock = new Date(),
  more: Partial<typeof removing> = {},
) {
  const result = await store.change(tester, (change) =>
    removeOldEvents(change, store.chain, id, { clock, ...removing, ...more }),
  );
  return 'removed' in result ? result.removed : result;
}

const numbersOf = async ({ id }: Organization) => {
  const { rows } = await listEvents(store.read, id, {}, { limit: 5_000, order: 'asc' });
  return rows.map(({ sequence }) => Number(sequence));
};

/** The retention as the row says it, without an event. */
const setRetention = ({ id }: Organization, days: number) =>
  sql`UPDATE organizations SET audit_retention_days = ${days} WHERE id = ${uuidOf(id)}`.execute(
    store.read,
  );

const chosen = (daysAgo: number, from: number, to: number): PastEvent => ({
  daysAgo,
  type: 'organization.changed',
  changes: [{ path: '/auditRetentionDays', from, to }],
});

test('events go when their retention is over, the oldest first, and the chain stays sound', async () => {
  const own = await organizationOf('aged', [500, 450, 401, 399, 10, 0]);
  expect(await remove(own, new Date(), { limit: 2 })).toBe(2);
  expect(await verify(own)).toMatchObject({ checked: 4, base: { sequence: 2n }, fault: null });
  expect(await remove(own)).toBe(1);
  expect(await remove(own)).toBe(0);
  expect(await numbersOf(own)).toEqual([4, 5, 6]);
  await tell(own, 1);
  expect(await verify(own)).toMatchObject({ checked: 4, base: { sequence: 3n }, fault: null });
  expect(await verify(own, { from: 2n, limit: 2 })).toMatchObject({ checked: 2, next: 6n });
  expect(await verify(own, { from: 6n })).toMatchObject({ checked: 2, fault: null });
});

const worker = (registry = new MetricRegistry()) =>
  new AuditRetention({ store, logger: silent, registry, prefix: 'worker_' });

test('the worker finds organizations with old events, and removes those of each', async () => {
  const own = await organizationOf('found', [500, 450, 3]);
  const other = await organizationOf('found-too', [401]);
  await worker().removeOld();
  expect(await numbersOf(own)).toEqual([3]);
  expect(await numbersOf(other)).toEqual([]);
  expect(await verify(other)).toMatchObject({ checked: 0, base: { sequence: 1n }, fault: null });
  await tell(other, 1);
  expect(await verify(other)).toMatchObject({ checked: 1, next: null, fault: null });
});

test('a metric counts organizations whose old events are kept, until they are kept no more', async () => {
  const own = await organizationOf('kept', [500, 3]);
  const registry = new MetricRegistry();
  const retention = worker(registry);
  const isKept = async (wanted: boolean): Promise<void> => {
    // Each call takes some of the organizations.
    for (let calls = 0; calls < 50; calls += 1) {
      await retention.removeOld();
      if (retention.kept.has(own.id) === wanted) break;
    }
    expect(retention.kept.has(own.id)).toBe(wanted);
    expect(await registry.text()).toContain(
      `\nworker_audit_kept_organizations ${retention.kept.size}\n`,
    );
  };
  await setRetention(own, 90);
  await isKept(true);
  await setRetention(own, 400);
  // Another worker removes them.
  expect(await remove(own)).toBe(1);
  await isKept(false);
});

test('an old event after a young one stays: the chain never has a hole', async () => {
  const own = await organizationOf('clock-was-wrong', [500, 5, 450, 1]);
  expect(await remove(own)).toBe(1);
  expect(await numbersOf(own)).toEqual([2, 3, 4]);
  expect((await verify(own)).fault).toBeNull();
});

test('another retention holds after a week, and beyond the event that chose it', async () => {
  const fresh = await organizationOf('chosen-now', [200, 150, 1]);
  await store.change(tester, (change) =>
    changeOrganization(change, fresh.id, { auditRetentionDays: 90 }),
  );
  expect(await remove(fresh)).toBe(0);
  expect((await verify(fresh)).fault).toBeNull();
  const settled = await organizationOf('chosen-before', [200, 100, chosen(8, 400, 90), 1]);
  await setRetention(settled, 90);
  expect(await remove(settled)).toBe(2);
  const gone = await organizationOf('chosen-long-ago', [200, chosen(100, 400, 90), 95, 1]);
  await setRetention(gone, 90);
  expect(await remove(gone)).toBe(3);
  expect(await verify(gone)).toMatchObject({ checked: 1, fault: null });
  await setRetention(gone, 400);
  expect((await verify(gone)).fault).toMatchObject({ code: 'retention_altered' });
});

test('neither the store’s clock alone nor the worker’s makes events old', async () => {
  const own = await organizationOf('clocks', [390, 1]);
  const days = (count: number) => new Date(Date.now() + count * 86_400_000);
  expect(await remove(own, days(1_000))).toBe(0);
  const old = await organizationOf('clocks-back', [410, 1]);
  expect(await remove(old, days(-20))).toBe(0);
  expect(await remove(old)).toBe(1);
});

test('events that webhooks have not taken stay', async () => {
  const own = await organizationOf('untaken', [500, 450, 1]);
  await sql`UPDATE event_positions SET sequence = 1 WHERE organization_id = ${uuidOf(own.id)}`.execute(
    store.read,
  );
  expect(await remove(own)).toBe(1);
  expect(await numbersOf(own)).toEqual([2, 3]);
});

test('two workers remove each event once, and one that dies half way removes none', async () => {
  const own = await organizationOf('two-workers', [500, 450, 401, 1]);
  const dying = store.change(tester, async (change) => {
    const clock = new Date();
    await removeOldEvents(change, store.chain, own.id, { clock, ...removing });
    throw new Error('killed');
  });
  await expect(dying).rejects.toThrow('killed');
  expect(await verify(own)).toMatchObject({ checked: 4, base: { sequence: 0n }, fault: null });
  const counts = (await Promise.all([remove(own), remove(own)])) as number[];
  expect(counts.toSorted((one, other) => one - other)).toEqual([0, 3]);
  expect(await verify(own)).toMatchObject({ checked: 1, base: { sequence: 3n }, fault: null });
});

test('the database lets events go in this way only', async () => {
  const own = await organizationOf('one-way', [500, 450, 1]);
  await remove(own, new Date(), { limit: 1 });
  const organization = uuidOf(own.id);
  const middle = sql`DELETE FROM events WHERE organization_id = ${organization} AND sequence = 2`;
  await expect(middle.execute(store.read)).rejects.toThrow('retention');
  for (const statement of [
    sql`DELETE FROM event_bases`,
    sql`TRUNCATE event_bases`,
    sql`UPDATE event_bases SET sequence = 1 WHERE organization_id = ${organization}`,
  ]) {
    await expect(statement.execute(store.read)).rejects.toThrow(/never changed|only moves on/);
  }
  // Whoever moves the base by hand still reaches no young event, and is seen.
  await sql`UPDATE event_bases SET sequence = 3 WHERE organization_id = ${organization}`.execute(
    store.read,
  );
  const young = sql`DELETE FROM events WHERE organization_id = ${organization} AND sequence = 3`;
  await expect(young.execute(store.read)).rejects.toThrow('retention');
  expect((await verify(own)).fault).toMatchObject({ code: 'base_altered' });
  expect(await remove(own)).toMatchObject({ code: 'base_altered' });
});

test('a removal of events without the key, or another base, is seen', async () => {
  const own = await organizationOf('attacked', [500, 450, 401, 1]);
  const organization = uuidOf(own.id);
  await remove(own, new Date(), { limit: 1 });
  const [base] = await store.read
    .selectFrom('eventBases')
    .selectAll()
    .where('organizationId', '=', organization)
    .execute();
  await remove(own);
  await byForce(sql`DELETE FROM events WHERE organization_id = ${organization}`);
  expect((await verify(own)).fault).toMatchObject({ code: 'missing', sequence: 4n });
  // The base before, which is genuine, does not fit what is left.
  const back = await organizationOf('attacked-back', [500, 450, 1]);
  await remove(back);
  const columns = { sequence: '3', hash: base?.hash, mac: base?.mac };
  await store.read
    .updateTable('eventBases')
    .set(columns)
    .where('organizationId', '=', uuidOf(back.id))
    .execute();
  expect((await verify(back)).fault).toMatchObject({ code: 'base_altered', sequence: 3n });
});

test('nothing goes that is not proven: events made old, a retention made short, and a broken end stay', async () => {
  const aged = await organizationOf('made-old', [300, 200, 1]);
  await byForce(
    sql`UPDATE events SET occurred_at = occurred_at - interval '2 years' WHERE organization_id = ${uuidOf(aged.id)}`,
  );
  expect(await remove(aged)).toMatchObject({ code: 'altered', sequence: 1n });
  const short = await organizationOf('made-short', [300, 200, 1]);
  await setRetention(short, 90);
  expect(await remove(short)).toMatchObject({ code: 'retention_altered' });
  expect((await verify(short)).fault).toMatchObject({ code: 'retention_altered' });
  const broken = await organizationOf('broken-end', [500, 1]);
  await sql`UPDATE event_heads SET mac = ${Buffer.alloc(32)} WHERE organization_id = ${uuidOf(broken.id)}`.execute(
    store.read,
  );
  expect(await remove(broken)).toMatchObject({ code: 'head_altered' });
  for (const { own, numbers } of [
    { own: aged, numbers: [1, 2, 3] },
    { own: short, numbers: [1, 2, 3] },
    { own: broken, numbers: [1, 2] },
  ]) {
    expect(await numbersOf(own)).toEqual(numbers);
  }
});

test('a longer retention holds, also while somebody hides the event that chose it', async () => {
  const past = [500, 450, chosen(150, 400, 2_557), 100, 1];
  for (const proven of [false, true]) {
    const own = await organizationOf(`hidden-choice-${proven}`, past);
    const choice = sql`organization_id = ${uuidOf(own.id)} AND sequence = 3`;
    await setRetention(own, 2_557);
    if (proven) expect(await remove(own)).toBe(0);
    await byForce(sql`UPDATE events SET type = 'session.opened' WHERE ${choice}`);
    await setRetention(own, 400);
    expect(await remove(own, new Date(), { limit: 2 })).toMatchObject(
      proven ? { code: 'retention_altered' } : { code: 'altered', sequence: 3n },
    );
    await byForce(sql`UPDATE events SET type = 'organization.changed' WHERE ${choice}`);
    await setRetention(own, 2_557);
    expect(await remove(own)).toBe(0);
    expect(await numbersOf(own)).toEqual([1, 2, 3, 4, 5]);
    expect((await verify(own)).fault).toBeNull();
  }
});

test('a long chain is proven in steps before its events go, and an end that is set back after that shows', async () => {
  const own = await organizationOf('proven-in-steps', [500, 450, 401, 3, 2, 1]);
  const step = { provenAtOnce: 4 };
  expect(await remove(own, new Date(), step)).toBe(0);
  expect(await remove(own, new Date(), step)).toBe(3);
  expect(await numbersOf(own)).toEqual([4, 5, 6]);
  const other = await organizationOf('set-back', [500, 3, 2]);
  const id = uuidOf(other.id);
  const [head] = await store.read
    .selectFrom('eventHeads')
    .selectAll()
    .where('organizationId', '=', id)
    .execute();
  await tell(other, 1);
  await remove(other, new Date(), { limit: 0 });
  await byForce(sql`DELETE FROM events WHERE organization_id = ${id} AND sequence = 4`);
  const { organizationId: _, ...columns } = head ?? {};
  await store.read
    .updateTable('eventHeads')
    .set(columns)
    .where('organizationId', '=', id)
    .execute();
  expect(await remove(other)).toMatchObject({ code: 'missing', sequence: 4n });
});

/** Makes the events anew without the key, as if the chain had none yet. `previous`: the hash before the first one. */
async function makeAnew({ id }: Organization, previous: Buffer = Buffer.alloc(32)): Promise<void> {
  const { rows } = await listEvents(store.read, id, {}, { limit: 10, order: 'asc' });
  for (const { previousHash: _, hash, ...event } of rows) {
    const fresh = store.chain.hash(previous, { ...event, keyVersion: null }) ?? previous;
    await byForce(
      sql`UPDATE events SET key_version = NULL, previous_hash = ${previous}, hash = ${fresh} WHERE hash = ${hash}`,
    );
    previous = fresh;
  }
  await sql`UPDATE event_heads SET hash = ${previous}, keyed_from = NULL, key_version = NULL, mac = NULL
    WHERE organization_id = ${uuidOf(id)}`.execute(store.read);
}

test('events whose chain was made anew without the key stay, whatever age they say', async () => {
  const own = await organizationOf('unkeyed-anew', [500, 450]);
  await makeAnew(own);
  expect(await remove(own)).toMatchObject({ code: 'unkeyed', sequence: 1n });
  await tell(own, 1);
  expect(await remove(own)).toMatchObject({ code: 'unkeyed', sequence: 1n });
  expect(await numbersOf(own)).toEqual([1, 2, 3]);
});

test('after a removal, a chain that is made anew without the key shows, also after events that follow', async () => {
  const own = await organizationOf('anew-after-removal', [500, 450, 2, 1]);
  expect(await remove(own)).toBe(2);
  const [third] = (await listEvents(store.read, own.id, {}, { limit: 1, order: 'asc' })).rows;
  await makeAnew(own, third?.previousHash);
  expect((await verify(own)).fault).toMatchObject({ code: 'head_altered' });
  await tell(own, 1);
  expect((await verify(own)).fault).toMatchObject({ code: 'head_altered' });
});

test('an export from which events go before their turn says so instead of leaving them out', async () => {
  const past = Array.from({ length: 1_002 }, () => 500);
  const own = await organizationOf('exported', [...past, 1]);
  const cursors = new Cursors(signingKeys);
  const { exportAuditEvents } = auditHandlers({ store, cursors });
  const asked = (query: object) =>
    exportAuditEvents({
      query: { format: 'ndjson', ...query },
      principal: { organization: own },
    } as never);
  const { pieces } = (await asked({})) as unknown as { pieces: AsyncGenerator<string> };
  expect(await pieces.next()).toMatchObject({ value: '' });
  expect(
    String((await pieces.next()).value)
      .trimEnd()
      .split('\n'),
  ).toHaveLength(1_000);
  const page = (await asked({ limit: 2 })) as unknown as { headers: Record<string, string> };
  const cursor = page.headers['Next-Cursor'];
  await remove(own, new Date(), { limit: 2 });
  // Nothing of what is still to come has gone.
  expect(await asked({ limit: 2, cursor })).toMatchObject({ status: 200 });
  await remove(own, new Date(), { limit: 2_000 });
  await expect(asked({ limit: 2, cursor })).rejects.toMatchObject({ code: 'invalid_cursor' });
  await expect(pieces.next()).rejects.toMatchObject({ code: 'invalid_cursor' });
  const again = (await asked({})) as unknown as { pieces: AsyncGenerator<string> };
  const lines: string[] = [];
  for await (const piece of again.pieces) lines.push(piece);
  expect(lines.join('').trimEnd().split('\n')).toHaveLength(1);
});

test('a database is charged from an event on that has gone', async () => {
  const id = await organizationWithoutEvents(store, 'charged');
  const own = { id, namespace: 'org-charged' } as Organization;
  const { id: databaseId } = await makeDatabase(store, own, 'old');
  await writePast(store, id, [{ daysAgo: 500, type: 'database.ready', databaseId }]);
  expect(await remove(own)).toBe(1);
  const hour = new Date(Math.floor(Date.now() / hourMs) * hourMs);
  const found = await store.change(tester, (change) =>
    databasesOfHour(change, hour, new Date(hour.getTime() + hourMs)),
  );
  expect(found.filter((one) => one.databaseId === uuidOf(databaseId))).toMatchObject([
    { events: [{ type: 'database.ready' }] },
  ]);
});

/** Refused attempts with one key: the problem of each. */
async function refused(own: Organization, through: Pick<Store, 'change'> = store) {
  const timers = new VirtualTimers();
  const denials = new Denials(through, silent, timers);
  const principal = {
    type: 'api_key',
    credentialId: newTypeId('key'),
    organization: own,
    name: 'ci',
  } as Principal;
  const tell = (code: ProblemCode) =>
    denials.tell({ principal, author: tester, action: 'deleteDatabase', code, outcome: 'FAILED' });
  const recorded = async () => {
    const { rows } = await listEvents(
      store.read,
      own.id,
      { types: ['request.failed'] },
      { limit: 100, order: 'asc' },
    );
    return rows.map(({ data }) => data);
  };
  return { denials, timers, tell, recorded };
}

test('no refused attempt hides another: each reason is written at once, and how many followed a minute later', async () => {
  const own = await organizationWithEvents('refused');
  const { denials, timers, tell, recorded } = await refused(own);
  tell('database_not_found');
  tell('deletion_protected');
  for (let count = 0; count < 500; count += 1) tell('database_not_found');
  const first = [
    { action: 'deleteDatabase', code: 'database_not_found' },
    { action: 'deleteDatabase', code: 'deletion_protected' },
  ];
  await eventually('both are written', async () => (await recorded()).length === 2 || undefined);
  expect(await recorded()).toEqual(expect.arrayContaining(first));
  await timers.advance(60_000);
  await denials.stop();
  const repeated = { action: 'deleteDatabase', code: 'database_not_found', repeated: 500 };
  expect((await recorded()).slice(2)).toEqual([repeated]);
  tell('database_not_found');
  tell('database_not_found');
  await denials.stop();
  // What was counted when the process ended is not lost.
  expect((await recorded()).slice(3)).toEqual(
    expect.arrayContaining([first[0], { ...repeated, repeated: 1 }]),
  );
  expect(timers.pending).toBe(0);
});

test('an attempt that the store could not take keeps no later one out of the log', async () => {
  const own = await organizationWithEvents('store-away');
  let isAway = true;
  const { denials, tell, recorded } = await refused(own, {
    change: (...call) => (isAway ? Promise.reject(new Error('away')) : store.change(...call)),
  });
  tell('database_not_found');
  await denials.stop();
  isAway = false;
  tell('database_not_found');
  await denials.stop();
  expect(await recorded()).toEqual([{ action: 'deleteDatabase', code: 'database_not_found' }]);
});
