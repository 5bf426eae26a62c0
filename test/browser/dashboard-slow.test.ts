// A service that answers slowly, or is away now and then, against fixed answers: each page says so, and nothing that was typed is lost.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type { OperationId } from '../../api/contract/routes.ts';
import { apiKeyExample } from '../../api/contract/schemas/api-key.ts';
import { databaseExample } from '../../api/contract/schemas/database.ts';
import { jobExample } from '../../api/contract/schemas/job.ts';
import { sessionExample } from '../../api/contract/schemas/session.ts';
import { rightsOf } from '../../api/model/access.ts';
import { openTab, startChromium, type Tab } from '../support/browser/chromium.ts';
import { FixedService } from '../support/browser/fixed-service.ts';
import { eventually } from '../support/shell.ts';

const base = `/o/acme/databases/${databaseExample.name}`;
const keys = '/o/acme/settings/keys';
const last = { limit: 50, nextCursor: null, hasMore: false };
const organization = {
  ...sessionExample.organization,
  slug: 'acme',
  role: 'owner',
  rights: rightsOf('owner'),
  namespace: 'org-acme',
} as const;
const session = { ...sessionExample, organization, organizations: [organization] };
/** Another try is of no use, so the page makes none by itself. */
const away = {
  status: 503,
  body: {
    type: 'about:blank',
    title: 'Away',
    status: 503,
    detail: 'The service is away.',
    instance: '/',
    code: 'unavailable',
    requestId: 'req_1',
    retryable: false,
  },
} as const;

let service: FixedService;
let browser: Browser;
let tab: Tab;
const changed = new Set<OperationId>();

beforeAll(async () => {
  [service, browser] = await Promise.all([FixedService.start(), startChromium()]);
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});
beforeEach(async () => {
  service.when('getSession', () => ({ body: session }));
  tab = await openTab(browser, { origins: [service.url], width: 1_280 });
});
afterEach(async () => {
  for (const id of changed) service.forget(id);
  changed.clear();
  await tab.context.close();
});

function when(id: OperationId, answer: Parameters<FixedService['when']>[1]): void {
  changed.add(id);
  service.when(id, answer);
}

/** The service answers these when the test says so. */
function slow(...ids: readonly OperationId[]): () => void {
  const asked = Promise.withResolvers<void>();
  for (const id of ids) {
    const example = service.exampleOf(id);
    when(id, async () => {
      await asked.promise;
      return id === 'getSession' ? { body: session } : example;
    });
  }
  return asked.resolve;
}

const open = (path: string) => tab.page.goto(`${service.url}${path}`);
const told = () => tab.page.getByText('A part of the page is loading.', { exact: true });
const signs = () => tab.page.getByRole('main').getByText('Loading', { exact: true });
const again = () => tab.page.getByRole('button', { name: 'Try again', exact: true });

test('while a slow service is asked for the session, the page says that it loads', async () => {
  const { page } = tab;
  const answer = slow('getSession');
  await open(keys);
  await page.getByText('The dashboard is loading.').waitFor();
  answer();
  await page.getByRole('row', { name: /^ci/ }).waitFor();
  expect(tab.takeTroubles()).toEqual([]);
});

test('the frame of the page stays while a slow service is asked for a database', async () => {
  const { page } = tab;
  const answer = slow('getDatabase');
  // On the way from another page, and by its address.
  await open('/o/acme/databases');
  await page.getByRole('link', { name: databaseExample.name, exact: true }).click();
  await page.waitForURL(`${service.url}${base}`);
  for (const isOpened of [false, true]) {
    if (isOpened) await page.reload();
    await page.getByRole('main').getByText('Loading', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'API keys' }).waitFor();
  }
  answer();
  await page.getByRole('heading', { name: 'Shape' }).waitFor();
  expect(tab.takeTroubles()).toEqual([]);
});

test.each([
  ['the session', 'getSession', keys],
  ['the database', 'getDatabase', base],
] as const)('a page that lacked %s is shown once the service is back', async (_what, id, path) => {
  const { page } = tab;
  when(id, () => away);
  await open(path);
  await page.getByRole('heading', { name: 'This page cannot be shown' }).waitFor();
  await again().click();
  await page.getByText('The service is away.').waitFor();
  const answer = slow(id);
  await again().click();
  // That it was pressed is seen although no answer comes.
  await page.getByText(/^(The dashboard is loading\.|Loading)$/).waitFor();
  answer();
  await page.getByRole('navigation', { name: 'Pages', exact: true }).waitFor();
  await page
    .getByRole('heading', { name: 'This page cannot be shown' })
    .waitFor({ state: 'detached' });
});

