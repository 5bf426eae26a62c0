/** One organization's events keep no other one waiting, however many there are, and whatever is wrong with them. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { MetricRegistry } from '../../../base/metrics/metrics.ts';
import { newTypeId } from '../../../domain/type-id.ts';
import { NotificationMailer } from '../../../api/notifications/mailer.ts';
import { UnsubscribeLinks } from '../../../api/notifications/unsubscribe-links.ts';
import { uuidOf } from '../../../api/store/ids.ts';
import { changeNotificationSettings } from '../../../api/store/notifications.ts';
import { addMember } from '../../../api/store/members.ts';
import type { Organization } from '../../../api/store/organizations.ts';
import { Sealer } from '../../../api/store/sealing.ts';
import type { Store } from '../../../api/store/store.ts';
import { ensureUser } from '../../../api/store/users.ts';
import { createWebhookEndpoint } from '../../../api/store/webhook-endpoints.ts';
import { AddressGuard } from '../../../api/webhooks/addresses.ts';
import { WebhookDispatcher } from '../../../api/webhooks/dispatcher.ts';
import { fanOut, webhookConsumer } from '../../../api/webhooks/fan-out.ts';
import { FanOuts } from '../../../api/webhooks/fan-outs.ts';
import { ReceiverNames } from '../../../api/webhooks/resolver.ts';
import { WebhookSender } from '../../../api/webhooks/sender.ts';
import { webhookMetrics } from '../../../api/webhooks/webhook-metrics.ts';
import { TestPostgres } from '../../support/api/postgres.ts';
import { TestReceiver } from '../../support/api/receiver.ts';
import {
  anotherOrganization,
  openTestStore,
  signingKeys,
  silent,
  startListener,
  tester,
} from '../../support/api/store.ts';
import { eventually } from '../../support/shell.ts';

const sealer = new Sealer(signingKeys);
let postgres: TestPostgres;
let store: Store;
/** In the order in which a look finds them. */
let first: Organization;
let second: Organization;

beforeAll(async () => {
  postgres = await TestPostgres.create();
  ({ store } = await openTestStore(postgres));
  first = await withEndpoint('first');
  second = await withEndpoint('second');
});
afterAll(async () => {
  await store?.close();
  await postgres?.remove();
});

async function withEndpoint(slug: string): Promise<Organization> {
  const organization = await anotherOrganization(store, slug);
  await addEndpoint(organization);
  return organization;
}

const addEndpoint = ({ id: organizationId }: Organization, url = 'https://hooks.example.com/') =>
  store.change(tester, (change) =>
    createWebhookEndpoint(change, sealer, {
      organizationId,
      url,
      description: '',
      eventTypes: ['job.*', 'database.*'],
      databaseId: null,
    }),
  );

const happen = (
  { id: organizationId }: Organization,
  count: number,
  databaseId: string | null = null,
) =>
  store.change(tester, async (change) => {
    for (let index = 0; index < count; index += 1) {
      const id = newTypeId('job');
      change.emit({
        organizationId,
        type: 'job.succeeded',
        subject: { type: 'job', id, display: 'database.create' },
        databaseId,
        data: { job: { id, type: 'database.create', status: 'SUCCEEDED' } },
      });
    }
  });

/** Deliveries that an organization has. */
async function deliveriesOf({ id }: Organization): Promise<number> {
  const rows = await store.read
    .selectFrom('webhookDeliveries')
    .select('id')
    .where('organizationId', '=', uuidOf(id))
    .execute();
  return rows.length;
}

/** Makes it impossible to add rows of an organization to a table. */
async function refuseRows(table: string, column: string, value: string): Promise<void> {
  await sql
    .raw(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
       CREATE TRIGGER refused BEFORE INSERT ON ${table} FOR EACH ROW WHEN (NEW.${column} = '${value}') EXECUTE FUNCTION refuse()`,
    )
    .execute(store.read);
}
const takeRows = () => sql`DROP FUNCTION refuse CASCADE`.execute(store.read);

test('an organization with a backlog of events gets its share of a round, and the others theirs', async () => {
  await happen(first, 1_300);
  await happen(second, 1);
  const fanOuts = new FanOuts(store, silent);
  expect(await fanOuts.round()).toBe(true);
  expect(await deliveriesOf(second)).toBe(1);
  expect(await deliveriesOf(first)).toBeLessThan(1_300);
  expect(await fanOuts.round()).toBe(false);
  expect(await deliveriesOf(first)).toBe(1_300);
});

test('deliveries of one organization that cannot be made stop nobody else’s, and come when they can', async () => {
  await happen(first, 1);
  await happen(second, 1);
  await refuseRows('webhook_deliveries', 'organization_id', uuidOf(first.id));
  const before = [await deliveriesOf(first), await deliveriesOf(second)] as const;
  await new FanOuts(store, silent).round();
  expect([await deliveriesOf(first), await deliveriesOf(second)]).toEqual([
    before[0],
    before[1] + 1,
  ]);
  await takeRows();
  await new FanOuts(store, silent).round();
  expect(await deliveriesOf(first)).toBe(before[0] + 1);
});

test('an event right after an endpoint was made reaches it, however slow the worker is that takes the event', async () => {
  const late = await withEndpoint('late');
  const goOn = Promise.withResolvers<void>();
  const isHeld = Promise.withResolvers<void>();
  // Holds the worker up between its look for endpoints and the events that it takes.
  const holding = store.change(tester, async ({ db }) => {
    await db
      .insertInto('eventPositions')
      .values({ consumer: webhookConsumer, organizationId: uuidOf(late.id), sequence: '0' })
      .execute();
    isHeld.resolve();
    await goOn.promise;
    throw new Error('undone');
  });
  await isHeld.promise;
  const round = fanOut(store, late.id);
  try {
    await eventually('the worker waits', async () => {
      const { rows } = await sql`SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(store.read);
      return rows.length > 0 ? true : undefined;
    });
    await addEndpoint(late);
    await happen(late, 1);
  } finally {
    goOn.resolve();
    await expect(holding).rejects.toThrow('undone');
  }
  await round;
  expect(await deliveriesOf(late)).toBe(2);
});

