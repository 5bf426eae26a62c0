/**
 * Guard against one request that ends a TigerBeetle cluster for good. A post or void of a pending transfer that is also `imported`
 * trips an assertion of TigerBeetle up to 0.17.9 if the pending transfer has a timeout. The request is in the log by then, so each
 * restart replays it and ends the same way (tigerbeetle/tigerbeetle#3867). The timeout stands in the ledger and not in the request,
 * so every imported post or void is refused.
 *
 * Another such request needs a look into the ledger first: api/gateway/met-expiry.ts.
 */
import { TransferFlag } from './flags.ts';
import { decodeMultiBatch } from './multi-batch.ts';
import { Operation } from './operations.ts';
import { WireTransfer } from './records.ts';
import { releaseOf } from './release.ts';

const transferSize = WireTransfer.words * 4;
/** Timestamps that an imported transfer may have. */
const timestampRange = { min: 1n, max: 2n ** 63n - 1n } as const;
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
export const importedPostIn = (transfers: Uint8Array): number | undefined =>
  firstWith(
    transfers,
    (flags) =>
      (flags & TransferFlag.imported) !== 0 &&
      (flags & (TransferFlag.post_pending_transfer | TransferFlag.void_pending_transfer)) !== 0,
  );

/** The same for the first imported transfer of any kind. */
export const importedIn = (transfers: Uint8Array): number | undefined =>
  firstWith(transfers, (flags) => (flags & TransferFlag.imported) !== 0);

export interface ImportedTransfer {
  readonly timestamp: bigint;
  /** Among the records of transfers. */
  readonly index: number;
}

/** The imported transfers whose timestamps an engine may accept, in the order of these. */
export function importedTransfers(transfers: Uint8Array): readonly ImportedTransfer[] {
  const view = new DataView(transfers.buffer, transfers.byteOffset, transfers.byteLength);
  const found: ImportedTransfer[] = [];
  for (let at = 0; at + transferSize <= transfers.length; at += transferSize) {
    if ((view.getUint16(at + flagsAt, true) & TransferFlag.imported) === 0) continue;
    const timestamp = view.getBigUint64(at + WireTransfer.timestamp * 4, true);
    const { min, max } = timestampRange;
    if (timestamp >= min && timestamp <= max) found.push({ timestamp, index: at / transferSize });
  }
  return found.toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : 1));
}

function firstWith(transfers: Uint8Array, isOne: (flags: number) => boolean): number | undefined {
  for (let at = 0; at + transferSize <= transfers.length; at += transferSize) {
    const flags = (transfers[at + flagsAt] ?? 0) | ((transfers[at + flagsAt + 1] ?? 0) << 8);
    if (isOne(flags)) return at / transferSize;
  }
  return undefined;
}

/**
 * The transfers that the body of a request creates, whatever its operation, those of all its batches after each other. A body that is
 * not valid has none: the engine refuses it.
 */
export function createdTransfers(operation: number, body: Uint8Array): Uint8Array {
  switch (operation) {
    case Operation.createTransfersUnbatched:
      return body;
    case Operation.createTransfersSparse:
    case Operation.createTransfers: {
      const counts = decodeMultiBatch(body, transferSize);
      const count = counts?.reduce((sum, one) => sum + one, 0) ?? 0;
      return body.subarray(0, count * transferSize);
    }
    default:
      return new Uint8Array();
  }
}
