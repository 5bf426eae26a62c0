/** Hashes of an image's inputs. An image whose hash has not changed is not built again. */
import { createHash, type Hash } from 'node:crypto';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../cluster/config.ts';

export const buildConfig = 'tsconfig.build.json';

/** Hash of the compiled sources, the compiler's settings, and the packages whose types they use. */
export function hashOfSources(): string {
  const { include, exclude } = JSON.parse(readFileSync(join(checkout, buildConfig), 'utf8')) as {
    include: string[];
    exclude: string[];
  };
  const hash = createHash('sha256');
  addFiles(hash, [buildConfig, 'tsconfig.json', 'package.json', 'package-lock.json']);
  addFiles(hash, globSync(include, { cwd: checkout, exclude }));
  return short(hash);
}

/** Hash of what the dashboard is built from. It uses types and code of other components, so all of their sources count. */
export function hashOfDashboard(): string {
  const hash = createHash('sha256').update(hashOfSources()).update(process.version);
  addFiles(hash, globSync(['dashboard/**', 'tools/dashboard/*.ts'], { cwd: checkout }));
  return short(hash);
}

/** Hash of every image's inputs: files of the checkout by content, files of this machine by size and time. */
export function hashOfInputs(): string {
  const hash = createHash('sha256').update(hashOfSources());
  const here = [
    'dashboard/**',
    'images/**',
    'tools/{images,dashboard}/*.ts',
    'tools/cluster/modules/**',
  ];
  addFiles(hash, globSync(here, { cwd: checkout }));
  const brought = [process.execPath, join(checkout, 'node_modules/.package-lock.json')];
  // Changes with every Debian package, such as libraries, PostgreSQL or a shell.
  for (const path of [...brought, '/var/lib/dpkg/status']) {
    const stat = statSync(path, { throwIfNoEntry: false });
    hash.update(`${path} ${stat?.size} ${stat?.mtimeMs}\0`);
  }
  return short(hash);
}

function addFiles(hash: Hash, names: readonly string[]): void {
  for (const name of [...names].sort()) {
    const path = join(checkout, name);
    if (statSync(path).isFile()) hash.update(`${name}\0`).update(readFileSync(path)).update('\0');
  }
}

const short = (hash: Hash): string => hash.digest('hex').slice(0, 16);
