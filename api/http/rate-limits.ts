/**
 * Rate limits of one caller in this process; with several processes behind one address, the limits add up. They are announced in
 * the headers of draft-ietf-httpapi-ratelimit-headers.
 */
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { Refusal } from '../model/refusal.ts';
import { RefusalPace } from './refusal-pace.ts';

export interface RateLimitSettings {
  /** Requests a minute for each credential, without ledger operations. */
  readonly controlPerMinute: number;
  /** Ledger operations a second for each organization. */
  readonly ledgerPerSecond: number;
  /** Decompressed bytes of ledger request bodies, a second for each organization. */
  readonly ledgerBytesPerSecond: number;
  /** Events that ledger operations write, and records that they may answer with, a second for each organization. */
  readonly ledgerEventsPerSecond: number;
  /** Wrong credentials a minute, for each address and the key that they name. */
  readonly wrongCredentialsPerMinute: number;
}

export const rateLimitDefaults: RateLimitSettings = {
  controlPerMinute: 600,
  ledgerPerSecond: 5_000,
  ledgerBytesPerSecond: 128 * 1024 * 1024,
  ledgerEventsPerSecond: 1_000_000,
  wrongCredentialsPerMinute: 60,
};

export const ratePolicies = [
  'control',
  'organization-keys',
  'revocation',
  'ledger',
  'ledger-bytes',
  'ledger-events',
  'credentials',
  'addresses',
  'secrets',
] as const;
export type RatePolicy = (typeof ratePolicies)[number];

/** Limit of all keys of an organization together, in keys. People are not counted among them. */
const keysShare = 5;
/** Limit of wrong credentials of one address with any key names, in keys. */
const addressShare = 10;
/** Minimum; if the control limit is raised, a tenth of it. */
const revocationsPerMinute = 60;

export class RateLimits {
  readonly #limiters: Readonly<Record<RatePolicy, RateLimiterMemory>>;
  readonly #onRefused: (policy: RatePolicy) => void;
  readonly #pace = new RefusalPace();

  constructor(settings: RateLimitSettings, onRefused: (policy: RatePolicy) => void) {
    const limiter = (points: number, duration: number) =>
      new RateLimiterMemory({ points, duration });
    const { controlPerMinute, wrongCredentialsPerMinute } = settings;
    this.#limiters = {
      control: limiter(controlPerMinute, 60),
      'organization-keys': limiter(keysShare * controlPerMinute, 60),
      revocation: limiter(Math.max(revocationsPerMinute, controlPerMinute / 10), 60),
      ledger: limiter(settings.ledgerPerSecond, 1),
      'ledger-bytes': limiter(settings.ledgerBytesPerSecond, 1),
      'ledger-events': limiter(settings.ledgerEventsPerSecond, 1),
      credentials: limiter(wrongCredentialsPerMinute, 60),
      addresses: limiter(addressShare * wrongCredentialsPerMinute, 60),
      secrets: limiter(wrongCredentialsPerMinute, 60),
    };
    this.#onRefused = onRefused;
  }

  /**
   * Takes `points`, one by default. Returns headers for the answer. Throws when the limit is used up; for callers far beyond
   * the limit it waits first.
   */
  async take(
    policy: RatePolicy,
    who: string,
    points = 1,
  ): Promise<Readonly<Record<string, string>>> {
    const limiter = this.#limiters[policy];
    try {
      return headersOf(policy, limiter, await limiter.consume(who, points));
    } catch (error) {
      const refusal = this.#refused(policy, error as RateLimiterRes);
      await this.#pace.wait(`${policy} ${who}`, limiter.points / limiter.duration);
      throw refusal;
    }
  }

  /** Throws when the limit is used up; takes nothing. */
  async check(policy: RatePolicy, who: string): Promise<void> {
    const limiter = this.#limiters[policy];
    const taken = await limiter.get(who);
    if (taken !== null && taken.consumedPoints >= limiter.points)
      throw this.#refused(policy, taken);
  }

  /** Takes one point when it is too late to refuse. */
  async count(policy: RatePolicy, who: string): Promise<void> {
    await this.#limiters[policy].penalty(who);
  }

  #refused(policy: RatePolicy, taken: RateLimiterRes): Refusal {
    this.#onRefused(policy);
    const { points, duration } = this.#limiters[policy];
    const seconds = Math.max(1, Math.ceil(taken.msBeforeNext / 1_000));
    return new Refusal('rate_limited', {
      detail: `More than ${points} in ${duration} s (${whose[policy]}). Retry in ${seconds} s.`,
      retryAfterSeconds: seconds,
      headers: headersOf(policy, this.#limiters[policy], taken),
      members: { 'violated-policies': [policy] },
    });
  }
}

const whose: Readonly<Record<RatePolicy, string>> = {
  control: 'requests of the credential',
  'organization-keys': 'requests of all keys of the organization',
  revocation: 'requests of the credential that end access',
  ledger: 'ledger operations of the organization',
  'ledger-bytes': 'bytes of ledger operations of the organization',
  'ledger-events': 'events and records of ledger operations of the organization',
  credentials: 'credentials that were not valid, from one address and for one key',
  addresses: 'credentials that were not valid, from one address',
  secrets: 'secrets that were not valid, from one address',
};

const headersOf = (
  policy: RatePolicy,
  { points, duration }: RateLimiterMemory,
  taken: RateLimiterRes,
): Readonly<Record<string, string>> => ({
  'RateLimit-Policy': `"${policy}";q=${points};w=${duration}`,
  RateLimit: `"${policy}";r=${Math.max(0, taken.remainingPoints)};t=${Math.ceil(taken.msBeforeNext / 1_000)}`,
});
