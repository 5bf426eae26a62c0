/** The ledger of a replica that serves clients. */
import { randomBytes } from 'node:crypto';
import { StateMachine } from '../ledger/state-machine.ts';

/**
 * Makes an empty ledger. Its indexes have a hash key unique to this process, so that no client can choose ids that collide.
 */
export function newLedger(memoryLimitBytes: number): StateMachine {
  const bytes = randomBytes(8);
  const hashKey = { low: bytes.readUInt32LE(0), high: bytes.readUInt32LE(4) };
  return new StateMachine({ memoryLimitBytes, hashKey });
}
