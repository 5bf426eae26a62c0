/** Clients that ask for page after page and take the answers far more slowly than they ask. */
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDeafReader, type Address } from '../support/engine/deaf-reader.ts';

const READERS = 4;
const CONNECT_MAX_MS = 3000;
/** Each takes about 64 KiB so often: seconds for one page. */
const TAKE_EVERY_MS = 200;

export class SlowReaders {
  #running = false;
  readonly #sockets = new Set<Socket>();

  /** Begins to read at a replica. Connections that it refuses or ends are not made again. */
  async begin(address: Address): Promise<void> {
    this.#running = true;
    const opened = Array.from({ length: READERS }, () => this.#open(address));
    await Promise.race([Promise.all(opened), sleep(CONNECT_MAX_MS)]);
  }

  end(): void {
    this.#running = false;
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  async #open(address: Address): Promise<void> {
    // A replica without a leader registers nobody.
    const socket = await openDeafReader(address).catch(() => undefined);
    if (socket === undefined) return;
    if (!this.#running) {
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    socket.on('data', () => {
      socket.pause();
      setTimeout(() => socket.resume(), TAKE_EVERY_MS).unref();
    });
    socket.resume();
  }
}
