/**
 * A random client: requests of every operation and variant, from a small world where ids, accounts and user data collide
 * often, run on the engine and on the reference ledger side by side.
 */
import assert from 'node:assert/strict';
import {
  DerivedTables,
  INDEX_TABLE,
  isDerived,
  type Section,
  SectionKind,
  type StoredBytes,
} from '../../../../engine/ledger/checkpoint.ts';
import type { Needs } from '../../../../engine/ledger/cold-rows.ts';
import { ACCOUNTS_TABLE } from '../../../../engine/ledger/layout.ts';
import { isPage, PAGE_BYTES } from '../../../../engine/ledger/page.ts';
import { StateMachine } from '../../../../engine/ledger/state-machine.ts';
import { WeakHash } from '../../../../engine/ledger/testing/weak-hash.ts';
import type { StartPointSizes } from '../../../../engine/ledger/start-point.ts';
import type { IndexSizes } from '../../../../engine/ledger/row-index.ts';
import { encodeMultiBatch } from '../../../../engine/wire/multi-batch.ts';
import { Operation, shapeOf } from '../../../../engine/wire/operations.ts';
import {
  accountFields,
  accountFilterFields,
  concatenate,
  encodeRecord,
  eventsFilterFields,
  queryFilterFields,
  transferFields,
} from './records.ts';
import { ReferenceLedger } from './reference-ledger.ts';

const MAX128 = (1n << 128n) - 1n;
const START = 1_700_000_000_000_000_000n;
const LIMIT_BYTES = 2 ** 34;

interface Commit {
  readonly operation: number;
  readonly timestamp: bigint;
  readonly body: Uint8Array;
}

interface StoredSection {
  readonly head: Omit<Section, 'chunks'>;
  readonly bytes: Uint8Array;
}

const creations = [
  Operation.createAccounts,
  Operation.createAccountsSparse,
  Operation.createAccountsUnbatched,
  Operation.createTransfers,
  Operation.createTransfersSparse,
  Operation.createTransfersUnbatched,
];

/** So few that most queries take several steps. */
const STEP_UNITS = 24;

/** Sizes so small that most transfers are in segments, which are merged, each with many pages. */
const SMALL_SIZES: readonly IndexSizes[] = [
  { sealRows: 4, chunkRows: 2, pageBytes: 80 },
  { sealRows: 24, chunkRows: 8, pageBytes: 96, deltaBytesMax: 1000 },
  { sealRows: 96, chunkRows: 32, pageBytes: 4096 },
];

/**
 * The same with pages that may leave memory. Of the second, a checkpoint writes less than a segment. Of the third, it writes less than four that
 * are merged, so that they are merged from the volume to the volume.
 */
const COLD_SIZES: readonly IndexSizes[] = [
  { sealRows: 4, chunkRows: 2, pageBytes: PAGE_BYTES },
  { sealRows: 24, chunkRows: 8, pageBytes: PAGE_BYTES, deltaBytesMax: 6 * PAGE_BYTES },
  { sealRows: 8, chunkRows: 4, pageBytes: PAGE_BYTES, deltaBytesMax: 14 * PAGE_BYTES },
];

/** Start points of which a checkpoint writes a few records, some hundred bytes, or all. */
const POINT_SIZES: readonly StartPointSizes[] = [
  { rows: 1, bytes: 1 },
  { rows: 40, bytes: 400 },
  { rows: 150, bytes: 1 << 20 },
];

interface SimulationOptions {
  /**
   * Rows and segments of the index leave memory as soon as they are in a checkpoint, rows in chunks of 8, accounts of 2, and the cache
   * holds three pages. Some checkpoints find no room for the index, or for what they have of it.
   */
  readonly isCold?: boolean;
  /** The volume has always room for the index. */
  readonly hasRoom?: boolean;
  /** Most ids of transfers are above all earlier ones, and some requests have hundreds of events. */
  readonly idsRise?: boolean;
  /** Some requests have so many events, whose ids rise, are new and in no order, are few, or are as those of other requests. */
  readonly bulk?: number;
  /** Many ids and values have equal hashes. */
  readonly isHashWeak?: boolean;
}

