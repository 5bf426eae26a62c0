// What a person chooses and names, against fixed answers: the engine of a restored database, names of codes and of user data.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { auditEventExample } from '../../api/contract/schemas/audit-event.ts';
import { backupExample } from '../../api/contract/schemas/backup.ts';
import { catalogExample } from '../../api/contract/schemas/catalog.ts';
import {
  databaseExample,
  planExample,
  restoringExample,
} from '../../api/contract/schemas/database.ts';
import { rowExamples } from '../../api/contract/schemas/ledger.ts';
import { invitationExample, memberExample } from '../../api/contract/schemas/member.ts';
import { problemExample } from '../../api/contract/schemas/problem.ts';
import { sessionExample } from '../../api/contract/schemas/session.ts';
import { rightsOf } from '../../api/model/access.ts';
import { restoreWarnings } from '../../domain/restores/warnings.ts';
import { openTab, startChromium, type Tab } from '../support/browser/chromium.ts';
import { rowsOf } from '../support/browser/example-ledger.ts';
import { FixedService } from '../support/browser/fixed-service.ts';
import { looksRight } from '../support/browser/looks-right.ts';
import { eventually } from '../support/shell.ts';

// As long as names may be.
const name = 'settlement-of-card-payments-europe-west1';
const longName = 'Settlement of card payments in Europe, of all of the year 26';
const arabicName = 'بنك المدفوعات الدولية وتسوية البطاقات في أوروبا الغربية';
const base = `/o/acme/databases/${name}`;
let labels: Record<string, string> = {};
let service: FixedService;
let browser: Browser;
let tab: Tab;

