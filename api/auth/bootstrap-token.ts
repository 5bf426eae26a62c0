/**
 * The token with which an installer becomes the local administrator. It is read each time, because the Secret behind it may
 * change. Sessions of the local administrator keep a MAC of it: another token ends them.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { SigningKeys, VersionedKey } from '../store/signing-keys.ts';
import { hashOf } from './api-key-format.ts';

/** Minimum length: shorter tokens could be guessed. */
const lengthMin = 20;

interface BootstrapTokenOptions {
  /** `undefined`: the installation has no token, and nobody is its local administrator. */
  readonly file: string | undefined;
  readonly signingKeys: SigningKeys;
  readonly logger: Logger;
}

export class BootstrapToken {
  readonly #file: string | undefined;
  readonly #keys: readonly [VersionedKey, ...VersionedKey[]];
  readonly #logger: Logger;

  constructor({ file, signingKeys, logger }: BootstrapTokenOptions) {
    this.#file = file;
    // A plain hash in the store could be tried against weak tokens.
    this.#keys = signingKeys.derive('ledgerhouse bootstrap token');
    this.#logger = logger;
  }

  /** The MAC for the sessions that the token opens; `undefined` if it is not the installation's token. */
  async macOf(token: string): Promise<Buffer | undefined> {
    const known = await this.#read();
    const same = timingSafeEqual(hashOf(token.trim()), hashOf(known ?? ''));
    return same && known !== undefined ? macWith(this.#keys[0], known) : undefined;
  }

  /** The MACs of the present token, one for each signing key; empty if it cannot be read. */
  async macs(): Promise<readonly Buffer[]> {
    const known = await this.#read();
    return known === undefined ? [] : this.#keys.map((key) => macWith(key, known));
  }

  /** Whether a session with this MAC was opened with the present token. */
  async isPresent(mac: Buffer | null): Promise<boolean> {
    return mac !== null && (await this.macs()).some((one) => one.equals(mac));
  }

  async #read(): Promise<string | undefined> {
    if (this.#file === undefined) return undefined;
    try {
      const text = (await readFile(this.#file, 'utf8')).trim();
      return text.length >= lengthMin ? text : undefined;
    } catch (error) {
      this.#logger.error({ err: error }, 'the bootstrap token cannot be read');
      return undefined;
    }
  }
}

const macWith = ({ bytes }: VersionedKey, token: string): Buffer =>
  createHmac('sha256', bytes).update(token).digest();
