/**
 * Executes what the log says, on the ledger and the sessions: a function of the entries alone, the same when they are new,
 * replayed, or another replica's. Who orders entries, and when answers leave, is not known here.
 */
import { SectionKind, type Checkpointed, type Section } from '../ledger/checkpoint.ts';
import type { StateMachine } from '../ledger/state-machine.ts';
import { DataFileError } from '../log/errors.ts';
import { RULES_TABLE } from '../log/layout.ts';
import type { CheckpointPosition, LogEntry, ReplicaIdentity } from '../log/log.ts';
import { buildReply, buildRequest, Header, RequestHeader } from '../wire/header.ts';
import { headerSize } from '../wire/limits.ts';
import { Operation } from '../wire/operations.ts';
import { engineRelease } from '../wire/release.ts';
import { decodeRules, encodeRules, FIRST_RULES, unknownRules } from './rules.ts';
import { SessionTable, sessionsTable, type Reply } from './sessions.ts';

export interface ExecutorOptions {
  readonly ledger: StateMachine;
  readonly identity: ReplicaIdentity;
  /** Bytes of a request's body that clients are granted. */
  readonly batchSizeLimit: number;
}

/** A read that goes on in steps, between which entries may be applied. */
export interface Read {
  /** True when it is done; it is then to be finished at once. */
  step(): boolean;
  /** False when its client has gone on without the answer. */
  isWanted(): boolean;
  /** The reply, which its session remembers; none when its client has gone on. */
  finish(): Reply | undefined;
}

/** Seeks in lists between two looks at the sockets: one to three milliseconds. */
const READ_STEP_UNITS = 32_768;

export class Executor {
  readonly sessions = new SessionTable();
  readonly ledger: StateMachine;
  /** Ledger and sessions, as what a checkpoint holds. */
  readonly state: Checkpointed;
  readonly #options: ExecutorOptions;
  #op = 0;
  #timestamp = 0n;
  #view = 0;
  #rules = FIRST_RULES;

  constructor(options: ExecutorOptions) {
    this.#options = options;
    this.ledger = options.ledger;
    this.state = this.#composedState();
  }

  get op(): number {
    return this.#op;
  }

  get timestamp(): bigint {
    return this.#timestamp;
  }

  /** The rules by which the next operation is executed. */
  get rules(): number {
    return this.#rules;
  }

  get view(): number {
    return this.#view;
  }

  /** The state was loaded from a checkpoint; entries before it, or behind it, may have been applied already. */
  loaded(position: CheckpointPosition): void {
    this.#op = Math.max(this.#op, position.op);
    this.#timestamp = position.timestamp > this.#timestamp ? position.timestamp : this.#timestamp;
    this.#view = Math.max(this.#view, position.view);
  }

  position(): CheckpointPosition {
    return {
      op: this.#op,
      timestamp: this.#timestamp,
      view: this.#view,
      stateHash: this.ledger.stateHash(),
    };
  }

  /** How far an operation's timestamp is ahead of the moment in which it is ordered. */
  timestampDelta(operation: number, body: Uint8Array): bigint {
    const needsNone =
      operation === Operation.register ||
      operation === Operation.noop ||
      operation === Operation.upgrade;
    return BigInt(needsNone ? 0 : this.ledger.timestampDelta(operation, body));
  }

  /**
   * Executes an entry and gives the reply; none for what nobody asked. A request whose session has a later one, or the same,
   * changes nothing: it was executed before. Throws DataFileError for rules that the ledger does not know.
   */
  apply(entry: LogEntry): Reply | undefined {
    const request = new RequestHeader(new Header(entry.message));
    const body = entry.message.subarray(headerSize);
    this.#op = entry.op;
    this.#timestamp = entry.timestamp;
    this.#view = entry.view;
    const { ledger } = this;
    switch (request.operation) {
      case Operation.pulse:
        ledger.commit(Operation.pulse, entry.timestamp, body);
        return undefined;
      case Operation.upgrade:
        this.#useRules(decodeRules(body));
        return undefined;
      case Operation.register:
        return this.#register(request, entry);
      default: {
        const session = this.sessions.get(request.client);
        if (session?.session === request.session && request.number <= session.lastRequest)
          return undefined;
        const result =
          request.operation === Operation.noop
            ? empty
            : ledger.commit(request.operation, entry.timestamp, body);
        const reply = this.#replyTo(request, result, entry.op, entry.timestamp);
        if (session !== undefined) {
          session.lastRequest = request.number;
          session.lastOp = entry.op;
          session.requestChecksum = request.header.checksum.slice();
          session.reply = reply;
          session.read = undefined;
        }
        return reply;
      }
    }
  }

