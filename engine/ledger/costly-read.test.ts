/** Reads that ask for far more than they find. */
import { expect, test } from '@jest/globals';
import { encodeMultiBatch } from '../wire/multi-batch.ts';
import { Operation } from '../wire/operations.ts';
import { StateMachine } from './state-machine.ts';

const BATCH = 8000;

/** A ledger in which two fields are frequent and never occur together. */
function crossed(transfers: number): StateMachine {
  const ledger = new StateMachine({ memoryLimitBytes: 2 ** 30 });
  let timestamp = 1_000_000_000n;
  const commit = (operation: number, words: Uint32Array): void => {
    const body = encodeMultiBatch([new Uint8Array(words.buffer)], 128);
    timestamp += BigInt(ledger.timestampDelta(operation, body)) + 1n;
    ledger.commit(operation, timestamp, body);
  };
  const accounts = new Uint32Array(2 * 32);
  for (const i of [0, 1]) {
    accounts[i * 32] = i + 1;
    accounts.set([1, 1], i * 32 + 28);
  }
  commit(Operation.createAccounts, accounts);
  for (let first = 0; first < transfers; first += BATCH) {
    const words = new Uint32Array(BATCH * 32);
    for (let i = 0; i < BATCH; i += 1) {
      const odd = i % 2;
      words.set([1 + first + i, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1], i * 32);
      words.set([8 - odd, 0, 1, 2 - odd], i * 32 + 26);
    }
    commit(Operation.createTransfers, words);
  }
  return ledger;
}

function stepsOf(ledger: StateMachine, filters: number, units: number): number {
  const words = new Uint32Array(16);
  words.set([8, 0, 1], 6);
  words[14] = 1;
  const filter = new Uint8Array(words.buffer);
  const body = encodeMultiBatch(
    Array.from({ length: filters }, () => filter),
    64,
  );
  const read = ledger.beginRead(Operation.queryTransfers, body);
  let steps = 1;
  while (!read.step(units)) steps += 1;
  ledger.finishRead(read);
  return steps;
}

test('the work of one step does not grow with the filters of a request or the length of lists: the steps become more', () => {
  const [small, large] = [crossed(2 * BATCH), crossed(4 * BATCH)];
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
