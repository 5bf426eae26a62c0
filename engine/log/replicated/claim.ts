/** Claim of the lead: one compare-and-swap on `lead`, which gives the fence. */
import { backoffMs } from '../../../base/backoff.ts';
import { sleep, type Timers } from '../../../base/timers.ts';
import { EtcdError, type Etcd } from './etcd.ts';
import { LEAD } from './keys.ts';
import { CALL_TIMEOUT_MS, RETRY } from './limits.ts';
import { decodeLead, encodeRecord, type Lead } from './records.ts';

interface Claim {
  /** mod_revision of `lead` as the claimant last saw it; 0 if nobody has ever led. */
  readonly seen: number;
  readonly lead: Lead;
}

export interface Won {
  readonly fence: number;
  readonly view: number;
}

/** Tries with lost answers before giving up. The claim may still succeed; its nonce in `lead` shows that. */
const TRIES_MAX = 3;

/** Claims the lead. Returns `undefined` if another replica was faster, or if no answer came. */
export async function claim(
  {
    etcd,
    timers,
    random,
  }: { readonly etcd: Etcd; readonly timers: Timers; readonly random: () => number },
  { seen, lead }: Claim,
  signal: AbortSignal,
): Promise<Won | undefined> {
  const request = {
    compare: [{ key: LEAD, target: 'modRevision', is: 'equal', revision: seen }],
    success: [{ do: 'put', key: LEAD, value: encodeRecord(lead) }],
    failure: [{ do: 'range', key: LEAD }],
  } as const;
  for (let failures = 0; failures < TRIES_MAX && !signal.aborted;) {
    try {
      const result = await etcd.txn(request, { timeoutMs: CALL_TIMEOUT_MS, signal });
      if (result.succeeded) return { fence: result.revision, view: lead.view };
      const found = result.results[0]?.kvs[0];
      if (found === undefined) return undefined;
      // Our own claim may be there: an earlier try whose answer was lost, perhaps with another view.
      const { nonce, view } = decodeLead(found.value);
      const ours = nonce === lead.nonce && found.modRevision > seen;
      return ours ? { fence: found.modRevision, view } : undefined;
    } catch (error) {
      if (!(error instanceof EtcdError)) throw error;
      failures += 1;
      await sleep(timers, backoffMs(failures, RETRY, random), signal);
    }
  }
  return undefined;
}

/** Returns the smallest view above `last` that belongs to this replica. */
export function nextView(last: number, replica: number, replicaCount: number): number {
  const next = last + 1;
  return next + ((replica - (next % replicaCount) + replicaCount) % replicaCount);
}
