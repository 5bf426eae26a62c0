import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { step } from './progress.ts';

/**
 * Runs `work` while holding the lock file `path`, waiting for another holder to finish. A holder that died without
 * letting go is noticed by its pid and start time, and the lock is taken over.
 */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const mine = `${path}.${process.pid}`;
  writeFileSync(mine, `${process.pid} ${startOf(process.pid) ?? ''}`);
  try {
    let told = false;
    // link(2) fails when the name exists: taking the lock and writing who holds it are one act.
    while (!tryLink(mine, path)) {
      if (holderIsDead(path)) {
        rmSync(path, { force: true });
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
    return startOf(Number(pid)) !== start;
  } catch {
    return false;
  }
}

function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
