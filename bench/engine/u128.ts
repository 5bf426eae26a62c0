/**
 * How to hold balances of 128 bits: what one batch of 8,189 plain transfers costs in arithmetic alone (two accounts found by
 * number, a limit checked, both balances raised, the balances after the event kept). Decision 0011 came from here.
 *
 *   node bench/engine/u128.ts
 */
import { add128, compare128, copy128 } from '../../engine/ledger/words.ts';

const EVENTS = 8189;
const ACCOUNTS = 10_000;
const MASK = (1n << 64n) - 1n;

const debits = Uint32Array.from({ length: EVENTS }, (_, i) => (i * 7919) % ACCOUNTS);
const credits = Uint32Array.from({ length: EVENTS }, (_, i) => (i * 104_729 + 1) % ACCOUNTS);
const amounts = Uint32Array.from({ length: EVENTS }, (_, i) => 1 + (i % 1000));

/** How often the limit was exceeded; nobody is refused, so that all three do the same. */
let exceeded = 0;

/** u32 words: four to a balance, four balances to an account. */
function words(): () => void {
  const accounts = new Uint32Array(ACCOUNTS * 16);
  const rows = new Uint32Array(EVENTS * 32);
  const amount = new Uint32Array(4);
  const sum = new Uint32Array(4);
  return () => {
    for (let i = 0; i < EVENTS; i += 1) {
      const debit = debits[i]! * 16;
      const credit = credits[i]! * 16;
      amount[0] = amounts[i]!;
      copy128(sum, 0, accounts, debit);
      add128(sum, 0, accounts, debit + 4);
      add128(sum, 0, amount, 0);
      if (compare128(sum, 0, accounts, debit + 12) > 0) exceeded += 1;
      add128(accounts, debit + 4, amount, 0);
      add128(accounts, credit + 12, amount, 0);
      for (let k = 0; k < 16; k += 1) {
        rows[i * 32 + k] = accounts[debit + k]!;
        rows[i * 32 + 16 + k] = accounts[credit + k]!;
      }
    }
  };
}

/** BigUint64Array: two elements to a balance; every access makes a bigint. */
function pairs(): () => void {
  const accounts = new BigUint64Array(ACCOUNTS * 8);
  const rows = new BigUint64Array(EVENTS * 16);
  const read = (at: number): bigint => (accounts[at + 1]! << 64n) | accounts[at]!;
  const write = (at: number, value: bigint): void => {
    accounts[at] = value & MASK;
    accounts[at + 1] = value >> 64n;
  };
  return () => {
    for (let i = 0; i < EVENTS; i += 1) {
      const debit = debits[i]! * 8;
      const credit = credits[i]! * 8;
      const amount = BigInt(amounts[i]!);
      if (read(debit) + read(debit + 2) + amount > read(debit + 6)) exceeded += 1;
      write(debit + 2, read(debit + 2) + amount);
      write(credit + 6, read(credit + 6) + amount);
      for (let k = 0; k < 8; k += 1) {
        rows[i * 16 + k] = accounts[debit + k]!;
        rows[i * 16 + 8 + k] = accounts[credit + k]!;
      }
    }
  };
}

/** Objects with bigint fields. */
function objects(): () => void {
  const account = () => ({
    debitsPending: 0n,
    debitsPosted: 0n,
    creditsPending: 0n,
    creditsPosted: 0n,
  });
  const accounts = Array.from({ length: ACCOUNTS }, account);
  const rows: unknown[] = Array.from({ length: EVENTS }, () => undefined);
  return () => {
    for (let i = 0; i < EVENTS; i += 1) {
      const debit = accounts[debits[i]!]!;
      const credit = accounts[credits[i]!]!;
      const amount = BigInt(amounts[i]!);
      if (debit.debitsPending + debit.debitsPosted + amount > debit.creditsPosted) exceeded += 1;
      debit.debitsPosted += amount;
      credit.creditsPosted += amount;
      rows[i] = { debit: { ...debit }, credit: { ...credit } };
    }
  };
}

for (const [name, build] of Object.entries({ words, pairs, objects })) {
  const run = build();
  const samples: number[] = [];
  for (let i = 0; i < 200; i += 1) {
    const start = performance.now();
    run();
    samples.push(performance.now() - start);
  }
  const sorted = samples.slice(50).toSorted((a, b) => a - b);
  const at = (p: number): number =>
    Math.round(sorted[Math.floor(sorted.length * p)]! * 1000) / 1000;
  console.log(JSON.stringify({ name, medianMs: at(0.5), p99Ms: at(0.99), exceeded }));
}
