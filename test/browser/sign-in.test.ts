// People with a real browser: signing in, letting a device in, accepting an invitation, signing out.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { openTab, startChromium, type Tab } from '../support/browser/chromium.ts';
import { Cli } from '../support/cli/cli.ts';
import { bootstrapToken, PeopleService } from '../support/api/people-service.ts';

let service: PeopleService;
let browser: Browser;
let cli: Cli;
const tabs: Tab[] = [];

beforeAll(async () => {
  [service, browser] = await Promise.all([PeopleService.start(), startChromium()]);
  cli = new Cli();
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
  cli?.remove();
});
afterEach(async () => {
  const all = tabs.splice(0);
  const troubles = all.flatMap((tab) => tab.takeTroubles());
  for (const { context } of all) await context.close();
  expect(troubles).toEqual([]);
});

async function open(options: { dark?: boolean; width?: number } = {}): Promise<Tab> {
  const origins = [service.url, service.provider.issuer];
  const tab = await openTab(browser, { origins, ...options });
  tabs.push(tab);
  return tab;
}

const person = (name: string) => ({
  sub: `sub-${name}`,
  name,
  email: `${name}@example.com`,
  email_verified: true,
});

const pathOf = ({ page }: Tab) => new URL(page.url()).pathname;
const heading = ({ page }: Tab) => page.getByRole('heading', { level: 1 }).innerText();

async function signInAdministrator(tab: Tab): Promise<void> {
  await tab.page.goto(`${service.url}/auth/administrator`);
  await tab.page.getByLabel('Bootstrap token').fill(bootstrapToken);
  await tab.page.getByRole('button', { name: 'Sign in' }).click();
  await tab.page.waitForURL(`${service.url}/auth/account`);
}

async function signIn(tab: Tab, name: string): Promise<void> {
  await service.provider.order({ person: person(name) });
  await tab.page.goto(`${service.url}/auth/login`);
  await tab.page.waitForURL(`${service.url}/auth/account`);
}

test('the administrator signs in with the bootstrap token, and out again', async () => {
  const tab = await open();
  await tab.page.goto(`${service.url}/auth/administrator`);
  await tab.picture('administrator');
  await signInAdministrator(tab);
  expect(await tab.page.getByRole('main').innerText()).toContain('local administrator');
  await tab.picture('account');
  const names = (await tab.context.cookies()).map(({ name }) => name);
  expect(names.sort()).toEqual(['__Host-csrf', '__Host-session']);
  await tab.page.getByRole('button', { name: 'Sign out' }).click();
  await tab.page.getByRole('heading', { name: 'Signed out' }).waitFor();
  await tab.picture('signed-out');
  expect(await tab.context.cookies()).toEqual([]);
  await service.provider.order({ person: person('after') });
  await tab.page.goto(`${service.url}/auth/account`);
  expect(tab.requests.some((url) => url.startsWith(service.provider.issuer))).toBe(true);
});

test('a wrong bootstrap token is told on the form, and the right one is then taken', async () => {
  const tab = await open();
  await tab.page.goto(`${service.url}/auth/administrator?returnTo=/device`);
  await tab.page.getByLabel('Bootstrap token').fill('lhb_wrong');
  await tab.page.getByRole('button', { name: 'Sign in' }).click();
  await tab.page.getByRole('alert').waitFor();
  expect(await tab.page.getByRole('alert').innerText()).toContain('The token is wrong');
  await tab.picture('administrator-wrong');
  // The answer's status is 401, which Chromium reports on the console.
  expect(tab.takeTroubles()).toEqual([expect.stringContaining('401 (Unauthorized)')]);
  await tab.page.getByLabel('Bootstrap token').fill(bootstrapToken);
  await tab.page.getByRole('button', { name: 'Sign in' }).click();
  await tab.page.waitForURL(`${service.url}/device`);
});

test('a person who signs in at the identity provider sees their account, in light and dark, on a narrow screen too', async () => {
  const tab = await open();
  await signIn(tab, 'ada');
  const text = await tab.page.getByRole('main').innerText();
  expect(text).toContain('ada@example.com');
  expect(text).toContain('ask an owner for an invitation');
  const dark = await open({ dark: true, width: 320 });
  await signIn(dark, 'ada');
  await dark.picture('account-dark-narrow');
  const overflow = await dark.page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(overflow).toBe(0);
});

