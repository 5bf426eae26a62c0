/**
 * Index from a value of 32 bits (a ledger) to the posting list of the records that have it. Values are not stored, because
 * their hashes are unique. It is made for few values with many records each; run-index.ts is for the other fields.
 *
 * A slot's value is the list's number + 1.
 */
import type { KeyedHash } from './keyed-hash.ts';
import type { Memory } from './memory.ts';
import type { PostingLists, PostingView } from './posting-lists.ts';
import { EMPTY } from './posting-lists.ts';
import { RowTable } from './row-table.ts';
import { SlotTable } from './slot-table.ts';

export class KeyedIndex {
  readonly #hash: KeyedHash;
  readonly #slots: SlotTable;
  readonly #lists: RowTable;
  readonly #postings: PostingLists;
  /** Value and list added last: neighbours in a batch mostly share their ledger. */
  #lastKey = 0;
  #lastList = 0;

  constructor(memory: Memory, hash: KeyedHash, postings: PostingLists) {
    this.#hash = hash;
    this.#slots = new SlotTable(memory);
    this.#lists = new RowTable(memory, { wordsPerRow: 2, rowsShift: 12 });
    this.#postings = postings;
  }

  /** Adds a record with a value other than zero. Records come in rising order. */
  add(key: number, record: number): void {
    if (key !== this.#lastKey) {
      this.#lastList = this.#find(key) ?? this.#newList(key);
      this.#lastKey = key;
    }
    const list = this.#lastList;
    this.#postings.append(this.#lists.chunkOf(list), this.#lists.offsetOf(list), record);
  }

  find(key: number): PostingView {
    const list = this.#find(key);
    if (list === undefined) return EMPTY;
    return this.#postings.view(this.#lists.chunkOf(list), this.#lists.offsetOf(list));
  }

  /** Returns the maximum bytes that adding `records` may allocate, without those of the posting lists. */
  growthBytes(records: number): number {
    return this.#slots.growthBytes(records) + this.#lists.growthBytes(records);
  }

  #find(key: number): number | undefined {
    this.#slots.seek(this.#hash.ofWord(key));
    const value = this.#slots.next();
    return value === 0 ? undefined : value - 1;
  }

  #newList(key: number): number {
    const list = this.#lists.push();
    this.#lists.chunkOf(list).fill(0, this.#lists.offsetOf(list), this.#lists.offsetOf(list) + 2);
    this.#slots.insert(this.#hash.ofWord(key), list + 1);
    return list;
  }
}
