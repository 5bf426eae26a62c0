/**
 * The state as checkpoint tables (layouts in tables.md). Rows of transfers, wide values, expiries and burned ids never change:
 * those that fill a page are appended as pages, once, and those after the last whole page are written again each time. Their
 * memory never changes, so that taking a delta copies nothing. Accounts are written as they were created; balances, `closed`,
 * pending statuses and indexes are restored from the rows of transfers and expiries, which hold the balances after each event
 * (restore.ts).
 */
import {
  DerivedTables,
  isDerived,
  type Section,
  type SectionHead,
  SectionKind,
  type StoredBytes,
  type StoreDerived,
} from './checkpoint.ts';
import { CheckpointError, check } from './checkpoint-error.ts';
import { asCreated } from './created-account.ts';
import { ACCOUNTS_TABLE, BurnedId, Expiry, PageTableId, Transfer, Wide } from './layout.ts';
import { Account } from '../wire/records.ts';
import { type LedgerState, ROWS_A_SLICE } from './ledger-state.ts';
import { PAGE_BYTES, type PageName, rowsPerPage } from './page.ts';
import { restore } from './restore.ts';
import { RowFeed } from './row-feed.ts';
import { addRows, encodePages, encodeRows, pageInMemory, wordsIn } from './row-pages.ts';
import type { RowTable } from './row-table.ts';
import { isStartPoint, StartPoints, type StartPointSizes } from './start-point.ts';
import { StartWork } from './start-work.ts';

export { CheckpointError };

/** Table numbers; they never change their meaning. */
export const TableId = {
  accounts: ACCOUNTS_TABLE,
  transfers: 2,
  wides: 3,
  expiries: 4,
  burnedIds: 5,
  head: 6,
  transferPages: PageTableId.transfers,
  widePages: PageTableId.wides,
  expiryPages: PageTableId.expiries,
  burnedIdPages: PageTableId.burnedIds,
} as const;

const HEAD_BYTES = 24;

/** Bytes of a row, by table. */
export const ROW_BYTES: ReadonlyMap<number, number> = new Map([
  [TableId.accounts, Account.words * 4],
  [TableId.transfers, Transfer.words * 4],
  [TableId.wides, Wide.words * 4],
  [TableId.expiries, Expiry.words * 4],
  [TableId.burnedIds, BurnedId.words * 4],
  [TableId.head, HEAD_BYTES],
  [TableId.transferPages, PAGE_BYTES],
  [TableId.widePages, PAGE_BYTES],
  [TableId.expiryPages, PAGE_BYTES],
  [TableId.burnedIdPages, PAGE_BYTES],
]);

