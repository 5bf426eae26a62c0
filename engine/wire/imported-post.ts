/**
 * Guard against one request that ends a TigerBeetle cluster for good. A post or void of a pending transfer that is also `imported`
 * trips an assertion of TigerBeetle up to 0.17.9 if the pending transfer has a timeout. The request is in the log by then, so each
 * restart replays it and ends the same way (tigerbeetle/tigerbeetle#3867). The timeout stands in the ledger and not in the request,
 * so every imported post or void is refused.
 */
import { TransferFlag } from './flags.ts';
import { decodeMultiBatch } from './multi-batch.ts';
import { Operation } from './operations.ts';
import { WireTransfer } from './records.ts';
import { releaseOf } from './release.ts';

const transferSize = WireTransfer.words * 4;
/** The flags are the upper half of the word. */
const flagsAt = WireTransfer.codeFlags * 4 + 2;
const newestAffected = releaseOf(0, 17, 9);

/** Returns whether an imported post or void ends this engine. A version that is not a release counts as affected. */
export function endsByImportedPost(engine: string, version: string): boolean {
  if (engine !== 'TigerBeetle') return false;
  const [, major, minor, patch] = /^v?(\d{1,5})\.(\d{1,3})\.(\d{1,3})$/.exec(version) ?? [];
  if (major === undefined) return true;
  return releaseOf(Number(major), Number(minor), Number(patch)) <= newestAffected;
}

/** Returns the index of the first imported post or void among the records of transfers, or `undefined` if there is none. */
export function importedPostIn(transfers: Uint8Array): number | undefined {
  for (let at = 0; at + transferSize <= transfers.length; at += transferSize) {
    const flags = (transfers[at + flagsAt] ?? 0) | ((transfers[at + flagsAt + 1] ?? 0) << 8);
    if ((flags & TransferFlag.imported) === 0) continue;
    if ((flags & (TransferFlag.post_pending_transfer | TransferFlag.void_pending_transfer)) === 0)
      continue;
    return at / transferSize;
  }
  return undefined;
}

/**
 * The same for the body of a request, whatever its operation. The index counts the transfers of all its batches. A body that is
 * not valid has none: the engine refuses it.
 */
export function importedPostInBody(operation: number, body: Uint8Array): number | undefined {
  switch (operation) {
    case Operation.createTransfersUnbatched:
      return importedPostIn(body);
    case Operation.createTransfersSparse:
    case Operation.createTransfers: {
      const counts = decodeMultiBatch(body, transferSize);
      const count = counts?.reduce((sum, one) => sum + one, 0) ?? 0;
      return importedPostIn(body.subarray(0, count * transferSize));
    }
    default:
      return undefined;
  }
}
