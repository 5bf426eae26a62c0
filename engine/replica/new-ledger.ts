/** The ledger of a replica that serves clients. */
import { randomBytes } from 'node:crypto';
import { StateMachine } from '../ledger/state-machine.ts';

/** Part of the limit above which rows that are durable leave memory, and the part that the cache of pages may take. */
const ROWS_PART = 7 / 8;
const CACHE_PART = 1 / 16;
const CACHE_BYTES_MAX = 256 << 20;

/**
 * Makes an empty ledger. Its indexes have a hash key unique to this process, so that no client can choose ids that collide.
 * By default rows leave memory only when it gets short.
 */
export function newLedger(
  memoryLimitBytes: number,
  rowsLeaveAtBytes = memoryLimitBytes * ROWS_PART,
): StateMachine {
  const bytes = randomBytes(8);
  const hashKey = { low: bytes.readUInt32LE(0), high: bytes.readUInt32LE(4) };
  return new StateMachine({
    memoryLimitBytes,
    hashKey,
    rowsLeaveAtBytes,
    pageCacheBytes: Math.min(CACHE_BYTES_MAX, memoryLimitBytes * CACHE_PART),
  });
}
