/**
 * The tables of a ledger and everything derived from them.
 *
 * Rows of transfers, expiries, wide values and burned ids never change once their batch is over, and each holds the
 * balances after its event. So account balances, pending statuses and all indexes can be rebuilt from append-only tables,
 * and a checkpoint writes only what is new (checkpoint-tables.ts).
 *
 * Records are numbered in the order they were created, which is the order of their timestamps as well.
 */
import { ColdAccounts, LIVE_BYTES, LiveAccounts } from './cold-accounts.ts';
import { type Brought, ColdRows, RowAccess } from './cold-rows.ts';
import { ExpiryQueue } from './expiry-queue.ts';
import { type HashKey, KeyedHash } from './keyed-hash.ts';
import { BurnedId, Expiry, PageTableId, Transfer, Wide } from './layout.ts';
import { isEvent, isExpiry, rowOfEvent } from './last-event.ts';
import { Account, WireTransfer } from '../wire/records.ts';
import { Memory } from './memory.ts';
import { PageCache } from './page-cache.ts';
import { ByteTable, RowTable } from './row-table.ts';
import {
  accountIndexSizes,
  type HashedEvents,
  indexSizes,
  type IndexSizes,
  RowIndex,
} from './row-index.ts';
import { idSlot, SealedAnswers, UNKNOWN } from './sealed-answers.ts';
import { IdScreen } from './segments/id-screen.ts';
import { indexedAccounts, indexedTransfers } from './segments/indexed-rows.ts';
import { SlotTable } from './slot-table.ts';
import type { StartPointSizes } from './start-point.ts';
import { StoredIndex } from './stored-index.ts';
import { PendingStatus, RowFlag } from './row-values.ts';
import { TransferFlag } from '../wire/flags.ts';
import { expiryBalances, readBalances, setClosed, transferBalances } from './store-transfer.ts';
import { compare128, compare64, copy128, equal128, expiresAt } from './words.ts';

