/**
 * Work of a new leader before its first append. Its fence stands, so no other replica adds a block. It takes all blocks up
 * to the first gap, then deletes those beyond the gap. None of the deleted blocks was acknowledged, because the leader
 * before acknowledged only blocks without a gap before them.
 *
 * The deletion has two conditions: its fence stands, and every block that it would delete is older. So a lost try that
 * arrives only after new blocks were put there does nothing.
 */
import type { KeyObject } from 'node:crypto';
import { backoffMs } from '../../../base/backoff.ts';
import { sleep, type Timers } from '../../../base/timers.ts';
import { decodeBlock, misfitOf, positionAfter, type Block, type LogPosition } from './block.ts';
import { EtcdError, type Etcd, type Txn } from './etcd.ts';
import { corruptBlock } from './follower.ts';
import { blockKey, BLOCKS_END, LEAD, META, sequenceOf } from './keys.ts';
import { CALL_TIMEOUT_MS, RETRY } from './limits.ts';
import { encodeRecord, type Meta } from './records.ts';
import { readTail } from './tail.ts';

interface TakeOverOptions {
  readonly etcd: Etcd;
  readonly timers: Timers;
  readonly random: () => number;
  readonly sealKey: KeyObject;
  readonly fence: number;
  readonly position: LogPosition;
  /** Written if nobody has led before; `undefined` if it is known that somebody has. */
  readonly meta: Meta | undefined;
  readonly onBlock: (block: Block) => void;
  readonly signal: AbortSignal;
}

/**
 * - `ready`: all blocks are taken, and none is left after them.
 * - `deposed`: another replica leads by now, or the signal was aborted.
 * - `behind`: blocks that this replica needs are deleted; it must not lead.
 */
type TakeOver = 'ready' | 'deposed' | 'behind';

/** Takes over the log, however long it takes. Rejects with ReplicatedLogError. */
export async function takeOver(options: TakeOverOptions): Promise<TakeOver> {
  const { timers, random, signal } = options;
  let { position } = options;
  const onBlock = (block: Block): void => {
    position = positionAfter(block);
    options.onBlock(block);
  };
  for (let failures = 0; !signal.aborted;) {
    try {
      return await attempt({ ...options, position, onBlock });
    } catch (error) {
      if (!(error instanceof EtcdError)) throw error;
      failures += 1;
      await sleep(timers, backoffMs(failures, RETRY, random), signal);
    }
  }
  return 'deposed';
}

async function attempt(options: TakeOverOptions): Promise<TakeOver> {
  const { etcd, fence, sealKey, onBlock, signal } = options;
  let { position } = options;
  let revision: number | undefined;
  let beyond = false;
  for (let from = position.sequence + 1; ;) {
    const page = await readTail(etcd, from, { revision, signal });
    ({ revision } = page);
    if (page.fence !== fence || signal.aborted) return 'deposed';
    if (page.floor > options.position.sequence + 1) return 'behind';
    for (const { key, value } of page.blocks) {
      const sequence = sequenceOf(key);
      from = (sequence ?? from) + 1;
      beyond ||= sequence !== position.sequence + 1;
      if (beyond) continue;
      const block = decodeBlock(sealKey, value);
      const misfit = block === undefined ? 'seal' : misfitOf(position, block);
      if (block === undefined || misfit !== undefined)
        throw corruptBlock(position.sequence + 1, misfit ?? 'seal');
      position = positionAfter(block);
      onBlock(block);
    }
    if (!page.more) break;
  }
  const { meta } = options;
  const changes = [
    ...(beyond ? [truncation(position, fence)] : []),
    ...(meta === undefined ? [] : [metaCreation(meta, fence)]),
  ];
  for (const change of changes) {
    const done = await etcd.txn(change, { timeoutMs: CALL_TIMEOUT_MS, signal });
    const lead = done.results[0]?.kvs[0];
    if (!done.succeeded && lead?.modRevision !== fence) return 'deposed';
  }
  return signal.aborted ? 'deposed' : 'ready';
}

const lookAtLead = [{ do: 'range', key: LEAD, keysOnly: true }] as const;

const stands = (fence: number) =>
  ({ key: LEAD, target: 'modRevision', is: 'equal', revision: fence }) as const;

function truncation({ sequence }: LogPosition, fence: number): Txn {
  const beyond = { key: blockKey(sequence + 1), rangeEnd: BLOCKS_END };
  return {
    compare: [stands(fence), { ...beyond, target: 'createRevision', is: 'less', revision: fence }],
    success: [{ do: 'delete', ...beyond }],
    failure: lookAtLead,
  };
}

function metaCreation(meta: Meta, fence: number): Txn {
  return {
    compare: [stands(fence), { key: META, target: 'createRevision', is: 'equal', revision: 0 }],
    success: [{ do: 'put', key: META, value: encodeRecord(meta) }],
    failure: lookAtLead,
  };
}
