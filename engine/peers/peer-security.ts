/**
 * Who may speak on the peers' port: whoever shows a certificate of the database's own authority with the database's name in
 * it, as among the members of etcd (docs/decisions/0018-peer-certificates.md). Both ends ask for it.
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
  createServer as createTls,
  type PeerCertificate,
  type Server as TlsServer,
} from 'node:tls';

interface Address {
  readonly host: string;
  readonly port: number;
}

/** The peers' connections, with certificates or, for tests on one machine, without. */
export interface PeerSecurity {
  /** `onReady` is called once the peer is who it must be; before that nothing may be written. */
  connect(address: Address, onReady: () => void): Socket;
  /** `onPeer` gets connections whose other end is who it must be. Others are ended. */
  createServer(onPeer: (socket: Socket) => void): Server;
}

/** Anybody is believed: for replicas that reach each other on the loopback. */
export const plainPeers: PeerSecurity = {
  connect: (address, onReady) => connectPlain(address, onReady),
  createServer: (onPeer) => createPlain(onPeer),
};

export interface PeerCertificatesOptions {
  /** Holds `ca.crt`, `tls.crt` and `tls.key`, PEM. Files that are replaced are read again, without a restart. */
  readonly folder: string;
  /** The common name that every certificate of the database has. */
  readonly name: string;
}

const HANDSHAKE_MAX_MS = 5000;
/** A server looks this often whether its certificates were replaced. */
const RENEW_MS = 10_000;

/** Throws the system's error if a file cannot be read, and TLS's if it holds something else. */
export function certifiedPeers({ folder, name }: PeerCertificatesOptions): PeerSecurity {
  const read = () => ({
    ca: readFileSync(join(folder, 'ca.crt'), 'utf8'),
    cert: readFileSync(join(folder, 'tls.crt'), 'utf8'),
    key: readFileSync(join(folder, 'tls.key'), 'utf8'),
    minVersion: 'TLSv1.3' as const,
  });
  let used = read();
  /** While files are being replaced, those from before go on being used. */
  const newest = () => {
    try {
      used = read();
    } catch {
      // Looked at again at the next occasion.
    }
    return used;
  };
  const problemOf = (certificate: Partial<PeerCertificate>): Error | undefined =>
    certificate.subject?.CN === name
      ? undefined
      : new Error(`the peer's certificate is of ${String(certificate.subject?.CN)}, not ${name}`);
  return {
    connect(address, onReady) {
      // The name that all of them have stands for the addresses, which may become others.
      const checkServerIdentity = (_: string, certificate: PeerCertificate) =>
        problemOf(certificate);
      return connectTls({ ...address, ...newest(), checkServerIdentity }, onReady);
    },
    createServer(onPeer) {
      const who = { requestCert: true, rejectUnauthorized: true };
      const server = createTls({ ...newest(), ...who, handshakeTimeout: HANDSHAKE_MAX_MS });
      server.on('secureConnection', (socket) => {
        socket.on('error', () => undefined);
        if (socket.authorized && problemOf(socket.getPeerCertificate()) === undefined)
          onPeer(socket);
        else socket.destroy();
      });
      server.on('tlsClientError', (_error, socket) => socket.destroy());
      renewWhileOpen(server, newest);
      return server;
    },
  };
}

function renewWhileOpen(
  server: TlsServer,
  newest: () => { readonly ca: string; readonly cert: string; readonly key: string },
): void {
  let shown = newest();
  const timer = setInterval(() => {
    const found = newest();
    if (found.ca === shown.ca && found.cert === shown.cert && found.key === shown.key) return;
    try {
      server.setSecureContext({ ...found, minVersion: 'TLSv1.3' });
      shown = found;
    } catch {
      // A certificate without its key yet: both are there at the next look.
    }
  }, RENEW_MS);
  timer.unref();
  server.on('close', () => clearInterval(timer));
}
