/** A local port for one replica. Each connection that it accepts gets a tunnel of its own. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { TunnelNote } from '../../api/client/tunnel.ts';
import { backoffMs } from '../../base/backoff.ts';
import { sleep, type Timers } from '../../base/timers.ts';
import type { CliFailure } from '../failure.ts';
import { carry, isEveryday } from './carrier.ts';
import type { DialFailure } from './dial.ts';

interface LocalPortOptions {
  readonly host: string;
  readonly port: number;
  readonly timers: Timers;
  readonly dial: () => Promise<WebSocket | DialFailure>;
  readonly events: LocalPortEvents;
}

interface LocalPortEvents {
  readonly onConnections: (change: 1 | -1) => void;
  /** A connection is one of this client's, or has ended. */
  readonly onClient: (client: string, change: 1 | -1) => void;
  readonly onNote: (note: TunnelNote) => void;
  readonly onBytes: (direction: 'up' | 'down', bytes: number) => void;
  /** A tunnel cannot be opened at the moment; another attempt follows. */
  readonly onTrouble: (detail: string) => void;
  /** No further attempt can help. */
  readonly onFailure: (failure: CliFailure) => void;
}

/** Clients of the protocol have no more than a few connections each, and a cluster has 64 sessions. */
const connectionsMax = 1_000;
const backoff = { baseMs: 100, maxMs: 2_000 };
/** A client whose tunnel cannot be opened for so long is disconnected, so that it learns that nobody answers. */
const patienceMs = 30_000;

export class LocalPort {
  readonly #options: LocalPortOptions;
  readonly #server: Server;
  readonly #clients = new Set<Socket>();

  private constructor(options: LocalPortOptions) {
    this.#options = options;
    this.#server = createServer({ pauseOnConnect: true, noDelay: true }, (client) => {
      void this.#serve(client);
    });
    this.#server.maxConnections = connectionsMax;
  }

  /** Rejects with the system's error if the port is taken. */
  static async open(options: LocalPortOptions): Promise<LocalPort> {
    const local = new LocalPort(options);
    const { host, port } = options;
    local.#server.listen(port, host);
    await once(local.#server, 'listening');
    return local;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
    for (const client of this.#clients) client.destroy();
  }

  async #serve(client: Socket): Promise<void> {
    const { events } = this.#options;
    this.#clients.add(client);
    events.onConnections(1);
    let known: string | undefined;
    // A client may leave at any time.
    client.on('error', () => {});
    const gone = new AbortController();
    client.once('close', () => gone.abort());
    try {
      const tunnel = await this.#dial(gone.signal);
      if (tunnel === undefined) return;
      await carry(client, tunnel, {
        onNote: events.onNote,
        onClient: (client) => {
          if (known !== undefined) return;
          known = client;
          events.onClient(client, 1);
        },
        onBytes: events.onBytes,
        onLost: (code, why) => {
          if (!isEveryday(code)) events.onTrouble(`a tunnel ended: ${why || `code ${code}`}`);
        },
      });
    } finally {
      client.destroy();
      this.#clients.delete(client);
      events.onConnections(-1);
      if (known !== undefined) events.onClient(known, -1);
    }
  }

  /** Tries until a tunnel is open; `undefined` if there is none in time, or the client has gone. */
  async #dial(gone: AbortSignal): Promise<WebSocket | undefined> {
    const { timers, dial, events } = this.#options;
    const startedMs = timers.nowMs();
    for (let attempt = 1; !gone.aborted; attempt += 1) {
      const outcome = await dial();
      if (!('failure' in outcome)) {
        // The carrier closes the tunnel of a client that has gone.
        return outcome;
      }
      const { failure, retryable } = outcome;
      if (!retryable) {
        events.onFailure(failure);
        return undefined;
      }
      events.onTrouble(failure.message);
      if (timers.nowMs() - startedMs > patienceMs) return undefined;
      await sleep(timers, backoffMs(attempt, backoff, Math.random), gone);
    }
    return undefined;
  }
}
