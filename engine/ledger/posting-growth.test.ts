/**
 * Tests that the memory limit holds whatever posting lists move: the maximum that a batch may take is known before it is
 * executed.
 */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Operation } from '../wire/operations.ts';
import { encodeMultiBatch } from '../wire/multi-batch.ts';
import { Memory } from './memory.ts';
import { PostingLists } from './posting-lists.ts';
import { StateMachine } from './state-machine.ts';

const MIB = 2 ** 20;

test('1,000 lists of 2,048 postings that all move in one batch were counted before, and little more than that', () => {
  const memory = new Memory();
  const lists = new PostingLists(memory);
  const headers = new Uint32Array(2 * 1000);
  const round = (): void => {
    for (let at = 0; at < headers.length; at += 2) lists.append(headers, at, at);
  };
  for (let at = 0; at < headers.length; at += 2) {
    for (let i = 0; i < 2048; i += 1) lists.append(headers, at, i);
  }
  const counted = lists.growthBytes(1000);
  const before = memory.usedBytes;
  round();
  expect(memory.usedBytes - before).toBeGreaterThan(14 * MIB);
  expect(counted).toBeGreaterThanOrEqual(memory.usedBytes - before);
  expect(counted).toBeLessThan(18 * MIB);
  // Now each list has room: the same batch again takes nothing, and almost nothing is counted.
  expect(lists.growthBytes(1000)).toBeLessThanOrEqual(2 * MIB);
});

test('lists that wait one posting before their move are counted for a batch that fills and moves them', () => {
  const memory = new Memory();
  const lists = new PostingLists(memory);
  const headers = new Uint32Array(2 * 500);
  const round = (): void => {
    for (let at = 0; at < headers.length; at += 2) lists.append(headers, at, at);
  };
  for (let at = 0; at < headers.length; at += 2) {
    for (let i = 0; i < 2047; i += 1) lists.append(headers, at, i);
  }
  const counted = lists.growthBytes(1000);
  const before = memory.usedBytes;
  round();
  round();
  expect(memory.usedBytes - before).toBeGreaterThan(6 * MIB);
  expect(counted).toBeGreaterThanOrEqual(memory.usedBytes - before);
});

test('for any appended events, no batch takes more room than was counted', () => {
  const growth = fc.record({
    lists: fc.integer({ min: 1, max: 1000 }),
    /** Number of postings that each list gets, one list after another or in rotation. */
    length: fc.oneof(
      fc.integer({ min: 1, max: 70 }),
      fc.constantFrom(127, 128, 129, 511, 512, 1023, 1024, 2048, 4095, 4096, 4097, 8192),
    ),
  });
  fc.assert(
    fc.property(fc.array(growth, { minLength: 1, maxLength: 5 }), (growths) => {
      const memory = new Memory();
      const lists = new PostingLists(memory);
      const headers = new Uint32Array(2 * 1000);
      for (const { lists: count, length } of growths) {
        const postings = Math.min(count * length, 20_000);
        const counted = lists.growthBytes(postings);
        const before = memory.usedBytes;
        for (let i = 0; i < postings; i += 1) lists.append(headers, (i % count) * 2, i);
        expect(memory.usedBytes - before).toBeLessThanOrEqual(counted);
      }
    }),
    { numRuns: 40 },
  );
});

test('a batch whose lists all move is refused where the limit leaves no room for that', () => {
  const perBatch = 1000;
  const rounds = 32;
  const batch = (round: number): Uint8Array => {
    const words = new Uint32Array(perBatch * 32);
    for (let i = 0; i < perBatch; i += 1) {
      const at = i * 32;
      words[at] = 1 + round * perBatch + i;
      words[at + 4] = 1 + 2 * i;
      words[at + 8] = 2 + 2 * i;
      words[at + 12] = 1;
      // Five separate lists: both accounts and each field of user data.
      words.set([i + 1, 0, 0, 0, i + 1, 0, i + 1], at + 20);
      words[at + 28] = 1;
      words[at + 29] = 1;
    }
    return encodeMultiBatch([new Uint8Array(words.buffer)], 128);
  };
  const fill = (machine: StateMachine): void => {
    const accounts = new Uint32Array(2 * perBatch * 32);
    for (let i = 0; i < 2 * perBatch; i += 1) {
      accounts[i * 32] = i + 1;
      accounts[i * 32 + 28] = 1;
      accounts[i * 32 + 29] = 1;
    }
    machine.commit(
      Operation.createAccounts,
      1_000_000n,
      encodeMultiBatch([new Uint8Array(accounts.buffer)], 128),
    );
    for (let round = 0; round < rounds; round += 1) commit(machine, round);
  };
  const commit = (machine: StateMachine, round: number): void => {
    machine.commit(Operation.createTransfers, 2_000_000n + BigInt(round) * 10_000n, batch(round));
  };

  const measured = new StateMachine({ memoryLimitBytes: 2 ** 40 });
  fill(measured);
  const before = measured.memory().usedBytes;
  commit(measured, rounds);
  const after = measured.memory().usedBytes;
  expect(measured.counts().transfers).toBe((rounds + 1) * perBatch);

  const tight = new StateMachine({ memoryLimitBytes: after - 1 });
  fill(tight);
  expect(tight.memory().usedBytes).toBe(before);
  expect(tight.admits(Operation.createTransfers, batch(rounds))).toBe(false);
  const roomy = new StateMachine({ memoryLimitBytes: after + 12 * MIB });
  fill(roomy);
  expect(roomy.admits(Operation.createTransfers, batch(rounds))).toBe(true);
});