  /** Begins a read, on the state as it is now; undefined when its session is gone. */
  beginRead(request: RequestHeader, body: Uint8Array, now: bigint): Read | undefined {
    if (!this.#isNews(request)) return undefined;
    const read = this.ledger.beginRead(request.operation, body);
    const op = this.#op;
    const timestamp = now > this.#timestamp ? now : this.#timestamp;
    return {
      step: () => read.step(READ_STEP_UNITS),
      isWanted: () => this.#isNews(request),
      finish: () => {
        if (!this.#isNews(request)) return undefined;
        const result = this.ledger.finishRead(read);
        const reply = this.#replyTo(request, result, op, timestamp);
        const session = this.sessions.get(request.client);
        const requestChecksum = request.header.checksum.slice();
        if (session !== undefined)
          session.read = { request: request.number, requestChecksum, reply };
        return reply;
      },
    };
  }

  /** Whether its session is there, and has gone no further. */
  #isNews({ client, session: of, number }: RequestHeader): boolean {
    const session = this.sessions.get(client);
    return (
      session?.session === of &&
      number > session.lastRequest &&
      number > (session.read?.request ?? 0)
    );
  }

  /** The message that a pulse has in the log: a request of nobody, without a body. */
  pulseMessage(view: number): Uint8Array {
    return this.#ownMessage(Operation.pulse, view, empty);
  }

  /** The message by which the log moves to other rules: a request of nobody. */
  upgradeMessage(rules: number, view: number): Uint8Array {
    return this.#ownMessage(Operation.upgrade, view, encodeRules(rules));
  }

  #ownMessage(operation: number, view: number, body: Uint8Array): Uint8Array {
    const parent = new Uint8Array(16);
    const cluster = this.#options.identity.clusterId;
    const fields = { cluster, view, release: engineRelease, client: 0n, session: 0n, request: 0 };
    const head = buildRequest({ ...fields, operation, parent }, body);
    return body.length === 0 ? head : Uint8Array.from([...head, ...body]);
  }

  #useRules(rules: number): void {
    const { ledger } = this;
    if (rules > ledger.rulesMax)
      throw new DataFileError('unknown_rules', unknownRules(rules, ledger.rulesMax));
    ledger.useRules(rules);
    this.#rules = rules;
  }

  /** The ledger's tables, the sessions and the rules, as one state. */
  #composedState(): Checkpointed {
    const { ledger, sessions } = this;
    return {
      takeDelta: (rewrite) => [
        ...ledger.takeDelta(rewrite),
        sessions.takeSection(),
        ...(this.#rules === FIRST_RULES ? [] : [rulesSection(this.#rules)]),
      ],
      loadSection: async (head, chunks) => {
        if (head.table === RULES_TABLE) this.#useRules(decodeRules(await bytesOf(chunks)));
        else if (head.table === sessionsTable) await sessions.loadSection(head, chunks);
        else await ledger.loadSection(head, chunks);
      },
      finishLoad: (pause) => ledger.finishLoad(pause),
    };
  }

  #register(request: RequestHeader, entry: LogEntry): Reply | undefined {
    if (this.sessions.get(request.client) !== undefined) return undefined;
    const body = new Uint8Array(64);
    new DataView(body.buffer).setUint32(0, this.#options.batchSizeLimit, true);
    const reply = this.#replyTo(request, body, entry.op, entry.timestamp);
    this.sessions.register({
      client: request.client,
      session: BigInt(entry.op),
      release: request.header.release,
      lastRequest: 0,
      lastOp: entry.op,
      requestChecksum: request.header.checksum.slice(),
      reply,
    });
    return reply;
  }

  #replyTo(request: RequestHeader, body: Uint8Array, op: number, timestamp: bigint): Reply {
    const { identity } = this.#options;
    const header = buildReply(
      {
        cluster: identity.clusterId,
        view: this.#view,
        release: request.header.release,
        replica: this.#view % identity.replicaCount,
        request,
        op,
        timestamp,
      },
      body,
    );
    return { header, body };
  }
}

const empty = new Uint8Array(0);

const rulesSection = (rules: number): Section => ({
  kind: SectionKind.replace,
  table: RULES_TABLE,
  rowSize: 1,
  firstRow: 0,
  rowCount: 4,
  chunks: [encodeRules(rules)],
});

async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk.slice());
  return Buffer.concat(all);
}
