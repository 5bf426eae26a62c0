// The dashboard as people meet it, served by the API: headers, signing in, the shell. No cluster is needed for that.
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { bootstrapToken, PeopleService } from '../support/api/people-service.ts';
import { builtDashboard } from '../support/browser/built-dashboard.ts';
import { openTab, startChromium, type Tab } from '../support/browser/chromium.ts';
import { axeFaults } from '../support/browser/axe.ts';
import { looksRight } from '../support/browser/looks-right.ts';
import { manualPicture } from '../support/browser/manual-picture.ts';

let service: PeopleService;
let browser: Browser;
const tabs: Tab[] = [];

beforeAll(async () => {
  [service, browser] = await Promise.all([
    PeopleService.start({ DASHBOARD_FOLDER: builtDashboard() }),
    startChromium(),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});
afterEach(async () => {
  const all = tabs.splice(0);
  const troubles = all.flatMap((tab) => tab.takeTroubles());
  for (const { context } of all) await context.close();
  expect(troubles).toEqual([]);
});

async function open(options: { dark?: boolean; width?: number } = {}): Promise<Tab> {
  const tab = await openTab(browser, {
    origins: [service.url, service.provider.issuer],
    ...options,
  });
  tabs.push(tab);
  return tab;
}

/** Signs the local administrator in; the browser is then at the start of the dashboard. */
async function signIn(tab: Tab): Promise<void> {
  await tab.page.goto(`${service.url}/auth/administrator`);
  await tab.page.getByLabel('Bootstrap token').fill(bootstrapToken);
  await tab.page.getByRole('button', { name: 'Sign in' }).click();
  await tab.page.getByRole('heading', { level: 1, name: 'Databases' }).waitFor();
}

const person = (name: string) => ({
  sub: `sub-${name}`,
  name,
  email: `${name}@example.com`,
  email_verified: true,
});

test('the page is asked for again each time and its assets never, and the policy is strict', async () => {
  const page = await fetch(`${service.url}/o/acme/databases?q=x`);
  expect(page.status).toBe(200);
  expect(page.headers.get('cache-control')).toBe('no-cache');
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
  expect(policy).toContain("require-trusted-types-for 'script'");
  expect(policy).not.toMatch(/unsafe|nonce|sha256/);
  expect(page.headers.get('cross-origin-opener-policy')).toBe('same-origin');
  const etag = page.headers.get('etag') ?? '';
  const again = await fetch(`${service.url}/`, { headers: { 'if-none-match': etag } });
  expect(again.status).toBe(304);
  const [script = ''] = /\/assets\/[^"]+\.js/.exec(await page.text()) ?? [];
  const asset = await fetch(`${service.url}${script}`, { headers: { 'accept-encoding': 'br' } });
  expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(asset.headers.get('content-encoding')).toBe('br');
  expect(asset.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
});

test('a missing asset is not found, and is never answered with the page', async () => {
  for (const path of ['/assets/gone-1234.js', '/assets/..%2findex.html', '/.vite/manifest.json']) {
    const { status, headers } = await fetch(`${service.url}${path}`);
    expect([path, status, headers.get('content-type')]).toEqual([
      path,
      404,
      'application/problem+json; charset=utf-8',
    ]);
  }
});

test('paths that are not the dashboard’s stay as they are', async () => {
  for (const path of [
    '/api/v1/nothing',
    '/auth/nothing',
    '/oauth/nothing',
    '/docs/nothing',
    '/x',
  ]) {
    expect([path, (await fetch(`${service.url}${path}`)).status]).toEqual([path, 404]);
  }
  const document = await fetch(`${service.url}/docs/openapi`);
  expect(await document.text()).toContain('reference.css');
});

test('a person who is not signed in is led to the sign-in page and back to the same address', async () => {
  const tab = await open();
  await service.provider.order({ person: person('guest') });
  await tab.page.goto(`${service.url}/account`);
  await tab.page.getByRole('heading', { level: 1, name: 'Account' }).waitFor();
  expect(new URL(tab.page.url()).pathname).toBe('/account');
  expect(tab.takeTroubles()).toEqual([expect.stringContaining('401 (Unauthorized)')]);
});

test('a person without an organization is told to ask for an invitation', async () => {
  const tab = await open();
  await service.provider.order({ person: person('lonely') });
  await tab.page.goto(`${service.url}/auth/login`);
  await tab.page.getByRole('heading', { name: 'No organization yet' }).waitFor();
  expect(await tab.page.getByRole('main').innerText()).toContain('lonely@example.com');
  await tab.picture('dashboard-no-organization');
});

test.each([
  { dark: false, width: 1280 },
  { dark: true, width: 390 },
])('the administrator signs in and meets the list: %o', async (options) => {
  const tab = await open(options);
  await signIn(tab);
  expect(await tab.page.title()).toBe('Databases · Ledgerhouse');
  await tab.page.getByRole('heading', { name: 'No database yet' }).waitFor();
  expect(await axeFaults(tab)).toEqual([]);
  await tab.picture(`dashboard-empty-${options.dark ? 'dark-phone' : 'light'}`);
});

test('the administrator makes an organization and switches between both, with the keyboard alone', async () => {
  const tab = await open({ width: 1280 });
  const { page } = tab;
  await signIn(tab);
  const inPalette = async (text: string) => {
    await page.keyboard.press('Control+k');
    await page.locator('[role=combobox]:focus').waitFor();
    await page.keyboard.type(text);
    await page.getByRole('option', { name: text, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Go to' }).waitFor({ state: 'detached' });
  };
  await page.goto(`${service.url}/organizations/new`);
  await page.getByLabel('Name', { exact: true }).focus();
  await page.keyboard.type('Café & Söhne');
  expect(await page.getByLabel('Short name').inputValue()).toBe('cafe-sohne');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${service.url}/o/cafe-sohne/databases`);
  await page.getByRole('heading', { level: 1, name: 'Databases' }).waitFor();
  await inPalette('Default');
  await page.waitForURL(`${service.url}/o/default/databases`);
  await inPalette('Account');
  await page.waitForURL(`${service.url}/account`);
  await page.getByText('This one').waitFor();
  expect(await axeFaults(tab)).toEqual([]);
  await tab.picture('dashboard-account');
});

test('the administrator renames, limits, suspends, deletes and restores an organization', async () => {
  const tab = await open({ width: 1280 });
  const { page } = tab;
  await signIn(tab);
  await page.goto(`${service.url}/organizations/new`);
  await page.getByLabel('Name', { exact: true }).fill('Shop');
  await page.getByRole('button', { name: 'Create organization' }).click();
  await page.waitForURL(`${service.url}/o/shop/databases`);
  // The address changes before the page does, and the form for a new organization has a name, too.
  await page.getByRole('heading', { level: 1, name: 'Databases' }).waitFor();
  await page.getByRole('link', { name: 'Organization', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Organization', exact: true }).waitFor();
  await page.getByLabel('Name').fill('Shop of Europe');
  await page.getByRole('button', { name: 'Change the name' }).click();
  await page.getByRole('button', { name: 'Shop of Europe' }).waitFor();
  await page.getByLabel('Databases at most').fill('3');
  await page.getByRole('button', { name: 'Set the quota' }).click();
  await page.getByRole('definition').filter({ hasText: /^3$/ }).waitFor();
  await page.getByRole('button', { name: 'Suspend it' }).click();
  await page.getByLabel('Reason').fill('The contract has ended.');
  await page.getByRole('button', { name: 'Suspend', exact: true }).click();
  await page.getByText('Shop of Europe is suspended: The contract has ended.').waitFor();
  await looksRight(tab, 'organization');
  await page.getByRole('button', { name: 'End the suspension' }).click();
  await page.getByText('Shop of Europe is suspended').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Delete it' }).click();
  await page.getByLabel('Type shop to go on').fill('shop');
  await page.getByRole('button', { name: 'Delete organization' }).click();
  await page.waitForURL(`${service.url}/organizations`);
  const row = page.getByRole('row').filter({ hasText: 'Shop of Europe' });
  await row.waitFor({ state: 'detached' });
  await page.getByLabel('Deleted ones, too').check();
  await row.getByText('gone for good').waitFor();
  await looksRight(tab, 'organizations');
  await row.getByRole('button', { name: 'Restore Shop of Europe' }).click();
  await row.getByRole('link', { name: 'Shop of Europe', exact: true }).click();
  await page.waitForURL(`${service.url}/o/shop/databases`);
});

/** Invites a person as the page does. Returns the link for them. */
async function invite({ page }: Tab, name: string, role: string): Promise<string> {
  await page.goto(`${service.url}/o/default/settings/members`);
  await page.getByRole('button', { name: 'Invite somebody' }).click();
  await page.getByLabel('Address', { exact: true }).fill(`${name}@example.com`);
  await page.getByRole('dialog').getByLabel('Role').selectOption(role);
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  const link = page.getByText(/\/invitation\?token=/);
  const url = (await link.textContent()) ?? '';
  await page.getByRole('button', { name: 'Done' }).click();
  return url;
}

/** The person follows the link, and is in the dashboard then. */
async function join(name: string, url: string): Promise<Tab> {
  const tab = await open({ width: 1280 });
  await service.provider.order({ person: person(name) });
  await tab.page.goto(url);
  await tab.page.getByRole('button', { name: 'Accept' }).click();
  await tab.page.getByRole('heading', { name: 'You are a member' }).waitFor();
  await tab.page.goto(`${service.url}/o/default/databases`);
  await tab.page.getByRole('heading', { level: 1, name: 'Databases' }).waitFor();
  return tab;
}

test('a member gets another role, leaves; and the keys of one who is removed go with them', async () => {
  const owner = await open({ width: 1280 });
  await signIn(owner);
  const { page } = owner;
  const leaver = await join('leaver', await invite(owner, 'leaver', 'viewer'));
  await page.reload();
  const row = page.getByRole('row').filter({ hasText: 'leaver@example.com' }).first();
  await row.getByRole('button', { name: 'Change leaver' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Databases').selectOption('Only some');
  const change = page.getByRole('button', { name: /^Change member/ });
  expect(await change.getAttribute('aria-disabled')).toBe('true');
  await dialog.getByLabel('Role').selectOption('billing');
  await change.click();
  await row.getByText('billing', { exact: true }).waitFor();
  await leaver.page.goto(`${service.url}/o/default/settings/organization`);
  await leaver.page.getByRole('button', { name: 'Leave the organization' }).click();
  await leaver.page.getByRole('button', { name: 'Leave it' }).click();
  await leaver.page.getByRole('heading', { name: 'No organization yet' }).waitFor();

  const maker = await join('maker', await invite(owner, 'maker', 'admin'));
  await maker.page.goto(`${service.url}/o/default/settings/keys`);
  await maker.page.getByRole('button', { name: 'New key' }).click();
  await maker.page.getByRole('textbox', { name: 'Name' }).fill('nightly');
  await maker.page.getByRole('button', { name: 'Make key' }).click();
  await maker.page.getByRole('button', { name: 'I have kept it' }).click();
  await maker.page.getByRole('button', { name: 'Change end of nightly' }).click();
  await maker.page.getByRole('dialog').getByLabel('Ends').selectOption('Never');
  await maker.page.getByRole('button', { name: 'Change end' }).click();
  await maker.page.getByRole('row', { name: /nightly.* never never/ }).waitFor();
  // A page of somebody who was removed may ask once more for what is no longer theirs, and is refused.
  await maker.context.close();
  await page.reload();
  await page.getByRole('button', { name: 'Remove maker' }).click();
  await manualPicture(owner, 'members', { height: 620 });
  await looksRight(owner, 'member-remove');
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByRole('button', { name: 'Remove maker' }).waitFor({ state: 'detached' });
  await page.goto(`${service.url}/o/default/settings/keys`);
  await page.getByRole('row').filter({ hasText: 'nightly' }).getByText('revoked').waitFor();
});

test('the events that the filters leave are saved as one file', async () => {
  const tab = await open({ width: 1280 });
  const { page } = tab;
  await signIn(tab);
  await page.goto(`${service.url}/o/default/settings/audit?type=member.removed`);
  await page
    .getByRole('row', { name: /member\.removed/ })
    .nth(1)
    .waitFor();
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as CSV' }).click();
  const lines = readFileSync(await (await saved).path(), 'utf8')
    .trim()
    .split('\r\n');
  expect(lines).toEqual([
    expect.stringMatching(/^sequence,id,occurredAt,type/),
    expect.stringContaining('member.removed'),
    expect.stringContaining('member.removed'),
  ]);
  await looksRight(tab, 'audit');
});
