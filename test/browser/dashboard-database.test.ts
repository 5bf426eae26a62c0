// A database's life in the dashboard, on the real service: created, read, its rows exact, deleted; and the pages of its organization.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type { DatabaseList } from '../../gen/api.ts';
import { freePorts } from '../../tools/cluster/free-ports.ts';
import { buildDashboard } from '../../tools/dashboard/build.ts';
import { bootstrapToken, TestService } from '../support/api/service.ts';
import { axeFaults } from '../support/browser/axe.ts';
import { openTab, startChromium, type Tab } from '../support/browser/chromium.ts';
import { eventually } from '../support/shell.ts';

const most = (2n ** 128n - 2n).toString();
const grouped = '340,282,366,920,938,463,463,374,607,431,768,211,454';

let folder = '';
let service: TestService;
let browser: Browser;
let tab: Tab;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-dashboard-'));
  buildDashboard(folder);
  const [port] = await freePorts(1);
  service = await TestService.start({
    settings: {
      DASHBOARD_FOLDER: folder,
      LISTEN: `127.0.0.1:${port}`,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
    },
  });
  browser = await startChromium();
  tab = await openTab(browser, { origins: [service.url], width: 1280 });
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const path = '/o/default/databases';

async function looksRight(name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await tab.page.emulateMedia({ colorScheme });
    expect(await axeFaults(tab)).toEqual([]);
    await tab.picture(`dashboard-${name}-${colorScheme}`);
  }
  expect(tab.takeTroubles()).toEqual([]);
  await tab.page.setViewportSize({ width: 320, height: 700 });
  const wider = await tab.page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect([name, wider]).toEqual([name, 0]);
  await tab.page.setViewportSize({ width: 1280, height: 700 });
}

async function askLedger(operation: string, body: unknown): Promise<void> {
  const headers = await service.administrator();
  const list = await fetch(`${service.url}/api/v1/databases?name=payments`, { headers });
  const [database] = ((await list.json()) as DatabaseList).data;
  const answer = await fetch(`${service.url}/api/v1/databases/${database?.id}/tb/${operation}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
}

test('a database is made with its price in sight, and its page shows the job until it is ready', async () => {
  const { page } = tab;
  await page.goto(`${service.url}/auth/administrator`);
  await page.getByLabel('Bootstrap token').fill(bootstrapToken);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: 'New database' }).first().click();
  await page.getByText('a month').waitFor();
  await page.getByLabel('Name', { exact: true }).fill('Payments!');
  await page.getByText(/must have 3 to 40 characters/).waitFor();
  // The dry run refuses the name, which Chromium reports on the console.
  await eventually('the refusal is told', async () => {
    expect(tab.takeTroubles().join()).toContain('422');
    return true;
  });
  await page.getByLabel('Name', { exact: true }).fill('payments');
  await page.getByText(/must have 3 to 40 characters/).waitFor({ state: 'detached' });
  tab.takeTroubles();
  await looksRight('create');
  await page.getByRole('button', { name: 'Create database' }).click();
  await page.waitForURL(`${service.url}${path}/payments`);
  await page.getByRole('heading', { level: 1, name: 'payments' }).waitFor();
  await page
    .getByText(/^Ready|Healthy/)
    .first()
    .waitFor();
  await looksRight('overview');
});

test('the largest integers are exact in table, address, drawer, JSON and CSV', async () => {
  const { page } = tab;
  const headers = await service.administrator();
  const list = await fetch(`${service.url}/api/v1/databases?name=payments`, { headers });
  const [database] = ((await list.json()) as DatabaseList).data;
  if (database === undefined) throw new Error('payments is not there');
  await service.startEngine(database);
  await eventually('the ledger answers', async () => {
    await askLedger('create_accounts', [
      { id: most, ledger: 1, code: 1 },
      { id: '9007199254740993', ledger: 1, code: 1 },
    ]);
    return true;
  });
  await askLedger('create_transfers', [
    {
      id: '1',
      debit_account_id: most,
      credit_account_id: '9007199254740993',
      amount: most,
      ledger: 1,
      code: 1,
    },
  ]);
  await page.goto(`${service.url}${path}/payments/explorer`);
  await page.getByLabel('Operation').selectOption('lookup_accounts');
  await page.getByLabel('IDs').fill(`${most}\n9007199254740993`);
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByRole('cell', { name: `Dr ${grouped}` }).waitFor();
  await page.getByRole('cell', { name: `Cr ${grouped}` }).waitFor();
  expect(new URL(page.url()).searchParams.get('ids')).toBe(`${most}\n9007199254740993`);
  await looksRight('explorer');
  await page.getByRole('cell', { name: most, exact: true }).first().click();
  await page.getByRole('button', { name: 'Its transfers' }).click();
  await page.getByRole('cell', { name: grouped, exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get('account_id')).toBe(most);
  for (const view of ['JSON', 'CSV']) {
    await page.getByRole('tab', { name: view }).click();
    expect(await page.getByRole('tabpanel').innerText()).toContain(most);
  }
  // The same address asks the same again, as a link of a colleague does.
  await page.reload();
  await page.getByRole('tabpanel').getByText(most).first().waitFor();
  expect(tab.takeTroubles()).toEqual([]);
});

test('a database is deleted by typing its name; a protected one is not', async () => {
  const { page } = tab;
  await service.startOperator();
  await page.goto(`${service.url}${path}/payments`);
  await page.getByRole('button', { name: 'Protect it' }).click();
  await page.getByText('It is protected').first().waitFor();
  expect(
    await page.getByRole('button', { name: /^Delete database/ }).getAttribute('aria-disabled'),
  ).toBe('true');
  await page.getByRole('button', { name: 'Take the protection off', exact: true }).click();
  await page.getByText('It is not protected').waitFor();
  await page.getByRole('button', { name: 'Delete database' }).click();
  await page.getByLabel('Type payments to go on').fill('payments');
  await page.getByRole('button', { name: 'Delete it' }).click();
  await page.getByRole('heading', { name: 'Deleted', exact: true }).waitFor();
  // The operator may give the database another version between reading and changing it: the page then sends the change again.
  expect(tab.takeTroubles().filter((one) => !one.includes('412'))).toEqual([]);
  await looksRight('deleted');
  expect(tab.takeTroubles()).toEqual([]);
});

test.each([
  ['settings/keys', 'API keys'],
  ['settings/members', 'Members'],
  ['settings/audit', 'Audit log'],
  ['settings/billing', 'Billing'],
])('the page %s has no fault that axe finds, in light and dark', async (page, heading) => {
  await tab.page.goto(`${service.url}/o/default/${page}`);
  await tab.page.getByRole('heading', { level: 1, name: heading }).waitFor();
  await looksRight(page.replace('/', '-'));
});

test('a key’s secret is shown once, and the audit log’s chain is sound', async () => {
  const { page } = tab;
  await page.goto(`${service.url}/o/default/settings/keys`);
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('reports');
  await page.getByRole('button', { name: 'Make key' }).click();
  await page.getByText(/^lhk_\w{12}_\w{38}$/).waitFor();
  await page.getByRole('button', { name: 'I have kept it' }).click();
  await page.getByRole('row', { name: /reports/ }).waitFor();
  expect(await page.getByText(/^lhk_\w{12}_\w{38}$/).count()).toBe(0);
  await page.goto(`${service.url}/o/default/settings/audit`);
  await page.getByRole('button', { name: 'Check the chain' }).click();
  await page.getByText(/events, chain sound/).waitFor();
  expect(tab.takeTroubles()).toEqual([]);
});
