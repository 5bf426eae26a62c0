// A database's life in the dashboard, on the real service: created, read, its rows exact, deleted; and the pages of its organization.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type { DatabaseList } from '../../gen/api.ts';
import { freePorts } from '../../tools/cluster/free-ports.ts';
import { TestReceiver } from '../support/api/receiver.ts';
import { bootstrapToken, TestService } from '../support/api/service.ts';
import { builtDashboard } from '../support/browser/built-dashboard.ts';
import { openTab, startChromium, type Tab } from '../support/browser/chromium.ts';
import { looksRight } from '../support/browser/looks-right.ts';
import { eventually } from '../support/shell.ts';

const most = (2n ** 128n - 2n).toString();
const grouped = '340,282,366,920,938,463,463,374,607,431,768,211,454';

let service: TestService;
let browser: Browser;
let receiver: TestReceiver | undefined;
let tab: Tab;

beforeAll(async () => {
  const [port] = await freePorts(1);
  service = await TestService.start({
    settings: {
      DASHBOARD_FOLDER: builtDashboard(),
      LISTEN: `127.0.0.1:${port}`,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      WEBHOOK_RANGES: '127.0.0.0/8',
    },
  });
  browser = await startChromium();
  tab = await openTab(browser, { origins: [service.url], width: 1280 });
});
afterAll(async () => {
  await browser?.close();
  await receiver?.stop();
  await service?.stop();
});

const path = '/o/default/databases';

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
  // The dry run refuses the name.
  await tab.hasNoted(422);
  await page.getByLabel('Name', { exact: true }).fill('payments');
  await page.getByText(/must have 3 to 40 characters/).waitFor({ state: 'detached' });
  tab.takeTroubles();
  await looksRight(tab, 'create');
  await page.getByRole('button', { name: 'Create database' }).click();
  await page.waitForURL(`${service.url}${path}/payments`);
  await page.getByRole('heading', { level: 1, name: 'payments' }).waitFor();
  await page
    .getByText(/^Ready|Healthy/)
    .first()
    .waitFor();
  await looksRight(tab, 'overview');
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
  await looksRight(tab, 'explorer');
  await page.getByRole('cell', { name: most, exact: true }).first().click();
  await page.getByRole('button', { name: 'Its transfers' }).click();
  await page.getByRole('cell', { name: grouped, exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get('account_id')).toBe(most);
  for (const view of ['JSON', 'CSV']) {
    await page.getByRole('tab', { name: view, exact: true }).click();
    await page.getByRole('tab', { name: view, exact: true, selected: true }).waitFor();
    await page.getByRole('tabpanel').filter({ hasText: most }).waitFor();
  }
  // The same address asks the same again, as a link of a colleague does.
  await page.reload();
  await page.getByRole('tabpanel').getByText(most).first().waitFor();
  expect(tab.takeTroubles()).toEqual([]);
});

