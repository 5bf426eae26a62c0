/**
 * The header Idempotency-Key: a repeated request is executed once and gets the same answer for a day. The answer is stored in the
 * change that executes the request, so that after any crash either both exist or neither does. It is stored encrypted, because it
 * may hold a secret that is shown once.
 */
import type { Author } from '../model/actor.ts';
import { Refusal } from '../model/refusal.ts';
import type { Change } from '../store/change.ts';
import {
  abandonIdempotent,
  beginIdempotent,
  endIdempotent,
  type IdempotencyKey,
} from '../store/idempotency.ts';
import type { Sealer } from '../store/sealing.ts';
import { StoreUnavailable } from '../store/store-errors.ts';
import type { Store } from '../store/store.ts';
import type { RequestFacts } from './handler.ts';

/** Longer than any request with a key may take. */
const leaseMs = 60_000;

interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: readonly string[];
  readonly body?: unknown;
}

interface Repeatable {
  readonly principal: { readonly credentialId: string };
  readonly idempotency: RequestFacts['idempotency'];
}

/** Stores the answer in a change. */
type Keep<Answer> = (change: Change, reply: Answer) => Promise<void>;

export class IdempotentRequests {
  readonly #store: Store;
  readonly #sealer: Sealer;

  constructor(store: Store, sealer: Sealer) {
    this.#store = store;
    this.#sealer = sealer;
  }

  /** Executes a request in one change. `work` checks it, executes it and returns the answer. */
  change<Answer extends Reply>(
    request: Repeatable & { readonly author: Author },
    work: (change: Change) => Promise<Answer>,
  ): Promise<Answer> {
    return this.run<Answer>(request, (keep) =>
      this.#store.change(request.author, async (change) => {
        const reply = await work(change);
        await keep(change, reply);
        return reply;
      }),
    );
  }

  /**
   * `work` must call `keep` within its change. If it answers without calling `keep`, nothing was done and the answer is not
   * stored.
   */
  async run<Answer extends Reply>(
    { principal, idempotency }: Repeatable,
    work: (keep: Keep<Answer>) => Promise<Answer>,
  ): Promise<Answer> {
    if (idempotency === undefined) return work(() => Promise.resolve());
    const { key, requestHash } = idempotency;
    const who = { principal: principal.credentialId, key };
    const start = await beginIdempotent(this.#store.read, who, requestHash, leaseMs);
    if (start.kind === 'answered') return this.#opened(who, start.sealed) as Answer;
    if (start.kind === 'reused') throw reused();
    if (start.kind === 'in_progress') throw inProgress();
    let kept = false;
    try {
      const reply = await work(async (change, answer) => {
        await endIdempotent(change, start.token, this.#sealed(who, answer));
        kept = true;
      });
      if (!kept) await abandonIdempotent(this.#store.read, start.token);
      return reply;
    } catch (error) {
      // If it is unknown whether the change was committed, the key stays held until its lease ends.
      const unknown = error instanceof StoreUnavailable && error.outcome === 'unknown';
      if (!unknown) await abandonIdempotent(this.#store.read, start.token).catch(() => {});
      throw error;
    }
  }

  #sealed(who: IdempotencyKey, { status, headers, cookies, body }: Reply): Buffer {
    return this.#sealer.seal(contextOf(who), JSON.stringify({ status, headers, cookies, body }));
  }

  #opened(who: IdempotencyKey, sealed: Buffer | null): Reply {
    if (sealed === null) throw answerLost();
    let text: string;
    try {
      text = this.#sealer.open(contextOf(who), sealed);
    } catch (error) {
      throw answerLost(error);
    }
    const reply = JSON.parse(text) as Reply;
    return { ...reply, headers: { ...reply.headers, 'Idempotent-Replayed': 'true' } };
  }
}

const contextOf = ({ principal, key }: IdempotencyKey): string => `idempotency ${principal} ${key}`;

const reused = () =>
  new Refusal('idempotency_key_reused', {
    detail: 'This Idempotency-Key came with another request before; send a new key.',
  });

const inProgress = () =>
  new Refusal('idempotency_in_progress', {
    detail: 'The same request is still being worked on; retry to get its answer.',
    retryAfterSeconds: 1,
  });

/** The signing key that encrypted the answer is gone, or the answer was not encrypted. */
const answerLost = (cause?: unknown) =>
  new Refusal('idempotency_answer_lost', {
    detail:
      'The request was carried out when it first came, and its answer can no longer be read. Look at what it made; do not send it with a new key.',
    cause,
  });
