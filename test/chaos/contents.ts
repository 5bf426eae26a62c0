/** The contents of a ledger, read by its own queries. */
import { encodeMultiBatch, splitMultiBatch } from '../../engine/wire/multi-batch.ts';
import { Operation } from '../../engine/wire/operations.ts';
import {
  accountFields,
  changeEventFields,
  concatenate,
  decodeRecord,
  encodeRecord,
  eventsFilterFields,
  queryFilterFields,
  transferFields,
  type AccountRecord,
  type TransferRecord,
} from '../support/engine/ledger/records.ts';

type Ask = (operation: number, body: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** Rows by timestamp, as they are on the wire. */
export interface Contents {
  readonly accounts: Uint8Array;
  readonly transfers: Uint8Array;
  readonly events: Uint8Array;
}

const ROW = 128;
const EVENT = 384;
const PAGE = 2000;

export async function contentsOf(ask: Ask): Promise<Contents> {
  const rows = async (operation: number): Promise<Uint8Array> =>
    pages(ROW, 120, async (from) => {
      const filter = { timestamp_min: from, limit: BigInt(PAGE) };
      const body = encodeMultiBatch([encodeRecord(queryFilterFields, 64, filter)], 64);
      const [page] = splitMultiBatch(await ask(operation, body), ROW) ?? [];
      return page ?? new Uint8Array(0);
    });
  return {
    accounts: await rows(Operation.queryAccounts),
    transfers: await rows(Operation.queryTransfers),
    events: await pages(EVENT, EVENT_TIMESTAMP, (from) => {
      const filter = { timestamp_min: from, limit: BigInt(PAGE) };
      return ask(Operation.getChangeEvents, encodeRecord(eventsFilterFields, 64, filter));
    }),
  };
}

/** Offset of the timestamp in an event. */
const EVENT_TIMESTAMP = (() => {
  let at = 0;
  for (const [name, width] of changeEventFields) {
    if (name === 'timestamp') break;
    at += width;
  }
  return at;
})();

async function pages(
  size: number,
  timestampAt: number,
  page: (from: bigint) => Uint8Array | Promise<Uint8Array>,
): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for (let from = 1n; ;) {
    const rows = (await page(from)).slice();
    if (rows.length === 0) return concatenate(all);
    all.push(rows);
    from = u64(rows, rows.length - size + timestampAt) + 1n;
  }
}

const u64 = (bytes: Uint8Array, at: number): bigint =>
  new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(at, true);

export const accountsIn = ({ accounts }: Contents): readonly AccountRecord[] =>
  records(accountFields, accounts, ROW) as unknown as AccountRecord[];

export const transfersIn = ({ transfers }: Contents): readonly TransferRecord[] =>
  records(transferFields, transfers, ROW) as unknown as TransferRecord[];

export const eventsIn = ({ events }: Contents): readonly Record<string, bigint>[] =>
  records(changeEventFields, events, EVENT);

function records(
  fields: Parameters<typeof decodeRecord>[0],
  bytes: Uint8Array,
  size: number,
): Record<string, bigint>[] {
  return Array.from({ length: bytes.length / size }, (_, i) =>
    decodeRecord(fields, bytes.subarray(i * size, (i + 1) * size)),
  );
}
