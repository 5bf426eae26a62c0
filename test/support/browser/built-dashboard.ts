/** The built dashboard, which all suites share: it is built once for the same sources. */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { buildDashboard } from '../../../tools/dashboard/build.ts';
import { checkout } from '../shell.ts';

/** What Vite may read: the folders that the dashboard may import from, and the versions of the packages. */
const inputs = [
  'base',
  'clients/typescript',
  'dashboard',
  'domain',
  'gen',
  'package-lock.json',
  'tools/dashboard',
];
const home = join(checkout, '.ledgerhouse/test/dashboard');
/** Builds of other sources are removed when they are that old: a suite of another run may still use them. */
const keptMs = 86_400_000;

/** Builds the dashboard unless it was built from the same sources before. Returns the folder, which nobody may change. */
export function builtDashboard(): string {
  const folder = join(home, hashOfSources());
  if (existsSync(folder)) return folder;
  mkdirSync(home, { recursive: true });
  removeOld();
  // Two suites may build at the same time; the folder has its name only when it is whole.
  const made = mkdtempSync(join(home, 'building-'));
  buildDashboard(made);
  try {
    renameSync(made, folder);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

function removeOld(): void {
  for (const name of readdirSync(home)) {
    const { mtimeMs } = statSync(join(home, name));
    if (Date.now() - mtimeMs > keptMs) rmSync(join(home, name), { recursive: true, force: true });
  }
}

function hashOfSources(): string {
  const hash = createHash('sha256');
  for (const input of inputs) {
    for (const file of filesIn(join(checkout, input))) {
      const content = readFileSync(file);
      hash.update(`${file.slice(checkout.length)} ${content.length}\n`).update(content);
    }
  }
  return hash.digest('hex').slice(0, 32);
}

function filesIn(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}