test.each(['Approve', 'Refuse'])(
  'ledgerhouse login is decided on the page: %s',
  async (decision) => {
    const tab = await open();
    const name = decision === 'Refuse' ? 'refuser' : 'approver';
    // Not signed in yet: the way to the page leads through the provider.
    await service.provider.order({ person: person(name) });
    const login = cli.start(['login', '--base-url', service.url, '--profile', name]);
    const [url = ''] = /http\S+user_code=\S+/.exec(await login.says('user_code=')) ?? [];
    await tab.page.goto(url);
    expect(await heading(tab)).toBe('Approve this device?');
    await tab.picture(`device-${name}`);
    await tab.page.getByRole('button', { name: decision }).click();
    await tab.page.getByRole('heading', { name: /^The device/ }).waitFor();
    const { code, stdout, stderr } = await login.ended;
    if (decision === 'Refuse') {
      expect({ code, stderr }).toMatchObject({
        code: 4,
        stderr: expect.stringContaining('refused'),
      });
    } else {
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('approver') });
    }
  },
);

test('a code may be typed on the page', async () => {
  const tab = await open({ dark: true });
  await signInAdministrator(tab);
  const login = cli.start(['login', '--base-url', service.url, '--profile', 'typed']);
  const [, code = ''] = /user_code=(\S+)/.exec(await login.says('user_code=')) ?? [];
  await tab.page.goto(`${service.url}/device`);
  await tab.picture('device-code-dark');
  await tab.page.getByLabel('Code that the device shows').fill(code.toLowerCase());
  await tab.page.getByRole('button', { name: 'Go on' }).click();
  await tab.page.getByRole('heading', { name: 'Approve this device?' }).waitFor();
  await tab.picture('device-dark');
  await tab.page.getByRole('button', { name: 'Approve' }).click();
  await tab.page.getByRole('heading', { name: 'The device was approved' }).waitFor();
  expect(await login.ended).toMatchObject({ code: 0 });
});

test('an invitation is accepted from the link in the mail', async () => {
  const administrator = await service.administrator();
  const { status } = await service.ask(administrator, '/invitations', {
    method: 'POST',
    body: { email: 'grace@example.com', role: 'viewer' },
  });
  expect(status).toBe(201);
  const [url = ''] =
    /http:\S+\/invitation\?token=\S+/.exec(await service.mailTo('grace@example.com')) ?? [];
  await service.provider.order({ person: person('grace') });
  const tab = await open();
  await tab.page.goto(url);
  await tab.picture('invitation');
  await tab.page.getByRole('button', { name: 'Accept' }).click();
  await tab.page.getByRole('heading', { name: 'You are a member' }).waitFor();
  await tab.page.getByRole('link', { name: 'Your account' }).click();
  await tab.page.waitForURL(`${service.url}/auth/account`);
  const text = await tab.page.getByRole('main').innerText();
  expect(text).toMatch(/Default\s+Role\s+viewer/);
});

test('a form whose session has ended changes nothing, and says so without leaving the site', async () => {
  const tab = await open();
  await signIn(tab, 'late');
  await tab.context.clearCookies();
  await tab.page.getByRole('button', { name: 'Sign out' }).click();
  await tab.page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
  expect(tab.takeTroubles()).toEqual([expect.stringContaining('401 (Unauthorized)')]);
});

test('a form on another site does nothing with the session', async () => {
  const tab = await open();
  await signInAdministrator(tab);
  // Another origin, and the same site for the browser: localhost takes the address of the service without its cookies.
  await tab.page.route('http://evil.test/', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<form method="post" action="${service.url}/auth/logout"><button>Win</button></form>`,
    }),
  );
  tab.allow('http://evil.test');
  await tab.page.goto('http://evil.test/');
  await tab.page.getByRole('button', { name: 'Win' }).click();
  await tab.page.waitForURL(`${service.url}/auth/logout`);
  tab.takeTroubles();
  await tab.page.goto(`${service.url}/auth/account`);
  expect(await heading(tab)).toBe('Signed in');
});

test('the documentation opens without a violation', async () => {
  const tab = await open();
  for (const path of ['/docs/openapi', '/docs/problems', '/docs/problems/rate-limited']) {
    await tab.page.goto(`${service.url}${path}`);
    expect(pathOf(tab)).toBe(path);
  }
});
