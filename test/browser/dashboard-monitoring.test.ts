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
import { eventually } from '../support/shell.ts';

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
    .getByText(/^10\sGiB of 20\sGiB\. Full in \d+ days, at \S+\s[GM]iB more a day\.$/)
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
  // A mouse that rests where charts are scrolled to does not take the cursor.
  await page.mouse.move(640, 400);
  await page.mouse.move(641, 401);
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

/** The part of the time in the address, in minutes before the end of the written hour; `undefined`: none. */
function partInAddress(): readonly [from: number, to: number] | undefined {
  const { searchParams } = new URL(tab.page.url());
  const [from, to] = [searchParams.get('from'), searchParams.get('to')];
  if (from === null || to === null) return undefined;
  const minutes = (text: string) => (end.getTime() - Date.parse(text)) / minuteMs;
  return [minutes(from), minutes(to)];
}

const plot = (title: string) =>
  tab.page.getByRole('slider', { name: `Time on the chart ${title}`, exact: true });

/** Where a part of the width of a chart is on the screen. */
async function pointOf(title: string, part: number) {
  // What comes above the charts moves them.
  await tab.page.getByRole('region', { name: 'Now' }).waitFor();
  await plot(title).scrollIntoViewIfNeeded();
  const box = await plot(title).boundingBox();
  if (box === null) throw new Error(`${title} is not shown`);
  return { x: box.x + box.width * part, y: box.y + box.height / 2 };
}

test('a part of the time that the mouse marks is shown alone, by all charts, and the way back leads to the hour', async () => {
  const { page } = tab;
  await page.goto(addressOf(name));
  await chart('Requests').getByText('create_transfers').waitFor();
  const [from, to] = [await pointOf('Requests', 0.25), await pointOf('Requests', 0.5)];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 4 });
  await page.mouse.up();
  const back = page.getByRole('button', { name: 'Back to 1 hour' });
  await back.waitFor();
  await page.getByRole('button', { name: '1 hour', exact: true, pressed: false }).waitFor();
  const part = partInAddress() ?? [0, 0];
  expect(part[0] - part[1]).toBeGreaterThan(14);
  expect(part[0] - part[1]).toBeLessThan(17);
  // 60 steps of 15 seconds where the hour has 240: each chart has the same ones.
  await plot('Requests').and(page.locator('[aria-valuemax="60"], [aria-valuemax="61"]')).waitFor();
  const steps = await eventually('all charts show the part', async () => {
    const sliders = await page.getByRole('slider').all();
    const found = await Promise.all(sliders.map((one) => one.getAttribute('aria-valuemax')));
    expect(new Set(found).size).toBe(1);
    return found;
  });
  await looksRight(tab, 'monitoring-part');
  // A link shows the same, and a smaller part of the part is marked with the keyboard alone.
  await page.reload();
  await back.waitFor();
  await chart('Requests').getByText('create_transfers').waitFor();
  await plot('Storage').focus();
  await page.keyboard.press('Home');
  for (let step = 0; step < 20; step += 1) await page.keyboard.press('Shift+ArrowRight');
  expect(await plot('Storage').getAttribute('aria-valuetext')).toMatch(
    /; marked from \d{4}-\d\d-\d\d \S+ to \d{4}-\d\d-\d\d \S+$/,
  );
  await looksRight(tab, 'monitoring-marked');
  await plot('Storage').focus();
  await page.keyboard.press('Enter');
  await plot('Storage').and(page.locator('[aria-valuemax="20"]')).waitFor();
  expect(partInAddress()).toEqual([part[0], part[0] - 5.25]);
  await page.goBack();
  await plot('Storage')
    .and(page.locator(`[aria-valuemax="${steps[0]}"]`))
    .waitFor();
  expect(partInAddress()).toEqual(part);
  await back.click();
  await plot('Storage').and(page.locator('[aria-valuemax="240"], [aria-valuemax="239"]')).waitFor();
  expect(partInAddress()).toBeUndefined();
});

test('a finger reads values as it moves, and what it marked is shown alone when the person says so', async () => {
  const { page } = tab;
  await page.goto(addressOf(name));
  await chart('Requests').getByText('create_transfers').waitFor();
  const [from, to] = [await pointOf('Requests', 0.3), await pointOf('Requests', 0.6)];
  const touch = await page.context().newCDPSession(page);
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', points: readonly (typeof from)[]) =>
    touch.send('Input.dispatchTouchEvent', { type, touchPoints: [...points] });
  await send('touchStart', [from]);
  await send('touchMove', [{ x: (from.x + to.x) / 2, y: from.y }]);
  await send('touchMove', [to]);
  await send('touchEnd', []);
  await page.getByRole('group', { name: 'The marked part' }).waitFor();
  expect(partInAddress()).toBeUndefined();
  await page.getByRole('button', { name: 'Let go' }).click();
  await page.getByRole('group', { name: 'The marked part' }).waitFor({ state: 'detached' });
  await send('touchStart', [from]);
  await send('touchMove', [to]);
  await send('touchEnd', []);
  await looksRight(tab, 'monitoring-touched');
  await page.getByRole('button', { name: 'Show only this' }).click();
  await page.getByRole('button', { name: 'Back to 1 hour' }).waitFor();
  const [begin, last] = partInAddress() ?? [0, 0];
  expect(begin - last).toBeGreaterThan(17);
  expect(begin - last).toBeLessThan(20);
  await touch.detach();
});

test.each([
  ['6 hours', 'A point for every 2 minutes.'],
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
    /create_transfers\s+slow\s+8,189\s+731\sms\s+12\.4\sms/,
  );
  expect(new URL(page.url()).searchParams.get('outcome')).toBe('slow');
  await page.getByRole('combobox', { name: 'Show' }).selectOption('failed');
  await page.getByText('stands for 4 like it').first().waitFor();
  await looksRight(tab, 'monitoring-requests');
  // Those of a part of the time: from 20 seconds before the end on, 15 of the failed ones.
  const part = [20_000, -100_000].map((ms) => new Date(end.getTime() - ms).toISOString());
  await page.goto(`${addressOf(name)}?outcome=failed&from=${part[0]}&to=${part[1]}`);
  await page.getByText('Those of the marked part of the time are shown.').waitFor();
  await rows.nth(16).waitFor();
  expect(await rows.count()).toBe(17);
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
