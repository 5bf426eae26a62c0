import { expect, test } from '@jest/globals';
import type { Clock } from '../../base/clock.ts';
import type { Checkpointed, Section } from '../ledger/checkpoint.ts';
import type { Needs } from '../ledger/cold-rows.ts';
import { PAGE_BYTES, type PageName } from '../ledger/page.ts';
import type { IndexHelper } from '../ledger/row-index.ts';
import { StateMachine } from '../ledger/state-machine.ts';
import { Simulation } from '../log/replicated/testing/simulation.ts';
import type { CheckpointPosition, LogEntry, ReplicaLog } from '../log/log.ts';
import type { PageSource } from '../log/page-reader.ts';
import { buildRequest, EvictionReason, Header, ReplyHeader } from '../wire/header.ts';
import { batchSizeLimitDevelopment, batchSizeLimitProduction } from '../wire/limits.ts';
import { encodeMultiBatch } from '../wire/multi-batch.ts';
import { Operation } from '../wire/operations.ts';
import { engineRelease } from '../wire/release.ts';
import { Replica } from './replica.ts';
import type { ReplySink } from './served-replica.ts';
import type { Reply } from './sessions.ts';
import { accountsBody, postBody, transferBody, transfersBody } from './testing/records.ts';
import { replayedFrom } from './testing/replayed-from.ts';
import { OneRuleLedger, TwoRulesLedger } from './testing/other-releases.ts';

/** A log in memory that commits when the test says so, and records its entries. */
class HeldLog implements ReplicaLog {
  readonly identity = { clusterId: 0n, replicaIndex: 0, replicaCount: 1 };
  readonly entries: LogEntry[] = [];
  readonly #held: (() => void)[] = [];
  logBytesSinceCheckpoint = 0;
  checkpointAfterBytes = Infinity;
  logFull = false;
  logExhausted = false;
  logPulsesExhausted = false;

  async recover(
    _state: Checkpointed,
    replay: (entry: LogEntry) => void | Promise<void>,
  ): Promise<CheckpointPosition> {
    for (const entry of this.entries) await replay(entry);
    return { op: 0, timestamp: 0n, view: 0, stateHash: new Uint8Array(16) };
  }
  readonly pages: PageSource = {
    read: () => Promise.reject(new Error('all rows are in memory')),
  };
  append(entry: LogEntry, committed: () => void): void {
    this.entries.push(entry);
    this.#held.push(committed);
  }
  commitAll(): void {
    for (const committed of this.#held.splice(0)) committed();
  }
  readBarrier = async (): Promise<void> => undefined;
  async checkpoint(state: Checkpointed, position: CheckpointPosition): Promise<CheckpointPosition> {
    const sections: readonly Section[] = state.takeDelta(new Set());
    for (const { chunks } of sections) for (const chunk of chunks) expect(chunk).toBeDefined();
    await this.#checkpointEnds;
    return position;
  }
  #checkpointEnds: Promise<void> | undefined;
  endSlowCheckpoint = (): void => undefined;
  /** The next checkpoint takes until `endSlowCheckpoint`. */
  beginSlowCheckpoint(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#checkpointEnds = promise;
    this.endSlowCheckpoint = resolve;
  }
  storage = () => ({ usedBytes: 0, limitBytes: 1 });
  close = async (): Promise<void> => undefined;
}

const fail = (error: unknown): never => {
  throw error;
};

/** A manual client: builds requests and records the answers. */
class HandClient implements ReplySink {
  readonly id: bigint;
  readonly replies: ReplyHeader[] = [];
  readonly evictions: EvictionReason[] = [];
  /** Last view that it has heard of; it ignores evictions with an earlier one. */
  view = 0;
  session = 0n;
  number = 0;
  isOpen = true;

