/**
 * A client that behaves like the official ones: it has a session and one request at a time. It sends each request to the
 * presumed leader and to one other replica, and repeats it until it is answered. It writes and reads, and checks the
 * answers.
 */
import type { Simulation } from '../../log/replicated/testing/simulation.ts';
import { buildRequest, Command, Header, ReplyHeader } from '../../wire/header.ts';
import { headerSize } from '../../wire/limits.ts';
import { splitMultiBatch } from '../../wire/multi-batch.ts';
import { Operation } from '../../wire/operations.ts';
import { engineRelease } from '../../wire/release.ts';
import type { History } from './history.ts';
import { accountsBody, lookupBody, movesBody, transferBody } from './records.ts';

const CREATED = 0xffff_ffff;
const RETRY_FIRST_MS = 600;
const RETRY_MS = 700;

export interface ClientWorld {
  readonly simulation: Simulation;
  readonly history: History;
  readonly replicaCount: number;
  /** The true time, ms since the UNIX epoch. */
  readonly trueMs: number;
  /** True if each request goes to one more replica than the leader. */
  readonly hedges: boolean;
  /** True if some requests have hundreds of transfers. */
  readonly hasBulk: boolean;
  /** Delivers a message to a replica, or loses it. Answers come by `take`. */
  deliver(replica: number, message: Uint8Array, client: SimClient): void;
}

interface InFlight {
  readonly message: Uint8Array;
  readonly header: Header;
  readonly kind: 'register' | 'setup' | 'write' | 'read' | 'bulk';
  readonly begun: number;
}

export class SimClient {
  readonly #world: ClientWorld;
  readonly #id: bigint;
  #session = 0n;
  #number = 0;
  #view = 0;
  #parent: Uint8Array = new Uint8Array(16);
  #inFlight: InFlight | undefined;
  #sentAtMs = 0;
  #longestMs = 0;
  /** If true, the client begins no more requests. */
  stopped = false;

  constructor(world: ClientWorld, id: bigint) {
    this.#world = world;
    this.#id = id;
  }

  get isIdle(): boolean {
    return this.#inFlight === undefined;
  }

  /** Longest wait for an answer until now, in ms. */
  get longestMs(): number {
    const waitsMs = this.isIdle ? 0 : this.#world.simulation.nowMs - this.#sentAtMs;
    return Math.max(this.#longestMs, waitsMs);
  }

  /** Resets `longestMs`. */
  forget(): void {
    this.#longestMs = 0;
  }

  begin(): void {
    this.#send('register', Operation.register, new Uint8Array(256), 0);
  }

  take(message: Uint8Array): void {
    const { simulation, history } = this.#world;
    const header = new Header(message.slice(0, headerSize));
    if (header.command === Command.eviction) {
      history.fail(`client ${this.#id} was evicted: ${header.u8(255)}`);
      return;
    }
    const reply = new ReplyHeader(header);
    const current = this.#inFlight;
    this.#view = Math.max(this.#view, header.view);
    if (current === undefined || !same(reply.requestChecksum, current.header.checksum)) return;
    this.#longestMs = this.longestMs;
    this.#inFlight = undefined;
    this.#parent = reply.context.slice();
    history.told(reply.timestamp, this.#world.trueMs);
    if (current.kind === 'register') this.#session = reply.commit;
    else this.#check(current, reply, message.slice(headerSize));
    if (!this.stopped) simulation.after(simulation.between(1, 30), () => this.#next());
  }

  #check({ kind, begun }: InFlight, reply: ReplyHeader, body: Uint8Array): void {
    const { history } = this.#world;
    if (kind === 'read') {
      const [account] = splitMultiBatch(body, 128) ?? [];
      const posted = account?.length === 128 ? viewOf(account).getUint32(32, true) : 0;
      history.read(begun, posted);
      return;
    }
    const [results] = splitMultiBatch(body, 16) ?? [];
    const status = results === undefined ? undefined : viewOf(results).getUint32(8, true);
    if (kind === 'bulk') history.others += createdIn(results!);
    if (kind === 'write') history.written(Number(reply.op), reply.timestamp, status === CREATED);
  }

  #next(): void {
    const { simulation, history } = this.#world;
    if (this.stopped) return;
    if (this.#number === 1)
      this.#send('setup', Operation.createAccounts, accountsBody(1, 2, 3, 4), history.beginRead());
    else if (this.#number === 2)
      this.#send('setup', Operation.createTransfers, transferBody(pendingId(this.#id), 1), 0);
    else if (simulation.chance(0.4))
      this.#send('read', Operation.lookupAccounts, lookupBody(1), history.beginRead());
    else if (this.#world.hasBulk && simulation.chance(0.03))
      this.#send('bulk', Operation.createTransfers, this.#bulk(), 0);
    else this.#send('write', Operation.createTransfers, transferBody(history.beginWrite()), 0);
  }

  /** Hundreds of transfers that are not counted, between other accounts, whose ids rise, are in no order, or are few. */
  #bulk(): Uint8Array {
    const { simulation } = this.#world;
    const ids = simulation.below(3);
    const idOf = (i: number): number => {
      if (ids === 2) return BULK_IDS + simulation.below(400);
      return BULK_IDS + (ids === 0 ? 400 + this.#number * 1000 + i : simulation.below(1 << 29));
    };
    return movesBody(
      Array.from({ length: 256 + simulation.below(100) }, (_, i) => ({
        id: idOf(i),
        debit: 3,
        credit: 4,
      })),
    );
  }

  #send(kind: InFlight['kind'], operation: number, body: Uint8Array, begun: number): void {
    const fields = {
      cluster: 0n,
      view: this.#view,
      release: engineRelease,
      client: this.#id,
      session: this.#session,
      request: this.#number,
      operation,
      parent: this.#number === 0 ? new Uint8Array(16) : this.#parent,
    };
    this.#number += 1;
    const head = buildRequest(fields, body);
    const message = new Uint8Array(head.length + body.length);
    message.set(head);
    message.set(body, head.length);
    this.#inFlight = { message, header: new Header(head), kind, begun };
    this.#sentAtMs = this.#world.simulation.nowMs;
    this.#transmit(this.#inFlight, RETRY_FIRST_MS);
  }

  #transmit(request: InFlight, againMs: number): void {
    const { simulation, replicaCount, hedges } = this.#world;
    if (this.#inFlight !== request) return;
    const believed = this.#view % replicaCount;
    const other = (believed + 1 + simulation.below(replicaCount - 1)) % replicaCount;
    for (const replica of hedges ? [believed, other] : [believed])
      this.#world.deliver(replica, request.message.slice(), this);
    simulation.after(againMs, () => this.#transmit(request, RETRY_MS * simulation.between(1, 2)));
  }
}

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

/** Number of results that say that something was created. */
function createdIn(results: Uint8Array): number {
  let created = 0;
  for (let at = 0; at < results.length; at += 16)
    if (viewOf(results).getUint32(at + 8, true) === CREATED) created += 1;
  return created;
}

const same = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;

/** Id of a client's pending transfer, beyond the ids of counted transfers. */
const BULK_IDS = 1 << 30;
const pendingId = (client: bigint): number => 1_000_000 + Number(client);
