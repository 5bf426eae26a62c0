/** Random operations of a ledger, which follow from a seed: the same each time. */
import { TransferFlag } from '../../wire/flags.ts';
import { Operation } from '../../wire/operations.ts';

/** Accounts of a request, and the most transfers of one. */
export const ACCOUNTS = 40;
export const EVENTS_MAX = 12;

/** Random numbers below a bound. */
export function dice(seed: number): (bound: number) => number {
  let state = seed >>> 0;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

/** Operations that follow from a seed, and from another one from an operation on. */
export interface History {
  readonly seed: number;
  readonly partsAt: number;
}

export const timestampOf = (op: number): bigint => BigInt(op) * 1_000_000_000n;

export function operationOf(
  { seed, partsAt }: History,
  op: number,
): readonly [number, bigint, Uint8Array] {
  const random = dice(seed * 1009 + op * 31 + (op < partsAt ? 0 : 7));
  random(2);
  const timestamp = timestampOf(op);
  if (op % 5 === 4) return [Operation.pulse, timestamp, new Uint8Array(0)];
  const isAccounts = op % 6 === 1;
  // Their times are those of the request before, which has created accounts at times.
  const isImported = op % 7 === 3 && !isAccounts;
  const count = isAccounts ? ACCOUNTS : 1 + random(EVENTS_MAX);
  const words = new Uint32Array(count * 32);
  for (let i = 0; i < count; i += 1) {
    const at = i * 32;
    words[at] = op * 100 + i + 1;
    words[at + 28] = 1;
    words[at + 29] = 1;
    if (isAccounts) continue;
    const resolved = random(3) === 0 ? 4 << random(2) : 0;
    words[at + 29] = 1 | ((resolved === 0 ? random(2) * 2 : resolved) << 16);
    words.set([1 + (op % 5), 0, 0, 0, op], at + 20);
    if (isImported) {
      const time = timestampOf(op - 1) - BigInt(ACCOUNTS - 6 * i - random(6));
      words[at + 29]! |= TransferFlag.imported << 16;
      words.set(new Uint32Array(BigUint64Array.of(time).buffer), at + 30);
    }
    if (resolved !== 0) words[at + 16] = (1 + random(op)) * 100 + 1 + random(EVENTS_MAX);
    else {
      words.set([101 + random(ACCOUNTS), 0, 0, 0, 101 + random(ACCOUNTS)], at + 4);
      words.set([1 + random(9), 0, random(5) === 0 ? 1 : 0], at + 12);
      if (words[at + 29]! >>> 16 === TransferFlag.pending) words[at + 27] = random(9);
    }
  }
  const operation = isAccounts
    ? Operation.createAccountsUnbatched
    : Operation.createTransfersUnbatched;
  return [operation, timestamp, new Uint8Array(words.buffer)];
}
