// Notifications in the dashboard, on the real API: the bell counts, the page lists, what is muted stays away.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type { Subject } from '../../api/model/event.ts';
import type { EventType } from '../../api/model/event-types.ts';
import { ensureDefaultOrganization, type Organization } from '../../api/store/organizations.ts';
import { addMember } from '../../api/store/members.ts';
import { Store } from '../../api/store/store.ts';
import { ensureUser } from '../../api/store/users.ts';
import { bootstrapToken, PeopleService } from '../support/api/people-service.ts';
import { makeDatabase, patient, silent, tester } from '../support/api/store.ts';
import { builtDashboard } from '../support/browser/built-dashboard.ts';
import { openTab, startChromium, type Tab } from '../support/browser/chromium.ts';
import { looksRight } from '../support/browser/looks-right.ts';
import { eventually } from '../support/shell.ts';

// As long as names may be.
const long = 'settlement-of-card-payments-europe-west1';
const address = '/o/default/notifications';

let service: PeopleService;
let browser: Browser;
let store: Store;
let organization: Organization;
let databaseId = '';
let tab: Tab;

beforeAll(async () => {
  [service, browser] = await Promise.all([
    PeopleService.start({ DASHBOARD_FOLDER: builtDashboard() }),
    startChromium(),
  ]);
  store = new Store({ logger: silent, ...patient, url: service.databaseUrl });
  await store.start();
  organization = await store.change(tester, ensureDefaultOrganization);
  ({ id: databaseId } = await makeDatabase(store, organization, long));
  tab = await openTab(browser, { origins: [service.url, service.provider.issuer], width: 1280 });
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

const ofDatabase = (): Subject => ({ type: 'database', id: databaseId, display: long });
const elsewhere = (type: Subject['type'], display: string): Subject => ({
  type,
  id: null,
  display,
});

async function emit(type: EventType, subject = ofDatabase(), count = 1): Promise<void> {
  await store.change(tester, async (change) => {
    for (let made = 0; made < count; made += 1) {
      change.emit({
        organizationId: organization.id,
        type,
        subject,
        databaseId: subject.type === 'database' ? databaseId : null,
        data: {},
      });
    }
  });
}

const bell = (unread: string) =>
  tab.page.getByRole('link', { name: `Notifications${unread}`, exact: true });
const rows = () => tab.page.getByRole('list', { name: 'Notifications' }).getByRole('listitem');

test('without anything to look at, the bell counts nothing and the page says what it is for', async () => {
  const { page } = tab;
  await bell('').click();
  await page.getByRole('heading', { level: 1, name: 'Notifications' }).waitFor();
  await page.getByRole('heading', { name: 'No notification' }).waitFor();
  await looksRight(tab, 'notifications-empty');
});

test('the bell counts events, and each leads to the page where something can be done', async () => {
  const { page } = tab;
  await emit('member.joined', elsewhere('member', 'somebody@example.com'));
  await emit('api_key.expiring', elsewhere('api_key', 'reports'));
  await emit(
    'webhook.endpoint_disabled',
    elsewhere('webhook_endpoint', 'https://example.com/hook'),
  );
  await emit('billing.payment_failed', elsewhere('organization', 'Default'));
  await emit('database.unavailable');
  await emit('database.recovered');
  await page.reload();
  await bell(', 6 unread').waitFor();
  await rows().nth(5).waitFor();
  expect(await rows().count()).toBe(6);
  expect(await rows().first().innerText()).toContain(long);
  await looksRight(tab, 'notifications');
  await page.getByRole('link', { name: /reports/ }).click();
  await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
  await bell(', 6 unread').click();
  await page
    .getByRole('link', { name: new RegExp(long) })
    .first()
    .click();
  await page.getByRole('heading', { level: 1, name: long }).waitFor();
});

test('one is read with those before it, and all at once', async () => {
  const { page } = tab;
  await page.goto(`${service.url}${address}`);
  await page.getByRole('button', { name: /^Mark as read: reports/ }).click();
  await bell(', 4 unread').waitFor();
  // The list is read again beside the bell's number.
  const unread = page.getByRole('button', { name: /^Mark as read:/ });
  await unread.nth(4).waitFor({ state: 'detached' });
  expect(await unread.count()).toBe(4);
  await page.getByRole('tab', { name: 'Unread' }).click();
  // All are shown until the unread ones have come, and none for a moment.
  await eventually('the unread ones alone', async () =>
    (await rows().count()) === 4 ? true : undefined,
  );
  expect(new URL(page.url()).searchParams.get('view')).toBe('unread');
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await bell('').waitFor();
  await page.getByRole('heading', { name: 'Nothing is unread' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Nothing is unread' }).waitFor();
  expect(tab.takeTroubles()).toEqual([]);
});

test('a kind and a database that are muted stay away until they are wanted again', async () => {
  const { page } = tab;
  const payment = page.getByRole('checkbox', { name: 'Payment' });
  await page.getByRole('tab', { name: 'Preferences' }).click();
  await payment.click();
  await page.getByText('Your choice holds from now on').first().waitFor();
  await page.getByRole('combobox', { name: 'Databases' }).selectOption({ label: long });
  await page.getByRole('button', { name: `Unmute ${long}` }).waitFor();
  await looksRight(tab, 'notifications-preferences');
  await page.getByRole('tab', { name: 'All' }).click();
  await rows().nth(2).waitFor();
  // What the page read before is shown until it has read again.
  await rows().nth(3).waitFor({ state: 'detached' });
  expect(await rows().count()).toBe(3);
  await page.goto(`${service.url}${address}?view=preferences`);
  await page.getByRole('heading', { name: 'What you get' }).waitFor();
  expect(await payment.isChecked()).toBe(false);
  await page.getByRole('button', { name: `Unmute ${long}` }).click();
  await page.getByText('None: you hear of all that you may see.').waitFor();
  await payment.click();
  await page.getByText('Your choice holds from now on').first().waitFor();
  await page.getByRole('tab', { name: 'All' }).click();
  await rows().nth(5).waitFor();
  expect(tab.takeTroubles()).toEqual([]);
});

test('many are counted up to a hundred, and read on page by page', async () => {
  const { page } = tab;
  await emit('database.unavailable', ofDatabase(), 101);
  await page.goto(`${service.url}${address}?view=unread`);
  await bell(', 100+ unread').waitFor();
  await page.getByText('30 notifications, there are more').waitFor();
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByText('60 notifications, there are more').waitFor();
  await looksRight(tab, 'notifications-many');
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await bell('').waitFor();
  await page.getByRole('heading', { name: 'Nothing is unread' }).waitFor();
});

test('a person chooses by kind whether mail comes at once, once a day or not at all', async () => {
  const email = 'ada@example.com';
  const person = { sub: 'ada', name: 'Ada', email, email_verified: true };
  await store.change(tester, async (change) => {
    const { issuer } = service.provider;
    const user = await ensureUser(change, {
      issuer,
      subject: person.sub,
      email,
      emailVerified: true,
      name: person.name,
    });
    const organizationId = organization.id;
    await addMember(change, { organizationId, user, role: 'admin', databaseIds: null });
  });
  const { page } = tab;
  // A page that asks for something without its cookies is refused.
  await page.goto('about:blank');
  await page.context().clearCookies();
  await service.provider.order({ person });
  await page.goto(`${service.url}/auth/login`);
  await page.getByRole('heading', { level: 1, name: 'Databases' }).waitFor();
  await page.goto(`${service.url}${address}?view=preferences`);
  await page.getByText(`Mail goes to ${email}.`).waitFor();
  const mail = (title: string) =>
    page.getByRole('combobox', { name: `Mail: ${title}`, exact: true });
  expect(await mail('Trouble of a database').inputValue()).toBe('at-once');
  expect(await mail('Failed change').inputValue()).toBe('none');
  for (const [title, way] of [
    ['Failed change', 'Once a day'],
    ['Trouble of a backup', 'None'],
    ['Expiring key', 'At once'],
  ] as const) {
    const kept = page.waitForResponse((response) => response.request().method() === 'PATCH');
    await mail(title).selectOption({ label: way });
    expect((await kept).status()).toBe(200);
  }
  // What is muted is in no mail, so there is nothing to choose.
  await page.getByRole('checkbox', { name: 'Members' }).click();
  await mail('Members').waitFor({ state: 'detached' });
  await looksRight(tab, 'notifications-mail');
  await page.reload();
  await mail('Failed change').waitFor();
  const shown = async (title: string) => mail(title).inputValue();
  expect([
    await shown('Failed change'),
    await shown('Trouble of a backup'),
    await shown('Expiring key'),
  ]).toEqual(['daily', 'none', 'at-once']);
  expect(tab.takeTroubles()).toEqual([]);
});
