/** Segments in checkpoints: what is loaded again, what is dropped, what is made anew. */
import { expect, test } from '@jest/globals';
import {
  INDEX_TABLE,
  isDerived,
  type Section,
  type SectionHead,
  SectionKind,
} from '../checkpoint.ts';
import { StateMachine } from '../state-machine.ts';
import type { IndexSizes } from '../row-index.ts';
import { Operation } from '../../wire/operations.ts';

const SIZES = { sealRows: 16, chunkRows: 4, pageBytes: 96 };
const LIMIT = 2 ** 30;

interface Stored {
  readonly head: SectionHead;
  readonly bytes: Uint8Array;
}

let damages = 0;

const newMachine = (low = 7, sizes: IndexSizes = SIZES): StateMachine =>
  new StateMachine({
    memoryLimitBytes: LIMIT,
    indexSizes: sizes,
    hashKey: { low, high: 9 },
    onIndexDamage: () => void (damages += 1),
  });

/** Events with ids from `first` on, as words of 128 bytes each. */
function events(first: number, count: number): Uint32Array {
  const words = new Uint32Array(count * 32);
  for (let i = 0; i < count; i += 1) {
    words[i * 32] = first + i;
    words[i * 32 + 28] = 1;
    words[i * 32 + 29] = 1;
  }
  return words;
}

class World {
  machine: StateMachine;
  /** Sections of the checkpoint, by table, in order. */
  sections: Stored[] = [];
  #timestamp = 1000n;
  #transfers = 0;

  constructor(machine = newMachine()) {
    this.machine = machine;
    this.#commit(Operation.createAccountsUnbatched, events(1, 2));
  }

  /** Another one with the same checkpoint. Only its `restart` gives it the ledger. */
  copy(): World {
    const copy = new World();
    copy.sections = [...this.sections];
    return copy;
  }

  add(count: number): void {
    const words = events(this.#transfers + 100, count);
    for (let at = 0; at < words.length; at += 32) {
      words.set([1, 0, 0, 0, 2, 0, 0, 0, 1], at + 4);
      words.set([1 + (words[at]! % 5), 0, 0, 0, words[at]!], at + 20);
    }
    this.#transfers += count;
    this.#commit(Operation.createTransfersUnbatched, words);
  }

  /** Takes a checkpoint. Returns the tables of the index that it wrote, and those that it dropped. */
  checkpoint(): { readonly written: number[]; readonly dropped: number[] } {
    const delta = this.machine.takeDelta(new Set());
    for (const section of delta) this.#store(section);
    const index = delta.filter(({ table }) => table > INDEX_TABLE && isDerived(table));
    const tables = (has: (rows: number) => boolean): number[] => [
      ...new Set(index.filter(({ rowCount }) => has(rowCount)).map(({ table }) => table)),
    ];
    return { written: tables((rows) => rows > 0), dropped: tables((rows) => rows === 0) };
  }

  /** Loads the checkpoint into another machine. */
  async restart(machine = newMachine(3)): Promise<void> {
    for (const { head, bytes } of this.sections) await machine.loadSection(head, pulled(bytes));
    await machine.finishLoad(async () => undefined);
    this.machine = machine;
  }

  /** Answers of queries and look-ups of everything. */
  answers(): unknown {
    const ids = new Uint32Array(400);
    for (let i = 0; i < 100; i += 1) ids[i * 4] = 90 + i;
    const queries = [1, 2, 6].map((value) => {
      const filter = new Uint32Array(16);
      filter.set([value, 0, 0, 0], 0);
      filter.set([8000, value % 2], 14);
      return this.machine.read(Operation.queryTransfersUnbatched, new Uint8Array(filter.buffer));
    });
    const found = this.machine.read(Operation.lookupTransfersUnbatched, new Uint8Array(ids.buffer));
    return [found, ...queries, this.machine.stateHash(), this.machine.counts()].map((answer) =>
      answer instanceof Uint8Array ? Buffer.from(answer).toString('hex') : answer,
    );
  }

  #store({ chunks, ...head }: Section): void {
    if (head.kind === SectionKind.replace)
      this.sections = this.sections.filter((stored) => stored.head.table !== head.table);
    const bytes = Buffer.concat(Array.from(chunks, (chunk) => chunk.slice()));
    expect(bytes.length).toBe(head.rowSize * head.rowCount);
    if (head.rowCount > 0) this.sections.push({ head, bytes });
  }

