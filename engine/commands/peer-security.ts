/** Flags for the authentication between replicas, the same for `start` and `recover`. */
import { certifiedPeers, plainPeers, type PeerSecurity } from '../peers/peer-security.ts';
import type { PeerAddress } from '../peers/tcp-link.ts';
import { UsageError, type Flag, type Input } from './verb.ts';

export const peerSecurityFlags: readonly Flag[] = [
  {
    name: 'peer-certificates',
    value: 'folder',
    help: 'for several replicas: folder with ca.crt, tls.crt and tls.key, which authenticate them; read again when replaced',
  },
  {
    name: 'peer-name',
    value: 'name',
    help: 'common name of all certificates of the database',
  },
  {
    name: 'peer-plain',
    value: undefined,
    help: 'instead of certificates: no authentication; only for replicas on the loopback',
  },
];

/** Throws UsageError if the flags do not choose a way, or if certificates cannot be read. */
export function peerSecurity(input: Input, addresses: readonly PeerAddress[]): PeerSecurity {
  const [folder, name] = [input.flag('peer-certificates'), input.flag('peer-name')];
  if (input.flag('peer-plain') !== undefined) {
    if (folder !== undefined)
      throw new UsageError('--peer-plain and --peer-certificates exclude each other');
    const open = addresses.find(({ host }) => !isLoopback(host));
    if (open === undefined) return plainPeers;
    throw new UsageError(
      `--peer-plain is for replicas on the loopback, and --peer-addresses has ${open.host}: give them --peer-certificates and --peer-name`,
    );
  }
  if (folder === undefined || name === undefined || name === '')
    throw new UsageError(
      'several replicas authenticate each other with certificates: give --peer-certificates and --peer-name, or --peer-plain for replicas on the loopback',
    );
  try {
    return certifiedPeers({ folder, name });
  } catch (error) {
    throw new UsageError(
      `--peer-certificates=${folder} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
