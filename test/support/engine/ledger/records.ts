/** Wire records as objects, for tests: slow and obvious, written apart from the engine's own layouts. */

const MAX64 = (1n << 64n) - 1n;

export interface AccountRecord {
  id: bigint;
  debits_pending: bigint;
  debits_posted: bigint;
  credits_pending: bigint;
  credits_posted: bigint;
  user_data_128: bigint;
  user_data_64: bigint;
  user_data_32: bigint;
  reserved: bigint;
  ledger: bigint;
  code: bigint;
  flags: bigint;
  timestamp: bigint;
}

export interface TransferRecord {
  id: bigint;
  debit_account_id: bigint;
  credit_account_id: bigint;
  amount: bigint;
  pending_id: bigint;
  user_data_128: bigint;
  user_data_64: bigint;
  user_data_32: bigint;
  timeout: bigint;
  ledger: bigint;
  code: bigint;
  flags: bigint;
  timestamp: bigint;
}

type Fields = readonly (readonly [string, number])[];

/** Field names with their sizes in bytes, in the order of the wire. */
export const accountFields: Fields = [
  ['id', 16],
  ['debits_pending', 16],
  ['debits_posted', 16],
  ['credits_pending', 16],
  ['credits_posted', 16],
  ['user_data_128', 16],
  ['user_data_64', 8],
  ['user_data_32', 4],
  ['reserved', 4],
  ['ledger', 4],
  ['code', 2],
  ['flags', 2],
  ['timestamp', 8],
];

export const transferFields: Fields = [
  ['id', 16],
  ['debit_account_id', 16],
  ['credit_account_id', 16],
  ['amount', 16],
  ['pending_id', 16],
  ['user_data_128', 16],
  ['user_data_64', 8],
  ['user_data_32', 4],
  ['timeout', 4],
  ['ledger', 4],
  ['code', 2],
  ['flags', 2],
  ['timestamp', 8],
];

export const balanceFields: Fields = [
  ['debits_pending', 16],
  ['debits_posted', 16],
  ['credits_pending', 16],
  ['credits_posted', 16],
  ['timestamp', 8],
];

export const accountFilterFields: Fields = [
  ['account_id', 16],
  ['user_data_128', 16],
  ['user_data_64', 8],
  ['user_data_32', 4],
  ['code', 2],
  ['reserved_16', 2],
  ['reserved_1', 16],
  ['reserved_2', 16],
  ['reserved_3', 16],
  ['reserved_4', 8],
  ['timestamp_min', 8],
  ['timestamp_max', 8],
  ['limit', 4],
  ['flags', 4],
];

export const queryFilterFields: Fields = [
  ['user_data_128', 16],
  ['user_data_64', 8],
  ['user_data_32', 4],
  ['ledger', 4],
  ['code', 2],
  ['reserved_16', 2],
  ['reserved_32', 4],
  ['timestamp_min', 8],
  ['timestamp_max', 8],
  ['limit', 4],
  ['flags', 4],
];

export const eventsFilterFields: Fields = [
  ['timestamp_min', 8],
  ['timestamp_max', 8],
  ['limit', 4],
  ['reserved_32', 4],
  ['reserved_1', 16],
  ['reserved_2', 16],
  ['reserved_64', 8],
];

const sideFields = (side: string): Fields => [
  [`${side}_account_id`, 16],
  [`${side}_account_debits_pending`, 16],
  [`${side}_account_debits_posted`, 16],
  [`${side}_account_credits_pending`, 16],
  [`${side}_account_credits_posted`, 16],
  [`${side}_account_user_data_128`, 16],
  [`${side}_account_user_data_64`, 8],
  [`${side}_account_user_data_32`, 4],
  [`${side}_account_code`, 2],
  [`${side}_account_flags`, 2],
];

export const changeEventFields: Fields = [
  ['transfer_id', 16],
  ['transfer_amount', 16],
  ['transfer_pending_id', 16],
  ['transfer_user_data_128', 16],
  ['transfer_user_data_64', 8],
  ['transfer_user_data_32', 4],
  ['transfer_timeout', 4],
  ['transfer_code', 2],
  ['transfer_flags', 2],
  ['ledger', 4],
  ['type', 8],
  ['reserved_1', 16],
  ['reserved_2', 16],
  ...sideFields('debit'),
  ...sideFields('credit'),
  ['timestamp', 8],
  ['transfer_timestamp', 8],
  ['debit_account_timestamp', 8],
  ['credit_account_timestamp', 8],
];

type Fieldset = Readonly<Record<string, bigint>>;

export function encodeRecord(fields: Fields, size: number, record: object): Uint8Array {
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [name, width] of fields) {
    const value = (record as Fieldset)[name] ?? 0n;
    if (width === 16) {
      view.setBigUint64(at, value & MAX64, true);
      view.setBigUint64(at + 8, value >> 64n, true);
    } else if (width === 8) view.setBigUint64(at, value, true);
    else if (width === 4) view.setUint32(at, Number(value), true);
    else view.setUint16(at, Number(value), true);
    at += width;
  }
  return bytes;
}

export function decodeRecord(fields: Fields, bytes: Uint8Array): Record<string, bigint> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const record: Record<string, bigint> = {};
  let at = 0;
  for (const [name, width] of fields) {
    if (width === 16) {
      record[name] = view.getBigUint64(at, true) | (view.getBigUint64(at + 8, true) << 64n);
    } else if (width === 8) record[name] = view.getBigUint64(at, true);
    else if (width === 4) record[name] = BigInt(view.getUint32(at, true));
    else record[name] = BigInt(view.getUint16(at, true));
    at += width;
  }
  return record;
}

export function concatenate(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