/** Rows between two pauses while a checkpoint is loaded: some milliseconds. */
export const ROWS_A_SLICE = 8192;
const expiry = new Uint32Array(2);
/** Ids that are hashed, and whose slots are read, before they are added: as many as fit into the processor's first cache. */
const LATE_GROUP = 128;
const lateHashes = new Int32Array(LATE_GROUP);
const lateLowers = new Uint16Array(LATE_GROUP);

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
  /** Sizes of the indexes of transfers and accounts, by default as the limit of memory asks; tests use small ones. */
  readonly indexSizes?: IndexSizes;
  /** Hash of the indexes, by default that of the key. Tests use one whose values are often equal. */
  readonly hash?: KeyedHash;
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

  readonly transferIndex: RowIndex;
  /** Fields of all accounts, and ids of those that have left memory. */
  readonly accountIndex: RowIndex;
  readonly storedIndex: StoredIndex;
  /** What the present operation knows of ids in the sealed part of the index. */
  #sealedAnswers = new SealedAnswers();
  readonly expiryQueue = new ExpiryQueue(this.memory);

  /** Absent until an operation needs it. */
  #screen: IdScreen | undefined;
  readonly #hash: KeyedHash;
  readonly #limitBytes: number;
  readonly #newRowsBytesMax: number;
  readonly #rowsLeaveAtBytes: number;
  readonly #accountsStayBytes: number;
  /** Tables whose rows may leave memory. */
  readonly #paged: readonly RowTable[];
  /** Ids of the accounts in memory and of the live ones. */
  readonly #accountIds = new SlotTable(this.memory);
  readonly #burnedIds = new SlotTable(this.memory);
  #indexedTransfers = 0;
  #indexedAccounts = 0;
  /** Transfers before it are in the queue of expiries if they belong there. */
  #queuedEnd = 0;
  #rest: (() => void) | undefined;
  touched = 0;
  /**
   * While accounts are loaded, the ids of those from it on are not in the table yet: most accounts of a large ledger leave memory at once.
   */
  accountIdsEnd = Infinity;
  /** Greatest id of all transfers whose ids are, or will be, in the young part of the index. */
  readonly #idMax = new Uint32Array(4);
  /** The transfers from the first (inclusive) to the second (exclusive), the newest ones, are not in the index of ids yet. */
  #lateFrom = 0;
  #lateEnd = 0;

  constructor(options: LedgerStateOptions) {
    const { hashKey, memoryLimitBytes, newRowsBytesMax, isIndexStored, onIndexDamage, ...sizes } =
      options;
    const { hash = new KeyedHash(hashKey) } = sizes;
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
      enterId: (account, words, at) => this.#enterAccountId(account, words, at),
      removeId: (account, words, at) => this.#removeAccountId(account, words, at),
    });
    // The index must find those that are away.
    const leaveEnd = (): number => this.accountIndex.sealedEnd;
    const shape = { wordsPerRow: Account.words, rowsShift: accountsShift };
    this.accounts = new RowTable(memory, { ...shape, cold, leaveEnd });
    this.coldAccounts = cold;
    this.liveAccounts = new LiveAccounts(this.accounts, cold);
    this.#hash = hash;
    const common = this.#indexOptions(options);
    const transferSizes = sizes.indexSizes ?? indexSizes(memoryLimitBytes);
    this.transferIndex = new RowIndex({
      ...common,
      rows: this.transfers,
      indexed: indexedTransfers(hash, (account) => this.#ledgerOf(account)),
      findsYoung: true,
      sizes: transferSizes,
    });
    this.accountIndex = new RowIndex({
      ...common,
      rows: this.accounts,
      indexed: indexedAccounts(hash),
      findsYoung: false,
      sizes: sizes.indexSizes ?? accountIndexSizes(memoryLimitBytes),
    });
    this.storedIndex = new StoredIndex({
      transfers: this.transferIndex,
      accounts: this.accountIndex,
      hash,
      sizes: transferSizes,
      isStored: isIndexStored,
      youngBytes: () =>
        isIndexStored && this.#rowsLeaveAtBytes < Infinity ? this.youngBytes : Infinity,
      onDamage: onIndexDamage,
    });
  }

  /** Ids of accounts that have left memory before a segment had them stay in the table. */
  #enterAccountId(account: number, words: Uint32Array, at: number): void {
    if (account < this.accountIndex.sealedEnd)
      this.#accountIds.insert(this.#hash.of128(words, at), account + 1);
  }

  #removeAccountId(account: number, words: Uint32Array, at: number): void {
    if (account < this.accountIndex.sealedEnd && account < this.accountIdsEnd)
      this.#accountIds.remove(this.#hash.of128(words, at), account + 1);
  }

  /** Returns what both indexes have in common. */
  #indexOptions({ newRowsBytesMax, isIndexStored: isStored }: LedgerStateOptions) {
    return {
      memory: this.memory,
      hash: this.#hash,
      access: this.access,
      // A merge makes no account leave memory.
      mergeRoom: () =>
        this.freeBytes -
        this.#droppableAccountBytes -
        Math.max(0, newRowsBytesMax - this.newRowsBytes),
      makeRoom: () => this.makeRoom(),
      isStored,
    };
  }

  /** Begins a run of an operation, which is being prepared or executed, with what was brought for it and what it has learned. */
  begin(
    { rows, answers }: { readonly rows: Brought; readonly answers: SealedAnswers },
    body: Uint8Array,
    isPrepared: boolean,
  ): void {
    this.access.begin(rows);
    answers.begin(body, this.transferIndex.sealedEnd, isPrepared);
    this.#sealedAnswers = answers;
  }

  /**
   * Leaves work for later on which the answer of an operation does not depend: `settle` does it. Nothing else may use the state before,
   * but for rows, ids and the queue of expiries.
   */
  settleLater(rest: () => void): void {
    this.#rest = rest;
  }

  /** Does what the last operation has left. If that fails, it is half done: nothing may use the state any more, whoever has caught the error. */
  settle(): void {
    const rest = this.#rest;
    if (rest === undefined) return;
    try {
      rest();
    } catch (error) {
      this.#rest = () => {
        throw error;
      };
      throw error;
    }
    this.#rest = undefined;
  }

  /** Returns the account with the id, or -1 if there is none. */
  findAccount(id: Uint32Array, at: number, hash = this.hashOf(id, at)): number {
    const ids = this.#accountIds;
    ids.seek(hash);
    for (;;) {
      const value = ids.next();
      if (value === 0) return this.accounts.coldEnd === 0 ? -1 : this.#findCold(id, at);
      const chunk = this.accounts.chunkOf(value - 1);
      if (equal128(chunk, this.accounts.offsetOf(value - 1), id, at)) return value - 1;
    }
  }

  /** Returns the account with an id among those that have left memory, or -1 if there is none. */
  #findCold(id: Uint32Array, at: number): number {
    const hash = this.hashOf(id, at);
    return this.accountIndex.findSealed(id, at, hash, this.hashLower);
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
    if (this.#mayBeYoung(id, at)) {
      this.addLateIds();
      const young = this.transferIndex.findYoung(id, at, hash);
      if (young !== -1) return young + 1;
    }
    const sealed = this.#findSealed(id, at, hash, lower, slot);
    if (sealed !== -1) return sealed + 1;
    return this.burnedIds.count === 0 ? 0 : this.#findBurned(id, at, hash);
  }

  /**
   * Returns false for an id above those of all transfers. An operation's own ids may be above it when it is executed: then the search compares
   * rows with the same hash, so those that have left memory are looked for while it is prepared.
   */
  #mayBeYoung(id: Uint32Array, at: number): boolean {
    if (compare128(id, at, this.#idMax, 0) <= 0) return true;
    const hasCold = this.transfers.coldEnd > this.transferIndex.sealedEnd;
    return hasCold && this.#sealedAnswers.isLearning;
  }

  /** Whether an id is above those of all transfers, as ids are that rise with time. */
  isNewest(id: Uint32Array, at: number): boolean {
    return compare128(id, at, this.#idMax, 0) > 0 && !this.transferIndex.mayBeSealed(id, at);
  }

  /** The same as `findTransfer` of an id that is above those of all transfers. */
  findNewest(id: Uint32Array, at: number): number {
    return this.burnedIds.count === 0 ? 0 : this.#findBurned(id, at, this.hashOf(id, at));
  }

  #findSealed(id: Uint32Array, at: number, hash: number, lower: number, slot: number): number {
    const answers = this.#sealedAnswers;
    const known = slot === -1 ? UNKNOWN : answers.rowOf(slot);
    if (known !== UNKNOWN) return known;
    const { notes } = this.access;
    const row = this.transferIndex.findSealed(id, at, hash, lower);
    if (slot !== -1 && answers.isLearning && this.access.notes === notes) answers.put(slot, row);
    return row;
  }

  /** Notes which ids of an operation that is being prepared are in no segment, if they are many. */
  screenTransferIds(hashed: HashedEvents): void {
    const { transferIndex } = this;
    const answers = this.#sealedAnswers;
    if (!answers.isLearning) return;
    const slotOf = (event: number): number => idSlot(event * WireTransfer.words);
    let unknown = 0;
    for (let i = 0; i < hashed.count; i += 1)
      if (answers.rowOf(slotOf(i)) === UNKNOWN) unknown += 1;
    // In a later run only those are that wait for a page.
    if (unknown * 2 < hashed.count) return;
    const found = transferIndex.screenSealed(hashed, (this.#screen ??= new IdScreen(EVENTS_MAX)));
    if (found === undefined) return;
    for (let i = 0; i < hashed.count; i += 1)
      if (found[i] === 0 && answers.rowOf(slotOf(i)) === UNKNOWN) answers.put(slotOf(i), -1);
  }

  /** Loads what `findTransfer` reads first of the id in a slot into the processor's cache. */
  touchTransferId(id: Uint32Array, at: number, hash: number, slot: number): void {
    this.transferIndex.touchYoung(hash);
    if (this.#sealedAnswers.rowOf(slot) === UNKNOWN) this.transferIndex.touchSealed(id, at, hash);
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
    return this.#droppableBytes + this.transferIndex.mergeBytes + this.accountIndex.mergeBytes;
  }

  /** Bytes of what was brought into memory lately. It depends on what this replica alone was asked, and on its last start. */
  get cacheBytes(): number {
    return this.access.cache.heldBytes + this.coldAccounts.liveBytes;
  }

  get #droppableBytes(): number {
    if (this.#rowsLeaveAtBytes === Infinity) return 0;
    return (
      this.#droppableRowBytes +
      this.#droppableAccountBytes +
      this.transferIndex.droppableBytes +
      this.accountIndex.droppableBytes
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
    return this.newRowsBytes + this.#unstoredIndexBytes;
  }

  get #unstoredIndexBytes(): number {
    return this.transferIndex.unstoredBytes + this.accountIndex.unstoredBytes;
  }

  /** Bytes that may leave memory once segments of the index are made, and a checkpoint has them. */
  get sealingBytes(): number {
    if (this.#rowsLeaveAtBytes === Infinity) return 0;
    return this.transferIndex.sealingBytes + this.accountIndex.sealingBytes;
  }

  /** Bytes that stay in memory because the volume had no room for the index. */
  get withheldBytes(): number {
    if (this.#rowsLeaveAtBytes === Infinity) return 0;
    return this.transferIndex.withheldBytes + this.accountIndex.withheldBytes;
  }

  /**
   * Whether a start must write segments of the index that are in no checkpoint: memory gets short, and they take more of it than rows; or
   * they take a quarter of the memory for rows. There is no checkpoint while the log is replayed, and the replayed rows need the room.
   */
  get lacksStoredIndex(): boolean {
    const unstoredBytes = this.#unstoredIndexBytes;
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
    const leaving = this.unstoredBytes + this.sealingBytes;
    return { now, lasting: leave ? now + leaving - this.#newRowsBytesMax : now };
  }

  /**
   * Drops rows and segments of the index while memory holds more than it should: the oldest of what takes most. Merges of the index are
   * given up when a full request has no room beside them.
   */
  makeRoom(): void {
    this.#drop();
    this.coldAccounts.trim();
    for (const index of [this.accountIndex, this.transferIndex])
      while (index.mergeBytes > 0 && this.freeBytes < 0) index.giveUpMerge();
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
      const { transferIndex, accountIndex } = this;
      const index =
        accountIndex.droppableBytes > transferIndex.droppableBytes ? accountIndex : transferIndex;
      if (index.droppableBytes > this.#droppableRowBytes) {
        index.drop();
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

  /** Loads an account's row, which is in memory, into the processor's cache. */
  touchAccountRow(account: number): void {
    const row = this.accounts.chunkOf(account);
    const at = this.accounts.offsetOf(account);
    // The value means nothing. An account has 128 bytes, and the search has read its first ones.
    this.touched ^= row[at + Account.creditsPosted]! ^ row[at + Account.timestamp + 1]!;
  }

  /** Adds the id of an account's row to the index of ids. `indexNew` updates the field indexes later. */
  addAccountId(account: number): void {
    const hash = this.#hash.of128(this.accounts.chunkOf(account), this.accounts.offsetOf(account));
    this.#accountIds.insert(hash, account + 1);
  }

  /** Adds the ids of many accounts, as `addAccountId` does one. Look-ups in a table that is larger than the processor's caches overlap. */
  addAccountIds(from: number, end: number): void {
    const { accounts } = this;
    const ids = this.#accountIds;
    for (let first = from; first < end; first += LATE_GROUP) {
      const count = Math.min(end - first, LATE_GROUP);
      for (let i = 0; i < count; i += 1) {
        const account = first + i;
        lateHashes[i] = this.hashOf(accounts.chunkOf(account), accounts.offsetOf(account));
        ids.touch(lateHashes[i]!);
      }
      for (let i = 0; i < count; i += 1) ids.insert(lateHashes[i]!, first + i + 1);
    }
  }

  /** Adds the id of a transfer's row to the index. `lower` is `hashLower` after the hash was made. */
  addTransferId(transfer: number, hash: number, lower: number): void {
    this.addLateIds();
    this.#raiseIdMax(transfer);
    this.transferIndex.addId(transfer, hash, lower);
  }

  /**
   * The same for the newest transfer, whose id is above all others, but later: when an id is looked for that is not above all, or when the
   * operation's answer has left. A look-up in a table that is larger than the processor's caches waits for memory.
   */
  addTransferIdLater(transfer: number): void {
    this.#raiseIdMax(transfer);
    if (this.#lateEnd === this.#lateFrom) this.#lateFrom = transfer;
    this.#lateEnd = transfer + 1;
  }

  /** Adds the ids to the index that were left for later. */
  addLateIds(): void {
    const { transfers } = this;
    for (let first = this.#lateFrom; first < this.#lateEnd; first += LATE_GROUP) {
      const count = Math.min(this.#lateEnd - first, LATE_GROUP);
      for (let i = 0; i < count; i += 1) {
        const at = transfers.offsetOf(first + i) + Transfer.id;
        lateHashes[i] = this.hashOf(transfers.chunkOf(first + i), at);
        lateLowers[i] = this.hashLower;
        this.transferIndex.touchNewest(lateHashes[i]!);
      }
      for (let i = 0; i < count; i += 1)
        this.transferIndex.addId(first + i, lateHashes[i]!, lateLowers[i]!);
    }
    this.#lateFrom = this.#lateEnd;
  }

  #raiseIdMax(transfer: number): void {
    const row = this.transfers.chunkOf(transfer);
    const id = this.transfers.offsetOf(transfer) + Transfer.id;
    if (compare128(row, id, this.#idMax, 0) > 0) copy128(this.#idMax, 0, row, id);
  }

  /** Burns the id: no transfer can ever have it. */
  burnId(id: Uint32Array, at: number): void {
    const index = this.burnedIds.push();
    const chunk = this.burnedIds.chunkOf(index);
    chunk.set(id.subarray(at, at + 4), this.burnedIds.offsetOf(index));
    this.addBurnedId(index);
  }

  /** Makes room in the table of accounts' ids before so many rows are loaded, as far as they stay in memory. */
  reserveIds(accounts: number): void {
    const staying = Math.max(this.#rowsLeaveAtBytes / 2, this.#accountsStayBytes);
    this.#accountIds.reserve(Math.min(accounts, Math.ceil(staying / this.accounts.rowBytes)));
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
    const hasLate = this.#lateFrom < this.#lateEnd;
    const end = hasLate ? this.#lateFrom : this.transfers.count;
    for (let transfer = end - 1; transfer >= count; transfer -= 1) {
      const hash = this.#hash.of128(
        this.transfers.chunkOf(transfer),
        this.transfers.offsetOf(transfer),
      );
      this.transferIndex.removeId(transfer, hash);
    }
    this.#lateEnd = Math.max(this.#lateFrom, Math.min(this.#lateEnd, count));
    this.transfers.truncate(count);
  }

  /** Updates the field indexes. Call it when new records can no longer be rolled back. */
  indexNew(): void {
    this.addLateIds();
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
    if (index < table.coldEnd) return table.cold!.isAt(index, timestamp, at);
    return compare64(table.chunkOf(index), table.offsetOf(index) + word, timestamp, at) === 0;
  }

  /** Asks for the row that has a transfer's amount, if there is one. */
  askForAmount(row: Uint32Array, offset: number): void {
    if (isWide(row, offset)) this.wides.chunkOf(row[offset + Transfer.amount]!);
  }

  /** Writes a transfer's amount as a u128. */
  readAmount(row: Uint32Array, offset: number, to: Uint32Array, at: number): void {
    if (isWide(row, offset)) {
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
      (accounts > 0 ? this.accountIndex.growthBytes(accounts) : 0) +
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

  /** Adds the pending transfers before `end` that have a timeout to the queue of expiries. */
  queueExpiries(end: number): void {
    const { transfers } = this;
    for (let transfer = this.#queuedEnd; transfer < end; transfer += 1) {
      const row = transfers.chunkOf(transfer);
      const offset = transfers.offsetOf(transfer);
      if (((row[offset + Transfer.codeFlags]! >>> 16) & TransferFlag.pending) !== 0)
        this.#queueExpiry(row, offset, transfer);
    }
    this.#queuedEnd = Math.max(this.#queuedEnd, end);
  }

  /** Adds the accounts before `end` to their index. */
  indexAccounts(end: number): void {
    if (end === this.#indexedAccounts) return;
    const { accounts, accountIndex } = this;
    const first = Math.max(this.#indexedAccounts, accountIndex.sealedEnd);
    for (let account = first; account < end; account += 1) {
      const hash = this.hashOf(accounts.chunkOf(account), accounts.offsetOf(account));
      accountIndex.addId(account, hash, this.hashLower);
    }
    this.#indexedAccounts = end;
    if (end > first) accountIndex.addRows(end);
  }

  /** Adds the transfers before `end` to the field indexes and the expiry queue. */
  indexTransfers(end: number): void {
    if (end === this.#indexedTransfers) return;
    this.queueExpiries(end);
    this.#indexedTransfers = end;
    this.transferIndex.addRows(end);
  }

  #ledgerOf(account: number): number {
    const { accounts } = this;
    return account < accounts.coldEnd
      ? this.coldAccounts.ledgerOf(account)
      : accounts.chunkOf(account)[accounts.offsetOf(account) + Account.ledger]!;
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

/** Whether the row of a transfer has the number of a wide value instead of its amount. */
const isWide = (row: Uint32Array, offset: number): boolean =>
  ((row[offset + Transfer.codeFlags]! >>> 16) & RowFlag.wide) !== 0;
