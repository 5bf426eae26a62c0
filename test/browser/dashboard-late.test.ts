// Files of the dashboard that cannot be loaded, as after a deployment: the page stays, and nothing that was typed is lost.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { apiKeyExample } from '../../api/contract/schemas/api-key.ts';
import { databaseExample } from '../../api/contract/schemas/database.ts';
import { sessionExample } from '../../api/contract/schemas/session.ts';
import { rightsOf } from '../../api/model/access.ts';
import { openTab, startChromium, startChromiumIn, type Tab } from '../support/browser/chromium.ts';
import { answerFromExample } from '../support/browser/example-ledger.ts';
import { answerMonitoring } from '../support/browser/example-monitoring.ts';
import { FixedService } from '../support/browser/fixed-service.ts';

const base = `/o/acme/databases/${databaseExample.name}`;
const explorer = `${base}/explorer?op=query_accounts&run=1`;
let service: FixedService;
let browser: Browser;
let tab: Tab;

beforeAll(async () => {
  [service, browser] = await Promise.all([FixedService.start(), startChromium()]);
  const owned = { role: 'owner', rights: rightsOf('owner'), namespace: 'org-acme' } as const;
  const organization = { ...sessionExample.organization, slug: 'acme', ...owned };
  service.when('getSession', () => ({
    body: { ...sessionExample, organization, organizations: [organization] },
  }));
  answerFromExample(service);
  answerMonitoring(service, databaseExample.id, new Date());
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});
beforeEach(async () => {
  tab = await openTab(browser, { origins: [service.url], width: 1_280 });
  // On a page that is there already, a route begins a moment late: what the page asks for at once would get through.
  await tab.page.route('**/never', (route) => route.abort());
});
afterEach(() => tab.context.close());

/** The service has these files no more. */
async function without(part: string) {
  const gone = new RegExp(`/assets/${part}-[^/]+\\.js$`);
  await tab.page.route(gone, (route) => route.fulfill({ status: 404 }));
  return gone;
}

/** As if the page had been loaded anew for this build: it is not, a second time. */
async function wasLoadedAnew() {
  await tab.page.evaluate(
    `sessionStorage.setItem('ledgerhouse.reloaded', document.querySelector('script[type=module][src]').src)`,
  );
}

const openKeys = async () => {
  await tab.page.goto(`${service.url}/o/acme/settings/keys`);
  await tab.page.getByRole('row', { name: /^ci/ }).waitFor();
};

/** The page hears keys by the time that it shows an answer: its heading may be there before. */
async function pressOnceHeard(key: string) {
  await tab.page.getByRole('row', { name: /^1001/ }).waitFor();
  await tab.page.keyboard.press(key);
}

const parts = [
  {
    part: 'Results',
    says: 'The result',
    path: explorer,
    ask: async () => undefined,
  },
  {
    part: 'ResultTable',
    says: 'The table of rows',
    path: explorer,
    ask: async () => undefined,
  },
  {
    part: 'RowDrawer',
    says: 'The fields of the row',
    path: explorer,
    ask: () => tab.page.getByRole('row', { name: /^1001/ }).press('Enter'),
  },
  {
    part: 'SaveQuery',
    says: 'The form that saves a query',
    path: explorer,
    ask: () => tab.page.getByRole('button', { name: 'Save', exact: true }).click(),
  },
  {
    part: 'SavedList',
    says: 'The saved queries',
    path: explorer,
    ask: () => tab.page.getByText('Saved queries', { exact: true }).click(),
  },
  {
    part: 'Charts',
    says: 'The charts',
    path: `${base}/monitoring`,
    ask: async () => undefined,
  },
  {
    part: 'ImportCard',
    says: 'The upload',
    path: '/o/acme/databases/new',
    ask: () => tab.page.getByRole('radio', { name: /^Import/ }).check(),
  },
  {
    part: 'Palette',
    says: 'The search',
    path: explorer,
    ask: () => pressOnceHeard('Control+k'),
  },
  {
    part: 'Shortcuts',
    says: 'The list of shortcuts',
    path: explorer,
    ask: () => pressOnceHeard('?'),
  },
] as const;

