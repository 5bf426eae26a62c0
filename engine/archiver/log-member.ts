/**
 * The log of several replicas in the member of etcd beside the engine, read by the archiver: the engine says which blocks are committed, and spends
 * no time on their bytes. Blocks may be deleted at any time. Each is verified by the seal that the engine named: what is read is exactly that
 * block, or nothing.
 */
import { blockSealKey, openBlock, putContent } from '../log/replicated/block.ts';
import { EtcdError, type Etcd } from '../log/replicated/etcd.ts';
import { READ_BYTES, readBlocks } from '../log/replicated/read-blocks.ts';
import type { LogPlaced } from '../log/placed.ts';
import { sealMatches } from '../log/seal.ts';
import type { PlacedPart } from '../feed/placed-part.ts';
import type { EntrySink, LogSource } from './log-source.ts';

interface LogMemberOptions {
  /** Client of the member; it is closed with this. */
  readonly etcd: Pick<Etcd, 'txn' | 'close'>;
  readonly clusterId: bigint;
}

export class LogMember implements LogSource {
  readonly form = 'blocks';
  readonly name = 'Member';
  readonly #options: LogMemberOptions;
  readonly #closed = new AbortController();
  problem = '';

  constructor(options: LogMemberOptions) {
    this.#options = options;
  }

  /** Without the member the engine has no log either, so that a failure never ends this. */
  async read(
    { places, incarnation = 1 }: Pick<PlacedPart, 'places' | 'incarnation'>,
    sink: EntrySink,
  ): Promise<boolean> {
    const { etcd, clusterId } = this.#options;
    const key = blockSealKey(clusterId, incarnation);
    try {
      for (const run of runsOf(places)) {
        const range = { from: run[0]?.at ?? 0, count: run.length };
        const found = await readBlocks(etcd, range, this.#closed.signal);
        for (const [index, place] of run.entries()) {
          const block = found[index] && openBlock(key, found[index]);
          if (block === undefined || !sealMatches(block.seal, place.seal)) {
            this.problem = 'the member of etcd has not the blocks that the engine names';
            return false;
          }
          putContent(sink.room(block.contentBytes), block);
          sink.added(block.contentBytes, block.entryCount);
        }
      }
      return true;
    } catch (error) {
      if (!(error instanceof EtcdError)) throw error;
      this.problem = `the member of etcd does not answer: ${error.message}`;
      return false;
    }
  }

  close(): Promise<void> {
    this.#closed.abort();
    this.#options.etcd.close();
    return Promise.resolve();
  }
}

/** Blocks that follow each other and are read at once. */
function runsOf(places: readonly LogPlaced[]): readonly (readonly LogPlaced[])[] {
  const runs: LogPlaced[][] = [];
  let [next, size] = [-1, 0];
  for (const place of places) {
    const run = place.at === next && size < READ_BYTES ? runs.at(-1) : undefined;
    if (run === undefined) runs.push([place]);
    else run.push(place);
    size = (run === undefined ? 0 : size) + place.bytes;
    next = place.at + 1;
  }
  return runs;
}
