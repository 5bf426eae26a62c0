/**
 * Scan of the log ring after a start. It finds every block that begins with a sealed group head, wherever it is. Then it
 * follows the groups from the checkpoint on by sequence, and checks their chain of seals.
 *
 * A missing or damaged group is a torn write, before which the log ends, only if nothing proves that it was durable: no
 * intact group has a higher sequence (one group is in flight at a time), and no mark names it. Otherwise the file is
 * corrupt and is refused, because later entries were acknowledged.
 */
import { assert } from '../../base/assert.ts';
import { checksumOf } from './entries.ts';
import { CORRUPTION_ADVICE, DataFileError } from './errors.ts';
import {
  GROUP_ALIGNMENT,
  groupSize,
  readGroupEntries,
  readGroupHead,
  type GroupHead,
} from './group.ts';
import { BLOCK_SIZE, LOG_OFFSET } from './layout.ts';
import type { LogEntry } from './log.ts';
import { readMarks } from './mark.ts';
import { sealMatches } from './seal.ts';
import type { StorageFile } from './storage.ts';
import type { Superblock } from './superblock.ts';

export interface LiveGroup {
  readonly sequence: number;
  readonly firstOp: number;
  readonly lastOp: number;
  /** Offset from the ring's beginning, in bytes. */
  readonly offset: number;
  readonly size: number;
  readonly payloadSize: number;
  readonly seal: Uint8Array;
  /** Seal of the group before. */
  readonly parent: Uint8Array;
  /** Checksum of the last entry's message. */
  readonly lastChecksum: Uint8Array;
}

export interface LogScan {
  readonly groups: readonly LiveGroup[];
  /** Offsets of the torn groups in the ring. They must be erased before their sequences are used again. */
  readonly torn: readonly number[];
  /** Slot of the next mark. */
  readonly nextMarkSlot: number;
  readonly lastOp: number;
}

const SCAN_SIZE = 4 << 20;

/** Scans the log and calls `replay` for every committed entry after the checkpoint, in order. */
export async function scanLog(
  file: StorageFile,
  superblock: Superblock,
  replay: (entry: LogEntry) => void | Promise<void>,
): Promise<LogScan> {
  const marks = await readMarks(file, superblock.key);
  const heads = await findHeads(file, superblock);
  const highest = [...heads.keys()].reduce((a, b) => Math.max(a, b), marks.sequence);
  const groups: LiveGroup[] = [];
  let parent = superblock.logParent;
  let lastOp = superblock.position.op;
  let sequence = superblock.logSequence;
  for (; ; sequence += 1) {
    const found = heads.get(sequence);
    const entries = found && (await readEntries(file, superblock, found));
    if (!found || !entries) {
      if (sequence > highest || (sequence === highest && marks.sequence < sequence)) break;
      const offset = found ? LOG_OFFSET + found.offset : undefined;
      throw corrupt(
        `Group ${sequence} of the log is ${found ? 'damaged' : 'missing'}, though it was durable`,
        offset,
      );
    }
    const { head, offset } = found;
    const expectedOp: boolean =
      groups.length === 0 ? head.firstOp <= lastOp + 1 : head.firstOp === lastOp + 1;
    if (!expectedOp || !sealMatches(parent, head.parent)) {
      throw corrupt(
        `Group ${sequence} of the log does not follow the one before it`,
        LOG_OFFSET + offset,
      );
    }
    for (const entry of entries) {
      const replayed = entry.op > superblock.position.op ? replay(entry) : undefined;
      if (replayed !== undefined) await replayed;
    }
    lastOp = head.firstOp + head.entryCount - 1;
    parent = head.seal;
    groups.push({
      sequence,
      firstOp: head.firstOp,
      lastOp,
      offset,
      size: groupSize(head),
      payloadSize: head.payloadSize,
      seal: head.seal,
      parent: head.parent,
      lastChecksum: lastChecksumOf(entries),
    });
  }
  const torn = [...heads].filter(([found]) => found >= sequence).map(([, { offset }]) => offset);
  return {
    groups,
    torn,
    nextMarkSlot: marks.nextSlot,
    lastOp: Math.max(lastOp, superblock.position.op),
  };
}

function lastChecksumOf(entries: readonly LogEntry[]): Uint8Array {
  const last = entries.at(-1);
  assert(last !== undefined, 'a group has entries');
  return checksumOf(last);
}

interface FoundHead {
  readonly head: GroupHead;
  readonly offset: number;
}

/** Returns the intact heads of groups that the checkpoint does not contain, by sequence. */
async function findHeads(
  file: StorageFile,
  { key, logSizeBytes, logSequence }: Superblock,
): Promise<Map<number, FoundHead>> {
  const heads = new Map<number, FoundHead>();
  const buffer = new Uint8Array(Math.min(SCAN_SIZE, logSizeBytes));
  for (let offset = 0; offset < logSizeBytes; offset += buffer.length) {
    const chunk = buffer.subarray(0, Math.min(buffer.length, logSizeBytes - offset));
    if ((await file.read(chunk, LOG_OFFSET + offset)) !== chunk.length) {
      throw corrupt('The file ends within the log', LOG_OFFSET + offset);
    }
    for (let at = 0; at < chunk.length; at += GROUP_ALIGNMENT) {
      const head = readGroupHead(key, chunk.subarray(at, at + BLOCK_SIZE));
      if (!head || head.sequence < logSequence) continue;
      if (heads.has(head.sequence)) {
        throw corrupt(`Group ${head.sequence} is in the log twice`, LOG_OFFSET + offset + at);
      }
      heads.set(head.sequence, { head, offset: offset + at });
    }
  }
  return heads;
}

async function readEntries(
  file: StorageFile,
  { key }: Superblock,
  { head, offset }: FoundHead,
): Promise<LogEntry[] | undefined> {
  const bytes = new Uint8Array(groupSize(head));
  const length = await file.read(bytes, LOG_OFFSET + offset);
  return readGroupEntries(key, head, bytes.subarray(0, length));
}

function corrupt(what: string, offset: number | undefined): DataFileError {
  const where = offset === undefined ? '' : ` (byte ${offset})`;
  return new DataFileError(
    'log_corrupt',
    `${what}${where}. ${CORRUPTION_ADVICE}`,
    offset === undefined ? {} : { offset },
  );
}
