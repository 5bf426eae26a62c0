/**
 * Bytes of request bodies that this process holds, from arrival until the answer has left. They are limited in total and for each
 * organization, so that no organization takes the room of the others.
 */
import { Refusal } from '../model/refusal.ts';

export interface BodyLimits {
  readonly totalBytes: number;
  readonly organizationBytes: number;
}

const mebibyte = 1024 * 1024;
export const bodyLimitDefaults: BodyLimits = {
  totalBytes: 128 * mebibyte,
  organizationBytes: 48 * mebibyte,
};

/** The bytes held for one request. */
export interface BodyHold {
  /** Holds more bytes. Throws a `Refusal` when there is no room for them. */
  readonly add: (bytes: number) => void;
  readonly release: () => void;
}

export class BodyBudget {
  readonly #limits: BodyLimits;
  readonly #held = new Map<string, number>();
  #total = 0;

  constructor(limits: BodyLimits) {
    this.#limits = limits;
  }

  /** `owner` is the organization, or another name for callers without one. */
  hold(owner: string): BodyHold {
    let own = 0;
    return {
      add: (bytes) => {
        this.#check(owner, bytes);
        own += bytes;
        this.#count(owner, bytes);
      },
      release: () => {
        this.#count(owner, -own);
        own = 0;
      },
    };
  }

  #check(owner: string, bytes: number): void {
    const { totalBytes, organizationBytes } = this.#limits;
    if ((this.#held.get(owner) ?? 0) + bytes > organizationBytes) {
      throw new Refusal('rate_limited', {
        detail: `The service already works on requests of this organization with ${organizationBytes} bytes. Send fewer at a time.`,
        retryAfterSeconds: 1,
        members: { 'violated-policies': ['bodies'] },
      });
    }
    if (this.#total + bytes > totalBytes) {
      throw new Refusal('service_unavailable', {
        detail:
          'The service has no memory left for another request. Nothing was done; send it again.',
        retryAfterSeconds: 1,
      });
    }
  }

  #count(owner: string, bytes: number): void {
    this.#total += bytes;
    const held = (this.#held.get(owner) ?? 0) + bytes;
    if (held > 0) this.#held.set(owner, held);
    else this.#held.delete(owner);
  }
}
