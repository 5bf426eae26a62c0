// The pictures of the manual, of fixed answers at a fixed time: what they show is waited for, so that they stay true.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { snippetFor } from '../../api/connections/snippets.ts';
import { backupScheduleExample } from '../../api/contract/schemas/backup-schedule.ts';
import { backupExample } from '../../api/contract/schemas/backup.ts';
import { catalogExample } from '../../api/contract/schemas/catalog.ts';
import { changeExample, previewExample } from '../../api/contract/schemas/change.ts';
import { configurationExample } from '../../api/contract/schemas/configuration.ts';
import { connectionCheckExample } from '../../api/contract/schemas/connection.ts';
import { databaseExample } from '../../api/contract/schemas/database.ts';
import { importExample, readyImportExample } from '../../api/contract/schemas/import.ts';
import { maintenanceWindowExample } from '../../api/contract/schemas/maintenance-window.ts';
import { notificationExample } from '../../api/contract/schemas/notification.ts';
import { sessionExample } from '../../api/contract/schemas/session.ts';
import {
  webhookAttemptExample,
  webhookDeliveryExample,
} from '../../api/contract/schemas/webhook-delivery.ts';
import { rightsOf } from '../../api/model/access.ts';
import { openTab, startChromium, type Tab } from '../support/browser/chromium.ts';
import { answerFromExample } from '../support/browser/example-ledger.ts';
import { answerMonitoring } from '../support/browser/example-monitoring.ts';
import { FixedService } from '../support/browser/fixed-service.ts';
import { manualPicture } from '../support/browser/manual-picture.ts';

/** An hour after the times of the examples. */
const now = '2026-11-21T03:03:04.567Z';
const { name, id } = databaseExample;
const databases = '/o/acme/databases';
const path = `${databases}/${name}`;
const nothing = { limit: 50, nextCursor: null, hasMore: false };

let service: FixedService;
let browser: Browser;
let tab: Tab;

