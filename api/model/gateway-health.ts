/** Health of the gateway's connection to a database. It says nothing about the database's own health. */

type GatewayStatus = 'CONNECTED' | 'CONNECTING' | 'DISCONNECTED' | 'UNKNOWN';

export interface GatewayHealth {
  /** UNKNOWN: nothing was ever heard of the connection, or it is no longer in use. */
  readonly status: GatewayStatus;
  /** Time from sending a request to the engine to its last answer; null before the first answer. */
  readonly latencyMs: number | null;
  /** Time of the last news about the connection: an answer, a new connection, or its end. */
  readonly lastError: string | null;
  /** Time for making a first connection, after which it counts as failed. */
  readonly checkedAt: string | null;
}

export const unknownHealth: GatewayHealth = {
  status: 'UNKNOWN',
  latencyMs: null,
  lastError: null,
  checkedAt: null,
};

/** Time without an answer up to which a connection counts as connected. */
const connectingMs = 5_000;
/** Maximum time without an answer in which a connection counts as connected. */
const silentMaxMs = 10_000;

/** Returns the newer health. Returns the first one if both are equally new or both unknown. */
export function newerHealth(a: GatewayHealth, b: GatewayHealth): GatewayHealth {
  if (a.status === 'UNKNOWN' || b.status === 'UNKNOWN') return a.status === 'UNKNOWN' ? b : a;
  return (b.checkedAt ?? '') > (a.checkedAt ?? '') ? b : a;
}

interface ConnectionFacts {
  readonly ready: boolean;
  readonly wasReady: boolean;
  readonly ageMs: number;
  readonly silentMs: number;
}

/** Last news about a connection. Times are wall-clock times. */
interface Heard {
  readonly latencyMs: number | null;
  readonly lastError: string | null;
  readonly heardAtMs: number | null;
  readonly nowMs: number;
}

/** Health of a connection, from its traffic. The silence of an overdue request counts as current news. */
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
