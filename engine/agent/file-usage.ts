/** Size and possible maximum of a data file, read now and then: so asking is free, and a slow disk delays nobody. */
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

  /** The last reading; `undefined` before the first one and when the file could not be read. */
  get usage(): Usage | undefined {
    return this.#usage;
  }

  /** Reads the usage. Never rejects. Does nothing while an earlier reading is still under way. */
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