const ACCOUNTS_A_PAGE = 2;
const COLD = {
  rowsLeaveAtBytes: 0,
  rowsShift: 3,
  accountsShift: Math.log2(ACCOUNTS_A_PAGE),
  accountsStayBytes: 0,
  liveAccountsMax: 2,
  pageCacheBytes: 3 * PAGE_BYTES,
};

/** What the ids of a request with many events are, and how many few ones are. */
const BULK_IDS = ['rising', 'new', 'few', 'any'] as const;
const FEW_IDS = 200;

const queriesOfTransfers: ReadonlySet<number> = new Set([133, 134, 136, 142, 143, 145]);

export class Simulation {
  machine: StateMachine;
  /** Pages of the checkpoints, by table and number. Accounts are cut into pages when they are asked for. */
  readonly #pages = new Map<string, Uint32Array>();
  readonly #isCold: boolean;
  readonly #hasRoom: boolean;
  readonly #idsRise: boolean;
  readonly #bulk: number;
  readonly #isHashWeak: boolean;
  /** What the ids of the present request are, if it has many events. */
  #ids: 'rising' | 'new' | 'few' | 'any' = 'any';
  /** Greatest number of events of a request. */
  eventsMax = 0;
  /** The greatest id, if ids rise. */
  #lastId = 1n << 100n;
  /** So many of the next transfers have rising ids for certain, and resolve nothing. */
  #plain = 0;
  /** Number of ids that transfers take: few, so that they often exist; more, so that rows fill pages. */
  readonly #transferIds: number;
  /** The same of accounts. */
  readonly #accountIds: number;
  pagesRead = 0;
  indexPagesRead = 0;
  accountPagesRead = 0;
  readonly #reference = new ReferenceLedger();
  readonly #commits: Commit[] = [];
  readonly #statuses = new Set<string>();
  #sections: StoredSection[] = [];
  #timestamp = START;
  #random: number;
  /** Timestamps that were given out: filters and imported events aim at them. */
  readonly #times: bigint[] = [START];

  constructor(seed: number, options: SimulationOptions = {}) {
    const { isCold = false, idsRise = false, bulk = 0, isHashWeak = false } = options;
    this.#random = seed | 0;
    this.#bulk = bulk;
    this.#isHashWeak = isHashWeak;
    this.#isCold = isCold;
    this.#hasRoom = options.hasRoom === true;
    this.#idsRise = idsRise;
    this.#transferIds = isCold ? 3000 : 120;
    this.#accountIds = isCold ? 40 : 9;
    this.machine = this.#newMachine(seed);
    if (isCold) this.#letIndexReturn(this.machine);
  }

