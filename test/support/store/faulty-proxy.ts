/** A proxy in front of a server, of S3 or of ours, that does to requests what networks and stores do. */
import {
  createServer,
  request,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** What happens to one request. */
export type Fault =
  | { readonly kind: 'none' }
  /** The server does it, and nobody hears. */
  | { readonly kind: 'answerLost' }
  /** The request arrives twice, one copy after the other; the answer to the second is heard. */
  | { readonly kind: 'twice' }
  /** The answer ends in the middle of its body. */
  | { readonly kind: 'answerCut' }
  | { readonly kind: 'status'; readonly status: number; readonly code: string }
  /** Nothing ever comes. */
  | { readonly kind: 'silence' };

export const passes: Fault = { kind: 'none' };

export class FaultyProxy {
  readonly #server: Server;
  readonly #target: number;
  /** Chooses the fault of a request by its method, path and number. */
  fault: (method: string, path: string, count: number) => Fault = () => passes;
  /** Requests so far. */
  requests = 0;
  /** Called before a request is passed on. */
  before: ((method: string, path: string) => Promise<void>) | undefined;

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer((incoming, answer) => {
      // A server that is away is one that ends the connection.
      this.#handle(incoming, answer).catch(() => answer.destroy());
    });
  }

  static async start(target: number): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  reset(): void {
    this.fault = () => passes;
    this.before = undefined;
    this.requests = 0;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #handle(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = incoming;
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part as Buffer);
    this.requests += 1;
    const fault = this.fault(method, url, this.requests);
    await this.before?.(method, url);
    if (fault.kind === 'silence') return;
    if (fault.kind === 'status') {
      const { status, code } = fault;
      answer.writeHead(status, { 'content-type': 'application/xml' });
      answer.end(
        `<?xml version="1.0"?><Error><Code>${code}</Code><Message>as told</Message></Error>`,
      );
      return;
    }
    const sent = Buffer.concat(parts);
    if (fault.kind === 'twice') await this.#forward(incoming, sent);
    const { body, from } = await this.#forward(incoming, sent);
    if (fault.kind === 'answerLost') answer.destroy();
    else {
      answer.writeHead(from.statusCode ?? 500, from.rawHeaders);
      if (fault.kind !== 'answerCut' || body.length === 0) answer.end(body);
      else answer.write(body.subarray(0, body.length >> 1), () => answer.destroy());
    }
  }

  #forward(
    incoming: IncomingMessage,
    sent: Buffer,
  ): Promise<{ body: Buffer; from: IncomingMessage }> {
    const { method, url, headers } = incoming;
    return new Promise((resolve, reject) => {
      const onward = request(
        { host: '127.0.0.1', port: this.#target, method, path: url, headers },
        (from) => {
          const parts: Buffer[] = [];
          from.on('data', (part: Buffer) => parts.push(part));
          from.on('end', () => resolve({ body: Buffer.concat(parts), from }));
        },
      );
      onward.on('error', reject);
      onward.end(sent);
    });
  }
}
