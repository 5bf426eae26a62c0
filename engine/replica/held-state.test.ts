import { expect, test } from '@jest/globals';
import { systemTimers } from '../../base/timers.ts';
import { type LoadedRows, TableId } from '../ledger/checkpoint-tables.ts';
import type { HashKey } from '../ledger/keyed-hash.ts';
import { PAGE_BYTES } from '../ledger/page.ts';
import { StateMachine } from '../ledger/state-machine.ts';
import { DataFile } from '../log/data-file.ts';
import { createEmpty } from '../log/format-file.ts';
import { LOG_SIZE_MIN } from '../log/layout.ts';
import { readManifest } from '../log/manifest.ts';
import { MemoryStorage } from '../log/testing/memory-storage.ts';
import { Operation } from '../wire/operations.ts';
import { engineRelease } from '../wire/release.ts';
import { Executor } from './executor.ts';
import { HeldState } from './held-state.ts';
import { logPositionOf } from './log-position.ts';
import type { ReplicatedReplicaOptions } from './replicated-options.ts';

const PATH = 'replica.ledger';
const identity = { clusterId: 7n, replicaIndex: 0, replicaCount: 3 };
const batchSizeLimit = 1 << 20;

const onFailure = (error: Error): never => {
  throw error;
};

/** The file of a replica without a state, and what opens it. */
async function emptyFile() {
  const storage = new MemoryStorage();
  const [path, release, logSizeBytes] = [PATH, engineRelease, LOG_SIZE_MIN];
  await createEmpty({ path, identity, release, logSizeBytes, storage });
  return { storage, openFile: () => DataFile.open({ path, release, onFailure, storage }) };
}

test('when a replica takes another state, nothing works on the index of the old ledger any more', async () => {
  const { openFile: open } = await emptyFile();
  /** What happens, in its order: ledgers by their number, and files. */
  const happened: string[] = [];
  let ledgers = 0;
  const newLedger = (): StateMachine => {
    const ledger = new StateMachine({ memoryLimitBytes: 2 ** 30 });
    const number = (ledgers += 1);
    ledger.useIndexHelper({
      begin: () => undefined,
      giveUp: () => undefined,
      end: async () => void happened.push(`helper of ledger ${number} ended`),
    });
    return ledger;
  };
  const openFile = (): Promise<DataFile> => {
    happened.push(`file opened after ${ledgers} ledgers`);
    return open();
  };
  const options: Partial<ReplicatedReplicaOptions> = {
    identity,
    incarnation: 1,
    openFile,
    newLedger,
    batchSizeLimit,
    pause: () => Promise.resolve(),
  };
  const state = new HeldState(
    options as ReplicatedReplicaOptions,
    new AbortController().signal,
    () => undefined,
  );
  await state.load();
  const served = ledgers;
  happened.length = 0;
  await state.closeFile();
  await state.load();
  expect(happened.slice(0, 2)).toEqual([
    `helper of ledger ${served} ended`,
    `file opened after ${served + 1} ledgers`,
  ]);
  await state.closeFile();
});

test('a damaged file of another incarnation is refused as such: no state of this one may take its place', async () => {
  const { storage, openFile } = await emptyFile();
  const newLedger = () => new StateMachine({ memoryLimitBytes: 2 ** 30 });
  const pause = () => Promise.resolve();
  const data = await openFile();
  const executor = new Executor({ ledger: newLedger(), identity, batchSizeLimit });
  await data.load(executor.state);
  data.beginCheckpoints({ ring: undefined, pause });
  const place = { incarnation: 1, sequence: 5, fence: 1, seal: new Uint8Array(16) };
  await data.checkpoint(executor.state, { ...executor.position(), op: 5, place });
  const sections = await readManifest(data.file, data.superblock);
  await data.close();
  const { pieces } = sections.find(({ table }) => table === TableId.head)!;
  storage.rot(PATH, (bytes) => (bytes[pieces[0]!.offset + 3]! ^= 1));
  const options = { identity, incarnation: 2, openFile, newLedger, batchSizeLimit, pause };
  const state = new HeldState(
    options as Partial<ReplicatedReplicaOptions> as ReplicatedReplicaOptions,
    new AbortController().signal,
    () => undefined,
  );
  await expect(state.load()).rejects.toMatchObject({ code: 'incarnation_differs' });
  await state.closeFile();
});

test('a follower near its limit executes what its leader has admitted, whatever it has brought into memory itself', async () => {
  const { openFile } = await emptyFile();
  const accounts = { accountsShift: 10, accountsStayBytes: 0, liveAccountsMax: 1 << 20 };
  const options = {
    identity,
    incarnation: 1,
    openFile,
    newLedger: () =>
      new StateMachine({
        memoryLimitBytes: 1 << 20,
        rowsLeaveAtBytes: 0,
        pageCacheBytes: PAGE_BYTES,
        ...accounts,
      }),
    batchSizeLimit,
    pause: () => Promise.resolve(),
    onCheckpointError: onFailure,
    timers: systemTimers,
  };
  const state = new HeldState(
    options as Partial<ReplicatedReplicaOptions> as ReplicatedReplicaOptions,
    new AbortController().signal,
    () => undefined,
  );
  await state.load();
  const { ledger } = state.executor;
  let op = 0;
  const execute = async (operation: number, words: Uint32Array): Promise<void> => {
    op += 1;
    const body = new Uint8Array(words.buffer);
    const timestamp = BigInt(op) * 1_000_000n;
    for (let needs; (needs = ledger.prepare(operation, timestamp, body)) !== undefined;)
      await state.bring(needs);
    ledger.commit(operation, timestamp, body);
  };
  for (let first = 1; first < ACCOUNTS; first += BATCH)
    await execute(Operation.createAccountsUnbatched, eventsFrom(first));
  state.position = { sequence: 1, fence: 1, seal: new Uint8Array(16), op, timestamp: 1n, view: 0 };
  state.checkpointForRows();
  await state.checkpoints.idle();
  // Each moves between two accounts that no other one moves.
  for (let first = 1; first < ACCOUNTS; first += 2 * BATCH)
    await execute(Operation.createTransfersUnbatched, eventsFrom(first, { between: true }));
  const { limitBytes } = ledger.memory();
  expect(ledger.heldBytes).toBeGreaterThan(limitBytes + (32 << 20));
  expect(state.mustWaitForRows()).toBeUndefined();
  expect(state.checkpoints.isRunning).toBe(false);
  await state.closeFile();
});

