// The list of keyboard shortcuts, against fixed answers: it tells what the keyboard does, and each line of it is tried.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { databaseExample } from '../../api/contract/schemas/database.ts';
import { sessionExample } from '../../api/contract/schemas/session.ts';
import { rightsOf } from '../../api/model/access.ts';
import { openTab, startChromium, type Tab } from '../support/browser/chromium.ts';
import { answerFromExample } from '../support/browser/example-ledger.ts';
import { answerMonitoring } from '../support/browser/example-monitoring.ts';
import { FixedService } from '../support/browser/fixed-service.ts';
import { looksRight } from '../support/browser/looks-right.ts';

const base = `/o/acme/databases/${databaseExample.name}`;
const now = '2026-11-21T03:03:04.567Z';
let service: FixedService;
let browser: Browser;
let tab: Tab;

beforeAll(async () => {
  [service, browser] = await Promise.all([FixedService.start(), startChromium()]);
  service.time = now;
  const owned = { role: 'owner', rights: rightsOf('owner'), namespace: 'org-acme' } as const;
  const organization = { ...sessionExample.organization, name: 'Acme', slug: 'acme', ...owned };
  service.when('getSession', () => ({
    body: { ...sessionExample, organization, organizations: [organization] },
  }));
  answerFromExample(service);
  answerMonitoring(service, databaseExample.id, new Date(now));
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});
beforeEach(async () => {
  tab = await openTab(browser, { origins: [service.url], width: 1_280 });
  await tab.page.clock.setFixedTime(now);
});
afterEach(() => tab.context.close());

const list = () => tab.page.getByRole('dialog', { name: 'Keyboard shortcuts' });
const palette = () => tab.page.getByRole('dialog', { name: 'Go to' });
const field = () => palette().getByRole('combobox');
/** What is open hears keys once it has the focus, which it takes a moment after it is seen. */
const listHasFocus = () => list().locator(':focus').first().waitFor();

async function openKeys() {
  await tab.page.goto(`${service.url}/o/acme/settings/keys`);
  await tab.page.getByRole('row', { name: /^ci/ }).waitFor();
}

async function openList() {
  await openKeys();
  await tab.page.keyboard.press('?');
  await listHasFocus();
}

/** Presses keys until the focus is where it is wanted. */
async function tabTo(name: string) {
  const { page } = tab;
  const at = page.getByRole('link', { name }).and(page.locator(':focus'));
  await page.keyboard.press('Tab');
  await at.waitFor();
}

const chart = () => tab.page.getByRole('slider', { name: 'Time on the chart Requests' });
const stepOf = () => chart().getAttribute('aria-valuenow').then(Number);

async function openChart() {
  await tab.page.goto(`${service.url}${base}/monitoring`);
  await chart().focus();
  await tab.page.keyboard.press('End');
}

async function openRow() {
  const { page } = tab;
  await page.goto(`${service.url}${base}/explorer?op=query_accounts&run=1`);
  await page.getByRole('row', { name: /^1001/ }).focus();
}

const rowFields = () => tab.page.getByRole('dialog', { name: 'Account' });
const shownSpan = () => tab.page.getByRole('button', { name: /^Back to / });

test('the search finds a page by a part of its database’s name and of its own, in any order', async () => {
  const { page } = tab;
  const names = ['alpha', 'payments-prod', 'zeta'];
  service.when('listDatabases', ({ query }) => {
    const { q = '' } = query as { readonly q?: string };
    const data = names
      .filter((name) => name.includes(q))
      .map((name) => ({ ...databaseExample, id: `${databaseExample.id}${name}`, name }));
    return { body: { data, page: { limit: 8, nextCursor: null, hasMore: false } } };
  });
  await openKeys();
  await page.keyboard.press('Control+k');
  for (const typed of ['payments conf', 'conf payments']) {
    await field().fill(typed);
    await palette()
      .getByRole('option', { name: 'payments-prod: configuration', selected: true })
      .waitFor();
  }
  service.forget('listDatabases');
  expect(tab.takeTroubles()).toEqual([]);
});

