/** All tunnels of this process: their number, their clients, their metrics and their sums for the audit log. */
import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import type { MetricRegistry } from '../../base/metrics/metrics.ts';
import { sessionsMax } from '../../engine/wire/limits.ts';
import type { Message } from '../../engine/wire/message-reader.ts';
import { checkIdMagic } from '../../domain/connection-check.ts';
import { idsOfSmallLookup } from '../../engine/wire/small-lookup.ts';
import { formatRelease } from '../../engine/wire/release.ts';
import { TunnelEnd } from '../client/tunnel.ts';
import type { SocketTerms } from '../contract/route.ts';
import { deadlineRange, type Gateway } from '../gateway/gateway.ts';
import { metExpiry } from '../gateway/met-expiry.ts';
import type { LedgerTarget } from '../gateway/targets.ts';
import type { ConnectionWatch } from '../connections/watch.ts';
import { AccessChanged } from '../http/access-changed.ts';
import { HeldBytes, type ByteLimits } from '../http/held-bytes.ts';
import { Refusal } from '../model/refusal.ts';
import type { LedgerRights } from './check-message.ts';
import { MessageBudget } from './message-budget.ts';
import { Tunnel, tunnelTimes, type RecordWrite, type TunnelTimes } from './tunnel.ts';
import { tunnelMetrics, type TunnelMetrics } from './tunnel-metrics.ts';
import type { TunnelUsage, UsageOf } from './usage.ts';

interface TunnelsOptions {
  readonly registry: MetricRegistry;
  readonly logger: Logger;
  readonly usage: TunnelUsage;
  readonly watch: ConnectionWatch;
  /** Asks ledgers before imported transfers are sent on. */
  readonly gateway: Gateway;
  /** Shorter times for tests. */
  readonly times?: Partial<TunnelTimes>;
  /** Other limits for tests. */
  readonly unsentLimits?: ByteLimits;
}

interface TunnelRequest {
  readonly of: UsageOf;
  readonly rights: LedgerRights;
  readonly replica: number;
  readonly target: LedgerTarget;
  /** Reads the target again: the database may be suspended, or its replicas may have other addresses. */
  readonly again: () => Promise<LedgerTarget | Refusal>;
  /** Records a write before it is sent on. */
  readonly record: RecordWrite;
  /** Called for an operation that the credential does not allow. */
  readonly denied: (operation: string) => void;
}

const checkEveryMs = 30_000;
const mebibyte = 1024 * 1024;
/** Beyond these limits a slow reader has only the buffer that every tunnel may have. */
const unsentLimitDefaults: ByteLimits = {
  totalBytes: 64 * mebibyte,
  organizationBytes: 32 * mebibyte,
};

export class Tunnels {
  readonly #options: TunnelsOptions;
  readonly #budget = new MessageBudget();
  readonly #unsent: HeldBytes;
  readonly #metrics: TunnelMetrics;
  /** Number of open tunnels of each client, by database. */
  readonly #clients = new Map<string, Map<bigint, number>>();
  #connections = 0;

  constructor(options: TunnelsOptions) {
    this.#options = options;
    this.#unsent = new HeldBytes(options.unsentLimits ?? unsentLimitDefaults);
    this.#metrics = tunnelMetrics(options.registry, this);
  }

  get connections(): number {
    return this.#connections;
  }

