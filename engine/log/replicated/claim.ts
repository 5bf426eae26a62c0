/** Takes the lead: one compare-and-swap on `lead`, which gives the fence. */
import { backoffMs } from '../../../base/backoff.ts';
import { sleep, type Timers } from '../../../base/timers.ts';
import type { Etcd } from './etcd.ts';
import { LEAD } from './keys.ts';
import { CALL_TIMEOUT_MS, RETRY } from './limits.ts';
import { decodeLead, encodeRecord, type Lead } from './records.ts';

export interface Claim {
  /** mod_revision of `lead` as the claimant last saw it; 0: nobody has ever led. */
  readonly seen: number;
  readonly lead: Lead;
}

/** Tries with lost answers; then the claim may succeed yet, which shows in `lead` by its nonce. */
const TRIES_MAX = 3;

/** The fence, or undefined: somebody else was faster, or nothing could be learned. */
export async function claim(
  {
    etcd,
    timers,
    random,
  }: { readonly etcd: Etcd; readonly timers: Timers; readonly random: () => number },
  { seen, lead }: Claim,
  signal: AbortSignal,
): Promise<number | undefined> {
  const request = {
    compare: [{ key: LEAD, target: 'modRevision', is: 'equal', revision: seen }],
    success: [{ do: 'put', key: LEAD, value: encodeRecord(lead) }],
    failure: [{ do: 'range', key: LEAD }],
  } as const;
  for (let failures = 0; failures < TRIES_MAX && !signal.aborted;) {
    try {
      const result = await etcd.txn(request, { timeoutMs: CALL_TIMEOUT_MS, signal });
      if (result.succeeded) return result.revision;
      const found = result.results[0]?.kvs[0];
      // A try before, whose answer was lost.
      const ours = found !== undefined && decodeLead(found.value).nonce === lead.nonce;
      return ours && found.modRevision > seen ? found.modRevision : undefined;
    } catch {
      failures += 1;
      await sleep(timers, backoffMs(failures, RETRY, random), signal);
    }
  }
  return undefined;
}

/** The smallest view above `last` that is this replica's. */
export function nextView(last: number, replica: number, replicaCount: number): number {
  const next = last + 1;
  return next + ((replica - (next % replicaCount) + replicaCount) % replicaCount);
}
