/** A page in light, dark and on a phone: no fault that axe finds, nothing wider than the window, no trouble; a picture of each. */
import { expect } from '@jest/globals';
import { axeFaults } from './axe.ts';
import type { Tab } from './chromium.ts';

const desktop = { width: 1280, height: 700 };
/** The narrowest window on which a page must fit (WCAG 2.2, 1.4.10). */
const phone = { width: 320, height: 700 };

/** The window has the size of a desktop's afterwards. */
export async function looksRight(tab: Tab, name: string): Promise<void> {
  const { page } = tab;
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await axeFaults(tab)).toEqual([]);
    await tab.picture(`dashboard-${name}-${colorScheme}`);
  }
  await page.setViewportSize(phone);
  const wider = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect([name, wider]).toEqual([name, 0]);
  expect(await axeFaults(tab)).toEqual([]);
  await tab.picture(`dashboard-${name}-phone`);
  await page.setViewportSize(desktop);
  expect(tab.takeTroubles()).toEqual([]);
}
