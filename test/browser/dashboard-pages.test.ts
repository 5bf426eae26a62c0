// Pages against fixed answers: many rows, lost answers, roles, changes. The figures of speed are printed: the machine is shared.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { changeExample, previewExample } from '../../api/contract/schemas/change.ts';
import { databaseExample } from '../../api/contract/schemas/database.ts';
import { envelopeExample, rowExamples } from '../../api/contract/schemas/ledger.ts';
import { sessionExample } from '../../api/contract/schemas/session.ts';
import { rightsOf, type Role } from '../../api/model/access.ts';
import { buildDashboard } from '../../tools/dashboard/build.ts';
import { axeFaults } from '../support/browser/axe.ts';
import { openTab, startChromium, type Tab } from '../support/browser/chromium.ts';
import { answerFromExample, rowsOf } from '../support/browser/example-ledger.ts';
import { FixedService } from '../support/browser/fixed-service.ts';

const most = 2n ** 128n - 1n;
const rowsMax = 8_189;
const base = `/o/acme/databases/${databaseExample.name}`;
let folder = '';
let service: FixedService;
let browser: Browser;
let tab: Tab;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-dashboard-'));
  buildDashboard(folder);
  [service, browser] = await Promise.all([FixedService.start(folder), startChromium()]);
  tab = await openTab(browser, { origins: [service.url], width: 1280 });
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => signedInAs('owner'));

function signedInAs(role: Role): void {
  const { id, name, slug } = { ...sessionExample.organization, name: 'Acme', slug: 'acme' };
  const organization = { id, name, slug, role, rights: rightsOf(role), namespace: 'org-acme' };
  const session = { ...sessionExample, organization, organizations: [organization] };
  service.when('getSession', () => ({ body: session }));
}

async function looksRight(name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await tab.page.emulateMedia({ colorScheme });
    expect(await axeFaults(tab)).toEqual([]);
    await tab.picture(`dashboard-${name}-${colorScheme}`);
  }
  await tab.page.setViewportSize({ width: 320, height: 700 });
  const wider = await tab.page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect([name, wider]).toEqual([name, 0]);
  await tab.picture(`dashboard-${name}-phone`);
  await tab.page.setViewportSize({ width: 1280, height: 700 });
  expect(tab.takeTroubles()).toEqual([]);
}

const transfers = Array.from({ length: rowsMax }, (_, index) => ({
  ...rowExamples.transfer,
  id: (most - BigInt(index)).toString(),
  amount: (most - BigInt(rowsMax) + BigInt(index)).toString(),
  timestamp: (1_745_328_372_758_695_656n + BigInt(index) * 1_000_000_007n).toString(),
}));

test('the example is shown with the label of its ledger', async () => {
  const { page } = tab;
  const labels = { example: 'shop-payments', 'ledger/978': '2 EUR Euro cents' };
  service.when('getDatabase', () => ({
    body: { database: { ...databaseExample, labels }, profile: null },
  }));
  answerFromExample(service);
  await page.goto(`${service.url}${base}/explorer/accounts/1001`);
  await page.getByText('34 transfers.').waitFor();
  await page.getByRole('row', { name: /^Closing balance Dr 24,557\.12 EUR/ }).waitFor();
  await looksRight('example-account');
  await page.goto(`${service.url}${base}/explorer/trial-balance`);
  await page.getByText('Debits equal credits').waitFor();
  await looksRight('example-trial-balance');
  service.when('getDatabase', () => ({ body: { database: databaseExample, profile: null } }));
});

test('8,189 rows with the largest amounts scroll to the last, each whole', async () => {
  const { page } = tab;
  service.when('queryTransfers', () => ({ body: rowsOf('query_transfers', transfers) }));
  await page.addInitScript(`
    window.longTasks = [];
    new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((one) => one.duration)))
      .observe({ type: 'longtask', buffered: true });
    new PerformanceObserver((list) => { window.lcp = list.getEntries().at(-1).startTime; })
      .observe({ type: 'largest-contentful-paint', buffered: true });
  `);
  await page.goto(`${service.url}${base}/explorer?op=query_transfers&limit=${rowsMax}&run=1`);
  await page.getByText(`${rowsMax} rows`, { exact: true }).waitFor();
  const table = page.getByRole('region', { name: 'Rows' });
  await table.getByRole('row').nth(5).waitFor();
  const loaded = await page.evaluate<{ lcp: number; tasks: readonly number[] }>(
    '({ lcp: window.lcp, tasks: window.longTasks.splice(0) })',
  );
  await page.evaluate(`new Promise((resolve) => {
    const region = document.querySelector('[role=region][aria-label=Rows]');
    const step = () => {
      region.scrollTop += 4_000;
      if (region.scrollTop + region.clientHeight >= region.scrollHeight - 2) resolve();
      else requestAnimationFrame(step);
    };
    step();
  })`);
  const last = transfers.at(-1);
  await table.getByText(last?.id ?? '', { exact: true }).waitFor();
  await table.getByText((most - 1n).toLocaleString('en'), { exact: true }).waitFor();
  expect(await table.getByRole('row').count()).toBeLessThan(100);
  const scrolled = await page.evaluate<readonly number[]>('window.longTasks');
  const longest = (tasks: readonly number[]) => Math.round(Math.max(0, ...tasks));
  process.stdout.write(
    `dashboard, 8,189 rows: largest paint ${Math.round(loaded.lcp)} ms, longest task until drawn ${longest(loaded.tasks)} ms, while scrolling ${longest(scrolled)} ms\n`,
  );
  await looksRight('explorer-8189');
  await page.getByRole('tab', { name: 'CSV' }).click();
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as CSV' }).click();
  const lines = readFileSync(await (await saved).path(), 'utf8')
    .trim()
    .split('\r\n');
  expect(lines).toHaveLength(rowsMax + 1);
  expect(lines.at(-1)).toContain(`,${most - 1n},`);
});

