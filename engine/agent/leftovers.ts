/** Names beside a data file that is being made, and what a maker that was killed leaves there. */
import { readdir, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Where a data file is made, before it gets its name. */
export const partialOf = (path: string): string => `${path}.partial`;

/**
 * Removes what an unfinished attempt to make `path` left, and gives the names: the file under its temporary name, our
 * `format`'s own temporary files for that one, and TigerBeetle's probe for Direct I/O, an empty file that it makes beside the
 * data file and removes again. Never the data file itself, nor anything that it does not know.
 */
export async function removeLeftovers(path: string): Promise<readonly string[]> {
  const folder = dirname(path);
  const partial = basename(partialOf(path));
  const removed: string[] = [];
  for (const name of (await readdir(folder)).sort()) {
    const isOurs = name === partial || isTemporaryOf(partial, name);
    const isProbe = probe.test(name) && (await stat(join(folder, name))).size === 0;
    if (!isOurs && !isProbe) continue;
    await unlink(join(folder, name));
    removed.push(name);
  }
  return removed;
}

/** As `createWhole` of engine/log names them. */
const isTemporaryOf = (name: string, candidate: string) =>
  candidate.startsWith(`${name}.`) && /^[0-9a-f]{12}\.tmp$/.test(candidate.slice(name.length + 1));

/** TigerBeetle's `fs_supports_direct_io` in src/io/linux.zig. */
const probe = /^fs_supports_direct_io-[0-9a-f]{16}$/;
