/**
 * The state as checkpoint tables (layouts in tables.md). All tables but one are append-only: a delta is the rows since the
 * last one. Their memory never changes, so that taking a delta copies nothing. Accounts are written as they were created;
 * balances, `closed`, pending statuses and indexes are restored from the rows of transfers and expiries, which hold the
 * balances after each event. `finishLoad` also checks that the tables fit together.
 */
import { type Section, type SectionHead, SectionKind } from './checkpoint.ts';
import { BurnedId, Expiry, Transfer, Wide } from './layout.ts';
import { Account } from '../wire/records.ts';
import { type LedgerState, ROWS_A_SLICE } from './ledger-state.ts';
import { expiryBalances, transferBalances } from './read-reply.ts';
import type { RowTable } from './row-table.ts';
import { PendingStatus, RowFlag } from './row-values.ts';
import { TransferFlag } from '../wire/flags.ts';
import { type BalancesAt, readBalances, setClosed } from './store-transfer.ts';

/** Table numbers; they never change their meaning. */
export const TableId = {
  accounts: 1,
  transfers: 2,
  wides: 3,
  expiries: 4,
  burnedIds: 5,
  head: 6,
} as const;

const CHUNK_BYTES_MAX = 1 << 20;
const HEAD_BYTES = 24;

/** Bytes of a row, by table. */
export const ROW_BYTES: ReadonlyMap<number, number> = new Map([
  [TableId.accounts, Account.words * 4],
  [TableId.transfers, Transfer.words * 4],
  [TableId.wides, Wide.words * 4],
  [TableId.expiries, Expiry.words * 4],
  [TableId.burnedIds, BurnedId.words * 4],
  [TableId.head, HEAD_BYTES],
]);

/**
 * Reads the single row of the table `head`: the state hash, and the timestamp of the last operation that changed the ledger.
 */
export function readLedgerHead(row: Uint8Array): {
  readonly stateHash: Uint8Array;
  readonly committed: bigint;
} {
  const view = new DataView(row.buffer, row.byteOffset, HEAD_BYTES);
  return { stateHash: row.subarray(0, 16), committed: view.getBigUint64(16, true) };
}
const RESOLVING = TransferFlag.post_pending_transfer | TransferFlag.void_pending_transfer;

/** Stored sections that do not fit together: the store returned other data than it was given. */
export class CheckpointError extends Error {
  override readonly name = 'CheckpointError';
  readonly code = 'checkpoint_inconsistent';
}

export class CheckpointTables {
  readonly #state: LedgerState;
  readonly #hash: Uint32Array;
  readonly #committed: Uint32Array;
  readonly #tables: ReadonlyMap<number, RowTable>;
  /** Number of rows in earlier deltas, by table. */
  readonly #given = new Map<number, number>();

