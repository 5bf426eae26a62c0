/** Context that the checks of one event read and write besides the event itself. */
import type { LedgerState } from './ledger-state.ts';
import type { UndoLog } from './undo-log.ts';
import { WireTransfer } from '../wire/records.ts';
import { TransferFlag } from '../wire/flags.ts';
import { idSlot } from './sealed-answers.ts';
import { compare128 } from './words.ts';

/** Offsets of u64 values in `EventContext.times`. */
export const Time = { batch: 0, slot: 2, result: 4, words: 6 } as const;

export interface EventContext {
  readonly state: LedgerState;
  readonly undo: UndoLog;
  /**
   * Time.batch: timestamp of the batch's last event. Time.slot: this event's timestamp. Time.result: timestamp in the
   * event's result; it starts as the slot's, and the checks overwrite it if it differs.
   */
  readonly times: Uint32Array;
  /** Of each transfer in the batch: hashes of its ids, and its accounts. IdHash.words an event. */
  readonly hashes: Int32Array;
  /** Whether the ids of the events that were prepared with this one are above those of all transfers. They are not hashed then. */
  areNewest: boolean;
  /** Whether the accounts of these events were looked for. */
  knowsAccounts: boolean;
  /** Offset of the present event's hashes. */
  hashesAt: number;
}

/** Offsets in an event's part of `EventContext.hashes`. */
export const IdHash = {
  transfer: 0,
  /** 16 more bits of the transfer's hash. */
  transferLower: 1,
  /** The account's number, or -1 if there is none, if no account has left memory; otherwise the hash of its id. */
  debitAccount: 2,
  creditAccount: 3,
  words: 4,
} as const;

/** Events that are prepared together. What is read for them stays in the processor's first caches until they are executed. */
export const PREPARED = 128;

const RESOLVING = TransferFlag.post_pending_transfer | TransferFlag.void_pending_transfer;

/**
 * Prepares the transfers from `first` to `end` of a batch: hashes their ids, finds the accounts, and loads slots of the indexes and the
 * accounts' rows into the processor's cache. Reads in a row overlap, while each look-up on its own waits for memory.
 */
export function prepareTransfers(
  context: EventContext,
  events: Uint32Array,
  at: number,
  { first, end }: { readonly first: number; readonly end: number },
): void {
  const { state, hashes } = context;
  context.areNewest = areNewest(state, events, at, first, end);
  context.knowsAccounts = state.accounts.coldEnd === 0;
  for (let i = first; i < end; i += 1) {
    const event = at + i * WireTransfer.words;
    const to = i * IdHash.words;
    hashes[to + IdHash.debitAccount] = state.hashOf(events, event + WireTransfer.debitAccountId);
    hashes[to + IdHash.creditAccount] = state.hashOf(events, event + WireTransfer.creditAccountId);
    state.touchAccount(hashes[to + IdHash.debitAccount]!);
    state.touchAccount(hashes[to + IdHash.creditAccount]!);
    if (context.areNewest) continue;
    hashes[to] = state.hashOf(events, event);
    hashes[to + IdHash.transferLower] = state.hashLower;
    state.touchTransferId(events, event, hashes[to], idSlot(event));
  }
  if (context.knowsAccounts) findAccounts(context, events, at, first, end);
}

/** Whether the ids of transfers rise, each above those of all transfers before it, and none resolves another transfer. */
function areNewest(
  state: LedgerState,
  events: Uint32Array,
  at: number,
  first: number,
  end: number,
): boolean {
  if (!state.isNewest(events, at + first * WireTransfer.words)) return false;
  for (let i = first; i < end; i += 1) {
    const event = at + i * WireTransfer.words;
    if (((events[event + WireTransfer.codeFlags]! >>> 16) & RESOLVING) !== 0) return false;
    if (i > first && compare128(events, event, events, event - WireTransfer.words) <= 0)
      return false;
  }
  return true;
}

function findAccounts(
  { state, hashes }: EventContext,
  events: Uint32Array,
  at: number,
  first: number,
  end: number,
): void {
  for (let i = first; i < end; i += 1) {
    const event = at + i * WireTransfer.words;
    const to = i * IdHash.words;
    for (let side = 0; side < 2; side += 1) {
      const hash = to + IdHash.debitAccount + side;
      const id = event + (side === 0 ? WireTransfer.debitAccountId : WireTransfer.creditAccountId);
      const account = state.findAccount(events, id, hashes[hash]);
      if (account !== -1) state.touchAccountRow(account);
      hashes[hash] = account;
    }
  }
}

export function setResultTime(context: EventContext, from: Uint32Array, at: number): void {
  context.times[Time.result] = from[at]!;
  context.times[Time.result + 1] = from[at + 1]!;
}
