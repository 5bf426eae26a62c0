import { linkSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { step } from './progress.ts';
import { startTimeOf } from './start-time.ts';

/**
 * Runs `work` while holding the lock file `path`; waits until another holder has finished. A holder that died without releasing
 * the lock is recognized by its pid and start time, and the lock is taken over.
 */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const mine = `${path}.${process.pid}`;
  removeLeftovers(path);
  writeFileSync(mine, `${process.pid} ${startTimeOf(process.pid) ?? ''}`);
  try {
    let told = false;
    // link(2) fails if the name exists, so taking the lock and recording its holder are one step.
    while (!tryLink(mine, path)) {
      if (holderIsDead(path) && tryLink(mine, `${path}.takeover`)) {
        // Only one waiter can be here. It checks again, because another may have taken the lock over meanwhile.
        if (holderIsDead(path)) rmSync(path, { force: true });
        rmSync(`${path}.takeover`, { force: true });
        continue;
      }
      if (!told) step(`waiting for another invocation that holds ${path}`);
      told = true;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    try {
      return await work();
    } finally {
      rmSync(path, { force: true });
    }
  } finally {
    rmSync(mine, { force: true });
  }
}

/** Removes the files of processes that were killed while they held the lock or waited for it. */
function removeLeftovers(path: string): void {
  for (const name of readdirSync(dirname(path))) {
    const file = join(dirname(path), name);
    if (name.startsWith(`${basename(path)}.`) && holderIsDead(file)) rmSync(file, { force: true });
  }
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch {
    return false;
  }
}

function holderIsDead(path: string): boolean {
  try {
    const [pid, start] = readFileSync(path, 'utf8').split(' ');
    return startTimeOf(Number(pid)) !== start;
  } catch {
    return false;
  }
}
