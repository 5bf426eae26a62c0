/**
 * A single replica: it orders requests, executes them and answers. It executes an operation as soon as it is ordered, while
 * its log entry is being written. The operation's answer, and that of every read that may have seen it, leaves when the log
 * says that the entry is committed. The log alone defines what committed means.
 */
import type { Clock } from '../../base/clock.ts';
import type { Timers } from '../../base/timers.ts';
import { ReplicaRole } from '../../domain/engine-status.ts';
import type { Needs } from '../ledger/cold-rows.ts';
import type { Creations, StateMachine } from '../ledger/state-machine.ts';
import type { CheckpointPosition, LogEntry, ReplicaLog } from '../log/log.ts';
import { Header, ReplyHeader, RequestHeader } from '../wire/header.ts';
import { headerSize, sessionsMax } from '../wire/limits.ts';
import { isRead, Operation, shapeOf } from '../wire/operations.ts';
import { admitRequest } from './admission.ts';
import { Checkpoints } from './checkpoints.ts';
import { ClientValues } from './client-values.ts';
import { ExecutionQueue } from './execution-queue.ts';
import { Executor } from './executor.ts';
import { IndexVolume } from './index-volume.ts';
import { Orderer } from './orderer.ts';
import { RequestCounts } from './request-counts.ts';
import { sameChecksum } from './pending-requests.ts';
import { HeldAnswers } from './held-answers.ts';
import { ReadQueue } from './read-queue.ts';
import { Replay } from './replay.ts';
import {
  fullBatch,
  onlyClock,
  type ReplySink,
  type ServedReplica,
  type ReplicaStanding,
} from './served-replica.ts';
import type { Reply, SessionTable } from './sessions.ts';
import { WaitingWrites } from './waiting-writes.ts';

interface ReplicaOptions {
  readonly log: ReplicaLog;
  readonly ledger: StateMachine;
  readonly clock: Clock;
  readonly timers: Pick<Timers, 'nowMs'>;
  /** Maximum size of a request's body that clients may send, in bytes. */
  readonly batchSizeLimit: number;
  /** Called when a checkpoint failed; it is tried again when more was logged. */
  readonly onCheckpointError: (error: unknown) => void;
  /** Called when a read could not be answered, because its rows are damaged. */
  readonly onReadError: (error: unknown) => void;
  /** Called when pages of the index could not be read to be merged; that is tried again. */
  readonly onMergeError?: (error: unknown) => void;
  /** Called when an operation in the log cannot be executed, because rows that it needs are damaged. */
  readonly onFatal: (error: unknown) => void;
}

interface Waiting {
  /** Op whose commit lets the answer leave. */
  readonly op: number;
  readonly send: () => void;
}

export class Replica implements ServedReplica {
  readonly #options: ReplicaOptions;
  readonly #executor: Executor;
  readonly #orderer: Orderer;
  readonly #counts = new RequestCounts();
  /** Answers that wait, in op order. */
  #waiting: Waiting[] = [];
  #committed = 0;
  readonly #checkpoints: Checkpoints;
  #lastPulseMs = -Infinity;
  readonly #reads: ReadQueue;
  /** Logged operations that are not executed yet. */
  readonly #execution: ExecutionQueue;
  /** By client: its write among them, and the sink for its answer. */
  readonly #logged = new ClientValues<{ readonly checksum: Uint8Array; sink: ReplySink }>();
  /** Records that they may create. */
  #ahead = { accounts: 0, transfers: 0 };
  /** Each client's read in progress, and the sink for its answer. */
  readonly #reading = new ClientValues<{ readonly checksum: Uint8Array; sink: ReplySink }>();
  /** Each client's newest read that has not begun. */
  readonly #asked = new ClientValues<RequestHeader>();
  #indexVolume: IndexVolume | undefined;
  readonly #held = new HeldAnswers((op, send) => this.#whenCommitted(op, send));
  readonly #full = new WaitingWrites();
  /** Whether the log was still full when the last checkpoint ended. */
  #foundNoRoom = false;
  #stopping = false;
  #recovered = false;
  #isSettling = false;

