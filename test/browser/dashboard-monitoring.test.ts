// The page of a database's figures, on the real API and worker: samples stand in PostgreSQL as collectors write them.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { sampleMs } from '../../api/store/metric-samples.ts';
import { writeMarks } from '../../api/store/metric-marks.ts';
import { ensureDefaultOrganization, type Organization } from '../../api/store/organizations.ts';
import { writeRequests } from '../../api/store/remarkable-requests.ts';
import { Store } from '../../api/store/store.ts';
import { newTypeId } from '../../domain/type-id.ts';
import { bootstrapToken, PeopleService } from '../support/api/people-service.ts';
import { makeDatabase, patient, silent, tester } from '../support/api/store.ts';
import { builtDashboard } from '../support/browser/built-dashboard.ts';
import { openTab, startChromium, type Tab } from '../support/browser/chromium.ts';
import { story, writeGrowth, writeHour } from '../support/browser/example-figures.ts';
import { looksRight } from '../support/browser/looks-right.ts';

// As long as names may be.
const name = 'settlement-of-card-payments-europe-west1';
const minuteMs = 60_000;

let service: PeopleService;
let browser: Browser;
let store: Store;
let organization: Organization;
let databaseId = '';
let end: Date;
let tab: Tab;

beforeAll(async () => {
  [service, browser] = await Promise.all([
    PeopleService.start({ DASHBOARD_FOLDER: builtDashboard() }),
    startChromium(),
  ]);
  store = new Store({ logger: silent, ...patient, url: service.databaseUrl });
  await store.start();
  organization = await store.change(tester, ensureDefaultOrganization);
  ({ id: databaseId } = await makeDatabase(store, organization, name));
  await makeDatabase(store, organization, 'idle');
  tab = await openTab(browser, { origins: [service.url], width: 1280 });
  await tab.page.goto(`${service.url}/auth/administrator`);
  await tab.page.getByLabel('Bootstrap token').fill(bootstrapToken);
  await tab.page.getByRole('button', { name: 'Sign in' }).click();
  await tab.page.getByRole('heading', { level: 1, name: 'Databases' }).waitFor();
});
afterAll(async () => {
  await browser?.close();
  await store?.close();
  await service?.stop();
});

const chart = (title: string) => tab.page.getByRole('figure', { name: title, exact: true });
const addressOf = (database: string) => `${service.url}/o/default/databases/${database}/monitoring`;

test('a database without figures says so, and what its page is for', async () => {
  const { page } = tab;
  await page.goto(addressOf('idle'));
  await page.getByRole('heading', { name: 'No figures yet' }).waitFor();
  await page.getByRole('heading', { name: 'No such request' }).waitFor();
  await page.getByText('Nothing was heard for a minute.').waitFor();
  expect(await page.getByRole('figure').count()).toBe(0);
  await looksRight(tab, 'monitoring-empty');
});

test('an hour with a dead leader is told alike by tiles, charts, marks and tables', async () => {
  const { page } = tab;
  end = new Date(Math.floor(Date.now() / sampleMs) * sampleMs);
  const ago = (minutes: number) => new Date(end.getTime() - minutes * minuteMs);
  await writeHour(store, databaseId, end);
  await writeGrowth(store, databaseId);
  await writeMarks(store.read, [
    {
      databaseId,
      at: ago(story.leaderDies),
      kind: 'FAILOVER',
      replica: 2,
      detail: 'Replica 2 leads; before, replica 0 did.',
    },
    {
      databaseId,
      at: ago(story.leaderIsBack),
      kind: 'RESTART',
      replica: 0,
      detail: 'Replica 0 was started again.',
    },
  ]);
  await page.getByRole('link', { name: 'Databases', exact: true }).first().click();
  await page.getByRole('link', { name }).click();
  await page.getByRole('link', { name: 'Monitoring' }).click();
  const now = page.getByRole('region', { name: 'Now' });
  await now.getByText('3 of 3 answer').waitFor();
  await now.getByText('Replica 2 leads').waitFor();
  await now
    .getByText(/^10 GiB of 20 GiB\. Full in \d+ days, at \S+ [GM]iB more a day\.$/)
    .waitFor();
  await chart('Requests').getByText('create_transfers').waitFor();
  // Of the operations that were never used there is no line.
  expect(await chart('Requests').getByRole('listitem').count()).toBe(4);
  await chart('Storage').getByText('allowed 20 GiB').waitFor();
  await page
    .getByRole('listitem')
    .filter({ hasText: /failover.*Replica 2 leads/ })
    .waitFor();
  await looksRight(tab, 'monitoring');
});

test('a gap breaks every line, and is a dash in the table of the chart', async () => {
  const { page } = tab;
  const requests = chart('Requests');
  const paths = await requests.locator('[role=slider] path').all();
  expect(paths).toHaveLength(4);
  for (const path of paths) {
    expect((await path.getAttribute('d'))?.match(/M/g)).toHaveLength(2);
  }
  await requests.getByText('As a table').click();
  const table = page.getByRole('region', { name: 'Requests as a table' });
  await table.getByRole('row').nth(240).waitFor();
  // Five minutes, of which every 15 seconds would have been a row with figures.
  expect(await table.getByRole('row', { name: /– – – –$/ }).count()).toBe(20);
  await looksRight(tab, 'monitoring-table');
  await requests.getByText('As a table').click();
});

