/**
 * Pictures of the manual: light, of one width, without what moves. Each run keeps them in `.ledgerhouse/test/browser/`; with
 * `LEDGERHOUSE_MANUAL_PICTURES=write` they take the place of those in `docs/images/`.
 */
import { expect } from '@jest/globals';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../shell.ts';
import type { Tab } from './chromium.ts';

/** As wide as the pages need to show their tables whole. */
const width = 1_280;
const folders = {
  kept: join(checkout, '.ledgerhouse/test/browser'),
  manual: join(checkout, 'docs/images'),
} as const;

/** The upper part of the page, `height` pixels of it. */
export async function manualPicture(
  { page }: Tab,
  name: string,
  { height }: { readonly height: number },
): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.mouse.move(0, 0);
  const picture = await page.screenshot({ animations: 'disabled' });
  mkdirSync(folders.kept, { recursive: true });
  writeFileSync(join(folders.kept, `manual-${name}.png`), picture);
  const file = join(folders.manual, `${name}.png`);
  if (process.env['LEDGERHOUSE_MANUAL_PICTURES'] === 'write') writeFileSync(file, picture);
  expect([name, existsSync(file)]).toEqual([name, true]);
}
