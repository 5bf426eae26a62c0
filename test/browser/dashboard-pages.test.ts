// Pages against fixed answers: many rows, lost answers, roles, changes. The figures of speed are printed: the machine is shared.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { impactOf } from '../../api/configuration/impact.ts';
import { apiKeyExample } from '../../api/contract/schemas/api-key.ts';
import { auditEventExample } from '../../api/contract/schemas/audit-event.ts';
import { backupScheduleExample } from '../../api/contract/schemas/backup-schedule.ts';
import { invoiceExample, usageExample } from '../../api/contract/schemas/billing-usage.ts';
import { billingExample } from '../../api/contract/schemas/billing.ts';
import { catalogExample } from '../../api/contract/schemas/catalog.ts';
import { changeExample, previewExample } from '../../api/contract/schemas/change.ts';
import { changeStreamExample } from '../../api/contract/schemas/change-stream.ts';
import { databaseExample } from '../../api/contract/schemas/database.ts';
import { envelopeExample, rowExamples } from '../../api/contract/schemas/ledger.ts';
import { jobExample } from '../../api/contract/schemas/job.ts';
import { maintenanceWindowExample } from '../../api/contract/schemas/maintenance-window.ts';
import { memberExample } from '../../api/contract/schemas/member.ts';
import { organizationExample } from '../../api/contract/schemas/organization.ts';
import { sessionExample } from '../../api/contract/schemas/session.ts';
import { rightsOf, type Role } from '../../api/model/access.ts';
import { exampleLabels } from '../../tools/up/example.ts';
import { axeFaults } from '../support/browser/axe.ts';
import { openTab, startChromium, type Tab } from '../support/browser/chromium.ts';
import { looksRight } from '../support/browser/looks-right.ts';
import { answerFromExample, rowsOf } from '../support/browser/example-ledger.ts';
import { answerMonitoring } from '../support/browser/example-monitoring.ts';
import { FixedService } from '../support/browser/fixed-service.ts';
import { eventually } from '../support/shell.ts';

const nothing = { limit: 50, nextCursor: null, hasMore: false };
const most = 2n ** 128n - 1n;
const rowsMax = 8_189;
const base = `/o/acme/databases/${databaseExample.name}`;
let service: FixedService;
let browser: Browser;
let tab: Tab;

beforeAll(async () => {
  [service, browser] = await Promise.all([FixedService.start(), startChromium()]);
  tab = await openTab(browser, { origins: [service.url], width: 1280 });
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});
beforeEach(() => signedInAs('owner'));

function signedInAs(role: Role, notice: string | null = null): void {
  const { id, name, slug } = { ...sessionExample.organization, name: 'Acme', slug: 'acme' };
  const organization = { id, name, slug, role, rights: rightsOf(role), namespace: 'org-acme' };
  const told = { ...sessionExample.service, notice };
  const session = {
    ...sessionExample,
    organization,
    organizations: [organization],
    service: told,
  };
  service.when('getSession', () => ({ body: session }));
}

const transfers = Array.from({ length: rowsMax }, (_, index) => ({
  ...rowExamples.transfer,
  id: (most - BigInt(index)).toString(),
  amount: (most - BigInt(rowsMax) + BigInt(index)).toString(),
  timestamp: (1_745_328_372_758_695_656n + BigInt(index) * 1_000_000_007n).toString(),
}));

test('the example is shown with the labels of its ledger and its codes', async () => {
  const { page } = tab;
  service.when('getDatabase', () => ({
    body: { database: { ...databaseExample, labels: exampleLabels }, profile: null },
  }));
  answerFromExample(service);
  await page.goto(`${service.url}${base}/explorer/accounts/1001`);
  await page.getByText('34 transfers.').waitFor();
  await page.getByRole('row', { name: /^Closing balance Dr 24,557\.12 EUR/ }).waitFor();
  await page
    .getByRole('row', { name: /4 Payout/ })
    .first()
    .waitFor();
  await looksRight(tab, 'example-account');
  await page.goto(`${service.url}${base}/explorer/trial-balance`);
  await page.getByText('Debits equal credits').waitFor();
  await page.getByRole('link', { name: '30 Customer wallets' }).waitFor();
  await looksRight(tab, 'example-trial-balance');
  await page.goto(`${service.url}${base}/explorer?op=query_accounts&run=1`);
  await page.getByRole('cell', { name: '40 Sales' }).waitFor();
  service.when('getDatabase', () => ({ body: { database: databaseExample, profile: null } }));
});

test('a new account begins in the ledger that the database has, as a new transfer does', async () => {
  const { page } = tab;
  answerFromExample(service);
  const ledger = page.getByLabel('Ledger', { exact: true });
  for (const form of ['new-transfer', 'new-account']) {
    await page.goto(`${service.url}${base}/explorer/${form}`);
    expect([form, await ledger.inputValue()]).toEqual([form, '978']);
  }
  service.when('createAccounts', ({ body }) => {
    const [{ id } = { id: '' }] = body as readonly { readonly id: string }[];
    const result = [{ index: 0, id, status: 'created', timestamp: '1' }];
    const summary = { created: 1, exists: 0, failed: 0 };
    return { body: { ...envelopeExample('create_accounts', 'write', 1), summary, result } };
  });
  await ledger.fill('7');
  await page.getByRole('button', { name: /^Make account/ }).click();
  const made = page.getByText('There', { exact: true });
  await made.waitFor();
  await page.getByRole('button', { name: 'Another one' }).click();
  await made.waitFor({ state: 'detached' });
  // The next one belongs to the same ledger.
  expect(await ledger.inputValue()).toBe('7');
  service.forget('createAccounts');
  expect(tab.takeTroubles()).toEqual([]);
});

/** Of small text, in pixels. */
const lineHeight = 19;

test('on a phone, what stands under a short name is not broken into pieces', async () => {
  const { page } = tab;
  await page.setViewportSize({ width: 390, height: 800 });
  const email = memberExample.user.email ?? '';
  for (const [settings, text] of [
    ['members', page.getByText(email, { exact: true }).first()],
    ['keys', page.getByRole('cell').getByText(apiKeyExample.prefix).first()],
  ] as const) {
    await page.goto(`${service.url}/o/acme/settings/${settings}`);
    const lines = ((await text.boundingBox())?.height ?? 0) / lineHeight;
    expect([settings, Math.round(lines)]).toEqual([settings, 1]);
  }
  await page.setViewportSize({ width: 1_280, height: 700 });
  expect(tab.takeTroubles()).toEqual([]);
});

