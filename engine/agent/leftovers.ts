/** Temporary names beside a data file that is being made, and the removal of files that a killed run left. */
import { readdir, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Path at which a data file is made, before it gets its final name. */
export const partialOf = (path: string): string => `${path}.partial`;

/**
 * Removes the leftovers of an unfinished attempt to make `path` and returns their names: the file under its temporary name,
 * the temporary files for it of our verbs, and TigerBeetle's probe for Direct I/O, an empty file that it makes beside the
 * data file and removes again. Never removes the data file or an unknown file.
 */
export async function removeLeftovers(path: string): Promise<readonly string[]> {
  const folder = dirname(path);
  const partial = basename(partialOf(path));
  // `restore-rows` and a restore to a moment make the ledger in a file of their own first.
  const beside = [`${partial}.working`, `${partial}.replay`];
  const ours = [partial, ...beside, ...beside.map((one) => `${one}.lock`)];
  const removed: string[] = [];
  for (const name of (await readdir(folder)).sort()) {
    const isOurs = ours.includes(name) || ours.some((one) => isTemporaryOf(one, name));
    const isProbe = probe.test(name) && (await stat(join(folder, name))).size === 0;
    if (!isOurs && !isProbe) continue;
    await unlink(join(folder, name));
    removed.push(name);
  }
  return removed;
}

/** `createWhole` of engine/log chooses these names. */
const isTemporaryOf = (name: string, candidate: string) =>
  candidate.startsWith(`${name}.`) && /^[0-9a-f]{12}\.tmp$/.test(candidate.slice(name.length + 1));

/** Name that TigerBeetle's `fs_supports_direct_io` uses (src/io/linux.zig). */
const probe = /^fs_supports_direct_io-[0-9a-f]{16}$/;
