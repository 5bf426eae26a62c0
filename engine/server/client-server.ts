/** The port that clients connect to. */
import { createServer, type Server } from 'node:net';
import type { Logger } from 'pino';
import type { ReplicaIdentity } from '../log/log.ts';
import type { ServedReplica } from '../replica/served-replica.ts';
import { Connection } from './connection.ts';

export interface ClientServerOptions {
  readonly replica: ServedReplica;
  readonly identity: ReplicaIdentity;
  readonly connectionsMax: number;
  readonly logger: Logger;
}

export class ClientServer {
  readonly #server: Server;
  readonly #connections = new Set<Connection>();
  readonly #byClient = new Map<bigint, Connection>();
  /** Connections that were closed for what they sent, by why. */
  readonly streamErrors = new Map<string, number>();

  constructor(options: ClientServerOptions) {
    this.#server = createServer((socket) => {
      // Accepted and closed at once, as the protocol's own servers do: the client comes back with a delay.
      if (this.#connections.size >= options.connectionsMax) {
        socket.destroy();
        return;
      }
      const connection = new Connection({
        socket,
        replica: options.replica,
        identity: options.identity,
        onClient: (client, own) => this.#replace(client, own),
        onStreamError: (error) => {
          this.streamErrors.set(error, (this.streamErrors.get(error) ?? 0) + 1);
          options.logger.warn(
            { error, remote: socket.remoteAddress },
            'connection closed for what it sent',
          );
        },
      });
      this.#connections.add(connection);
      socket.on('error', (error) => options.logger.debug({ error }, 'connection failed'));
      socket.on('close', () => {
        this.#connections.delete(connection);
        if (this.#byClient.get(connection.client) === connection)
          this.#byClient.delete(connection.client);
      });
    });
  }

  get connections(): number {
    return this.#connections.size;
  }

  /** Binds, and gives the port. An address that is still taken is tried again for `retryMs`: its last owner may be going. */
  async listen(host: string, port: number, retryMs: number): Promise<number> {
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

  /** Takes no more connections; those that are there get what they are owed. */
  stopAccepting(): void {
    this.#server.close();
  }

  close(): void {
    this.#server.close();
    for (const connection of this.#connections) connection.close();
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
    const older = this.#byClient.get(client);
    this.#byClient.set(client, connection);
    if (older !== undefined && older !== connection) older.close();
  }
}
