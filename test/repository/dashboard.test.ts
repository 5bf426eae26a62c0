/** The dashboard: its types, and the bytes that a browser loads. Sizes are of gzip −9, as the service sends them. */
import { beforeAll, expect, test } from '@jest/globals';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { builtDashboard } from '../support/browser/built-dashboard.ts';
import { checkout, mustRun } from '../support/shell.ts';

interface Chunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

const kB = 1_000;
const folder = builtDashboard();
let chunks: Readonly<Record<string, Chunk>> = {};

beforeAll(() => {
  const manifest = readFileSync(join(folder, '.vite/manifest.json'), 'utf8');
  chunks = JSON.parse(manifest) as typeof chunks;
});

/** Files that a browser loads for these chunks, what they import included. */
function filesOf(names: readonly string[]): ReadonlySet<string> {
  const files = new Set<string>();
  const visit = (name: string) => {
    const chunk = chunks[name];
    if (chunk === undefined) throw new Error(`no chunk ${name}`);
    if (files.has(chunk.file)) return;
    files.add(chunk.file);
    chunk.imports?.forEach(visit);
  };
  names.forEach(visit);
  return files;
}

const sizeOf = (files: Iterable<string>): number =>
  [...files].reduce((sum, file) => sum + statSync(join(folder, `${file}.gz`)).size, 0);

test('the types of the dashboard are right', async () => {
  await mustRun(join(checkout, 'node_modules/.bin/tsc'), ['-p', 'dashboard']);
});

test('the first bundle has at most 120 kB', () => {
  expect(sizeOf(filesOf(['index.html']))).toBeLessThanOrEqual(120 * kB);
});

test('no page takes more than 200 kB of scripts before it can be used', () => {
  const pages = Object.keys(chunks).filter((name) => name.startsWith('src/pages/'));
  expect(pages.length).toBeGreaterThan(0);
  const tooLarge = pages
    .map((page) => [page, sizeOf(filesOf(['index.html', 'src/shell/Shell.tsx', page]))] as const)
    .filter(([, size]) => size > 200 * kB);
  expect(tooLarge).toEqual([]);
});

test('all styles together have at most 15 kB, and all that is sent at most 1 MB', () => {
  const assets = readdirSync(join(folder, 'assets'));
  const packed = (ending: string) =>
    sizeOf(assets.filter((name) => name.endsWith(ending)).map((name) => `assets/${name}`));
  expect(packed('.css')).toBeLessThanOrEqual(15 * kB);
  expect(packed('.css') + packed('.js')).toBeLessThanOrEqual(1_000 * kB);
});

test('the page has no inline script and no inline style, which the policy forbids', () => {
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  expect(page).not.toMatch(/<style|style=|<script(?![^>]*\bsrc=)/);
});
