/** Reads that ask for far more than they find. */
import { expect, test } from '@jest/globals';
import { encodeMultiBatch } from '../wire/multi-batch.ts';
import { Operation } from '../wire/operations.ts';
import { StateMachine } from './state-machine.ts';

const BATCH = 8000;

/** A ledger with two frequent fields that never occur together, in accounts and in transfers. */
class Crossed {
  readonly ledger = new StateMachine({
    memoryLimitBytes: 2 ** 30,
    // Small chunks: to scan a part of one costs little beside the walk.
    indexSizes: { sealRows: 64_000, chunkRows: 1000, pageBytes: 4096 },
  });
  #timestamp = 1_000_000_000n;
  #accounts = 0;

  constructor(transfers = 0) {
    this.addAccounts(2);
    for (let first = 0; first < transfers; first += BATCH) {
      const events = crossedEvents(first, BATCH);
      for (let at = 0; at < events.length; at += 32)
        events.set([1, 0, 0, 0, 2, 0, 0, 0, 1], at + 4);
      this.#commit(Operation.createTransfers, events);
    }
  }

  addAccounts(count: number): void {
    this.#commit(Operation.createAccounts, crossedEvents(this.#accounts, count));
    this.#accounts += count;
  }

  #commit(operation: number, words: Uint32Array): void {
    const body = encodeMultiBatch([new Uint8Array(words.buffer)], 128);
    this.#timestamp += BigInt(this.ledger.timestampDelta(operation, body)) + 1n;
    this.ledger.commit(operation, this.#timestamp, body);
  }
}

/** Events with ids after `first`; every other one has code 1 and user_data_32 7, the rest code 2 and user_data_32 8. */
function crossedEvents(first: number, count: number): Uint32Array {
  const words = new Uint32Array(count * 32);
  for (let i = 0; i < count; i += 1) {
    const odd = i % 2;
    words[i * 32] = 1 + first + i;
    words.set([8 - odd, 0, 1, 2 - odd], i * 32 + 26);
  }
  return words;
}

const REVERSED = 1;

/** Filters for one record with user_data_32 8 and a code: 1 finds none, 2 finds every other record. */
function filtersOf(count: number, code: number, flags = 0): Uint8Array {
  const words = new Uint32Array(16);
  words.set([8, 0, code], 6);
  words.set([1, flags], 14);
  const filter = new Uint8Array(words.buffer);
  return encodeMultiBatch(
    Array.from({ length: count }, () => filter),
    64,
  );
}

function stepsOf({ ledger }: Crossed, filters: number, units: number): number {
  const read = ledger.beginRead(Operation.queryTransfers, filtersOf(filters, 1));
  let steps = 1;
  while (!read.step(units)) steps += 1;
  read.finish();
  return steps;
}

test('the work of one step does not grow with the filters of a request or the length of lists: the steps become more', () => {
  const [small, large] = [new Crossed(2 * BATCH), new Crossed(4 * BATCH)];
  // The first read sorts the columns.
  for (const crossed of [small, large]) stepsOf(crossed, 1, 1000);
  const steps = stepsOf(small, 10, 1000);
  // Each filter walks through two lists of 8,000 transfers that take turns.
  expect(steps).toBeGreaterThan(10 * 8);
  const isAbout = (count: number, expected: number): void => {
    expect(count).toBeGreaterThan(expected * 0.9);
    expect(count).toBeLessThan(expected * 1.1);
  };
  isAbout(stepsOf(small, 20, 1000), 2 * steps);
  isAbout(stepsOf(large, 10, 1000), 2 * steps);
  isAbout(stepsOf(small, 10, 500), 2 * steps);
});

/** Number of filters so large that a pass over a single new account takes more than one step. */
const FILTERS = 200;
const UNITS = 1000;

test('a read of accounts ends although one is created in every pause, and sees the last of them', () => {
  const crossed = new Crossed();
  const { ledger } = crossed;
  const read = ledger.beginRead(Operation.queryAccounts, filtersOf(FILTERS, 2, REVERSED));
  let steps = 1;
  while (!read.step(UNITS)) {
    crossed.addAccounts(1);
    steps += 1;
    expect(steps).toBeLessThan(10_000);
  }
  expect(steps).toBeGreaterThan(100);
  const ids = new Uint32Array(read.finish().slice(0, 16).buffer);
  // Every other account matches.
  expect(ids[0]).toBeGreaterThanOrEqual(steps);
});

test('no step of a read of accounts is long, whenever thousands of accounts are created in its pauses', () => {
  const flood = 1000;
  // Each pass takes about 35 steps, so some of these floods come in the fourth one.
  for (let floodAt = 15; floodAt < 200; floodAt += 25) {
    const crossed = new Crossed();
    const read = crossed.ledger.beginRead(Operation.queryAccounts, filtersOf(FILTERS, 1));
    let steps = 1;
    for (; steps < floodAt && !read.step(UNITS); steps += 1) crossed.addAccounts(1);
    if (steps < floodAt) {
      expect(steps).toBeGreaterThan(4 * 25);
      break;
    }
    crossed.addAccounts(flood);
    let after = 1;
    while (!read.step(UNITS)) after += 1;
    expect(after).toBeGreaterThan((FILTERS * flood) / UNITS / 2);
    read.finish();
  }
});
