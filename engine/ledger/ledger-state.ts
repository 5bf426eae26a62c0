/**
 * The tables of a ledger and everything derived from them.
 *
 * Rows of transfers, expiries, wide values and burned ids never change once their batch is over, and each holds the
 * balances after its event. So account balances, pending statuses and all indexes can be rebuilt from append-only tables,
 * and a checkpoint writes only what is new (checkpoint-tables.ts).
 *
 * Records are numbered in the order they were created, which is the order of their timestamps as well.
 */
import { AccountFields } from './account-fields.ts';
import { ColdAccounts, LIVE_BYTES, LiveAccounts } from './cold-accounts.ts';
import { ColdRows, RowAccess } from './cold-rows.ts';
import { ExpiryQueue } from './expiry-queue.ts';
import { type HashKey, KeyedHash } from './keyed-hash.ts';
import { BurnedId, Expiry, PageTableId, Transfer, Wide } from './layout.ts';
import { isEvent, isExpiry, rowOfEvent } from './last-event.ts';
import { Account } from '../wire/records.ts';
import { Memory } from './memory.ts';
import { PageCache } from './page-cache.ts';
import { ByteTable, RowTable } from './row-table.ts';
import { SealedAnswers, UNKNOWN } from './sealed-answers.ts';
import { SlotTable } from './slot-table.ts';
import type { StartPointSizes } from './start-point.ts';
import { indexSizes, type IndexSizes, TransferIndex } from './transfer-index.ts';
import { PendingStatus, RowFlag } from './row-values.ts';
import { TransferFlag } from '../wire/flags.ts';
import { expiryBalances, readBalances, setClosed, transferBalances } from './store-transfer.ts';
import { compare64, equal128, expiresAt } from './words.ts';

/** Rows between two pauses while a checkpoint is loaded: some milliseconds. */
export const ROWS_A_SLICE = 8192;
const expiry = new Uint32Array(2);

const PAGE_CACHE_BYTES = 16 << 20;
/** Maximum number of events in a message without a trailer. */
export const EVENTS_MAX = 8190;
/** Bytes that even a slow volume reads in a second. */
const YOUNG_BYTES_MAX = 256 << 20;
/** So much of accounts stays in memory at least, if that is no more than a quarter of it. */
const ACCOUNTS_STAY_BYTES = 64 << 20;
/** Accounts that have left memory and were used lately: the part of it that they may take, and their number at least and at most. */
const LIVE_PART = 1 / 8;
const LIVE_MIN = 1 << 16;
const LIVE_MAX = 1 << 20;

export interface StateSizes {
  /** Bytes of memory above which rows leave it; without it none do, as nobody could bring them back. */
  readonly rowsLeaveAtBytes?: number;
  /** Bytes that the cache of pages may take; 16 MiB by default. */
  readonly pageCacheBytes?: number;
  /** Rows that a chunk of each table with pages holds, as a power of two; tests set a small one. */
  readonly rowsShift?: number;
  /** The same for accounts. */
  readonly accountsShift?: number;
  /** Bytes of accounts that never leave memory, by default as the limit of memory asks. Tests set none. */
  readonly accountsStayBytes?: number;
  /** Accounts that have left memory, of which so many are kept in it nevertheless, if they were used lately. */
  readonly liveAccountsMax?: number;
  /** Sizes of start points. Tests set small ones. */
  readonly startPointSizes?: StartPointSizes;
  /** Sizes of the index of transfers, by default as the limit of memory asks; tests use small ones. */
  readonly indexSizes?: IndexSizes;
}

function liveAccountsMax(memoryLimitBytes: number, rowsLeaveAtBytes: number): number {
  const least = Math.min(LIVE_MIN, memoryLimitBytes / 16 / LIVE_BYTES);
  return Math.max(least, Math.min(LIVE_MAX, (rowsLeaveAtBytes * LIVE_PART) / LIVE_BYTES));
}

interface LedgerStateOptions extends StateSizes {
  readonly hashKey: HashKey;
  readonly memoryLimitBytes: number;
  /** Room that is kept for rows that are in no checkpoint yet. */
  readonly newRowsBytesMax: number;
  /** Whether checkpoints keep the index of transfers. */
  readonly isIndexStored: boolean;
  readonly onIndexDamage: (error: unknown) => void;
}

