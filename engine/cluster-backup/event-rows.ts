/** The transfer of a change event, as the record that creates it. */
import { ChangeEvent, WireTransfer } from '../wire/records.ts';

const RECORD_SIZE = WireTransfer.words * 4;

/** Fields of the event, as indexes of words, and their place in the record. */
const fields = [
  [ChangeEvent.transferId, WireTransfer.id, 4],
  [ChangeEvent.debitAccount, WireTransfer.debitAccountId, 4],
  [ChangeEvent.creditAccount, WireTransfer.creditAccountId, 4],
  [ChangeEvent.transferAmount, WireTransfer.amount, 4],
  [ChangeEvent.transferPendingId, WireTransfer.pendingId, 4],
  // user_data_128, _64, _32 and timeout follow one another in both.
  [ChangeEvent.transferUserData128, WireTransfer.userData128, 8],
  [ChangeEvent.ledger, WireTransfer.ledger, 1],
  [ChangeEvent.transferCodeFlags, WireTransfer.codeFlags, 1],
  [ChangeEvent.transferTimestamp, WireTransfer.timestamp, 2],
] as const;

export function transferOf(event: Uint8Array): Uint8Array {
  const record = new Uint8Array(RECORD_SIZE);
  for (const [from, to, words] of fields)
    record.set(event.subarray(from * 4, (from + words) * 4), to * 4);
  return record;
}

export const eventTypeOf = (event: Uint8Array): number => event[ChangeEvent.type * 4]!;
