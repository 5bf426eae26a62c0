/**
 * The chain of an organization's events. An event's hash is an HMAC over the hash of the event before and the event's content.
 * Its key is derived from the signing key: someone who can write to the store but has no key cannot make an event that fits. The
 * head (the number and hash of the last event) has an HMAC too, so that nobody can cut off the end. So has the base (the last event
 * that was removed because its retention was over), so that nobody else can remove events from the beginning.
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

/** The last removed event: the remaining events begin after it. */
export interface ChainBase {
  readonly organizationId: string;
  /** Number of the last event that was removed; 0: none was. */
  readonly sequence: bigint;
  readonly hash: Buffer;
  /** The retention in days that was in force at that event. */
  readonly retentionDays: number;
}

/** The proven part of the events after the base, and the retention that they set. */
export interface ChainProof {
  readonly organizationId: string;
  /** Number of the last event that is proven. */
  readonly sequence: bigint;
  readonly hash: Buffer;
  readonly retentionDays: number;
  /** When the retention was chosen; null: it was in force at the base. */
  readonly chosenAt: Date | null;
}

export interface Seal {
  readonly keyVersion: string;
  readonly mac: Buffer;
}

/** `keyVersion` and `mac` are null while `keyedFrom` is null. */
export interface HeadSeal {
  readonly keyVersion: string | null;
  readonly mac: Buffer | null;
}

export class AuditChain {
  readonly #eventKeys: readonly [VersionedKey, ...VersionedKey[]];
  readonly #headKeys: readonly [VersionedKey, ...VersionedKey[]];
  readonly #baseKeys: readonly [VersionedKey, ...VersionedKey[]];
  readonly #proofKeys: readonly [VersionedKey, ...VersionedKey[]];

  constructor(keys: SigningKeys) {
    this.#eventKeys = keys.derive('ledgerhouse audit events');
    this.#headKeys = keys.derive('ledgerhouse audit head');
    this.#baseKeys = keys.derive('ledgerhouse audit base');
    this.#proofKeys = keys.derive('ledgerhouse audit proof');
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

  seal(head: ChainHead): Seal {
    const [key] = this.#headKeys;
    return { keyVersion: key.version, mac: macOf(key, headRecord(head)) };
  }

  sealBase(base: ChainBase): Seal {
    const [key] = this.#baseKeys;
    return { keyVersion: key.version, mac: macOf(key, baseRecord(base)) };
  }

  sealProof(proof: ChainProof): Seal {
    const [key] = this.#proofKeys;
    return { keyVersion: key.version, mac: macOf(key, proofRecord(proof)) };
  }

  /** False, too, if the key of the seal is missing. */
  isProof(proof: ChainProof, { keyVersion, mac }: Seal): boolean {
    const key = keyOf(this.#proofKeys, keyVersion);
    return key !== undefined && macOf(key, proofRecord(proof)).equals(mac);
  }

  /** `seal`: null if no event was removed. */
  checkBase(base: ChainBase, seal: Seal | null): 'sound' | 'altered' | 'unknown_key' {
    if (seal === null) return base.sequence === 0n ? 'sound' : 'altered';
    const key = keyOf(this.#baseKeys, seal.keyVersion);
    if (key === undefined) return 'unknown_key';
    return macOf(key, baseRecord(base)).equals(seal.mac) ? 'sound' : 'altered';
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
    return macOf(key, headRecord(head)).equals(mac) ? 'sound' : 'altered';
  }
}

const keyOf = (keys: readonly VersionedKey[], wanted: string): VersionedKey | undefined =>
  keys.find(({ version }) => version === wanted);

const macOf = ({ bytes, version }: VersionedKey, record: object): Buffer =>
  createHmac('sha256', bytes)
    .update(canonicalJson({ ...record, keyVersion: version }))
    .digest();

const headRecord = ({ organizationId, sequence, hash, keyedFrom }: ChainHead) => ({
  organizationId,
  sequence: String(sequence),
  hash: hash.toString('hex'),
  keyedFrom: String(keyedFrom),
});

const baseRecord = ({ organizationId, sequence, hash, retentionDays }: ChainBase) => ({
  organizationId,
  sequence: String(sequence),
  hash: hash.toString('hex'),
  retentionDays,
});

const proofRecord = ({ organizationId, sequence, hash, retentionDays, chosenAt }: ChainProof) => ({
  organizationId,
  sequence: String(sequence),
  hash: hash.toString('hex'),
  retentionDays,
  chosenAt: chosenAt?.toISOString() ?? null,
});