test('on a phone, a row that is a card is whole in sight, and does not scroll sideways', async () => {
  const { page } = tab;
  await page.setViewportSize({ width: 390, height: 800 });
  for (const [path, tables] of [
    ['/o/acme/databases', ['Databases']],
    ['/o/acme/settings/members', ['Members', 'Invitations']],
    ['/o/acme/settings/audit', ['Events']],
    [`${base}/backups`, ['Backups', 'Schedules']],
  ] as const) {
    await page.goto(`${service.url}${path}`);
    for (const name of tables) {
      await page.getByRole('region', { name, exact: true }).getByRole('row').nth(1).waitFor();
      const { scrollWidth, clientWidth } = await widths(name);
      expect([name, scrollWidth]).toEqual([name, clientWidth]);
    }
  }
  await page.setViewportSize({ width: 1_280, height: 700 });
  expect(tab.takeTroubles()).toEqual([]);
});

const widths = (name: string) =>
  tab.page
    .getByRole('region', { name, exact: true })
    .last()
    .evaluate(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }));

test('charts beside each other begin at one height, and tables of usual amounts need no scrolling', async () => {
  const { page } = tab;
  answerMonitoring(service, databaseExample.id, new Date());
  answerFromExample(service);
  await page.goto(`${service.url}${base}/monitoring`);
  const chart = (name: string) => page.getByRole('slider', { name: `Time on the chart ${name}` });
  const pairs = [
    // The name of the second one takes two lines of its head.
    ['Requests', 'Latency of create_transfers'],
    ['Gateway: requests', 'Gateway: latency of create_transfers'],
  ] as const;
  // What comes above the charts moves them.
  await page.getByRole('region', { name: 'Now' }).waitFor();
  for (const pair of pairs) {
    // What is still being drawn moves both, and they are measured one after the other.
    await eventually(`the charts ${pair.join(' and ')} begin at one height`, async () => {
      const [first, second] = await Promise.all(pair.map((name) => chart(name).boundingBox()));
      expect(first?.y).toBeGreaterThan(0);
      expect(second?.y).toBe(first?.y);
      return true;
    });
  }
  await page
    .getByRole('row', { name: /create_transfers/ })
    .first()
    .waitFor();
  const requests = await widths('Slow and failed requests');
  expect(requests.scrollWidth).toBe(requests.clientWidth);
  service.when('getDatabase', () => ({
    body: { database: { ...databaseExample, labels: exampleLabels }, profile: null },
  }));
  await page.goto(`${service.url}${base}/explorer/trial-balance`);
  await page.getByText('Amounts in EUR.').waitFor();
  const trial = await widths('Trial balance');
  expect(trial.scrollWidth).toBe(trial.clientWidth);
  expect(tab.takeTroubles()).toEqual([]);
  service.when('getDatabase', () => ({ body: { database: databaseExample, profile: null } }));
});

test('at 1280 pixels, the buttons of long rows are in sight, and the head of a price is one line', async () => {
  const { page } = tab;
  const long = {
    ...databaseExample,
    name: 'settlement-ledger-eu-central-production',
    region: 'eu-central-1',
    engine: { ...databaseExample.engine, name: 'TigerBeetle', version: '0.17.8' },
    status: 'FAILED',
    statusReason: { code: 'NO_ROOM', message: 'No node has room for 4 processors and 16 GiB.' },
  };
  service.when('listDatabases', () => ({ body: { data: [databaseExample, long], page: nothing } }));
  await page.goto(`${service.url}/o/acme/databases`);
  await page.getByRole('link', { name: long.name }).waitFor();
  const head = await page.getByRole('columnheader', { name: 'A month' }).boundingBox();
  expect(head?.height).toBeLessThan(2 * lineHeight);
  const databases = await widths('Databases');
  expect(databases.scrollWidth).toBe(databases.clientWidth);
  service.forget('listDatabases');
  const event = {
    ...auditEventExample,
    type: 'backup.restored_in_place',
    outcome: 'DENIED',
    actor: { type: 'user', id: 'usr_1', display: 'Maximiliane von Hohenstein-Wittelsbach' },
  };
  service.when('listAuditEvents', () => ({ body: { data: [event], page: nothing } }));
  await page.goto(`${service.url}/o/acme/settings/audit`);
  await page.getByText('denied', { exact: true }).waitFor();
  const events = await widths('Events');
  expect(events.scrollWidth).toBe(events.clientWidth);
  service.forget('listAuditEvents');
  expect(tab.takeTroubles()).toEqual([]);
});

test('a key that was revoked has ended then, and not at its planned end', async () => {
  const { page } = tab;
  const revokedAt = new Date(Date.now() - 7_200_000).toISOString();
  const expiresAt = new Date(Date.now() + 9e9).toISOString();
  const key = { ...apiKeyExample, status: 'REVOKED', revokedAt, expiresAt };
  service.when('listApiKeys', () => ({ body: { data: [key], page: nothing } }));
  await page.goto(`${service.url}/o/acme/settings/keys`);
  await page.getByRole('cell', { name: '2 hours ago', exact: true }).waitFor();
  service.forget('listApiKeys');
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
  await looksRight(tab, 'explorer-8189');
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
  await looksRight(tab, 'statement-8189');
  const scroller = page.getByRole('region', { name: 'Statement' }).last();
  const [seen, whole] = await Promise.all([
    scroller.evaluate((element) => element.clientWidth),
    closing.evaluate((element) => element.scrollWidth),
  ]);
  expect(seen).toBeGreaterThan(0);
  process.stdout.write(
    `dashboard, a statement of the largest amounts: ${whole} of ${seen} pixels\n`,
  );
});

