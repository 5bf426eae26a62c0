/**
 * A session on one connection, to one replica only, with every byte under the test's control: the times of sending, and
 * whether the replica runs meanwhile. Real clients ask a second replica, and follow the view.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  buildPingClient,
  buildRequest,
  Command,
  type Header,
  ReplyHeader,
} from '../../engine/wire/header.ts';
import { MessageReader } from '../../engine/wire/message-reader.ts';
import { Operation } from '../../engine/wire/operations.ts';
import { engineRelease } from '../../engine/wire/release.ts';

const AGAIN_MS = 700;
const PATIENCE_MS = 180_000;

export class OneConnection {
  readonly #socket: Socket;
  readonly #client = randomBytes(8).readBigUInt64LE() | 1n;
  #session = 0n;
  #number = 0;
  #parent: Uint8Array = new Uint8Array(16);
  readonly #answers = new Map<number, Uint8Array>();
  #failure: Error | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    const reader = new MessageReader(0n);
    socket.on('error', (error) => {
      this.#failure = error;
    });
    socket.on('data', (chunk) => {
      const error = reader.push(chunk, ({ header, body }) => this.#take(header, body));
      if (error !== undefined) socket.destroy(new Error(error));
    });
  }

  /** Connects to a replica and registers a session. */
  static async open(address: string): Promise<OneConnection> {
    const [host = '', port] = address.split(':');
    const socket = connect({ host, port: Number(port), noDelay: true });
    await once(socket, 'connect');
    const made = new OneConnection(socket);
    await made.answerTo(await made.send(Operation.register, new Uint8Array(256)));
    return made;
  }

  /** Resolves when the bytes of a ping are where the replica will read them. */
  async ping(): Promise<void> {
    const [client, session] = [this.#client, this.#session];
    const frame = { cluster: 0n, release: engineRelease, client, session, monotonic: 1n };
    await this.#write(buildPingClient(frame));
  }

  /** Sends a request and resolves like `ping`, with a function that repeats the request byte for byte. */
  async send(operation: number, body: Uint8Array): Promise<() => Promise<void>> {
    const head = buildRequest(
      {
        cluster: 0n,
        view: 0,
        release: engineRelease,
        client: this.#client,
        session: this.#session,
        request: this.#number,
        operation,
        parent: this.#parent,
      },
      body,
    );
    const frame = Buffer.concat([head, body]);
    await this.#write(frame);
    return () => this.#write(frame);
  }

  /** Returns the body of the answer to the last request, which is repeated until the answer comes, as clients do. */
  async answerTo(again: () => Promise<void>): Promise<Uint8Array> {
    const number = this.#number;
    const [began, step] = [performance.now(), 10];
    for (let waited = step; performance.now() - began < PATIENCE_MS; waited += step) {
      const answer = this.#answers.get(number);
      if (answer !== undefined) {
        this.#number += 1;
        return answer;
      }
      if (this.#failure !== undefined) throw this.#failure;
      if (waited % AGAIN_MS === 0) await again();
      await sleep(step);
    }
    throw new Error(`request ${number} was not answered within ${PATIENCE_MS / 1000} s`);
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(header: Header, body: Uint8Array): void {
    if (header.command === Command.eviction) this.#socket.destroy(new Error('evicted'));
    if (header.command !== Command.reply) return;
    const reply = new ReplyHeader(header);
    // The first answer counts: a client looks at no other.
    if (this.#answers.has(reply.request)) return;
    this.#answers.set(reply.request, body.slice());
    this.#parent = reply.context.slice();
    if (reply.operation === Operation.register) this.#session = reply.commit;
  }

  #write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.write(bytes, (error) => (error instanceof Error ? reject(error) : resolve()));
    });
  }
}
