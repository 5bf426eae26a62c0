/** Faults that axe finds on a page, against WCAG 2.2 AA: one line for each. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Tab } from './chromium.ts';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

interface Found {
  readonly violations: readonly {
    readonly id: string;
    readonly help: string;
    readonly nodes: readonly { readonly target: readonly string[] }[];
  }[];
}

export async function axeFaults({ page }: Tab): Promise<readonly string[]> {
  // Evaluated by the browser's own debugger, which the page's policy does not concern.
  const isThere = await page.evaluate('typeof axe !== "undefined"');
  if (isThere !== true) await page.evaluate(source);
  const { violations } = await page.evaluate<Found>(
    `axe.run(document, { runOnly: ${JSON.stringify(tags)}, resultTypes: ['violations'] })`,
  );
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target }) => `${id}: ${help}: ${target.join(' ')}`),
  );
}