test('a statement is printed on paper: every row, every digit, and nothing beside it', async () => {
  const { page } = tab;
  const few = transfers.slice(0, 60);
  service.when('getAccountTransfers', () => ({ body: rowsOf('get_account_transfers', few) }));
  await page.reload();
  await page.getByText('60 transfers.').waitFor();
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await page.setViewportSize({ width: 794, height: 1_123 });
  // Chromium sends it before it prints.
  await page.evaluate("dispatchEvent(new Event('beforeprint'))");
  const table = page.getByRole('region', { name: 'Statement' }).last();
  expect(await table.getByRole('row').count()).toBe(63);
  expect(await page.getByRole('navigation').filter({ visible: true }).count()).toBe(0);
  expect(await page.getByRole('button').filter({ visible: true }).count()).toBe(0);
  const last = few.at(-1);
  if (last === undefined) throw new Error('there is no row');
  const row = table.getByRole('row').filter({ hasText: last.id });
  const text = await row.innerText();
  expect(text).toContain(BigInt(last.amount).toLocaleString('en'));
  // Nothing is wider than its place, so no digit is beyond the paper.
  const cut = await page.evaluate(
    `[...document.querySelectorAll('main *')].filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline').length`,
  );
  expect(cut).toBe(0);
  const back = await page.evaluate('getComputedStyle(document.body).backgroundColor');
  expect(back).toBe('rgb(255, 255, 255)');
  await tab.picture('dashboard-statement-printed');
  await page.evaluate("dispatchEvent(new Event('afterprint'))");
  await page.emulateMedia({ media: null, colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 700 });
  expect(tab.takeTroubles()).toEqual([]);
});

test('IDs of 39 digits leave the balance in sight, and are whole for readers and copying', async () => {
  const { page } = tab;
  const account = {
    ...rowExamples.account,
    id: most.toString(),
    credits_posted: (most - 1n).toString(),
    debits_posted: '0',
  };
  service.when('queryAccounts', () => ({ body: rowsOf('query_accounts', [account]) }));
  await page.goto(`${service.url}${base}/explorer?run=1`);
  const balance = page.getByRole('cell', { name: `Cr ${(most - 1n).toLocaleString('en')}` });
  await balance.waitFor();
  const box = await balance.boundingBox();
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(1_280);
  await page.getByRole('cell', { name: most.toString(), exact: true }).waitFor();
  const id = page.getByText(most.toString(), { exact: true }).first();
  expect(await id.getAttribute('title')).toBe(most.toString());
  await looksRight(tab, 'explorer-39-digits');
  service.forget('queryAccounts');
});

