/**
 * Reader of the log's end, a page at a time: the blocks from a sequence on, with the fence and the floor of the same
 * revision.
 */
import type { Etcd, KeyValue } from './etcd.ts';
import { blockKey, BLOCKS_END, FLOOR, LEAD } from './keys.ts';
import { CALL_TIMEOUT_MS, PAGE_BLOCKS, PAGE_WINDOW_BLOCKS } from './limits.ts';
import { decodeFloor } from './records.ts';

interface TailPage {
  readonly revision: number;
  /** mod_revision of `lead`; 0 if nobody has ever led. */
  readonly fence: number;
  /** Blocks below this sequence may be deleted. */
  readonly floor: number;
  readonly blocks: readonly KeyValue[];
  readonly more: boolean;
}

/**
 * Reads one page. `revision` is that of the first page, for the pages after it. `serializable` reads what this member alone
 * has, for when there is no majority; otherwise the page contains everything that any member has committed. Rejects with
 * EtcdError, for example `compacted`.
 */
export async function readTail(
  etcd: Pick<Etcd, 'txn'>,
  from: number,
  options: TailOptions,
): Promise<TailPage> {
  if (options.revision !== undefined) {
    const page = await readPage(etcd, from, blockKey(from + PAGE_WINDOW_BLOCKS), options);
    if (page.more) return page;
  }
  return readPage(etcd, from, BLOCKS_END, options);
}

interface TailOptions {
  readonly revision?: number | undefined;
  readonly signal: AbortSignal;
  readonly serializable?: boolean;
}

async function readPage(
  etcd: Pick<Etcd, 'txn'>,
  from: number,
  rangeEnd: Uint8Array,
  { revision, signal, serializable = false }: TailOptions,
): Promise<TailPage> {
  const asOf = { serializable, ...(revision === undefined ? {} : { revision }) };
  const blocks = { key: blockKey(from), rangeEnd, limit: PAGE_BLOCKS };
  const result = await etcd.txn(
    {
      compare: [],
      success: [
        { do: 'range', key: LEAD, keysOnly: true, ...asOf },
        { do: 'range', key: FLOOR, ...asOf },
        { do: 'range', ...blocks, ...asOf },
      ],
      failure: [],
    },
    { timeoutMs: CALL_TIMEOUT_MS, signal },
  );
  const [lead, floor, page] = result.results;
  const floorRecord = floor?.kvs[0];
  return {
    revision: revision ?? result.revision,
    fence: lead?.kvs[0]?.modRevision ?? 0,
    floor: floorRecord === undefined ? 0 : decodeFloor(floorRecord.value).sequence,
    blocks: page?.kvs ?? [],
    more: page?.more ?? false,
  };
}