test('with the keyboard alone, the cursor goes over all charts and tells values and marks', async () => {
  const { page } = tab;
  await page
    .getByRole('button', { name: 'Show on the charts: Replica 0 was started again.' })
    .focus();
  await page.keyboard.press('Enter');
  await chart('Replicas').getByText('replica 0 up').waitFor();
  const slider = page.getByRole('slider', { name: 'Time on the chart Replicas' });
  await slider.focus();
  await page.keyboard.press('ArrowLeft');
  await chart('Replicas').getByText('replica 0 no answer').waitFor();
  await chart('Replicas').getByText('Replica 0 was started again.').waitFor();
  expect(await slider.getAttribute('aria-valuetext')).toMatch(
    /^\d{4}-\d\d-\d\d .* UTC\S*: replica 0 no answer, replica 1 up, replica 2 leads$/,
  );
  await looksRight(tab, 'monitoring-cursor');
  await slider.focus();
  await page.keyboard.press('Home');
  expect(await slider.getAttribute('aria-valuenow')).toBe('0');
  await page.keyboard.press('Escape');
  await chart('Replicas').getByText('replica 0 up').waitFor();
});

test.each([
  ['24 hours', 'A point for every 5 minutes.'],
  ['7 days', 'A point for every 1 hour.'],
  ['30 days', 'A point for every 3 hours.'],
])(
  'the span of %s has the steps that the service chose, and stands in the address',
  async (title, words) => {
    const { page } = tab;
    await page.getByRole('button', { name: title }).click();
    await page.getByText(words).waitFor();
    await chart('Requests').getByText('create_transfers').waitFor();
    expect(new URL(page.url()).searchParams.get('range')).not.toBeNull();
    await page.reload();
    await page.getByText(words).waitFor();
    await page.getByRole('listitem').filter({ hasText: 'failover' }).waitFor();
    await tab.picture(`dashboard-monitoring-${title.replace(' ', '-')}`);
    expect(tab.takeTroubles()).toEqual([]);
  },
);

test('the latency of another operation is chosen, and stands in the address', async () => {
  const { page } = tab;
  await page.goto(addressOf(name));
  await chart('Latency of create_transfers').getByText('p99').waitFor();
  await page.getByRole('combobox', { name: 'Latency of' }).selectOption('query_accounts');
  await chart('Latency of query_accounts').getByText('No figures in this span.').waitFor();
  expect(new URL(page.url()).searchParams.get('op')).toBe('query_accounts');
});

test('slow and failed requests are filtered, and read on page by page', async () => {
  const { page } = tab;
  const request = (index: number, more: object) => ({
    databaseId,
    at: new Date(end.getTime() - index * 1_000),
    operation: 'create_transfers',
    code: null as string | null,
    events: 8_189,
    durationMs: 731.4,
    ledgerMs: 12.4 as number | null,
    requestId: newTypeId('req'),
    credentialId: newTypeId('key'),
    standsFor: 1,
    ...more,
  });
  const failed = { code: 'ledger_timeout', ledgerMs: null, durationMs: 10_000.4, standsFor: 4 };
  await writeRequests(
    store.read,
    Array.from({ length: 30 }, (_, index) => request(index, index < 5 ? {} : failed)),
  );
  await page.goto(addressOf(name));
  const rows = page
    .getByRole('region', { name: 'Slow and failed requests' })
    .last()
    .getByRole('row');
  await page.getByText('20 requests, there are more').waitFor();
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByText('20 requests, there are more').waitFor({ state: 'detached' });
  expect(await rows.count()).toBe(31);
  await page.getByRole('combobox', { name: 'Show' }).selectOption('slow');
  await rows.nth(5).waitFor();
  await rows.nth(6).waitFor({ state: 'detached' });
  expect(await rows.nth(1).innerText()).toMatch(
    /create_transfers\s+slow\s+8,189\s+731 ms\s+12\.4 ms/,
  );
  expect(new URL(page.url()).searchParams.get('outcome')).toBe('slow');
  await page.getByRole('combobox', { name: 'Show' }).selectOption('failed');
  await page.getByText('stands for 4 like it').first().waitFor();
  await looksRight(tab, 'monitoring-requests');
});

test('a hidden tab asks for nothing, and asks at once when it is seen again', async () => {
  const { page } = tab;
  await page.clock.install();
  await page.goto(addressOf(name));
  await chart('Requests').getByText('create_transfers').waitFor();
  const asked = () => tab.requests.filter((url) => url.includes('/metrics/current')).length;
  const see = (state: 'hidden' | 'visible') =>
    page.evaluate(`
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' });
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    `);
  // Seen, it asks every 15 seconds.
  const atFirst = asked();
  const answered = page.waitForResponse(/\/metrics\/current/);
  await page.clock.runFor(16_000);
  await answered;
  expect(asked()).toBeGreaterThan(atFirst);
  await see('hidden');
  // What it began to read while it was seen, it reads to the end.
  await tab.idle();
  const before = tab.requests.length;
  await page.clock.runFor(30 * minuteMs);
  expect(tab.requests.slice(before)).toEqual([]);
  const again = page.waitForResponse(/\/metrics\/current/);
  await see('visible');
  await again;
  expect(tab.takeTroubles()).toEqual([]);
});
