/**
 * Rate limits of one caller in this process; with several processes behind one address, the limits add up. They are announced in
 * the headers of draft-ietf-httpapi-ratelimit-headers.
 */
import { Refusal } from '../model/refusal.ts';
import { RefusalPace } from './refusal-pace.ts';
import { Windows, type Taken } from './windows.ts';

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
  readonly #windows: Readonly<Record<RatePolicy, Windows>>;
  readonly #onRefused: (policy: RatePolicy) => void;
  readonly #pace = new RefusalPace();

  constructor(settings: RateLimitSettings, onRefused: (policy: RatePolicy) => void) {
    const { controlPerMinute, wrongCredentialsPerMinute } = settings;
    this.#windows = {
      control: new Windows(controlPerMinute, 60),
      'organization-keys': new Windows(keysShare * controlPerMinute, 60),
      revocation: new Windows(Math.max(revocationsPerMinute, controlPerMinute / 10), 60),
      ledger: new Windows(settings.ledgerPerSecond, 1),
      'ledger-bytes': new Windows(settings.ledgerBytesPerSecond, 1),
      'ledger-events': new Windows(settings.ledgerEventsPerSecond, 1),
      credentials: new Windows(wrongCredentialsPerMinute, 60),
      addresses: new Windows(addressShare * wrongCredentialsPerMinute, 60),
      secrets: new Windows(wrongCredentialsPerMinute, 60),
    };
    this.#onRefused = onRefused;
  }

  /** Takes points. Throws when the limit is used up; for callers far beyond the limit it waits first. */
  async take(policy: RatePolicy, who: string, points = 1): Promise<void> {
    const taken = this.#windows[policy].take(who, points);
    if (!taken.within) await this.#refuse(policy, who, taken);
  }

  /** Takes one point or more in the same way. Returns headers for the answer. */
  async takeAndTell(
    policy: RatePolicy,
    who: string,
    points = 1,
  ): Promise<readonly (readonly [string, string])[]> {
    const window = this.#windows[policy];
    const taken = window.take(who, points);
    if (!taken.within) await this.#refuse(policy, who, taken);
    return headersOf(policy, window, taken);
  }

  /** Throws when the limit is used up; takes nothing. */
  check(policy: RatePolicy, who: string): void {
    const msLeft = this.#windows[policy].usedUpMs(who);
    if (msLeft !== undefined) throw this.#refusal(policy, { remaining: 0, msLeft });
  }

  /** Takes one point when it is too late to refuse. */
  count(policy: RatePolicy, who: string): void {
    this.#windows[policy].take(who);
  }

  async #refuse(policy: RatePolicy, who: string, taken: Taken): Promise<never> {
    const refusal = this.#refusal(policy, taken);
    const { points, seconds } = this.#windows[policy];
    await this.#pace.wait(`${policy} ${who}`, points / seconds);
    throw refusal;
  }

  #refusal(policy: RatePolicy, taken: Omit<Taken, 'within'>): Refusal {
    this.#onRefused(policy);
    const window = this.#windows[policy];
    const inSeconds = Math.max(1, Math.ceil(taken.msLeft / 1_000));
    return new Refusal('rate_limited', {
      detail: `More than ${window.points} in ${window.seconds} s (${whose[policy]}). Retry in ${inSeconds} s.`,
      retryAfterSeconds: inSeconds,
      headers: Object.fromEntries(headersOf(policy, window, taken)),
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
  { points, seconds }: Windows,
  { remaining, msLeft }: Omit<Taken, 'within'>,
): readonly (readonly [string, string])[] => [
  ['RateLimit-Policy', `"${policy}";q=${points};w=${seconds}`],
  ['RateLimit', `"${policy}";r=${remaining};t=${Math.ceil(msLeft / 1_000)}`],
];
