/**
 * Addresses to which webhooks are sent: public ones, and those that the installation names. Other addresses would let a tenant
 * reach the service's surroundings: the cluster, its nodes, the metadata of a cloud.
 */
import { BlockList, isIP } from 'node:net';

/** IPv4 that is not public (IANA's registry of special-purpose addresses, and multicast). */
const special4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  // Azure's own services for virtual machines.
  '168.63.129.16/32',
];

/** The only IPv6 that is public. Outside of it are loopback, link-local, unique local, IPv4-mapped and translated addresses. */
const global6 = '2000::/3';
/** Exceptions within it: protocols, tunnels that carry IPv4 addresses (Teredo, 6to4), documentation. */
const special6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'];

export class AddressGuard {
  readonly #special = listOf([...special4, ...special6]);
  readonly #global6 = listOf([global6]);
  readonly #named: BlockList;

  /** `named`: ranges such as 10.96.0.0/12 to which the installation allows webhooks as well. */
  constructor(named: readonly string[]) {
    this.#named = listOf(named);
  }

  /** Whether webhooks may be sent to the address. */
  allows(address: string): boolean {
    if (this.isNamed(address)) return true;
    const family = isIP(address);
    if (family === 4) return !this.#special.check(address, 'ipv4');
    if (family !== 6) return false;
    return this.#global6.check(address, 'ipv6') && !this.#special.check(address, 'ipv6');
  }

  /** Whether the installation names the address. Only there is a connection without TLS allowed. */
  isNamed(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && this.#named.check(address, family === 4 ? 'ipv4' : 'ipv6');
  }
}

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}
