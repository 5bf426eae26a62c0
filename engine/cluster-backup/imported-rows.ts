/**
 * Rows of a ledger as imported events: the form in which another cluster accepts their timestamps. They have no timeouts, so an expiry
 * becomes a transfer that voids; its ID is derived from that of the pending one, the same each time.
 */
import { createHash } from 'node:crypto';
import { EventType } from '../ledger/read-reply.ts';
import { AccountFlag, TransferFlag } from '../wire/flags.ts';
import { Account, ChangeEvent, WireTransfer } from '../wire/records.ts';
import { eventTypeOf, transferOf } from './event-rows.ts';

const ID_SIZE = 16;
/** Flags are the upper half of the word with the code. */
const upper = (word: number): number => word * 4 + 2;

/** The account as it is created. `isTouched`: it has transfers, which close it if it is closed. */
export function importedAccount(account: Uint8Array, isTouched: boolean): Uint8Array {
  const record = account.slice();
  record.fill(0, Account.debitsPending * 4, Account.userData128 * 4);
  setFlags(record, upper(Account.codeFlags), AccountFlag.imported);
  if (isTouched) clearFlags(record, upper(Account.codeFlags), AccountFlag.closed);
  return record;
}

/** The fields of an imported account that never change: ID, timestamp and the flag `imported`. */
export function beginningOf(account: Uint8Array): Uint8Array {
  const beginning = new Uint8Array(ID_SIZE + 16);
  beginning.set(account.subarray(0, ID_SIZE));
  beginning.set(account.subarray(Account.timestamp * 4), ID_SIZE);
  beginning[ID_SIZE + 8] = account[upper(Account.codeFlags)]! & AccountFlag.imported;
  return beginning;
}

/** The account as it is once all transfers are there. */
export function wantedAccount(account: Uint8Array): Uint8Array {
  const record = account.slice();
  setFlags(record, upper(Account.codeFlags), AccountFlag.imported);
  return record;
}

/** The event that the cluster must report after the transfer of the given event was created. */
export function wantedEvent(event: Uint8Array): Uint8Array {
  const wanted = event.slice();
  const flagsAt = upper(ChangeEvent.transferCodeFlags);
  if (eventTypeOf(event) === EventType.expired) {
    const pendingId = event.subarray(0, ID_SIZE);
    wanted.set(voidIdOf(pendingId), ChangeEvent.transferId * 4);
    wanted.set(pendingId, ChangeEvent.transferPendingId * 4);
    wanted.fill(0, flagsAt, flagsAt + 2);
    setFlags(wanted, flagsAt, TransferFlag.void_pending_transfer);
    wanted[ChangeEvent.type * 4] = EventType.voided;
    const at = ChangeEvent.timestamp * 4;
    wanted.set(event.subarray(at, at + 8), ChangeEvent.transferTimestamp * 4);
  }
  wanted.fill(0, ChangeEvent.transferTimeout * 4, ChangeEvent.transferTimeout * 4 + 4);
  setFlags(wanted, flagsAt, TransferFlag.imported);
  for (const account of [ChangeEvent.debitAccount, ChangeEvent.creditAccount])
    setFlags(wanted, upper(account + Account.reserved), AccountFlag.imported);
  return wanted;
}

/** The transfer that makes an event. */
export const importedTransfer = (event: Uint8Array): Uint8Array => transferOf(wantedEvent(event));

export const isLinked = (record: Uint8Array): boolean =>
  (record[upper(WireTransfer.codeFlags)]! & TransferFlag.linked) !== 0;

function voidIdOf(pendingId: Uint8Array): Uint8Array {
  return createHash('sha256').update('expired ').update(pendingId).digest().subarray(0, ID_SIZE);
}

function setFlags(bytes: Uint8Array, at: number, flags: number): void {
  bytes[at]! |= flags & 0xff;
  bytes[at + 1]! |= flags >>> 8;
}

function clearFlags(bytes: Uint8Array, at: number, flags: number): void {
  bytes[at]! &= ~flags & 0xff;
  bytes[at + 1]! &= ~(flags >>> 8) & 0xff;
}
