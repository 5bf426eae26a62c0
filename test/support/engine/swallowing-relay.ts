/**
 * Stands between a client and an engine. From some moment on, what one of them sends is lost, and the client's connections stay open,
 * whatever becomes of the engine.
 */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export class SwallowingRelay {
  /** Number of pieces that are lost by now. */
  swallowed = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #loses: 'requests' | 'answers' | undefined;

  private constructor(port: number) {
    this.#server = createServer((near) => {
      const far = connect(port, '127.0.0.1');
      near.on('data', (piece) => this.#pass(piece, far, 'requests'));
      far.on('data', (piece) => this.#pass(piece, near, 'answers'));
      this.#sockets.add(near);
      far.on('error', () => undefined);
      far.on('close', () => {
        if (this.#loses === undefined) near.destroy();
      });
      near.on('error', () => undefined);
      near.on('close', () => {
        this.#sockets.delete(near);
        far.destroy();
      });
    });
  }

  /** `port`: of the engine. */
  static async start(port: number): Promise<SwallowingRelay> {
    const relay = new SwallowingRelay(port);
    await once(relay.#server.listen(0, '127.0.0.1'), 'listening');
    return relay;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  lose(what: 'requests' | 'answers'): void {
    this.#loses = what;
  }

  /** Number of clients' connections that are open. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** Ends all connections. New ones are taken. */
  cut(): void {
    for (const near of this.#sockets) near.destroy();
  }

  /** Ends all connections. Nothing listens at the port any more. */
  end(): void {
    this.#server.close();
    this.cut();
  }

  #pass(piece: Buffer, to: Socket, what: 'requests' | 'answers'): void {
    if (what === this.#loses) this.swallowed += 1;
    else to.write(piece);
  }
}