  constructor(id: bigint) {
    this.id = id;
  }
  send({ header }: Reply): void {
    const reply = new ReplyHeader(new Header(header));
    this.replies.push(reply);
    if (reply.operation === Operation.register) this.session = reply.commit;
  }
  evict(_client: bigint, reason: EvictionReason, view: number): void {
    if (view >= this.view) this.evictions.push(reason);
  }
  get lastContext(): Uint8Array {
    return this.replies.at(-1)?.context ?? new Uint8Array(16);
  }
  request(operation: number, body: Uint8Array, release = engineRelease): Uint8Array {
    const request = this.number;
    this.number += 1;
    return this.message({ operation, body, request, release, parent: this.lastContext });
  }
  message(options: {
    operation: number;
    body: Uint8Array;
    request: number;
    release?: number;
    parent?: Uint8Array;
  }): Uint8Array {
    const header = buildRequest(
      {
        cluster: 0n,
        view: this.view,
        release: options.release ?? engineRelease,
        client: this.id,
        session: this.session,
        request: options.request,
        operation: options.operation,
        parent: options.parent ?? new Uint8Array(16),
      },
      options.body,
    );
    const bytes = new Uint8Array(header.length + options.body.length);
    bytes.set(header);
    bytes.set(options.body, header.length);
    return bytes;
  }
}

function newReplica(
  log: HeldLog,
  batchSizeLimit = batchSizeLimitProduction,
  clock: Clock = { realtimeNs: () => 1_000_000_000n },
  ledger = new StateMachine({ memoryLimitBytes: 2 ** 28 }),
): Replica {
  return new Replica({
    log,
    ledger,
    clock,
    timers: { nowMs: () => Number(clock.realtimeNs() / 1_000_000n) },
    batchSizeLimit,
    onReadError: fail,
    onFatal: fail,
    onCheckpointError: fail,
  });
}

function registered(replica: Replica, log: HeldLog, id: bigint): HandClient {
  const client = new HandClient(id);
  replica.receive(client.request(Operation.register, new Uint8Array(256)), client);
  log.commitAll();
  expect(client.session).toBeGreaterThan(0n);
  return client;
}

const idsBody = (...ids: number[]): Uint8Array => {
  const bytes = new Uint8Array(ids.length * 16);
  ids.forEach((id, i) => (bytes[i * 16] = id));
  return encodeMultiBatch([bytes], 16);
};
const accountBody = (id: number): Uint8Array => {
  const bytes = new Uint8Array(128);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, id);
  view.setUint32(112, 1, true);
  view.setUint16(116, 1, true);
  return encodeMultiBatch([bytes], 128);
};
const settled = () => new Promise((resolve) => setImmediate(resolve));

async function newPair() {
  const log = new HeldLog();
  const replica = newReplica(log);
  await replica.recover();
  return { log, replica, client: registered(replica, log, 7n) };
}

test('a write is answered when it is committed, not before', async () => {
  const { log, replica, client } = await newPair();
  replica.receive(client.request(Operation.createAccounts, accountBody(1)), client);
  expect(client.replies).toHaveLength(1);
  log.commitAll();
  expect(client.replies).toHaveLength(2);
});

test('a read that may have seen an uncommitted write is answered after that is committed', async () => {
  const { log, replica, client: writer } = await newPair();
  const reader = registered(replica, log, 8n);
  replica.receive(writer.request(Operation.createAccounts, accountBody(1)), writer);
  replica.receive(reader.request(Operation.lookupAccounts, idsBody(1)), reader);
  await settled();
  expect(reader.replies).toHaveLength(1);
  log.commitAll();
  // The body is one account and the trailer, each 128 bytes.
  expect(reader.replies.at(-1)?.header.size).toBe(256 + 128 + 128);
});

test('the newest of the reads that a client sends without waiting is executed, and one answer is held', async () => {
  const { log, replica, client: writer } = await newPair();
  const reader = registered(replica, log, 8n);
  replica.receive(writer.request(Operation.createAccounts, accountBody(1)), writer);
  for (let turn = 0; turn < 3; turn += 1) {
    for (let i = 0; i < 50; i += 1) {
      replica.receive(reader.request(Operation.lookupAccounts, idsBody(1)), reader);
    }
    await settled();
  }
  log.commitAll();
  expect(reader.replies.map(({ request }) => request)).toEqual([0, 150]);
});

test('a repeated write is answered from the session, and logged once', async () => {
  const { log, replica, client } = await newPair();
  const message = client.request(Operation.createAccounts, accountBody(1));
  replica.receive(message, client);
  replica.receive(message, client);
  log.commitAll();
  replica.receive(message, client);
  expect(log.entries).toHaveLength(2);
  const [, ...answers] = client.replies;
  expect(answers).toHaveLength(3);
  expect(new Set(answers.map(({ context }) => Buffer.from(context).toString('hex'))).size).toBe(1);
});

