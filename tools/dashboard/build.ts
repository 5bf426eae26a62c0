/** Builds the dashboard: `node tools/dashboard/build.ts [FOLDER]`, by default into `dist/dashboard`. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { cacheFolder, checkout } from '../cluster/config.ts';
import { hashOfDashboard } from '../images/inputs.ts';
import { forgetOlder, removeFolder } from '../images/kept.ts';

const timeoutMs = 300_000;

/**
 * Puts the built dashboard into `folder`, which is emptied first, with a compressed copy beside each file. It is built once for
 * the same sources and kept in the user's cache, for all checkouts.
 */
export function buildDashboard(folder: string): void {
  const builds = join(cacheFolder, 'dashboard');
  mkdirSync(builds, { recursive: true });
  const inputs = hashOfDashboard();
  const kept = join(builds, inputs);
  removeFolder(folder);
  if (existsSync(kept)) {
    // The newest ones stay: this one was just used.
    utimesSync(kept, new Date(), new Date());
    cpSync(kept, folder, { recursive: true });
    return;
  }
  build(folder);
  // If a source changed during the build, nobody knows what it was made from.
  if (hashOfDashboard() === inputs) keep(folder, builds, inputs);
}

/** Readers find a complete build or none: the copy gets its name when it is complete. */
function keep(folder: string, builds: string, name: string): void {
  forgetOlder(builds, /^[0-9a-f]{16}$/);
  forgetOlder(builds, /^unfinished-/);
  const unfinished = mkdtempSync(join(builds, 'unfinished-'));
  cpSync(folder, unfinished, { recursive: true });
  try {
    renameSync(unfinished, join(builds, name));
  } catch (error) {
    // Another process built the same meanwhile.
    if (!existsSync(join(builds, name))) throw error;
    removeFolder(unfinished);
  }
}

function build(folder: string): void {
  // A process of its own: what Vite logs and keeps open does not stay in this one.
  const { status, stdout, stderr, error } = spawnSync(
    process.execPath,
    [
      join(checkout, 'node_modules/vite/bin/vite.js'),
      'build',
      '--config',
      join(checkout, 'dashboard/vite.config.ts'),
      '--outDir',
      resolve(folder),
      '--emptyOutDir',
      '--logLevel',
      'warn',
    ],
    {
      cwd: checkout,
      encoding: 'utf8',
      timeout: timeoutMs,
      // Test runners set another one, with which React is built for debugging.
      env: { ...process.env, NODE_ENV: 'production' },
    },
  );
  if (status !== 0) {
    throw new Error(`the dashboard does not build: ${stdout}${stderr}`, { cause: error });
  }
  compress(folder);
}

function compress(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const content = readFileSync(path);
    const size = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
    writeFileSync(`${path}.br`, brotliCompressSync(content, { params: size }));
    writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
  }
}

if (import.meta.main) buildDashboard(process.argv[2] ?? join(checkout, 'dist/dashboard'));