  #commit(operation: number, words: Uint32Array): void {
    this.#timestamp += 1000n;
    this.machine.commit(operation, this.#timestamp, new Uint8Array(words.buffer));
  }
}

async function* pulled(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 4096) yield bytes.subarray(at, at + 4096);
}

test('a checkpoint writes each segment once, and drops those that were merged', () => {
  const world = new World();
  world.add(40);
  expect(world.checkpoint()).toEqual({ written: [65_536, 65_537], dropped: [] });
  world.add(5);
  expect(world.checkpoint()).toEqual({ written: [], dropped: [] });
  // The fourth segment makes one of four; the third and fourth were never written.
  while (world.machine.index().segments !== 1) world.add(1);
  expect(world.checkpoint()).toEqual({ written: [65_538], dropped: [65_536, 65_537] });
});

test('a start takes the segments as they are, with the key of their hashes, and goes on', async () => {
  const world = new World();
  world.add(70);
  world.checkpoint();
  const expected = world.answers();
  const { segments } = world.machine.index();
  expect(segments).toBeGreaterThan(0);
  await world.restart();
  expect(world.machine.index().segments).toBe(segments);
  expect(world.answers()).toEqual(expected);
  expect(world.checkpoint()).toEqual({ written: [], dropped: [] });
  const other = new World();
  other.add(70);
  for (const one of [world, other]) for (let i = 0; i < 20; i += 1) one.add(7);
  expect(world.answers()).toEqual(other.answers());
});

test('a segment too large for one checkpoint is written by several, and a start uses those merged into it until then', async () => {
  const sizes = { ...SIZES, deltaBytesMax: 500 };
  const world = new World(newMachine(7, sizes));
  const checkpoints: (readonly number[])[] = [];
  /** Takes checkpoints, each followed by a start from it, until one writes nothing. */
  const settle = async (): Promise<void> => {
    for (let written; (written = world.checkpoint().written).length > 0;) {
      checkpoints.push(written);
      const copy = world.copy();
      await copy.restart(newMachine(3, sizes));
      expect(copy.answers()).toEqual(world.answers());
    }
  };
  world.add(63);
  await settle();
  // Each of the segments of 16 rows took several.
  expect(checkpoints.length).toBeGreaterThan(5);
  const whole = world.copy();
  await whole.restart(newMachine(3, sizes));
  expect(whole.machine.index().segments).toBe(3);
  while (world.machine.index().segments !== 1) world.add(1);
  // The merged segment is not whole yet: the ones that were merged into it stay.
  expect(world.checkpoint().dropped).toEqual([]);
  await settle();
  await world.restart(newMachine(3, sizes));
  expect(world.machine.index().segments).toBe(1);
  expect(damages).toBe(0);
});

test('a segment that is merged before it was written as a whole leaves nothing behind', async () => {
  const sizes = { ...SIZES, deltaBytesMax: 300 };
  const world = new World(newMachine(7, sizes));
  for (let i = 0; i < 60; i += 1) {
    world.add(9);
    world.checkpoint();
  }
  for (let i = 0; i < 200; i += 1) world.checkpoint();
  const segments = world.machine.index().segments;
  const tables = new Set(world.sections.map(({ head }) => head.table));
  expect([...tables].filter((table) => table > INDEX_TABLE && isDerived(table))).toHaveLength(
    segments,
  );
  const expected = world.answers();
  await world.restart(newMachine(3, sizes));
  expect(world.machine.index().segments).toBe(segments);
  expect(world.answers()).toEqual(expected);
});