export class LedgerState {
  readonly memory = new Memory();
  /** Rows of accounts, as far as they never change. */
  readonly accounts: RowTable;
  /** The same rows with balances and flags as they are now. */
  readonly liveAccounts: LiveAccounts;
  readonly coldAccounts: ColdAccounts;
  readonly transfers: RowTable;
  readonly wides: RowTable;
  readonly expiries: RowTable;
  readonly burnedIds: RowTable;
  /** Access to rows that have left memory. */
  readonly access: RowAccess;

  /** PendingStatus of each transfer. */
  readonly pendingStatuses = new ByteTable(this.memory);
  pendingTransfers = 0;
  /** Pending transfers with a timeout. Each will need room for its expiry or for the transfer that resolves it. */
  expiringTransfers = 0;

  readonly accountFields: AccountFields;
  readonly transferIndex: TransferIndex;
  /** What the present operation knows of ids in the sealed part of the index. */
  readonly sealedAnswers = new SealedAnswers(EVENTS_MAX);
  readonly expiryQueue = new ExpiryQueue(this.memory);

  readonly #hash: KeyedHash;
  readonly #limitBytes: number;
  readonly #newRowsBytesMax: number;
  readonly #rowsLeaveAtBytes: number;
  readonly #accountsStayBytes: number;
  /** Tables whose rows may leave memory. */
  readonly #paged: readonly RowTable[];
  readonly #accountIds = new SlotTable(this.memory);
  readonly #burnedIds = new SlotTable(this.memory);
  #indexedTransfers = 0;
  /** Transfers before it are in the queue of expiries if they belong there. */
  #queuedEnd = 0;

  constructor(options: LedgerStateOptions) {
    const { hashKey, memoryLimitBytes, newRowsBytesMax, isIndexStored, onIndexDamage, ...sizes } =
      options;
    const hash = new KeyedHash(hashKey);
    const { memory } = this;
    const { pageCacheBytes = PAGE_CACHE_BYTES, rowsShift, rowsLeaveAtBytes = Infinity } = sizes;
    this.#limitBytes = memoryLimitBytes;
    this.#newRowsBytesMax = newRowsBytesMax;
    this.#rowsLeaveAtBytes = rowsLeaveAtBytes;
    this.#accountsStayBytes =
      sizes.accountsStayBytes ?? Math.min(ACCOUNTS_STAY_BYTES, memoryLimitBytes / 4);
    // Without rows that leave, there are no pages to keep.
    const cacheBytes = rowsLeaveAtBytes === Infinity ? 0 : pageCacheBytes;
    this.access = new RowAccess(new PageCache(memory, cacheBytes));
    const table = (id: number, wordsPerRow: number, shift: number, timestamp?: number): RowTable =>
      new RowTable(memory, {
        wordsPerRow,
        rowsShift: rowsShift ?? shift,
        cold: new ColdRows(this.access, { table: id, wordsPerRow, timestamp }),
      });
    this.transfers = table(PageTableId.transfers, Transfer.words, 15, Transfer.timestamp);
    this.wides = table(PageTableId.wides, Wide.words, 12);
    this.expiries = table(PageTableId.expiries, Expiry.words, 14, Expiry.timestamp);
    this.burnedIds = table(PageTableId.burnedIds, BurnedId.words, 14);
    this.#paged = [this.transfers, this.wides, this.expiries, this.burnedIds];
    const { accountsShift = 14 } = sizes;
    const cold = new ColdAccounts({
      memory,
      access: this.access,
      rowsShift: accountsShift,
      liveMax: sizes.liveAccountsMax ?? liveAccountsMax(memoryLimitBytes, rowsLeaveAtBytes),
      applyEvent: (event, account, row, at) => this.#applyEvent(event, account, row, at),
    });
    const shape = { wordsPerRow: Account.words, rowsShift: accountsShift };
    this.accounts = new RowTable(memory, { ...shape, cold });
    this.coldAccounts = cold;
    this.liveAccounts = new LiveAccounts(this.accounts, cold);
    this.#hash = hash;
    this.accountFields = new AccountFields(memory, hash, this.accounts);
    this.transferIndex = new TransferIndex({
      memory,
      hash,
      rows: this.transfers,
      access: this.access,
      sizes: sizes.indexSizes ?? indexSizes(memoryLimitBytes),
      // A merge makes no account leave memory.
      mergeRoom: () =>
        this.freeBytes -
        this.#droppableAccountBytes -
        Math.max(0, newRowsBytesMax - this.newRowsBytes),
      makeRoom: () => this.makeRoom(),
      youngBytes: () =>
        isIndexStored && this.#rowsLeaveAtBytes < Infinity ? this.youngBytes : Infinity,
      isStored: isIndexStored,
      onDamage: onIndexDamage,
    });
  }

