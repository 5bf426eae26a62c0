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

/** A message for each of the records. `messageId` is the event's own, so that a consumer knows what it has. */
export function amqpMessages(
  rows: Uint8Array,
  { format }: Pick<AmqpSink, 'format'>,
  databaseId: string,
): readonly Message[] {
  const view = new DataView(rows.buffer, rows.byteOffset, rows.length);
  const appId = format === 'TIGERBEETLE' ? 'tigerbeetle' : 'ledgerhouse';
  return changeEventTexts(rows, format).map((text, index) => {
    const at = index * rowSize;
    const uint = (word: number) => view.getUint32(at + word * 4, true);
    const code = (byte: number) => int32(view.getUint16(at + byte, true));
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
        headers: {
          event_type: changeEventTypes[uint(ChangeEvent.type) & 0xff],
          ledger: { '!': 'int64', value: uint(ChangeEvent.ledger) },
          transfer_code: code(ChangeEvent.transferCodeFlags * 4),
          debit_account_code: code(ChangeEvent.debitAccount * 4 + accountCode),
          credit_account_code: code(ChangeEvent.creditAccount * 4 + accountCode),
        },
      },
    };
  });
}

/** The type is said: amqplib would take the smallest that holds the value. */
const int32 = (value: number) => ({ '!': 'int32', value });
