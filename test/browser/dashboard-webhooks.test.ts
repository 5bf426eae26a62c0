// The pages of webhooks, on the real API and worker: an endpoint is made, tested, fails, and gets its deliveries again.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { bootstrapToken, PeopleService } from '../support/api/people-service.ts';
import { TestReceiver } from '../support/api/receiver.ts';
import { builtDashboard } from '../support/browser/built-dashboard.ts';
import { openTab, startChromium, type Tab } from '../support/browser/chromium.ts';
import { looksRight } from '../support/browser/looks-right.ts';
import { eventually } from '../support/shell.ts';

const base = '/o/default/settings/webhooks';
let service: PeopleService;
let browser: Browser;
let receiver: TestReceiver;
let tab: Tab;
let secret = '';

beforeAll(async () => {
  [service, browser, receiver] = await Promise.all([
    PeopleService.start({ DASHBOARD_FOLDER: builtDashboard(), WEBHOOK_RANGES: '127.0.0.0/8' }),
    startChromium(),
    TestReceiver.start(),
  ]);
  tab = await openTab(browser, { origins: [service.url], width: 1280 });
  await tab.page.goto(`${service.url}/auth/administrator`);
  await tab.page.getByLabel('Bootstrap token').fill(bootstrapToken);
  await tab.page.getByRole('button', { name: 'Sign in' }).click();
  await tab.page.getByRole('heading', { level: 1, name: 'Databases' }).waitFor();
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await receiver?.stop();
});

test('an endpoint is made, and its secret is shown', async () => {
  const { page } = tab;
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
  await page.getByText('No endpoint yet').waitFor();
  await page.getByRole('button', { name: 'New endpoint' }).click();
  await page.getByLabel('URL').fill('https://10.0.0.1/');
  await page.getByRole('button', { name: 'Make endpoint' }).click();
  await page.getByText('leads to an address that is not public').waitFor();
  await tab.hasNoted(422);
  await page.getByLabel('URL').fill(receiver.url);
  await page.getByLabel('Note').fill('Pages the people on call');
  await page.getByLabel('Events').fill('api_key.*, database.*');
  await looksRight(tab, 'webhook-new');
  await page.getByRole('button', { name: 'Make endpoint' }).click();
  secret = (await page.getByText(/^whsec_\S{44}$/).textContent()) ?? '';
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).first().click();
  await page.getByRole('row', { name: /Pages the people on call/ }).waitFor();
  await looksRight(tab, 'webhooks');
});

test('an endpoint is changed, and what another tab changed meanwhile is not overwritten', async () => {
  const { page } = tab;
  const other = await tab.context.newPage();
  await other.goto(`${service.url}${base}`);
  const begin = async (of: typeof page) => {
    // Chromium lets a tab behind another one wait for seconds.
    await of.bringToFront();
    await of.getByRole('button', { name: `Change: ${receiver.url}` }).click();
    await of.getByLabel('Note').waitFor();
  };
  await begin(page);
  await begin(other);
  await other.getByLabel('Note').fill('Pages the people on call, and the board');
  await other.getByRole('button', { name: 'Change endpoint' }).click();
  await other.getByRole('row', { name: /and the board/ }).waitFor();
  await other.close();
  await page.getByLabel('Events').fill('database.*');
  await page.getByRole('button', { name: 'Change endpoint' }).click();
  await page.getByText('Somebody changed it meanwhile.').waitFor();
  await page.getByRole('dialog').getByText('and the board').waitFor();
  await page.getByRole('dialog').getByText('all databases').waitFor();
  expect(tab.takeTroubles().filter((one) => !one.includes('status of 412'))).toEqual([]);
  await looksRight(tab, 'webhook-change');
  await page.getByRole('button', { name: 'Leave it' }).click();
  await page.getByRole('row', { name: /and the board.*api_key\.\*/ }).waitFor();
});

