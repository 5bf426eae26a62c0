/**
 * Accounts that have left memory.
 *
 * An account is a row that never changes, which checkpoints have from its creation on, and what its last event says: its balances and
 * whether it is closed (last-event.ts). So an account can leave whenever its row is durable, whatever has happened to it, and nothing of
 * it is ever written. What stays of it is the number of its last event, its ledger, which the index of transfers asks for, and a part of
 * its page's checksum.
 *
 * Accounts that are needed come back to a bounded table of live ones, where they change as in memory. Between computations those that
 * were not used lately leave it again.
 */
import { ColdRows, type ColdRowsOptions, type RowAccess } from './cold-rows.ts';
import { asCreated } from './created-account.ts';
import { ACCOUNTS_A_PAGE, ACCOUNTS_TABLE } from './layout.ts';
import type { Memory } from './memory.ts';
import type { RowTable } from './row-table.ts';
import { StateHash } from './state-hash.ts';
import { Account } from '../wire/records.ts';

/** Live accounts in a piece of the table of them. */
const LIVE_SHIFT = 10;
const LIVE_MASK = (1 << LIVE_SHIFT) - 1;
/** Bytes that a live account takes beside its row: its entry in the map, and what is noted of its slot. */
const LIVE_ENTRY_BYTES = 96;
export const LIVE_BYTES = Account.words * 4 + LIVE_ENTRY_BYTES;
/** Words of a page's checksum that are kept. */
const CHECKSUM_WORDS = 2;

interface ColdAccountsOptions {
  readonly memory: Memory;
  readonly access: RowAccess;
  /** Accounts of a chunk, as a power of two. */
  readonly rowsShift: number;
  /** Live accounts that stay between computations. */
  readonly liveMax: number;
  /** Writes the balances after an account's event, and whether it is closed, into its row at `row[at …]`. */
  readonly applyEvent: (event: number, account: number, row: Uint32Array, at: number) => void;
  /** Enters the id of an account, whose row is at `words[at …]`, when it becomes live. */
  readonly enterId: (account: number, words: Uint32Array, at: number) => void;
  /** Takes it out of the table of ids, when the account leaves memory or is live no more. */
  readonly removeId: (account: number, words: Uint32Array, at: number) => void;
}

const rowsOfPage = (rowsShift: number): number => Math.min(ACCOUNTS_A_PAGE, 1 << rowsShift);

const layoutOf = (rowsShift: number): ColdRowsOptions => ({
  table: ACCOUNTS_TABLE,
  wordsPerRow: Account.words,
  perPage: rowsOfPage(rowsShift),
  timestamp: Account.timestamp,
});

const hash = new StateHash();

export class ColdAccounts extends ColdRows {
  readonly #options: ColdAccountsOptions;
  readonly #rowsShift: number;
  readonly #rowsMask: number;
  /** By chunk: the last event of each account that is not live. */
  readonly #events: Uint32Array[] = [];
  /** By chunk: the ledger of all its accounts, or of each of them. */
  readonly #ledgers: (number | Uint32Array)[] = [];
  #checksums = new Uint32Array(1024);
  readonly #slots = new Map<number, number>();
  readonly #live: Uint32Array[] = [];
  /** By slot: the account, and whether it was used since the hand has passed it. */
  readonly #accounts: number[] = [];
  readonly #used: boolean[] = [];
  readonly #free: number[] = [];
  #hand = 0;
  /** What was looked for last, and where it is. */
  #row = -1;
  #epoch = -1;
  #words: Uint32Array = new Uint32Array(0);
  #offset = 0;
  readonly #scratch = new Uint32Array(Account.words);

  constructor(options: ColdAccountsOptions) {
    super(options.access, layoutOf(options.rowsShift));
    this.#options = options;
    this.#rowsShift = options.rowsShift;
    this.#rowsMask = (1 << options.rowsShift) - 1;
  }

  /** What never changes of an account: its id, user data, ledger, code, timestamp, and flags but for `closed`. */
  override chunkOf(row: number): Uint32Array {
    const slot = this.#slotOf(row);
    return slot === undefined ? super.chunkOf(row) : this.#live[slot >>> LIVE_SHIFT]!;
  }

  override offsetOf(row: number): number {
    const slot = this.#slotOf(row);
    return slot === undefined ? super.offsetOf(row) : (slot & LIVE_MASK) * Account.words;
  }

  /** An account as it is now. What is changed there is the account's. */
  liveChunkOf(row: number): Uint32Array {
    this.#locate(row);
    return this.#words;
  }

  liveOffsetOf(row: number): number {
    this.#locate(row);
    return this.#offset;
  }

  /** Bytes of the table of live accounts. */
  get liveBytes(): number {
    return this.#live.length * (LIVE_BYTES << LIVE_SHIFT);
  }

