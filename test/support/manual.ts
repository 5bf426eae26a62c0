/** Commands of the manual, as a person takes them out of it: what is tested is what stands there. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from '../../base/assert.ts';
import { checkout } from './shell.ts';

/** The blocks of commands of a page, up to its first heading of the second level or below one heading; `page`: under docs/. */
export const commandsOf = (page: string, heading?: string): readonly string[] =>
  blocksOf('sh', page, heading);

/** The same for blocks of YAML. */
export const valuesOf = (page: string, heading?: string): readonly string[] =>
  blocksOf('yaml', page, heading);

function blocksOf(language: 'sh' | 'yaml', page: string, heading?: string): readonly string[] {
  const text = readFileSync(join(checkout, 'docs', page), 'utf8');
  const [opening = '', ...sections] = text.split(/^##+ /m);
  const found =
    heading === undefined ? opening : sections.find((one) => one.startsWith(`${heading}\n`));
  assert(found !== undefined, `${page} has a heading "${heading}"`);
  const fenced = new RegExp(`^( *)\`\`\`${language}\\n([^]*?)^ *\`\`\`$`, 'gm');
  return [...found.matchAll(fenced)].map(([, margin = '', block = '']) =>
    block.replaceAll(new RegExp(`^${margin}`, 'gm'), ''),
  );
}

/** The text with one thing in it replaced, which must be there once. */
export function adapted(commands: string, what: string | RegExp, by: string): string {
  const around = commands.split(what);
  assert(around.length === 2, `the manual's commands hold ${String(what)} once`);
  return around.join(by);
}