test('the rows of a checkpoint that a start must index anew are fewer than two generations, whatever is merged', async () => {
  const sizes = { sealRows: 512, chunkRows: 64, pageBytes: 4096, deltaBytesMax: 12 << 12 };
  const world = new World(newMachine(7, sizes));
  let merged = 0;
  for (let i = 0; i < 70; i += 1) {
    world.add(500);
    const { dropped } = world.checkpoint();
    world.machine.stored();
    merged += dropped.length;
    const copy = world.copy();
    const machine = newMachine(3, sizes);
    await copy.restart(machine);
    expect(machine.loaded().indexed).toBeLessThan(2 * 512);
  }
  // Of a size with more pages than a checkpoint writes.
  expect(merged).toBeGreaterThan(30);
  const expected = world.answers();
  await world.restart(newMachine(3, sizes));
  expect(world.answers()).toEqual(expected);
});

const changes: [string, number, (section: Stored) => Stored | undefined][] = [
  ['is not there', 0, () => undefined],
  ['is shorter than it says', 1, ({ head, bytes }) => ({ head, bytes: bytes.subarray(1) })],
  [
    'is longer than it says',
    1,
    ({ head, bytes }) => ({ head, bytes: Buffer.concat([bytes, bytes]) }),
  ],
  [
    'lacks its beginning',
    0,
    ({ head, bytes }) => ({ head: { ...head, kind: 1, firstRow: 1 }, bytes }),
  ],
];

test.each(changes)(
  'an index of which a part %s is made anew from the rows',
  async (_, told, change) => {
    const world = new World();
    world.add(70);
    world.checkpoint();
    const expected = world.answers();
    const tables = world.sections.map(({ head }) => head.table).filter(isDerived);
    expect(tables.length).toBeGreaterThan(1);
    for (const table of tables) {
      damages = 0;
      const copy = world.copy();
      copy.sections = copy.sections.flatMap(
        (section) => (section.head.table === table ? change(section) : section) ?? [],
      );
      await copy.restart();
      expect(copy.answers()).toEqual(expected);
      expect(damages).toBe(told);
      expect(copy.checkpoint().written.length).toBeGreaterThan(0);
      await copy.restart();
      expect(copy.answers()).toEqual(expected);
      expect(copy.checkpoint()).toEqual({ written: [], dropped: [] });
    }
  },
);

test('an index with other sizes of pages is made anew', async () => {
  const world = new World();
  world.add(70);
  world.checkpoint();
  const expected = world.answers();
  await world.restart(newMachine(3, { sealRows: 32, chunkRows: 8, pageBytes: 128 }));
  expect(world.answers()).toEqual(expected);
  expect(world.checkpoint().dropped.length).toBeGreaterThan(0);
});

test('a ledger whose key is public keeps no index in checkpoints', () => {
  const world = new World(new StateMachine({ memoryLimitBytes: LIMIT, indexSizes: SIZES }));
  world.add(70);
  world.checkpoint();
  expect(world.machine.index().segments).toBeGreaterThan(0);
  expect(world.sections.filter(({ head }) => isDerived(head.table))).toEqual([]);
});

/** Clears what releases before named pages have left zero. */
function withoutNames({ head, bytes }: Stored): Stored {
  const old = new Uint8Array(bytes);
  for (let at = 0; at + 4096 <= old.length; at += 4096) old.fill(0, at + 4032, at + 4096);
  return { head, bytes: old };
}

test('segments whose pages have no names, as older releases wrote them, are taken as they are and written anew', async () => {
  const sizes = { sealRows: 16, chunkRows: 4, pageBytes: 4096 };
  const world = new World(newMachine(7, sizes));
  world.add(40);
  world.checkpoint();
  const expected = world.answers();
  const tables = [65_536, 65_537];
  world.sections = world.sections.map((section) =>
    tables.includes(section.head.table) ? withoutNames(section) : section,
  );
  damages = 0;
  await world.restart(newMachine(3, sizes));
  expect(world.machine.index().segments).toBe(2);
  expect(world.checkpoint()).toEqual({ written: [65_538, 65_539], dropped: tables });
  expect(world.checkpoint()).toEqual({ written: [], dropped: [] });
  await world.restart(newMachine(3, sizes));
  expect(world.answers()).toEqual(expected);
  expect(world.checkpoint()).toEqual({ written: [], dropped: [] });
  expect(damages).toBe(0);
});
