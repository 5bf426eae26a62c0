/**
 * Links that end the mail of notifications to one person of one organization, without a sign-in. They are signed and do not expire: a mail may
 * be read late, and all that a link can do is to end mail that the person can choose again.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { typeIdOfUuid } from '../../domain/type-id.ts';
import { uuidOf } from '../store/ids.ts';
import type { SigningKeys, VersionedKey } from '../store/signing-keys.ts';

export const unsubscribePath = '/unsubscribe';

interface Whose {
  readonly organizationId: string;
  /** TypeID `usr_…`. */
  readonly userId: string;
}

const idBytes = 16;
const signatureBytes = 16;

export class UnsubscribeLinks {
  readonly #keys: readonly [VersionedKey, ...VersionedKey[]];
  readonly #publicUrl: string;

  /** `publicUrl`: address of the service, without a slash at its end. */
  constructor(keys: SigningKeys, publicUrl: string) {
    this.#keys = keys.derive('ledgerhouse unsubscribe links');
    this.#publicUrl = publicUrl;
  }

  linkFor({ organizationId, userId }: Whose): string {
    const payload = Buffer.concat([bytesOf(organizationId), bytesOf(userId)]);
    const token = Buffer.concat([sign(this.#keys[0], payload), payload]).toString('base64url');
    return `${this.#publicUrl}${unsubscribePath}?token=${token}`;
  }

  /** Returns `undefined` if the token is not ours. */
  read(token: string): Whose | undefined {
    const bytes = Buffer.from(token, 'base64url');
    if (bytes.length !== signatureBytes + 2 * idBytes) return undefined;
    const [signature, payload] = [
      bytes.subarray(0, signatureBytes),
      bytes.subarray(signatureBytes),
    ];
    const isOurs = this.#keys.some((key) => timingSafeEqual(signature, sign(key, payload)));
    if (!isOurs) return undefined;
    return {
      organizationId: typeIdOfUuid('org', payload.subarray(0, idBytes).toString('hex')),
      userId: typeIdOfUuid('usr', payload.subarray(idBytes).toString('hex')),
    };
  }
}

const bytesOf = (id: string): Buffer => Buffer.from(uuidOf(id).replaceAll('-', ''), 'hex');

const sign = ({ bytes }: VersionedKey, payload: Buffer): Buffer =>
  createHmac('sha256', bytes).update(payload).digest().subarray(0, signatureBytes);
