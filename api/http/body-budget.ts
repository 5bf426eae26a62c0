/**
 * Bytes that this process holds for requests: their bodies, from arrival until the answer has been sent, and large answers that
 * were not taken yet. They are limited in total and for each organization, so that no organization uses the room of others.
 */
import { Refusal } from '../model/refusal.ts';
import { HeldBytes, type ByteLimits } from './held-bytes.ts';

const mebibyte = 1024 * 1024;
export const bodyLimitDefaults: ByteLimits = {
  totalBytes: 128 * mebibyte,
  organizationBytes: 48 * mebibyte,
};
/** Smaller answers need no room: they are smaller than the buffers of a socket. */
export const smallAnswerMax = 32 * 1024;

/** The bytes held for one request. */
interface BodyHold {
  /** Holds more bytes. Throws a `Refusal` when there is no room for them. */
  readonly add: (bytes: number) => void;
  /** Holds more bytes even if there is no room: a completed request must be answered. */
  readonly addAnyway: (bytes: number) => void;
  readonly release: () => void;
}

export class BodyBudget {
  readonly #held: HeldBytes;
  readonly #what: 'bodies' | 'answers';

  constructor(limits: ByteLimits, what: 'bodies' | 'answers' = 'bodies') {
    this.#held = new HeldBytes(limits);
    this.#what = what;
  }

  /** `owner` is the organization, or another name for callers without one. */
  hold(owner: string): BodyHold {
    let own = 0;
    let isOver = false;
    const addAnyway = (bytes: number) => {
      if (isOver) return;
      own += bytes;
      this.#held.count(owner, bytes);
    };
    return {
      add: (bytes) => {
        this.#check(owner, bytes);
        addAnyway(bytes);
      },
      addAnyway,
      release: () => {
        isOver = true;
        this.#held.count(owner, -own);
        own = 0;
      },
    };
  }

  #check(owner: string, bytes: number): void {
    const reached = this.#held.limitReached(owner, bytes);
    if (reached === 'organizationBytes') {
      throw new Refusal('rate_limited', {
        detail: detailOf[this.#what](this.#held.limits.organizationBytes),
        retryAfterSeconds: 1,
        members: { 'violated-policies': [this.#what] },
      });
    }
    if (reached === 'totalBytes') {
      throw new Refusal('service_unavailable', {
        detail:
          'The service has no memory left for another request. Nothing was done; send it again.',
        retryAfterSeconds: 1,
      });
    }
  }
}

const detailOf = {
  bodies: (limit: number) =>
    `The service already works on requests of this organization with ${limit} bytes. Send fewer at a time.`,
  answers: (limit: number) =>
    `The service already holds answers of ${limit} bytes that this organization has not read. Read them, or ask for fewer at a time.`,
} as const;
