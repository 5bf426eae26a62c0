/**
 * How much of the service one caller may take, in this process: with several of them behind one address it is as many times
 * more. Announced in the headers of draft-ietf-httpapi-ratelimit-headers.
 */
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { Refusal } from '../model/refusal.ts';

export interface RateLimitSettings {
  /** Requests that are not ledger operations, a minute, an organization. */
  readonly controlPerMinute: number;
  /** Ledger operations, a second, a credential. */
  readonly ledgerPerSecond: number;
  /** Credentials that are not good, a minute, an address. */
  readonly wrongCredentialsPerMinute: number;
}

export const rateLimitDefaults: RateLimitSettings = {
  controlPerMinute: 600,
  ledgerPerSecond: 5_000,
  wrongCredentialsPerMinute: 60,
};

export type RatePolicy = 'control' | 'ledger' | 'credentials';
export const ratePolicies: readonly RatePolicy[] = ['control', 'ledger', 'credentials'];

export class RateLimits {
  readonly #limiters: Readonly<Record<RatePolicy, RateLimiterMemory>>;
  readonly #onRefused: (policy: RatePolicy) => void;

  constructor(settings: RateLimitSettings, onRefused: (policy: RatePolicy) => void) {
    const limiter = (points: number, duration: number) =>
      new RateLimiterMemory({ points, duration });
    this.#limiters = {
      control: limiter(settings.controlPerMinute, 60),
      ledger: limiter(settings.ledgerPerSecond, 1),
      credentials: limiter(settings.wrongCredentialsPerMinute, 60),
    };
    this.#onRefused = onRefused;
  }

  /** Takes one. The result is for the answer's headers; throws when there is none left. */
  async take(policy: RatePolicy, who: string): Promise<Readonly<Record<string, string>>> {
    const limiter = this.#limiters[policy];
    try {
      return headersOf(policy, limiter, await limiter.consume(who));
    } catch (error) {
      throw this.#refused(policy, error as RateLimiterRes);
    }
  }

  /** Throws when there is none left, and takes none. */
  async check(policy: RatePolicy, who: string): Promise<void> {
    const limiter = this.#limiters[policy];
    const taken = await limiter.get(who);
    if (taken !== null && taken.consumedPoints >= limiter.points)
      throw this.#refused(policy, taken);
  }

  /** Takes one where it is too late to refuse. */
  async count(policy: RatePolicy, who: string): Promise<void> {
    await this.#limiters[policy].penalty(who);
  }

  #refused(policy: RatePolicy, taken: RateLimiterRes): Refusal {
    this.#onRefused(policy);
    const { points, duration } = this.#limiters[policy];
    const seconds = Math.max(1, Math.ceil(taken.msBeforeNext / 1_000));
    return new Refusal('rate_limited', {
      detail: `More than ${points} in ${duration} s (${whose[policy]}); go on in ${seconds} s.`,
      retryAfterSeconds: seconds,
      headers: headersOf(policy, this.#limiters[policy], taken),
      members: { 'violated-policies': [policy] },
    });
  }
}

const whose: Readonly<Record<RatePolicy, string>> = {
  control: 'requests of the organization',
  ledger: 'ledger operations of the credential',
  credentials: 'credentials that were not valid, from one address',
};

const headersOf = (
  policy: RatePolicy,
  { points, duration }: RateLimiterMemory,
  taken: RateLimiterRes,
): Readonly<Record<string, string>> => ({
  'RateLimit-Policy': `"${policy}";q=${points};w=${duration}`,
  RateLimit: `"${policy}";r=${Math.max(0, taken.remainingPoints)};t=${Math.ceil(taken.msBeforeNext / 1_000)}`,
});
