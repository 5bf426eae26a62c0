/** The chain of audit events: without the signing key, a writer to the store cannot change it unnoticed. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { Denials } from '../../../api/auth/denials.ts';
import type { Principal } from '../../../api/auth/principal.ts';
import type { ProblemCode } from '../../../api/model/problems.ts';
import { AuditChain } from '../../../api/store/audit-chain.ts';
import { verifyEvents } from '../../../api/store/audit-verify.ts';
import { listEvents } from '../../../api/store/events.ts';
import { uuidOf } from '../../../api/store/ids.ts';
import { migrations } from '../../../api/store/migrations/all.ts';
import type { Organization } from '../../../api/store/organizations.ts';
import { SigningKeys } from '../../../api/store/signing-keys.ts';
import { Store } from '../../../api/store/store.ts';
import { newTypeId } from '../../../domain/type-id.ts';
import { eventually } from '../../support/shell.ts';
import { VirtualTimers } from '../../support/operator/virtual-timers.ts';
import { TestPostgres } from '../../support/api/postgres.ts';
import {
  anotherOrganization,
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