  constructor(state: LedgerState, hash: Uint32Array, committed: Uint32Array) {
    this.#state = state;
    this.#hash = hash;
    this.#committed = committed;
    this.#tables = new Map([
      [TableId.accounts, state.accounts],
      [TableId.transfers, state.transfers],
      [TableId.wides, state.wides],
      [TableId.expiries, state.expiries],
      [TableId.burnedIds, state.burnedIds],
    ]);
  }

  takeDelta(rewrite: ReadonlySet<number>): readonly Section[] {
    const sections: Section[] = [];
    for (const [id, table] of this.#tables) {
      const isRewritten = rewrite.has(id);
      const firstRow = isRewritten ? 0 : (this.#given.get(id) ?? 0);
      const rowCount = table.count - firstRow;
      this.#given.set(id, table.count);
      if (rowCount === 0 && !isRewritten) continue;
      sections.push({
        kind: isRewritten ? SectionKind.replace : SectionKind.append,
        table: id,
        rowSize: table.rowBytes,
        firstRow,
        rowCount,
        chunks:
          id === TableId.accounts
            ? createdRows(table, firstRow, table.count)
            : rows(table, firstRow, table.count),
      });
    }
    sections.push(this.#headSection());
    return sections;
  }

  async loadSection(head: SectionHead, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    if (head.table === TableId.head) {
      await this.#loadHead(head, chunks);
      return;
    }
    const table = this.#tables.get(head.table);
    check(table !== undefined, `table ${head.table} is not a table of the ledger`);
    check(
      head.rowSize === ROW_BYTES.get(head.table),
      `rows of table ${head.table} have another size`,
    );
    if (head.kind === SectionKind.replace) table.truncate(0);
    else check(head.kind === SectionKind.append, `table ${head.table} is append-only`);
    check(head.firstRow === table.count, `a section of table ${head.table} is missing`);
    await loadRows(table, head.rowCount, chunks);
    this.#given.set(head.table, table.count);
  }

  /** Builds the derived state, in slices of some thousand rows. */
  *finishLoad(): Generator<void> {
    yield* this.#state.addAllIds();
    yield* restoreBalances(this.#state);
    yield* this.#state.indexAll();
  }

  #headSection(): Section {
    const words = Uint32Array.of(...this.#hash, ...this.#committed);
    return {
      kind: SectionKind.replace,
      table: TableId.head,
      rowSize: HEAD_BYTES,
      firstRow: 0,
      rowCount: 1,
      chunks: [new Uint8Array(words.buffer)],
    };
  }

  async #loadHead(head: SectionHead, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    check(head.rowSize * head.rowCount === HEAD_BYTES, 'the ledger head has another size');
    const words = new Uint32Array(HEAD_BYTES / 4);
    const bytes = new Uint8Array(words.buffer);
    let at = 0;
    for await (const chunk of chunks) {
      check(at + chunk.length <= HEAD_BYTES, 'the ledger head is too long');
      bytes.set(chunk, at);
      at += chunk.length;
    }
    check(at === HEAD_BYTES, 'the ledger head is too short');
    this.#hash.set(words.subarray(0, 4));
    this.#committed.set(words.subarray(4, 6));
  }
}

function* rows(table: RowTable, from: number, end: number): Generator<Uint8Array> {
  const rowsMax = Math.floor(CHUNK_BYTES_MAX / table.rowBytes);
  for (let row = from; row < end;) {
    const inChunk = table.rowsPerChunk - (row % table.rowsPerChunk);
    const count = Math.min(rowsMax, inChunk, end - row);
    const words = table.chunkOf(row);
    const offset = words.byteOffset + table.offsetOf(row) * 4;
    yield new Uint8Array(words.buffer, offset, count * table.rowBytes);
    row += count;
  }
}

/** Yields the rows of accounts without the fields that change later. */
function* createdRows(table: RowTable, from: number, end: number): Generator<Uint8Array> {
  let copy = new Uint32Array(0);
  for (const bytes of rows(table, from, end)) {
    if (copy.byteLength < bytes.length) copy = new Uint32Array(bytes.length / 4);
    const words = copy.subarray(0, bytes.length / 4);
    words.set(new Uint32Array(bytes.buffer, bytes.byteOffset, words.length));
    for (let at = 0; at < words.length; at += Account.words) {
      words.fill(0, at + Account.debitsPending, at + Account.userData128);
      setClosed(words, at, words[at + Account.reserved] === 1);
    }
    yield new Uint8Array(words.buffer, 0, bytes.length);
  }
}

async function loadRows(
  table: RowTable,
  rowCount: number,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  const { rowBytes } = table;
  const end = table.count + rowCount;
  /** Bytes of the last row that have arrived; chunks may end inside a row. */
  let partial = 0;
  for await (const chunk of chunks) {
    let at = 0;
    while (at < chunk.length) {
      if (partial === 0) {
        check(table.count < end, 'a section holds more rows than it says');
        table.push();
      }
      const row = table.count - 1;
      const words = table.chunkOf(row);
      const start = words.byteOffset + table.offsetOf(row) * 4 + partial;
      // As many whole rows as both sides have in one piece.
      const inChunk = (table.rowsPerChunk - (row % table.rowsPerChunk)) * rowBytes - partial;
      const inSection = (end - row) * rowBytes - partial;
      const size = Math.min(chunk.length - at, inChunk, inSection);
      new Uint8Array(words.buffer, start, size).set(chunk.subarray(at, at + size));
      at += size;
      const rowsDone = Math.floor((partial + size) / rowBytes);
      partial = (partial + size) % rowBytes;
      const count = row + rowsDone + (partial === 0 ? 0 : 1);
      while (table.count < count) table.push();
    }
  }
  check(partial === 0 && table.count === end, 'a section holds fewer rows than it says');
}

/** Goes through all events in the order of their execution. The last event of an account gives its balances. */
function* restoreBalances(state: LedgerState): Generator<void> {
  const { transfers, expiries } = state;
  let expiry = 0;
  let rows = 0;
  for (let transfer = 0; transfer <= transfers.count; transfer += 1) {
    for (; expiry < expiries.count; expiry += 1) {
      const row = expiries.chunkOf(expiry);
      const at = expiries.offsetOf(expiry);
      if (row[at + Expiry.transfersBefore] !== transfer) break;
      restoreExpiry(state, row, at);
      if ((rows += 1) % ROWS_A_SLICE === 0) yield;
    }
    if (transfer < transfers.count) restoreTransfer(state, transfer);
    if ((rows += 1) % ROWS_A_SLICE === 0) yield;
  }
  check(expiry === expiries.count, 'expiries are out of order');
}

function restoreExpiry(state: LedgerState, row: Uint32Array, at: number): void {
  const transfer = row[at + Expiry.transfer]!;
  check(transfer < row[at + Expiry.transfersBefore]!, 'an expiry is of a later transfer');
  resolve(state, transfer, PendingStatus.expired);
  restoreAccounts(state, transfer, row[at + Expiry.flags]!, expiryBalances(row, at));
}

function restoreTransfer(state: LedgerState, transfer: number): void {
  const row = state.transfers.chunkOf(transfer);
  const at = state.transfers.offsetOf(transfer);
  const codeFlags = row[at + Transfer.codeFlags]!;
  const flags = codeFlags >>> 16;
  const isPending = (flags & TransferFlag.pending) !== 0;
  state.pendingStatuses.set(transfer, isPending ? PendingStatus.pending : PendingStatus.none);
  if (isPending) {
    state.pendingTransfers += 1;
    if (row[at + Transfer.timeout] !== 0) state.expiringTransfers += 1;
  }
  if ((flags & RESOLVING) !== 0) {
    const pending = row[at + Transfer.pendingTransfer]!;
    check(pending < transfer, 'a transfer resolves a later one');
    const isVoid = (flags & TransferFlag.void_pending_transfer) !== 0;
    resolve(state, pending, isVoid ? PendingStatus.voided : PendingStatus.posted);
  }
  restoreAccounts(state, transfer, codeFlags, transferBalances(row, at));
}

function resolve(state: LedgerState, transfer: number, status: number): void {
  const isPending = state.pendingStatuses.get(transfer) === PendingStatus.pending;
  check(isPending, 'a transfer is resolved that is not pending');
  state.pendingStatuses.set(transfer, status);
  state.pendingTransfers -= 1;
  const row = state.transfers.chunkOf(transfer);
  if (row[state.transfers.offsetOf(transfer) + Transfer.timeout] !== 0)
    state.expiringTransfers -= 1;
}

function restoreAccounts(
  state: LedgerState,
  transfer: number,
  rowFlags: number,
  balances: BalancesAt,
): void {
  const row = state.transfers.chunkOf(transfer);
  const at = state.transfers.offsetOf(transfer);
  check(balances.wide < state.wides.count, 'a wide value is missing');
  for (let side = 0; side < 2; side += 1) {
    const account = row[at + Transfer.debitAccount + side]!;
    check(account < state.accounts.count, 'an account is missing');
    const chunk = state.accounts.chunkOf(account);
    const offset = state.accounts.offsetOf(account);
    readBalances(state, balances, side, chunk, offset + Account.debitsPending);
    const closed = side === 0 ? RowFlag.debit_account_closed : RowFlag.credit_account_closed;
    setClosed(chunk, offset, ((rowFlags >>> 16) & closed) !== 0);
  }
}

function check(condition: boolean, message: string): asserts condition {
  if (!condition) {
    throw new CheckpointError(
      `the checkpoint's tables do not fit together: ${message}; restore the replica from a backup or another replica`,
    );
  }
}
