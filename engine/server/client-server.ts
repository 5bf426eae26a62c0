/**
 * The port that clients connect to. It bounds what all connections together hold, and closes those that only take up room:
 * docs/decisions/0043-client-connections.md.
 */
import { createServer, type Server, type Socket } from 'node:net';
import type { Logger } from 'pino';
import type { ReplicaIdentity } from '../log/log.ts';
import type { ServedReplica } from '../replica/served-replica.ts';
import type { StreamError } from '../wire/message-reader.ts';
import { clientLimits, type ClientLimits, type CloseReason } from './client-limits.ts';
import { CheckLookups } from './check-lookups.ts';
import { Connection } from './connection.ts';
import { RequestTimes } from './request-times.ts';
import { mostDispensable, overBounds } from './dispensable.ts';

interface ClientServerOptions {
  readonly replica: ServedReplica;
  readonly identity: ReplicaIdentity;
  readonly connectionsMax: number;
  readonly logger: Logger;
  /** Replacements for the default limits, such as shorter times in tests. */
  readonly limits?: Partial<ClientLimits>;
}

/** Interval at which overdue connections are looked for. */
const SWEEP_MS = 500;
/** Clients cannot fill the log: of what happens again and again, one line in this time is a warning. The metrics count all. */
const WARN_EVERY_MS = 10_000;

export class ClientServer {
  readonly #options: ClientServerOptions;
  readonly #limits: ClientLimits;
  readonly #server: Server;
  readonly #connections = new Set<Connection>();
  readonly #byClient = new Map<bigint, Connection>();
  #sweeper: NodeJS.Timeout | undefined;
  /** Number of connections that were closed for malformed input, by error. */
  readonly streamErrors = new Map<string, number>();
  readonly checkLookups = new CheckLookups();
  /** Number of connections that were closed because they exceeded a bound, by bound. */
  readonly closed = new Map<CloseReason, number>();
  readonly times = new RequestTimes();
  readonly #warnedAtMs = new Map<StreamError | CloseReason, number>();

  constructor(options: ClientServerOptions) {
    this.#options = options;
    this.#limits = { ...clientLimits, ...options.limits };
    this.#server = createServer((socket) => this.#accept(socket));
  }

  get connections(): number {
    return this.#connections.size;
  }

  /** Binds, and returns the port. Retries for `retryMs` while the address is taken: its last owner may be going. */
  async listen(host: string, port: number, retryMs: number): Promise<number> {
    this.#sweeper ??= setInterval(() => this.#sweep(), SWEEP_MS);
    this.#sweeper.unref();
    const deadline = Date.now() + retryMs;
    for (;;) {
      try {
        return await this.#bind(host, port);
      } catch (error) {
        const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
        if (!taken || Date.now() >= deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  /** Accepts no more connections; existing ones still get the answers they wait for. */
  stopAccepting(): void {
    this.#server.close();
  }

  close(): void {
    clearInterval(this.#sweeper);
    this.#server.close();
    for (const connection of this.#connections) connection.close();
  }

  #accept(socket: Socket): void {
    const { replica, identity, connectionsMax, logger } = this.#options;
    if (this.#connections.size >= connectionsMax && !this.#makeRoom()) {
      // Accepted and closed at once, as TigerBeetle's servers do: the client reconnects with a delay.
      socket.destroy();
      return;
    }
    const remote = socket.remoteAddress;
    const connection = new Connection({
      socket,
      replica,
      identity,
      limits: this.#limits,
      checkLookups: this.checkLookups,
      onClient: (client, own) => this.#replace(client, own),
      onStreamError: (error) => {
        this.streamErrors.set(error, (this.streamErrors.get(error) ?? 0) + 1);
        logger[this.#level(error)](
          { error, remote },
          'connection closed because of an invalid message',
        );
      },
      onClosed: (reason) => {
        this.#forget(connection);
        this.closed.set(reason, (this.closed.get(reason) ?? 0) + 1);
        // Connections without a client are nobody's concern.
        const level = connection.client === 0n ? 'debug' : this.#level(reason);
        logger[level]({ reason, remote }, 'connection closed because it exceeded a bound');
      },
      onHeld: () => this.#bound(),
      onAnswered: (operation, ms) => this.times.observe(operation, ms),
    });
    this.#connections.add(connection);
    socket.on('error', (error) => logger.debug({ error }, 'connection failed'));
    socket.on('close', () => this.#forget(connection));
  }

  #level(what: StreamError | CloseReason): 'warn' | 'debug' {
    const nowMs = performance.now();
    if (nowMs - (this.#warnedAtMs.get(what) ?? -Infinity) < WARN_EVERY_MS) return 'debug';
    this.#warnedAtMs.set(what, nowMs);
    return 'warn';
  }

  #forget(connection: Connection): void {
    this.#connections.delete(connection);
    this.#forgetClient(connection);
  }

  #forgetClient(connection: Connection): void {
    if (this.#byClient.get(connection.client) === connection)
      this.#byClient.delete(connection.client);
  }

  /** Closes the most dispensable connection. Returns false when all of them are clients with a session. */
  #makeRoom(): boolean {
    const { sessions } = this.#options.replica;
    const least = mostDispensable(
      this.#connections,
      (client) => sessions.get(client) !== undefined,
    );
    least?.close('replaced_by_new_connection');
    return least !== undefined;
  }

  #bound(): void {
    for (const [connection, reason] of overBounds(this.#connections, this.#limits))
      connection.close(reason);
  }

  #sweep(): void {
    const nowMs = performance.now();
    for (const connection of this.#connections) {
      const reason = connection.overdue(nowMs);
      if (reason !== undefined) connection.close(reason);
    }
  }

  #bind(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host, port, exclusive: true }, () => {
        this.#server.off('error', reject);
        const address = this.#server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    });
  }

  #replace(client: bigint, connection: Connection): void {
    // A connection that names one client after the other counts as the last one's.
    this.#forgetClient(connection);
    const older = this.#byClient.get(client);
    this.#byClient.set(client, connection);
    if (older !== undefined && older !== connection) older.close();
  }
}
