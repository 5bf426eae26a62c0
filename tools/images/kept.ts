/** Keeps some earlier builds: enough for several checkouts and for going back. Older ones are removed. */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const kept = 4;

/** Removes the entries of a folder that match `pattern`, except the newest few. */
export function forgetOlder(folder: string, pattern: RegExp): void {
  const ages = readdirSync(folder)
    .filter((name) => pattern.test(name))
    .map((name) => ({ path: join(folder, name), atMs: statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.atMs - a.atMs);
  for (const { path } of ages.slice(kept)) removeFolder(path);
}

export function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
