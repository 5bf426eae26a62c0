/**
 * A client that records everything. It sends frames as the official clients do, gives up requests when told to, so that their
 * outcome stays unknown, sends old frames again, and checks every answer, also unexpected ones.
 */
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { buildRequest, Command, Header, ReplyHeader } from '../../engine/wire/header.ts';
import { MessageReader } from '../../engine/wire/message-reader.ts';
import { Operation, shapeOf } from '../../engine/wire/operations.ts';
import { engineRelease } from '../../engine/wire/release.ts';

interface Answer {
  readonly op: number;
  readonly timestamp: bigint;
  readonly body: Uint8Array;
}

interface ChaosClientOptions {
  readonly addresses: readonly { readonly host: string; readonly port: number }[];
  readonly random: () => number;
  /** Called when the protocol or a promise was broken. */
  readonly onWrong: (what: string) => void;
}

interface InFlight {
  readonly frame: Uint8Array;
  readonly header: Header;
  readonly resolve: (answer: Answer | undefined) => void;
}

const RETRY_FIRST_MS = 600;
const RETRY_MS = 700;
const RECONNECT_MS = 100;
const REMEMBERED = 32;

export class ChaosClient {
  readonly #options: ChaosClientOptions;
  readonly #id = randomBytes(16).readBigUInt64LE(0) | 1n;
  readonly #links: Link[];
  #session = 0n;
  #number = 0;
  #view = 0;
  #parent: Uint8Array = new Uint8Array(16);
  #inFlight: InFlight | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  /** Frames of answered writes and their answers, newest last. */
  readonly #answered: { frame: Uint8Array; number: number; answer: Answer }[] = [];
  replayed = 0;

  constructor(options: ChaosClientOptions) {
    this.#options = options;
    this.#links = options.addresses.map(
      (address) =>
        new Link(
          address,
          () => this.#transmit(),
          (header, body) => this.#take(header, body),
        ),
    );
  }

  /** Registers a session. Resolves with undefined if the client gave up. */
  register(giveUpMs: number): Promise<Answer | undefined> {
    return this.request(Operation.register, new Uint8Array(256), giveUpMs);
  }

  /** Sends one request at a time. Resolves with undefined if the client gave up: it is then closed, and the outcome unknown. */
  request(operation: number, body: Uint8Array, giveUpMs: number): Promise<Answer | undefined> {
    const head = buildRequest(
      {
        cluster: 0n,
        view: this.#view,
        release: engineRelease,
        client: this.#id,
        session: this.#session,
        request: this.#number,
        operation,
        parent: this.#number === 0 ? new Uint8Array(16) : this.#parent,
      },
      body,
    );
    this.#number += 1;
    const frame = Buffer.concat([head, body]);
    return new Promise((resolve) => {
      const giveUp = setTimeout(() => {
        this.close();
        resolve(undefined);
      }, giveUpMs);
      const done = (answer: Answer | undefined): void => {
        clearTimeout(giveUp);
        resolve(answer);
      };
      this.#inFlight = { frame, header: new Header(head), resolve: done };
      this.#transmit();
      this.#again(this.#inFlight, RETRY_FIRST_MS);
    });
  }

  /** Sends an answered request again, byte for byte, to any replica. */
  replay(): void {
    const { random } = this.#options;
    const old = this.#answered[Math.floor(random() * this.#answered.length)];
    if (old === undefined) return;
    this.replayed += 1;
    this.#links[Math.floor(random() * this.#links.length)]?.send(old.frame);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const link of this.#links) link.close();
    this.#inFlight?.resolve(undefined);
    this.#inFlight = undefined;
  }

  #again(request: InFlight, afterMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#inFlight !== request) return;
      this.#transmit();
      this.#again(request, RETRY_MS * (1 + this.#options.random()));
    }, afterMs);
  }

  /** Sends the frame to the presumed leader and, as official clients do, to one other replica. */
  #transmit(): void {
    const frame = this.#inFlight?.frame;
    if (frame === undefined) return;
    const count = this.#links.length;
    const believed = this.#view % count;
    const other = (believed + 1 + Math.floor(this.#options.random() * (count - 1))) % count;
    this.#links[believed]?.send(frame);
    this.#links[other]?.send(frame);
  }

  #take(header: Header, body: Uint8Array): void {
    if (this.#closed) return;
    if (header.command === Command.eviction) {
      if (header.u128(128) === this.#id) this.#options.onWrong(`evicted (${header.u8(255)})`);
      return;
    }
    if (header.command !== Command.reply) return;
    const reply = new ReplyHeader(header);
    if (!reply.isWellFormed() || reply.client !== this.#id) {
      this.#options.onWrong('a reply that is not well-formed, or not for this client');
      return;
    }
    const answer = { op: Number(reply.op), timestamp: reply.timestamp, body };
    this.#view = Math.max(this.#view, header.view);
    const current = this.#inFlight;
    if (current !== undefined && reply.request === current.header.u32(192)) {
      this.#accept(current, reply, answer);
      return;
    }
    const known = this.#answered.find(({ number }) => number === reply.request);
    if (known !== undefined && !sameAnswer(known.answer, answer))
      this.#options.onWrong(
        `request ${reply.request} was answered twice, at op ${known.answer.op} and ${answer.op}`,
      );
  }

  #accept(current: InFlight, reply: ReplyHeader, answer: Answer): void {
    if (Buffer.compare(reply.requestChecksum, current.header.checksum) !== 0) {
      this.#options.onWrong('a reply to a request with another checksum');
      return;
    }
    this.#inFlight = undefined;
    this.#parent = reply.context.slice();
    const { operation } = reply;
    if (operation === Operation.register) this.#session = reply.commit;
    else if (shapeOf(operation)?.write === true && current.frame.length < 65_536) {
      this.#answered.push({ frame: current.frame, number: reply.request, answer });
      if (this.#answered.length > REMEMBERED) this.#answered.shift();
    }
    current.resolve(answer);
  }
}

