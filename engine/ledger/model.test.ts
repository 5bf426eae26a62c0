/** Random workloads on the engine and on the reference ledger: every reply must be the same, byte for byte. */
import { expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { SegmentMerge } from './segments/segment-merge.ts';
import { Simulation } from '../../test/support/engine/ledger/simulation.ts';

test('the engine answers as the reference ledger does, byte for byte', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const simulation = new Simulation(seed);
      for (let step = 0; step < 60; step += 1) simulation.step();
    }),
    { numRuns: 60 },
  );
});

test('a long history answers as the reference ledger does', () => {
  const simulation = new Simulation(42);
  for (let step = 0; step < 1500; step += 1) simulation.step();
  expect(simulation.statusesSeen).toBeGreaterThan(60);
});

test('a ledger whose ids rise answers as the reference ledger does, in memory and from the volume, and has the same hash', async () => {
  for (const isCold of [false, true]) {
    for (const seed of [7, 8, 9, 10]) {
      const simulation = new Simulation(seed, { isCold, idsRise: true });
      for (let step = 0; step < 300; step += 1) {
        simulation.step();
        if (step % 31 === 30 || step % 100 === 99) simulation.checkpoint();
        if (step % 100 === 99) await simulation.restart(seed);
      }
      expect(simulation.replay()).toEqual(simulation.machine.stateHash());
    }
  }
});

test('balances conserve: debits equal credits, pending and posted', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const simulation = new Simulation(seed);
      for (let step = 0; step < 60; step += 1) simulation.step();
      const [debitsPending, debitsPosted, creditsPending, creditsPosted] = simulation.totals();
      expect(debitsPending).toBe(creditsPending);
      expect(debitsPosted).toBe(creditsPosted);
    }),
    { numRuns: 20 },
  );
});

test('a broken chain leaves nothing behind but burned ids', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const simulation = new Simulation(seed, { idsRise: seed % 2 === 0 });
      for (let step = 0; step < 60; step += 1) simulation.step();
      for (let chain = 0; chain < 5; chain += 1) {
        const { before, after } = simulation.breakChain();
        expect(after).toEqual(before);
      }
      // Later operations must find correct ids and lists.
      for (let step = 0; step < 20; step += 1) simulation.step();
    }),
    { numRuns: 25 },
  );
});

test('equal histories have equal state hashes, histories that differ in one amount do not', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const first = new Simulation(seed);
      for (let step = 0; step < 40; step += 1) first.step();
      expect(first.replay()).toEqual(first.machine.stateHash());
      const changed = first.replayWithChange();
      if (changed !== undefined) expect(changed).not.toEqual(first.machine.stateHash());
    }),
    { numRuns: 20 },
  );
});

test('a checkpoint taken at any points, loaded in pieces of any size, gives the same hash and the same answers', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.integer({ min: 1, max: 5000 }), async (seed, pieceBytes) => {
      const simulation = new Simulation(seed);
      for (let step = 0; step < 60; step += 1) {
        simulation.step();
        if (step % 7 === seed % 7) simulation.checkpoint();
      }
      simulation.checkpoint();
      const hash = simulation.machine.stateHash();
      const counts = simulation.machine.counts();
      await simulation.restart(pieceBytes);
      expect(simulation.machine.stateHash()).toEqual(hash);
      expect(simulation.machine.counts()).toEqual(counts);
      // The restarted machine continues against the same reference.
      for (let step = 0; step < 30; step += 1) simulation.step();
    }),
    { numRuns: 25 },
  );
});

test('a ledger whose rows and index have left memory answers as the reference ledger does, with a cache of three pages, on a volume that is full at times', async () => {
  for (const seed of [1000, 4000]) {
    const simulation = new Simulation(seed, { isCold: true });
    for (let step = 0; step < 1500; step += 1) {
      simulation.step();
      if (step % 31 === 30 || step % 500 === 499) simulation.checkpoint();
      if (step % 500 === 499) await simulation.restart(seed);
    }
    expect(simulation.pagesRead).toBeGreaterThan(100);
    expect(simulation.indexPagesRead).toBeGreaterThan(100);
    expect(simulation.accountPagesRead).toBeGreaterThan(100);
    // A machine that keeps all rows in memory has the same hash after the same history.
    expect(simulation.replay()).toEqual(simulation.machine.stateHash());
  }
});

test('a ledger whose index is merged from the volume to the volume while it goes on answers as the reference ledger does', async () => {
  const written = jest.spyOn(SegmentMerge.prototype, 'stored');
  const ended = jest.spyOn(SegmentMerge.prototype, 'end');
  for (const seed of [6, 14]) {
    const simulation = new Simulation(seed, { isCold: true, hasRoom: true });
    for (let step = 0; step < 600; step += 1) {
      simulation.step();
      if (step % 8 === 7) simulation.checkpoint();
    }
    expect(simulation.replay()).toEqual(simulation.machine.stateHash());
    await simulation.restart(seed);
    for (let step = 0; step < 60; step += 1) simulation.step();
  }
  expect(written.mock.calls.filter(([pages]) => pages > 0).length).toBeGreaterThan(50);
  expect(ended.mock.calls.length).toBeGreaterThan(0);
  written.mockRestore();
  ended.mockRestore();
});

test('operations with hundreds of ids, many of them with equal hashes, are answered as the reference ledger does, in memory and when everything has left it', async () => {
  for (const isCold of [false, true]) {
    for (const seed of [1001, 4003, 77_002]) {
      const simulation = new Simulation(seed, { isCold, bulk: 256, isHashWeak: true });
      for (let step = 0; step < 240; step += 1) {
        simulation.step();
        if (step % 31 === 30 || step % 80 === 79) simulation.checkpoint();
        if (step % 80 === 79) await simulation.restart(seed);
      }
      expect(simulation.eventsMax).toBeGreaterThan(400);
      // Another key, and a machine that keeps all in memory.
      expect(simulation.replay()).toEqual(simulation.machine.stateHash());
    }
  }
});

test('a small ledger whose hashes are often equal answers as the reference ledger does', async () => {
  for (const seed of [5, 6, 7]) {
    const simulation = new Simulation(seed, {
      isCold: seed !== 5,
      idsRise: seed === 7,
      isHashWeak: true,
    });
    for (let step = 0; step < 240; step += 1) {
      simulation.step();
      if (step % 31 === 30 || step % 80 === 79) simulation.checkpoint();
      if (step % 80 === 79) await simulation.restart(seed);
    }
    expect(simulation.replay()).toEqual(simulation.machine.stateHash());
  }
});

test('a start that has sealed less of the index of accounts than the ledger had takes its start point nevertheless', async () => {
  for (const seed of [1_726_342, 1_781_775]) {
    const simulation = new Simulation(seed, { isCold: true });
    for (let step = 0; step < 700; step += 1) {
      simulation.step();
      if (step % 31 === 30 || step % 350 === 349) simulation.checkpoint();
      // A start point that did not fit would be told as damage.
      if (step % 350 === 349) await simulation.restart(Math.round(seed / 7919));
    }
    expect(simulation.replay()).toEqual(simulation.machine.stateHash());
  }
});