test('a list whose rows are there already, and that is read again, says so until the answer is there', async () => {
  const { page } = tab;
  await page.clock.install();
  await open(keys);
  const row = page.getByRole('row', { name: /^ci/ });
  await row.waitFor();
  when('listApiKeys', () => away);
  await eventually('it is read again by itself', async () => {
    await page.clock.runFor(30_000);
    return await again().isVisible();
  });
  const answer = slow('listApiKeys');
  await again().click();
  await page.locator('button[aria-busy]', { hasText: 'Try again' }).waitFor();
  expect(await row.isVisible()).toBe(true);
  answer();
  await again().waitFor({ state: 'detached' });
});

test('what is not known yet is not told as nothing', async () => {
  const { page } = tab;
  const answer = slow('listChanges', 'listBackups', 'queryAccounts');
  await open(`${base}/configuration`);
  const changes = page.getByRole('region', { name: 'Changes', exact: true });
  await changes.getByText('Loading', { exact: true }).waitFor();
  expect(await changes.getByText('None yet.').count()).toBe(0);
  await open(`${base}/explorer/trial-balance`);
  // Beside it, the change that waits is not known either.
  await signs().nth(1).waitFor();
  await open(`${base}#delete`);
  const last = page.getByRole('checkbox', { name: /^Make a last backup/ });
  await last.waitFor();
  await page.getByText('It is not known yet whether a backup can be made.').waitFor();
  expect(await last.isDisabled()).toBe(true);
  const answerNames = slow('listDatabases');
  await open(keys);
  await page.getByText('The names are being read.').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'A database, page or organization' }).fill('pay');
  await page.getByText('The databases are being searched.').waitFor();
  await page.keyboard.press('Escape');
  answer();
  answerNames();
  await page.getByText('The names are being read.').waitFor({ state: 'detached' });
  expect(tab.takeTroubles()).toEqual([]);
});

/** Answers that are slow together, the cards that show it, and the number of signs that stand in no card. */
const parts = [
  { path: base, ids: ['listDatabaseJobs', 'listChanges'], cards: ['Recent activity'], others: 1 },
  {
    path: `${base}/connect`,
    ids: ['createConnectionCheck'],
    cards: ['Connect a program', 'Connection'],
    others: 0,
  },
  {
    path: `${base}/backups`,
    ids: ['listBackups', 'getRecoveryWindow', 'listBackupSchedules'],
    cards: ['Any moment', 'By the clock'],
    others: 1,
  },
  {
    path: `${base}/backups/moment/restore`,
    ids: ['previewRestore', 'createDatabase'],
    cards: ['Restore to a moment', 'Summary'],
    others: 0,
  },
  { path: `${base}/explorer/transfers/1`, ids: ['queryTransfers'], cards: [], others: 1 },
  {
    path: `${base}/configuration`,
    ids: ['getDatabaseMaintenanceWindow', 'listParameters'],
    cards: ['Maintenance window'],
    others: 1,
  },
  { path: '/o/acme/databases', ids: ['getJob'], cards: [], others: 1 },
  { path: '/o/acme/settings/members', ids: ['listInvitations'], cards: ['Invitations'], others: 0 },
  {
    path: '/o/acme/settings/audit',
    ids: ['getOrganization', 'listAuditEvents'],
    cards: [],
    others: 2,
  },
] as const;

test.each(parts)(
  '$path: each part that waits for a slow answer shows it in its place',
  async (one) => {
    const { page } = tab;
    const data = [{ ...databaseExample, activeJobId: jobExample.id }];
    when('listDatabases', () => ({ body: { data, page: last } }));
    const answer = slow(...one.ids);
    await open(one.path);
    for (const name of one.cards) {
      const card = page.getByRole('region', { name, exact: true });
      await card.getByText('Loading', { exact: true }).waitFor();
    }
    const all = one.cards.length + one.others;
    await signs()
      .nth(all - 1)
      .waitFor();
    // Those of fast answers are in the page for a moment.
    await signs().nth(all).waitFor({ state: 'detached' });
    // However many parts there are, it is told once.
    await told().waitFor();
    answer();
    await signs().first().waitFor({ state: 'detached' });
    await told().waitFor({ state: 'detached' });
    expect(tab.takeTroubles()).toEqual([]);
  },
);

test('a fast answer brings no sign of loading, and a slow one moves nothing that is there', async () => {
  const { page } = tab;
  await page.addInitScript(`
    window.waits = [];
    const watch = (sign) => {
      const begin = performance.now();
      const look = () => {
        if (!sign.isConnected) return;
        if (sign.checkVisibility({ visibilityProperty: true })) waits.push(performance.now() - begin);
        else requestAnimationFrame(look);
      };
      look();
    };
    const seen = new Set();
    new MutationObserver(() => {
      for (const sign of document.querySelectorAll('main span[aria-busy=true]')) {
        if (!seen.has(sign)) watch(sign);
        seen.add(sign);
      }
    }).observe(document, { subtree: true, childList: true });
  `);
  const answer = slow('listChanges', 'listDatabases');
  await open(`${base}?id=${databaseExample.id}`);
  const shape = page.getByRole('heading', { name: 'Shape' });
  await shape.waitFor();
  // The head of the page is the first one that waits.
  await signs().first().waitFor();
  const place = async () => (await shape.boundingBox())?.y;
  const before = await place();
  answer();
  await page.getByText('change queued').waitFor();
  expect(await place()).toBe(before);
  const waits = await page.evaluate<readonly number[]>('waits');
  expect(waits.length).toBeGreaterThan(0);
  expect(Math.min(...waits)).toBeGreaterThan(200);
});

