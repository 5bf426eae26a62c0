/** Timestamp rule of imported transfers of every kind. */
import type { EventContext } from './event-context.ts';
import { Transfer } from './layout.ts';
import { Account } from '../wire/records.ts';
import { compare64 } from './words.ts';

/** Returns whether an imported transfer's timestamp does not follow the last transfer's, or equals an account's. */
export function importedRegresses(context: EventContext, time: Uint32Array, at: number): boolean {
  const { accounts, transfers } = context.state;
  if (transfers.count > 0) {
    const last = transfers.count - 1;
    const offset = transfers.offsetOf(last) + Transfer.timestamp;
    if (compare64(time, at, transfers.chunkOf(last), offset) <= 0) return true;
  }
  return context.state.hasTimestamp(accounts, Account.timestamp, time, at);
}
