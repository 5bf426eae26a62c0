/**
 * Executes rows on a ledger, in the order of their timestamps, with those timestamps. Pending transfers expire on the way as they do
 * while clients write: a row finds the balances that it found when it was new.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Shortage, StateMachine } from '../ledger/state-machine.ts';
import type { PageSource } from '../log/page-reader.ts';
import { AccountFlag, TransferFlag } from '../wire/flags.ts';
import { bodySizeMax } from '../wire/limits.ts';
import { Operation } from '../wire/operations.ts';
import { WireTransfer } from '../wire/records.ts';
import { accountRows, FLAGS_OFFSET, RECORD_SIZE, type RowKind } from './columns.ts';
import { readWhole } from './read-whole.ts';

/** Origin of a row. */
export interface RowPlace {
  readonly kind: RowKind;
  readonly line: number;
}

interface RowExecutorOptions {
  readonly ledger: StateMachine;
  readonly pages: PageSource;
  /** Writes a checkpoint, so that rows can leave memory. */
  readonly checkpoint: () => Promise<void>;
  /** A row was not created. */
  readonly onRefused: (place: RowPlace, status: number) => void;
  /** A row was created with an amount that is not its own. */
  readonly onOtherAmount: (place: RowPlace, created: bigint) => void;
  /** Pending transfers expire only where `expire` says so; otherwise as early as they can. */
  readonly isToldExpiries?: boolean;
}

/** The ledger does not fit into memory. */
export class LedgerTooLarge extends Error {
  override readonly name = 'LedgerTooLarge';
}

const ROWS_MAX = Math.floor(bodySizeMax / RECORD_SIZE);
const LINKED = AccountFlag.linked;
const NS = 1_000_000_000n;
const TIMEOUT_OFFSET = WireTransfer.timeout * 4;
const AMOUNT_OFFSET = WireTransfer.amount * 4;
const AMOUNT_MAX = (1n << 128n) - 1n;
const ID_SIZE = 16;
const BALANCING = TransferFlag.balancing_debit | TransferFlag.balancing_credit;
const NEVER = 1n << 64n;
const empty = new Uint8Array(0);

export class RowExecutor {
  readonly #options: RowExecutorOptions;
  readonly #body = new Uint8Array(ROWS_MAX * RECORD_SIZE);
  readonly #view = new DataView(this.#body.buffer);
  #kind: RowKind = accountRows;
  #lines: number[] = [];
  /** Timestamp of the last row that waits. */
  #last = 0n;
  /** Row at which an open chain begins; -1: none is open. */
  #chainStart = -1;
  /** The earliest expiry of the ledger and the rows that wait. */
  #due = NEVER;
  #op = 0;
  #committed = 0n;

  constructor(options: RowExecutorOptions) {
    this.#options = options;
  }

