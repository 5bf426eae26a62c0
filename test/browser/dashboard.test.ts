// The dashboard as people meet it, served by the API: headers, signing in, the shell. No cluster is needed for that.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { buildDashboard } from '../../tools/dashboard/build.ts';
import { bootstrapToken, PeopleService } from '../support/api/people-service.ts';
import { openTab, startChromium, type Tab } from '../support/browser/chromium.ts';
import { axeFaults } from '../support/browser/axe.ts';

let folder = '';
let service: PeopleService;
let browser: Browser;
const tabs: Tab[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-dashboard-'));
  buildDashboard(folder);
  [service, browser] = await Promise.all([
    PeopleService.start({ DASHBOARD_FOLDER: folder }),
    startChromium(),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
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
    await page.getByRole('option', { name: text }).first().waitFor();
    await page.keyboard.press('Enter');
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
