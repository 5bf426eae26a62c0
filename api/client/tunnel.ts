/**
 * Definitions that both ends of a tunnel use. A tunnel is a WebSocket that carries the bytes of one client's connection to one
 * replica: binary messages hold bytes of the protocol, cut anywhere; text messages, only from the API, hold a `TunnelNote` or a
 * `TunnelClient` in JSON. Each side ignores messages that it does not know.
 */

/** Subprotocol of the WebSocket. */
export const tunnelProtocol = 'ledgerhouse.tunnel.v1';

/** Maximum size of a WebSocket message in either direction, in bytes. */
export const tunnelFrameMax = 64 * 1024;

/** A message for the person at the client's end. */
export interface TunnelNote {
  readonly code:
    | 'insufficient_scope'
    | 'unsupported_operation'
    | 'unsafe_request'
    | 'cdc_enabled'
    | 'wrong_cluster'
    | 'client_too_new'
    | 'client_too_old'
    | 'evicted'
    | 'not_the_protocol'
    | 'sessions_exhausted';
  readonly detail: string;
}

/** Sent once, with the first request: each client has one session, and a connection to each replica. */
export interface TunnelClient {
  /** The client's ID, in digits. */
  readonly client: string;
}

/** Status codes with which the API closes a tunnel (RFC 6455, 7.4.2: 4000 to 4999 are for applications). */
export const TunnelEnd = {
  /** The process ends; another one accepts the next tunnel. */
  restart: 1012,
  replicaClosed: 4000,
  replicaUnreachable: 4001,
  /** The credential ended or its rights changed. The next attempt is checked again. */
  accessChanged: 4002,
  /** The database is no longer READY, or its replicas have other addresses. */
  databaseChanged: 4003,
  /** The client's bytes are not messages of the protocol for this cluster. */
  badStream: 4004,
  /** The other end was silent. */
  silent: 4005,
} as const;