test.each(parts)('where $part cannot be loaded, the page stays and says so', async (one) => {
  const { page } = tab;
  await openKeys();
  await wasLoadedAnew();
  await without(one.part);
  await page.goto(`${service.url}${one.path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await one.ask();
  await page
    .getByRole('alert')
    .filter({ hasText: `${one.says} could not be loaded.` })
    .waitFor();
  expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(true);
  expect(await page.getByRole('heading', { name: 'This page cannot be shown' }).count()).toBe(0);
});

/** The clock of the pages to come stands still: a load that follows by itself comes when the test says so, however slow the machine is. */
async function stopClock() {
  await tab.page.clock.install();
  await tab.page.clock.pauseAt(Date.now() + 60_000);
}

/** Lets so much time pass, and waits for the load that follows. */
async function afterPause(ms: number) {
  const anew = tab.page.waitForEvent('load');
  await tab.page.clock.runFor(ms);
  await anew;
}

test.each(['js', 'css'])(
  'a page of one build whose %s another build does not have is loaded again by itself',
  async (ending) => {
    const { page } = tab;
    let asked = 0;
    // The first server is of another build than the page, the next one is of the same.
    await page.route(new RegExp(`/assets/(?:index|style)-[^/]+\\.${ending}$`), (route) => {
      asked += 1;
      return asked === 1 ? route.fulfill({ status: 404 }) : route.fallback();
    });
    await stopClock();
    await page.goto(`${service.url}/o/acme/settings/keys`);
    await page.getByRole('heading', { name: 'The dashboard is not there yet' }).waitFor();
    await afterPause(1_000);
    await page.clock.resume();
    await page.getByRole('row', { name: /^ci/ }).waitFor();
    expect(asked).toBe(2);
  },
);

/** Keeps the script of a first load away; tells how often it was asked for, and lets it come back. */
async function withoutScript(page: Page) {
  let asked = 0;
  const gone = /\/assets\/index-[^/]+\.js$/;
  await page.route(gone, (route) => {
    asked += 1;
    return route.fulfill({ status: 404 });
  });
  return { asked: () => asked, back: () => page.unroute(gone) };
}

test('a page whose script stays away is loaded again a few times, and then says so', async () => {
  const { page } = tab;
  await stopClock();
  const script = await withoutScript(page);
  await page.goto(`${service.url}/o/acme/settings/keys`);
  for (let loads = 1; loads <= 4; loads += 1) {
    await page.getByText('The page is loaded again by itself').waitFor();
    await afterPause(8_000);
  }
  await page.getByText('Try again in a minute.').waitFor();
  expect(script.asked()).toBe(5);
  await script.back();
  await page.clock.resume();
  await page.getByRole('button', { name: 'Load anew' }).click();
  await page.getByRole('row', { name: /^ci/ }).waitFor();
});

test('a new build is loaded at once where nobody has typed anything', async () => {
  const { page } = tab;
  await openKeys();
  await without('Palette');
  const anew = page.waitForEvent('load');
  await page.keyboard.press('Control+k');
  await anew;
  await page.getByRole('row', { name: /^ci/ }).waitFor();
});

test('a new build that is noticed while a person types waits, and they choose when it is loaded', async () => {
  const { page } = tab;
  await openKeys();
  await page.getByRole('searchbox', { name: /name/i }).fill('pay');
  const gone = await without('Members');
  const answer = page.waitForResponse(gone);
  await page.getByRole('link', { name: 'Members' }).hover();
  expect((await answer).status()).toBe(404);
  const load = page.getByRole('button', { name: 'Load anew' });
  await load.waitFor();
  expect(await page.getByRole('searchbox', { name: /name/i }).inputValue()).toBe('pay');
  await page.unroute(gone);
  const anew = page.waitForEvent('load');
  await load.click();
  await anew;
  await page.getByRole('row', { name: /^ci/ }).waitFor();
  expect(await load.count()).toBe(0);
});

test('a secret that is shown once is not lost to a new build', async () => {
  const { page } = tab;
  const secret = `lhk_${'0'.repeat(51)}`;
  service.when('rotateApiKey', () => ({
    status: 201,
    body: { success: true, apiKey: apiKeyExample, secret },
  }));
  await openKeys();
  await page.getByRole('button', { name: 'Replace ci' }).click();
  await page.getByRole('button', { name: 'Replace key' }).click();
  await page.getByText(secret).waitFor();
  // Nor to a key or a click that was not meant.
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  await page.getByText(secret).waitFor();
  const gone = await without('Palette');
  const answer = page.waitForResponse(gone);
  await page.keyboard.press('Control+k');
  expect((await answer).status()).toBe(404);
  const load = page.getByText('The service has a new version of this page.');
  await load.waitFor();
  await page.getByText(secret).waitFor();
});

test('a new build waits while the answer of a change is awaited, though nobody has typed anything', async () => {
  const { page } = tab;
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  service.when('readNotifications', async () => {
    asked.resolve();
    await answer.promise;
    return { body: { success: true, unread: 0 } };
  });
  await page.goto(`${service.url}/o/acme/notifications`);
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await asked.promise;
  const gone = await without('Palette');
  const missing = page.waitForResponse(gone);
  await page.keyboard.press('Control+k');
  expect((await missing).status()).toBe(404);
  await page.getByText('The service has a new version of this page.').waitFor();
  answer.resolve();
  await page.getByText('All are read').waitFor({ state: 'attached' });
});

test('where the load brought the build of before again, as in the middle of a rollout, the page says so and can be loaded anew', async () => {
  const { page } = tab;
  await openKeys();
  await wasLoadedAnew();
  const gone = await without('Palette');
  await page.keyboard.press('Control+k');
  await page.getByText('The service may be in the middle of an update').waitFor();
  await page.unroute(gone);
  const anew = page.waitForEvent('load');
  await page.getByRole('button', { name: 'Load anew' }).click();
  await anew;
  await page.getByRole('row', { name: /^ci/ }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'A database, page or organization' }).waitFor();
});

/** A browser in which somebody has blocked all site data: cookies, and what pages keep. */
async function startBlocking() {
  const folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-blocking-'));
  mkdirSync(join(folder, 'Default'));
  const blocked = { profile: { default_content_setting_values: { cookies: 2 } } };
  writeFileSync(join(folder, 'Default/Preferences'), JSON.stringify(blocked));
  const context = await startChromiumIn(folder);
  return {
    page: context.pages()[0] ?? (await context.newPage()),
    stop: async () => {
      await context.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

test('where a browser blocks site data, a first load that meets two builds is made again once, and then says what to do', async () => {
  const { page, stop } = await startBlocking();
  try {
    await page.goto(`${service.url}/o/acme/databases`);
    await page.getByRole('link', { name: databaseExample.name, exact: true }).waitFor();
    expect(await page.evaluate('try { sessionStorage; "kept" } catch (error) { error.name }')).toBe(
      'SecurityError',
    );
    // What is chosen holds on the page.
    await page.getByLabel('Colours').selectOption('Dark');
    await page.getByRole('button', { name: 'Dismiss' }).click();
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    // A part that is missing later does not load the page for ever.
    const part = /\/assets\/(Palette|Keys)-[^/]+\.js$/;
    await page.route(part, (route) => route.fulfill({ status: 404 }));
    await page.keyboard.press('Control+k');
    await page.getByText('The service has a new version of this page.').waitFor();
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByText('A part of the dashboard is missing').waitFor();
    await page.unroute(part);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('row', { name: /^ci/ }).waitFor();
    const script = await withoutScript(page);
    await page.goto(`${service.url}/o/acme/settings/keys`);
    await page.getByText('The page is loaded again by itself').waitFor();
    await page.getByText('Try again in a minute.').waitFor();
    expect(script.asked()).toBe(2);
    await script.back();
    await page.getByRole('button', { name: 'Load anew' }).click();
    await page.getByRole('row', { name: /^ci/ }).waitFor();
  } finally {
    await stop();
  }
});
