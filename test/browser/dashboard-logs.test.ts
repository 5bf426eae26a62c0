// The page of a database's logs, on the real API and worker: lines stand in PostgreSQL as workers write them.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { keepLogDays } from '../../api/store/log-writes.ts';
import { ensureDefaultOrganization } from '../../api/store/organizations.ts';
import { Store } from '../../api/store/store.ts';
import { writeLines, type GivenLine } from '../support/api/log-lines.ts';
import { bootstrapToken, PeopleService } from '../support/api/people-service.ts';
import { makeDatabase, patient, silent, tester } from '../support/api/store.ts';
import { builtDashboard } from '../support/browser/built-dashboard.ts';
import { openTab, startChromium, type Tab } from '../support/browser/chromium.ts';
import { looksRight } from '../support/browser/looks-right.ts';
import { manualPicture } from '../support/browser/manual-picture.ts';

const name = 'payments';
const minuteMs = 60_000;

let service: PeopleService;
let browser: Browser;
let store: Store;
let databaseId = '';
let tab: Tab;

beforeAll(async () => {
  [service, browser] = await Promise.all([
    PeopleService.start({ DASHBOARD_FOLDER: builtDashboard() }),
    startChromium(),
  ]);
  store = new Store({ logger: silent, ...patient, url: service.databaseUrl });
  await store.start();
  await keepLogDays(store.read, new Date());
  const organization = await store.change(tester, ensureDefaultOrganization);
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

const addressOf = (database: string) => `${service.url}/o/default/databases/${database}/logs`;
const lines = () => tab.page.getByRole('list', { name: 'Lines' }).getByRole('listitem');
const ago = (minutes: number) => new Date(Date.now() - minutes * minuteMs);

/** A morning of three replicas: one is started again, another one takes the lead. */
const morning = (): readonly GivenLine[] => [
  {
    at: ago(600),
    message: 'data file loaded',
    attributes: { op: 4_211, replayed: 12, tookMs: 840 },
  },
  { at: ago(30), node: 2, message: 'listening', attributes: { host: '0.0.0.0', port: 3_001 } },
  { at: ago(20), message: 'role', attributes: { role: 'leader', view: 3, why: 'elected' } },
  {
    at: ago(12),
    level: 40,
    node: 1,
    message: 'connection closed because of an invalid message',
    attributes: { error: 'bad_checksum', remote: '10.0.3.17' },
  },
  {
    at: ago(11),
    level: 40,
    node: 1,
    component: 'etcd',
    message: 'apply request took too long',
    attributes: { took: '412ms' },
  },
  {
    at: ago(9),
    level: 50,
    node: 0,
    message: 'checkpoint failed',
    attributes: {
      error: {
        type: 'StorageFullError',
        message: 'the volume has 12 MiB left, and the checkpoint needs 410 MiB',
      },
    },
  },
  { at: ago(8), level: 60, node: 0, message: 'this replica has stopped serving' },
  {
    at: ago(5),
    node: null,
    component: 'backup',
    message: 'backup finished',
    attributes: { rows: 812_113, storedBytes: 41_223_110 },
  },
  {
    at: ago(2),
    level: 40,
    message: '1204 lines were left out: more than the 32 KiB a second that are kept of a database.',
    attributes: { leftOut: 1_204 },
  },
];

test('a database that has logged nothing says so', async () => {
  await tab.page.goto(addressOf('idle'));
  await tab.page.getByRole('heading', { name: 'No lines' }).waitFor();
  await tab.page.getByText('Nothing was logged in the last 24 hours.').waitFor();
  await looksRight(tab, 'logs-empty');
});

test('lines are shown with severity, place and fields, the newest first', async () => {
  const { page } = tab;
  await writeLines(store, databaseId, morning());
  await page.goto(addressOf(name).replace('/logs', ''));
  await page.getByRole('link', { name: 'Logs', exact: true }).click();
  await lines().nth(8).waitFor();
  expect(await lines().nth(2).innerText()).toMatch(
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}\s+fatal\s+engine, node 0\s+this replica has stopped serving/,
  );
  await manualPicture(tab, 'logs', { height: 620 });
  await looksRight(tab, 'logs');
});

test('a line opens to all its fields', async () => {
  const { page } = tab;
  await page.getByRole('button', { name: /^checkpoint failed/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('"type": "StorageFullError"').waitFor();
  await tab.picture('dashboard-logs-line');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
});

test('filters leave what they say, and stand in the address', async () => {
  const { page } = tab;
  await page.goto(addressOf(name));
  await lines().nth(8).waitFor();
  await page.getByRole('combobox', { name: 'Severity' }).selectOption('error and above');
  await lines().nth(2).waitFor({ state: 'detached' });
  expect(await lines().count()).toBe(2);
  await page.reload();
  await lines().nth(1).waitFor();
  expect(await lines().count()).toBe(2);
  await page.getByRole('combobox', { name: 'Severity' }).selectOption('all');
  await page.getByRole('combobox', { name: 'Component' }).selectOption('etcd');
  // The line was there before, among the others.
  await lines().nth(1).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^apply request/ }).waitFor();
  expect(await lines().count()).toBe(1);
  await page.getByRole('combobox', { name: 'Component' }).selectOption('all');
  const search = page.getByRole('searchbox', { name: 'Search' });
  await search.pressSequentially('LISTEN');
  await lines().nth(1).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^listening/ }).waitFor();
  // It is still being typed in.
  await search.pressSequentially('ing to nobody');
  await page.getByText('No line of this span matches the filters.').waitFor();
  expect(new URL(page.url()).searchParams.get('search')).toBe('LISTENing to nobody');
  await search.fill('');
  await page.getByRole('button', { name: '1 hour' }).click();
  await lines().nth(7).waitFor();
  await lines().nth(8).waitFor({ state: 'detached' });
  expect(await lines().count()).toBe(8);
  expect(tab.takeTroubles()).toEqual([]);
});

