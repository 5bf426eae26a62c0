/** A receiver of webhooks on the loopback, which verifies what it gets as any receiver would: with the library of Standard Webhooks. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

interface WebhookBody {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly sequence: string;
  readonly databaseId: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Received {
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly body: WebhookBody;
  readonly atMs: number;
}

type Behaviour = (
  received: Received,
  answer: ServerResponse,
  request: IncomingMessage,
) => void | Promise<void>;

const fine: Behaviour = (_, answer) => void answer.writeHead(204).end();

export class TestReceiver {
  readonly received: Received[] = [];
  /** Answers requests; by default with 204. */
  behave: Behaviour = fine;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, answer) => void this.#take(request, answer));
  }

  static async start(): Promise<TestReceiver> {
    const receiver = new TestReceiver();
    receiver.#server.listen(0, '127.0.0.1');
    await once(receiver.#server, 'listening');
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  get types(): readonly string[] {
    return this.received.map(({ body }) => body.type);
  }

  beFine(): void {
    this.behave = fine;
  }

  answer(status: number, headers: Readonly<Record<string, string>> = {}): void {
    this.behave = (_, answer) => void answer.writeHead(status, headers).end(`it is ${status}`);
  }

  /** Throws if a request is not signed with the secret. */
  verify(secret: string): void {
    for (const { text, headers } of this.received) new Webhook(secret).verify(text, headers);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #take(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const received = {
      headers: request.headers as Record<string, string>,
      text,
      body: JSON.parse(text) as WebhookBody,
      atMs: Date.now(),
    };
    this.received.push(received);
    await this.behave(received, answer, request);
  }
}