test('a query that one tab saves is there in the other, and neither overwrites what the other one changed', async () => {
  const { page } = tab;
  const explorer = `${service.url}${path}/payments/explorer`;
  await page.goto(`${explorer}?op=query_transfers&ledger=978&from=-1h`);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Transfers of the last hour');
  await page.getByRole('button', { name: 'Save query' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByText('Saved queries').click();
  await page.getByRole('button', { name: 'Transfers of the last hour', exact: true }).waitFor();
  await page.evaluate('scrollTo(0, 0)');
  await looksRight(tab, 'explorer-saved');
  const other = await tab.context.newPage();
  await other.goto(`${explorer}?op=query_accounts&code=1`);
  await other.getByText('Saved queries').click();
  const begin = async (of: typeof page, name: string) => {
    // Chromium lets a tab behind another one wait for seconds.
    await of.bringToFront();
    await of.getByRole('button', { name: `Change ${name}` }).click();
    await of.getByRole('textbox', { name: 'Name' }).waitFor();
  };
  for (const one of [page, other]) await begin(one, 'Transfers of the last hour');
  await other.getByRole('textbox', { name: 'Name' }).fill('Accounts');
  await other.getByLabel('Ask what the form asks now').check();
  await other.getByRole('button', { name: 'Change query' }).click();
  await other.getByRole('dialog').waitFor({ state: 'detached' });
  await page.bringToFront();
  await page.getByRole('textbox', { name: 'Name' }).fill('Mine');
  for (const button of ['Change query', 'Delete query']) {
    await page.getByRole('button', { name: button }).click();
    await page.getByText('It is now “Accounts”: Query accounts: code 1.').waitFor();
  }
  await page.getByRole('button', { name: 'Leave it' }).click();
  await page.getByRole('button', { name: 'Accounts', exact: true }).click();
  await page.waitForURL(/op=query_accounts.*code=1.*run=1/);
  await begin(page, 'Accounts');
  await page.getByRole('button', { name: 'Delete query' }).click();
  await page.getByText('None yet. A query that is saved').waitFor();
  await other.close();
  expect(tab.takeTroubles().filter((one) => !one.includes('status of 412'))).toEqual([]);
});

test('an account is made, and two linked transfers are composed, foreseen and sent', async () => {
  const { page } = tab;
  await askLedger('create_accounts', [
    { id: '200', ledger: 1, code: 10 },
    { id: '300', ledger: 1, code: 20 },
  ]);
  await page.goto(`${service.url}${path}/payments/explorer`);
  await page.getByRole('link', { name: 'New account' }).click();
  await page.getByLabel('ID').fill('100');
  await page.getByLabel('Code').fill('10');
  await page.getByLabel('debits_must_not_exceed_credits').check();
  await looksRight(tab, 'new-account');
  await page.getByRole('button', { name: 'Make account in payments' }).click();
  await page.getByText('There', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'New transfer' }).click();
  await page.getByLabel('Debit account').fill('200');
  await page.getByLabel('Credit account').fill('100');
  await page.getByLabel('Amount').fill('500');
  await page.getByRole('button', { name: 'Add a transfer' }).click();
  const second = page.getByRole('listitem', { name: 'Transfer 2' });
  await second.getByLabel('Debit account').fill('100');
  await second.getByLabel('Credit account').fill('300');
  await second.getByLabel('Amount').fill('501');
  await page.getByRole('button', { name: 'See the result' }).click();
  await page.getByText('The ledger would refuse this').waitFor();
  await page.getByText('may not be debited more than it is credited').waitFor();
  await second.getByLabel('Amount').fill('120');
  await page.getByRole('button', { name: 'See the result' }).click();
  await page.getByText('The ledger would make this').waitFor();
  await page.getByRole('cell', { name: 'Cr 380' }).waitFor();
  await looksRight(tab, 'compose');
  await page.getByLabel('Type payments to go on').fill('payments');
  await page.getByRole('button', { name: 'Send to payments' }).click();
  await page.getByText('Made', { exact: true }).waitFor();
  await page.getByRole('link', { name: '300', exact: true }).waitFor();
  await looksRight(tab, 'composed');
});

test('an account has its balance, a chart and a statement that begins and ends with a balance', async () => {
  const { page } = tab;
  await page.getByRole('link', { name: '100', exact: true }).first().click();
  await page.getByRole('heading', { name: 'Account 100' }).waitFor();
  await page.getByText('Cr 380').first().waitFor();
  await page.getByText('380 can still be debited').waitFor();
  await page.getByRole('row', { name: /Opening balance 0/ }).waitFor();
  await page.getByRole('row', { name: /200 1 linked 500 Cr 500/ }).waitFor();
  await page.getByRole('row', { name: /Closing balance Cr 380/ }).waitFor();
  await looksRight(tab, 'account');
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as CSV' }).click();
  const file = await (await saved).path();
  const lines = readFileSync(file, 'utf8').trim().split('\r\n');
  expect(lines).toHaveLength(5);
  expect(lines.at(-1)).toMatch(/^closing,.*,-380$/);
  // A span that begins behind both: its opening balance comes from the balance of now.
  await page.getByLabel('From').fill('2200-01-01');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.getByText('No transfer in this span').waitFor();
  expect(new URL(page.url()).searchParams.get('from')).toBe('2200-01-01');
  await page.getByRole('button', { name: 'Last 24 hours' }).click();
  await page.getByRole('row', { name: /Closing balance Cr 380/ }).waitFor();
});

test('a transfer shows its chain, and a pending one what became of it', async () => {
  const { page } = tab;
  await page
    .getByRole('region', { name: 'Statement' })
    .last()
    .getByRole('row', { name: /linked/ })
    .getByRole('link')
    .first()
    .click();
  await page.getByText('These 2 transfers were sent together').waitFor();
  const legs = { debit_account_id: '200', credit_account_id: '300', ledger: 1, code: 1 };
  await askLedger('create_transfers', [{ id: '70', amount: '40', ...legs, flags: 'pending' }]);
  await page.goto(`${service.url}${path}/payments/explorer/transfers/70`);
  await page.getByText('It waits for a transfer that posts or voids it').waitFor();
  await looksRight(tab, 'transfer');
  await askLedger('create_transfers', [
    { id: '71', pending_id: '70', amount: '30', flags: 'post_pending_transfer' },
  ]);
  await page.reload();
  await page.getByText('30 of 40, by').waitFor();
  await page.getByRole('link', { name: '71' }).click();
  await page.getByText('It posts the pending transfer').waitFor();
  await page.goto(`${service.url}${path}/payments/explorer/transfers/999`);
  await page.getByText('There is no transfer 999').waitFor();
  expect(tab.takeTroubles()).toEqual([]);
});

test('with a label, the amounts of a ledger have its scale and currency; the integers are one click away', async () => {
  const { page } = tab;
  await page.goto(`${service.url}${path}/payments/explorer/ledgers`);
  await page.getByText('No ledger has a label').waitFor();
  await page.getByLabel('Ledger', { exact: true }).fill('1');
  await page.getByLabel('Currency').fill('EUR');
  await page.getByRole('button', { name: 'Set the label' }).click();
  await page.getByRole('row', { name: /1 EUR 2/ }).waitFor();
  // As below: the database may get another version between reading and changing it.
  expect(tab.takeTroubles().filter((one) => !one.includes('412'))).toEqual([]);
  await looksRight(tab, 'ledgers');
  await page.goto(`${service.url}${path}/payments/explorer/accounts/100`);
  await page.getByText('Cr 3.80 EUR').first().waitFor();
  await page.getByRole('button', { name: 'As integers' }).click();
  await page.getByText('Cr 380', { exact: true }).first().waitFor();
  await page.goto(`${service.url}${path}/payments/explorer/ledgers`);
  await page.getByRole('button', { name: 'Remove the label of ledger 1' }).click();
  await page.getByText('No ledger has a label').waitFor();
  expect(tab.takeTroubles().filter((one) => !one.includes('412'))).toEqual([]);
});

test('the trial balance of a ledger shows that debits equal credits, by code', async () => {
  const { page } = tab;
  await page.goto(`${service.url}${path}/payments/explorer/trial-balance`);
  await page.getByText('Debits equal credits').waitFor();
  const total = page.getByRole('row', { name: /^All 5/ });
  const sum = (2n ** 128n - 2n + 500n + 120n + 30n).toLocaleString('en');
  expect((await total.innerText()).split(sum)).toHaveLength(3);
  await looksRight(tab, 'trial-balance');
  await page.getByRole('link', { name: '20', exact: true }).click();
  await page.getByText('1 row', { exact: true }).waitFor();
});

test('a change stream is made, tells how far it is and what fails, is paused, resumed and deleted', async () => {
  const { page } = tab;
  const dialog = page.getByRole('dialog');
  receiver = await TestReceiver.start();
  const legs = {
    debit_account_id: '200',
    credit_account_id: '300',
    amount: '1',
    ledger: 1,
    code: 1,
  };
  await page.goto(`${service.url}${path}/payments/configuration`);
  await page.getByText('No stream yet.').waitFor();
  await page.getByRole('button', { name: 'New stream' }).click();
  await dialog.getByLabel('URL').fill('https://10.0.0.1/');
  await page.getByRole('button', { name: 'Make stream' }).click();
  await page.getByText('leads to an address that is not public').waitFor();
  await tab.hasNoted(422);
  await dialog.getByLabel('URL').fill(receiver.url);
  await dialog.getByLabel('Note').fill('books');
  await dialog.getByLabel('Begins with').selectOption('time');
  await dialog.getByLabel('After').fill('yesterday');
  await page.getByText(/^A time such as/).waitFor();
  await dialog.getByLabel('Begins with').selectOption('beginning');
  await looksRight(tab, 'change-stream-new');
  await page.getByRole('button', { name: 'Make stream' }).click();
  const secret = (await page.getByText(/^whsec_\S{44}$/).textContent()) ?? '';
  await dialog.getByRole('button', { name: 'Close' }).first().click();
  const streams = page.getByRole('list', { name: 'Change streams' }).getByRole('listitem');
  const stream = streams.filter({ hasText: 'books' });
  await stream.getByText('5 events').waitFor();
  await stream.getByText('nothing waits').waitFor();
  await stream.getByText('from the first event').waitFor();
  receiver.verify(secret);

  receiver.answer(500);
  await askLedger('create_transfers', [{ id: '80', ...legs }]);
  await stream.getByText('tries again').waitFor();
  await stream.getByText('failing since').waitFor();
  await looksRight(tab, 'change-streams');
  await stream.getByRole('button', { name: /^Pause/ }).click();
  await stream.getByText('paused', { exact: true }).waitFor();
  receiver.beFine();
  await stream.getByRole('button', { name: /^Resume/ }).click();
  await stream.getByText('6 events').waitFor();

  receiver.answer(410);
  await askLedger('create_transfers', [{ id: '81', ...legs }]);
  await stream.getByText('stopped: it failed').waitFor();
  await stream.getByText('The receiver answered 410: it is gone.').first().waitFor();
  await stream.getByRole('button', { name: /^Change/ }).click();
  await dialog.getByLabel('Note').fill('books of Europe');
  await page.getByRole('button', { name: 'Save stream' }).click();
  const renamed = streams.filter({ hasText: 'books of Europe' });
  await renamed.getByRole('button', { name: /^New secret/ }).click();
  await page.getByRole('button', { name: 'Make secret' }).click();
  const another = (await page.getByText(/^whsec_\S{44}$/).textContent()) ?? '';
  expect(another).not.toBe(secret);
  await dialog.getByRole('button', { name: 'Close' }).first().click();
  await renamed.getByText('signs, too, until').waitFor();
  await renamed.getByRole('button', { name: /^Secret/ }).click();
  await page.getByText(another, { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'Close' }).first().click();
  await renamed.getByRole('button', { name: /^Delete/ }).click();
  await page.getByRole('button', { name: 'Delete stream' }).click();
  await page.getByText('No stream yet.').waitFor();
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
  await looksRight(tab, 'deleted');
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
  await looksRight(tab, page.replace('/', '-'));
});

test('a key’s secret is shown once, and the audit log’s chain is sound', async () => {
  const { page } = tab;
  await page.goto(`${service.url}/o/default/settings/keys`);
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('reports');
  await page.getByRole('button', { name: 'Make key' }).click();
  await page.getByText(/^lhk_\w{12}_\w{38}$/).waitFor();
  await page.getByRole('button', { name: 'I have kept it' }).click();
  await page.getByText(/^lhk_\w{12}_\w{38}$/).waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /reports/ }).waitFor();
  await page.goto(`${service.url}/o/default/settings/audit`);
  await page.getByRole('button', { name: 'Check the chain' }).click();
  await page.getByText(/events, chain sound/).waitFor();
  expect(tab.takeTroubles()).toEqual([]);
});
