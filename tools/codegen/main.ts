/**
 * Makes every generated file: `node tools/codegen/main.ts` writes them, `--check` fails if a committed file differs from the
 * content that its source gives. A generator is a function without input that returns file contents; it reads its own sources.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { generators } from './generators.ts';

const check = process.argv.includes('--check');
let stale = 0;
for (const generator of generators) {
  for (const [path, content] of Object.entries(await generator())) {
    if (read(path) === content) continue;
    if (check) {
      console.error(`${path} differs from its source; run: make gen`);
      stale += 1;
    } else {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      console.log(`wrote ${path}`);
    }
  }
}
process.exitCode = stale === 0 ? 0 : 1;

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