beforeAll(async () => {
  [service, browser] = await Promise.all([FixedService.start(), startChromium()]);
  tab = await openTab(browser, { origins: [service.url], width: 1280 });
  const { id } = { ...sessionExample.organization };
  const rights = rightsOf('owner');
  const called = { id, name: longName, slug: 'acme', role: 'owner', rights, namespace: 'org-acme' };
  const user = { id: 'usr_1', display: arabicName, email: null, administrator: false };
  service.when('getSession', () => ({
    body: { ...sessionExample, user, organization: called, organizations: [called] },
  }));
  service.when('getDatabase', () => ({
    headers: { etag: `W/"${JSON.stringify(labels).length}"` },
    body: { database: { ...databaseExample, name, labels }, profile: null },
  }));
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

/** A catalog with both engines, of which TigerBeetle needs the larger size. */
const [builtin] = catalogExample.engines;
const [size] = catalogExample.clusterSizes;
const release = '0.17.9';
const bothEngines = {
  ...catalogExample,
  engines: [
    builtin,
    {
      ...builtin,
      name: 'TigerBeetle',
      defaultVersion: release,
      versions: [{ ...builtin?.versions[0], version: release, release }],
    },
  ],
  clusterSizes: [size, { ...size, id: 'lh-40', engines: ['Builtin', 'TigerBeetle'] }],
};

test('a backup is restored into the engine that is chosen, once what does not survive was told', async () => {
  const { page } = tab;
  const asked: unknown[] = [];
  service.when('getCreateCatalog', () => ({ body: bothEngines }));
  service.when('getBackup', () => ({ body: { backup: backupExample } }));
  service.when('restoreBackup', ({ body }) => {
    asked.push(body);
    return { status: 202, body: restoringExample };
  });
  await page.goto(`${service.url}${base}/backups/${backupExample.id}/restore`);
  const engine = page.getByRole('region', { name: 'Engine' });
  await engine.getByRole('radio', { name: /^Builtin/ }).waitFor();
  expect(await engine.getByRole('listitem').count()).toBe(0);
  await engine.getByRole('radio', { name: /^TigerBeetle/ }).check();
  const told = (dropTimeouts: boolean) =>
    restoreWarnings({ from: 'Builtin', to: 'TigerBeetle', dropTimeouts });
  const isTold = (warnings: readonly string[]) =>
    eventually('the warnings are told', async () => {
      expect(await engine.getByRole('listitem').allInnerTexts()).toEqual(warnings);
      return true;
    });
  await isTold(told(false));
  expect(await page.getByRole('radio', { name: /^lh-40/ }).isChecked()).toBe(true);
  await page.getByLabel('Open pending transfers may lose their timeouts').check();
  await isTold(told(true));
  await page.getByRole('textbox', { name: 'Name' }).fill('payments-again');
  await page.getByText('$12.50').waitFor();
  await looksRight(tab, 'restore-engine');
  await page.getByRole('button', { name: /^Restore into a new database/ }).click();
  await eventually('it is asked for', async () => asked.length === 1 || undefined);
  expect(asked).toMatchObject([
    { name: 'payments-again', engine: 'TigerBeetle', clusterSize: 'lh-40', dropTimeouts: true },
  ]);
  expect(tab.takeTroubles()).toEqual([]);
});

test('the page shows before a restore that billing would refuse it, and billing is set up on another tab', async () => {
  const { page } = tab;
  service.when('getCreateCatalog', () => ({ body: bothEngines }));
  service.when('getBackup', () => ({ body: { backup: backupExample } }));
  const refused = { ready: false, reason: 'NO_PAYMENT_METHOD' } as const;
  service.when('createDatabase', () => ({ body: { ...planExample, billing: refused } }));
  const checkoutUrl = `${service.url}/checkout`;
  service.when('restoreBackup', () => ({
    status: 402,
    body: {
      ...problemExample('https://docs.example.com', 'billing_required'),
      billing: { ...refused, checkoutUrl, expiresAt: null, sessionId: null, draftId: null },
    },
  }));
  await page.goto(`${service.url}${base}/backups/${backupExample.id}/restore`);
  await page.getByText('Billing is not set up yet. Mend that first').waitFor();
  await page.getByRole('link', { name: 'To billing, on another tab' }).waitFor();
  await page.getByRole('textbox', { name: 'Name' }).fill('payments-again');
  await page.getByText('$12.50').waitFor();
  await page.getByRole('button', { name: /^Restore into a new database/ }).click();
  const checkout = page.getByRole('link', { name: 'Set billing up on another tab' });
  await checkout.waitFor();
  expect(await checkout.getAttribute('href')).toBe(checkoutUrl);
  expect(await checkout.getAttribute('target')).toBe('_blank');
  await tab.hasNoted(402);
  await looksRight(tab, 'restore-billing');
  for (const id of ['getBackup', 'createDatabase', 'restoreBackup'] as const) service.forget(id);
});

test('names of codes and of user data are given, stand wherever the numbers do, and are taken away', async () => {
  const { page } = tab;
  labels = { 'codes/transfer': 'written by hand; 7 Voucher' };
  const account = { ...rowExamples.account, id: '1001', code: 10, user_data_64: '0' };
  const whole = { ...account, user_data_128: (2n ** 128n - 1n).toString() };
  for (const [id, operation] of [
    ['queryAccounts', 'query_accounts'],
    ['lookupAccounts', 'lookup_accounts'],
  ] as const) {
    service.when(id, () => ({ body: rowsOf(operation, [whole]) }));
  }
  service.when('updateDatabase', ({ body }) => {
    const { labels: patch } = body as { readonly labels: Readonly<Record<string, string | null>> };
    const kept = Object.entries({ ...labels, ...patch }).filter(([, value]) => value !== null);
    labels = Object.fromEntries(kept) as Record<string, string>;
    return { body: { success: true, database: { ...databaseExample, name, labels } } };
  });
  await page.goto(`${service.url}${base}/explorer/ledgers`);
  const card = page.getByRole('region', { name: 'Names of codes and user data' }).first();
  const set = card.getByRole('button', { name: 'Set the name' });
  await card.getByRole('row', { name: /Code 7 Voucher/ }).waitFor();
  // Without a code and a name nothing is sent.
  await set.click();
  await card.getByText('From 1 to 65,535.').waitFor();
  await card.getByText('Say what it is.').waitFor();
  await card.getByLabel('Of', { exact: true }).selectOption('Accounts');
  await card.getByLabel('Code', { exact: true }).fill('10');
  await card.getByLabel('Name of it').fill(longName);
  await set.click();
  await card.getByRole('row', { name: new RegExp(`Code 10 ${longName}`) }).waitFor();
  // The row is there before the form is ready for the next name.
  const isEmpty = async () => (await card.getByLabel('Name of it').inputValue()) === '';
  await eventually('the form is empty again', isEmpty);
  await card.getByLabel('Field').selectOption('User data 128');
  await card.getByLabel('Shown as').selectOption('UUID');
  await card.getByLabel('Name of it').fill('Order; of the shop');
  await set.click();
  await card.getByRole('row', { name: /User data 128 Order of the shop UUID/ }).waitFor();
  await eventually('the form is empty again', isEmpty);
  expect(labels).toEqual({
    'codes/transfer': 'written by hand; 7 Voucher',
    'codes/account': `10 ${longName}`,
    'user-data/account': '128:uuid Order of the shop',
  });
  await looksRight(tab, 'ledger-names');
  await page.goto(`${service.url}${base}/explorer?op=query_accounts&run=1`);
  await page.getByRole('cell', { name: `10 ${longName}` }).waitFor();
  await page.goto(`${service.url}${base}/explorer/accounts/1001`);
  await page.getByText(`10 ${longName}`).waitFor();
  await page.getByText('Order of the shop (user_data_128)').waitFor();
  await page.getByText('ffffffff-ffff-ffff-ffff-ffffffffffff').waitFor();
  await page.goto(`${service.url}${base}/explorer/ledgers`);
  await card.getByRole('row', { name: /Code 7 Voucher/ }).waitFor();
  // Each button says what it removes.
  const names = await card
    .getByRole('button', { name: /^Remove/ })
    .evaluateAll((buttons) => buttons.map((one) => one.getAttribute('aria-label')));
  expect(new Set(names).size).toBe(3);
  for (const owner of ['User data 128 of accounts', 'Code 10 of accounts', 'Code 7 of transfers']) {
    const remove = card.getByRole('button', { name: `Remove the name of ${owner}` });
    await remove.click();
    await remove.waitFor({ state: 'detached' });
  }
  // What somebody wrote in another form stays.
  expect(labels).toEqual({ 'codes/transfer': 'written by hand' });
  await page.goto(`${service.url}${base}/explorer/accounts/1001`);
  await page.getByText('user_data_128', { exact: true }).waitFor();
  expect(await page.getByText(longName).filter({ visible: true }).count()).toBe(1);
  expect(tab.takeTroubles()).toEqual([]);
});

/** Runs in the page: whether the first letter of a name is in sight. The name begins with a control of direction. */
const isBeginSeen = `(() => {
  const one = [...document.querySelectorAll('bdi')].find(
    (any) => any.textContent.includes(${JSON.stringify(arabicName)}),
  );
  const range = document.createRange();
  range.setStart(one.firstChild, 1);
  range.setEnd(one.firstChild, 2);
  const [letter, box] = [range, one].map((of) => of.getBoundingClientRect());
  return letter.left >= box.left - 1 && letter.right <= box.right + 1;
})()`;

test('a long name of the organization leaves bell, switcher and search whole; one of a database leaves its button', async () => {
  const { page } = tab;
  await page.goto(`${service.url}${base}/explorer/new-account`);
  await page.getByRole('button', { name: `Make account in ${name}` }).waitFor();
  const side = page.locator('#side');
  await side.getByRole('button', { name: new RegExp(longName) }).waitFor();
  for (const one of [
    side.getByRole('link', { name: /notification/i }),
    side.getByRole('button', { name: new RegExp(longName) }),
    side.getByRole('button', { name: /^Search/ }),
    side.getByRole('link', { name: arabicName }),
    side.getByLabel('Times'),
  ]) {
    const [box, around] = await Promise.all([one.boundingBox(), side.boundingBox()]);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThan((around?.x ?? 0) + (around?.width ?? 0));
  }
  // A name is cut at its end, in whatever direction it is read.
  expect(await page.evaluate(isBeginSeen)).toBe(true);
  await looksRight(tab, 'long-names');
});

test('long names and many databases of people leave the buttons of a row in sight', async () => {
  const { page } = tab;
  const word = 'Wilhelmina'.repeat(9);
  const databases = Array.from({ length: 200 }, (_, index) => ({
    ...databaseExample,
    id: `${databaseExample.id.slice(0, -3)}${100 + index}`,
    name: `settlement-${100 + index}`,
  }));
  const page1 = { limit: 200, nextCursor: null, hasMore: false };
  service.when('listDatabases', () => ({ body: { data: databases, page: page1 } }));
  const databaseIds = databases.slice(0, 60).map(({ id }) => id);
  const member = { ...memberExample, databaseScope: { type: 'DATABASES', databaseIds } };
  service.when('listMembers', () => ({ body: { data: [member], page: page1 } }));
  service.when('getMember', () => ({ headers: { etag: '"1"' }, body: { member } }));
  const invitation = { ...invitationExample, email: `${word}@${word}.example.com` };
  service.when('listInvitations', () => ({ body: { data: [invitation], page: page1 } }));
  const event = {
    ...auditEventExample,
    actor: { ...auditEventExample.actor, display: word },
    target: { ...auditEventExample.target, display: word },
  };
  service.when('listAuditEvents', () => ({ body: { data: [event], page: page1 } }));
  const isInSight = async (button: ReturnType<typeof page.getByRole>) => {
    const { x = -1, width = 0 } = (await button.boundingBox()) ?? {};
    expect(x).toBeGreaterThan(0);
    expect(x + width).toBeLessThan(1_280);
  };
  await page.goto(`${service.url}/o/acme/settings/audit`);
  await isInSight(page.getByRole('button', { name: /^Details of/ }));
  await page.goto(`${service.url}/o/acme/settings/members`);
  await isInSight(page.getByRole('button', { name: /^Take back/ }));
  const row = page.getByRole('row', { name: new RegExp(`^${memberExample.user.name}`) });
  await row.getByText('60 databases').click();
  await row.getByText('settlement-159', { exact: false }).last().waitFor();
  await row.getByText('60 databases').click();
  expect((await row.boundingBox())?.height).toBeLessThan(120);
  await row.getByRole('button', { name: /^Change/ }).click();
  await page.getByText('These databases: 60 of 200').waitFor();
  await page.getByRole('button', { name: 'Change member' }).waitFor();
  const { y = 700 } =
    (await page.getByRole('button', { name: 'Change member' }).boundingBox()) ?? {};
  expect(y).toBeLessThan(700);
  await page.getByRole('dialog').getByLabel('Part of the name').fill('299');
  await page.getByRole('dialog').getByLabel('Part of the name').press('Enter');
  await page.getByRole('checkbox').nth(1).waitFor({ state: 'detached' });
  await page.getByRole('checkbox', { name: 'settlement-299' }).check();
  await page.getByText('These databases: 61 of 200').waitFor();
  await looksRight(tab, 'member-of-many');
  for (const id of [
    'listDatabases',
    'listMembers',
    'getMember',
    'listInvitations',
    'listAuditEvents',
  ] as const) {
    service.forget(id);
  }
});
