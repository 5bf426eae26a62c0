/** The provider's process as tests have it. */
import { fork, type ChildProcess } from 'node:child_process';
import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ProviderOrders } from './oidc-provider-process.ts';

export class TestProvider {
  readonly port: number;
  readonly #redirectUri: string;
  #child: ChildProcess | undefined;

  constructor(port: number, redirectUri: string) {
    this.port = port;
    this.#redirectUri = redirectUri;
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Starts the provider, with new keys each time. */
  async start(): Promise<void> {
    const settings = {
      port: this.port,
      redirectUri: this.#redirectUri,
      key: newKey(),
      otherKey: newKey(),
    };
    const child = fork(
      join(import.meta.dirname, 'oidc-provider-process.ts'),
      [JSON.stringify(settings)],
      { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
    );
    this.#child = child;
    const ended = once(child, 'exit').then(() => {
      throw new Error('the provider ended');
    });
    ended.catch(() => {});
    await Promise.race([once(child, 'message'), ended]);
  }

  /** Settings that are not named return to their defaults, except the person. */
  async order(orders: ProviderOrders): Promise<void> {
    const child = this.#child;
    if (child === undefined) throw new Error('the provider does not run');
    const done = once(child, 'message');
    child.send(orders);
    await done;
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}

function newKey(): JsonWebKey {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  // No key ID, so that a rotated one has no other name.
  return { ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' };
}
