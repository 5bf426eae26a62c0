/** Webhooks: from a change to the receiver, and deliveries a second, with one of ten receivers hanging. */
import { loadavg } from 'node:os';
import { newTypeId } from '../../domain/type-id.ts';
import { Sealer } from '../../api/store/sealing.ts';
import { createWebhookEndpoint } from '../../api/store/webhook-endpoints.ts';
import { TestReceiver } from '../../test/support/api/receiver.ts';
import { signingKeys, tester } from '../../test/support/api/store.ts';
import { WebhookWorkers } from '../../test/support/api/webhook-workers.ts';
import { eventually } from '../../test/support/shell.ts';
import { count } from '../support/settings.ts';
import { percentile, report, shownLoad } from '../support/report.ts';

const receiversCount = 10;
const steadyEvents = 200;
const steadyEveryMs = 50;
const burstEvents = count('EVENTS', 1_500);
const burstChange = 50;

const databases = Array.from({ length: 8 }, () => newTypeId('db'));
const load = loadavg();
const workers = await WebhookWorkers.create();
const receivers = await Promise.all(
  Array.from({ length: receiversCount }, () => TestReceiver.start()),
);
try {
  const [hanging, ...healthy] = receivers;
  if (hanging !== undefined) hanging.behave = () => {};
  for (const { url } of receivers) await subscribe(url);
  await workers.start();
  await workers.start();
  await happen(8);
  await untilReceived(healthy, 8);
  const delays = await steady(healthy);
  const { perSecond, seconds } = await burst(healthy);
  report(
    'webhooks',
    [
      { name: 'change to receiver, p50', value: percentile(delays, 0.5), unit: 'ms' },
      { name: 'change to receiver, p99', value: percentile(delays, 0.99), unit: 'ms', goal: 1_000 },
      {
        name: 'deliveries a second, one of ten receivers hanging',
        value: perSecond,
        unit: '/s',
        goal: 500,
        more: true,
      },
      { name: `${burstEvents} events to nine receivers`, value: seconds, unit: 's' },
      { name: 'failed attempts at receivers that answer', value: await failures(), unit: '' },
    ],
    { load },
  );
  console.log(
    `load before: ${shownLoad(load)}; two workers, one PostgreSQL, receivers in this process`,
  );
} finally {
  await workers.stop();
  for (const receiver of receivers) await receiver.stop();
}

async function subscribe(url: string): Promise<void> {
  await workers.store.change(tester, (change) =>
    createWebhookEndpoint(change, new Sealer(signingKeys), {
      organizationId: workers.organizationId,
      url,
      description: '',
      eventTypes: ['job.*'],
      databaseId: null,
    }),
  );
}

/** Attempts that failed and are not those of the receiver that hangs. */
async function failures(): Promise<number> {
  const rows = await workers.store.read
    .selectFrom('webhookAttempts')
    .innerJoin('webhookDeliveries', 'webhookDeliveries.id', 'webhookAttempts.deliveryId')
    .innerJoin('webhookEndpoints', 'webhookEndpoints.id', 'webhookDeliveries.endpointId')
    .select(['webhookAttempts.error', 'webhookAttempts.outcome'])
    .where('webhookEndpoints.url', '!=', receivers[0]?.url ?? '')
    .where('webhookAttempts.outcome', '!=', 'SUCCESS')
    .execute();
  for (const { error } of rows) console.log(error);
  return rows.length;
}

/** Commits events of eight databases in one change. */
async function happen(events: number): Promise<void> {
  await workers.store.change(tester, async (change) => {
    for (let index = 0; index < events; index += 1) {
      const id = newTypeId('job');
      change.emit({
        organizationId: workers.organizationId,
        type: 'job.succeeded',
        subject: { type: 'job', id, display: 'database.create' },
        databaseId: databases[index % databases.length] ?? null,
        data: { job: { id, type: 'database.create', status: 'SUCCEEDED' } },
      });
    }
  });
}

async function untilReceived(healthy: readonly TestReceiver[], events: number): Promise<void> {
  await eventually('all has come', async () => {
    const least = Math.min(...healthy.map(({ received }) => received.length));
    if (least < events) throw new Error(`${least} of ${events} have come`);
    return true;
  });
}

/** One event after the other, at a steady rate. Returns milliseconds from the event's time to its arrival. */
async function steady(healthy: readonly TestReceiver[]): Promise<readonly number[]> {
  for (const receiver of healthy) receiver.received.length = 0;
  for (let index = 0; index < steadyEvents; index += 1) {
    await happen(1);
    await new Promise((resolve) => void setTimeout(resolve, steadyEveryMs));
  }
  await untilReceived(healthy, steadyEvents);
  return healthy.flatMap(({ received }) =>
    received.map(({ body, atMs }) => atMs - Date.parse(body.timestamp)),
  );
}

/** Many events at once. */
async function burst(healthy: readonly TestReceiver[]) {
  for (const receiver of healthy) receiver.received.length = 0;
  const began = Date.now();
  for (let made = 0; made < burstEvents; made += burstChange) await happen(burstChange);
  await untilReceived(healthy, burstEvents);
  const last = Math.max(...healthy.map(({ received }) => received.at(-1)?.atMs ?? 0));
  const seconds = (last - began) / 1_000;
  return { seconds, perSecond: (burstEvents * healthy.length) / seconds };
}
