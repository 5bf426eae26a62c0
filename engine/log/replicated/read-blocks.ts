/** Reads blocks that are known to be there, for whoever has their sequences: from what the member beside has, in one request. */
import type { Etcd } from './etcd.ts';
import { blockKey } from './keys.ts';

/** The blocks are 2.3 MiB at most, from the member beside this process. */
const READ_TIMEOUT_MS = 5_000;

/** Bytes of blocks that are read at once; the last block may add its own. */
export const READ_BYTES = 1 << 20;

/** Returns the bytes of `count` blocks from a sequence on; fewer if some are deleted. Rejects with EtcdError. */
export async function readBlocks(
  etcd: Pick<Etcd, 'txn'>,
  range: { readonly from: number; readonly count: number },
  signal: AbortSignal,
): Promise<readonly Uint8Array[]> {
  const { from, count } = range;
  const { results } = await etcd.txn(
    {
      compare: [],
      success: [
        {
          do: 'range',
          key: blockKey(from),
          rangeEnd: blockKey(from + count),
          limit: count,
          serializable: true,
        },
      ],
      failure: [],
    },
    { timeoutMs: READ_TIMEOUT_MS, signal },
  );
  return results[0]?.kvs.map(({ value }) => value) ?? [];
}
