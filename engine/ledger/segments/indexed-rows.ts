/** Rows that an index is of: where their fields lie, and which keys they have in the columns of a segment. */
import type { KeyedHash } from '../keyed-hash.ts';
import { Transfer } from '../layout.ts';
import { Account } from '../../wire/records.ts';
import { Column } from './columns.ts';

/** Rows as words, one of them at `at`. */
export interface RowsAt {
  readonly words: Uint32Array;
  readonly at: number;
}

/** A kind of rows. Their ids are at their beginning. */
export interface IndexedRows {
  readonly wordsPerRow: number;
  /** Offsets of the fields whose keys are hashes, in words. */
  readonly userData128: number;
  readonly userData64: number;
  /** Writes the keys of `count` rows to the columns, from `offset` on. A key of 0 has no entry. */
  fill(fields: readonly Uint32Array[], offset: number, from: RowsAt, count: number): void;
}

/** Transfers. `ledgerOf` returns an account's ledger. */
export const indexedTransfers = (
  hash: KeyedHash,
  ledgerOf: (account: number) => number,
): IndexedRows => ({
  wordsPerRow: Transfer.words,
  userData128: Transfer.userData128,
  userData64: Transfer.userData64,
  fill(fields, offset, { words, at }, count) {
    const debits = fields[Column.debitAccount]!;
    const credits = fields[Column.creditAccount]!;
    const ledgers = fields[Column.ledger]!;
    const codes = fields[Column.code]!;
    const data128 = fields[Column.userData128]!;
    const data64 = fields[Column.userData64]!;
    const data32 = fields[Column.userData32]!;
    for (let i = 0; i < count; i += 1) {
      const row = at + i * Transfer.words;
      const to = offset + i;
      const debit = words[row + Transfer.debitAccount]!;
      debits[to] = debit + 1;
      credits[to] = words[row + Transfer.creditAccount]! + 1;
      ledgers[to] = ledgerOf(debit);
      codes[to] = words[row + Transfer.codeFlags]! & 0xffff;
      data128[to] = keyOf128(hash, words, row + Transfer.userData128);
      data64[to] = keyOf64(hash, words, row + Transfer.userData64);
      data32[to] = words[row + Transfer.userData32]!;
    }
  },
});

/** Accounts: the columns of debit and credit accounts, which are zero from the beginning, stay so. */
export const indexedAccounts = (hash: KeyedHash): IndexedRows => ({
  wordsPerRow: Account.words,
  userData128: Account.userData128,
  userData64: Account.userData64,
  fill(fields, offset, { words, at }, count) {
    const ledgers = fields[Column.ledger]!;
    const codes = fields[Column.code]!;
    const data128 = fields[Column.userData128]!;
    const data64 = fields[Column.userData64]!;
    const data32 = fields[Column.userData32]!;
    for (let i = 0; i < count; i += 1) {
      const row = at + i * Account.words;
      const to = offset + i;
      ledgers[to] = words[row + Account.ledger]!;
      codes[to] = words[row + Account.codeFlags]! & 0xffff;
      data128[to] = keyOf128(hash, words, row + Account.userData128);
      data64[to] = keyOf64(hash, words, row + Account.userData64);
      data32[to] = words[row + Account.userData32]!;
    }
  },
});

/** Returns the key of a value of 64 bits: 0 for zero, otherwise a hash other than 0. */
export function keyOf64(hash: KeyedHash, words: Uint32Array, at: number): number {
  if ((words[at]! | words[at + 1]!) === 0) return 0;
  return hash.of(words, at, 2) >>> 0 || 1;
}

/** Same as `keyOf64` for 128 bits. */
export function keyOf128(hash: KeyedHash, words: Uint32Array, at: number): number {
  if ((words[at]! | words[at + 1]! | words[at + 2]! | words[at + 3]!) === 0) return 0;
  return hash.of128(words, at) >>> 0 || 1;
}
