/**
 * The state machine alone: time a batch of 8,189 events by what they are and how many transfers exist, time of pages and
 * look-ups, bytes a record, time to load a checkpoint. Results as JSON lines.
 *
 *   node bench/engine/ledger.ts [transfers=1000000]
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { StateMachine } from '../../engine/ledger/state-machine.ts';

const EVENTS = 8189;
const ACCOUNTS = 10_000;
const { positionals } = parseArgs({ allowPositionals: true });
const transfersMax = Number(positionals[0] ?? 1_000_000);

let seed = 1;
function random(): number {
  seed = Math.imul(seed, 1664525) + 1013904223;
  const x = Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d);
  return (x ^ (x >>> 12)) >>> 0;
}

/** A request's words with room for `count` events and one trailer. */
function request(count: number, eventBytes: number): { words: Uint32Array; bytes: Uint8Array } {
  const bytes = new Uint8Array(count * eventBytes + eventBytes);
  bytes.fill(0xff, count * eventBytes);
  const view = new DataView(bytes.buffer);
  view.setUint16(bytes.length - 2, 1, true);
  view.setUint16(bytes.length - 4, count, true);
  return { words: new Uint32Array(bytes.buffer), bytes };
}

let timestamp = 1_700_000_000_000_000_000n;
let milliseconds = 0;

function commit(machine: StateMachine, operation: number, body: Uint8Array): Uint8Array {
  timestamp += 1n + BigInt(machine.timestampDelta(operation, body));
  const start = performance.now();
  const reply = machine.commit(operation, timestamp, body);
  milliseconds = performance.now() - start;
  return reply;
}

function read(machine: StateMachine, operation: number, body: Uint8Array): Uint8Array {
  const start = performance.now();
  const reply = machine.read(operation, body);
  milliseconds = performance.now() - start;
  return reply;
}

function median(samples: number[]): number {
  return samples.toSorted((a, b) => a - b)[samples.length >> 1] ?? Number.NaN;
}

function percentile(samples: number[], p: number): number {
  return samples.toSorted((a, b) => a - b)[Math.floor(samples.length * p)] ?? Number.NaN;
}

function report(name: string, fields: Record<string, number>): void {
  const rounded = Object.entries(fields).map(([key, value]) => [
    key,
    Math.round(value * 100) / 100,
  ]);
  console.log(JSON.stringify({ name, ...Object.fromEntries(rounded) }));
}

function createAccounts(machine: StateMachine, count: number, userData: boolean): void {
  for (let first = 0; first < count; first += EVENTS) {
    const events = Math.min(EVENTS, count - first);
    const { words, bytes } = request(events, 128);
    for (let i = 0; i < events; i += 1) {
      words[i * 32] = first + i + 1;
      if (userData)
        words.set(
          [random(), random(), random(), random(), random(), random(), random()],
          i * 32 + 20,
        );
      words[i * 32 + 28] = 1;
      words[i * 32 + 29] = 1 | (8 << 16);
    }
    commit(machine, 146, bytes);
  }
}

interface Shape {
  readonly ids: 'random' | 'time';
  readonly userData: boolean;
  readonly flags: number;
  readonly hot: boolean;
}

let sequence = 0;
const PLAIN: Shape = { ids: 'random', userData: false, flags: 0, hot: false };

function fill(words: Uint32Array, count: number, accounts: number, shape: Shape): void {
  for (let i = 0; i < count; i += 1) {
    const at = i * 32;
    sequence += 1;
    words[at] = shape.ids === 'random' ? random() : sequence;
    words[at + 1] = shape.ids === 'random' ? random() : 7;
    words[at + 2] = shape.ids === 'random' ? sequence : 0x1234;
    words[at + 3] = shape.ids === 'random' ? random() : Math.floor(sequence / 1000);
    const debit = shape.hot ? 0 : random() % accounts;
    words[at + 4] = debit + 1;
    words[at + 8] = ((debit + 1 + (random() % (accounts - 1))) % accounts) + 1;
    words[at + 12] = 1 + (random() % 1000);
    if (shape.userData) {
      words.set([random(), random(), random(), random(), random(), random(), random()], at + 20);
    }
    words[at + 27] = (shape.flags & 2) === 0 ? 0 : 3600;
    words[at + 28] = 1;
    // The last event of a batch ends its chain.
    const flags = i === count - 1 ? shape.flags & ~1 : shape.flags;
    words[at + 29] = 1 | (flags << 16);
  }
}

function benchmarkCreate(machine: StateMachine, name: string, batches: number, shape: Shape): void {
  const samples: number[] = [];
  const { words, bytes } = request(EVENTS, 128);
  for (let batch = 0; batch < batches; batch += 1) {
    fill(words, EVENTS, ACCOUNTS, shape);
    const reply = commit(machine, 147, bytes);
    const status = new Int32Array(reply.buffer)[2];
    if (status !== -1) throw new Error(`a transfer was not created: status ${status}`);
    samples.push(milliseconds);
  }
  report(name, {
    transfers: machine.counts().transfers,
    medianMs: median(samples),
    p99Ms: percentile(samples, 0.99),
    maxMs: Math.max(...samples),
  });
}