/** Table of the rows that fill no page yet, by the table of pages. */
export const ROWS_OF_PAGES: ReadonlyMap<number, number> = new Map([
  [TableId.transferPages, TableId.transfers],
  [TableId.widePages, TableId.wides],
  [TableId.expiryPages, TableId.expiries],
  [TableId.burnedIdPages, TableId.burnedIds],
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

/** A table whose rows leave memory as pages. */
interface PagedTable {
  readonly rowTable: number;
  readonly pageTable: number;
  readonly table: RowTable;
  readonly feed: RowFeed;
  /** Rows and pages in earlier deltas. */
  givenRows: number;
  givenPages: number;
}

/** Rows of transfers of the checkpoint that a start did not find in tables that are derived from them. */
export interface LoadedRows {
  /** Rows after the segments of the index: their entries were made anew. */
  readonly indexed: number;
  /** Rows after the start point. */
  readonly restored: number;
}

interface CheckpointTablesOptions {
  /** The state hash, and the timestamp of the last operation that changed the ledger. Both change in place. */
  readonly hash: Uint32Array;
  readonly committed: Uint32Array;
  readonly points: StartPointSizes | undefined;
  /** Called for a start point that cannot be used. */
  readonly onDamage: (error: unknown) => void;
}

export class CheckpointTables {
  readonly #state: LedgerState;
  readonly #hash: Uint32Array;
  readonly #committed: Uint32Array;
  readonly #paged: readonly PagedTable[];
  readonly #points: StartPoints;
  readonly #startWork: StartWork;
  /** Accounts in earlier deltas. */
  #givenAccounts = 0;
  /** Whether the last delta has all accounts. */
  #isAccountsWhole = false;
  #loaded: LoadedRows = { indexed: 0, restored: 0 };
  /** Sections of accounts that are to be loaded. */
  #accountsToLoad: { readonly head: SectionHead; readonly chunks: StoredBytes }[] = [];

  constructor(state: LedgerState, options: CheckpointTablesOptions) {
    const { hash, committed, points, onDamage } = options;
    this.#state = state;
    this.#points = new StartPoints(state, points, onDamage);
    this.#startWork = new StartWork(this.#points, state.storedIndex);
    this.#hash = hash;
    this.#committed = committed;
    const { transfers, wides, expiries, burnedIds } = state;
    this.#paged = [transfers, wides, expiries, burnedIds].map((table, index) => {
      const rowTable = TableId.transfers + index;
      const pageTable = TableId.transferPages + index;
      const feed = new RowFeed(table, pageTable, check);
      return { rowTable, pageTable, table, feed, givenRows: 0, givenPages: 0 };
    });
  }

  /** `rewrite` may name the accounts, and the tables of rows that fill no page yet: other rows are never superseded. */
  takeDelta(rewrite: ReadonlySet<number>): readonly Section[] {
    this.#startWork.taken();
    return [
      ...this.#accountSections(rewrite.has(TableId.accounts)),
      ...this.#paged.flatMap((paged) => takeSections(paged, rewrite.has(paged.rowTable))),
      ...this.#state.storedIndex.takeSections(),
      ...this.#points.takeSections(),
      this.#headSection(),
    ];
  }

  /** Call when the last delta is durable: the rows in its pages may leave memory. */
  stored(derived: DerivedTables, rewritten: ReadonlySet<number>): void {
    const { accounts, storedIndex } = this.#state;
    storedIndex.stored(derived);
    this.#points.stored(derived);
    if (derived === DerivedTables.new) this.#startWork.stored();
    accounts.stored = this.#givenAccounts;
    if (this.#isAccountsWhole && rewritten.has(TableId.accounts)) accounts.mustStay = false;
    for (const { table, givenPages } of this.#paged)
      table.stored = givenPages * rowsPerPage(table.wordsPerRow);
  }

  /** Accounts alone are written anew. They cannot be any more if some of them have left memory. */
  mustStay(table: number): void {
    const { accounts } = this.#state;
    if (table === TableId.accounts && accounts.coldEnd === 0) accounts.mustStay = true;
  }

  /** Whether a checkpoint is due because the next start would do again what this one has done. */
  get owesStartWork(): boolean {
    return this.#startWork.wantsCheckpoint;
  }

  /** Whether one would be, had the last one found room for it. */
  get startWorkLacksRoom(): boolean {
    return this.#startWork.lacksRoom;
  }

  /** What the start had to do. */
  get loaded(): LoadedRows {
    return this.#loaded;
  }

  /** Returns a page if its rows are all in memory. */
  pageInMemory(name: PageName): Uint8Array | undefined {
    const paged = this.#paged.find(({ pageTable }) => pageTable === name.table);
    return paged && pageInMemory(paged.table, name);
  }

  async loadSection(head: SectionHead, chunks: StoredBytes): Promise<void> {
    const { table, rowSize } = head;
    if (isStartPoint(table)) {
      this.#points.loadSection(head, chunks);
      return;
    }
    if (isDerived(table)) {
      this.#state.storedIndex.loadSection(head, chunks);
      return;
    }
    check(ROW_BYTES.has(table), `table ${table} is not a table of the ledger`);
    const isSize = table === TableId.head || rowSize === ROW_BYTES.get(table);
    check(isSize, `rows of table ${table} have another size`);
    if (table === TableId.head) await this.#loadHead(head, chunks);
    else if (table === TableId.accounts) this.#takeAccounts(head, chunks);
    else this.#feed(head, chunks);
  }

  /**
   * Loads the rows and builds the derived state. `pause` is called after some milliseconds of work, again and again. `store` is, when
   * segments of the index that no checkpoint has take too much memory.
   */
  async finishLoad(pause: () => Promise<void>, store?: StoreDerived): Promise<void> {
    const { transferIndex, storedIndex } = this.#state;
    await storedIndex.load();
    const storeIndex = store && (() => this.#storeIndex(store));
    await this.#loadAccounts(pause, storeIndex);
    const { accounts, accountIndex } = this.#state;
    check(accountIndex.sealedEnd <= accounts.count, 'the index has more accounts than there are');
    const [transfers, wides, expiries, burnedIds] = this.#paged.map(({ feed }) => feed);
    check(transferIndex.sealedEnd <= transfers!.rowCount, 'the index has more rows than there are');
    const point = await this.#points.load({
      transfers: transfers!.rowCount,
      wides: wides!.rowCount,
      expiries: expiries!.rowCount,
      accounts: this.#state.accounts.count,
    });
    this.#loaded = {
      indexed: transfers!.rowCount - transferIndex.sealedEnd,
      restored: transfers!.rowCount - (point?.transfers ?? 0),
    };
    const feeds = {
      transfers: transfers!,
      wides: wides!,
      expiries: expiries!,
      burnedIds: burnedIds!,
    };
    await restore(this.#state, { feeds, point, pause, storeIndex });
    this.#startWork.begin({
      transfers: this.#state.transfers.count,
      accounts: this.#state.accounts.count,
    });
    for (const paged of this.#paged) {
      const { feed, table } = paged;
      paged.givenPages = feed.pages;
      // Rows of format version 1 are not in pages yet: the next delta has them all.
      paged.givenRows =
        table.count < feed.pagedRows + rowsPerPage(table.wordsPerRow) ? table.count : 0;
    }
  }

  /** Writes segments of the index, so that they may leave memory. Resolves with false if that is of no use any more. */
  async #storeIndex(store: StoreDerived): Promise<boolean> {
    const { storedIndex } = this.#state;
    const sections = storedIndex.takeSections();
    if (sections.length === 0) return false;
    const hasRoom = await store({
      takeDelta: () => sections,
      stored: (derived) => {
        storedIndex.stored(derived);
      },
    });
    if (!hasRoom) storedIndex.stored(DerivedTables.old);
    this.#state.makeRoom();
    return hasRoom;
  }

  #feed(head: SectionHead, chunks: StoredBytes): void {
    for (const { rowTable, pageTable, feed } of this.#paged) {
      const isKnown = head.kind !== SectionKind.update;
      if (head.table === pageTable) {
        check(head.kind === SectionKind.append, `table ${head.table} is append-only`);
        feed.takePages(head, chunks);
      } else if (head.table === rowTable) {
        check(isKnown, `rows of table ${head.table} never change`);
        if (head.kind === SectionKind.replace) feed.replaceRows();
        feed.takeRows(head, chunks);
      }
    }
  }

  #accountSections(isRewritten: boolean): Section[] {
    const { accounts } = this.#state;
    // Those that have left memory cannot be written anew.
    const isWhole = isRewritten && accounts.coldEnd === 0;
    const firstRow = isWhole ? 0 : this.#givenAccounts;
    const rowCount = accounts.count - firstRow;
    this.#givenAccounts = accounts.count;
    this.#isAccountsWhole = isWhole;
    if (isWhole) accounts.mustStay = true;
    if (rowCount === 0 && !isWhole) return [];
    return [
      {
        // Also if the whole table is written: without room for that, a checkpoint may omit the rows that it has (log/checkpoint-store.ts).
        kind: SectionKind.append,
        table: TableId.accounts,
        rowSize: accounts.rowBytes,
        firstRow,
        rowCount,
        chunks: createdRows(accounts, firstRow, accounts.count),
      },
    ];
  }

  #takeAccounts(head: SectionHead, chunks: StoredBytes): void {
    if (head.kind === SectionKind.replace) this.#accountsToLoad = [];
    else check(head.kind === SectionKind.append, 'accounts are append-only');
    this.#accountsToLoad.push({ head, chunks });
  }

  /** Loads all accounts, without their events. Those that have no room in memory leave it at once. `storeIndex` is as in `restore`. */
  async #loadAccounts(
    pause: () => Promise<void>,
    storeIndex: (() => Promise<boolean>) | undefined,
  ): Promise<void> {
    const state = this.#state;
    const sections = this.#accountsToLoad;
    this.#accountsToLoad = [];
    if (sections.length === 0) return;
    state.reserveIds(sections.reduce((sum, { head }) => sum + head.rowCount, 0));
    let mayStore = storeIndex !== undefined;
    const endSlice = async (): Promise<void> => {
      this.#accountsLoaded();
      while (mayStore && state.lacksStoredIndex) mayStore = await storeIndex!();
      await pause();
    };
    state.accountIdsEnd = 0;
    for (const { head, chunks } of sections) await this.#loadAccountsOf(head, chunks, endSlice);
    this.#accountsLoaded();
    this.#givenAccounts = state.accounts.count;
    await this.#enterAccountIds(pause);
  }

  /** Enters the ids of the accounts that stay in memory. More of them may leave it meanwhile, when a part of their index is made. */
  async #enterAccountIds(pause: () => Promise<void>): Promise<void> {
    const state = this.#state;
    const { accounts } = state;
    for (let end = 0; end < accounts.count;) {
      const first = Math.max(end, accounts.coldEnd);
      end = Math.min(accounts.count, first + ROWS_A_SLICE);
      state.addAccountIds(first, end);
      state.accountIdsEnd = end;
      if (end - first === ROWS_A_SLICE) await pause();
    }
    state.accountIdsEnd = Infinity;
  }

  /** Enters the accounts that were loaded last into their index. Some leave memory. */
  #accountsLoaded(): void {
    const state = this.#state;
    const { accounts } = state;
    state.indexAccounts(accounts.count);
    accounts.stored = accounts.count;
    state.makeRoom();
  }

  async #loadAccountsOf(
    head: SectionHead,
    chunks: AsyncIterable<Uint8Array>,
    endSlice: () => Promise<void>,
  ): Promise<void> {
    const { accounts } = this.#state;
    check(head.firstRow === accounts.count, 'a section of accounts is missing');
    const end = head.firstRow + head.rowCount;
    let rest = new Uint8Array(0);
    // Chunks may end inside a row.
    for await (const chunk of chunks) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const count = Math.floor(bytes.length / accounts.rowBytes);
      const whole = count * accounts.rowBytes;
      check(accounts.count + count <= end, 'a section holds more rows than it says');
      const words = wordsIn(bytes.subarray(0, whole));
      rest = new Uint8Array(bytes.subarray(whole));
      for (let row = 0; row < count; row += ROWS_A_SLICE) {
        addRows(accounts, words, row * Account.words, Math.min(ROWS_A_SLICE, count - row));
        if (accounts.count - accounts.stored < ROWS_A_SLICE) continue;
        await endSlice();
      }
    }
    const isAll = rest.length === 0 && accounts.count === end;
    check(isAll, 'a section holds fewer rows than it says');
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

