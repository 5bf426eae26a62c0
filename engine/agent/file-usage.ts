/** How large a data file is and may become; looked at now and then, so that asking is free and a slow disk keeps nobody. */
import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Usage } from '../../domain/engine-status.ts';

export class FileUsage {
  readonly #path: string;
  #reading = false;
  #usage: Usage | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** As last seen; undefined before that, and when the file could not be looked at. */
  get usage(): Usage | undefined {
    return this.#usage;
  }

  /** Never rejects. Does nothing while an earlier look has not come back. */
  async look(): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    try {
      const [{ size }, { bavail, bsize }] = await Promise.all([
        stat(this.#path),
        statfs(dirname(this.#path)),
      ]);
      this.#usage = { usedBytes: size, limitBytes: size + bavail * bsize };
    } catch {
      this.#usage = undefined;
    } finally {
      this.#reading = false;
    }
  }
}
