/** Accounts and transfers as bytes, and a client that sends them, for tests and benchmarks. */
import { Client } from '../../../engine/client/client.ts';
import { putU128 } from '../../../engine/commands/workload.ts';
import { encodeMultiBatch, splitMultiBatch } from '../../../engine/wire/multi-batch.ts';
import { Operation } from '../../../engine/wire/operations.ts';

export { accountBytes } from '../../../engine/commands/workload.ts';

export const created = 0xffff_ffff;

export interface TransferFields {
  readonly id: bigint;
  readonly debit: bigint;
  readonly credit: bigint;
  readonly amount: bigint;
  readonly pendingId?: bigint;
  readonly timeout?: number;
  readonly flags?: number;
  readonly timestamp?: bigint;
}

export function transferBytes(transfers: readonly TransferFields[]): Uint8Array {
  const bytes = new Uint8Array(transfers.length * 128);
  const view = new DataView(bytes.buffer);
  transfers.forEach((transfer, i) => {
    const at = i * 128;
    putU128(view, at, transfer.id);
    putU128(view, at + 16, transfer.debit);
    putU128(view, at + 32, transfer.credit);
    putU128(view, at + 48, transfer.amount);
    putU128(view, at + 64, transfer.pendingId ?? 0n);
    view.setUint32(at + 108, transfer.timeout ?? 0, true);
    view.setUint32(at + 112, transfer.pendingId === undefined ? 1 : 0, true);
    view.setUint16(at + 116, transfer.pendingId === undefined ? 1 : 0, true);
    view.setUint16(at + 118, transfer.flags ?? 0, true);
    view.setBigUint64(at + 120, transfer.timestamp ?? 0n, true);
  });
  return bytes;
}

export const batchSize = 8189;

/** A full batch, which follows on those before it: transfers of 1 from account 1 to account 2. */
export const batchOf = (index: number): Uint8Array =>
  transferBytes(
    Array.from({ length: batchSize }, (_, i) => ({
      id: BigInt(index * batchSize + i + 1),
      debit: 1n,
      credit: 2n,
      amount: 1n,
    })),
  );

const u128 = (view: DataView, at: number): bigint =>
  view.getBigUint64(at, true) | (view.getBigUint64(at + 8, true) << 64n);

export const connectTo = (port: number, timeoutMs = 180_000): Client =>
  new Client({ cluster: 0n, addresses: [{ host: '127.0.0.1', port }], timeoutMs });

/** Statuses of a create request, one an event. */
export async function create(
  client: Client,
  operation: typeof Operation.createAccounts | typeof Operation.createTransfers,
  events: Uint8Array,
): Promise<number[]> {
  const reply = await client.submit(operation, encodeMultiBatch([events], 128));
  const [results = new Uint8Array(0)] = splitMultiBatch(reply, 16) ?? [];
  const view = new DataView(results.buffer, results.byteOffset, results.length);
  return Array.from({ length: results.length / 16 }, (_, i) => view.getUint32(i * 16 + 8, true));
}

interface AccountState {
  readonly id: bigint;
  readonly debitsPending: bigint;
  readonly debitsPosted: bigint;
  readonly creditsPending: bigint;
  readonly creditsPosted: bigint;
}

export async function lookupAccounts(
  client: Client,
  ids: readonly bigint[],
): Promise<AccountState[]> {
  const view = new DataView(await lookup(client, Operation.lookupAccounts, ids));
  return Array.from({ length: view.byteLength / 128 }, (_, i) => ({
    id: u128(view, i * 128),
    debitsPending: u128(view, i * 128 + 16),
    debitsPosted: u128(view, i * 128 + 32),
    creditsPending: u128(view, i * 128 + 48),
    creditsPosted: u128(view, i * 128 + 64),
  }));
}

/** Ids and amounts of the transfers that are there. */
export async function lookupTransfers(
  client: Client,
  ids: readonly bigint[],
): Promise<{ id: bigint; amount: bigint }[]> {
  const view = new DataView(await lookup(client, Operation.lookupTransfers, ids));
  return Array.from({ length: view.byteLength / 128 }, (_, i) => ({
    id: u128(view, i * 128),
    amount: u128(view, i * 128 + 48),
  }));
}

async function lookup(
  client: Client,
  operation: number,
  ids: readonly bigint[],
): Promise<ArrayBuffer> {
  const bytes = new Uint8Array(ids.length * 16);
  const view = new DataView(bytes.buffer);
  ids.forEach((id, i) => putU128(view, i * 16, id));
  const reply = await client.submit(operation, encodeMultiBatch([bytes], 16));
  const [rows = new Uint8Array(0)] = splitMultiBatch(reply, 128) ?? [];
  return Uint8Array.from(rows).buffer;
}
