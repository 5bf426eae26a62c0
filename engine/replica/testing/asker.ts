/** A client that asks the leader, one request at a time, and returns the answer to the test. */
import { buildRequest, Command, Header, ReplyHeader } from '../../wire/header.ts';
import { headerSize } from '../../wire/limits.ts';
import { Operation } from '../../wire/operations.ts';
import { engineRelease } from '../../wire/release.ts';
import type { ReplicaWorld } from './replica-world.ts';

interface Answer {
  readonly timestamp: bigint;
  readonly body: Uint8Array;
}

const PATIENCE_MS = 10_000;
const AGAIN_MS = 50;

export class Asker {
  readonly #world: ReplicaWorld;
  #parent: Uint8Array = new Uint8Array(16);
  #session: bigint;
  #number = 0;
  /** Last view that it has heard of. */
  view = 0;

  readonly #client: bigint;

  constructor(world: ReplicaWorld, client = 77n, session = 0n) {
    this.#world = world;
    this.#client = client;
    this.#session = session;
    this.#number = session === 0n ? 0 : 1;
  }

  async register(): Promise<void> {
    await this.ask(Operation.register, new Uint8Array(256));
  }

  /** Repeats the request until it is answered. Rejects after ten seconds of the world's time. */
  async ask(operation: number, body: Uint8Array): Promise<Answer> {
    const answer = await this.tryToAsk(operation, body, PATIENCE_MS);
    if (answer === undefined) throw new Error(`operation ${operation} was not answered`);
    return answer;
  }

  /** Returns the message of the next request, which the caller sends. */
  message(operation: number, body: Uint8Array): Uint8Array {
    const { view } = this;
    const fields = { cluster: 0n, view, release: engineRelease, client: this.#client };
    const place = { session: this.#session, request: this.#number, parent: this.#parent };
    const head = buildRequest({ ...fields, ...place, operation }, body);
    return new Uint8Array(Buffer.concat([head, body]));
  }

  /**
   * Sends a request. Returns `undefined` if no answer comes in time; the next call may ask something else under the same
   * number.
   */
  async tryToAsk(operation: number, body: Uint8Array, ms: number): Promise<Answer | undefined> {
    const message = this.message(operation, body);
    const answers: Uint8Array[] = [];
    const take = (bytes: Uint8Array): void => void answers.push(bytes);
    for (let waited = 0; waited < ms && answers.length === 0; waited += AGAIN_MS) {
      this.#world.leader?.receive(message.slice(), { take });
      await this.#world.simulation.run(AGAIN_MS);
    }
    const [got] = answers;
    if (got === undefined) return undefined;
    const reply = new ReplyHeader(new Header(got.slice(0, headerSize)));
    if (reply.header.command !== Command.reply)
      throw new Error(`answered with command ${reply.header.command}`);
    if (operation === Operation.register) this.#session = reply.commit;
    this.#parent = reply.context.slice();
    this.#number += 1;
    return { timestamp: reply.timestamp, body: got.slice(headerSize) };
  }
}
