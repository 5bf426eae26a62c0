/** Late tries: requests whose answer was lost and which arrive after newer changes. Each must do nothing then. */
import { expect, test } from '@jest/globals';
import { systemTimers } from '../../../base/timers.ts';
import { blockSealKey, encodeBlock, type LogPosition } from './block.ts';
import { EtcdError, type Etcd, type Txn } from './etcd.ts';
import { originOf } from './identity.ts';
import { blockKey, FLOOR, LEAD } from './keys.ts';
import { encodeRecord } from './records.ts';
import { RetainedBytes } from './retained.ts';
import { takeOver } from './take-over.ts';
import { messageWith } from './testing/checker.ts';
import { FakeStore, type StoreDefects } from './testing/fake-store.ts';
import { Trimmer } from './trimmer.ts';

const key = blockSealKey(7n, 1);
const origin = originOf({ op: 0, timestamp: 0n, view: 0, stateHash: new Uint8Array(16) });

/**
 * A store with a client that loses the first change that `isIt` selects; the change happens only when `arrive` is called.
 */
function lateStore(defects: StoreDefects, isIt: (txn: Txn) => boolean) {
  const store = new FakeStore(defects);
  const late: Txn[] = [];
  const txn = async (request: Txn) => {
    if (late.length === 0 && isIt(request)) {
      late.push(request);
      throw new EtcdError('unavailable', 'leader changed');
    }
    const result = store.txn(request);
    if (result === undefined) throw new EtcdError('compacted', 'compacted');
    return result;
  };
  const compact = async (revision: number) => store.compact(revision);
  const etcd = { txn, append: txn, compact } as unknown as Etcd;
  return { store, etcd, arrive: () => store.txn(late[0]!) };
}

const put = (putKey: Uint8Array, value: Uint8Array): Txn => ({
  compare: [],
  success: [{ do: 'put', key: putKey, value }],
  failure: [],
});

function lead(store: FakeStore, replica: number): number {
  return store.txn(put(LEAD, encodeRecord({ view: replica, replica, nonce: '' })))!.revision;
}

function addBlock(store: FakeStore, after: LogPosition, fence: number, id: number) {
  const entries = [
    { op: after.op + 1, timestamp: after.timestamp + 1n, view: 1, message: messageWith(id) },
  ];
  const { block, bytes } = encodeBlock(key, after, { fence, view: 1, entries });
  store.txn(put(blockKey(block.sequence), bytes));
  const { seal } = block;
  return {
    ...after,
    sequence: block.sequence,
    op: after.op + 1,
    timestamp: after.timestamp + 1n,
    view: 1,
    fence,
    seal,
  };
}

const isDeletion = ({ success }: Txn): boolean => success.some((each) => each.do === 'delete');

async function cutOffLate(defects: StoreDefects): Promise<boolean> {
  const { store, etcd, arrive } = lateStore(defects, isDeletion);
  const before = lead(store, 0);
  // Block 1 never arrived, but block 2 did.
  addBlock(store, { ...origin, sequence: 1 }, before, 2);
  const fence = lead(store, 1);
  const outcome = await takeOver({
    etcd,
    timers: systemTimers,
    random: () => 0,
    sealKey: key,
    fence,
    position: origin,
    meta: undefined,
    onBlock: () => undefined,
    signal: new AbortController().signal,
  });
  expect(outcome).toBe('ready');
  expect(store.get(blockKey(2))).toBeUndefined();
  addBlock(store, addBlock(store, origin, fence, 3), fence, 4);
  arrive();
  return store.get(blockKey(1)) !== undefined && store.get(blockKey(2)) !== undefined;
}

test('a deletion of what lay beyond a gap that comes late spares the blocks put there since', async () => {
  expect(await cutOffLate({})).toBe(true);
  // Without the guard it does not hold, so the test can tell the difference.
  expect(await cutOffLate({ ignoresRangeGuards: true })).toBe(false);
});

async function trimLate(defects: StoreDefects): Promise<string> {
  const { store, etcd, arrive } = lateStore(defects, isDeletion);
  const fence = lead(store, 0);
  let position = origin;
  for (let count = 1; count <= 20; count += 1) position = addBlock(store, position, fence, count);
  const retained = new RetainedBytes(0);
  const options = { etcd, fence, replicaCount: 3, retained };
  const trimmer = new Trimmer({
    ...options,
    retainedBytesMax: () => Infinity,
    bytesInUse: () => undefined,
  });
  const look = async (checkpoint: number) => {
    const floor = store.get(FLOOR);
    const mark = { sequence: checkpoint, op: checkpoint, stateHash: '' };
    trimmer.recordsChanged({
      meta: undefined,
      lead: undefined,
      floor: { sequence: 0, modRevision: floor?.modRevision ?? 0 },
      checkpoints: new Map([0, 1, 2].map((replica) => [replica, mark] as const)),
    });
    await new Promise((resolve) => setImmediate(resolve));
  };
  await look(5);
  expect(store.get(FLOOR)).toBeUndefined();
  await look(10);
  expect(store.get(blockKey(10))).toBeUndefined();
  arrive();
  return Buffer.from(store.get(FLOOR)?.value ?? []).toString();
}

test('a trim that comes late does not lower the floor, below which blocks are gone', async () => {
  expect(await trimLate({})).toBe('{"sequence":11}');
  expect(await trimLate({ lowersFloor: true })).toBe('{"sequence":6}');
});

test('a replica that lacks blocks that were deleted on purpose does not lead, and deletes nothing', async () => {
  const { store, etcd } = lateStore({}, () => false);
  const before = lead(store, 0);
  addBlock(store, { ...origin, sequence: 10 }, before, 1);
  store.txn(put(FLOOR, encodeRecord({ sequence: 11 })));
  const fence = lead(store, 1);
  const onBlock = (): void => {
    throw new Error('nothing is told');
  };
  const options = {
    etcd,
    timers: systemTimers,
    random: () => 0,
    sealKey: key,
    fence,
    meta: undefined,
    onBlock,
  };
  const { signal } = new AbortController();
  expect(await takeOver({ ...options, position: origin, signal })).toBe('behind');
  expect(store.get(blockKey(11))).toBeDefined();
});