/** Each line of the list, and what proves it. */
const lines: Readonly<Record<string, () => Promise<void>>> = {
  'Ctrl K or ⌘ K: Search, and go to a database, page or organization': async () => {
    await openKeys();
    for (const keys of ['Control+k', 'Meta+k']) {
      await tab.page.keyboard.press(keys);
      await field().and(tab.page.locator(':focus')).waitFor();
      await tab.page.keyboard.press('Escape');
      await palette().waitFor({ state: 'detached' });
    }
  },
  '?: This list': openList,
  'Tab: First: to the link that skips to the page': async () => {
    await openKeys();
    await tabTo('Skip to the page');
    await tab.page.keyboard.press('Enter');
    await tab.page.locator('main:focus').waitFor();
  },
  'Esc: Close what is open over the page': async () => {
    await openList();
    await tab.page.keyboard.press('Escape');
    await list().waitFor({ state: 'detached' });
  },
  '↑ or ↓: The entry before, and the next one': async () => {
    await openKeys();
    await tab.page.keyboard.press('Control+k');
    const chosen = palette().getByRole('option', { selected: true });
    const options = palette().getByRole('option');
    // The databases come later than the pages, and before them.
    await options.filter({ hasText: databaseExample.name }).nth(1).waitFor();
    await field().and(tab.page.locator(':focus')).waitFor();
    const [first, second] = await options.allInnerTexts();
    await tab.page.keyboard.press('ArrowDown');
    expect(await chosen.innerText()).toBe(second);
    await tab.page.keyboard.press('ArrowUp');
    expect(await chosen.innerText()).toBe(first);
  },
  'Enter: Choose the entry': async () => {
    await openKeys();
    await tab.page.keyboard.press('Control+k');
    await field().fill('audit');
    await palette().getByRole('option', { name: 'Audit log', selected: true }).waitFor();
    await tab.page.keyboard.press('Enter');
    await tab.page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
  },
  '← or →: The tab before, and the next one': async () => {
    const { page } = tab;
    await page.goto(`${service.url}${base}/explorer?op=query_accounts&run=1`);
    await page.getByRole('tab', { name: 'Table' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tab', { name: 'JSON', selected: true }).waitFor();
    await page.keyboard.press('ArrowLeft');
    await page.getByRole('tab', { name: 'Table', selected: true }).waitFor();
  },
  'Enter or Space: All fields of the row': async () => {
    for (const key of ['Enter', 'Space']) {
      await openRow();
      await tab.page.keyboard.press(key);
      await rowFields().waitFor();
    }
  },
  '← or →: A step back, and a step on': async () => {
    await openChart();
    const last = await stepOf();
    await tab.page.keyboard.press('ArrowLeft');
    expect(await stepOf()).toBe(last - 1);
    await tab.page.keyboard.press('ArrowRight');
    expect(await stepOf()).toBe(last);
  },
  'Page Down or Page Up: Ten steps back, and ten steps on': async () => {
    await openChart();
    const last = await stepOf();
    await tab.page.keyboard.press('PageDown');
    expect(await stepOf()).toBe(last - 10);
    await tab.page.keyboard.press('PageUp');
    expect(await stepOf()).toBe(last);
  },
  'Home or End: The first step, and the last one': async () => {
    await openChart();
    const last = await stepOf();
    await tab.page.keyboard.press('Home');
    expect(await stepOf()).toBe(0);
    await tab.page.keyboard.press('End');
    expect(await stepOf()).toBe(last);
  },
  'Shift ← or Shift →: Mark a part': async () => {
    await openChart();
    await tab.page.keyboard.press('PageDown');
    const step = await stepOf();
    for (const key of ['Shift+ArrowLeft', 'Shift+ArrowRight', 'Shift+ArrowRight']) {
      await tab.page.keyboard.press(key);
    }
    expect(await stepOf()).toBe(step + 1);
    expect(await chart().getAttribute('aria-valuetext')).toMatch(/marked from/);
  },
  'Enter: Show the marked part closer': async () => {
    await openChart();
    await tab.page.keyboard.press('PageDown');
    for (let step = 0; step < 8; step += 1) await tab.page.keyboard.press('Shift+ArrowLeft');
    await tab.page.keyboard.press('Enter');
    await shownSpan().waitFor();
  },
  'Esc: Unmark it': async () => {
    await openChart();
    await tab.page.keyboard.press('Shift+ArrowLeft');
    await tab.page.keyboard.press('Escape');
    expect(await chart().getAttribute('aria-valuetext')).not.toMatch(/marked from/);
  },
};

test('the list has the lines that are tried here, and no other', async () => {
  await openList();
  const shown = await list()
    .locator('dl > div')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.children].map(({ textContent }) => textContent).join(': ')),
    );
  expect(shown).toEqual(Object.keys(lines));
  await looksRight(tab, 'shortcuts');
});

test.each(Object.entries(lines))('the keyboard does what is listed: %s', async (_line, tryIt) => {
  await tryIt();
  expect(tab.takeTroubles()).toEqual([]);
});

test('the list is a step away in the side bar and in the search, and gives the focus back', async () => {
  const { page } = tab;
  await openKeys();
  const button = page.getByRole('button', { name: 'Keyboard shortcuts' });
  await button.focus();
  await page.keyboard.press('Enter');
  await listHasFocus();
  await page.keyboard.press('Escape');
  await button.and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Control+k');
  await field().fill('shortcuts');
  await palette()
    .getByRole('option', { name: /shortcuts/i, selected: true })
    .waitFor();
  await page.keyboard.press('Enter');
  await list().getByRole('heading', { name: 'On a chart' }).waitFor();
  await palette().waitFor({ state: 'detached' });
  await listHasFocus();
  await page.keyboard.press('Escape');
  await list().waitFor({ state: 'detached' });
  expect(tab.takeTroubles()).toEqual([]);
});

test('a question mark that somebody types stays text, and it opens nothing once it is switched off', async () => {
  const { page } = tab;
  await openKeys();
  await page.keyboard.press('Control+k');
  await field().press('?');
  await palette().getByText('Nothing has “?” in its name.').waitFor();
  expect(await list().count()).toBe(0);
  await page.keyboard.press('Escape');
  await palette().waitFor({ state: 'detached' });
  await page.keyboard.press('?');
  await list().getByRole('checkbox', { name: 'The question mark opens this list' }).uncheck();
  await page.keyboard.press('Escape');
  await list().waitFor({ state: 'detached' });
  await page.keyboard.press('?');
  // What the next key opens is there; the question mark before it opened nothing.
  await page.keyboard.press('Control+k');
  await field().waitFor();
  expect(await list().count()).toBe(0);
  await page.reload();
  await page.getByRole('row', { name: /^ci/ }).waitFor();
  await page.keyboard.press('?');
  await page.keyboard.press('Control+k');
  await field().waitFor();
  expect(await list().count()).toBe(0);
});
