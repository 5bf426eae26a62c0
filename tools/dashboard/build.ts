/** Builds the dashboard: `node tools/dashboard/build.ts [FOLDER]`, by default into `dist/dashboard`. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const checkout = resolve(import.meta.dirname, '../..');
const timeoutMs = 300_000;

/** Builds into `folder`, which is emptied first, and writes a compressed copy beside each file. */
export function buildDashboard(folder: string): void {
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
