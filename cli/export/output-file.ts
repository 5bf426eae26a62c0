/**
 * A file that an export writes. Rows go into NAME.partial, which gets its name when all of them are on the disk: a file with that name is
 * complete. Nothing that exists is replaced, no link is followed.
 *
 * Two exports into one file are detected by the size of the partial file, which is checked around each write: at most one of them ends
 * well, with its own rows only. No lock is left behind by a process that is killed.
 */
import { constants } from 'node:fs';
import { link, lstat, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { CliFailure, usageFailure } from '../failure.ts';
import { ExitCode } from '../exit-code.ts';
import { printable } from '../output/printable.ts';
import { scanPartial, type Found } from './partial.ts';
import type { RowFormat } from './rows.ts';
import type { Sink } from './sink.ts';

export class OutputFile implements Sink {
  /** The path as the user wrote it, safe for a terminal. */
  readonly name: string;
  readonly partialName: string;
  /** The part that an earlier export has written. */
  readonly found: Found | undefined;
  readonly #path: string;
  #handle: FileHandle | undefined;
  #size: number;

  private constructor(path: string, handle?: FileHandle, found?: Found) {
    this.#path = path;
    this.name = printable(path);
    this.partialName = `${this.name}.partial`;
    this.found = found;
    this.#handle = handle;
    this.#size = found?.sizeBytes ?? 0;
  }

  /** Makes nothing yet. */
  static async toBegin(path: string): Promise<OutputFile> {
    const file = new OutputFile(path);
    await requireFree(path);
    if ((await statOf(`${path}.partial`)) !== undefined) throw partialThere(file.partialName);
    return file;
  }

  /** Reads and checks what is there. A last line that is not whole is removed. */
  static async toResume(path: string, format: RowFormat, signal: AbortSignal): Promise<OutputFile> {
    const partial = `${path}.partial`;
    await requireFree(path);
    const stats = await statOf(partial);
    if (stats === undefined) {
      throw usageFailure(
        `there is no ${printable(partial)} to continue with`,
        'to begin, run the same command without --resume',
      );
    }
    // Asked before: opening a pipe would wait for its writer.
    if (!stats.isFile()) throw usageFailure(`${printable(partial)} is not a regular file`);
    const flags = constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW;
    const handle = await open(partial, flags).catch((error: unknown) => {
      throw notWritable(partial, error);
    });
    try {
      const found = await scanPartial(handle, { name: printable(partial), format }, signal);
      await handle.truncate(found.sizeBytes);
      return new OutputFile(path, handle, found);
    } catch (error) {
      await handle.close();
      throw error instanceof CliFailure ? error : notWritable(partial, error);
    }
  }

  async begin(header: string): Promise<void> {
    const there = this.found?.header;
    if (there !== undefined) {
      if (there !== header) throw otherExport(this.partialName, 'its columns are others');
      return;
    }
    const partial = `${this.#path}.partial`;
    this.#handle ??= await open(partial, 'ax').catch((error: unknown) => {
      throw isCode(error, 'EEXIST') ? partialThere(this.partialName) : notWritable(partial, error);
    });
    await this.write(header);
  }

  async write(text: string): Promise<void> {
    const handle = this.#opened();
    await this.#requireOwnSize(handle);
    const bytes = Buffer.from(text, 'utf8');
    await handle.appendFile(bytes).catch((error: unknown) => {
      throw notWritable(`${this.#path}.partial`, error);
    });
    this.#size += bytes.length;
    await this.#requireOwnSize(handle);
  }

  async finish(): Promise<void> {
    const handle = this.#opened();
    const partial = `${this.#path}.partial`;
    try {
      await handle.sync();
      await this.#requireOwnSize(handle);
      const [own, named] = [await handle.stat(), await statOf(partial)];
      if (named?.ino !== own.ino || named.dev !== own.dev) throw changed(this.partialName);
      await giveName(partial, this.#path);
    } catch (error) {
      throw error instanceof CliFailure ? error : notWritable(this.#path, error);
    }
  }

  async close(): Promise<void> {
    await this.#handle?.close();
    this.#handle = undefined;
  }

  #opened(): FileHandle {
    if (this.#handle === undefined) throw new TypeError('the file is begun before it is written');
    return this.#handle;
  }

  async #requireOwnSize(handle: FileHandle): Promise<void> {
    if ((await handle.stat()).size !== this.#size) throw changed(this.partialName);
  }
}

/** A link, not a new name: it fails if a file has got that name meanwhile. Some file systems have none. */
async function giveName(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (isCode(error, 'EEXIST')) throw fileThere(printable(to));
    await requireFree(to);
    await rename(from, to);
    return;
  }
  await rm(from);
}

async function requireFree(path: string): Promise<void> {
  if ((await statOf(path)) !== undefined) throw fileThere(printable(path));
}

/** Stats of the path itself, also if it is a broken link. */
async function statOf(path: string) {
  return lstat(path).catch((error: unknown) => {
    if (isCode(error, 'ENOENT')) return undefined;
    throw notWritable(path, error);
  });
}

const isCode = (error: unknown, code: string): boolean =>
  (error as NodeJS.ErrnoException).code === code;

const fileThere = (name: string): CliFailure =>
  usageFailure(
    `${name} exists already`,
    'name another file, or remove it first; for a pipe or a device, leave --output out and redirect standard output',
  );

const partialThere = (name: string): CliFailure =>
  usageFailure(
    `${name} exists already: an export into this file was interrupted, or is running`,
    'to continue after an interruption, run the same command with --resume',
    `to begin anew, remove ${name}`,
  );

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'there is no such folder',
  EACCES: 'you have no right to write there',
  EPERM: 'you have no right to write there',
  EROFS: 'its file system is read-only',
  ENOSPC: 'its file system is full',
  EDQUOT: 'your share of its file system is used up',
  ENAMETOOLONG: 'its name is too long',
  EFBIG: 'it would be larger than a file may be there',
};

function notWritable(path: string, error: unknown): CliFailure {
  const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
  return new CliFailure({
    exitCode: ExitCode.General,
    code: 'file_not_writable',
    title: 'The file cannot be written',
    detail: `${printable(path)} cannot be written: ${reasons[code] ?? code}`,
  });
}

const changed = (name: string): CliFailure =>
  new CliFailure({
    exitCode: ExitCode.Conflict,
    code: 'file_changed',
    title: 'The file was changed meanwhile',
    detail: `another program changes ${name}; another export, perhaps`,
  });

export const otherExport = (name: string, why: string): CliFailure =>
  new CliFailure({
    exitCode: ExitCode.Validation,
    code: 'other_export',
    title: 'The file is of another export',
    detail: `${name} is not what this command has begun: ${why}`,
    nextSteps: [`give the same database and options as before, or remove ${name} to begin anew`],
  });