  /** Returns the account with the id, or -1 if there is none. */
  findAccount(id: Uint32Array, at: number, hash = this.hashOf(id, at)): number {
    const ids = this.#accountIds;
    ids.seek(hash);
    for (;;) {
      const value = ids.next();
      if (value === 0) return -1;
      const chunk = this.accounts.chunkOf(value - 1);
      if (equal128(chunk, this.accounts.offsetOf(value - 1), id, at)) return value - 1;
    }
  }

  /**
   * Returns index + 1 of the transfer with the id, -(index + 1) of the burned id, or 0 if the id was never used. `lower` is `hashLower`
   * after the hash was made. `slot` is the id's place in the present operation (sealed-answers.ts), if it has one.
   */
  findTransfer(
    id: Uint32Array,
    at: number,
    hash = this.hashOf(id, at),
    lower = this.hashLower,
    slot = -1,
  ): number {
    const young = this.transferIndex.findYoung(id, at, hash);
    if (young !== -1) return young + 1;
    const sealed = this.#findSealed(id, at, hash, lower, slot);
    if (sealed !== -1) return sealed + 1;
    return this.burnedIds.count === 0 ? 0 : this.#findBurned(id, at, hash);
  }

  #findSealed(id: Uint32Array, at: number, hash: number, lower: number, slot: number): number {
    const answers = this.sealedAnswers;
    const known = slot === -1 ? UNKNOWN : answers.rowOf(slot);
    if (known !== UNKNOWN) return known;
    const { notes } = this.access;
    const row = this.transferIndex.findSealed(id, at, hash, lower);
    if (slot !== -1 && answers.isLearning && this.access.notes === notes) answers.put(slot, row);
    return row;
  }

  /** Loads what `findTransfer` reads first of the id in a slot into the processor's cache. */
  touchTransferId(id: Uint32Array, at: number, hash: number, slot: number): void {
    this.transferIndex.touchYoung(hash);
    if (this.sealedAnswers.rowOf(slot) === UNKNOWN) this.transferIndex.touchSealed(id, at, hash);
  }

  /** Whether any row or segment of the index has left memory. */
  get hasCold(): boolean {
    return (
      this.transferIndex.hasCold ||
      this.accounts.coldEnd > 0 ||
      this.#paged.some(({ coldEnd }) => coldEnd > 0)
    );
  }

  /**
   * Bytes of memory that can be freed at any time: rows and segments of the index that may leave, and the room of a merge
   * of the index.
   */
  get yieldingBytes(): number {
    return this.#droppableBytes + this.transferIndex.mergeBytes;
  }

  get #droppableBytes(): number {
    if (this.#rowsLeaveAtBytes === Infinity) return 0;
    return (
      this.#droppableRowBytes + this.#droppableAccountBytes + this.transferIndex.droppableBytes
    );
  }

  get #droppableAccountBytes(): number {
    const { droppableBytes, chunkBytes } = this.accounts;
    const beyond = Math.max(0, this.#accountBytes - this.#accountsStayBytes);
    return Math.min(droppableBytes, Math.floor(beyond / chunkBytes) * chunkBytes);
  }

  /** Bytes of the accounts that have not left memory. */
  get #accountBytes(): number {
    const { count, coldEnd, rowBytes } = this.accounts;
    return (count - coldEnd) * rowBytes;
  }

  /** Whether all accounts have room in memory with some to spare: they take three quarters of what makes them leave it. */
  get hasRoomForAccounts(): boolean {
    return this.accounts.count * this.accounts.rowBytes <= (this.#rowsLeaveAtBytes * 3) / 8;
  }

  get #droppableRowBytes(): number {
    return this.#paged.reduce((sum, table) => sum + table.droppableBytes, 0);
  }

  /** Bytes that may leave memory once a checkpoint has them. */
  get unstoredBytes(): number {
    if (this.#rowsLeaveAtBytes === Infinity) return 0;
    return this.newRowsBytes + this.transferIndex.unstoredBytes;
  }

  /**
   * Whether a start must write segments of the index that are in no checkpoint: memory gets short, and they take more of it than rows; or
   * they take a quarter of the memory for rows. There is no checkpoint while the log is replayed, and the replayed rows need the room.
   */
  get lacksStoredIndex(): boolean {
    const { unstoredBytes } = this.transferIndex;
    if (unstoredBytes > this.#rowsLeaveAtBytes / 4) return true;
    return (
      this.memory.usedBytes > this.#rowsLeaveAtBytes && unstoredBytes > this.#droppableRowBytes
    );
  }

  /**
   * Bytes of rows of transfers that a start brings into memory though nothing is made of them, and bytes of the index: clients ask for young
   * ones most.
   */
  get youngBytes(): number {
    return Math.min(YOUNG_BYTES_MAX, this.#rowsLeaveAtBytes / 4);
  }

  /** Bytes of rows that are in no checkpoint yet. */
  get newRowsBytes(): number {
    return [this.accounts, ...this.#paged].reduce(
      (sum, { count, stored, rowBytes }) => sum + (count - stored) * rowBytes,
      0,
    );
  }

  /**
   * Returns the bytes of memory that are left after so many more records, when all has made way that does: `now`, and `lasting`
   * with the room that is kept for new rows. Below 0 the records have no room.
   */
  roomAfter(accounts: number, transfers: number): { now: number; lasting: number } {
    const growth = this.growthBytes(accounts, transfers);
    const now = this.#limitBytes - (this.memory.usedBytes - this.yieldingBytes) - growth;
    const leave = this.#newRowsBytesMax > 0;
    return { now, lasting: leave ? now + this.unstoredBytes - this.#newRowsBytesMax : now };
  }

  /**
   * Drops rows and segments of the index while memory holds more than it should: the oldest of what takes most. A merge of the index is
   * given up when a full request has no room beside it.
   */
  makeRoom(): void {
    this.#drop();
    this.coldAccounts.trim();
    if (this.transferIndex.mergeBytes > 0 && this.freeBytes < 0) this.transferIndex.giveUpMerge();
  }

  /**
   * Bytes that are free beside a full request and a pulse. Bytes that are reserved for later expiries count as free here: a merge of
   * the index may use them meanwhile.
   */
  get freeBytes(): number {
    const growth = this.growthBytes(0, EVENTS_MAX, Math.min(this.expiringTransfers, EVENTS_MAX));
    return this.#limitBytes - this.memory.usedBytes + this.#droppableBytes - growth;
  }

  /** Bytes that the expiries of all pending transfers may take. */
  get promisedBytes(): number {
    return this.growthBytes(0, 0);
  }

  #drop(): void {
    while (this.memory.usedBytes > this.#rowsLeaveAtBytes) {
      if (this.#droppableAccountBytes > 0 && this.#accountBytes > this.#rowsLeaveAtBytes / 2) {
        // Until accounts take half of the memory, everything else leaves before them.
        this.accounts.drop();
        continue;
      }
      const indexBytes = this.transferIndex.droppableBytes;
      if (indexBytes > this.#droppableRowBytes) {
        this.transferIndex.drop();
        continue;
      }
      let largest: RowTable | undefined;
      for (const table of this.#paged) {
        if (table.mayDrop && table.droppableBytes > (largest?.droppableBytes ?? 0)) largest = table;
      }
      if (largest === undefined && this.#droppableAccountBytes > 0) largest = this.accounts;
      if (largest === undefined) return;
      largest.drop();
    }
  }

  #applyEvent(event: number, account: number, row: Uint32Array, at: number): void {
    if (!isEvent(event)) return;
    const table = isExpiry(event) ? this.expiries : this.transfers;
    const index = rowOfEvent(event);
    const source = table.chunkOf(index);
    const from = table.offsetOf(index);
    const layout = isExpiry(event) ? Expiry : Transfer;
    const side = source[from + layout.debitAccount] === account ? 0 : 1;
    const balances = isExpiry(event)
      ? expiryBalances(source, from)
      : transferBalances(source, from);
    readBalances(this, balances, side, row, at + Account.debitsPending);
    const flags = source[from + (isExpiry(event) ? Expiry.flags : Transfer.codeFlags)]! >>> 16;
    const closed = side === 0 ? RowFlag.debit_account_closed : RowFlag.credit_account_closed;
    setClosed(row, at, (flags & closed) !== 0);
  }

  /** Returns the hash of an id of an account or a transfer. */
  hashOf(id: Uint32Array, at: number): number {
    return this.#hash.of128(id, at);
  }

  /** 16 more bits of the hash that `hashOf` returned last. */
  get hashLower(): number {
    return this.#hash.lower;
  }

  /** Loads the slots of an account's id into the processor's cache. */
  touchAccount(hash: number): void {
    this.#accountIds.touch(hash);
  }

  /** Adds the id of an account's row to the index of ids. `indexNew` updates the field indexes later. */
  addAccountId(account: number): void {
    const hash = this.#hash.of128(this.accounts.chunkOf(account), this.accounts.offsetOf(account));
    this.#accountIds.insert(hash, account + 1);
  }

  /** Adds the id of a transfer's row to the index. `lower` is `hashLower` after the hash was made. */
  addTransferId(transfer: number, hash: number, lower: number): void {
    this.transferIndex.addId(transfer, hash, lower);
  }

  /** Burns the id: no transfer can ever have it. */
  burnId(id: Uint32Array, at: number): void {
    const index = this.burnedIds.push();
    const chunk = this.burnedIds.chunkOf(index);
    chunk.set(id.subarray(at, at + 4), this.burnedIds.offsetOf(index));
    this.addBurnedId(index);
  }

  /** Makes room in the index of accounts' ids before so many rows are loaded. */
  reserveIds(accounts: number): void {
    this.#accountIds.reserve(accounts);
  }

  /** Adds the ids of loaded transfers to the index, but for those in segments. */
  addTransferIds(from: number, end: number): void {
    const { transfers } = this;
    const first = Math.max(from, this.transferIndex.sealedEnd);
    for (let transfer = first; transfer < end; transfer += 1) {
      const hash = this.hashOf(transfers.chunkOf(transfer), transfers.offsetOf(transfer));
      this.addTransferId(transfer, hash, this.hashLower);
    }
  }

  addBurnedId(index: number): void {
    const hash = this.#hash.of128(this.burnedIds.chunkOf(index), this.burnedIds.offsetOf(index));
    this.#burnedIds.insert(hash, index + 1);
  }

  /** Takes back accounts that are not in the field indexes yet, the newest first. */
  truncateAccounts(count: number): void {
    for (let account = this.accounts.count - 1; account >= count; account -= 1) {
      const hash = this.#hash.of128(
        this.accounts.chunkOf(account),
        this.accounts.offsetOf(account),
      );
      this.#accountIds.remove(hash, account + 1);
    }
    this.accounts.truncate(count);
  }

  /** Takes back transfers that are not in the field indexes yet, the newest first. */
  truncateTransfers(count: number): void {
    for (let transfer = this.transfers.count - 1; transfer >= count; transfer -= 1) {
      const hash = this.#hash.of128(
        this.transfers.chunkOf(transfer),
        this.transfers.offsetOf(transfer),
      );
      this.transferIndex.removeId(transfer, hash);
    }
    this.transfers.truncate(count);
  }

  /** Updates the field indexes. Call it when new records can no longer be rolled back. */
  indexNew(): void {
    this.indexAccounts(this.accounts.count);
    this.indexTransfers(this.transfers.count);
  }

  /** Returns the row number of the first account or transfer whose timestamp is not below the given one. */
  firstNotBefore(
    table: RowTable,
    timestampWord: number,
    timestamp: Uint32Array,
    at: number,
  ): number {
    const { coldEnd, cold } = table;
    let low = coldEnd;
    if (coldEnd > 0 && cold !== undefined) {
      const found = cold.firstNotBefore(coldEnd, timestamp, at);
      if (found < coldEnd) return found;
    }
    let high = table.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const offset = table.offsetOf(middle) + timestampWord;
      if (compare64(table.chunkOf(middle), offset, timestamp, at) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Returns whether a record of the table has exactly this timestamp. */
  hasTimestamp(table: RowTable, word: number, timestamp: Uint32Array, at: number): boolean {
    const index = this.firstNotBefore(table, word, timestamp, at);
    if (index === table.count) return false;
    return compare64(table.chunkOf(index), table.offsetOf(index) + word, timestamp, at) === 0;
  }

  /** Writes a transfer's amount as a u128. */
  readAmount(row: Uint32Array, offset: number, to: Uint32Array, at: number): void {
    if (((row[offset + Transfer.codeFlags]! >>> 16) & RowFlag.wide) !== 0) {
      const wide = row[offset + Transfer.amount]!;
      const from = this.wides.offsetOf(wide) + Wide.amount;
      to.set(this.wides.chunkOf(wide).subarray(from, from + 4), at);
      return;
    }
    to[at] = row[offset + Transfer.amount]!;
    to[at + 1] = row[offset + Transfer.amount + 1]!;
    to[at + 2] = 0;
    to[at + 3] = 0;
  }

  /**
   * Returns whether this many new records, and the expiries of all transfers pending then, can be numbered.
   */
  fits(accounts: number, transfers: number): boolean {
    const expiries = this.expiringTransfers + transfers;
    return (
      this.accounts.fits(accounts) &&
      this.transfers.fits(transfers) &&
      this.burnedIds.fits(transfers) &&
      this.expiries.fits(expiries) &&
      this.wides.fits(transfers + expiries)
    );
  }

  /**
   * Returns the maximum bytes that creating this many records may allocate, with the expiries of those and of `expiring` more, by
   * default all pending ones. An expiry comes with time, whatever the limit is, so its room is reserved when its transfer is created.
   */
  growthBytes(accounts: number, transfers: number, expiring = this.expiringTransfers): number {
    return (
      this.accounts.growthBytes(accounts) +
      this.#accountIds.growthBytes(accounts) +
      (accounts > 0 ? this.accountFields.growthBytes(accounts) : 0) +
      this.transfers.growthBytes(transfers) +
      this.wides.growthBytes(transfers + expiring + transfers) +
      this.expiries.growthBytes(expiring + transfers) +
      this.burnedIds.growthBytes(transfers) +
      this.pendingStatuses.growthBytes(this.transfers.count + transfers) +
      this.expiryQueue.growthBytes(transfers) +
      this.#burnedIds.growthBytes(transfers) +
      (transfers > 0 ? this.transferIndex.growthBytes(transfers) : 0)
    );
  }

  /** Says that the queue of expiries has what belongs there of the transfers before `end`. */
  expiriesQueued(end: number): void {
    this.#queuedEnd = end;
  }

  /** Adds the accounts before `end` to the field indexes. */
  indexAccounts(end: number): void {
    this.accountFields.addRows(end);
  }

  /** Adds the transfers before `end` to the field indexes and the expiry queue. */
  indexTransfers(end: number): void {
    if (end === this.#indexedTransfers) return;
    const { transfers, accounts } = this;
    const first = Math.max(this.#indexedTransfers, this.#queuedEnd);
    for (let transfer = first; transfer < end; transfer += 1) {
      const row = transfers.chunkOf(transfer);
      const offset = transfers.offsetOf(transfer);
      if (((row[offset + Transfer.codeFlags]! >>> 16) & TransferFlag.pending) !== 0)
        this.#queueExpiry(row, offset, transfer);
    }
    this.#indexedTransfers = end;
    this.transferIndex.addRows(end, (account) =>
      account < accounts.coldEnd
        ? this.coldAccounts.ledgerOf(account)
        : accounts.chunkOf(account)[accounts.offsetOf(account) + Account.ledger]!,
    );
  }

  #findBurned(id: Uint32Array, at: number, hash: number): number {
    const ids = this.#burnedIds;
    const { burnedIds } = this;
    ids.seek(hash);
    for (let value = ids.next(); value !== 0; value = ids.next()) {
      const index = value - 1;
      if (equal128(burnedIds.chunkOf(index), burnedIds.offsetOf(index), id, at)) return -value;
    }
    return 0;
  }

  #queueExpiry(row: Uint32Array, offset: number, transfer: number): void {
    const timeout = row[offset + Transfer.timeout]!;
    if (timeout === 0 || this.pendingStatuses.get(transfer) !== PendingStatus.pending) return;
    expiresAt(expiry, 0, row, offset + Transfer.timestamp, timeout);
    this.expiryQueue.push(expiry, 0, transfer);
  }
}
