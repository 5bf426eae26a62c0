/**
 * The log in the engine's own data file, read by the archiver beside it: the engine says where committed groups are, and spends no time on their
 * bytes. The engine may release and overwrite a group at any time, so each is verified by the seal that the engine named: what is read is
 * exactly that group, or nothing.
 */
import { open, type FileHandle } from 'node:fs/promises';
import { createSecretKey, type KeyObject } from 'node:crypto';
import type { PlacedPart } from '../feed/placed-part.ts';
import { GROUP_HEAD_SIZE, groupSize, isWhole, readGroupHead } from '../log/group.ts';
import { GROUP_SIZE_MAX } from '../log/layout.ts';
import type { LogPlaced } from '../log/placed.ts';
import { sealMatches } from '../log/seal.ts';
import { readSuperblock } from '../log/superblock.ts';
import type { EntrySink, LogSource } from './log-source.ts';

/** Small groups beside each other are read at once, as many as fit into this. */
const RUN_BYTES = 256 << 10;

interface Opened {
  readonly handle: FileHandle;
  readonly key: KeyObject;
}

export class LogVolume implements LogSource {
  readonly form = 'groups';
  readonly name = 'DataFile';
  readonly problem = 'the data file has not the groups that the engine names';
  readonly #path: string;
  readonly #clusterId: bigint;
  #opened: Opened | undefined;
  readonly #head = new Uint8Array(GROUP_HEAD_SIZE);
  #run = new Uint8Array(0);

  /** `path`: the engine's data file. It is only read. */
  constructor(path: string, clusterId: bigint) {
    this.#path = path;
    this.#clusterId = clusterId;
  }

  /**
   * Reads groups, in order, up to one that is not there any more, and says whether it read all. Rejects with the system's error, with
   * DataFileError, or if the file is another database's.
   */
  async read({ places }: Pick<PlacedPart, 'places'>, sink: EntrySink): Promise<boolean> {
    let isRead = false;
    try {
      isRead = await this.#readAll(places, sink);
    } finally {
      // Another file may have this name now, with another key. A file that is open takes its room when it has no name any more.
      if (!isRead) await this.close();
    }
    return isRead;
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    await opened?.handle.close();
  }

  async #open(): Promise<Opened> {
    const handle = await open(this.#path, 'r');
    try {
      const read = async (target: Uint8Array, offset: number) =>
        (await handle.read(target, 0, target.length, offset)).bytesRead;
      const { key, identity } = await readSuperblock({ read });
      if (identity.clusterId !== this.#clusterId)
        throw new Error(`${this.#path} belongs to another database`);
      return { handle, key: createSecretKey(key) };
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async #readAll(groups: readonly LogPlaced[], sink: EntrySink): Promise<boolean> {
    const opened = (this.#opened ??= await this.#open());
    for (const run of runsOf(groups)) {
      const [only] = run;
      const isRead =
        run.length === 1 && only !== undefined
          ? await this.#readOne(opened, only, sink)
          : await this.#readRun(opened, run, sink);
      if (!isRead) return false;
    }
    return true;
  }

  /** Reads a group to where it belongs. */
  async #readOne({ handle, key }: Opened, group: LogPlaced, sink: EntrySink): Promise<boolean> {
    // No group is larger, and whoever says otherwise does not decide how much memory is taken.
    if (sizeOf(group) > GROUP_SIZE_MAX) return false;
    const payload = sink.room(group.bytes);
    const { bytesRead } = await handle.readv([this.#head, payload], group.at);
    if (bytesRead !== GROUP_HEAD_SIZE + group.bytes) return false;
    return add(key, group, { head: this.#head, payload }, sink);
  }

  /** Reads groups beside each other. */
  async #readRun(
    { handle, key }: Opened,
    run: readonly LogPlaced[],
    sink: EntrySink,
  ): Promise<boolean> {
    if (this.#run.length === 0) this.#run = new Uint8Array(RUN_BYTES);
    const size = run.reduce((sum, group) => sum + sizeOf(group), 0);
    const { bytesRead } = await handle.read(this.#run, 0, size, run[0]!.at);
    if (bytesRead !== size) return false;
    let at = 0;
    for (const group of run) {
      const head = this.#run.subarray(at, at + GROUP_HEAD_SIZE);
      const payload = sink.room(group.bytes);
      const start = at + GROUP_HEAD_SIZE;
      payload.set(this.#run.subarray(start, start + group.bytes));
      if (!add(key, group, { head, payload }, sink)) return false;
      at += sizeOf(group);
    }
    return true;
  }
}

/** Adds a group if it is the one that the engine named, and whole. */
function add(
  key: KeyObject,
  group: LogPlaced,
  found: { readonly head: Uint8Array; readonly payload: Uint8Array },
  sink: EntrySink,
): boolean {
  const head = readGroupHead(key, found.head);
  if (head?.payloadSize !== group.bytes || !sealMatches(head.seal, group.seal)) return false;
  if (!isWhole(key, head, found.payload)) return false;
  sink.added(found.payload.length, head.entryCount);
  return true;
}

/** Bytes that a group takes in the file. */
const sizeOf = ({ bytes }: LogPlaced): number => groupSize({ payloadSize: bytes });

/** Groups beside each other that are read at once. */
function runsOf(groups: readonly LogPlaced[]): readonly (readonly LogPlaced[])[] {
  const runs: LogPlaced[][] = [];
  let [end, size] = [-1, 0];
  for (const group of groups) {
    const bytes = sizeOf(group);
    const run = group.at === end && size + bytes <= RUN_BYTES ? runs.at(-1) : undefined;
    if (run === undefined) runs.push([group]);
    else run.push(group);
    size = run === undefined ? bytes : size + bytes;
    end = group.at + bytes;
  }
  return runs;
}