  /** Makes a machine whose index has some sizes and some key, and is in its checkpoints. No answer and no hash depends on it. */
  #newMachine(choice: number): StateMachine {
    const sizesOf = this.#isCold ? COLD_SIZES : SMALL_SIZES;
    const sizes = sizesOf[(choice >>> 0) % (SMALL_SIZES.length + 1)];
    const hashKey = { low: choice, high: 9 };
    return new StateMachine({
      memoryLimitBytes: LIMIT_BYTES,
      hashKey,
      ...(this.#isHashWeak ? { hash: new WeakHash(hashKey) } : {}),
      onIndexDamage: (error) => assert.fail(String(error)),
      ...(this.#isCold ? COLD : {}),
      startPointSizes: POINT_SIZES[(choice >>> 0) % POINT_SIZES.length]!,
      ...(sizes === undefined ? {} : { indexSizes: sizes }),
    });
  }

  /** Pages of the index that come back to be merged, and what is called then. */
  #returning: (() => void)[] = [];

  /** Lets parts of the index come back to be merged, at some later step. Rarely the volume cannot be read. */
  #letIndexReturn(machine: StateMachine): void {
    this.#returning = [];
    machine.useIndexVolume((needs, done) => {
      this.#returning.push(() => {
        const isBrought = this.#chance(0.98);
        if (isBrought) this.#bring(needs);
        done(isBrought);
      });
    });
  }

  /** Brings pages, as a replica does from its data file. */
  #bring({ pages, arrived }: Needs): void {
    for (const name of pages) {
      if (name.table === ACCOUNTS_TABLE) {
        this.accountPagesRead += 1;
        assert.ok(arrived(name, this.#pageOfAccounts(name.page)), 'a page of accounts is whole');
        continue;
      }
      if (isDerived(name.table)) this.indexPagesRead += 1;
      const words = this.#pages.get(`${name.table} ${name.page}`);
      assert.ok(words !== undefined && isPage(words, 0, name), 'only stored pages are asked for');
      this.pagesRead += 1;
      arrived(name, words);
    }
  }

  /** Returns some accounts as the checkpoints have them. */
  #pageOfAccounts(page: number): Uint32Array {
    const bytes = new Uint8Array(ACCOUNTS_A_PAGE * 128);
    const first = page * ACCOUNTS_A_PAGE;
    for (const { head, bytes: stored } of this.#sections) {
      if (head.table !== ACCOUNTS_TABLE) continue;
      for (let i = 0; i < ACCOUNTS_A_PAGE; i += 1) {
        const at = (first + i - head.firstRow) * 128;
        if (at >= 0 && at < stored.length) bytes.set(stored.subarray(at, at + 128), i * 128);
      }
    }
    return new Uint32Array(bytes.buffer);
  }

  get statusesSeen(): number {
    return this.#statuses.size;
  }

  totals(): readonly bigint[] {
    return this.#reference.totals();
  }

  step(): void {
    if (this.#chance(0.1)) this.#timestamp += BigInt(this.#below(3)) * 1_000_000_000n;
    if (this.#returning.length > 0 && this.#chance(0.5)) this.#returning.shift()!();
    if (this.#chance(0.55)) this.#write();
    else this.#read();
    this.#pulse();
  }

  /** The hash of another machine that is given the same commits. */
  replay(commits: readonly Commit[] = this.#commits): Uint8Array {
    const machine = this.#newMachine(this.#random);
    for (const { operation, timestamp, body } of commits) {
      machine.commit(operation, timestamp, body);
    }
    return machine.stateHash();
  }

  /** The same with one created transfer's user_data_32 changed; undefined when there is none. */
  replayWithChange(): Uint8Array | undefined {
    const machine = this.#newMachine(this.#random);
    let isChanged = false;
    for (const { operation, timestamp, body } of this.#commits) {
      const before = machine.counts().transfers;
      const changed = body.slice();
      if (changed.length >= 128) changed[104] = changed[104]! ^ 0x40;
      const isSingle = body.length === 256 && operation === Operation.createTransfers;
      if (isSingle && !isChanged) {
        machine.commit(operation, timestamp, changed);
        isChanged = machine.counts().transfers === before + 1;
      } else machine.commit(operation, timestamp, body);
    }
    return isChanged ? machine.stateHash() : undefined;
  }

  checkpoint(): void {
    const rewrite = new Set(this.#chance(0.2) ? [1 + this.#below(5)] : []);
    const sections = this.machine.takeDelta(rewrite);
    const taken = this.#commits.length;
    // A late pull must return the state at the time of the delta.
    this.#write();
    const derived = this.#makesWay();
    for (const { chunks, ...head } of sections) {
      if (derived !== DerivedTables.new && isDerived(head.table)) continue;
      // As the store of checkpoints does it.
      if (head.kind === SectionKind.replace || (rewrite.has(head.table) && head.firstRow === 0)) {
        this.#drop((table) => table === head.table);
      }
      const bytes = concatenate(Array.from(chunks, (chunk) => chunk.slice()));
      this.#sections.push({ head, bytes });
      if (head.rowSize !== PAGE_BYTES) continue;
      for (let i = 0; i < head.rowCount; i += 1) {
        const words = new Uint32Array(bytes.slice(i * PAGE_BYTES, (i + 1) * PAGE_BYTES).buffer);
        this.#pages.set(`${head.table} ${head.firstRow + i}`, words);
      }
    }
    this.machine.stored(derived, rewrite);
    this.#late = this.#commits.slice(taken);
  }

  /** Says what a checkpoint has of the derived tables: less than it should if the volume is full. Those that were there make way then. */
  #makesWay(): DerivedTables {
    if (!this.#isCold || this.#hasRoom || !this.#chance(0.3)) return DerivedTables.new;
    if (this.#chance(0.5)) return DerivedTables.old;
    const kept = this.machine.keptTables();
    this.#write();
    const stays = (table: number): boolean =>
      !isDerived(table) || kept.has(table) || (kept.size > 0 && table === INDEX_TABLE);
    this.#drop((table) => !stays(table));
    return DerivedTables.none;
  }

  #drop(isDropped: (table: number) => boolean): void {
    this.#sections = this.#sections.filter(({ head }) => !isDropped(head.table));
    for (const name of this.#pages.keys())
      if (isDropped(Number(name.split(' ')[0]))) this.#pages.delete(name);
  }

  /**
   * Commits a chain of random transfers (or accounts) whose last member cannot be created. Returns what the machine showed
   * before and after; burned ids are left out, they stay.
   */
  breakChain(): { before: unknown; after: unknown } {
    const operation = this.#chance(0.8) ? Operation.createTransfers : Operation.createAccounts;
    const isAccounts = operation === Operation.createAccounts;
    const length = 1 + this.#below(12);
    const members = Array.from({ length }, () => {
      const member = isAccounts ? this.#account(false) : this.#transfer(false);
      member[118] = member[118]! | 1;
      return member;
    });
    const body = encodeMultiBatch([concatenate([...members, new Uint8Array(128)])], 128);
    const before = this.#visible();
    this.#commit(operation, body, length + 1);
    return { before, after: this.#visible() };
  }

  /** Every account as it was created and with its balances, every transfer, every change event. */
  #visible(): unknown {
    const ids = Array.from({ length: 9 }, (_, i) => BigInt(i + 1)).map((id) =>
      id % 3n === 0n ? id << 70n : id,
    );
    const accounts = concatenate(ids.map((id) => encodeRecord([['id', 16]], 16, { id })));
    const events = encodeRecord(eventsFilterFields, 64, { limit: 2730n });
    const all = encodeRecord(queryFilterFields, 64, { limit: 8189n });
    return {
      created: this.machine
        .takeDelta(new Set([1]))
        .filter(({ table }) => table === 1)
        .map(({ chunks }) => concatenate(Array.from(chunks, (chunk) => chunk.slice()))),
      transfers: this.#readWhole(Operation.queryTransfersUnbatched, all),
      accounts: this.machine.read(Operation.lookupAccountsUnbatched, accounts),
      events: this.#readWhole(Operation.getChangeEvents, events),
      counts: this.machine.counts(),
      expiry: this.machine.nextExpiry(),
    };
  }

  /** The commits that ran while the last checkpoint was being written. */
  #late: readonly Commit[] = [];

  /** Puts a machine loaded from the checkpoints, with the commits since, in the place of the running one. */
  async restart(pieceBytes: number): Promise<void> {
    const machine = this.#newMachine(this.#random);
    const isSuspect = this.#chance(0.3);
    for (const { head, bytes } of this.#sections) {
      const size = head.rowSize === PAGE_BYTES ? PAGE_BYTES * (1 + (pieceBytes % 3)) : pieceBytes;
      const isPart = this.#isCold && !isSuspect;
      await machine.loadSection(head, isPart ? partly(bytes, size) : pieces(bytes, size));
    }
    await machine.finishLoad(async () => undefined);
    this.machine = machine;
    if (this.#isCold) this.#letIndexReturn(machine);
    for (const { operation, timestamp, body } of this.#late)
      this.#execute(operation, timestamp, body);
  }

  #write(): void {
    const operation = creations[this.#below(creations.length)]!;
    const isAccounts = [129, 138, 146].includes(operation);
    const isImported = this.#chance(0.12);
    const batch = (): Uint8Array =>
      concatenate(
        Array.from({ length: this.#events() }, () =>
          isAccounts ? this.#account(isImported) : this.#transfer(isImported),
        ),
      );
    const body = this.#frame(operation, batch);
    const delta = this.machine.timestampDelta(operation, body);
    assert.ok(this.machine.admits(operation, body));
    const actual = this.#commit(operation, body, delta);
    const { resultSize } = shapeOf(operation)!;
    if (resultSize !== 16) return;
    for (let at = 0; at + 16 <= actual.length; at += 16) {
      const status = new DataView(actual.buffer, actual.byteOffset).getUint32(at + 8, true);
      this.#statuses.add(`${isAccounts} ${status}`);
    }
  }

  #events(): number {
    this.#ids = 'any';
    if (this.#bulk > 0 && this.#chance(0.08)) {
      this.#ids = BULK_IDS[this.#below(BULK_IDS.length)]!;
      const events = this.#bulk + this.#below(this.#bulk);
      this.eventsMax = Math.max(this.eventsMax, events);
      return events;
    }
    if (this.#idsRise && this.#chance(0.1)) {
      // The engine prepares 128 transfers at a time.
      this.#plain = 128 * this.#below(3);
      return this.#plain + this.#below(20);
    }
    return this.#chance(0.4) ? 1 : this.#below(9);
  }

  #pulse(): void {
    const expiry = this.machine.nextExpiry();
    assert.equal(expiry, this.#reference.nextExpiry());
    if (expiry !== undefined && expiry <= this.#timestamp) {
      this.#commit(Operation.pulse, new Uint8Array(0), 8190);
    }
  }

  #commit(operation: number, body: Uint8Array, delta: number): Uint8Array {
    this.#timestamp += 1n + BigInt(delta);
    const timestamp = this.#timestamp;
    this.#commits.push({ operation, timestamp, body });
    const actual = this.#execute(operation, timestamp, body);
    if (this.#idsRise && this.#chance(0.3)) this.machine.settle();
    const expected = this.#reference.commit(operation, timestamp, body);
    assert.deepEqual(actual, expected, `commit of operation ${operation}`);
    this.#times.push(timestamp, timestamp - BigInt(this.#below(delta + 1)));
    return actual;
  }

  #execute(operation: number, timestamp: bigint, body: Uint8Array): Uint8Array {
    const { machine } = this;
    for (let needs; (needs = machine.prepare(operation, timestamp, body));) this.#bring(needs);
    return machine.commit(operation, timestamp, body);
  }

  #read(): void {
    const operations = [131, 132, 133, 134, 135, 136, 137, 140, 141, 142, 143, 144, 145];
    const operation = operations[this.#below(operations.length)]!;
    const body = this.#frame(operation, () => {
      if (shapeOf(operation)!.batchable) {
        const ids = Array.from({ length: this.#below(6) }, () =>
          this.#usedId(this.#transferIds / 4),
        );
        return concatenate(ids.map((id) => encodeRecord([['id', 16]], 16, { id })));
      }
      return this.#filter(operation);
    });
    if (this.#chance(0.4)) {
      this.#readInSteps(operation, body);
      return;
    }
    const actual = this.#readWhole(operation, body);
    const expected = this.#reference.read(operation, body);
    assert.deepEqual(actual, expected, `read of operation ${operation}`);
  }

  #readWhole(operation: number, body: Uint8Array): Uint8Array {
    if (!this.#isCold) return this.machine.read(operation, body);
    const read = this.machine.beginRead(operation, body);
    for (let step; (step = read.step(Infinity)) !== true;) if (step !== false) this.#bring(step);
    return read.finish();
  }

  /** Others write between its steps. A query of transfers sees the state at its first step, any other read that at its last. */
  #readInSteps(operation: number, body: Uint8Array): void {
    const read = this.machine.beginRead(operation, body);
    let expected = this.#reference.read(operation, body);
    for (let step; (step = read.step(STEP_UNITS)) !== true;) {
      if (step !== false) this.#bring(step);
      this.#write();
      if (!queriesOfTransfers.has(operation)) expected = this.#reference.read(operation, body);
    }
    const actual = read.finish();
    assert.deepEqual(actual, expected, `read of operation ${operation} in steps`);
  }

  #frame(operation: number, batch: () => Uint8Array): Uint8Array {
    const { eventSize, multiBatch } = shapeOf(operation)!;
    if (!multiBatch) return batch();
    const batches = Array.from({ length: this.#chance(0.8) ? 1 : 1 + this.#below(3) }, batch);
    const body = encodeMultiBatch(batches, eventSize);
    // A body may stand anywhere in a receive buffer.
    return this.#chance(0.2) ? concatenate([new Uint8Array(1), body]).subarray(1) : body;
  }

  #filter(operation: number): Uint8Array {
    const range = {
      timestamp_min: this.#chance(0.7) ? 0n : this.#time(),
      timestamp_max: this.#chance(0.7) ? 0n : this.#time(),
      limit: this.#chance(0.05) ? 0n : BigInt(1 + this.#below(this.#chance(0.5) ? 5 : 10_000)),
    };
    if (operation === 137) {
      const reserved = this.#chance(0.03) ? { reserved_64: 1n } : {};
      return encodeRecord(eventsFilterFields, 64, { ...range, ...reserved });
    }
    const fields = {
      user_data_128: this.#userData(0.7),
      user_data_64: this.#userData(0.7),
      user_data_32: this.#userData(0.7),
      code: this.#userData(0.7),
      ...(this.#chance(0.03) ? { reserved_16: 1n } : {}),
    };
    if ([133, 134, 142, 143].includes(operation)) {
      const flags = BigInt(this.#below(this.#chance(0.05) ? 9 : 8));
      const account_id = this.#id(this.#accountIds);
      const reserved = this.#chance(0.03) ? { reserved_4: 1n << 60n } : {};
      const filter = { ...range, ...fields, ...reserved, account_id, flags };
      return encodeRecord(accountFilterFields, 128, filter);
    }
    const ledger = this.#userData(0.5);
    const flags = BigInt(this.#below(this.#chance(0.05) ? 3 : 2));
    const reserved = this.#chance(0.03) ? { reserved_32: 1n } : {};
    const filter = { ...range, ...fields, ...reserved, ledger, flags };
    return encodeRecord(queryFilterFields, 64, filter);
  }

  #account(isImported: boolean): Uint8Array {
    let flags = this.#chance(0.3) ? 1n : 0n;
    if (this.#chance(0.3)) flags |= 2n << BigInt(this.#below(2));
    if (this.#chance(0.7)) flags |= 8n;
    if (this.#chance(0.04)) flags |= 0x20n;
    if (this.#chance(0.02)) flags |= 6n;
    if (this.#chance(0.02)) flags |= 0x40n;
    if (this.#chance(0.02) !== isImported) flags |= 0x10n;
    const rarely = (value: bigint): bigint => (this.#chance(0.02) ? value : 0n);
    return encodeRecord(accountFields, 128, {
      id: this.#id(this.#accountIds),
      debits_pending: rarely(1n),
      debits_posted: rarely(1n << 100n),
      credits_pending: rarely(1n),
      credits_posted: rarely(1n << 64n),
      user_data_128: this.#userData(0.5),
      user_data_64: this.#userData(0.5),
      user_data_32: this.#userData(0.5),
      reserved: rarely(1n),
      ledger: this.#chance(0.03) ? 0n : this.#chance(0.9) ? 1n : 2n,
      code: this.#chance(0.03) ? 0n : 1n + BigInt(this.#below(2)),
      flags,
      timestamp: this.#eventTime(isImported),
    });
  }

  #transfer(isImported: boolean): Uint8Array {
    let flags = this.#chance(0.25) ? 1n : 0n;
    const kind = this.#below(10);
    const isResolving = kind < 3 && this.#plain <= 0;
    if (isResolving) flags |= this.#chance(0.5) ? 4n : 8n;
    else if (kind < 6) flags |= 2n;
    if (this.#chance(0.1)) flags |= 0x10n << BigInt(this.#below(2));
    if (this.#chance(0.06)) flags |= 0x40n << BigInt(this.#below(2));
    if (this.#chance(0.02)) flags |= 1n << BigInt(this.#below(16));
    if (this.#chance(0.02) !== isImported) flags |= 0x100n;
    const isPending = (flags & 2n) !== 0n;
    const often = (value: bigint): bigint => (isResolving && this.#chance(0.7) ? 0n : value);
    return encodeRecord(transferFields, 128, {
      id: this.#newId(),
      debit_account_id: often(this.#id(this.#accountIds)),
      credit_account_id: often(this.#id(this.#accountIds)),
      amount: this.#amount(isResolving),
      pending_id: isResolving !== this.#chance(0.02) ? this.#usedId(this.#transferIds) : 0n,
      user_data_128: this.#userData(0.5),
      user_data_64: this.#userData(0.5),
      user_data_32: this.#userData(0.5),
      timeout: this.#timeout(isPending && !isImported),
      ledger: often(this.#chance(0.03) ? 0n : this.#chance(0.95) ? 1n : 2n),
      code: often(this.#chance(0.03) ? 0n : 1n + BigInt(this.#below(2))),
      flags,
      timestamp: this.#eventTime(isImported),
    });
  }

  #timeout(isLikely: boolean): bigint {
    if (!this.#chance(isLikely ? 0.5 : 0.02)) return 0n;
    return this.#chance(0.1) ? 0xffff_ffffn : BigInt(1 + this.#below(4));
  }

  #amount(isResolving: boolean): bigint {
    if (isResolving && this.#chance(0.6)) return this.#chance(0.5) ? 0n : MAX128;
    if (this.#chance(0.04)) return MAX128 - BigInt(this.#below(3));
    if (this.#chance(0.06)) return BigInt(this.#below(3)) << BigInt(60 + this.#below(66));
    return BigInt(this.#below(this.#chance(0.5) ? 4 : 200));
  }

  #eventTime(isImported: boolean): bigint {
    if (this.#chance(isImported ? 0.05 : 0.97)) return 0n;
    if (this.#chance(0.7)) return this.#timestamp + BigInt(this.#below(3));
    return this.#time();
  }

  #time(): bigint {
    if (this.#chance(0.05)) return (1n << 64n) - 1n - BigInt(this.#below(2));
    const time = this.#times[this.#below(this.#times.length)]!;
    return time + BigInt(this.#below(5)) - 2n;
  }

  #newId(): bigint {
    this.#plain -= 1;
    if (this.#ids === 'few') return this.#id(FEW_IDS);
    if (this.#ids === 'new') return (BigInt(this.#next()) << 64n) + BigInt(this.#next());
    if (this.#ids === 'rising' && this.#chance(0.98)) return (this.#lastId += 1n);
    if (!this.#idsRise || (this.#plain < 0 && this.#chance(0.3)))
      return this.#usedId(this.#transferIds);
    this.#lastId += 1n + BigInt(this.#below(2));
    return this.#lastId;
  }

  #usedId(count: number): bigint {
    if (!this.#idsRise || this.#chance(0.1)) return this.#id(count);
    return this.#lastId - BigInt(this.#below(this.#chance(0.7) ? 12 : 400));
  }

  #id(count: number): bigint {
    if (this.#chance(0.02)) return this.#chance(0.5) ? 0n : MAX128;
    const id = BigInt(1 + this.#below(count));
    return id % 3n === 0n ? id << 70n : id;
  }

  #userData(none: number): bigint {
    return this.#chance(none) ? 0n : BigInt(1 + this.#below(3));
  }

  #chance(probability: number): boolean {
    return this.#next() < probability * 0x1_0000_0000;
  }

  #below(end: number): number {
    return this.#next() % end;
  }

  /** A small generator of our own: a seed must give the same workload for ever. */
  #next(): number {
    this.#random = (this.#random + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#random ^ (this.#random >>> 15), this.#random | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  }
}

/** The same, of which the first ones may be left out. */
const partly = (bytes: Uint8Array, pieceBytes: number): StoredBytes => ({
  [Symbol.asyncIterator]: () => pieces(bytes, pieceBytes),
  from: (least) => {
    const at = least - (least % pieceBytes);
    return { at, chunks: pieces(bytes.subarray(at), pieceBytes) };
  },
});

async function* pieces(bytes: Uint8Array, pieceBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    yield bytes.slice(at, at + pieceBytes);
  }
}