/** A replica on a file with rows only, as a restored one has, whose log has no block yet. */
async function restoredReplica() {
  const { storage, openFile } = await emptyFile();
  const pause = () => Promise.resolve();
  const indexSizes = { sealRows: 1024, chunkRows: 256, pageBytes: PAGE_BYTES };
  const newLedger = (hashKey?: HashKey) =>
    new StateMachine({
      memoryLimitBytes: 2 ** 30,
      rowsLeaveAtBytes: 2 ** 29,
      startPointSizes: { rows: 1024, bytes: 1 << 16 },
      indexSizes,
      ...(hashKey && { hashKey }),
    });
  const data = await openFile();
  // It has no key of its own.
  const executor = new Executor({ ledger: newLedger(), identity, batchSizeLimit });
  await data.load(executor.state);
  data.beginCheckpoints({ ring: undefined, pause });
  const body = (between: boolean) => new Uint8Array(eventsFrom(1, { between }).buffer);
  executor.ledger.commit(Operation.createAccountsUnbatched, 1_000_000n, body(false));
  executor.ledger.commit(Operation.createTransfersUnbatched, 2_000_000n, body(true));
  const stateHash = executor.ledger.stateHash();
  const restored = { ...executor.position(), op: 2, timestamp: 2_000_000n, stateHash };
  await data.checkpoint(executor.state, restored);
  await data.close();
  const errors: unknown[] = [];
  let nowMs = 0;
  const options = {
    identity,
    incarnation: 1,
    openFile,
    batchSizeLimit,
    pause,
    timers: { ...systemTimers, nowMs: () => nowMs },
    newLedger: () => newLedger({ low: 3, high: 5 }),
    onCheckpointError: (error: unknown) => void errors.push(error),
  };
  const state = new HeldState(
    options as Partial<ReplicatedReplicaOptions> as ReplicatedReplicaOptions,
    new AbortController().signal,
    () => undefined,
  );
  const start = async (): Promise<LoadedRows> => {
    const position = await state.load();
    expect(position.place).toBeUndefined();
    state.position = logPositionOf(position);
    return state.executor.ledger.loaded();
  };
  /** Looks each second whether a checkpoint is due. Returns how many were taken. */
  const rest = async (seconds: number): Promise<number> => {
    let taken = 0;
    for (let second = 0; second < seconds; second += 1) {
      nowMs += 1000;
      state.advanceIndex();
      state.checkpointWhenDue();
      if (state.checkpoints.isRunning) taken += 1;
      await state.checkpoints.idle();
    }
    return taken;
  };
  return { storage, state, start, rest, errors };
}

test('a replica whose log has no block yet keeps what its start has made of all rows', async () => {
  const { state, start, rest, errors } = await restoredReplica();
  const before = await start();
  expect(before.restored).toBeGreaterThan(2000);
  expect(await rest(100)).toBeLessThan(50);
  expect(state.executor.ledger.wantsCheckpoint).toBe(false);
  await state.closeFile();
  expect(await start()).toMatchObject({ restored: 0 });
  expect(state.executor.ledger.wantsCheckpoint).toBe(false);
  expect(errors).toEqual([]);
  await state.closeFile();
});

test('a replica to which nobody writes keeps what its start has made when its full volume has room again, and tries that seldom until then', async () => {
  const { storage, state, start, rest, errors } = await restoredReplica();
  storage.capacity = storage.bytes(PATH).length;
  await start();
  const day = await rest(86_400);
  expect(day).toBeGreaterThan(20);
  expect(day).toBeLessThan(40);
  expect(errors.length).toBeLessThanOrEqual(day);
  storage.capacity = Infinity;
  await rest(3 * 3600);
  await state.closeFile();
  expect(await start()).toMatchObject({ restored: 0 });
  await state.closeFile();
});

const ACCOUNTS = 160_000;
const BATCH = 8000;

/** A full request of accounts, or of transfers between two accounts each, with ids from `first` on. */
function eventsFrom(first: number, { between = false } = {}): Uint32Array {
  const words = new Uint32Array(BATCH * 32);
  for (let i = 0; i < BATCH; i += 1) {
    words[i * 32] = first + i;
    if (between) words.set([first + 2 * i, 0, 0, 0, first + 2 * i + 1, 0, 0, 0, 1], i * 32 + 4);
    words.set([1, 1], i * 32 + 28);
  }
  return words;
}

test('a replica to which nobody writes asks soon for the rest of the room once its volume, full for hours, had some', async () => {
  const { storage, state, start, rest } = await restoredReplica();
  storage.capacity = storage.bytes(PATH).length + 20 * PAGE_BYTES;
  await start();
  await rest(6 * 3600);
  for (let taken = 1; taken === 1;) {
    storage.capacity += 40 * PAGE_BYTES;
    taken = await rest(3600);
    // A part was written, and another one had no room: that is looked at after half a minute, a minute, ...
    if (taken > 1) expect(taken).toBeGreaterThan(5);
  }
  await state.closeFile();
});
