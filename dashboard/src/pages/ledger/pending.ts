/** The outcome of a pending transfer. The ledger has no query by `pending_id`, so the later transfers are read. */
import type { Transfer } from '../../../../gen/api.ts';
import { isTransfer } from '../../lib/records.ts';

export type PendingLife =
  | { readonly state: 'posted' | 'voided'; readonly by: Transfer }
  | { readonly state: 'expired'; readonly at: string }
  /** `until`: nanoseconds; `undefined`: it has no timeout. */
  | { readonly state: 'open'; readonly until: string | undefined }
  | { readonly state: 'unknown' };

const second = 1_000_000_000n;

/**
 * `later`: later transfers of its debit account; `isWhole`: whether these are all. `now` is the time of this browser in
 * nanoseconds: the ledger's own may differ a little.
 */
export function lifeOf(
  pending: Pick<Transfer, 'id' | 'timestamp' | 'timeout'>,
  { later, isWhole }: { readonly later: readonly Transfer[]; readonly isWhole: boolean },
  now: bigint,
): PendingLife {
  const by = later.find(({ pending_id: id }) => id === pending.id);
  if (by !== undefined) {
    return { state: isTransfer(by.flags, 'post_pending_transfer') ? 'posted' : 'voided', by };
  }
  if (!isWhole) return { state: 'unknown' };
  if (pending.timeout === 0) return { state: 'open', until: undefined };
  const until = BigInt(pending.timestamp) + BigInt(pending.timeout) * second;
  return until <= now
    ? { state: 'expired', at: until.toString() }
    : { state: 'open', until: until.toString() };
}