test('rows of the filter before do not pass for those that were asked for', async () => {
  const { page } = tab;
  await open(keys);
  const row = page.getByRole('row', { name: /^ci/ });
  await row.waitFor();
  const answer = slow('listApiKeys');
  const status = page.getByLabel('Status', { exact: true });
  await status.selectOption('Revoked');
  const outdated = page.locator('[aria-busy=true]').filter({ has: row });
  await told().waitFor();
  const bar = `getComputedStyle(document.querySelector('main [aria-busy=true]'), '::before')`;
  expect(await page.evaluate(`${bar}.visibility`)).toBe('visible');
  answer();
  await outdated.waitFor({ state: 'detached' });
  await told().waitFor({ state: 'detached' });
  // Nor does a list without rows: it is not known yet that there is none of the other filter.
  when('listApiKeys', () => ({ body: { data: [], page: last } }));
  await status.selectOption('Active');
  await page.getByRole('heading', { name: 'No key matches' }).waitFor();
  slow('listApiKeys');
  await status.selectOption('Expired');
  await signs().waitFor();
  expect(await page.getByRole('heading', { name: 'No key matches' }).count()).toBe(0);
  expect(tab.takeTroubles()).toEqual([]);
});

test('the pages of one database never show what belongs to another one', async () => {
  const { page } = tab;
  const other = { ...databaseExample, id: `${databaseExample.id.slice(0, -1)}1`, name: 'wallets' };
  let shown = databaseExample;
  when('getDatabase', () => ({ body: { database: shown, profile: null } }));
  when('listDatabases', ({ query }) => {
    const { name } = query as { readonly name?: string };
    const all = [databaseExample, other];
    const data = all.filter((one) => name === undefined || one.name === name);
    return { body: { data, page: last } };
  });
  await open(`${base}/monitoring`);
  const row = page.getByRole('cell', { name: 'create_transfers' }).first();
  await row.waitFor();
  shown = other;
  slow('listLedgerRequests', 'queryMetrics');
  await page.keyboard.press('Control+k');
  const search = page.getByRole('combobox', { name: 'A database, page or organization' });
  await search.fill('wallets monitoring');
  await page
    .getByRole('option', { name: /wallets/ })
    .first()
    .waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'wallets' }).waitFor();
  await signs().first().waitFor();
  expect(await row.count()).toBe(0);
});

test('names of databases that could not be read are read again where one is chosen', async () => {
  const { page } = tab;
  when('listDatabases', () => away);
  await open(keys);
  await page.getByText('The names could not be read.').waitFor();
  service.forget('listDatabases');
  await page.getByRole('button', { name: 'Read them again' }).click();
  await page.getByLabel('Database', { exact: true }).selectOption(databaseExample.name);
});

test('a next page that fails says so at the end of the list, and can be asked for again', async () => {
  const { page } = tab;
  const next = { limit: 50, nextCursor: 'more', hasMore: true };
  const list = (name: string, more: typeof next | typeof last) => ({
    body: { data: [{ ...apiKeyExample, id: `key_${name}`, name }], page: more },
  });
  let isAway = true;
  when('listApiKeys', ({ query }) => {
    if ((query as { readonly cursor?: string }).cursor === undefined) return list('first', next);
    return isAway ? away : list('second', last);
  });
  await open(keys);
  const more = page.getByRole('button', { name: 'Show more keys' });
  await more.click();
  await page.getByText('The service is away.').waitFor();
  expect(await page.getByRole('alert').count()).toBe(1);
  const [alert, row] = await Promise.all([
    page.getByRole('alert').boundingBox(),
    page.getByRole('row', { name: /^first/ }).boundingBox(),
  ]);
  expect(alert?.y).toBeGreaterThan(row?.y ?? Infinity);
  isAway = false;
  await more.click();
  await page.getByRole('row', { name: /^second/ }).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
});

test('a read that fails in the background takes no form away', async () => {
  const { page } = tab;
  await page.clock.install();
  await open(`${base}/backups/moment/restore`);
  const name = page.getByRole('textbox', { name: 'Name' });
  await name.fill('payments-again');
  let asked = 0;
  when('getRecoveryWindow', () => {
    asked += 1;
    return away;
  });
  await eventually('the window is read again', async () => {
    await page.clock.runFor(20_000);
    return asked > 0 || undefined;
  });
  await tab.hasNoted(503);
  expect(await name.inputValue()).toBe('payments-again');
});
