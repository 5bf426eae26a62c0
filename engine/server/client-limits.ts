/** Bounds of clients' connections, in bytes and in milliseconds. docs/decisions/0043-client-connections.md says why. */
export interface ClientLimits {
  /** Timeout of the first whole message; a silent connection is not a client's. */
  readonly handshakeMs: number;
  /** Timeout of a message, from its first byte to its last. */
  readonly messageMs: number;
  /** Maximum time without a message. Official clients send a ping every 30 s. */
  readonly idleMs: number;
  /** Maximum time for which answers may wait to be read. */
  readonly takeMs: number;
  /** Maximum bytes of answers that one client has not read. */
  readonly unsentBytesMax: number;
  /** Maximum bytes of unread answers of all clients together. */
  readonly allUnsentBytesMax: number;
  /** Maximum memory for incomplete messages of all clients. */
  readonly allBegunBytesMax: number;
}

const mib = 2 ** 20;

/** The bytes are within the 256 MiB that a process has beside its ledger (domain/ledger-memory.ts). */
export const clientLimits: ClientLimits = {
  handshakeMs: 10_000,
  messageMs: 60_000,
  idleMs: 180_000,
  takeMs: 60_000,
  unsentBytesMax: 3 * mib,
  allUnsentBytesMax: 64 * mib,
  allBegunBytesMax: 64 * mib,
};

/** Why a connection was closed, other than for a broken stream. */
export const closeReasons = [
  'handshake_timeout',
  'message_timeout',
  'idle',
  'answers_not_taken',
  'too_many_unsent_bytes',
  'too_many_begun_bytes',
  'replaced_by_new_connection',
] as const;
export type CloseReason = (typeof closeReasons)[number];