/** Returns the new pages of a table, and the rows after them if there are new ones or they are asked for. */
function takeSections(paged: PagedTable, isRewritten: boolean): Section[] {
  const { table, pageTable, rowTable, givenPages, givenRows } = paged;
  if (table.count === givenRows && !isRewritten) return [];
  const perPage = rowsPerPage(table.wordsPerRow);
  const pages = Math.floor(table.count / perPage);
  const firstRow = pages * perPage;
  paged.givenRows = table.count;
  paged.givenPages = pages;
  const rows: Section = {
    kind: SectionKind.replace,
    table: rowTable,
    rowSize: table.rowBytes,
    firstRow,
    rowCount: table.count - firstRow,
    chunks: encodeRows(table, firstRow, table.count),
  };
  if (pages === givenPages) return [rows];
  return [
    {
      kind: SectionKind.append,
      table: pageTable,
      rowSize: PAGE_BYTES,
      firstRow: givenPages,
      rowCount: pages - givenPages,
      chunks: encodePages(table, pageTable, givenPages, pages),
    },
    rows,
  ];
}

/** Yields the rows of accounts, which are in memory, without the fields that change later. */
function* createdRows(table: RowTable, from: number, end: number): Generator<Uint8Array> {
  let copy = new Uint32Array(0);
  for (const bytes of encodeRows(table, from, end)) {
    if (copy.byteLength < bytes.length) copy = new Uint32Array(bytes.length / 4);
    const words = copy.subarray(0, bytes.length / 4);
    words.set(new Uint32Array(bytes.buffer, bytes.byteOffset, words.length));
    asCreated(words);
    yield new Uint8Array(words.buffer, 0, bytes.length);
  }
}
