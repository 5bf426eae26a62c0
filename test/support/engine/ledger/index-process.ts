/**
 * An index of transfers as a process has it, without a ledger, and the checkpoints that outlive it. Whoever uses it decides when its helper
 * works and when a checkpoint is durable.
 */
import { DerivedTables, type Section, SectionKind } from '../../../../engine/ledger/checkpoint.ts';
import { type Needs, RowAccess } from '../../../../engine/ledger/cold-rows.ts';
import { KeyedHash } from '../../../../engine/ledger/keyed-hash.ts';
import { Transfer } from '../../../../engine/ledger/layout.ts';
import { Memory } from '../../../../engine/ledger/memory.ts';
import { PAGE_BYTES, type PageName } from '../../../../engine/ledger/page.ts';
import { PageCache } from '../../../../engine/ledger/page-cache.ts';
import { type IndexSizes, RowIndex } from '../../../../engine/ledger/row-index.ts';
import { RowTable } from '../../../../engine/ledger/row-table.ts';
import {
  type IndexJob,
  type IndexResult,
  runJob,
} from '../../../../engine/ledger/segments/index-jobs.ts';
import {
  indexedAccounts,
  indexedTransfers,
} from '../../../../engine/ledger/segments/indexed-rows.ts';
import { StoredIndex } from '../../../../engine/ledger/stored-index.ts';

const hash = new KeyedHash({ low: 1, high: 2 });

interface StoredTable {
  readonly rowSize: number;
  readonly pieces: Buffer[];
  length: number;
}

/** What is durable: all rows, as if the log had them, and the tables of the newest checkpoint. */
export class IndexDisk {
  readonly rows = new RowTable(new Memory(), { wordsPerRow: Transfer.words, rowsShift: 12 });
  readonly tables = new Map<number, StoredTable>();
  /** Whether a start may leave out parts of tables. After damage it verifies them all. */
  isSuspect = false;
  #seed = 1;

  /** Adds a row with an id in no order and three fields of user data of its own. Returns its number. */
  push(): number {
    const row = this.rows.push();
    const [words, at] = [this.rows.chunkOf(row), this.rows.offsetOf(row)];
    for (let i = 0; i < 4; i += 1) words[at + i] = this.#random();
    words.set([row % 10_000, (row * 7) % 10_000], at + Transfer.debitAccount);
    for (let i = 0; i < 7; i += 1) words[at + Transfer.userData32 + i] = this.#random();
    words[at + Transfer.codeFlags] = 1;
    return row;
  }

  get bytes(): number {
    return [...this.tables.values()].reduce((sum, { length }) => sum + length, 0);
  }

  bytesOf(table: number): Buffer {
    return Buffer.concat(this.tables.get(table)?.pieces ?? []);
  }

  store(sections: readonly StoredSection[]): void {
    for (const { table, kind, rowSize, firstRow, bytes } of sections) {
      if (kind === SectionKind.replace) this.tables.delete(table);
      if (bytes.length === 0) continue;
      const stored = this.tables.get(table) ?? { rowSize, pieces: [], length: 0 };
      if (stored.length !== firstRow * rowSize) throw new Error(`table ${table} has a gap`);
      stored.pieces.push(bytes);
      stored.length += bytes.length;
      this.tables.set(table, stored);
    }
  }

  page({ table, page }: PageName): Uint32Array {
    let at = page * PAGE_BYTES;
    for (const piece of this.tables.get(table)?.pieces ?? []) {
      if (at < piece.length)
        return new Uint32Array(Uint8Array.from(piece.subarray(at, at + PAGE_BYTES)).buffer);
      at -= piece.length;
    }
    throw new Error(`table ${table} has no page ${page}`);
  }

  loadInto(index: StoredIndex): void {
    for (const [table, { rowSize, length }] of this.tables) {
      const all = this.bytesOf(table);
      const from = (at: number) => ({ at, chunks: chunksOf(all.subarray(at)) });
      const chunks = { [Symbol.asyncIterator]: () => chunksOf(all) };
      index.loadSection(
        { kind: SectionKind.replace, table, rowSize, firstRow: 0, rowCount: length / rowSize },
        this.isSuspect ? chunks : { ...chunks, from },
      );
    }
  }

  #random(): number {
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0;
    const seed = this.#seed;
    return (Math.imul(seed ^ (seed >>> 15), 0x2c1b_3c6d) ^ (seed >>> 12)) >>> 0;
  }
}

interface StoredSection extends Section {
  readonly bytes: Buffer;
}

