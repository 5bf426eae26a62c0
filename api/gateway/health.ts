/** What the gateway knows of its connection to a database. It says nothing of the database's own health. */

export type GatewayStatus = 'CONNECTED' | 'CONNECTING' | 'DISCONNECTED' | 'UNKNOWN';

export interface GatewayHealth {
  /** UNKNOWN: there was nothing to ask it for lately. */
  readonly status: GatewayStatus;
  /** How long the last answer took, from sending it to the engine; null before the first. */
  readonly latencyMs: number | null;
  /** What went wrong since the last answer. */
  readonly lastError: string | null;
  /** When anything was last heard of the connection: an answer, that it is there, or that it is not. */
  readonly checkedAt: string | null;
}

export const unknownHealth: GatewayHealth = {
  status: 'UNKNOWN',
  latencyMs: null,
  lastError: null,
  checkedAt: null,
};

/** Until then a first connection is being made; afterwards it cannot be made. */
const connectingMs = 5_000;
/** Longer without an answer, and a connection is one by name only. */
const silentMaxMs = 10_000;

export interface ConnectionFacts {
  readonly ready: boolean;
  readonly wasReady: boolean;
  readonly ageMs: number;
  readonly silentMs: number;
}

export function gatewayStatus(
  connection: ConnectionFacts | undefined,
  lastError: string | null,
): GatewayStatus {
  if (connection === undefined) return lastError === null ? 'UNKNOWN' : 'DISCONNECTED';
  const { ready, wasReady, ageMs, silentMs } = connection;
  if (ready) return silentMs > silentMaxMs ? 'DISCONNECTED' : 'CONNECTED';
  return wasReady || ageMs > connectingMs ? 'DISCONNECTED' : 'CONNECTING';
}