  constructor(options: ReplicaOptions) {
    this.#options = options;
    const { log, ledger, clock, timers, batchSizeLimit } = options;
    this.#executor = new Executor({ ledger, identity: log.identity, batchSizeLimit });
    this.#orderer = new Orderer({
      executor: () => this.#executor,
      nowNs: () => clock.realtimeNs(),
    });
    const bring = ({ pages, arrived }: Needs): Promise<void> => log.pages.read(pages, arrived);
    this.#execution = new ExecutionQueue({ bring, onFailure: options.onFatal });
    this.#reads = new ReadQueue({
      soon: (callback) => void setImmediate(callback),
      bring,
    });
    this.#checkpoints = new Checkpoints({
      nowMs: () => timers.nowMs(),
      onError: options.onCheckpointError,
      take: async () => (await log.checkpoint(this.#executor.state, this.position)).op,
      onEnd: () => {
        this.#foundNoRoom = log.logFull;
        this.#tryAgain();
      },
    });
  }

  /** Loads the durable state. Returns the number of log entries that were replayed. */
  async recover(): Promise<number> {
    const executor = this.#executor;
    const { log, timers, onMergeError } = this.#options;
    const replay = new Replay(executor, log.pages);
    const position = await log.recover(executor.state, (entry) => replay.take(entry));
    await replay.end();
    executor.loaded(position);
    this.#indexVolume = new IndexVolume({
      pages: log.pages,
      ledger: executor.ledger,
      nowMs: () => timers.nowMs(),
      onError: (error) => {
        if (!this.#stopping) onMergeError?.(error);
      },
    });
    this.#orderer.begin(executor);
    this.#committed = executor.op;
    this.#checkpoints.op = position.op;
    this.#recovered = true;
    if (log.logFull) {
      // Whether there is room for it shows when it is over. Until then the volume's figures count.
      const { usedBytes, limitBytes } = log.storage();
      this.#foundNoRoom = limitBytes - usedBytes < ROOM_OF_CHECKPOINTS * log.checkpointAfterBytes;
      this.beginCheckpoint();
    }
    return replay.taken;
  }

  get position(): CheckpointPosition {
    return this.#executor.position();
  }

  get ledger(): StateMachine {
    return this.#options.ledger;
  }

  get sessions(): SessionTable {
    return this.#executor.sessions;
  }

  get op(): number {
    return this.#executor.op;
  }

  get requests(): ReadonlyMap<number, number> {
    return this.#counts.executed;
  }

  readonly reigns = undefined;
  readonly stateBytes = undefined;

  get refused(): number {
    return this.#counts.refused;
  }

  get committedOp(): number {
    return this.#committed;
  }

  get checkpointOp(): number {
    return this.#checkpoints.op;
  }

  get view(): number {
    return this.#executor.view;
  }

  /** False while requests that create anything are refused: memory or storage is at its limit. */
  get acceptsWrites(): boolean {
    return (
      !this.#stopping &&
      !this.#lacksMemory(Operation.createTransfersUnbatched, fullBatch) &&
      !this.#storageIsFull
    );
  }

  /** Only several replicas are asked for a pause: a single one is stopped instead. */
  readonly writesPaused = false;

  /** Returns whether memory is too small for the request, and nothing is about to change that. */
  #lacksMemory(operation: number, body: Uint8Array): boolean {
    const shortage = this.#options.ledger.shortage(operation, body, this.#ahead);
    if (shortage !== 'rows') return shortage !== undefined && shortage !== 'index';
    return !this.#checkpoints.isRunning && !this.#checkpoints.mayBegin;
  }

  /**
   * True when writes are refused because the log is full. While a checkpoint is about to free room, writes wait instead, and no client
   * gets the answer that the database is full.
   */
  get #storageIsFull(): boolean {
    return this.#options.log.logFull && (this.#foundNoRoom || !this.#checkpoints.isRunning);
  }

  get evicts(): boolean {
    return true;
  }

  standing(): ReplicaStanding {
    const serves = this.#recovered && !this.#stopping;
    return {
      role: serves ? ReplicaRole.primary : ReplicaRole.recovering,
      replicaStatus: serves ? 0 : 2,
      syncing: !serves,
      logFull: serves && this.#storageIsFull,
      unready: serves ? undefined : 'not serving',
      halted: false,
      clock: onlyClock,
    };
  }

  /** Takes a request message (header and body, checksums verified). */
  receive(message: Uint8Array, sink: ReplySink): void {
    if (this.#stopping) return;
    const request = new RequestHeader(new Header(message));
    const body = message.subarray(headerSize);
    const admission = admitRequest(request, body, {
      batchSizeLimit: this.#options.batchSizeLimit,
      session: this.sessions.get(request.client),
    });
    switch (admission.kind) {
      case 'drop':
        return;
      case 'evict':
        sink.evict(request.client, admission.reason, request.header.view);
        return;
      case 'resend':
        // The answer waits for the commit. A client that repeats its request then gets two answers and ignores the second.
        this.#held.hold(request.client, {
          op: opOf(admission.reply),
          reply: admission.reply,
          sink,
        });
        return;
      case 'execute':
        if (!this.#isLogged(request, sink)) this.#execute(request, message, body, sink);
    }
  }

  /**
   * Returns whether a write of the client is logged and not executed yet. Its answer goes to where the client has repeated it.
   * Anything else has no answer meanwhile: the client would take it as proof that the write was not executed.
   */
  #isLogged({ client, header }: RequestHeader, sink: ReplySink): boolean {
    const logged = this.#logged.get(client);
    if (logged !== undefined && sameChecksum(logged.checksum, header.checksum)) logged.sink = sink;
    return logged !== undefined;
  }

  /** Expires due transfers and begins a due checkpoint. Call it every 100 ms. */
  tick(): void {
    if (this.#stopping) return;
    const { ledger } = this.#options;
    // What is refused makes no room and no checkpoint due, so that both begin here.
    this.#indexVolume?.tick();
    ledger.advanceIndexes();
    if (this.#checkpoints.looksForRoom(ledger)) this.#checkpoints.begin();
    this.#checkpointWhenDue();
    if (!this.#checkpoints.isRunning) this.#tryAgain();
    this.#pulseWhenDue();
    this.#upgradeWhenAble();
  }

  /** Moves to newer rules at once: no other replica has to know them. */
  #upgradeWhenAble(): void {
    const { rulesSought } = this.#options.ledger;
    if (!this.#recovered || rulesSought <= this.#executor.rules || this.#options.log.logFull)
      return;
    const entry = this.#orderer.nextUpgrade(rulesSought, this.view);
    if (entry !== undefined) this.#append(entry, Operation.upgrade, undefined);
  }

  #pulseWhenDue(): void {
    if (!this.#mayPulse()) return;
    const entry = this.#orderer.nextPulse(this.view);
    if (entry === undefined) return;
    this.#lastPulseMs = this.#options.timers.nowMs();
    this.#append(entry, Operation.pulse, undefined);
  }

  /**
   * Returns whether a pulse may be logged. Expiries go on while the log is full, in room reserved for them, but less often,
   * so that it lasts for hours.
   */
  #mayPulse(): boolean {
    const { log, timers } = this.#options;
    if (!log.logFull) return true;
    return !log.logPulsesExhausted && timers.nowMs() >= this.#lastPulseMs + FULL_PULSE_MS;
  }

  /** Begins a checkpoint, even if nothing was executed since the last one. */
  beginCheckpoint(): void {
    if (this.#checkpoints.mayBegin) this.#checkpoints.begin();
  }

  /** Takes a checkpoint that contains everything executed until now. Rejects if there is no room for it. */
  checkpointNow(): Promise<void> {
    return this.#checkpoints.mustReach(this.op);
  }

  /** Answers the requests that were taken, writes a checkpoint and closes the log. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#execution.idle();
    await this.#checkpoints.idle();
    await this.#checkpoints.reach(this.op);
    await this.#options.log.close();
  }

  #execute(request: RequestHeader, message: Uint8Array, body: Uint8Array, sink: ReplySink): void {
    const { operation } = request;
    // A client that sends something else under the number of a waiting write takes the answer as proof that the write was not
    // executed.
    this.#full.delete(request.client);
    if (isRead(operation)) {
      this.#counts.count(operation);
      this.#read(request, body, sink);
      return;
    }
    // Clients repeat unanswered requests. Official ones have only one in flight, so only others reach this bound.
    if (this.op + this.#execution.size - this.#committed >= uncommittedMax) return;
    if (this.#execution.size >= uncommittedMax) return;
    if (this.#isFullFor(operation, body)) {
      if (this.#mayWait(operation, body) && this.#full.put(request.client, message, sink)) return;
      // There is no answer, because the protocol has none for this case: the client tries again, and the status gives the
      // reason.
      this.#counts.refused += 1;
      return;
    }
    this.#counts.count(operation);
    const entry = this.#orderer.next(operation, message, this.view);
    if (entry === undefined) return;
    const own = { checksum: request.header.checksum, sink };
    this.#logged.set(request.client, own);
    this.#append(entry, operation, (reply) => own.sink.send(reply));
    this.#pulseWhenDue();
  }

  /**
   * Returns whether there is no room for the request. At a limit only registrations are taken, as long as they fit: without
   * a session a client cannot read.
   */
  #isFullFor(operation: number, body: Uint8Array): boolean {
    const { ledger, log } = this.#options;
    if (operation === Operation.register) return log.logExhausted;
    const isLedgers = operation !== Operation.noop;
    return log.logFull || (isLedgers && !ledger.admits(operation, body, this.#ahead));
  }

  /** Returns whether the request lacks only room that a checkpoint in progress is about to free, or a part of the index that is being made. */
  #mayWait(operation: number, body: Uint8Array): boolean {
    const { ledger } = this.#options;
    const creates = shapeOf(operation)?.write === true;
    const shortage = creates ? ledger.shortage(operation, body, this.#ahead) : undefined;
    if (shortage === 'rows' && this.#checkpoints.mayBegin) this.#checkpoints.begin();
    if (shortage === 'index') return true;
    return this.#checkpoints.isRunning && (shortage === undefined || shortage === 'rows');
  }

  /** Receives the requests again that have waited for room. */
  #tryAgain(): void {
    const writes = this.#full.takeAll();
    if (this.#stopping || writes.length === 0) return;
    // If there is still no room, they wait again.
    this.#checkpointWhenDue();
    for (const { message, sink } of writes) this.receive(message, sink);
  }

  /** Logs an entry, executes it, and passes its reply to `answer` once it is committed. */
  #append(entry: LogEntry, operation: number, answer: ((reply: Reply) => void) | undefined): void {
    this.#orderer.ordered(entry, operation);
    // The operation is executed while the write is in progress.
    this.#options.log.append(entry, () => this.#onCommitted(entry.op));
    const { accounts, transfers } = this.#creationsOf(entry, operation);
    this.#ahead.accounts += accounts;
    this.#ahead.transfers += transfers;
    this.#execution.push({
      prepare: () => this.#executor.prepare(entry),
      run: () => {
        this.#ahead.accounts -= accounts;
        this.#ahead.transfers -= transfers;
        this.#executed(entry, operation, answer);
      },
    });
    this.#checkpointWhenDue();
  }

  #creationsOf({ message }: LogEntry, operation: number): Creations {
    if (shapeOf(operation)?.write !== true) return { accounts: 0, transfers: 0 };
    return this.#options.ledger.creations(operation, message.subarray(headerSize));
  }

  #executed(
    entry: LogEntry,
    operation: number,
    answer: ((reply: Reply) => void) | undefined,
  ): void {
    const reply = this.#executor.apply(entry);
    this.#orderer.executed(operation);
    this.#logged.end(new RequestHeader(new Header(entry.message)).client);
    if (reply !== undefined && answer !== undefined)
      this.#whenCommitted(entry.op, () => answer(reply));
    if (entry.op <= this.#committed) this.#settleSoon();
  }

  /** Does what the last operation has left, when its answer has left. */
  #settleSoon(): void {
    if (this.#isSettling) return;
    this.#isSettling = true;
    setImmediate(() => {
      this.#isSettling = false;
      this.#options.ledger.settle();
    });
  }

  #read(request: RequestHeader, body: Uint8Array, sink: ReplySink): void {
    const { log } = this.#options;
    const { client } = request;
    // A client has one request in flight. If it sends several reads at once, only the newest is executed.
    this.#asked.set(client, request);
    void log.readBarrier().then(() => {
      if (this.#asked.get(client) !== request) return;
      this.#asked.end(client);
      if (this.#stopping) return;
      this.#beginRead(request, body, sink);
    });
  }

  #beginRead(request: RequestHeader, body: Uint8Array, sink: ReplySink): void {
    const { client } = request;
    const known = this.#reading.get(client);
    if (known !== undefined && sameChecksum(known.checksum, request.header.checksum)) {
      // The client has repeated the read, perhaps over another connection.
      known.sink = sink;
      return;
    }
    const read = this.#executor.beginRead(request, body, this.#options.clock.realtimeNs());
    if (read === undefined) return;
    const own = { checksum: request.header.checksum, sink };
    this.#reading.set(client, own);
    const isNewest = (): boolean => this.#reading.get(client) === own;
    this.#reads.begin({
      step: () => read.step(),
      isWanted: () => {
        const isWanted = !this.#stopping && isNewest() && own.sink.isOpen && read.isWanted();
        if (!isWanted && isNewest()) this.#reading.end(client);
        return isWanted;
      },
      done: () => {
        this.#reading.end(client);
        const reply = read.finish();
        if (reply === undefined) return;
        this.#held.hold(client, { op: this.op, reply, sink: own.sink });
      },
      failed: (error) => {
        this.#reading.end(client);
        this.#options.onReadError(error);
      },
    });
  }

  #whenCommitted(op: number, send: () => void): void {
    if (op <= this.#committed) {
      send();
      return;
    }
    let at = this.#waiting.length;
    while (at > 0 && (this.#waiting[at - 1]?.op ?? 0) > op) at -= 1;
    this.#waiting.splice(at, 0, { op, send });
  }

  #onCommitted(op: number): void {
    this.#committed = op;
    let sent = 0;
    while (sent < this.#waiting.length && (this.#waiting[sent]?.op ?? 0) <= op) {
      this.#waiting[sent]?.send();
      sent += 1;
    }
    if (sent > 0) this.#waiting = this.#waiting.slice(sent);
    this.#settleSoon();
  }

  #checkpointWhenDue(): void {
    const { log, ledger } = this.#options;
    if (log.logBytesSinceCheckpoint < log.checkpointAfterBytes && !ledger.wantsCheckpoint) return;
    this.beginCheckpoint();
  }
}

/**
 * Estimate of the room that a checkpoint of a full log takes, in parts of the bytes after which one is due: there are three times as many in it,
 * and rows mostly take less than twice the bytes of their events.
 */
const ROOM_OF_CHECKPOINTS = 6;

/** Minimum time between pulses while the log is full. A pulse expires up to 8,190 transfers and takes 4 KiB of the log. */
const FULL_PULSE_MS = 5_000;

/** Maximum number of operations that wait for the log: one for each session, and pulses. */
const uncommittedMax = 2 * sessionsMax;

/** Returns the op at which a reply says that it was executed. */
const opOf = (reply: Reply): number => Number(new ReplyHeader(new Header(reply.header)).op);
