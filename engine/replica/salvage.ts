/**
 * Salvage from one replica when the majority is gone for good: its data file's state, and the later blocks that its etcd
 * member has. Only blocks that the member has applied itself are read, because there is no majority to ask. Entries that it
 * had received but did not know to be committed are lost.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { DataFile } from '../log/data-file.ts';
import type { CheckpointPosition, LogPlace } from '../log/log.ts';
import { blockSealKey, decodeBlock, misfitOf, positionAfter } from '../log/replicated/block.ts';
import { ReplicatedLogError } from '../log/replicated/errors.ts';
import type { Etcd, EtcdMembership } from '../log/replicated/etcd.ts';
import { identityProblem, metaOf } from '../log/replicated/identity.ts';
import { META, sequenceOf } from '../log/replicated/keys.ts';
import { decodeMeta, type Meta } from '../log/replicated/records.ts';
import { readTail } from '../log/replicated/tail.ts';
import { lacksState } from '../log/without-state.ts';
import { batchSizeLimitProduction } from '../wire/limits.ts';
import { engineRelease } from '../wire/release.ts';
import { Executor } from './executor.ts';
import { logPositionOf } from './log-position.ts';
import { newLedger } from './new-ledger.ts';

interface SalvageOptions {
  /** Data file of a replica that does not run. The salvaged state is written to it as a checkpoint. */
  readonly path: string;
  /** The etcd member beside the replica, which must run. */
  readonly etcd: Pick<Etcd, 'txn' | 'status'> & Pick<EtcdMembership, 'members'>;
  readonly memoryLimitBytes: number;
  /** Path of the exported file, which must not exist. */
  readonly to: string;
}

/** Reason why nothing is salvaged; the message says what to do. */
export class SalvageRefused extends Error {
  override readonly name = 'SalvageRefused';
  readonly code = 'salvage_refused';
}

const CALL_TIMEOUT_MS = 5000;

/** Salvages. Rejects with SalvageRefused, ReplicatedLogError, DataFileError or EtcdError. */
export async function salvage(options: SalvageOptions): Promise<CheckpointPosition> {
  const { path, etcd, memoryLimitBytes, to } = options;
  await expectMajorityGone(etcd);
  let failure: Error | undefined;
  const onFailure = (error: Error): void => {
    failure = error;
  };
  const file = await DataFile.open({ path, release: engineRelease, onFailure });
  try {
    const { identity } = file;
    const ledger = newLedger(memoryLimitBytes);
    const executor = new Executor({ ledger, identity, batchSizeLimit: batchSizeLimitProduction });
    const position = await file.load(executor.state);
    if (lacksState(position.place)) {
      throw new SalvageRefused(
        `${path} has no state yet, which it was to fetch from another replica: take another survivor.`,
      );
    }
    executor.loaded(position);
    const place = await applyBlocks(etcd, file, executor, position);
    file.beginCheckpoints({ ring: undefined, pause: (tookMs) => sleep(tookMs) });
    if (place !== undefined)
      await file.checkpoint(executor.state, { ...executor.position(), place });
    await file.exportTo({ path: to });
    return file.superblock.position;
  } catch (error) {
    throw failure ?? error;
  } finally {
    await file.close();
  }
}

/** Rejects unless the member is alone: without a leader, or made the only one by `--force-new-cluster`. */
async function expectMajorityGone(etcd: SalvageOptions['etcd']): Promise<void> {
  const call = { timeoutMs: CALL_TIMEOUT_MS };
  const { leaderId } = await etcd.status(call);
  if (leaderId === 0n || (await etcd.members(call)).length === 1) return;
  throw new SalvageRefused(
    'etcd has a leader, so that the majority is there: start the replica and export it with --status-address.',
  );
}

/**
 * Executes the member's blocks after the checkpoint, up to the first gap. Returns `undefined` if there are none.
 */
async function applyBlocks(
  etcd: Pick<Etcd, 'txn'>,
  { identity, pages }: DataFile,
  executor: Executor,
  position: CheckpointPosition,
): Promise<LogPlace | undefined> {
  const meta = await readMeta(etcd);
  // Nobody has ever led, so nothing was ever logged.
  if (meta === undefined && position.place === undefined) return undefined;
  const { clusterId, replicaIndex, replicaCount } = identity;
  const incarnation = position.place?.incarnation ?? meta?.incarnation ?? 0;
  const own = { clusterId, incarnation, replica: replicaIndex, replicaCount };
  let at = logPositionOf(position);
  const problem = identityProblem(own, metaOf(own, at), meta);
  if (problem !== undefined) throw problem;
  const sealKey = blockSealKey(clusterId, incarnation);
  const { signal } = new AbortController();
  let revision: number | undefined;
  for (let from = at.sequence + 1, more = true; more;) {
    const page = await readTail(etcd, from, { revision, signal, serializable: true });
    expectNothingDeleted(page.floor, at.sequence);
    ({ revision, more } = page);
    for (const { key, value } of page.blocks) {
      const sequence = sequenceOf(key);
      from = (sequence ?? from) + 1;
      // Blocks after a gap were never acknowledged.
      if (sequence !== at.sequence + 1) return placeOf(at, position, incarnation);
      const block = decodeBlock(sealKey, value);
      const misfit = block === undefined ? 'seal' : misfitOf(at, block);
      if (block === undefined || misfit !== undefined) {
        throw new ReplicatedLogError(
          'block_corrupt',
          `Block ${sequence} is damaged on this member (${misfit}): take another survivor, or export the data file alone with --from.`,
        );
      }
      for (const entry of block.entries) await executor.replay(entry, pages);
      at = positionAfter(block);
    }
  }
  return placeOf(at, position, incarnation);
}

/** Rejects a log whose blocks right after `sequence` were deleted because the other replicas had them in checkpoints. */
function expectNothingDeleted(floor: number, sequence: number): void {
  if (floor <= sequence + 1) return;
  throw new SalvageRefused(
    `The data file ends with block ${sequence}, and the blocks before ${floor} are no longer in the log: this replica was away while the others went on. Take another survivor. If there is none, export the data file alone, with --from and without --etcd; it lacks every write after block ${sequence}.`,
  );
}

function placeOf(
  { sequence, fence, seal }: ReturnType<typeof logPositionOf>,
  checkpoint: CheckpointPosition,
  incarnation: number,
): LogPlace | undefined {
  const isFurther = sequence > (checkpoint.place?.sequence ?? 0);
  return isFurther ? { incarnation, sequence, fence, seal } : undefined;
}

async function readMeta(etcd: Pick<Etcd, 'txn'>): Promise<Meta | undefined> {
  const success = [{ do: 'range', key: META, serializable: true }] as const;
  const call = { timeoutMs: CALL_TIMEOUT_MS };
  const { results } = await etcd.txn({ compare: [], success, failure: [] }, call);
  const found = results[0]?.kvs[0];
  return found === undefined ? undefined : decodeMeta(found.value);
}
