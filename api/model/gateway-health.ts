/** What the gateway knows of its connection to a database. It says nothing of the database's own health. */

export type GatewayStatus = 'CONNECTED' | 'CONNECTING' | 'DISCONNECTED' | 'UNKNOWN';

export interface GatewayHealth {
  /** UNKNOWN: nothing was ever heard of it, or it has gone out of use. */
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

/** What was heard last; the first of two that were heard at once, or never. */
export function newerHealth(a: GatewayHealth, b: GatewayHealth): GatewayHealth {
  if (a.status === 'UNKNOWN' || b.status === 'UNKNOWN') return a.status === 'UNKNOWN' ? b : a;
  return (b.checkedAt ?? '') > (a.checkedAt ?? '') ? b : a;
}

export interface ConnectionFacts {
  readonly ready: boolean;
  readonly wasReady: boolean;
  readonly ageMs: number;
  readonly silentMs: number;
}

/** Times are of the wall's clock. */
export interface Heard {
  readonly latencyMs: number | null;
  readonly lastError: string | null;
  readonly heardAtMs: number | null;
  readonly nowMs: number;
}

/** What a connection with a request under way does not say is known as of now. */
export function healthByTraffic(
  connection: ConnectionFacts | undefined,
  { latencyMs, lastError, heardAtMs, nowMs }: Heard,
): GatewayHealth {
  const silentMs = connection?.silentMs ?? 0;
  const isSilent = silentMs > silentMaxMs;
  const knownAtMs = isSilent ? nowMs : heardAtMs;
  const silence = isSilent ? `no answer for ${Math.floor(silentMs / 1_000)} s` : null;
  return {
    status: gatewayStatus(connection, lastError),
    latencyMs,
    lastError: lastError ?? silence,
    checkedAt: knownAtMs === null ? null : new Date(knownAtMs).toISOString(),
  };
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