beforeAll(async () => {
  [service, browser] = await Promise.all([FixedService.start(), startChromium()]);
  tab = await openTab(browser, { origins: [service.url], width: 1_280 });
  await tab.page.clock.setFixedTime(now);
  service.time = now;
  const organization = { ...sessionExample.organization, name: 'Acme', slug: 'acme' } as const;
  const owned = { role: 'owner', rights: rightsOf('owner'), namespace: 'org-acme' } as const;
  const user = { id: 'usr_1', display: 'Ada Moser', email: null, administrator: false };
  const organizations = [{ ...organization, ...owned }];
  service.when('getSession', () => ({ body: { ...sessionExample, user, organizations } }));
  const labels = { team: 'payments', 'ledger/978': '2 EUR Euro cents' };
  const database = { ...databaseExample, labels };
  service.when('getDatabase', () => ({ body: { database, profile: null } }));
  service.when('listChanges', () => ({ body: { data: [], page: nothing } }));
  answerFromExample(service);
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const open = (address: string) => tab.page.goto(`${service.url}${address}`);

test('an account with its balance, chart and statement', async () => {
  await open(`${path}/explorer/accounts/1001`);
  await tab.page.getByText('34 transfers.').waitFor();
  await tab.page.getByRole('row', { name: /^Closing balance Dr 24,557\.12 EUR/ }).waitFor();
  await manualPicture(tab, 'account', { height: 960 });
  expect(tab.takeTroubles()).toEqual([]);
});

test('two transfers that happen together, with the balances after them before they are sent', async () => {
  const { page } = tab;
  await open(`${path}/explorer/new-transfer`);
  await page.getByLabel('Debit account').fill('3001');
  await page.getByLabel('Credit account').fill('4001');
  await page.getByLabel('Amount').fill('12.50');
  await page.getByRole('button', { name: 'Add a transfer' }).click();
  const second = page.getByRole('listitem', { name: 'Transfer 2' });
  await second.getByLabel('Credit account').fill('2001');
  await second.getByLabel('Amount').fill('2.38');
  await page.getByRole('button', { name: 'See the result' }).click();
  await page.getByText('The ledger would make this').waitFor();
  await page.getByRole('row', { name: /^2001/ }).waitFor();
  await manualPicture(tab, 'new-transfer', { height: 960 });
  expect(tab.takeTroubles()).toEqual([]);
});

test('a new database with its price', async () => {
  const [size] = catalogExample.clusterSizes;
  if (size === undefined) throw new Error('the example of the catalog has no size');
  const clusterSizes = [1, 2, 4].map((times) => ({
    ...size,
    id: `lh-${5 * times}`,
    number: 5 * times,
    memoryBytes: times * 2 ** 30,
  }));
  service.when('getCreateCatalog', () => ({ body: { ...catalogExample, clusterSizes } }));
  await open(`${databases}/new`);
  await tab.page.getByLabel('Name', { exact: true }).fill('shop');
  await tab.page.getByText('$12.50').waitFor();
  await tab.page.getByText('Holds 46,000,000 transfers and 2,000,000 accounts.').waitFor();
  await tab.page.getByText('databases create shop').waitFor();
  await manualPicture(tab, 'new-database', { height: 800 });
  expect(tab.takeTroubles()).toEqual([]);
});

test('an upload that can be resumed, and one that is ready for its database', async () => {
  const { page } = tab;
  const ready = {
    ...readyImportExample,
    id: 'imp_01jd8f3zk5e0v9t3m2q6r8w4x1',
    clusterId: '78',
  };
  const data = [importExample, ready];
  service.when('listImports', () => ({ body: { data, page: nothing } }));
  await open(`${databases}/new`);
  await page.getByRole('radio', { name: /^Import/ }).check();
  await page.getByText(/uploaded$/).waitFor();
  await page.getByRole('button', { name: `Use ${ready.id}` }).waitFor();
  await manualPicture(tab, 'import', { height: 800 });
  service.forget('listImports');
  expect(tab.takeTroubles()).toEqual([]);
});

test('a program that the page for connecting has seen', async () => {
  const snippet = snippetFor('node', {
    database: name,
    databaseId: id,
    baseUrl: 'https://ledger.example.com',
    accountId: connectionCheckExample.accountId,
  });
  service.when('getConnectionSnippet', () => ({ body: { snippet } }));
  await open(`${path}/connect`);
  await tab.page.getByText('connected', { exact: true }).waitFor();
  await tab.page.getByText('client.destroy()').waitFor();
  await manualPicture(tab, 'connect', { height: 800 });
  expect(tab.takeTroubles()).toEqual([]);
});

test('the backups of a database and their schedule', async () => {
  const nightly = {
    ...backupExample,
    id: 'bkp_01jd8f3zk5e0v9t3m2q6r8w4x1',
    name: 'nightly-2026-11-21',
    type: 'SCHEDULED',
    schedule: 'nightly',
    expiresAt: null,
    verification: null,
  };
  const data = [nightly, { ...backupExample, protected: true }];
  service.when('listBackups', () => ({ body: { data, page: nothing, configured: true } }));
  const schedule = { ...backupScheduleExample, name: 'nightly' };
  service.when('listBackupSchedules', () => ({ body: { data: [schedule] } }));
  await open(`${path}/backups`);
  await tab.page
    .getByRole('row')
    .filter({ hasText: 'before-migration' })
    .getByText('proven')
    .waitFor();
  await tab.page.getByRole('row').filter({ hasText: '0 3 * * *' }).waitFor();
  await manualPicture(tab, 'backups', { height: 760 });
  expect(tab.takeTroubles()).toEqual([]);
});

test('a change with its difference, impact and price, and its time', async () => {
  const { page } = tab;
  const diff = [{ path: '/clusterSize', from: 'lh-10', to: 'lh-20' }];
  const preview = { ...previewExample.preview, diff };
  service.when('previewChange', () => ({ body: { ...previewExample, preview } }));
  const sizes = catalogExample.clusterSizes.flatMap((size) =>
    [10, 20, 40].map((number) => ({
      ...size,
      id: `lh-${number}`,
      number,
      cpuMillis: 50 * number,
      memoryBytes: (number / 5) * 2 ** 30,
    })),
  );
  service.when('getCreateCatalog', () => ({ body: { ...catalogExample, clusterSizes: sizes } }));
  const configuration = { ...configurationExample, clusterSize: 'lh-10' };
  service.when('getConfiguration', () => ({ body: { configuration } }));
  const by = { type: 'user', id: 'usr_1', display: 'Ada Moser' } as const;
  const waiting = {
    ...changeExample,
    status: 'QUEUED',
    actor: by,
    inMaintenanceWindow: true,
    progress: null,
  } as const;
  const applyAt = maintenanceWindowExample.next.beginsAt;
  const upgrade = [{ path: '/engineVersion', from: '0.1.0', to: '0.2.0' }];
  service.when('listChanges', () => ({
    body: { data: [{ ...waiting, applyAt, diff: upgrade }], page: nothing },
  }));
  await open(`${path}/configuration`);
  await page.getByRole('radio', { name: /lh-20/ }).check({ force: true });
  await page.getByRole('row', { name: 'Size lh-10 lh-20' }).waitFor();
  await page.getByText('In the maintenance window of').waitFor();
  await page.evaluate('scrollTo(0, 0)');
  await manualPicture(tab, 'change', { height: 760 });
  expect(tab.takeTroubles()).toEqual([]);
});

test('an hour of a database whose leader died', async () => {
  const { page } = tab;
  answerMonitoring(service, id, new Date('2026-11-21T03:03:00.000Z'));
  await open(`${path}/monitoring`);
  await page.getByText('10 GiB of 20 GiB. Full in 41 days').waitFor();
  await page
    .getByRole('figure', { name: 'Replicas', exact: true })
    .getByText('replica 2 leads')
    .waitFor();
  await manualPicture(tab, 'monitoring', { height: 860 });
  expect(tab.takeTroubles()).toEqual([]);
});

test('events to look at, and events that were looked at', async () => {
  const { page } = tab;
  const data = [
    notificationExample,
    {
      ...notificationExample,
      id: 'evt_01jd8f3zk5e0v9t3m2q6r8w4x1',
      kind: 'key_expiring',
      type: 'api_key.expiring',
      summary: 'reports: an API key expires in 7 days.',
      target: { type: 'api_key', id: 'key_01jd8f3zk5e0v9t3m2q6r8w4x0', display: 'reports' },
      databaseId: null,
      occurredAt: '2026-11-20T14:00:00.000Z',
    },
    {
      ...notificationExample,
      id: 'evt_01jd8f3zk5e0v9t3m2q6r8w4x2',
      kind: 'backup_trouble',
      type: 'backup.failed',
      summary: 'payments-prod: a backup could not be made.',
      occurredAt: '2026-11-19T03:00:00.000Z',
      read: true,
    },
  ];
  service.when('listNotifications', () => ({ body: { data, page: nothing, unread: 2 } }));
  await open('/o/acme/notifications');
  await page.getByText('reports: an API key expires in 7 days.').waitFor();
  await page.getByText('payments-prod: a backup could not be made.').waitFor();
  await page.getByRole('link', { name: 'Notifications, 2 unread' }).waitFor();
  await manualPicture(tab, 'notifications', { height: 700 });
  expect(tab.takeTroubles()).toEqual([]);
});

test('a delivery of a webhook with its request, and the attempts with their answers', async () => {
  const { page } = tab;
  const delivery = { ...webhookDeliveryExample, attemptCount: 2 };
  const data = [
    delivery,
    {
      ...delivery,
      id: 'dlv_01jd8f3zk5e0v9t3m2q6r8w4x1',
      eventType: 'backup.succeeded',
      attemptCount: 1,
    },
  ];
  service.when('listWebhookDeliveries', () => ({ body: { data, page: nothing } }));
  const requestBody = JSON.stringify({ id: delivery.eventId, type: delivery.eventType });
  service.when('getWebhookDelivery', () => ({
    body: { webhookDelivery: delivery, requestBody },
  }));
  const failed = {
    ...webhookAttemptExample,
    outcome: 'HTTP_ERROR',
    statusCode: 503,
    responseExcerpt: 'Back in a minute',
    durationMs: 812,
  };
  service.when('listWebhookAttempts', () => ({
    body: { data: [failed, { ...webhookAttemptExample, number: 2 }] },
  }));
  await open('/o/acme/settings/webhooks/deliveries');
  await page.getByRole('row', { name: /backup\.succeeded/ }).waitFor();
  await page.getByRole('button', { name: 'Details of database.ready' }).click();
  await page.getByText('Back in a minute').waitFor();
  await page.getByRole('heading', { name: 'Attempt 2' }).waitFor();
  await manualPicture(tab, 'webhook-delivery', { height: 860 });
  expect(tab.takeTroubles()).toEqual([]);
});

test('a new database that begins with a backup, with its price', async () => {
  const { page } = tab;
  service.when('getCreateCatalog', () => ({ body: catalogExample }));
  await open(`${path}/backups/${backupExample.id}/restore`);
  await page.getByRole('heading', { name: `Restore ${backupExample.name}` }).waitFor();
  await page.getByRole('textbox', { name: 'Name' }).fill('payments-again');
  await page.getByText('$12.50').waitFor();
  await manualPicture(tab, 'restore', { height: 860 });
  expect(tab.takeTroubles()).toEqual([]);
});
