/**
 * A data file on this machine that is to be imported. It stays open, so that a file that replaces it is never read. Reading fails once
 * its size or modification time differs from that at the beginning: the upload would mix two states.
 */
import type { BigIntStats } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import {
  FILE_HEAD_SIZE_MAX,
  headSizeOf,
  readFileHead,
  type FileHead,
} from '../../domain/import-files/file-head.ts';
import { ExitCode } from '../exit-code.ts';
import { CliFailure } from '../failure.ts';
import { printable } from '../output/printable.ts';

export class LocalFile {
  /** The path as the user wrote it, safe for a terminal. */
  readonly name: string;
  readonly sizeBytes: number;
  /** Its first bytes. */
  readonly headBytes: Uint8Array;
  readonly head: FileHead;
  readonly #handle: FileHandle;
  readonly #opened: BigIntStats;

  private constructor(
    name: string,
    handle: FileHandle,
    { opened, headBytes }: { readonly opened: BigIntStats; readonly headBytes: Uint8Array },
  ) {
    this.name = name;
    this.#handle = handle;
    this.#opened = opened;
    this.sizeBytes = Number(opened.size);
    this.headBytes = headBytes;
    this.head = readFileHead(headBytes);
  }

  /** Reads no more than the head. Throws a `CliFailure` if there is no file that can be read. */
  static async open(path: string): Promise<LocalFile> {
    const name = printable(path);
    let handle: FileHandle | undefined;
    try {
      // Asked before: opening a pipe would wait for its writer.
      requireFile(name, await stat(path, { bigint: true }));
      handle = await open(path, 'r');
      const opened = await handle.stat({ bigint: true });
      requireFile(name, opened);
      const headBytes = await readHead(handle, Number(opened.size));
      if (headBytes === undefined) throw changed(name);
      return new LocalFile(name, handle, { opened, headBytes });
    } catch (error) {
      await handle?.close();
      throw error instanceof CliFailure ? error : unreadable(name, error);
    }
  }

  /** Throws if the file was changed since it was opened. */
  async read(place: Place): Promise<Uint8Array> {
    const bytes = await readAt(this.#handle, place).catch((error: unknown) => {
      throw unreadable(this.name, error);
    });
    await this.requireUnchanged();
    if (bytes === undefined) throw changed(this.name);
    return bytes;
  }

  async requireUnchanged(): Promise<void> {
    const now = await this.#handle.stat({ bigint: true });
    if (now.size !== this.#opened.size || now.mtimeNs !== this.#opened.mtimeNs) {
      throw changed(this.name);
    }
  }

  get changedAt(): Date {
    return new Date(Number(this.#opened.mtimeMs));
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

interface Place {
  readonly offset: number;
  readonly sizeBytes: number;
}

async function readHead(handle: FileHandle, fileBytes: number): Promise<Uint8Array | undefined> {
  const sizeBytes = Math.min(FILE_HEAD_SIZE_MAX, fileBytes);
  const start = await readAt(handle, { offset: 0, sizeBytes });
  return start?.slice(0, headSizeOf(start));
}

/** `undefined`: the file ends before. */
async function readAt(
  handle: FileHandle,
  { offset, sizeBytes }: Place,
): Promise<Uint8Array | undefined> {
  const bytes = new Uint8Array(sizeBytes);
  for (let done = 0; done < sizeBytes;) {
    const { bytesRead } = await handle.read(bytes, done, sizeBytes - done, offset + done);
    if (bytesRead === 0) return undefined;
    done += bytesRead;
  }
  return bytes;
}

function requireFile(name: string, stats: BigIntStats): void {
  if (stats.isFile()) return;
  const what = stats.isDirectory() ? 'a directory' : 'not a regular file';
  throw fileFailure(`${name} is ${what}`, 'name the data files themselves');
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'you have no right to read it',
  EPERM: 'you have no right to read it',
};

function unreadable(name: string, error: unknown): CliFailure {
  const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
  return fileFailure(`${name} cannot be read: ${reasons[code] ?? code}`);
}

const fileFailure = (detail: string, ...nextSteps: readonly string[]): CliFailure =>
  new CliFailure({
    exitCode: ExitCode.Usage,
    code: 'file_not_readable',
    title: 'The file cannot be read',
    detail,
    nextSteps,
  });

export const fileChanged = 'file_changed';

const changed = (name: string): CliFailure =>
  new CliFailure({
    exitCode: ExitCode.Validation,
    code: fileChanged,
    title: 'The file was changed meanwhile',
    detail: `${name} was changed while it was uploaded`,
    nextSteps: [
      'start again without --resume, with a file that no program writes to; ledger-engine export makes one of a running replica',
    ],
  });