/** Runs the mailer until there is mail for exactly these. */
async function mailed(wanted: readonly string[]): Promise<void> {
  const mailer = new NotificationMailer({
    store,
    sealer,
    links: new UnsubscribeLinks(signingKeys, 'https://ledger.example'),
    publicUrl: 'https://ledger.example',
    logger: silent,
    everyMs: 20,
  });
  mailer.start();
  try {
    await eventually(`mail is there for ${wanted.join()}`, async () => {
      const rows = await store.read.selectFrom('mails').select('recipient').execute();
      expect(rows.map(({ recipient }) => recipient).sort()).toEqual(wanted);
      return true;
    });
  } finally {
    await mailer.stop();
  }
}

const mailOf = ({ slug }: Organization) => `${slug}@example.com`;

test('mails of one organization that cannot be written stop nobody else’s', async () => {
  for (const organization of [first, second]) {
    await store.change(tester, async (change) => {
      const email = mailOf(organization);
      const person = { issuer: 'https://id.example.com', subject: email, email, name: email };
      const user = await ensureUser(change, { ...person, emailVerified: true });
      const organizationId = organization.id;
      await addMember(change, { organizationId, user, role: 'owner', databaseIds: null });
      const reading = { organizationId, userId: user.id };
      await changeNotificationSettings(change.db, reading, { digestKinds: ['change_failed'] });
      const id = newTypeId('db');
      change.emit({
        organizationId,
        type: 'database.failed',
        subject: { type: 'database', id, display: 'payments' },
        databaseId: id,
        data: { database: { id, name: 'payments', status: 'FAILED' } },
      });
    });
  }
  await refuseRows('mails', 'recipient', mailOf(first));
  await mailed([mailOf(second)]);
  await takeRows();
  await mailed([mailOf(first), mailOf(second)]);
});

test('a daily mail that cannot be written stops nobody else’s, and comes with all that it had to tell', async () => {
  for (const { id: organizationId } of [first, second]) {
    const id = newTypeId('db');
    await store.change(tester, async (change) => {
      change.emit({
        organizationId,
        type: 'configuration.change_failed',
        subject: { type: 'database', id, display: 'payments' },
        databaseId: id,
        data: {} as never,
      });
    });
  }
  await store.read.deleteFrom('mails').execute();
  await sql`UPDATE notification_settings SET digest_due_at = clock_timestamp() - CASE organization_id
    WHEN ${uuidOf(first.id)} THEN interval '2 hours' ELSE interval '1 hour' END`.execute(
    store.read,
  );
  await refuseRows('mails', 'recipient', mailOf(first));
  await mailed([mailOf(second)]);
  await takeRows();
  const { rows } =
    await sql`SELECT 1 FROM notification_settings WHERE organization_id = ${uuidOf(first.id)}
    AND digest_due_at BETWEEN clock_timestamp() AND clock_timestamp() + interval '1 hour'`.execute(
      store.read,
    );
  expect(rows).toHaveLength(1);
  await sql`UPDATE notification_settings SET digest_due_at = clock_timestamp()
    WHERE organization_id = ${uuidOf(first.id)}`.execute(store.read);
  await mailed([mailOf(first), mailOf(second)]);
});

test('a receiver that hangs takes nothing from the others, however long it is waited for', async () => {
  await sql`TRUNCATE webhook_endpoints CASCADE`.execute(store.read);
  const [hanging, other] = [await TestReceiver.start(), await TestReceiver.start()];
  hanging.behave = () => {};
  for (const { url } of [hanging, other]) await addEndpoint(first, url);
  const listener = startListener(store);
  const names = new ReceiverNames(new AddressGuard(['127.0.0.0/8']));
  const dispatcher = new WebhookDispatcher({
    store,
    listener,
    sealer,
    sender: new WebhookSender(names, 3_600_000),
    mails: false,
    identity: 'worker',
    logger: silent,
    metrics: (busy) => webhookMetrics(new MetricRegistry(), 'test_', busy),
  });
  dispatcher.start();
  try {
    // More than one endpoint is sent at a time, each of another database: none waits for another one's turn.
    for (let count = 1; count <= 20; count += 1) {
      await happen(first, 1, newTypeId('db'));
      await eventually(`${count} have come`, () =>
        Promise.resolve(other.received.length >= count || undefined),
      );
    }
    await eventually('the one that hangs is asked', () =>
      Promise.resolve(hanging.received.length > 0 || undefined),
    );
  } finally {
    for (const receiver of [hanging, other]) await receiver.stop();
    await dispatcher.stop();
    await listener.stop();
  }
});
