/** Indexes of accounts by the fields of their rows. */
import type { Cursor } from './cursor.ts';
import type { KeyedHash } from './keyed-hash.ts';
import type { Memory } from './memory.ts';
import type { RowTable } from './row-table.ts';
import { RunIndex } from './run-index.ts';
import { Account } from '../wire/records.ts';

/** Fields by which accounts and transfers are queried. */
export type QueriedField = 'userData128' | 'userData64' | 'userData32' | 'ledger' | 'code';

export class AccountFields {
  readonly #indexes: ReadonlyMap<QueriedField, RunIndex>;

  constructor(memory: Memory, hash: KeyedHash, rows: RowTable) {
    const { userData128, userData64, userData32, ledger, codeFlags } = Account;
    this.#indexes = new Map([
      ['userData128', new RunIndex(memory, hash, { rows, word: userData128, width: 4 })],
      ['userData64', new RunIndex(memory, hash, { rows, word: userData64, width: 2 })],
      ['userData32', new RunIndex(memory, hash, { rows, word: userData32, width: 1 })],
      ['ledger', new RunIndex(memory, hash, { rows, word: ledger, width: 1 })],
      ['code', new RunIndex(memory, hash, { rows, word: codeFlags, width: 1, mask: 0xffff })],
    ]);
  }

  /** Adds the rows up to `end` that were not added yet. */
  addRows(end: number): void {
    for (const index of this.#indexes.values()) index.addRows(end);
  }

  /** Returns a cursor over the accounts with the field's value `key[at …]`, which is not zero. */
  cursor(field: QueriedField, key: Uint32Array, at: number, isReversed: boolean): Cursor {
    return this.#indexes.get(field)!.find(key, at).cursor(isReversed);
  }

  /** Returns the maximum bytes that adding so many rows may allocate. */
  growthBytes(rows: number): number {
    let bytes = 0;
    for (const index of this.#indexes.values()) bytes += index.growthBytes(rows);
    return bytes;
  }
}