test('JSON goes to the ledger as it was typed, and the queries of this browser can be run again', async () => {
  const { page } = tab;
  const typed = `{ "user_data_128": ${most},\n  "limit": 7 }`;
  const sent: unknown[] = [];
  await page.goto(`${service.url}${base}/explorer`);
  page.on('request', (request) => {
    if (request.url().endsWith('/tb/query_accounts')) sent.push(request.postData());
  });
  await page.getByRole('button', { name: 'As JSON' }).click();
  await page.getByLabel('JSON').fill('{ "limit": ');
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByText('This is no JSON').waitFor();
  await page.getByLabel('JSON').fill(typed);
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByRole('tab', { name: 'Request' }).click();
  await page.getByText(`ledgerhouse tb query-accounts ${databaseExample.id}`).waitFor();
  await eventually('the JSON is sent', async () => {
    expect(sent).toEqual([typed]);
    return true;
  });
  await looksRight(tab, 'explorer-json');
  await page.getByRole('button', { name: 'As a form' }).click();
  await page.getByRole('textbox', { name: 'Ledger' }).fill('978');
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByText('Earlier queries').click();
  await page.getByRole('button', { name: 'Query accounts: ledger 978' }).waitFor();
  await page.getByRole('button', { name: /^Query accounts: body/ }).click();
  await eventually('the JSON is sent again', async () => {
    expect(sent.at(-1)).toBe(typed);
    return true;
  });
  expect(tab.takeTroubles()).toEqual([]);
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

const hostile = '=1+1";<img src=x onerror=alert(1)> ' + 'Wilhelmina'.repeat(12);
const queryOf = (asked: readonly unknown[]) => asked.at(-1);

test('filters of members are asked of the service, stand in the address, and survive a reload', async () => {
  const { page } = tab;
  const asked: unknown[] = [];
  const row = { ...memberExample, user: { ...memberExample.user, name: hostile.slice(0, 100) } };
  service.when('listMembers', ({ query }) => {
    asked.push(query);
    const isNobody = (query as { q?: string }).q === 'nobody';
    const next = { limit: 50, nextCursor: 'more', hasMore: true };
    return { body: { data: isNobody ? [] : [row], page: isNobody ? nothing : next } };
  });
  await page.goto(`${service.url}/o/acme/settings/members`);
  await page.getByText('1 members, there are more').waitFor();
  await page.getByLabel('Part of the name or address').fill('"><b>=1');
  await page.waitForURL(/[?]q=/);
  await page.getByLabel('Role').first().selectOption('admin');
  await page.waitForURL(/role=admin/);
  await page.reload();
  await page.getByText('1 members, there are more').waitFor();
  expect(await page.getByLabel('Part of the name or address').inputValue()).toBe('"><b>=1');
  expect(queryOf(asked)).toEqual({ limit: '50', q: '"><b>=1', role: 'admin' });
  await page.getByRole('button', { name: 'Show more' }).click();
  await eventually('the next page has the same filters', async () => {
    expect(queryOf(asked)).toEqual({ limit: '50', q: '"><b>=1', role: 'admin', cursor: 'more' });
    return true;
  });
  await page.getByText('2 members, there are more').waitFor();
  await looksRight(tab, 'members-filtered');
  await page.getByLabel('Part of the name or address').fill('nobody');
  await page.getByText('No member matches').waitFor();
  await page.getByRole('button', { name: 'Show all' }).click();
  await page.waitForURL(({ search }) => search === '');
  await page.getByText('1 members, there are more').waitFor();
  await eventually(
    'the field is empty',
    async () => (await page.getByLabel('Part of the name or address').inputValue()) === '',
  );
});

test('databases are filtered by place, status and label in the address, and each says what it uses', async () => {
  const { page } = tab;
  const asked: Record<string, unknown>[] = [];
  const { usage } = databaseExample;
  const storage = { usedBytes: 20_000_000_000, limitBytes: 21_474_836_480 };
  const acme = { provider: 'acme-eu', region: 'eu-west-1' };
  const row = (index: number, more: object) => ({
    ...databaseExample,
    id: `${databaseExample.id.slice(0, -1)}${index}`,
    ...more,
  });
  const isSlow = Promise.withResolvers<void>();
  service.when('listDatabases', async ({ query }) => {
    await isSlow.promise;
    asked.push(query as Record<string, unknown>);
    const data = [
      row(0, {
        name: 'settlement-of-card-payments-europe-west1',
        usage: usage && { ...usage, storage },
        ...acme,
      }),
      row(1, { name: 'quiet', usage: null, activeJobId: jobExample.id }),
    ];
    // There are more: the catalog has the places of all.
    return { body: { data, page: { limit: 50, nextCursor: 'more', hasMore: true } } };
  });
  service.when('getJob', () => ({ body: { job: { ...jobExample, finishedAt: null } } }));
  service.when('getCreateCatalog', () => ({
    body: {
      ...catalogExample,
      regions: [
        ...catalogExample.regions,
        { id: 'eu-north-1', providerId: 'acme-eu', name: 'Europe North', available: true },
      ],
    },
  }));
  await page.goto(`${service.url}/o/acme/databases`);
  await page.getByText('Loading').first().waitFor();
  expect(await axeFaults(tab)).toEqual([]);
  await tab.picture('dashboard-databases-slow');
  isSlow.resolve();
  await page.getByRole('row', { name: /93.*% of storage.*25.*% of memory/ }).waitFor();
  await page.getByLabel('Region').selectOption('local-1');
  await page.waitForURL(/region=local-1/);
  // The region of another provider goes with it.
  await page.getByLabel('Provider').selectOption('acme-eu');
  await page.waitForURL((url) => !url.searchParams.has('region'));
  await page.getByLabel('Region').selectOption('eu-north-1');
  await page.getByLabel('Region').selectOption('eu-west-1');
  await page.getByLabel('Label').fill('team=payments');
  await page.waitForURL(/label=team/);
  await page.reload();
  await page.getByRole('row', { name: /settlement/ }).waitFor();
  expect(await page.getByLabel('Region').inputValue()).toBe('eu-west-1');
  expect(asked.findLast(({ sort }) => sort === undefined)).toEqual({
    limit: '50',
    ...acme,
    label: 'team=payments',
  });
  await page.getByRole('row', { name: /quiet.*Create: 50 %/ }).waitFor();
  await looksRight(tab, 'databases-filtered');
  // With the keyboard alone: the menu of a row, and the way to its deletion and back.
  await page.getByRole('button', { name: 'Actions for quiet' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Query explorer' }).waitFor();
  await looksRight(tab, 'databases-menu');
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: /^Delete / }).waitFor();
  const typedName = page.getByLabel(`Type ${databaseExample.name} to go on`);
  await typedName.fill(databaseExample.name);
  await page.getByRole('button', { name: 'Keep it' }).click();
  await page.waitForURL((url) => url.hash === '');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  // The question is put anew: a name that was typed before does not answer it.
  await page.getByRole('button', { name: 'Delete database' }).click();
  await typedName.waitFor();
  expect(await typedName.inputValue()).toBe('');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.locator('button:focus', { hasText: 'Delete database' }).waitFor();
  // A region in which no database is any more is shown for what it is.
  await page.goto(`${service.url}/o/acme/databases?region=gone-1`);
  await page.getByRole('row', { name: /settlement/ }).waitFor();
  expect(await page.getByLabel('Region').inputValue()).toBe('gone-1');
  service.forget('listDatabases');
  service.forget('getCreateCatalog');
});

test('filters of keys are asked of the service and stand in the address', async () => {
  const { page } = tab;
  signedInAs('owner', hostile);
  const asked: unknown[] = [];
  service.when('listApiKeys', ({ query }) => {
    asked.push(query);
    return { body: { data: [{ ...apiKeyExample, name: hostile.slice(0, 100) }], page: nothing } };
  });
  const last = { ...databaseExample, id: `${databaseExample.id.slice(0, -1)}9`, name: 'zeta' };
  service.when('listDatabases', ({ query }) => {
    const isFirst = (query as { readonly cursor?: string }).cursor === undefined;
    const more = { limit: 1, nextCursor: 'more', hasMore: true };
    return { body: { data: [isFirst ? databaseExample : last], page: isFirst ? more : nothing } };
  });
  await page.goto(`${service.url}/o/acme/settings/keys?status=WRONG&endsWithin=30`);
  await page.getByRole('row').nth(1).waitFor();
  expect(queryOf(asked)).toEqual({ limit: '50', expiresWithinDays: '30' });
  // The operators' notice is text, above every page.
  await page.getByRole('status').getByText('=1+1";<img src=x onerror=alert(1)>').waitFor();
  await page.getByText(`Version ${sessionExample.service.version}`).waitFor();
  await page.getByLabel('Status').selectOption('ROTATING');
  await page.getByLabel('May').selectOption('db:write');
  // One of a later page of the list.
  await page.getByLabel('Database', { exact: true }).selectOption('zeta');
  await page.waitForURL(/databaseId=db_/);
  await eventually('all filters are asked for', async () => {
    expect(queryOf(asked)).toEqual({
      limit: '50',
      expiresWithinDays: '30',
      status: 'ROTATING',
      permission: 'db:write',
      databaseId: last.id,
    });
    return true;
  });
  await looksRight(tab, 'keys-filtered');
  service.forget('listApiKeys');
  service.forget('listDatabases');
});

test('why one key was not revoked is not told of the next question', async () => {
  const { page } = tab;
  service.when('revokeApiKey', () => ({ status: 503, body: problemOf('store_unavailable', 503) }));
  await page.goto(`${service.url}/o/acme/settings/keys`);
  await page.getByRole('button', { name: /^Revoke / }).click();
  await page.getByRole('button', { name: 'Revoke key' }).click();
  const told = page.getByRole('dialog').getByRole('alert');
  await told.filter({ hasText: 'store_unavailable' }).waitFor();
  await page.getByRole('button', { name: 'Leave it' }).click();
  await page.getByRole('button', { name: /^Replace / }).click();
  await page.getByRole('button', { name: 'Replace key' }).waitFor();
  expect(await told.count()).toBe(0);
  await page.getByRole('button', { name: 'Leave it' }).click();
  service.forget('revokeApiKey');
  await tab.hasNoted(503);
  expect(tab.takeTroubles()).toEqual([]);
});

test('where signing out fails, the page says so', async () => {
  const { page } = tab;
  service.when('closeSession', () => ({ status: 503, body: problemOf('store_unavailable', 503) }));
  await page.goto(`${service.url}/account`);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('alert').filter({ hasText: 'store_unavailable' }).waitFor();
  service.forget('closeSession');
  await tab.hasNoted(503);
  expect(tab.takeTroubles()).toEqual([]);
});

test('audit events are narrowed to what an event shares with others', async () => {
  const { page } = tab;
  const asked: unknown[] = [];
  service.when('listAuditEvents', ({ query }) => {
    asked.push(query);
    return { body: { data: [auditEventExample], page: nothing } };
  });
  await page.goto(`${service.url}/o/acme/settings/audit`);
  const details = page.getByRole('button', { name: `Details of ${auditEventExample.type}` });
  await details.click();
  await looksRight(tab, 'audit-event');
  await page.getByRole('button', { name: 'Only this action' }).click();
  await page.waitForURL(/type=/);
  await page.getByLabel('Outcome').selectOption('FAILED');
  await page.getByLabel('Action').fill('backup.*');
  await page.getByRole('button', { name: 'Apply' }).click();
  await eventually('the filters are asked for', async () => {
    expect(queryOf(asked)).toEqual({ limit: '50', type: 'backup.*', outcome: 'FAILED' });
    return true;
  });
  await looksRight(tab, 'audit-filtered');
});

test('usage is shown by database and by day, with what the month will cost, and invoices with their links', async () => {
  const { page } = tab;
  const asked: unknown[] = [];
  const [row] = usageExample.data;
  const eur = (amount: string) => ({ currency: 'EUR', amount });
  const most = '999999999999999.995000';
  const other = {
    ...row,
    databaseId: `${databaseExample.id.slice(0, -1)}1`,
    databaseName: `a${'-very-long-name'.repeat(4)}`.slice(0, 63),
    amount: eur(most),
    unpriced: true,
  };
  service.when('listUsage', ({ query }) => {
    asked.push(query);
    const isByDay = (query as { by?: string }).by === 'day';
    const days = ['2026-11-01', '2026-11-02'].map((day) => ({
      ...row,
      databaseId: null,
      databaseName: null,
      day,
    }));
    return { body: { ...usageExample, data: isByDay ? days : [row, other] } };
  });
  const [paid] = invoiceExample.data;
  const open = { ...paid, id: 'in_2', status: 'OPEN', remaining: eur('1.00'), total: eur('-0.05') };
  const draft = { ...paid, id: 'in_3', status: 'DRAFT', number: null, pageUrl: null, pdfUrl: null };
  service.when('listInvoices', () => ({ body: { data: [draft, open, paid], page: nothing } }));
  await page.goto(`${service.url}/o/acme/settings/billing`);
  const usage = page.getByRole('region', { name: 'Usage' }).last();
  await usage.getByRole('cell', { name: '€1,000,000,000,000,000.00' }).waitFor();
  await page.getByText('about €11.84, if nothing changes').waitFor();
  const pay = page.getByRole('link', { name: /^Pay: / });
  expect(await pay.getAttribute('href')).toBe('https://invoice.stripe.com/i/acct_1/test_1');
  expect(await pay.getAttribute('rel')).toBe('noreferrer');
  expect(await page.getByRole('link', { name: /draft/ }).count()).toBe(0);
  await looksRight(tab, 'billing');
  await page.getByLabel('By', { exact: true }).selectOption('day');
  await usage.getByRole('cell', { name: '2026-11-02' }).waitFor();
  await page.getByLabel('Month', { exact: true }).selectOption({ index: 2 });
  await page.waitForURL(/month=20\d\d-\d\d/);
  const month = new URL(page.url()).searchParams.get('month');
  await eventually('the month is asked for', async () => {
    expect(queryOf(asked)).toEqual({ limit: '50', by: 'day', month });
    return true;
  });
  await looksRight(tab, 'billing-by-day');
});

test('a person who may only read is told why they cannot send', async () => {
  signedInAs('viewer');
  const { page } = tab;
  await page.goto(`${service.url}${base}/explorer/new-account`);
  const make = page.getByRole('button', { name: /^Make account/ });
  await make.waitFor();
  expect(await make.getAttribute('aria-disabled')).toBe('true');
  expect(await make.getAttribute('title')).toContain('may not write to ledgers');
});

const changedMeanwhile = {
  status: 412,
  body: {
    type: 'about:blank',
    title: 'The object was changed meanwhile',
    status: 412,
    detail: 'Read the object again.',
    code: 'precondition_failed',
    requestId: 'req_01jd8f3zk5e0v9t3m2q6r8w4x0',
  },
};

test.each([
  ['a database', `${base}/configuration`, 'DatabaseMaintenanceWindow', 'DATABASE', 'organization'],
  [
    'an organization',
    '/o/acme/settings/organization',
    'OrganizationMaintenanceWindow',
    'ORGANIZATION',
    'default',
  ],
] as const)(
  'the maintenance window of %s is shown with its next time, set, and taken back',
  async (_, address, operation, from, other) => {
    const { page } = tab;
    const asked: unknown[] = [];
    let maintenanceWindow: object = { ...maintenanceWindowExample, from: 'DEFAULT' };
    let version = 1;
    const change = (window: object) => {
      version += 1;
      maintenanceWindow = { ...maintenanceWindowExample, ...window };
      return { body: { success: true, maintenanceWindow } };
    };
    service.when(`get${operation}`, () => ({
      headers: { ETag: `W/"${version}"` },
      body: { maintenanceWindow },
    }));
    service.when(`set${operation}`, ({ body, headers }) => {
      if (headers['if-match'] !== `W/"${version}"`) return changedMeanwhile;
      asked.push(body);
      return change({ ...(body as object), from });
    });
    service.when(`reset${operation}`, () => change({ from: 'DEFAULT' }));
    await page.goto(`${service.url}${address}`);
    const card = page.getByRole('region', { name: 'Maintenance window' });
    await card.getByText('The default; none is set.').waitFor();
    await card.getByText('Changes that wait for it begin from').waitFor();
    await looksRight(tab, `window-of-${from.toLowerCase()}`);
    await card.getByRole('button', { name: 'Change it' }).click();
    // Whoever has no mouse goes on where they are, here and after the form.
    await card.locator('select:focus').waitFor();
    await card.getByLabel('Day').selectOption('MONDAY');
    await card.getByLabel('Begins at').fill('22:30');
    await card.getByLabel('Minutes').fill('90');
    await card.getByLabel('Time zone').fill('Europe/Vienna');
    // Another tab is faster.
    change({ weekday: 'TUESDAY', from });
    await card.getByRole('button', { name: 'Set the window' }).click();
    await card.getByText('Somebody changed it meanwhile.').waitFor();
    await card.getByText(/^Tuesday .* minutes/).waitFor();
    expect(tab.takeTroubles().filter((one) => !one.includes('status of 412'))).toEqual([]);
    await looksRight(tab, `window-form-of-${from.toLowerCase()}`);
    await card.getByRole('button', { name: 'Leave it' }).click();
    await card.locator('button:focus', { hasText: 'Change it' }).waitFor();
    await card.getByRole('button', { name: 'Change it' }).click();
    await card.getByLabel('Day').selectOption('MONDAY');
    await card.getByLabel('Begins at').fill('22:30');
    await card.getByLabel('Minutes').fill('90');
    await card.getByLabel('Time zone').fill('Europe/Vienna');
    await card.getByRole('button', { name: 'Set the window' }).click();
    await card.getByText('Monday 22:30 (Europe/Vienna), for 90 minutes.').waitFor();
    expect(asked).toEqual([
      { weekday: 'MONDAY', startTime: '22:30', lengthMinutes: 90, timeZone: 'Europe/Vienna' },
    ]);
    await card.getByRole('button', { name: 'Change it' }).click();
    await card.getByRole('button', { name: new RegExp(`^Use .*${other}`) }).click();
    await card.getByText('The default; none is set.').waitFor();
    expect(tab.takeTroubles()).toEqual([]);
  },
);

test('a version that the catalog announces is shown with its date, and one that is forced on the page of the database', async () => {
  const { page } = tab;
  const forcedAt = '2031-02-01T00:00:00.000Z';
  const [engine] = catalogExample.engines;
  const [version] = engine?.versions ?? [];
  const next = {
    ...version,
    version: '0.2.0',
    availableFrom: '2031-01-01T00:00:00.000Z',
    forcedAt,
    upgradableFrom: ['0.1.0'],
  };
  const engines = [{ ...engine, versions: [version, next] }];
  service.when('getCreateCatalog', () => ({ body: { ...catalogExample, engines } }));
  const forcedUpdate = { version: '0.2.0', forcedAt };
  const database = { ...databaseExample, engine: { ...databaseExample.engine, forcedUpdate } };
  service.when('getDatabase', () => ({ body: { database, profile: null } }));
  await page.goto(`${service.url}${base}/configuration`);
  const option = page.getByRole('option', { name: '0.2.0, from 2031-01-01 on' });
  await option.waitFor({ state: 'attached' });
  expect(await option.isDisabled()).toBe(true);
  await page.goto(`${service.url}${base}`);
  await page.getByText('0.2.0, in the first maintenance window after').waitFor();
  await looksRight(tab, 'forced-update');
  service.when('getDatabase', () => ({ body: { database: databaseExample, profile: null } }));
  service.when('getCreateCatalog', () => ({ body: catalogExample }));
});

/** A form, what the service keeps of it, and the field in which a person types. */
const savedForms = [
  {
    what: 'an API key',
    address: '/o/acme/settings/keys',
    list: 'listApiKeys',
    read: 'getApiKey',
    save: 'updateApiKey',
    stored: (name: string) => ({ apiKey: { ...apiKeyExample, name } }),
    sent: (name: string) => ({ name }),
    values: ['ci', 'ci of the other tab', 'ci of this tab'],
    open: /^Change ci/,
    field: 'Name',
    button: 'Change key',
  },
  {
    what: 'a schedule of backups',
    address: `${base}/backups`,
    list: 'listBackupSchedules',
    read: 'getBackupSchedule',
    save: 'updateBackupSchedule',
    stored: (last: string) => ({
      backupSchedule: {
        ...backupScheduleExample,
        keep: { ...backupScheduleExample.keep, last: Number(last) },
      },
    }),
    sent: (last: string) => ({ keep: { last: Number(last) } }),
    values: ['3', '5', '9'],
    open: /^Change payments-prod-scheduled$/,
    field: 'Newest backups that stay',
    button: 'Save schedule',
  },
  {
    what: 'a change stream',
    address: `${base}/configuration`,
    list: 'listChangeStreams',
    read: 'getChangeStream',
    save: 'updateChangeStream',
    stored: (description: string) => ({ changeStream: { ...changeStreamExample, description } }),
    sent: (description: string) => ({ description }),
    values: ['as it was', 'of the other tab', 'of this tab'],
    open: /^Change: /,
    field: 'Note',
    button: 'Save stream',
  },
  {
    what: 'a member',
    address: '/o/acme/settings/members',
    list: 'listMembers',
    read: 'getMember',
    save: 'updateMember',
    stored: (role: string) => ({ member: { ...memberExample, role } }),
    sent: (role: string) => ({ role }),
    values: ['viewer', 'billing', 'admin'],
    open: /^Change /,
    field: 'Role',
    button: 'Change member',
  },
  {
    what: 'the name of an organization',
    address: '/o/acme/settings/organization',
    list: undefined,
    read: 'getOrganization',
    save: 'updateOrganization',
    stored: (name: string) => ({ organization: { ...organizationExample, name } }),
    sent: (name: string) => ({ name }),
    values: ['Acme', 'Acme of the other tab', 'Acme of this tab'],
    open: undefined,
    field: 'Name',
    button: 'Change the name',
  },
  {
    what: 'the spend limit',
    address: '/o/acme/settings/billing',
    list: undefined,
    read: 'getBilling',
    save: 'updateBilling',
    stored: (amount: string) => ({
      billing: { ...billingExample, spendLimit: { currency: 'EUR', amount } },
    }),
    sent: (amount: string) => ({ spendLimit: { currency: 'EUR', amount } }),
    values: ['500.00', '700.00', '900.00'],
    open: undefined,
    field: 'Amount in EUR',
    button: 'Set the limit',
  },
] as const;

test.each(savedForms)(
  'what another tab saved of $what is shown, not overwritten, and can be built upon',
  async ({ address, list, read, save, stored, sent, values, open, field, button }) => {
    const { page } = tab;
    const [before, other, own] = values;
    let [value, version]: [string, number] = [before, 1];
    const asked: unknown[] = [];
    const answer = () => ({ headers: { ETag: `W/"${version}"` }, body: stored(value) });
    const set = (next: string) => {
      value = next;
      version += 1;
    };
    service.when(read, answer);
    if (list !== undefined) {
      service.when(list, () => ({ body: { data: Object.values(stored(value)), page: nothing } }));
    }
    service.when(save, ({ body, headers }) => {
      if (headers['if-match'] !== `W/"${version}"`) return changedMeanwhile;
      asked.push(body);
      set(own);
      return { ...answer(), body: { success: true, ...stored(value) } };
    });
    await page.goto(`${service.url}${address}`);
    const form = open === undefined ? page : page.getByRole('dialog');
    const typed = form.getByLabel(field, { exact: true });
    const isTyped = (text: string) =>
      eventually(`${field} is ${text}`, async () =>
        (await typed.inputValue()) === text ? true : undefined,
      );
    const begin = async () => {
      if (open !== undefined) await page.getByRole('button', { name: open }).click();
    };
    const type = () => (field === 'Role' ? typed.selectOption(own) : typed.fill(own));
    await begin();
    await isTyped(before);
    await type();
    set(other);
    await page.getByRole('button', { name: button }).click();
    await page.getByText('Somebody changed it meanwhile.').waitFor();
    expect([value, asked]).toEqual([other, []]);
    expect(tab.takeTroubles().filter((one) => !one.includes('status of 412'))).toEqual([]);
    if (open !== undefined) {
      await page.getByRole('dialog').getByRole('status').getByText(other).waitFor();
      await tab.picture(`dashboard-late-${read}`);
      await page.getByRole('button', { name: 'Leave it' }).click();
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await begin();
    }
    await isTyped(other);
    await type();
    await page.getByRole('button', { name: button }).click();
    await eventually('it is saved', async () => (value === own ? true : undefined));
    expect(asked).toEqual([expect.objectContaining(matching(sent(own)))]);
    for (const one of [list, read, save]) if (one !== undefined) service.forget(one);
    expect(tab.takeTroubles()).toEqual([]);
  },
);

/** Objects within it may have more than it says. */
const matching = (wanted: object): object =>
  Object.fromEntries(
    Object.entries(wanted).map(([name, value]) => [
      name,
      typeof value === 'object' ? expect.objectContaining(value) : value,
    ]),
  );

test('another topology is asked for once its interruption, its addresses and the old volumes were told', async () => {
  const { page } = tab;
  const asked: unknown[] = [];
  const diff = [{ path: '/clusterConfiguration', from: 'single', to: 'ha-3' }];
  const impact = impactOf(diff, { replicas: 3, suspended: false, versionReversible: true });
  const priceDelta = { currency: 'USD', amount: '20.00' };
  service.when('previewChange', ({ body }) => {
    asked.push(body);
    return {
      body: { success: true, preview: { ...previewExample.preview, diff, impact, priceDelta } },
    };
  });
  service.when('createChange', ({ body }) => {
    asked.push(body);
    const change = { ...changeExample, diff, impact };
    return { status: 202, body: { success: true, change, job: null } };
  });
  await page.goto(`${service.url}${base}/configuration`);
  await page.getByRole('radio', { name: /^HA, 3 replicas/ }).check({ force: true });
  await page.getByRole('row', { name: 'Topology single ha-3' }).waitFor();
  await page.getByText('Requests wait 30 minutes at most.').waitFor();
  await page.getByText('Native clients must connect anew: the addresses change').waitFor();
  await page.getByText('The volumes of the old replicas are kept').waitFor();
  await page.getByText('$20.00 a month more.').waitFor();
  await looksRight(tab, 'change-topology');
  await page.getByRole('button', { name: 'Apply the change' }).click();
  await page.getByText('Nothing is different yet').waitFor();
  const wanted = { clusterConfiguration: 'ha-3' };
  expect(asked).toEqual([wanted, { ...wanted, applyAt: 'now' }]);
  expect(tab.takeTroubles()).toEqual([]);
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
  await looksRight(tab, 'configuration');
  const seconds = page.getByLabel('Each operation in the store within (seconds)');
  expect(await seconds.inputValue()).toBe('5');
  await page.getByRole('button', { name: 'Stop it' }).click();
  const difference = page.getByRole('row', { name: 'Size lh-5 lh-10' });
  await difference.waitFor();
  // The button is far below what it brings, which is brought into sight.
  const { y = -1 } = (await difference.boundingBox()) ?? {};
  expect(y > 0 && y < 700).toBe(true);
  expect(await page.locator(':focus').getByText('Change', { exact: true }).count()).toBe(1);
  await page.getByText('Requests wait 20 s at most').waitFor();
  await page.getByText('$10.00 a month more').waitFor();
  await page.getByLabel('Not before').fill('2026-12-01T03:00:00Z');
  await page.getByRole('button', { name: 'Queue the change' }).click();
  await page.getByText('Nothing is different yet').waitFor();
  expect(asked).toEqual([{ suspended: true, applyAt: '2026-12-01T03:00:00Z' }]);
  await page.getByRole('button', { name: 'Withdraw' }).first().click();
  await page.getByText('The change is withdrawn').waitFor();
  expect(tab.takeTroubles()).toEqual([]);
});

/** Requests whose answers are lists with controls in their rows. */
const lists = [
  ...(['listSessions', 'listOrganizations', 'listNotifications', 'listDatabases'] as const),
  ...(['listApiKeys', 'listMembers', 'listInvitations', 'listAuditEvents'] as const),
  ...(['listWebhookEndpoints', 'listWebhookDeliveries', 'listLedgerRequests'] as const),
  ...(['listBackups', 'listBackupSchedules', 'listChanges', 'listChangeStreams'] as const),
  'listInvoices' as const,
];

/** What a person reads of the second row, where the first one has it at all. */
const otherwise = {
  name: 'another',
  display: 'another',
  description: 'another',
  summary: 'another',
  email: 'another@example.com',
  url: 'https://another.example.com',
  requestId: 'req_2',
  number: 'another',
  createdAt: '2026-01-02T03:04:05.678Z',
  occurredAt: '2026-01-02T03:04:05.678Z',
  lastUsedAt: '2026-01-02T03:04:05.678Z',
  diff: [{ path: '/clusterSize', from: 'lh-10', to: 'lh-40' }],
};

/** A row like this one, which people tell from it. */
function anotherRow(row: Readonly<Record<string, unknown>>): object {
  const changes = Object.entries(row).flatMap(([key, value]): [string, unknown][] => {
    if (key === 'id') return [[key, `${String(value).slice(0, -1)}9`]];
    if (key in otherwise) return [[key, otherwise[key as keyof typeof otherwise]]];
    const isPart = (key === 'user' || key === 'sink') && typeof value === 'object';
    return isPart ? [[key, anotherRow({ ...value })]] : [];
  });
  return { ...row, ...Object.fromEntries(changes) };
}

/** Each list has two rows: such that wait, or are of other devices, have all buttons. */
function doubleRows(): void {
  for (const id of lists) {
    const example = service.exampleOf(id).body as { readonly data: readonly object[] };
    const waits = id === 'listChanges' && { status: 'QUEUED', applyAt: '2027-01-01T00:00:00Z' };
    const data = example.data.slice(0, 1).flatMap((row) => {
      const one = { ...row, ...waits, ...('current' in row && { current: false }) };
      return [one, anotherRow(one)];
    });
    service.when(id, () => ({ body: { ...example, data } }));
  }
}

const everyPage = [
  '/account',
  '/organizations',
  '/organizations/new',
  '/o/acme/databases',
  '/o/acme/databases/new',
  '/o/acme/notifications',
  ...['keys', 'members', 'audit', 'webhooks', 'webhooks/deliveries', 'organization', 'billing'].map(
    (page) => `/o/acme/settings/${page}`,
  ),
  ...[
    '',
    '/connect',
    '/monitoring',
    '/logs',
    '/backups',
    '/backups/bkp_01jd8f3zk5e0v9t3m2q6r8w4x0/restore',
    '/configuration',
    '/explorer?run=1',
    '/explorer/accounts/1001',
    '/explorer/transfers/1',
    '/explorer/new-transfer',
    '/explorer/new-account',
    '/explorer/trial-balance',
    '/explorer/ledgers',
  ].map((page) => `${base}${page}`),
];

/** Runs in the page: its controls, and those that are beyond its edge where nothing scrolls to them. */
const controlsOfPage = `(() => {
  const shown = [...document.querySelectorAll('main :is(a[href], button, input, select, textarea, summary)')]
    .filter((one) => one.checkVisibility({ visibilityProperty: true }));
  const nameOf = (one) =>
    one.tagName + ' ' + (one.getAttribute('aria-label') ?? one.labels?.[0]?.innerText ?? one.innerText).trim();
  const scrolls = (one) =>
    one !== null && (/auto|scroll/.test(getComputedStyle(one).overflowX) || scrolls(one.parentElement));
  // On a phone nobody looks for the buttons of a row beside the window.
  const isRowButton = (one) => innerWidth < 400 && (one.closest('table')?.tHead?.textContent ?? '').endsWith('Actions');
  const isLost = (one) => {
    const { left, right, width } = one.getBoundingClientRect();
    const isBeside = width > 0 && (left < -1 || right > innerWidth + 1);
    return isBeside && (isRowButton(one) || !scrolls(one.parentElement));
  };
  const { scrollWidth, clientWidth } = document.documentElement;
  const inRows = shown.filter((one) => one.matches(':is(tr, li) *, summary')).map(nameOf);
  return {
    names: shown.map(nameOf).sort(),
    alike: inRows.filter((name, at) => inRows.indexOf(name) !== at),
    lost: shown.filter(isLost).map(nameOf),
    wider: scrollWidth - clientWidth,
  };
})()`;

test('at twice the size and on 320 pixels, no page loses a control or scrolls sideways; those of two rows have two names', async () => {
  const { page } = tab;
  const faults: unknown[] = [];
  doubleRows();
  for (const address of everyPage) {
    await page.setViewportSize({ width: 1_280, height: 700 });
    await page.goto(`${service.url}${address}`);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await page.waitForLoadState('networkidle');
    const controls = async () =>
      page.evaluate<{
        readonly names: readonly string[];
        readonly alike: readonly string[];
        readonly lost: readonly string[];
        readonly wider: number;
      }>(controlsOfPage);
    const before = await controls();
    if (before.alike.length > 0) faults.push({ address, alike: before.alike });
    const small = new Map<number, Awaited<ReturnType<typeof controls>>>();
    // Twice the size, a window of 1,280 pixels has 640 for the page.
    for (const width of [640, 320]) {
      await page.setViewportSize({ width, height: 700 });
      // What the page draws for this width comes a moment after it. What then is lost stays so, and is told below.
      await eventually(
        `${address} fits into ${width} pixels`,
        async () => {
          const found = await controls();
          small.set(width, found);
          return found.lost.length + found.wider === 0;
        },
        10_000,
      ).catch(() => undefined);
    }
    await page.setViewportSize({ width: 1_280, height: 700 });
    const after = await controls();
    // What an answer that came meanwhile took away is not lost.
    const names = before.names.filter((name) => after.names.includes(name));
    for (const [width, { names: there, lost, wider }] of small) {
      const gone = names.filter((name) => !there.includes(name));
      if (gone.length + lost.length + wider > 0) faults.push({ address, width, gone, lost, wider });
    }
  }
  for (const id of lists) service.forget(id);
  expect(faults).toEqual([]);
});