test('a test event arrives, and its delivery is on the page with request and answer', async () => {
  const { page } = tab;
  await page.getByRole('button', { name: `Test: ${receiver.url}` }).click();
  await page.getByRole('heading', { level: 1, name: 'Webhook deliveries' }).waitFor();
  await page.getByRole('row', { name: /webhook\.test.*succeeded/ }).waitFor();
  receiver.verify(secret);
  await page.getByRole('button', { name: 'Details of webhook.test' }).click();
  await page.getByRole('heading', { name: 'Attempt 1' }).waitFor();
  await page.getByText('"type":"webhook.test"').waitFor();
  await looksRight(tab, 'webhook-delivery');
  await page.getByRole('button', { name: 'Send again' }).click();
  await page.getByRole('heading', { name: 'Attempt 2' }).waitFor();
  expect(receiver.received.map(({ body }) => body.id)).toEqual([
    receiver.received[0]?.body.id,
    receiver.received[0]?.body.id,
  ]);
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
});

test('an endpoint that is gone says so, and what it missed is counted and sent again', async () => {
  const { page } = tab;
  receiver.answer(410);
  await page.goto(`${service.url}/o/default/settings/keys`);
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('reports');
  await page.getByRole('button', { name: 'Make key' }).click();
  await page.getByRole('button', { name: 'I have kept it' }).click();
  await page.goto(`${service.url}${base}`);
  await page.getByText('The receiver answered 410: it is gone.').waitFor();
  await looksRight(tab, 'webhooks-disabled');
  receiver.beFine();
  await page.getByRole('button', { name: `Enable: ${receiver.url}` }).click();
  await page.getByRole('button', { name: `Disable: ${receiver.url}` }).waitFor();
  await page.getByRole('link', { name: /delivered/ }).click();
  await page.getByRole('row', { name: /api_key\.created.*failed/ }).waitFor();
  // By its last answer, its time and its ID, which the address keeps.
  const rows = page.getByRole('region', { name: 'Deliveries' }).getByRole('row');
  await page.getByLabel('Last answer').selectOption('4xx');
  await page.getByRole('textbox', { name: 'From' }).fill('-1h');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await rows.nth(2).waitFor({ state: 'detached' });
  await page.getByLabel('ID of a delivery or event').fill('dlv_short');
  await page.getByText('An ID is dlv_ or evt_').waitFor();
  await page.getByRole('button', { name: 'Details of api_key.created' }).click();
  const id = await page
    .getByRole('dialog')
    .getByText(/^dlv_\w{26}$/)
    .innerText();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await page.getByLabel('ID of a delivery or event').fill(id);
  await page.waitForURL((url) => url.searchParams.get('id') === id);
  await page.reload();
  await rows.nth(1).waitFor();
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toMatchObject({
    answer: '4xx',
    from: '-1h',
    id,
  });
  await looksRight(tab, 'webhook-deliveries-filtered');
  await page.getByLabel('Last answer').selectOption('2xx');
  await page.getByText('Nothing was sent, or the filters leave nothing.').waitFor();
  await page.getByLabel('Last answer').selectOption('410');
  await rows.nth(1).waitFor();
  await page.getByLabel('Status').selectOption('FAILED');
  await page.waitForURL(/status=FAILED/);
  await page.getByRole('button', { name: 'Send many again' }).click();
  await page.getByText('1 would be made again').waitFor();
  await looksRight(tab, 'webhook-replay');
  await page.getByRole('button', { name: 'Send 1 again' }).click();
  await eventually('it has come', async () =>
    receiver.received.at(-1)?.body.type === 'api_key.created' ? true : undefined,
  );
  await page.getByLabel('Last answer').selectOption('2xx');
  await page.getByLabel('Status').selectOption('SUCCEEDED');
  await page.getByRole('row', { name: /api_key\.created.*succeeded/ }).waitFor();
  expect(tab.takeTroubles()).toEqual([]);
});