const sameAnswer = (one: Answer, other: Answer): boolean =>
  one.op === other.op &&
  one.timestamp === other.timestamp &&
  Buffer.compare(one.body, other.body) === 0;

class Link {
  readonly #address: { readonly host: string; readonly port: number };
  readonly #onConnect: () => void;
  readonly #onMessage: (header: Header, body: Uint8Array) => void;
  #socket: Socket;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #silentSince: number | undefined;

  constructor(
    address: { readonly host: string; readonly port: number },
    onConnect: () => void,
    onMessage: (header: Header, body: Uint8Array) => void,
  ) {
    this.#address = address;
    this.#onConnect = onConnect;
    this.#onMessage = onMessage;
    this.#socket = this.#connect();
  }

  send(frame: Uint8Array): void {
    if (this.#socket.readyState !== 'open') return;
    this.#silentSince ??= performance.now();
    // A cut connection is silent and reports no error; frames queued on it would be sent much later.
    if (performance.now() - this.#silentSince > 4000) this.#socket.destroy();
    else this.#socket.write(frame);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#socket.destroy();
  }

  #connect(): Socket {
    const reader = new MessageReader(0n);
    this.#silentSince = undefined;
    const socket = connect({ ...this.#address, noDelay: true });
    const inVain = setTimeout(() => socket.destroy(), 1000);
    socket.on('connect', () => {
      clearTimeout(inVain);
      this.#onConnect();
    });
    socket.on('data', (chunk) => {
      this.#silentSince = undefined;
      const error = reader.push(chunk, ({ header, body }) =>
        this.#onMessage(new Header(header.bytes.slice()), body.slice()),
      );
      if (error !== undefined) socket.destroy();
    });
    // The client reconnects and repeats its requests.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(inVain);
      if (this.#closed) return;
      this.#timer = setTimeout(() => {
        this.#socket = this.#connect();
      }, RECONNECT_MS);
    });
    return socket;
  }
}
