/** The ledger of a replica that serves clients. */
import { randomBytes } from 'node:crypto';
import { StateMachine } from '../ledger/state-machine.ts';
import { IndexThread } from './index-helper.ts';

/** Part of the limit above which rows that are durable leave memory, and the part that the cache of pages may take. */
const ROWS_PART = 7 / 8;
const CACHE_PART = 1 / 16;
const CACHE_BYTES_MAX = 256 << 20;
/** Part of the limit that the index's thread may keep of what nobody needs any more: 98 MiB in a pod of 2 GiB, beside the limit. */
const GARBAGE_PART = 1 / 16;
const GARBAGE_BYTES_MAX = 128 << 20;

interface NewLedgerOptions {
  /** By default rows leave memory only when it gets short. */
  readonly rowsLeaveAtBytes?: number;
  /** Lets a thread of its own work on the index. It is called if that fails; the work is then done here. */
  readonly onIndexError?: (error: unknown) => void;
  /** Called for each part of the stored index that cannot be read, and for a start point; they are made from the rows. */
  readonly onIndexDamage?: (error: unknown) => void;
}

/**
 * Makes an empty ledger. Its indexes have a hash key of its own, so that no client can choose ids that collide: a random one, or that of
 * the index in the checkpoint that is loaded.
 */
export function newLedger(memoryLimitBytes: number, options: NewLedgerOptions = {}): StateMachine {
  const { rowsLeaveAtBytes = memoryLimitBytes * ROWS_PART, onIndexError, onIndexDamage } = options;
  const bytes = randomBytes(8);
  const hashKey = { low: bytes.readUInt32LE(0), high: bytes.readUInt32LE(4) };
  const ledger = new StateMachine({
    memoryLimitBytes,
    hashKey,
    rowsLeaveAtBytes,
    ...(onIndexDamage === undefined ? {} : { onIndexDamage }),
    pageCacheBytes: Math.min(CACHE_BYTES_MAX, memoryLimitBytes * CACHE_PART),
  });
  if (onIndexError !== undefined) {
    const garbageBytesMax = Math.min(GARBAGE_BYTES_MAX, memoryLimitBytes * GARBAGE_PART);
    ledger.useIndexHelper(new IndexThread(onIndexError, garbageBytesMax));
  }
  return ledger;
}