test('a statement of 8,189 transfers with balances beyond 128 bits is whole', async () => {
  const { page } = tab;
  const account = { ...rowExamples.account, id: rowExamples.transfer.debit_account_id, flags: 8 };
  service.when('lookupAccounts', () => ({ body: rowsOf('lookup_accounts', [account]) }));
  service.when('getAccountTransfers', () => ({
    body: rowsOf('get_account_transfers', transfers),
  }));
  await page.goto(`${service.url}${base}/explorer/accounts/${account.id}`);
  await page.getByText(`${rowsMax} transfers.`).waitFor();
  const sum = transfers.reduce((total, { amount }) => total + BigInt(amount), 0n);
  const closing = page.getByRole('row', { name: /^Closing balance/ });
  expect(await closing.innerText()).toContain(`Dr ${sum.toLocaleString('en')}`);
  await looksRight('statement-8189');
});

test('when an answer is lost, the same transfers are sent again with the same IDs', async () => {
  const { page } = tab;
  const sent: string[] = [];
  const account = (id: string) => ({ ...rowExamples.account, id, debits_posted: '0' });
  service.when('queryAccounts', () => ({ body: rowsOf('query_accounts', [account('1')]) }));
  service.when('lookupAccounts', () => ({
    body: rowsOf('lookup_accounts', [account('1'), account('2')]),
  }));
  service.when('createTransfers', ({ body }) => {
    sent.push(JSON.stringify(body));
    const [{ id } = { id: '' }] = body as readonly { readonly id: string }[];
    return sent.length === 1
      ? { status: 504, body: problemOf('ledger_timeout', 504) }
      : {
          body: {
            ...envelopeExample('create_transfers', 'write', 1),
            summary: { created: 0, exists: 1, failed: 0 },
            result: [{ index: 0, id, status: 'exists', timestamp: '1' }],
          },
        };
  });
  await page.goto(`${service.url}${base}/explorer/new-transfer`);
  await page.getByLabel('Debit account').fill('1');
  await page.getByLabel('Credit account').fill('2');
  await page.getByLabel('Amount').fill(most.toString());
  await page.getByRole('button', { name: 'See the result' }).click();
  await page.getByRole('button', { name: `Send to ${databaseExample.name}` }).click();
  await page.getByText('It is not known whether the transfers were made').waitFor();
  await page.getByRole('button', { name: 'Send the same again' }).click();
  await page.getByText('was there already, the same').waitFor();
  expect(sent).toHaveLength(2);
  expect(sent[1]).toBe(sent[0]);
  expect(sent[0]).toContain(`"amount":"${most}"`);
  expect(tab.takeTroubles().filter((one) => !one.includes('504'))).toEqual([]);
});

const problemOf = (code: string, status: number) => ({
  type: 'about:blank',
  title: code,
  status,
  detail: code,
  instance: '/',
  code,
  requestId: 'req_1',
  retryable: false,
});

test('who may only read is told why they cannot send', async () => {
  signedInAs('viewer');
  const { page } = tab;
  await page.goto(`${service.url}${base}/explorer/new-account`);
  const make = page.getByRole('button', { name: /^Make account/ });
  await make.waitFor();
  expect(await make.getAttribute('aria-disabled')).toBe('true');
  expect(await make.getAttribute('title')).toContain('may not write to ledgers');
});

test('a change is previewed, then asked for; what waits can be withdrawn', async () => {
  const { page } = tab;
  const asked: unknown[] = [];
  const diff = [{ path: '/clusterSize', from: 'lh-5', to: 'lh-10' }];
  service.when('previewChange', () => ({
    body: { ...previewExample, preview: { ...previewExample.preview, diff } },
  }));
  service.when('createChange', ({ body }) => {
    asked.push(body);
    const change = { ...changeExample, status: 'QUEUED', diff };
    return { status: 202, body: { success: true, change, job: null } };
  });
  await page.goto(`${service.url}${base}/configuration`);
  await page.getByText('Nothing is different yet').waitFor();
  await looksRight('configuration');
  await page.getByRole('button', { name: 'Stop it' }).click();
  await page.getByRole('row', { name: 'Size lh-5 lh-10' }).waitFor();
  await page.getByText('Requests wait 20 s at most').waitFor();
  await page.getByText('$10.00 a month more').waitFor();
  await looksRight('change');
  await page.getByLabel('Not before').fill('2026-12-01T03:00:00Z');
  await page.getByRole('button', { name: 'Queue the change' }).click();
  await page.getByText('Nothing is different yet').waitFor();
  expect(asked).toEqual([{ suspended: true, applyAt: '2026-12-01T03:00:00Z' }]);
  await page.getByRole('button', { name: 'Withdraw' }).first().click();
  await page.getByText('The change is withdrawn').waitFor();
  expect(tab.takeTroubles()).toEqual([]);
});
