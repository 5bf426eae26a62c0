/**
 * Resolves names of receivers. It queries DNS itself, with deadlines: the operating system's resolver would occupy one of the
 * few threads that the whole process shares, would use the cluster's search domains, and would be queried again at the
 * connection.
 */
import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import type { AddressGuard } from './addresses.ts';

const timeoutMs = 2_000;
const tries = 2;

interface Address {
  readonly address: string;
  readonly family: number;
}

/**
 * The name resolves to an address to which nothing may be sent. The message does not contain it: it may be a secret of the
 * cluster.
 */
export class BlockedAddress extends Error {
  override readonly name = 'BlockedAddress';
}

export class ReceiverNames {
  readonly #resolver = new Resolver({ timeout: timeoutMs, tries });
  readonly #guard: AddressGuard;

  /** `servers`: DNS servers, by default those of the machine. */
  constructor(guard: AddressGuard, servers: readonly string[] = []) {
    this.#guard = guard;
    if (servers.length > 0) this.#resolver.setServers(servers);
  }

  /** Throws `BlockedAddress` if the address is not allowed. `plain`: without TLS. */
  check(address: string, plain: boolean): void {
    if (!this.#guard.allows(address)) {
      throw new BlockedAddress('the host name leads to an address that is not public');
    }
    if (plain && !this.#guard.isNamed(address)) {
      throw new BlockedAddress('the address is reached with TLS only');
    }
  }

  /**
   * Lookup for a connection. The socket connects to exactly the addresses that were checked here, so a later change of the name
   * has no effect. One address that is not allowed blocks the name.
   */
  lookup(plain: boolean): LookupFunction {
    const checked = callbackify((hostname: string) => this.#checked(hostname, plain));
    return (hostname, options, callback) =>
      checked(hostname, (error, addresses) => {
        if (error) callback(error, []);
        else if (options.all === true) callback(null, [...addresses]);
        else callback(null, addresses[0].address, addresses[0].family);
      });
  }

  /** One of the addresses of the name, all of which were checked, for a connection that looks up nothing itself. */
  async addressOf(hostname: string, plain: boolean): Promise<string> {
    const [{ address }] = await this.#checked(hostname, plain);
    return address;
  }

  async #checked(hostname: string, plain: boolean): Promise<readonly [Address, ...Address[]]> {
    const [first, ...more] = await this.#addressesOf(hostname);
    if (first === undefined) throw notFound(hostname);
    for (const { address } of [first, ...more]) this.check(address, plain);
    return [first, ...more];
  }

  async #addressesOf(hostname: string): Promise<readonly Address[]> {
    if (hostname === 'localhost') return [{ address: '127.0.0.1', family: 4 }];
    // A dot at the end: no search domain is tried.
    const name = hostname.endsWith('.') ? hostname : `${hostname}.`;
    const [four, six] = await Promise.allSettled([
      this.#resolver.resolve4(name),
      this.#resolver.resolve6(name),
    ]);
    if (four.status === 'rejected' && six.status === 'rejected') throw four.reason;
    const found = (result: typeof four, family: number) =>
      result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : [];
    return [...found(four, 4), ...found(six, 6)];
  }
}

const notFound = (hostname: string) =>
  Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' });
