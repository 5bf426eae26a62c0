/** Rules about the repository itself that no linter has. */
import { expect, test } from '@jest/globals';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { beginFirst } from '../../tools/test/stages.ts';
import { checkout, mustRun } from '../support/shell.ts';

const read = (path: string) => readFileSync(join(checkout, path), 'utf8');
const tracked = async () =>
  (await mustRun('git', ['ls-files', '-z']))
    .split('\0')
    .filter((path) => path !== '' && existsSync(join(checkout, path)));

test('links between pages lead somewhere', async () => {
  const broken: string[] = [];
  for (const page of (await tracked()).filter((path) => path.endsWith('.md'))) {
    for (const [, target] of read(page).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)) {
      if (target === undefined || /^[a-z]+:/.test(target)) continue;
      if (!existsSync(join(checkout, dirname(page), target))) broken.push(`${page} → ${target}`);
    }
  }
  expect(broken).toEqual([]);
});

test('pictures are small, and each stands on a page', async () => {
  const files = await tracked();
  const pages = files.filter((path) => path.endsWith('.md')).map(read);
  const pictures = files.filter((path) => /\.(png|jpe?g|gif|webp)$/.test(path));
  expect(pictures.length).toBeGreaterThan(0);
  const shown = (path: string) => pages.some((text) => text.includes(`/${basename(path)})`));
  expect(pictures.filter((path) => !shown(path))).toEqual([]);
  expect(pictures.filter((path) => statSync(join(checkout, path)).size > 150_000)).toEqual([]);
});

test('every path that the page on the architecture names is there', () => {
  const paths = [...read('docs/architecture.md').matchAll(/`((?:[\w.-]+\/)+[\w.-]*)`/g)].map(
    ([, path = '']) => path,
  );
  expect(paths.length).toBeGreaterThan(50);
  expect(paths.filter((path) => !existsSync(join(checkout, path)))).toEqual([]);
});

test('every decision stands in the index of decisions', async () => {
  const index = read('docs/decisions/README.md');
  const pages = (await tracked()).filter((path) => /^docs\/decisions\/\d{4}-/.test(path));
  expect(pages.filter((path) => !index.includes(`(${path.split('/').at(-1)})`))).toEqual([]);
});

test('no source file holds a mark of unfinished work', async () => {
  // Put together here, so that this file does not hold one.
  const marks = new RegExp(
    `\\b(${['FIX', 'TO', 'XX'].map((half) => `${half}${half === 'FIX' ? 'ME' : half === 'TO' ? 'DO' : 'X'}`).join('|')})\\b`,
  );
  const sources = (await tracked()).filter((path) => /\.(ts|js|sh|go|proto)$/.test(path));
  expect(sources.filter((path) => marks.test(read(path)))).toEqual([]);
});

test('no file names a folder of one machine or the host of a package registry', async () => {
  // Put together here, so that this file does not hold one.
  const [work, home, host] = ['wo-rk', 'ro-ot', 'npm-js'].map((halves) => halves.replace('-', ''));
  const ofOneMachine = new RegExp(
    `/${work}/(main|shared|brief)|(^|[\\s"'\`=])/${home}/|registry\\.${host}`,
    'm',
  );
  const pages = (await tracked()).filter((path) => /\.(ts|js|sh|go|md|json|txt|proto)$/.test(path));
  expect(pages.length).toBeGreaterThan(100);
  expect(pages.filter((path) => ofOneMachine.test(read(path)))).toEqual([]);
});

test('no test has less time than jest gives to every test: a busy machine may need it', async () => {
  const [, general = ''] = /testTimeout: ([\d_]+)/.exec(read('jest.config.js')) ?? [];
  const product = (text: string) =>
    text.split('*').reduce((all, factor) => all * Number(factor.replaceAll('_', '')), 1);
  const suites = (await tracked()).filter((path) => path.endsWith('.test.ts'));
  const given = suites.flatMap((path) =>
    [...read(path).matchAll(/^(?:jest\.setTimeout\(|\}, )([\d_ *]+)\);$/gm)].map(
      ([, ms = '']) => [path, product(ms)] as const,
    ),
  );
  expect([product(general) > 0, given.length > 10]).toEqual([true, true]);
  expect(given.filter(([, ms]) => ms < product(general))).toEqual([]);
});

test('images hold no test and no fake', async () => {
  const compiled = await mustRun('node_modules/.bin/tsc', [
    '-p',
    'tsconfig.build.json',
    '--listFilesOnly',
  ]);
  const ours = compiled
    .split('\n')
    .map((path) => relative(checkout, path))
    .filter((path) => path !== '' && !path.startsWith('..') && !path.startsWith('node_modules'));
  expect(ours).toContain('engine/main.ts');
  expect(ours.filter((path) => /\/testing\/|\.test\.ts$/.test(path))).toEqual([]);
});

test('executables are executable', () => {
  for (const path of [
    'bin/ledger-engine',
    'bin/ledgerhouse',
    '.ci/run',
    'tools/setup/setup.sh',
    'tools/setup/go.sh',
  ]) {
    expect(statSync(join(checkout, path)).mode & 0o111).toBe(0o111);
  }
});

test('the engine gives freed memory back in its image as it does from a checkout', () => {
  const settings = (text: string, pattern: RegExp) =>
    [...text.matchAll(pattern)].map(([, name, value]) => `${name}=${value}`).sort();
  const started = read('bin/ledger-engine');
  const inCheckout = settings(started, /(MALLOC_\w+)="\$\{\1:-(\d+)\}"/g);
  expect(inCheckout.map((setting) => setting.split('=')[0])).toEqual([
    'MALLOC_ARENA_MAX',
    'MALLOC_MMAP_THRESHOLD_',
  ]);
  const image = read('images/engine/Dockerfile');
  expect(settings(image, /(MALLOC_\w+)=(\d+)/g)).toEqual(inCheckout);
  const [heap = 'no flag'] = /--initial-old-space-size=\d+/.exec(started) ?? [];
  expect(image).toContain(`"${heap}"`);
});

test('every make target has a line of help or belongs to one that has', async () => {
  const help = await mustRun('make', ['--no-print-directory', 'help']);
  for (const target of [
    'setup',
    'check',
    'test',
    'cluster-up',
    'cluster-down',
    'cluster-status',
    'images',
  ]) {
    expect(help).toContain(target);
  }
});

test('the suites that are begun first are there', () => {
  expect(beginFirst.filter((suite) => !existsSync(join(checkout, suite)))).toEqual([]);
});
