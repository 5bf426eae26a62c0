// The dashboard in the hands of hurried people, against fixed answers: sessions that end, rights that go, long files.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { apiKeyExample } from '../../api/contract/schemas/api-key.ts';
import { databaseExample } from '../../api/contract/schemas/database.ts';
import { logLineExample } from '../../api/contract/schemas/log-line.ts';
import { sessionExample } from '../../api/contract/schemas/session.ts';
import { rightsOf } from '../../api/model/access.ts';
import { buildDashboard } from '../../tools/dashboard/build.ts';
import { openTab, startChromium, type Tab } from '../support/browser/chromium.ts';
import { FixedService } from '../support/browser/fixed-service.ts';

const minuteMs = 60_000;
const organizationPath = '/o/acme';
const base = `${organizationPath}/databases/${databaseExample.name}`;

let folder = '';
let service: FixedService;
let browser: Browser;
let tab: Tab;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-dashboard-'));
  buildDashboard(folder);
  [service, browser] = await Promise.all([FixedService.start(folder), startChromium()]);
  const organization = {
    ...sessionExample.organization,
    slug: 'acme',
    role: 'owner',
    rights: rightsOf('owner'),
    namespace: 'org-acme',
  };
  const session = { ...sessionExample, organization, organizations: [organization] };
  service.when('getSession', () => ({ body: session }));
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  tab = await openTab(browser, { origins: [service.url], width: 1280 });
});
afterEach(() => tab.context.close());

const problem = (status: number, code: string) => ({
  type: 'about:blank',
  title: code,
  status,
  detail: `It says ${code}.`,
  instance: '/',
  code,
  requestId: 'req_1',
  retryable: status === 429,
});
const madeKey = { success: true, apiKey: apiKeyExample, secret: `lhk_${'0'.repeat(51)}` };

/** Fills the form for a new key. Returns its button. */
async function fillKey() {
  const { page } = tab;
  await page.goto(`${service.url}${organizationPath}/settings/keys`);
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('reports');
  return page.getByRole('button', { name: 'Make key' });
}

test('a session that ends in the middle of a form leaves what was typed, to be sent after signing in', async () => {
  const { page } = tab;
  service.when('createApiKey', () => ({ status: 401, body: problem(401, 'session_expired') }));
  const make = await fillKey();
  await make.click();
  const again = page.getByRole('dialog', { name: 'Your session has ended' });
  await again.getByRole('link', { name: 'Sign in' }).waitFor();
  await tab.picture('dashboard-session-ended');
  service.when('createApiKey', () => ({ status: 201, body: madeKey }));
  // The person comes back from the other tab.
  await page.evaluate('dispatchEvent(new Event("focus"))');
  await again.waitFor({ state: 'detached' });
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('reports');
  await make.click();
  await page.getByText(madeKey.secret).waitFor();
});

test('a right that was taken away meanwhile is told with the role that has it', async () => {
  const { page } = tab;
  const requiredRoles = ['owner', 'admin'];
  const body = { ...problem(403, 'insufficient_role'), requiredRoles };
  service.when('createApiKey', () => ({ status: 403, body }));
  const make = await fillKey();
  await make.click();
  await page.getByText('It takes the role owner or admin.').waitFor();
});

/** A log of `pagesThere` pages of two lines. Returns how many pages were asked for; `refuse` tells when the rate is exceeded. */
function logOf(pagesThere: number, refuse: (asked: number) => number | undefined) {
  const asked = { pages: 0 };
  service.when('listLogLines', ({ query }) => {
    const { order, cursor = '0' } = query as { readonly order?: string; readonly cursor?: string };
    const at = Number(cursor);
    const data = [1, 2].map((one) => ({ ...logLineExample, id: String(2 * at + one) }));
    const isLast = order !== 'asc' || at + 1 === pagesThere;
    const nextCursor = isLast ? null : String(at + 1);
    const page = { limit: 500, nextCursor, hasMore: !isLast, after: '9999' };
    if (order !== 'asc') return { body: { data, page } };
    asked.pages += 1;
    const wait = refuse(asked.pages);
    if (wait === undefined) return { body: { data, page } };
    const headers = { 'retry-after': String(wait) };
    return { status: 429, headers, body: problem(429, 'rate_limited') };
  });
  return asked;
}

const openLogs = async () => {
  await tab.page.goto(`${service.url}${base}/logs`);
  await tab.page.getByRole('list', { name: 'Lines' }).getByRole('listitem').first().waitFor();
};

test('lines that are saved wait out the rate, and a refusal for longer leaves what was read', async () => {
  const { page } = tab;
  const save = async () => {
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save lines' }).click();
    return readFileSync(await (await saved).path(), 'utf8')
      .trim()
      .split('\n');
  };
  logOf(4, (asked) => (asked === 3 ? 1 : undefined));
  await openLogs();
  expect(await save()).toHaveLength(8);
  logOf(4, (asked) => (asked === 3 ? 3_000 : undefined));
  expect(await save()).toHaveLength(4);
  await page.getByText('The file has the first 4 lines; there are later ones.').waitFor();
  await page.getByText('Try again in 3000 s.').waitFor();
  // What is said of one choice is not said of the next one.
  await page.getByRole('combobox', { name: 'Severity' }).selectOption('error and above');
  await page.getByText('The file has the first 4 lines').waitFor({ state: 'detached' });
});

test('lines are read no further when the person stops, or leaves the page', async () => {
  const { page } = tab;
  const asked = logOf(1_000, (count) => (count === 2 ? 60 : undefined));
  await page.clock.install();
  await openLogs();
  const begin = async () => {
    asked.pages = 0;
    await page.getByRole('button', { name: 'Save lines' }).click();
    await page.getByText('2 lines read').waitFor();
  };
  await begin();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByText('2 lines read').waitFor({ state: 'detached' });
  expect(await page.getByRole('alert').count()).toBe(0);
  await begin();
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('heading', { name: 'Shape' }).waitFor();
  await page.clock.runFor(2 * minuteMs);
  expect(asked.pages).toBe(2);
});