  /** Operations that were executed, and the timestamp of the last one. */
  get position(): { readonly op: number; readonly timestamp: bigint } {
    return { op: this.#op, timestamp: this.#committed };
  }

  /** Adds a row. Returns a promise if others must be executed first. The timestamp is later than that of all rows before. */
  add(
    kind: RowKind,
    line: number,
    timestamp: bigint,
    record: Uint8Array,
  ): Promise<void> | undefined {
    const isFull = this.#lines.length === ROWS_MAX;
    const waits = this.#chainStart === -1 && this.#due < timestamp;
    if (kind !== this.#kind || isFull || waits)
      return this.#executeBefore(kind, line, timestamp, record);
    this.#append(line, timestamp, record);
    return undefined;
  }

  /** Lets pending transfers expire that are due at the timestamp, which is later than that of all rows before. */
  async expire(timestamp: bigint): Promise<void> {
    await this.finish();
    await this.#pulse(timestamp);
  }

  /** Executes the rows that wait. */
  async finish(): Promise<void> {
    await this.#execute(this.#lines.length);
  }

  async #executeBefore(
    kind: RowKind,
    line: number,
    timestamp: bigint,
    record: Uint8Array,
  ): Promise<void> {
    // A chain is executed in one request; the ledger refuses one that fills a request, because it stays open.
    const isWhole = kind !== this.#kind || this.#chainStart <= 0;
    await this.#execute(isWhole ? this.#lines.length : this.#chainStart);
    if (this.#lines.length === 0) await this.#expireBefore(timestamp);
    this.#kind = kind;
    this.#append(line, timestamp, record);
  }

  #append(line: number, timestamp: bigint, record: Uint8Array): void {
    const at = this.#lines.length * RECORD_SIZE;
    this.#body.set(record, at);
    const flags = this.#view.getUint16(at + FLAGS_OFFSET, true);
    if ((flags & LINKED) === 0) this.#chainStart = -1;
    else if (this.#chainStart === -1) this.#chainStart = this.#lines.length;
    if (this.#kind !== accountRows && (flags & TransferFlag.pending) !== 0) {
      const timeout = this.#view.getUint32(at + TIMEOUT_OFFSET, true);
      const expiry = timestamp + BigInt(timeout) * NS;
      if (timeout !== 0 && expiry < this.#due && this.#options.isToldExpiries !== true)
        this.#due = expiry;
    }
    this.#lines.push(line);
    this.#last = timestamp;
  }

  /** Executes the first rows that wait. */
  async #execute(count: number): Promise<void> {
    if (count === 0) return;
    const { ledger, onRefused } = this.#options;
    const isAccounts = this.#kind === accountRows;
    const operation = isAccounts
      ? Operation.createAccountsUnbatched
      : Operation.createTransfersUnbatched;
    const bytes = count * RECORD_SIZE;
    const body = this.#body.subarray(0, bytes);
    const timestamp =
      count === this.#lines.length ? this.#last : this.#view.getBigUint64(bytes - 8, true);
    await this.#makeRoom(operation, body);
    await this.#prepare(operation, timestamp, body);
    const refused = ledger.commitRows(operation, timestamp, body);
    this.#moved(timestamp);
    const failures = new DataView(refused.buffer, refused.byteOffset, refused.byteLength);
    const missing = new Set<number>();
    for (let at = 0; at < refused.length; at += 8) {
      const row = failures.getUint32(at, true);
      missing.add(row);
      const line = this.#lines[row]!;
      onRefused({ kind: this.#kind, line }, failures.getUint32(at + 4, true));
    }
    if (!isAccounts) await this.#compareAmounts(count, missing);
    this.#body.copyWithin(0, bytes, this.#lines.length * RECORD_SIZE);
    this.#lines = this.#lines.slice(count);
    this.#chainStart = this.#lines.length === 0 ? -1 : 0;
    // Rows of a chain that waits are still to come; they are few, so that too early an expiry does no harm.
    this.#due = this.#lines.length === 0 ? this.#nextExpiry() : this.#due;
  }

  /** Compares the amounts of the first rows that may have been created with less: balancing ones move no more than there is. */
  async #compareAmounts(count: number, missing: ReadonlySet<number>): Promise<void> {
    const rows: number[] = [];
    for (let row = 0; row < count; row += 1) {
      const flags = this.#view.getUint16(row * RECORD_SIZE + FLAGS_OFFSET, true);
      if ((flags & BALANCING) === 0 || missing.has(row)) continue;
      // The largest amount asks for as much as there is.
      if (this.#amount(this.#view, row) !== AMOUNT_MAX) rows.push(row);
    }
    if (rows.length === 0) return;
    const ids = new Uint8Array(rows.length * ID_SIZE);
    for (const [place, row] of rows.entries()) {
      const at = row * RECORD_SIZE;
      ids.set(this.#body.subarray(at, at + ID_SIZE), place * ID_SIZE);
    }
    const found = await readWhole(this.#options, Operation.lookupTransfersUnbatched, ids);
    const created = new DataView(found.buffer, found.byteOffset, found.byteLength);
    for (const [place, row] of rows.entries()) {
      const amount = this.#amount(created, place);
      if (amount === this.#amount(this.#view, row)) continue;
      this.#options.onOtherAmount({ kind: this.#kind, line: this.#lines[row]! }, amount);
    }
  }

  #amount(records: DataView, row: number): bigint {
    const at = row * RECORD_SIZE + AMOUNT_OFFSET;
    return (records.getBigUint64(at + 8, true) << 64n) | records.getBigUint64(at, true);
  }

  /** Lets pending transfers expire whose time ends before the next row. A pulse takes a range of timestamps, as it always does. */
  async #expireBefore(timestamp: bigint): Promise<void> {
    const { ledger } = this.#options;
    const delta = BigInt(ledger.timestampDelta(Operation.pulse, empty));
    for (;;) {
      const expiry = this.#nextExpiry();
      if (expiry >= timestamp) break;
      const first = this.#committed + delta;
      const pulse = first > expiry ? first : expiry;
      // Rows that follow one another so closely were one request: nothing expired between them.
      if (pulse >= timestamp) break;
      await this.#pulse(pulse);
    }
    this.#due = this.#nextExpiry();
  }

  async #pulse(timestamp: bigint): Promise<void> {
    await this.#makeRoom(Operation.pulse, empty);
    await this.#prepare(Operation.pulse, timestamp, empty);
    this.#options.ledger.commit(Operation.pulse, timestamp, empty);
    this.#moved(timestamp);
  }

  /** When the executor must let a transfer expire next. */
  #nextExpiry(): bigint {
    if (this.#options.isToldExpiries === true) return NEVER;
    return this.#options.ledger.nextExpiry() ?? NEVER;
  }

  #moved(timestamp: bigint): void {
    this.#op += 1;
    this.#committed = timestamp;
  }

  async #makeRoom(operation: number, body: Uint8Array): Promise<void> {
    const { ledger, checkpoint } = this.#options;
    if (ledger.wantsCheckpoint) await checkpoint();
    let shortage = await this.#shortageWithIndex(operation, body);
    if (shortage === 'rows') {
      await checkpoint();
      shortage = await this.#shortageWithIndex(operation, body);
    }
    if (shortage === undefined) return;
    throw new LedgerTooLarge(
      shortage === 'numbers'
        ? 'The files have more rows than a ledger can have (2^31).'
        : 'The ledger of these files needs more memory than this machine, or its container, has. Take a larger one.',
    );
  }

  /** Resolves with what is lacking when the index has been made as far as there are rows for it. */
  async #shortageWithIndex(operation: number, body: Uint8Array): Promise<Shortage | undefined> {
    const { ledger } = this.#options;
    for (;;) {
      const shortage = ledger.shortage(operation, body);
      if (shortage !== 'index') return shortage;
      ledger.advanceIndexes();
      await nextTurn();
    }
  }

  async #prepare(operation: number, timestamp: bigint, body: Uint8Array): Promise<void> {
    const { ledger, pages } = this.#options;
    for (let needs; (needs = ledger.prepare(operation, timestamp, body)) !== undefined;)
      await pages.read(needs.pages, needs.arrived);
  }
}