  get clients(): number {
    let clients = 0;
    for (const { size } of this.#clients.values()) clients += size;
    return clients;
  }

  get heldBytes(): number {
    return this.#budget.heldBytes;
  }

  get unsentBytes(): number {
    return this.#unsent.total;
  }

  /** Serves a WebSocket until it is closed. */
  async serve(socket: WebSocket, request: TunnelRequest, terms: SocketTerms): Promise<void> {
    const { target, replica, of } = request;
    const address = target.addresses[replica];
    if (address === undefined) throw new Error('the replica was checked before');
    this.#metrics.opened.inc();
    this.#options.usage.opened(of);
    this.#connections += 1;
    const clients = new ClientsOf(this.#clients, of.databaseId);
    const tunnel: Tunnel = this.#tunnel(socket, request, terms, clients);
    const end = () => {
      const isOver = terms.ended.reason instanceof AccessChanged;
      if (isOver) tunnel.end(TunnelEnd.accessChanged, 'the rights of the credential have changed');
      else tunnel.end(TunnelEnd.restart, 'the service is restarting');
    };
    const timer = setInterval(() => void this.#check(tunnel, request), checkEveryMs);
    if (terms.ended.aborted) end();
    else terms.ended.addEventListener('abort', end, { once: true });
    try {
      await tunnel.done;
    } finally {
      clearInterval(timer);
      terms.ended.removeEventListener('abort', end);
      clients.leave();
      this.#connections -= 1;
    }
  }

  #tunnel(
    socket: WebSocket,
    request: TunnelRequest,
    { admit }: SocketTerms,
    clients: ClientsOf,
  ): Tunnel {
    const { target, replica, of, rights, record, denied } = request;
    const { usage, watch, times, gateway } = this.#options;
    const metrics = this.#metrics;
    const lookups = new CheckLookups(watch, of);
    const tunnel: Tunnel = new Tunnel({
      socket,
      address: target.addresses[replica] ?? { host: '', port: 0 },
      cluster: target.cluster,
      rights,
      engine: { name: target.engine, version: target.engineVersion, streams: target.streams },
      owner: of.organizationId,
      budget: this.#budget,
      unsent: this.#unsent,
      admit,
      guard: (transfers, signal) =>
        metExpiry(gateway, target.engine, target, transfers, {
          timeoutMs: deadlineRange.maxMs,
          signal,
        }),
      record,
      times: { ...tunnelTimes, ...times },
      events: {
        onClient: (client) => {
          const known = clients.join(client);
          if (known > sessionsMax) tunnel.tell(tooManyClients(known));
        },
        onRequest: (operation, message) => {
          metrics.requests.inc({ operation });
          if (operation === 'lookup_accounts') lookups.asked(message);
          usage.requested(of, operation);
        },
        onReply: () => lookups.answered(),
        onNote: (note) => watch.trouble(of.databaseId, note),
        onRefused: (operation, { code }) => {
          metrics.refused.inc({ operation });
          usage.refused(of);
          if (code === 'insufficient_scope') denied(operation);
        },
        onBytes: (direction, bytes) => metrics.bytes.inc({ direction }, bytes),
      },
    });
    return tunnel;
  }

  async #check(tunnel: Tunnel, { target, again, replica }: TunnelRequest): Promise<void> {
    try {
      const now = await again();
      const isSame =
        !(now instanceof Refusal) &&
        now.cluster === target.cluster &&
        now.engineVersion === target.engineVersion &&
        sameAddress(now.addresses[replica], target.addresses[replica]);
      if (isSame) tunnel.streams(now.streams);
      else tunnel.end(TunnelEnd.databaseChanged, 'the database has changed');
    } catch (error) {
      // A failure of the store says nothing about the database.
      this.#options.logger.warn({ err: error }, 'the database of a tunnel could not be checked');
    }
  }
}

/** Lookups of connection checks among the requests of one tunnel. A client waits for each answer. */
class CheckLookups {
  readonly #watch: ConnectionWatch;
  readonly #of: UsageOf;
  #waiting:
    | { readonly ids: readonly bigint[]; readonly release: number; readonly atMs: number }
    | undefined;

  constructor(watch: ConnectionWatch, of: UsageOf) {
    this.#watch = watch;
    this.#of = of;
  }

  asked({ header, body }: Message): void {
    const ids = this.#watch.checksIn(this.#of.databaseId, idsOfSmallLookup(body, checkIdMagic));
    if (ids.length > 0) {
      this.#waiting = { ids, release: header.release, atMs: performance.now() };
    }
  }

  answered(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.#waiting = undefined;
    this.#watch.observed(this.#of.databaseId, waiting.ids, {
      via: 'tunnel',
      client: null,
      clientVersion: formatRelease(waiting.release),
      ip: this.#of.author.ip,
      latencyMs: Math.round((performance.now() - waiting.atMs) * 100) / 100,
    });
  }
}

type AnAddress = { readonly host: string; readonly port: number } | undefined;
const sameAddress = (a: AnAddress, b: AnAddress): boolean =>
  a?.host === b?.host && a?.port === b?.port;

const tooManyClients = (clients: number) =>
  ({
    code: 'sessions_exhausted',
    detail: `${clients} clients use this database through tunnels, and a cluster has ${sessionsMax} sessions: each further client ends the session of another one. Use one client for each process.`,
  }) as const;

/** Counts the clients of one tunnel among those of its database. */
class ClientsOf {
  readonly #all: Map<string, Map<bigint, number>>;
  readonly #databaseId: string;
  readonly #own = new Set<bigint>();

  constructor(all: Map<string, Map<bigint, number>>, databaseId: string) {
    this.#all = all;
    this.#databaseId = databaseId;
  }

  /** Returns the number of the database's clients. */
  join(client: bigint): number {
    const counts = this.#all.get(this.#databaseId) ?? new Map<bigint, number>();
    this.#all.set(this.#databaseId, counts);
    if (!this.#own.has(client) && this.#own.size < ownMax) {
      this.#own.add(client);
      counts.set(client, (counts.get(client) ?? 0) + 1);
    }
    return counts.size;
  }

  leave(): void {
    const counts = this.#all.get(this.#databaseId);
    for (const client of this.#own) {
      const left = (counts?.get(client) ?? 1) - 1;
      if (left > 0) counts?.set(client, left);
      else counts?.delete(client);
    }
    if (counts?.size === 0) this.#all.delete(this.#databaseId);
  }
}

/**
 * Maximum number of clients that one tunnel is counted for. Each client has its own connection, so more are somebody's
 * experiment.
 */
const ownMax = 8;
