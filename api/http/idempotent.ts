/**
 * The header Idempotency-Key: a repeated request is executed once and gets the same answer for a day. The answer is stored in the
 * change that executes the request, so that after any crash either both exist or neither does.
 */
import type { Principal } from '../auth/principal.ts';
import type { Change } from '../store/change.ts';
import {
  abandonIdempotent,
  beginIdempotent,
  endIdempotent,
  type StoredResponse,
} from '../store/idempotency.ts';
import { StoreUnavailable } from '../store/store-errors.ts';
import type { Store } from '../store/store.ts';
import type { RequestFacts } from './handler.ts';
import { Refusal } from '../model/refusal.ts';

/** Longer than any request with a key may take. */
const leaseMs = 60_000;

interface JsonReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/**
 * `work` must call `keep` within its change. If it answers without calling `keep`, nothing was done and the answer is not stored.
 */
export async function once<Answer extends JsonReply>(
  store: Store,
  principal: Principal,
  idempotency: RequestFacts['idempotency'],
  work: (keep: (change: Change, reply: Answer) => Promise<void>) => Promise<Answer>,
): Promise<Answer> {
  if (idempotency === undefined) return work(() => Promise.resolve());
  const { key, requestHash } = idempotency;
  const { organization, credentialId } = principal;
  const who = { organizationId: organization.id, principal: credentialId, key };
  const start = await beginIdempotent(store.read, who, requestHash, leaseMs);
  if (start.kind === 'answered') return replyOf(start.response) as Answer;
  if (start.kind === 'reused') {
    throw new Refusal('idempotency_key_reused', {
      detail: 'This Idempotency-Key came with another request before; send a new key.',
    });
  }
  if (start.kind === 'in_progress') {
    throw new Refusal('idempotency_in_progress', {
      detail: 'The same request is still being worked on; retry to get its answer.',
      retryAfterSeconds: 1,
    });
  }
  let kept = false;
  try {
    const reply = await work(async (change, { status, headers = {}, body }) => {
      await endIdempotent(change, start.token, { status, headers, body });
      kept = true;
    });
    if (!kept) await abandonIdempotent(store.read, start.token);
    return reply;
  } catch (error) {
    // If it is unknown whether the change was committed, the key stays held until its lease ends.
    const unknown = error instanceof StoreUnavailable && error.outcome === 'unknown';
    if (!unknown) await abandonIdempotent(store.read, start.token).catch(() => {});
    throw error;
  }
}

const replyOf = ({ status, headers, body }: StoredResponse): JsonReply => ({
  status,
  headers: { ...headers, 'Idempotent-Replayed': 'true' },
  body,
});
