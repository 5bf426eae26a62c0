/** Messages as TigerBeetle's own `amqp` job publishes them (src/cdc/runner.zig): properties, and headers to route by. */
import type { Options } from 'amqplib';
import { ChangeEvent } from '../../../engine/wire/records.ts';
import { changeEventTypes } from '../../ledger/change-event-types.ts';
import { changeEventTexts } from '../../ledger/encode-change-events.ts';
import type { AmqpSink } from '../../model/change-stream.ts';

interface Message {
  readonly body: Buffer;
  readonly options: Options.Publish;
}

const rowSize = ChangeEvent.words * 4;
/** `code` of an account in an event, in bytes from its start. */
const accountCode = 27 * 4;
/** Codes of transfer, debit account and credit account, in bytes from the start of a record. */
const codesAt = [
  ChangeEvent.transferCodeFlags * 4,
  ChangeEvent.debitAccount * 4 + accountCode,
  ChangeEvent.creditAccount * 4 + accountCode,
] as const;

/** A message for each of the records. `messageId` is the event's own, so that a consumer knows what it has. */
export function amqpMessages(
  rows: Uint8Array,
  { format }: Pick<AmqpSink, 'format'>,
  databaseId: string,
): readonly Message[] {
  const view = new DataView(rows.buffer, rows.byteOffset, rows.length);
  const appId = format === 'TIGERBEETLE' ? 'tigerbeetle' : 'ledgerhouse';
  const headersOf = sharedHeaders();
  return changeEventTexts(rows, format).map((text, index) => {
    const at = index * rowSize;
    const timestamp = view.getBigUint64(at + ChangeEvent.timestamp * 4, true);
    return {
      body: Buffer.from(text.buffer, text.byteOffset, text.length),
      options: {
        mandatory: true,
        persistent: true,
        contentType: 'application/json',
        appId,
        messageId: `${databaseId}:${timestamp}`,
        timestamp: Number(timestamp / 1_000_000_000n),
        headers: headersOf(view, at),
      },
    };
  });
}

/** Equal headers are one object: amqplib takes it as a prototype, which is twice as fast with one that it had before. */
function sharedHeaders(): (view: DataView, at: number) => object {
  const known = new Map<string, object>();
  return (view, at) => {
    const type = view.getUint8(at + ChangeEvent.type * 4);
    const ledger = view.getUint32(at + ChangeEvent.ledger * 4, true);
    const [transfer, debit, credit] = codesAt.map((code) => view.getUint16(at + code, true));
    const key = `${type} ${ledger} ${transfer} ${debit} ${credit}`;
    let headers = known.get(key);
    if (headers === undefined) {
      headers = {
        event_type: changeEventTypes[type],
        ledger: { '!': 'int64', value: ledger },
        transfer_code: int32(transfer),
        debit_account_code: int32(debit),
        credit_account_code: int32(credit),
      };
      known.set(key, headers);
    }
    return headers;
  };
}

/** The type is said: amqplib would take the smallest that holds the value. */
const int32 = (value: number | undefined) => ({ '!': 'int32', value });