/** A log whose checkpoints give the pages of rows, which come when the test says so. */
class PagedLog extends HeldLog {
  readonly #stored = new Map<string, Uint32Array>();
  #come: (() => void)[] = [];
  override async checkpoint(
    state: Checkpointed,
    position: CheckpointPosition,
  ): Promise<CheckpointPosition> {
    for (const { table, rowSize, firstRow, chunks } of state.takeDelta(new Set())) {
      const bytes = new Uint8Array(Buffer.concat(Array.from(chunks, (chunk) => chunk.slice())));
      const pages = rowSize === PAGE_BYTES ? bytes.length / PAGE_BYTES : 0;
      for (let i = 0; i < pages; i += 1) {
        const page = bytes.slice(i * PAGE_BYTES, (i + 1) * PAGE_BYTES);
        this.#stored.set(`${table} ${firstRow + i}`, new Uint32Array(page.buffer));
      }
    }
    state.stored(this.hasRoomForIndex ? 'new' : 'old', new Set());
    return position;
  }
  /** Whether the volume has room for what a checkpoint may go without. */
  hasRoomForIndex = true;
  override readonly pages = {
    read: async (pages: readonly PageName[], arrived: Needs['arrived']): Promise<void> => {
      await new Promise<void>((resolve) => this.#come.push(resolve));
      for (const page of pages) arrived(page, this.#stored.get(`${page.table} ${page.page}`)!);
    },
  };
  /** Brings the pages that were asked for until nobody asks for more. */
  async bringPages(): Promise<void> {
    for (; this.#come.length > 0; await settled()) for (const come of this.#come.splice(0)) come();
  }
}

async function withColdTransfers() {
  const log = new PagedLog();
  const cold = { rowsLeaveAtBytes: 0, rowsShift: 2, pageCacheBytes: PAGE_BYTES };
  const ledger = new StateMachine({ memoryLimitBytes: 2 ** 28, ...cold });
  const replica = newReplica(log, batchSizeLimitProduction, undefined, ledger);
  await replica.recover();
  const client = registered(replica, log, 7n);
  const write = (operation: number, body: Uint8Array): void => {
    replica.receive(client.request(operation, body), client);
    log.commitAll();
  };
  write(Operation.createAccounts, accountsBody(1, 2));
  for (let id = 10; id < 60; id += 1) write(Operation.createTransfers, transferBody(id, 0));
  await replica.checkpointNow();
  write(Operation.createTransfers, transferBody(60, 0));
  expect(ledger.pages().rowsInMemory).toBeLessThan(40);
  return { log, replica, client };
}

/** A replica with little memory, and a client that writes until it is refused or has so many transfers. */
async function withLittleMemory(log: PagedLog, limitBytes: number, helper?: IndexHelper) {
  const ledger = new StateMachine({
    memoryLimitBytes: limitBytes,
    hashKey: { low: 1, high: 2 },
    rowsLeaveAtBytes: limitBytes * (7 / 8),
    pageCacheBytes: 2 ** 20,
    indexSizes: { sealRows: 25_088, chunkRows: 6272, pageBytes: PAGE_BYTES },
  });
  if (helper !== undefined) ledger.useIndexHelper(helper);
  let nowMs = 1000;
  const clock = { realtimeNs: () => BigInt(nowMs) * 1_000_000n };
  const replica = newReplica(log, batchSizeLimitProduction, clock, ledger);
  await replica.recover();
  const client = registered(replica, log, 7n);
  const tick = async (afterMs: number): Promise<void> => {
    nowMs += afterMs;
    replica.tick();
    await settled();
  };
  /** Sends a request, again and again. Returns whether it was answered. */
  const write = async (operation: number, body: Uint8Array): Promise<boolean> => {
    const message = client.request(operation, body);
    const { length } = client.replies;
    for (let i = 0; i < 10; i += 1) {
      replica.receive(message, client);
      await log.bringPages();
      log.commitAll();
      if (client.replies.length > length) return true;
      await tick(100);
    }
    client.number -= 1;
    return false;
  };
  await write(Operation.createAccounts, accountsBody(1, 2));
  let count = 0;
  const fill = async (until: number): Promise<number> => {
    while (count < until) {
      if (!(await write(Operation.createTransfers, transfersBody(100 + count, 8000)))) break;
      count += 8000;
      await tick(100);
    }
    return count;
  };
  return { replica, fill, tick };
}

test('after a full volume was enlarged, writes that lacked the memory of the index go on without a restart', async () => {
  const log = new PagedLog();
  log.hasRoomForIndex = false;
  const { replica, fill, tick } = await withLittleMemory(log, 2 ** 25);
  const before = await fill(3_000_000);
  expect(before).toBeLessThan(3_000_000);
  expect(replica.acceptsWrites).toBe(false);
  log.hasRoomForIndex = true;
  for (let i = 0; i < 10; i += 1) await tick(10_000);
  expect(replica.acceptsWrites).toBe(true);
  expect(await fill(before * 1.2)).toBeGreaterThanOrEqual(before * 1.2);
});

test('writes that wait for the index go on without a restart when the thread that makes it fails', async () => {
  let fail = (): void => undefined;
  const { replica, fill, tick } = await withLittleMemory(new PagedLog(), 2 ** 26, {
    begin: (_job, done) => (fail = () => done(undefined)),
    giveUp: () => undefined,
    end: () => Promise.resolve(),
  });
  const before = await fill(3_000_000);
  expect(before).toBeLessThan(3_000_000);
  // Nobody is told that the database is full.
  expect(replica.acceptsWrites).toBe(true);
  fail();
  for (let i = 0; i < 1000; i += 1) await tick(100);
  expect(await fill(before * 1.2)).toBeGreaterThanOrEqual(before * 1.2);
});

test('a write that is repeated while its rows are read from the volume is logged once, and answered where it was repeated', async () => {
  const { log, replica, client } = await withColdTransfers();
  const before = log.entries.length;
  const message = client.request(Operation.createTransfers, postBody(200, 10));
  replica.receive(message, client);
  const other = new HandClient(client.id);
  replica.receive(message, other);
  expect(log.entries).toHaveLength(before + 1);
  await log.bringPages();
  log.commitAll();
  expect(other.replies.map(({ request }) => request)).toEqual([client.number - 1]);
});

test('while a logged write waits for its rows, nothing else under its number is answered as if it were not executed', async () => {
  const { log, replica, client } = await withColdTransfers();
  const write = client.request(Operation.createTransfers, postBody(200, 10));
  replica.receive(write, client);
  const answers = client.replies.length;
  const request = client.number - 1;
  const read = client.message({
    operation: Operation.lookupTransfers,
    body: idsBody(60),
    request,
    parent: client.lastContext,
  });
  replica.receive(read, client);
  await settled();
  log.commitAll();
  expect(client.replies).toHaveLength(answers);
  await log.bringPages();
  replica.receive(read, client);
  await settled();
  expect(client.replies.slice(answers).map(({ operation }) => operation)).toEqual([
    Operation.createTransfers,
  ]);
});

test('after a restart a repeated write is answered with the same reply, and reads leave no gap', async () => {
  const { log, replica, client } = await newPair();
  const write = client.request(Operation.createAccounts, accountBody(1));
  replica.receive(write, client);
  log.commitAll();
  const answered = client.lastContext;
  replica.receive(client.request(Operation.lookupAccounts, idsBody(1)), client);
  await settled();
  const next = client.request(Operation.createAccounts, accountBody(2));

  const again = newReplica(log);
  await again.recover();
  expect(again.position.stateHash).toEqual(replica.position.stateHash);
  again.receive(write, client);
  expect(client.lastContext).toEqual(answered);
  // The read was not logged, so this write's number is two above the last logged one.
  again.receive(next, client);
  log.commitAll();
  expect(client.replies.at(-1)?.request).toBe(3);
  expect(log.entries).toHaveLength(3);
});

test('a write whose parent is not the reply before is dropped', async () => {
  const { log, replica, client } = await newPair();
  const body = accountBody(1);
  replica.receive(client.request(Operation.createAccounts, body), client);
  log.commitAll();
  const parent = new Uint8Array(16).fill(1);
  replica.receive(
    client.message({ operation: Operation.createAccounts, body, request: 2, parent }),
    client,
  );
  expect(log.entries).toHaveLength(2);
  expect(client.evictions).toEqual([]);
});

test('a client that has heard of a later leader of the cluster whose backup this one goes on from has its request executed, or hears that its session is gone', async () => {
  const { log, replica, client } = await newPair();
  client.view = 7;
  replica.receive(client.request(Operation.createAccounts, accountBody(1)), client);
  log.commitAll();
  expect(client.replies).toHaveLength(2);
  const young = new HandClient(8n);
  young.view = 7;
  young.session = 5n;
  young.number = 3;
  replica.receive(young.request(Operation.createAccounts, accountBody(2)), young);
  expect(young.evictions).toEqual([EvictionReason.noSession]);
  expect(log.entries).toHaveLength(2);
});

test.each([
  [
    'an operation that is not there',
    Operation.pulse,
    new Uint8Array(0),
    engineRelease,
    EvictionReason.invalidRequestOperation,
  ],
  [
    'other rules, which only the log may have',
    Operation.upgrade,
    Uint8Array.of(9, 0, 0, 0),
    engineRelease,
    EvictionReason.invalidRequestOperation,
  ],
  [
    'a pause of writes, which only the log may have',
    Operation.pause,
    new Uint8Array(8),
    engineRelease,
    EvictionReason.invalidRequestOperation,
  ],
  [
    'a body of a wrong size',
    Operation.createAccounts,
    new Uint8Array(100),
    engineRelease,
    EvictionReason.invalidRequestBody,
  ],
  [
    'a release that is too old',
    Operation.createAccounts,
    accountBody(1),
    0x1003,
    EvictionReason.clientReleaseTooLow,
  ],
  [
    'a release that is too new',
    Operation.createAccounts,
    accountBody(1),
    0x1200,
    EvictionReason.clientReleaseTooHigh,
  ],
  [
    'another release than its session has',
    Operation.createAccounts,
    accountBody(1),
    engineRelease - 1,
    EvictionReason.sessionReleaseMismatch,
  ],
])('a client is evicted for %s', async (_why, operation, body, release, reason) => {
  const { log, replica, client } = await newPair();
  replica.receive(client.request(operation, body, release), client);
  expect(client.evictions).toEqual([reason]);
  expect(log.entries).toHaveLength(1);
});

test('a 65th session evicts the one that wrote least recently, which is told at its next request', async () => {
  const { log, replica, client: oldest } = await newPair();
  const second = registered(replica, log, 100n);
  replica.receive(oldest.request(Operation.createAccounts, accountBody(1)), oldest);
  log.commitAll();
  for (let id = 101n; id <= 163n; id += 1n) registered(replica, log, id);
  expect(replica.sessions.size).toBe(64);
  replica.receive(second.request(Operation.lookupAccounts, idsBody(1)), second);
  expect(second.evictions).toEqual([EvictionReason.noSession]);
  replica.receive(oldest.request(Operation.lookupAccounts, idsBody(1)), oldest);
  await settled();
  expect(oldest.evictions).toEqual([]);
});

test('while the log is full writes are dropped, and a new client is registered and reads', async () => {
  const { log, replica, client } = await newPair();
  log.logFull = true;
  expect(replica.acceptsWrites).toBe(false);
  const write = client.request(Operation.createAccounts, accountBody(1));
  replica.receive(write, client);
  expect([log.entries.length, replica.refused]).toEqual([1, 1]);
  const reader = registered(replica, log, 8n);
  replica.receive(reader.request(Operation.lookupAccounts, idsBody(1)), reader);
  await settled();
  expect(reader.replies).toHaveLength(2);
  log.logExhausted = true;
  const late = new HandClient(9n);
  replica.receive(late.request(Operation.register, new Uint8Array(256)), late);
  expect(log.entries).toHaveLength(2);
  log.logFull = log.logExhausted = false;
  replica.receive(write, client);
  log.commitAll();
  expect(client.replies).toHaveLength(2);
});

test('writes that come while a checkpoint frees room in a full log are executed when it ends, each once', async () => {
  const { log, replica, client } = await newPair();
  const other = registered(replica, log, 8n);
  log.logFull = true;
  log.beginSlowCheckpoint();
  const exported = replica.checkpointNow();
  const write = client.request(Operation.createAccounts, accountBody(1));
  replica.receive(write, client);
  // The client repeats it.
  replica.receive(write, client);
  replica.receive(other.request(Operation.createAccounts, accountBody(2)), other);
  expect([log.entries.length, replica.refused]).toEqual([2, 0]);
  log.logFull = false;
  log.endSlowCheckpoint();
  await exported;
  log.commitAll();
  expect([log.entries.length, replica.refused]).toEqual([4, 0]);
  expect([client.replies.length, other.replies.length]).toEqual([2, 2]);
});

test('a write that waits for room is not executed once its client has asked something else under its number', async () => {
  const { log, replica, client } = await newPair();
  log.logFull = true;
  log.beginSlowCheckpoint();
  const exported = replica.checkpointNow();
  const request = 1;
  const parent = client.lastContext;
  const body = accountBody(1);
  replica.receive(
    client.message({ operation: Operation.createAccounts, body, request, parent }),
    client,
  );
  const instead = { operation: Operation.lookupAccounts, body: idsBody(1), request, parent };
  replica.receive(client.message(instead), client);
  await settled();
  expect(client.replies).toHaveLength(2);
  log.logFull = false;
  log.endSlowCheckpoint();
  await exported;
  log.commitAll();
  expect([log.entries.length, client.replies.length]).toEqual([1, 2]);
});

test('writes that wait for a checkpoint which frees no room are refused when it ends', async () => {
  const { log, replica, client } = await newPair();
  log.logFull = true;
  log.beginSlowCheckpoint();
  const exported = replica.checkpointNow();
  replica.receive(client.request(Operation.createAccounts, accountBody(1)), client);
  expect(replica.refused).toBe(0);
  log.endSlowCheckpoint();
  await exported;
  expect([log.entries.length, replica.refused]).toEqual([1, 1]);
});

test('a log that is full only until a checkpoint ends is not told as full storage; one that stays full is', async () => {
  const { log, replica } = await newPair();
  const told = () => [replica.standing().logFull, replica.acceptsWrites];
  log.logFull = true;
  log.beginSlowCheckpoint();
  const first = replica.checkpointNow();
  expect(told()).toEqual([false, true]);
  log.endSlowCheckpoint();
  await first;
  expect(told()).toEqual([true, false]);
  // It is tried again and again, and changes nothing.
  log.beginSlowCheckpoint();
  const second = replica.checkpointNow();
  expect(told()).toEqual([true, false]);
  log.logFull = false;
  log.endSlowCheckpoint();
  await second;
  expect(told()).toEqual([false, true]);
});

test.each([true, false])(
  'a start with a full log, as a kill leaves it while a checkpoint is written, says that the storage is full only if the volume is: room there %s',
  async (hasRoom) => {
    const log = new HeldLog();
    log.logFull = true;
    log.checkpointAfterBytes = 8 << 20;
    log.storage = () => ({ usedBytes: 1 << 20, limitBytes: hasRoom ? 1 << 30 : 2 << 20 });
    log.beginSlowCheckpoint();
    const replica = newReplica(log);
    await replica.recover();
    const told = () => [replica.standing().logFull, replica.acceptsWrites];
    expect(told()).toEqual([!hasRoom, hasRoom]);
    replica.tick();
    expect(told()).toEqual([!hasRoom, hasRoom]);
    log.logFull = false;
    log.endSlowCheckpoint();
    await settled();
    expect(told()).toEqual([false, true]);
  },
);

test('while the log is full a pending transfer still expires', async () => {
  let nowNs = 1_000_000_000n;
  const log = new HeldLog();
  const replica = newReplica(log, batchSizeLimitProduction, { realtimeNs: () => nowNs });
  await replica.recover();
  const client = registered(replica, log, 7n);
  const pending = (id: number): Uint8Array => {
    const words = new Uint32Array(32);
    words.set([id, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 5]);
    words.set([id - 2, 1, 1 | (2 << 16)], 27);
    return encodeMultiBatch([new Uint8Array(words.buffer)], 128);
  };
  const write = (operation: number, body: Uint8Array): void => {
    replica.receive(client.request(operation, body), client);
    log.commitAll();
  };
  for (const id of [1, 2]) write(Operation.createAccounts, accountBody(id));
  for (const id of [3, 4, 5]) write(Operation.createTransfers, pending(id));
  expect(replica.ledger.counts().pendingTransfers).toBe(3);
  log.logFull = log.logExhausted = true;
  nowNs += 1_500_000_000n;
  replica.tick();
  expect(replica.ledger.counts().pendingTransfers).toBe(2);
  // The next pulse waits a while, so that the reserved room lasts.
  nowNs += 1_000_000_000n;
  replica.tick();
  expect(replica.ledger.counts().pendingTransfers).toBe(2);
  log.logFull = log.logExhausted = false;
  replica.tick();
  expect(replica.ledger.counts().pendingTransfers).toBe(1);
  log.logFull = log.logExhausted = true;
  nowNs += 4_999_000_000n;
  replica.tick();
  expect(replica.ledger.counts().pendingTransfers).toBe(1);
  nowNs += 1_000_000n;
  replica.tick();
  expect(replica.ledger.counts().pendingTransfers).toBe(0);
});

/** Makes fields whose values are frequent but never occur together: a query for both walks through both lists. */
async function withLongLists() {
  const { log, replica, client } = await newPair();
  const write = (operation: number, body: Uint8Array, sink = client): void => {
    replica.receive(sink.request(operation, body), sink);
    log.commitAll();
  };
  for (const id of [1, 2]) write(Operation.createAccounts, accountBody(id));
  const transfers = (first: number, count: number): Uint8Array => {
    const words = new Uint32Array(count * 32);
    for (let i = 0; i < count; i += 1) {
      const at = i * 32;
      const odd = (first + i) % 2;
      words.set([first + i, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1], at);
      words.set([7 + odd, 0, 1, 1 + odd], at + 26);
    }
    return encodeMultiBatch([new Uint8Array(words.buffer)], 128);
  };
  for (let first = 3; first < 24_003; first += 8000)
    write(Operation.createTransfers, transfers(first, 8000));
  const filters = (...codes: number[]): Uint8Array =>
    encodeMultiBatch(
      codes.map((code) => {
        const words = new Uint32Array(16);
        words.set([7, 0, code], 6);
        words[14] = 2;
        return new Uint8Array(words.buffer);
      }),
      64,
    );
  return { log, replica, client, write, transfers, filters };
}

test('while a query walks through long lists writes are answered', async () => {
  const { log, replica, client, write, transfers, filters } = await withLongLists();
  const reader = registered(replica, log, 8n);
  // The last filter finds something, after others that find nothing.
  const never = Array.from({ length: 40 }, () => 2);
  const query = reader.request(Operation.queryTransfers, filters(...never, 1));
  replica.receive(query, reader);
  let written = 0;
  while (reader.replies.length === 1) {
    await settled();
    write(Operation.createTransfers, transfers(30_000 + written, 1));
    written += 1;
    expect(client.replies.at(-1)?.operation).toBe(Operation.createTransfers);
    // Repeated as official clients do: the read does not start again and is not answered twice.
    if (written === 3) replica.receive(query, reader);
  }
  expect(written).toBeGreaterThan(10);
  expect(reader.replies).toHaveLength(2);
  expect(replica.ledger.counts().transfers).toBe(24_000 + written);
});

test('a query whose client has gone on is left', async () => {
  const { log, replica, filters } = await withLongLists();
  const reader = registered(replica, log, 8n);
  const never = filters(...Array.from({ length: 400 }, () => 2));
  replica.receive(reader.request(Operation.queryTransfers, never), reader);
  await settled();
  replica.receive(reader.request(Operation.lookupAccounts, idsBody(1)), reader);
  await settled();
  expect(reader.replies.map(({ operation }) => operation)).toEqual([
    Operation.register,
    Operation.lookupAccounts,
  ]);
  for (let turn = 0; turn < 5; turn += 1) await settled();
  expect(reader.replies).toHaveLength(2);
});

test('a query whose client has gone stops at once', async () => {
  const { log, replica, filters } = await withLongLists();
  const reader = registered(replica, log, 8n);
  const never = filters(...Array.from({ length: 400 }, () => 2));
  const made = { steps: 0 };
  const begin = replica.ledger.beginRead.bind(replica.ledger);
  replica.ledger.beginRead = (operation, body) => {
    const read = begin(operation, body);
    const step = read.step.bind(read);
    read.step = (units) => {
      made.steps += 1;
      return step(units);
    };
    return read;
  };
  const query = reader.request(Operation.queryTransfers, never);
  replica.receive(query, reader);
  while (made.steps < 3) await settled();
  reader.isOpen = false;
  const { steps } = made;
  for (let turn = 0; turn < 10; turn += 1) await settled();
  expect(made.steps).toBe(steps);
  // Its client comes back over another connection and asks again.
  reader.isOpen = true;
  replica.receive(query, reader);
  while (reader.replies.length === 1) await settled();
  expect(reader.replies.at(-1)?.operation).toBe(Operation.queryTransfers);
});

test('a client that registered before the batch limit was changed is still answered', async () => {
  const { log, client } = await newPair();
  const again = newReplica(log, batchSizeLimitDevelopment);
  await again.recover();
  again.receive(client.request(Operation.createAccounts, accountBody(1)), client);
  log.commitAll();
  expect(client.replies.at(-1)?.request).toBe(1);
});

test('a write after a read is executed, whichever of two replies to the read its client has', async () => {
  const { log, replica, client } = await newPair();
  replica.receive(client.request(Operation.lookupAccounts, idsBody(1)), client);
  await settled();
  // As from another leader that executed the same read: with another timestamp and another context.
  const parent = new Uint8Array(16).fill(1);
  const body = accountBody(1);
  replica.receive(
    client.message({ operation: Operation.createAccounts, body, request: 2, parent }),
    client,
  );
  log.commitAll();
  expect(client.replies.at(-1)?.request).toBe(2);
});

test('an entry whose request was executed before changes nothing', async () => {
  const { log, replica, client } = await newPair();
  replica.receive(client.request(Operation.createAccounts, accountBody(1)), client);
  log.commitAll();
  const [, last] = log.entries;
  if (last === undefined) throw new Error('the write is in the log');
  log.entries.push({ ...last, op: last.op + 1, timestamp: last.timestamp + 10n });
  const again = newReplica(log);
  await again.recover();
  expect(again.op).toBe(last.op + 1);
  expect(again.position.stateHash).toEqual(replica.position.stateHash);
});

/** A ledger for which half of the writes must wait for pages, as if their rows had left memory. */
class SlowLedger extends StateMachine {
  readonly #asked = new Set<bigint>();
  readonly #isSlow: () => boolean;
  constructor(isSlow: () => boolean) {
    super({ memoryLimitBytes: 2 ** 28 });
    this.#isSlow = isSlow;
  }
  override prepare(operation: number, timestamp: bigint, body: Uint8Array): Needs | undefined {
    const isNew = !this.#asked.has(timestamp);
    this.#asked.add(timestamp);
    if (isNew && this.#isSlow()) return { pages: [{ table: 2, page: 0 }], arrived: () => true };
    return super.prepare(operation, timestamp, body);
  }
}

/** A log whose pages come when the test says so. */
class SlowLog extends HeldLog {
  #come: (() => void)[] = [];
  override readonly pages = {
    read: () => new Promise<void>((resolve) => void this.#come.push(resolve)),
  };
  async bringPages(): Promise<void> {
    for (; this.#come.length > 0; await settled()) for (const come of this.#come.splice(0)) come();
  }
}

/** More clients than there may be sessions. Each sends its request again and again, and begins a new session when it has lost its own. */
class CrowdedReplica {
  readonly log = new SlowLog();
  readonly chance = new Simulation(7);
  readonly clients = Array.from({ length: 70 }, (_, i) => new HandClient(BigInt(i + 1)));
  readonly #last = new Map<HandClient, Uint8Array>();
  readonly #sent: [HandClient, Uint8Array][] = [];
  replica!: Replica;
  evicted = 0;
  repeated = 0;

  async start(): Promise<void> {
    const ledger = new SlowLedger(() => this.chance.chance(0.5));
    this.replica = newReplica(this.log, batchSizeLimitProduction, undefined, ledger);
    const recovered = this.replica.recover();
    while (!(await Promise.race([recovered.then(() => true), settled().then(() => false)])))
      await this.log.bringPages();
  }

  act(): void {
    const client = this.clients[this.chance.below(this.clients.length)]!;
    if (client.evictions.length > 0) {
      this.evicted += 1;
      client.evictions.length = 0;
      Object.assign(client, { session: 0n, number: 0 });
      this.#last.delete(client);
    }
    const last = this.#last.get(client);
    const isAnswered = last === undefined || this.#answered(client);
    if (isAnswered) {
      const isFirst = client.session === 0n;
      const id = this.#sent.length + 1;
      const message = isFirst
        ? client.request(Operation.register, new Uint8Array(256))
        : client.request(Operation.createTransfers, transferBody(id));
      this.#last.set(client, message);
      this.#sent.push([client, message]);
    } else this.repeated += 1;
    this.#send(client, this.#last.get(client)!);
    // A connection may deliver an old message once more.
    const [old, late] = this.#sent[this.chance.below(this.#sent.length)]!;
    this.#send(old, late);
  }

  #answered({ replies, number }: HandClient): boolean {
    return replies.at(-1)?.request === number - 1;
  }

  #send(client: HandClient, message: Uint8Array): void {
    for (let times = 1 + this.chance.below(2); times > 0; times -= 1)
      this.replica.receive(message.slice(), client);
  }
}

test('a replay from any backup makes the ledger that the database had, however often clients send a request, lose their session and begin another', async () => {
  const crowd = new CrowdedReplica();
  await crowd.start();
  const first = registered(crowd.replica, crowd.log, 1000n);
  crowd.replica.receive(first.request(Operation.createAccounts, accountsBody(1, 2)), first);
  for (let step = 0; step < 3000; step += 1) {
    crowd.act();
    if (crowd.chance.chance(0.2)) await crowd.log.bringPages();
    if (crowd.chance.chance(0.2)) crowd.log.commitAll();
    if (crowd.chance.chance(0.003)) await crowd.start();
  }
  await crowd.log.bringPages();
  expect(crowd.evicted).toBeGreaterThan(20);
  expect(crowd.repeated).toBeGreaterThan(100);
  const { entries } = crowd.log;
  expect(entries.length).toBeGreaterThan(500);
  const had = Buffer.from(crowd.replica.position.stateHash).toString('hex');
  for (let backedUp = 0; backedUp <= entries.length; backedUp += 100)
    expect([backedUp, await replayedFrom(entries, backedUp)]).toEqual([backedUp, had]);
});

test('two exports at once get a checkpoint in turn, and one that is due begins none beside theirs', async () => {
  const { log, replica, client } = await newPair();
  replica.receive(client.request(Operation.createAccounts, accountBody(1)), client);
  log.commitAll();
  let running = 0;
  log.checkpoint = async (_state, position) => {
    running += 1;
    expect(running).toBe(1);
    await settled();
    running -= 1;
    return position;
  };
  const exports = [replica.checkpointNow(), replica.checkpointNow()];
  log.logBytesSinceCheckpoint = Infinity;
  replica.tick();
  await Promise.all(exports);
  expect(replica.checkpointOp).toBe(replica.position.op);
});

test('a single replica moves to the newest rules it knows once, and an older release does not replay them', async () => {
  const twoRules = () => new TwoRulesLedger({ memoryLimitBytes: 2 ** 28 });
  const log = new HeldLog();
  const old = newReplica(log);
  await old.recover();
  const client = registered(old, log, 1n);
  old.receive(client.request(Operation.createAccounts, accountBody(1)), client);
  log.commitAll();
  const ledger = twoRules();
  const replica = newReplica(log, batchSizeLimitProduction, undefined, ledger);
  replica.tick();
  expect(log.entries).toHaveLength(2);
  await replica.recover();
  expect(ledger.rules).toBe(1);
  replica.tick();
  replica.tick();
  expect(log.entries).toHaveLength(3);
  expect(ledger.rules).toBe(2);
  log.commitAll();
  const again = twoRules();
  await newReplica(log, batchSizeLimitProduction, undefined, again).recover();
  expect(again.rules).toBe(2);
  const older = new OneRuleLedger({ memoryLimitBytes: 2 ** 28 });
  await expect(
    newReplica(log, batchSizeLimitProduction, undefined, older).recover(),
  ).rejects.toMatchObject({ code: 'unknown_rules' });
});
