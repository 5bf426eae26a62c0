/** A ledger with everything that an engine keeps, written through the protocol, and what its events tell of it. */
import type { Client } from '../../../engine/client/client.ts';
import { AccountFlag, TransferFlag } from '../../../engine/wire/flags.ts';
import { Operation } from '../../../engine/wire/operations.ts';
import { ChangeEvent } from '../../../engine/wire/records.ts';
import { accountBytes, create, created, transferBytes, type TransferFields } from './ledger.ts';
import { eventually } from '../shell.ts';

const EVENT_SIZE = ChangeEvent.words * 4;
const LARGE = (1n << 100n) + 7n;
const MAX = (1n << 128n) - 1n;
const { pending, post_pending_transfer: post, void_pending_transfer: voids } = TransferFlag;

/** Transfers of any kind. The last one of several is refused, so that its ID is used up. */
const batches: readonly (readonly TransferFields[])[] = [
  [
    { id: 1n, debit: 1n, credit: 2n, amount: 100n },
    { id: 2n, debit: 1n, credit: 2n, amount: LARGE },
    { id: 3n, debit: 1n, credit: 2n, amount: 5n, flags: TransferFlag.linked },
    { id: 4n, debit: 2n, credit: 3n, amount: 5n },
    { id: 5n, debit: 3n, credit: 1n, amount: 1n, flags: TransferFlag.linked },
    { id: 6n, debit: 3n, credit: 99n, amount: 1n },
  ],
  [
    { id: 10n, debit: 1n, credit: 2n, amount: 30n, flags: pending },
    { id: 11n, debit: 1n, credit: 2n, amount: 31n, flags: pending, timeout: 1 },
    { id: 12n, debit: 1n, credit: 3n, amount: 32n, flags: pending, timeout: 1 },
    { id: 13n, debit: 2n, credit: 3n, amount: 33n, flags: pending, timeout: 100_000 },
    { id: 14n, debit: 2n, credit: 3n, amount: 34n, flags: pending, timeout: 100_000 },
  ],
  [
    { id: 20n, debit: 0n, credit: 0n, amount: 10n, pendingId: 10n, flags: post },
    { id: 21n, debit: 0n, credit: 0n, amount: 0n, pendingId: 13n, flags: voids },
    { id: 22n, debit: 3n, credit: 1n, amount: MAX, flags: TransferFlag.balancing_debit },
    { id: 23n, debit: 4n, credit: 1n, amount: 7n },
    { id: 24n, debit: 4n, credit: 1n, amount: 0n, flags: pending | TransferFlag.closing_debit },
  ],
];

/** Accounts 1 to 5: number 4 is closed by a transfer, number 5 was created closed. Two pending transfers expire before it returns. */
export async function writeVariedLedger(client: Client): Promise<void> {
  const accounts = async (ids: readonly bigint[], flags: number) =>
    create(client, Operation.createAccounts, accountBytes(ids, flags));
  await accounts([1n, 2n], AccountFlag.history);
  await accounts([3n], 0);
  await accounts([4n], 0);
  await accounts([5n], AccountFlag.closed);
  for (const batch of batches) {
    const statuses = await create(client, Operation.createTransfers, transferBytes(batch));
    const refused = statuses.filter((status) => status !== created).length;
    // Both of a chain whose second one names an account that is not there.
    if (refused !== (batch === batches[0] ? 2 : 0)) throw new Error(`statuses ${statuses.join()}`);
  }
  await eventually('two pending transfers have expired', async () => {
    const events = await eventsOf(client);
    const types = events.map((event) => event[ChangeEvent.type * 4]);
    return types.filter((type) => type === 4).length === 2 || undefined;
  });
  // What was reserved is free again.
  const last = { id: 30n, debit: 2n, credit: 1n, amount: 1n };
  await create(client, Operation.createTransfers, transferBytes([last]));
}

/** All events, with the balances after each of them. */
export async function eventsOf(client: Client): Promise<readonly Uint8Array[]> {
  const filter = new DataView(new ArrayBuffer(64));
  filter.setUint32(16, 2_000, true);
  const reply = await client.submit(Operation.getChangeEvents, new Uint8Array(filter.buffer));
  return Array.from({ length: reply.length / EVENT_SIZE }, (_, i) =>
    reply.slice(i * EVENT_SIZE, (i + 1) * EVENT_SIZE),
  );
}

/** Timestamp at which a pending transfer with this ID, made here between accounts 1 and 2, has expired. */
export async function expiryOf(client: Client, id: bigint): Promise<bigint> {
  const waiting = { id, debit: 1n, credit: 2n, amount: 1n, flags: pending, timeout: 1 };
  await create(client, Operation.createTransfers, transferBytes([waiting]));
  return eventually('the pending transfer has expired', async () => {
    const last = (await eventsOf(client)).at(-1);
    if (last?.[ChangeEvent.type * 4] !== 4) return undefined;
    return new DataView(last.buffer, last.byteOffset).getBigUint64(ChangeEvent.timestamp * 4, true);
  });
}