interface ProcessOptions {
  readonly disk: IndexDisk;
  readonly sizes: IndexSizes;
  /** Bytes that the index and its merges may take. */
  readonly room: () => number;
  /** Called for parts of the index that could not be read at the start. */
  readonly onDamage: (error: unknown) => void;
}

interface Work {
  readonly job: IndexJob;
  readonly generator: Generator<number, IndexResult>;
  readonly done: (result: IndexResult) => void;
}

export class IndexProcess {
  readonly memory = new Memory();
  readonly index: RowIndex;
  readonly #disk: IndexDisk;
  readonly #stored: StoredIndex;
  #work: Work[] = [];
  readonly #reads: (() => void)[] = [];
  #entries = 0;
  /** Pages that came back to be merged. */
  pagesRead = 0;

  private constructor({ disk, sizes, room, onDamage }: ProcessOptions) {
    this.#disk = disk;
    const common = {
      memory: this.memory,
      hash,
      access: new RowAccess(new PageCache(this.memory, 0)),
      sizes,
      makeRoom: () => undefined,
      isStored: true,
    };
    this.index = new RowIndex({
      ...common,
      rows: disk.rows,
      indexed: indexedTransfers(hash, () => 1),
      findsYoung: true,
      mergeRoom: () =>
        room() - this.memory.usedBytes + this.index.droppableBytes + this.index.mergeBytes,
    });
    const accounts = new RowIndex({
      ...common,
      rows: new RowTable(new Memory(), { wordsPerRow: Transfer.words, rowsShift: 4 }),
      indexed: indexedAccounts(hash),
      findsYoung: false,
      mergeRoom: () => 0,
    });
    const transfers = this.index;
    const isStored = true;
    const youngBytes = (): number => 0;
    this.#stored = new StoredIndex({
      transfers,
      accounts,
      hash,
      sizes,
      isStored,
      youngBytes,
      onDamage,
    });
  }

  static async start(options: ProcessOptions): Promise<IndexProcess> {
    const started = new IndexProcess(options);
    await started.#start();
    return started;
  }

  async #start(): Promise<void> {
    const { rows } = this.#disk;
    this.#disk.loadInto(this.#stored);
    await this.#stored.load();
    for (let row = this.index.sealedEnd; row < rows.count; row += 1) this.add(row);
    this.index.useHelper({
      begin: (job, done) => void this.#work.push({ job, generator: runJob(job), done }),
      giveUp: (job) => {
        this.#work = this.#work.filter((one) => one.job !== job);
      },
      end: () => Promise.resolve(),
    });
    this.index.useVolume(({ pages, arrived }: Needs, done) => {
      this.pagesRead += pages.length;
      this.#reads.push(() => {
        for (const name of pages) arrived(name, this.#disk.page(name));
        done(true);
      });
    });
  }

  add(row: number): void {
    const { rows } = this.#disk;
    const id = hash.of128(rows.chunkOf(row), rows.offsetOf(row));
    this.index.addId(row, id, hash.lower);
    this.index.addRows(row + 1);
  }

  /** Lets the helper handle so many entries, as far as it has work. */
  help(entries: number): void {
    this.#read();
    this.#entries = Math.min(0, this.#entries) + entries;
    while (this.#entries > 0) {
      const [work] = this.#work;
      if (work === undefined) return;
      const step = work.generator.next();
      if (step.done !== true) this.#entries -= step.value;
      else {
        this.#work.shift();
        work.done(step.value);
        this.#read();
      }
    }
  }

  #read(): void {
    while (this.#reads.length > 0) this.#reads.shift()!();
  }

  /** Takes what a checkpoint writes. It is durable when `end` is called. */
  checkpoint(): { readonly bytes: number; readonly end: () => void } {
    const sections = this.#stored.takeSections().map((section) => ({
      ...section,
      bytes: Buffer.concat(Array.from(section.chunks, (chunk) => Buffer.from(chunk))),
    }));
    const bytes = sections.reduce((sum, section) => sum + section.bytes.length, 0);
    const end = (): void => {
      this.#disk.store(sections);
      this.#stored.stored(DerivedTables.new);
    };
    return { bytes, end };
  }

  /** Lets segments that are durable leave memory, until the index takes no more than so many bytes beside merges. */
  dropTo(bytes: number): void {
    const { index, memory } = this;
    while (index.droppableBytes > 0 && memory.usedBytes - index.mergeBytes > bytes) index.drop();
  }
}

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 2 ** 20) yield bytes.subarray(at, at + 2 ** 20);
}
