/**
 * Authentication on the peers' port: both ends must show a certificate of the database's own authority with the database's
 * name in it, as among the members of etcd (docs/decisions/0018-peer-certificates.md).
 */
import { readFileSync } from 'node:fs';
import {
  connect as connectPlain,
  createServer as createPlain,
  type Server,
  type Socket,
} from 'node:net';
import { join } from 'node:path';
import {
  connect as connectTls,
  createSecureContext,
  createServer as createTls,
  type PeerCertificate,
  type SecureContext,
  type Server as TlsServer,
} from 'node:tls';

interface Address {
  readonly host: string;
  readonly port: number;
}

/** Makes the peers' connections, with certificates or, for tests on one machine, without. */
export interface PeerSecurity {
  /** `onReady` is called once the peer is authenticated; nothing may be written before that. */
  connect(address: Address, onReady: () => void): Socket;
  /** `onPeer` receives authenticated connections. Others are ended. */
  createServer(onPeer: (socket: Socket) => void): Server;
}

/** No authentication: for replicas that reach each other on the loopback. */
export const plainPeers: PeerSecurity = {
  connect: (address, onReady) => connectPlain(address, onReady),
  createServer: (onPeer) => createPlain(onPeer),
};

interface PeerCertificatesOptions {
  /** Holds `ca.crt`, `tls.crt` and `tls.key`, PEM. Files that are replaced are read again, without a restart. */
  readonly folder: string;
  /** The common name that every certificate of the database has. */
  readonly name: string;
}

const HANDSHAKE_MAX_MS = 5000;
/** Maximum number of connections that are not authenticated yet. A peer needs milliseconds. */
const HANDSHAKES_MAX = 64;
/** Interval at which a server checks whether its certificates were replaced. */
const RENEW_MS = 10_000;

/** Throws the system's error if a file cannot be read, and TLS's if its content is wrong. */
export function certifiedPeers({ folder, name }: PeerCertificatesOptions): PeerSecurity {
  let used = readContext(folder);
  /** Reads the files again. While they are being replaced, the last ones stay in use. */
  const newest = (): PeerContext => {
    try {
      used = readContext(folder, used);
    } catch {
      // Half of the files are replaced, or a file is half written: the next call reads them again.
    }
    return used;
  };
  const problemOf = (certificate: Partial<PeerCertificate>): Error | undefined =>
    certificate.subject?.CN === name
      ? undefined
      : new Error(`the peer's certificate names ${String(certificate.subject?.CN)}, not ${name}`);
  return {
    connect(address, onReady) {
      // The common name of all certificates stands for the addresses, which may change.
      const checkServerIdentity = (_: string, certificate: PeerCertificate) =>
        problemOf(certificate);
      const { secureContext } = newest();
      return connectTls({ ...address, secureContext, checkServerIdentity }, onReady);
    },
    createServer(onPeer) {
      const who = { requestCert: true, rejectUnauthorized: true };
      const server = createTls({ ...newest().files, ...who, handshakeTimeout: HANDSHAKE_MAX_MS });
      server.on('secureConnection', (socket) => {
        socket.on('error', () => undefined);
        if (socket.authorized && problemOf(socket.getPeerCertificate()) === undefined)
          onPeer(socket);
        else socket.destroy();
      });
      server.on('tlsClientError', (_error, socket) => socket.destroy());
      renewWhileOpen(server, newest);
      boundHandshakes(server);
      return server;
    },
  };
}

/** Ends the connection whose handshake began first when there are too many: who only connects must cost no memory. */
function boundHandshakes(server: TlsServer): void {
  // A connection and the TLS socket on it have their addresses in common.
  const nameOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
  const waiting = new Map<string, Socket>();
  server.on('connection', (socket) => {
    const name = nameOf(socket);
    waiting.set(name, socket);
    socket.once('close', () => {
      if (waiting.get(name) === socket) waiting.delete(name);
    });
    const [oldest] = waiting.values();
    if (waiting.size > HANDSHAKES_MAX) oldest?.destroy();
  });
  server.on('secureConnection', (socket) => waiting.delete(nameOf(socket)));
}

function renewWhileOpen(server: TlsServer, newest: () => PeerContext): void {
  let shown = newest();
  const timer = setInterval(() => {
    const found = newest();
    if (found === shown) return;
    server.setSecureContext(found.files);
    shown = found;
  }, RENEW_MS);
  timer.unref();
  server.on('close', () => clearInterval(timer));
}

/** Files that belong together, and the TLS context made from them. */
interface PeerContext {
  readonly files: { readonly ca: string; readonly cert: string; readonly key: string };
  readonly secureContext: SecureContext;
}

/** Returns `last` itself if the files are unchanged. Throws when one is missing, or the key is not the certificate's. */
function readContext(folder: string, last?: PeerContext): PeerContext {
  const files = {
    ca: readFileSync(join(folder, 'ca.crt'), 'utf8'),
    cert: readFileSync(join(folder, 'tls.crt'), 'utf8'),
    key: readFileSync(join(folder, 'tls.key'), 'utf8'),
    minVersion: 'TLSv1.3' as const,
  };
  const isSame =
    files.ca === last?.files.ca && files.cert === last.files.cert && files.key === last.files.key;
  return isSame ? last : { files, secureContext: createSecureContext(files) };
}
