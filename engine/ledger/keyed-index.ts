/**
 * Index from a field's value (a ledger, a code, user data) to the posting list of the records that have it. Keys are not
 * stored: a key of more than 32 bits is compared with the first record of its list, and a key of 32 bits has a unique hash.
 *
 * A slot's value is record + 1 for a key that occurs once, -(list + 1) otherwise.
 */
import type { KeyedHash } from './keyed-hash.ts';
import type { Memory } from './memory.ts';
import type { PostingLists, PostingView } from './posting-lists.ts';
import { EMPTY } from './posting-lists.ts';
import { RowTable } from './row-table.ts';
import { SlotTable } from './slot-table.ts';

export interface KeyedIndexOptions {
  /** Table whose rows contain the key. */
  readonly rows: RowTable;
  /** Offset of the key in a row, in words; only used for keys of two or four words. */
  readonly word: number;
  readonly width: 1 | 2 | 4;
}

export class KeyedIndex {
  readonly #hash: KeyedHash;
  readonly #width: number;
  readonly #word: number;
  readonly #rows: RowTable;
  readonly #slots: SlotTable;
  readonly #lists: RowTable;
  readonly #postings: PostingLists;
  readonly #single = new Uint32Array(2);
  /** Key and list added last: neighbours in a batch mostly share ledger and code. */
  #lastKey = -1;
  #lastList = 0;

  constructor(memory: Memory, hash: KeyedHash, postings: PostingLists, options: KeyedIndexOptions) {
    this.#hash = hash;
    this.#rows = options.rows;
    this.#word = options.word;
    this.#width = options.width;
    this.#slots = new SlotTable(memory);
    this.#lists = new RowTable(memory, { wordsPerRow: 2, rowsShift: 12 });
    this.#postings = postings;
  }

  /** Adds a record; zero keys are not indexed. Records come in rising order. */
  add(key: Uint32Array, at: number, record: number): void {
    if (this.#width === 1) {
      if (key[at] === 0) return;
      if (key[at] === this.#lastKey) this.#appendToList(this.#lastList, record);
      else this.#insert(key, at, this.#hash.ofWord(key[at]!), record);
    } else if (this.#width === 2) {
      if ((key[at]! | key[at + 1]!) !== 0) this.#insert(key, at, this.#hash.of(key, at, 2), record);
    } else if ((key[at]! | key[at + 1]! | key[at + 2]! | key[at + 3]!) !== 0) {
      this.#insert(key, at, this.#hash.of128(key, at), record);
    }
  }

  find(key: Uint32Array, at: number): PostingView {
    const value = this.#find(key, at, this.#hashOf(key, at));
    if (value === 0) return EMPTY;
    if (value < 0) {
      return this.#postings.view(this.#lists.chunkOf(-1 - value), this.#lists.offsetOf(-1 - value));
    }
    this.#single[0] = 1;
    this.#single[1] = value - 1;
    return this.#postings.view(this.#single, 0);
  }

  /** Returns the maximum bytes that adding `records` may allocate, without those of the posting lists. */
  growthBytes(records: number): number {
    return this.#slots.growthBytes(records) + this.#lists.growthBytes(records);
  }

  #hashOf(key: Uint32Array, at: number): number {
    if (this.#width === 1) return this.#hash.ofWord(key[at]!);
    return this.#width === 2 ? this.#hash.of(key, at, 2) : this.#hash.of128(key, at);
  }

  #insert(key: Uint32Array, at: number, hash: number, record: number): void {
    const value = this.#find(key, at, hash);
    if (value === 0) {
      this.#slots.insert(hash, record + 1);
      return;
    }
    let list = -1 - value;
    if (value > 0) {
      list = this.#lists.push();
      this.#slots.replaceFound(-1 - list);
      const headers = this.#lists.chunkOf(list);
      const offset = this.#lists.offsetOf(list);
      headers[offset] = 1;
      headers[offset + 1] = value - 1;
    }
    this.#appendToList(list, record);
    if (this.#width === 1) {
      this.#lastKey = key[at]!;
      this.#lastList = list;
    }
  }

  #appendToList(list: number, record: number): void {
    this.#postings.append(this.#lists.chunkOf(list), this.#lists.offsetOf(list), record);
  }

  #find(key: Uint32Array, at: number, hash: number): number {
    const slots = this.#slots;
    slots.seek(hash);
    for (;;) {
      const value = slots.next();
      if (value === 0 || this.#width === 1 || this.#isKeyOf(value, key, at)) return value;
    }
  }

  #isKeyOf(value: number, key: Uint32Array, at: number): boolean {
    const record = value > 0 ? value - 1 : this.#firstOf(-1 - value);
    const row = this.#rows.chunkOf(record);
    const offset = this.#rows.offsetOf(record) + this.#word;
    for (let i = 0; i < this.#width; i += 1) if (row[offset + i] !== key[at + i]) return false;
    return true;
  }

  #firstOf(list: number): number {
    const headers = this.#lists.chunkOf(list);
    const offset = this.#lists.offsetOf(list);
    return this.#postings.first(headers[offset]!, headers[offset + 1]!);
  }
}