function benchmarkTwoPhase(machine: StateMachine, batches: number): void {
  const samples: number[] = [];
  const { words, bytes } = request(EVENTS, 128);
  for (let batch = 0; batch < batches; batch += 1) {
    fill(words, EVENTS, ACCOUNTS, { ...PLAIN, flags: 2 });
    commit(machine, 147, bytes);
    const ids = words.slice();
    words.fill(0, 0, EVENTS * 32);
    for (let i = 0; i < EVENTS; i += 1) {
      words.set(ids.subarray(i * 32, i * 32 + 4), i * 32 + 16);
      words.set([random(), random(), (sequence += 1), random()], i * 32);
      words.fill(0xffff_ffff, i * 32 + 12, i * 32 + 16);
      words[i * 32 + 29] = 4 << 16;
    }
    commit(machine, 147, bytes);
    samples.push(milliseconds);
  }
  report('post pending', { medianMs: median(samples) });
}

function benchmarkReads(machine: StateMachine): void {
  const page = request(1, 64);
  page.words.set([0, 0, 0, 0, 0, 0, 0, 1], 0);
  page.words[14] = EVENTS;
  const filter = request(1, 128);
  filter.words[0] = 1;
  filter.words[30] = EVENTS;
  filter.words[31] = 3;
  const ids = request(EVENTS, 16);
  const some = machine.read(145, page.bytes);
  const rows = new Uint32Array(some.buffer, 0, Math.floor(some.length / 4));
  const hits = Math.min(EVENTS, rows.length / 32 - 1);
  for (let i = 0; i < EVENTS; i += 1) {
    const at = (random() % hits) * 32;
    ids.words.set(rows.subarray(at, at + 4), i * 4);
  }
  const accounts = request(EVENTS, 16);
  for (let i = 0; i < EVENTS; i += 1) accounts.words[i * 4] = (random() % ACCOUNTS) + 1;
  const both = request(1, 64);
  both.words.set(page.words.subarray(0, 16));
  both.words[8] = 1;
  both.words[15] = 1;
  const events = { bytes: new Uint8Array(64) };
  new Uint32Array(events.bytes.buffer)[4] = 2730;
  const reads: [string, number, Uint8Array][] = [
    ['query transfers by ledger', 145, page.bytes],
    ['query transfers by ledger and code, reversed', 145, both.bytes],
    ['account transfers (hot account)', 142, filter.bytes],
    ['account balances (hot account)', 143, filter.bytes],
    ['lookup 8189 transfers', 141, ids.bytes],
    ['lookup 8189 accounts', 140, accounts.bytes],
    ['change events', 137, events.bytes],
  ];
  for (const [name, operation, body] of reads) {
    const samples: number[] = [];
    let bytes = 0;
    for (let i = 0; i < 21; i += 1) {
      bytes = read(machine, operation, body).length;
      samples.push(milliseconds);
    }
    report(name, { medianMs: median(samples), maxMs: Math.max(...samples), replyBytes: bytes });
  }
}

/** Memory by what the tables say they allocated. */
function benchmarkMemory(): void {
  for (const userData of [false, true]) {
    const machine = new StateMachine({ memoryLimitBytes: 2 ** 40 });
    const empty = machine.memory().usedBytes;
    createAccounts(machine, 200_000, userData);
    const { usedBytes: withAccounts } = machine.memory();
    const { words, bytes } = request(EVENTS, 128);
    while (machine.counts().transfers < 1_000_000) {
      fill(words, EVENTS, ACCOUNTS, { ...PLAIN, userData });
      commit(machine, 147, bytes);
    }
    const transfers = machine.counts().transfers;
    report(userData ? 'memory, unique user data' : 'memory, no user data', {
      bytesPerAccount: (withAccounts - empty) / 200_000,
      bytesPerTransfer: (machine.memory().usedBytes - withAccounts) / transfers,
    });
  }
}

async function benchmarkLoad(machine: StateMachine): Promise<void> {
  const start = performance.now();
  const sections = machine.takeDelta(new Set());
  const taken = performance.now();
  const target = new StateMachine({ memoryLimitBytes: 2 ** 40 });
  for (const section of sections) {
    await target.loadSection(
      section,
      (async function* () {
        yield* section.chunks;
      })(),
    );
  }
  const loaded = performance.now();
  await target.finishLoad(() => nextTurn());
  const finished = performance.now();
  const isSame = target.stateHash().every((byte, i) => byte === machine.stateHash()[i]);
  if (!isSame) throw new Error('the loaded state has another hash');
  report('checkpoint', {
    transfers: machine.counts().transfers,
    takeDeltaMs: taken - start,
    loadSectionsMs: loaded - taken,
    finishLoadMs: finished - loaded,
  });
}

const machine = new StateMachine({ memoryLimitBytes: 2 ** 40 });
createAccounts(machine, ACCOUNTS, false);
benchmarkCreate(machine, 'plain, random ids, warm-up', 20, PLAIN);
benchmarkCreate(machine, 'hot account', 20, { ...PLAIN, hot: true });
benchmarkTwoPhase(machine, 10);
const batches = Math.ceil((transfersMax - machine.counts().transfers) / EVENTS);
benchmarkCreate(machine, 'plain, random ids', Math.max(20, batches), PLAIN);
benchmarkCreate(machine, 'plain, random ids, at size', 40, PLAIN);
benchmarkCreate(machine, 'plain, time-ordered ids', 40, { ...PLAIN, ids: 'time' });
benchmarkCreate(machine, 'random ids, unique user data', 40, { ...PLAIN, userData: true });
benchmarkCreate(machine, 'linked in one chain', 20, { ...PLAIN, flags: 1 });
benchmarkReads(machine);
await benchmarkLoad(machine);
if (positionals[1] === 'memory') benchmarkMemory();
