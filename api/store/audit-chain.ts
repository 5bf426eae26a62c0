/**
 * The chain of an organization's events. An event's hash is an HMAC over the hash of the event before and the event's content.
 * Its key is derived from the signing key: someone who can write to the store but has no key cannot make an event that fits. The
 * head (the number and hash of the last event) has an HMAC too, so that nobody can cut off the end.
 *
 * Events from before the chain had a key have plain SHA-256 hashes. The first keyed event covers the hash of the last of them.
 */
import { createHash, createHmac } from 'node:crypto';
import { canonicalJson } from '../model/canonical-json.ts';
import type { StoredEvent } from '../model/event.ts';
import type { SigningKeys, VersionedKey } from './signing-keys.ts';

/** The hash before the first event. */
export const firstHash = Buffer.alloc(32);

/** The part of an event that its hash covers; the hash also covers the hash before. */
export type HashedEvent = Omit<StoredEvent, 'previousHash' | 'hash'>;

export interface ChainHead {
  readonly organizationId: string;
  /** Number of the last event. */
  readonly sequence: bigint;
  readonly hash: Buffer;
  /** Number of the first event with a keyed hash; null: there is none yet. */
  readonly keyedFrom: bigint | null;
}

/** `keyVersion` and `mac` are null while `keyedFrom` is null. */
export interface HeadSeal {
  readonly keyVersion: string | null;
  readonly mac: Buffer | null;
}

export class AuditChain {
  readonly #eventKeys: readonly [VersionedKey, ...VersionedKey[]];
  readonly #headKeys: readonly [VersionedKey, ...VersionedKey[]];

  constructor(keys: SigningKeys) {
    this.#eventKeys = keys.derive('ledgerhouse audit events');
    this.#headKeys = keys.derive('ledgerhouse audit head');
  }

  /** Version of the key that new events are hashed with. */
  get version(): string {
    return this.#eventKeys[0].version;
  }

  /** Returns `undefined` if the key of that version is missing. */
  hash(previousHash: Buffer, { keyVersion, ...event }: HashedEvent): Buffer | undefined {
    const plain = {
      ...event,
      sequence: String(event.sequence),
      occurredAt: event.occurredAt.toISOString(),
    };
    if (keyVersion === null) {
      return createHash('sha256').update(previousHash).update(canonicalJson(plain)).digest();
    }
    const key = keyOf(this.#eventKeys, keyVersion);
    const content = canonicalJson({ ...plain, keyVersion });
    return key && createHmac('sha256', key.bytes).update(previousHash).update(content).digest();
  }

  seal(head: ChainHead): { keyVersion: string; mac: Buffer } {
    const [key] = this.#headKeys;
    return { keyVersion: key.version, mac: macOf(key, head) };
  }

  /** `unkeyed`: no event of the chain is keyed yet. */
  check(
    head: ChainHead,
    { keyVersion, mac }: HeadSeal,
  ): 'sound' | 'unkeyed' | 'altered' | 'unknown_key' {
    if (head.keyedFrom === null) return mac === null ? 'unkeyed' : 'altered';
    if (keyVersion === null || mac === null) return 'altered';
    const key = keyOf(this.#headKeys, keyVersion);
    if (key === undefined) return 'unknown_key';
    return macOf(key, head).equals(mac) ? 'sound' : 'altered';
  }
}

const keyOf = (keys: readonly VersionedKey[], wanted: string): VersionedKey | undefined =>
  keys.find(({ version }) => version === wanted);

const macOf = ({ bytes, version }: VersionedKey, head: ChainHead): Buffer =>
  createHmac('sha256', bytes)
    .update(
      canonicalJson({
        organizationId: head.organizationId,
        sequence: String(head.sequence),
        hash: head.hash.toString('hex'),
        keyedFrom: String(head.keyedFrom),
        keyVersion: version,
      }),
    )
    .digest();