  ledgerOf(row: number): number {
    const ledgers = this.#ledgers[row >>> this.#rowsShift]!;
    return typeof ledgers === 'number' ? ledgers : ledgers[row & this.#rowsMask]!;
  }

  eventOf(row: number): number {
    const slot = this.#slotOf(row);
    if (slot === undefined) return this.#events[row >>> this.#rowsShift]![row & this.#rowsMask]!;
    return this.#live[slot >>> LIVE_SHIFT]![(slot & LIVE_MASK) * Account.words + Account.reserved]!;
  }

  /** Says which event was an account's last one, while the ledger is loaded: none is live then. */
  setEvent(row: number, event: number): void {
    this.#events[row >>> this.#rowsShift]![row & this.#rowsMask] = event;
  }

  /** Notes what stays of the accounts in `words`, those of one chunk. */
  override leaves(words: Uint32Array, first: number, end: number): void {
    super.leaves(words, first, end);
    const count = end - first;
    const events = new Uint32Array(count);
    const ledgers = new Uint32Array(count);
    for (let i = 0; i < count; i += 1) {
      events[i] = words[i * Account.words + Account.reserved]!;
      ledgers[i] = words[i * Account.words + Account.ledger]!;
      this.#options.removeId(first + i, words, i * Account.words);
    }
    const isOneLedger = ledgers.every((ledger) => ledger === ledgers[0]);
    this.#events.push(events);
    this.#ledgers.push(isOneLedger ? ledgers[0]! : ledgers);
    this.#options.memory.allocate(count * (isOneLedger ? 4 : 8));
    this.#keepChecksums(words, first, end);
  }

  /** Returns whether the words are the page with this number, undamaged. */
  isWhole(page: number, words: Uint32Array): boolean {
    const [low, high] = this.#checksumOf(words);
    const at = page * CHECKSUM_WORDS;
    return this.#checksums[at] === low && this.#checksums[at + 1] === high;
  }

  /** Lets accounts leave the table of live ones, if it holds too many. No computation is going on. */
  trim(): void {
    if (this.#slots.size <= this.#options.liveMax) return;
    this.#row = -1;
    while (this.#slots.size > this.#options.liveMax) {
      const slot = this.#hand;
      this.#hand = slot + 1 === this.#accounts.length ? 0 : slot + 1;
      const account = this.#accounts[slot]!;
      if (account < 0) continue;
      if (this.#used[slot] === true) {
        this.#used[slot] = false;
        continue;
      }
      this.setEvent(account, this.eventOf(account));
      const at = (slot & LIVE_MASK) * Account.words;
      this.#options.removeId(account, this.#live[slot >>> LIVE_SHIFT]!, at);
      this.#slots.delete(account);
      this.#accounts[slot] = -1;
      this.#free.push(slot);
    }
  }

  #keepChecksums(words: Uint32Array, first: number, end: number): void {
    const pages = end / this.perPage;
    if (pages * CHECKSUM_WORDS > this.#checksums.length) {
      const larger = new Uint32Array(Math.max(pages * CHECKSUM_WORDS, this.#checksums.length * 2));
      larger.set(this.#checksums);
      this.#options.memory.allocate((larger.length - this.#checksums.length) * 4);
      this.#checksums = larger;
    }
    const copy = new Uint32Array(this.perPage * Account.words);
    for (let page = first / this.perPage; page < pages; page += 1) {
      const at = (page * this.perPage - first) * Account.words;
      copy.set(words.subarray(at, at + copy.length));
      asCreated(copy);
      this.#checksums.set(this.#checksumOf(copy), page * CHECKSUM_WORDS);
    }
  }

  /** Returns what is kept of the checksum of a page's rows. It is valid until the next call. */
  #checksumOf(words: Uint32Array): Uint32Array {
    hash.lanes.fill(0);
    hash.absorb(words, 0, this.perPage * Account.words);
    hash.mix();
    return hash.lanes.subarray(0, CHECKSUM_WORDS);
  }

  #slotOf(row: number): number | undefined {
    const slot = this.#slots.get(row);
    if (slot !== undefined) this.#used[slot] = true;
    return slot;
  }

  #locate(row: number): void {
    const { access } = this.#options;
    if (row === this.#row && access.epoch === this.#epoch) return;
    this.#row = row;
    this.#epoch = access.epoch;
    const slot = this.#slotOf(row) ?? this.#bring(row);
    if (slot === undefined) {
      this.#words = this.#scratch;
      this.#offset = 0;
      return;
    }
    this.#words = this.#live[slot >>> LIVE_SHIFT]!;
    this.#offset = (slot & LIVE_MASK) * Account.words;
  }

  /** Makes an account live. Returns its slot; `undefined` if something is absent. */
  #bring(row: number): number | undefined {
    const { access, applyEvent } = this.#options;
    const { notes } = access;
    const from = super.offsetOf(row);
    const account = this.#scratch;
    account.set(super.chunkOf(row).subarray(from, from + Account.words));
    const event = this.#events[row >>> this.#rowsShift]![row & this.#rowsMask]!;
    account[Account.reserved] = event;
    if (access.notes === notes) applyEvent(event, row, account, 0);
    if (access.notes !== notes) return undefined;
    const slot = this.#free.pop() ?? this.#newSlot();
    this.#live[slot >>> LIVE_SHIFT]!.set(account, (slot & LIVE_MASK) * Account.words);
    this.#accounts[slot] = row;
    this.#used[slot] = true;
    this.#slots.set(row, slot);
    this.#options.enterId(row, account, 0);
    return slot;
  }

  #newSlot(): number {
    const slot = this.#accounts.length;
    if (slot >>> LIVE_SHIFT === this.#live.length) {
      this.#live.push(new Uint32Array(Account.words << LIVE_SHIFT));
      this.#options.memory.allocate(LIVE_BYTES << LIVE_SHIFT);
    }
    this.#accounts.push(-1);
    this.#used.push(false);
    return slot;
  }
}

/** The accounts as they are now, wherever they are. */
export class LiveAccounts {
  readonly #rows: RowTable;
  readonly #cold: ColdAccounts;

  constructor(rows: RowTable, cold: ColdAccounts) {
    this.#rows = rows;
    this.#cold = cold;
  }

  chunkOf(account: number): Uint32Array {
    const rows = this.#rows;
    return account < rows.coldEnd ? this.#cold.liveChunkOf(account) : rows.chunkOf(account);
  }

  offsetOf(account: number): number {
    const rows = this.#rows;
    return account < rows.coldEnd ? this.#cold.liveOffsetOf(account) : rows.offsetOf(account);
  }
}