test('new lines appear by themselves, once, until the page is paused', async () => {
  const { page } = tab;
  await page.goto(addressOf(name));
  await lines().nth(8).waitFor();
  await writeLines(store, databaseId, [{ message: 'came later' }, { message: 'and later still' }]);
  await page.getByRole('button', { name: /^and later still/ }).waitFor();
  expect(await lines().count()).toBe(11);
  expect(await lines().nth(0).innerText()).toContain('and later still');
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('Paused: new lines are not shown.').waitFor();
  await writeLines(store, databaseId, [{ message: 'unseen' }]);
  const before = tab.requests.length;
  await page.waitForTimeout(5_000);
  expect(tab.requests.slice(before).filter((url) => url.includes('/logs'))).toEqual([]);
  await page.getByRole('button', { name: 'Follow' }).click();
  await page.getByRole('button', { name: /^unseen/ }).waitFor();
  expect(await lines().count()).toBe(12);
  expect(tab.takeTroubles()).toEqual([]);
});

test('a hidden tab asks for nothing', async () => {
  const { page } = tab;
  await page.clock.install();
  await page.goto(addressOf(name));
  await lines().nth(8).waitFor();
  const see = (state: 'hidden' | 'visible') =>
    page.evaluate(`
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' });
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    `);
  await see('hidden');
  // What it began to read while it was seen, it reads to the end.
  await tab.idle();
  const before = tab.requests.length;
  await page.clock.runFor(10 * minuteMs);
  expect(tab.requests.slice(before).filter((url) => url.includes('/logs'))).toEqual([]);
  const again = page.waitForResponse(/\/logs\?/);
  await see('visible');
  await again;
  await page.clock.resume();
});

test('earlier lines are read on page by page', async () => {
  const { page } = tab;
  const latestMs = Date.now() - 120 * minuteMs;
  const many = Array.from({ length: 250 }, (_, index) => ({
    at: new Date(latestMs - index),
    component: 'agent' as const,
    message: `many ${index}`,
  }));
  await writeLines(store, databaseId, many);
  await page.goto(`${addressOf(name)}?component=agent`);
  await page.getByText('100 lines, there are earlier ones').waitFor();
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByText('200 lines, there are earlier ones').waitFor();
  await page.getByRole('button', { name: 'Show more' }).click();
  await lines().nth(249).waitFor();
  expect(await lines().count()).toBe(250);
  expect(await lines().last().innerText()).toContain('many 249');
  expect(tab.takeTroubles()).toEqual([]);
});

test('lines between two times that are typed stand in the address, and new ones do not come to them', async () => {
  const { page } = tab;
  await page.goto(addressOf(name));
  await page.getByRole('button', { name: 'Between two times' }).click();
  const times = page.getByRole('form', { name: 'Times' });
  await times.getByLabel('From').fill('yesterday');
  await times.getByRole('button', { name: 'Show' }).click();
  await times.getByText('A time such as 2026-11-22 14:00').waitFor();
  await looksRight(tab, 'logs-times');
  await times.getByLabel('From').fill('-11h');
  await times.getByLabel('To').fill('-9h');
  await times.getByRole('button', { name: 'Show' }).click();
  await page.getByText('Lines up to the time “To”').waitFor();
  await page.getByRole('button', { name: /^data file loaded/ }).waitFor();
  await lines().nth(1).waitFor({ state: 'detached' });
  expect(new URL(page.url()).searchParams.get('from')).toBe('-11h');
  await page.reload();
  await page.getByRole('button', { name: /^data file loaded/ }).waitFor();
  expect(await times.getByLabel('To').inputValue()).toBe('-9h');
  expect(await lines().count()).toBe(1);
  await page.getByRole('button', { name: '24 hours' }).click();
  await lines().nth(8).waitFor();
  expect(new URL(page.url()).search).not.toContain('from');
  expect(tab.takeTroubles()).toEqual([]);
});

test('all lines that match are saved, the oldest first, also those that are not on the page', async () => {
  const { page } = tab;
  await page.goto(`${addressOf(name)}?component=agent`);
  await page.getByText('100 lines, there are earlier ones').waitFor();
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save lines' }).click();
  const file = await saved;
  expect(file.suggestedFilename()).toBe(`logs-${name}.jsonl`);
  const texts = readFileSync(await file.path(), 'utf8')
    .trim()
    .split('\n');
  const messages = texts.map((text) => (JSON.parse(text) as { message: string }).message);
  expect(messages).toEqual(Array.from({ length: 250 }, (_, index) => `many ${249 - index}`));
  expect(tab.takeTroubles()).toEqual([]);
});

test('when the service does not answer, the page says so and keeps its lines', async () => {
  const { page } = tab;
  await page.goto(addressOf(name));
  await lines().nth(8).waitFor();
  await page.route(/\/logs\?/, (route) => route.abort());
  await page.getByRole('button', { name: 'Try again' }).first().waitFor();
  expect(await lines().count()).toBeGreaterThan(8);
  await page.unroute(/\/logs\?/);
  // The page asks again by itself, too: what is offered may be gone by now.
  const again = page.getByRole('button', { name: 'Try again' });
  await again
    .first()
    .click({ timeout: 10_000 })
    .catch(() => undefined);
  await again.waitFor({ state: 'detached' });
});
