/** Callers without a credential who send half of a compressed body and then nothing; one that is closed is opened again. */
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

/** Each its own network, as far as the API can tell. */
const addressCount = 30;
const againAfterMs = 100;
const paths = ['/api/v1/session/administrator', '/api/v1/databases'] as const;

export class SlowBodies {
  readonly #port: number;
  readonly #sockets = new Set<Socket>();
  readonly #half: Uint8Array;
  #stopped = false;
  /** Connections made until now. */
  opened = 0;

  constructor(url: string, count: number) {
    this.#port = Number(new URL(url).port);
    // A megabyte of zeros, which is a kilobyte of gzip.
    const whole = gzipSync(new Uint8Array(2 ** 20));
    this.#half = whole.subarray(0, whole.length / 2);
    for (let index = 0; index < count; index += 1) this.#open(index);
  }

  stop(): void {
    this.#stopped = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  #open(index: number): void {
    if (this.#stopped) return;
    const localAddress = `127.0.1.${1 + (index % addressCount)}`;
    const socket = connect({ host: '127.0.0.1', port: this.#port, localAddress });
    this.#sockets.add(socket);
    this.opened += 1;
    const head = [
      `POST ${paths[index % paths.length]} HTTP/1.1`,
      'Host: localhost',
      'Content-Type: application/json',
      'Content-Encoding: gzip',
      `Content-Length: ${2 * this.#half.length}`,
    ];
    socket.on('connect', () => {
      socket.write(`${head.join('\r\n')}\r\n\r\n`);
      socket.write(this.#half);
    });
    // The answer is not of interest.
    socket.resume();
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#sockets.delete(socket);
      setTimeout(() => this.#open(index), againAfterMs).unref();
    });
  }
}
