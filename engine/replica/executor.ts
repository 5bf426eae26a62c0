/**
 * Executor of log entries on the ledger and the sessions. The result depends on the entries alone, whether they are new,
 * replayed, or another replica's. The executor does not order entries and does not decide when answers leave.
 */
import type { Needs } from '../ledger/cold-rows.ts';
import { SectionKind, type Checkpointed, type Section } from '../ledger/checkpoint.ts';
import type { ReadStep } from '../ledger/ledger-read.ts';
import type { StateMachine } from '../ledger/state-machine.ts';
import { DataFileError } from '../log/errors.ts';
import { PAUSE_TABLE, RULES_TABLE } from '../log/layout.ts';
import type { CheckpointPosition, LogEntry, ReplicaIdentity } from '../log/log.ts';
import type { PageSource } from '../log/page-reader.ts';
import { buildReply, buildRequest, Header, RequestHeader } from '../wire/header.ts';
import { headerSize } from '../wire/limits.ts';
import { Operation, shapeOf } from '../wire/operations.ts';
import { engineRelease } from '../wire/release.ts';
import { decodeRules, encodeRules, FIRST_RULES, unknownRules } from './rules.ts';
import {
  decodePause,
  encodePause,
  encodePauseLength,
  joined,
  PAUSE_BYTES,
  pauseOf,
  type WritePause,
} from './write-pause.ts';
import { SessionTable, sessionsTable, type Reply } from './sessions.ts';

interface ExecutorOptions {
  readonly ledger: StateMachine;
  readonly identity: ReplicaIdentity;
  /** Maximum size of a request's body that clients may send, in bytes. */
  readonly batchSizeLimit: number;
}

/** A read in steps, between which entries may be applied. */
export interface Read {
  /** Makes one step. When the read is done, `finish` must be called at once. */
  step(): ReadStep;
  /** Returns false if the client no longer waits for the answer. */
  isWanted(): boolean;
  /** Returns the reply, which the session remembers, or `undefined` if the client no longer waits for it. */
  finish(): Reply | undefined;
}

/** Seeks in lists per step, between two looks at the sockets: one to three milliseconds. */
const READ_STEP_UNITS = 32_768;

export class Executor {
  readonly sessions = new SessionTable();
  readonly ledger: StateMachine;
  /** Ledger and sessions as one state for checkpoints. */
  readonly state: Checkpointed;
  readonly #options: ExecutorOptions;
  #op = 0;
  #timestamp = 0n;
  #view = 0;
  #rules = FIRST_RULES;
  #pause: WritePause | undefined;

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

  /** Rules that apply to the next operation. */
  get rules(): number {
    return this.#rules;
  }

  get view(): number {
    return this.#view;
  }

  /** The last pause of writes, which may be over. */
  get pause(): WritePause | undefined {
    return this.#pause;
  }

  /** Whether writes are paused at a time; a time before the last operation counts as that. */
  pausesWritesAt(now: bigint): boolean {
    const { until = 0n } = this.#pause ?? {};
    return until > now && until > this.#timestamp;
  }

  /** Call after the state was loaded from a checkpoint. Entries before or after it may have been applied already. */
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

  /** Returns how far an operation's timestamp is ahead of the moment in which it is ordered, in ns. */
  timestampDelta(operation: number, body: Uint8Array): bigint {
    const needsNone =
      operation === Operation.register ||
      operation === Operation.noop ||
      operation === Operation.upgrade ||
      operation === Operation.pause;
    return BigInt(needsNone ? 0 : this.ledger.timestampDelta(operation, body));
  }

  /** Returns the pages without which the entry cannot be applied. Right before `apply` there must be none. */
  prepare({ message, timestamp }: LogEntry): Needs | undefined {
    const { operation } = new RequestHeader(new Header(message));
    const isLedgers = operation === Operation.pulse || shapeOf(operation)?.write === true;
    if (!isLedgers) return undefined;
    return this.ledger.prepare(operation, timestamp, message.subarray(headerSize));
  }

  /** Applies an entry at once, or when its pages were brought. Entries must come one after another. */
  replay(entry: LogEntry, pages: PageSource): void | Promise<void> {
    const needs = this.prepare(entry);
    if (needs === undefined) this.apply(entry);
    else return pages.read(needs.pages, needs.arrived).then(() => this.replay(entry, pages));
  }

  /**
   * Executes an entry. Returns the reply, or `undefined` if no client asked. A request that its session has executed
   * already, or that is older, changes nothing. Throws DataFileError for rules that the ledger does not know.
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
      case Operation.pause:
        this.#pause = joined(this.#pause, pauseOf(entry));
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

  /** Begins a read on the present state. Returns `undefined` if its session is gone. */
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
        const reply = this.#replyTo(request, read.finish(), op, timestamp);
        const session = this.sessions.get(request.client);
        const requestChecksum = request.header.checksum.slice();
        if (session !== undefined)
          session.read = { request: request.number, requestChecksum, reply };
        return reply;
      },
    };
  }

  /** Returns whether the request's session exists and has not executed this request or a later one. */
  #isNews({ client, session: of, number }: RequestHeader): boolean {
    const session = this.sessions.get(client);
    return (
      session?.session === of &&
      number > session.lastRequest &&
      number > (session.read?.request ?? 0)
    );
  }

  /** Returns the log message of a pulse: a request without a client and without a body. */
  pulseMessage(view: number): Uint8Array {
    return this.#ownMessage(Operation.pulse, view, empty);
  }

  /** Returns the log message that moves the log to other rules: a request without a client. */
  upgradeMessage(rules: number, view: number): Uint8Array {
    return this.#ownMessage(Operation.upgrade, view, encodeRules(rules));
  }

  /** Returns the log message that pauses writes: a request without a client. */
  pauseMessage(lengthNs: bigint, view: number): Uint8Array {
    return this.#ownMessage(Operation.pause, view, encodePauseLength(lengthNs));
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

  /** Returns the ledger's tables, the sessions, the rules and a pause of writes as one state. */
  #composedState(): Checkpointed {
    const { ledger, sessions } = this;
    return {
      takeDelta: (rewrite) => [
        ...ledger.takeDelta(rewrite),
        sessions.takeSection(),
        ...(this.#rules === FIRST_RULES ? [] : [replacing(RULES_TABLE, encodeRules(this.#rules))]),
        // Also a pause that is over. A section that is not written again comes first, and a release without pauses must meet the rules first.
        ...(this.#pause === undefined ? [] : [replacing(PAUSE_TABLE, encodePause(this.#pause))]),
      ],
      stored: (derived, rewritten) => ledger.stored(derived, rewritten),
      loadSection: async (head, chunks) => {
        if (head.table === RULES_TABLE) this.#useRules(decodeRules(await bytesOf(chunks)));
        else if (head.table === PAUSE_TABLE) this.#pause = pauseIn(await bytesOf(chunks));
        else if (head.table === sessionsTable) await sessions.loadSection(head, chunks);
        else await ledger.loadSection(head, chunks);
      },
      keptTables: () => ledger.keptTables(),
      finishLoad: (pause, store) => ledger.finishLoad(pause, store),
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

const replacing = (table: number, bytes: Uint8Array): Section => ({
  kind: SectionKind.replace,
  table,
  rowSize: 1,
  firstRow: 0,
  rowCount: bytes.length,
  chunks: [bytes],
});

function pauseIn(bytes: Uint8Array): WritePause {
  if (bytes.length !== PAUSE_BYTES)
    throw new DataFileError('checkpoint_corrupt', 'The pause of writes has another size.');
  return decodePause(bytes);
}

async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk.slice());
  return Buffer.concat(all);
}
