/**
 * One replica of three or six. It executes the log's committed stream and nothing else, as leader and as follower, so that
 * nothing is ever rolled back. The leader orders requests into the log; every replica that a client has asked answers it
 * once it has executed the request, or keeps the request for the case that it leads next.
 */
import { assert } from '../../base/assert.ts';
import type { Clock } from '../../base/clock.ts';
import { sleep, type Timers } from '../../base/timers.ts';
import { ReplicaRole } from '../../domain/engine-status.ts';
import type { StateMachine } from '../ledger/state-machine.ts';
import type { DataFile } from '../log/data-file.ts';
import { CORRUPTION_ADVICE, DataFileError, StorageFullError } from '../log/errors.ts';
import type { CheckpointPosition, LogEntry, ReplicaIdentity } from '../log/log.ts';
import { positionAfter, type Block, type LogPosition } from '../log/replicated/block.ts';
import { ReadRefused, type ReplicatedLogError } from '../log/replicated/errors.ts';
import type { Etcd } from '../log/replicated/etcd.ts';
import { ReplicatedLog, type Role } from '../log/replicated/replicated-log.ts';
import type { HeardPeer, PeerLink } from '../peers/peer-link.ts';
import { buildEviction, Command, Header, ReplyHeader, RequestHeader } from '../wire/header.ts';
import { headerSize } from '../wire/limits.ts';
import { Operation, shapeOf } from '../wire/operations.ts';
import { engineRelease } from '../wire/release.ts';
import { admitRequest } from './admission.ts';
import { Checkpoints } from './checkpoints.ts';
import { clocksAgree } from './clocks.ts';
import { Executor } from './executor.ts';
import { HaltedError } from './halted-error.ts';
import { logPositionOf } from './log-position.ts';
import { OwedAnswers } from './owed-answers.ts';
import { PendingRequests, sameChecksum, type PendingRequest } from './pending-requests.ts';
import { fullBatch, type ReplySink, type ServedReplica, type Standing } from './served-replica.ts';
import type { Reply, Session, SessionTable } from './sessions.ts';
import { StateComparison } from './state-comparison.ts';

export interface ReplicatedReplicaOptions {
  readonly identity: ReplicaIdentity;
  /** Counts the logs that the database has had, from 1: a restore or an import begins another. */
  readonly incarnation: number;
  /** Another one for each process. */
  readonly nonce: string;
  /** Opens the data file; called again when another file has taken its place. */
  readonly openFile: () => Promise<DataFile>;
  /**
   * Puts the state that another replica gives in the place of the data file, which is closed. `receive` writes what comes.
   * Rejects when nothing whole came; the file is then as it was, or put down as lost (replaceDataFile).
   */
  readonly replaceFile: (
    receive: (write: (bytes: Uint8Array) => Promise<void>) => Promise<void>,
    closeOld: () => Promise<void>,
  ) => Promise<void>;
  readonly newLedger: () => StateMachine;
  readonly etcd: Etcd;
  readonly peers: PeerLink;
  readonly timers: Timers;
  readonly clock: Clock;
  readonly random: () => number;
  /** Bytes of a request's body that clients are granted. */
  readonly batchSizeLimit: number;
  /** Lets other work through while a checkpoint is written; the last piece took so long. */
  readonly pause: (tookMs: number) => Promise<void>;
  /** Bytes of log after which a checkpoint is due; tests set less. */
  readonly checkpointAfterBytes?: number;
  readonly retainedBytesMax?: number;
  /** A checkpoint failed; it is tried again. */
  readonly onCheckpointError: (error: unknown) => void;
  /** This replica serves no more, until somebody looks after it. */
  readonly onHalted: (error: HaltedError | ReplicatedLogError) => void;
  readonly onRole: (role: Role) => void;
}

const BEAT_MS = 50;
const FORWARD_AFTER_MS = 100;
const PENDING_MS = 10_000;
const CHECKPOINT_AFTER_BYTES = 64 << 20;
/** A start reads so many in some seconds, however little is in them. */
const CHECKPOINT_AFTER_BLOCKS = 16_384;
const CATCH_UP_RETRY_MS = 250;
/** A volume does not grow in a moment. */
const CATCH_UP_WITHOUT_ROOM_RETRY_MS = 10_000;
/** Who has handed over stays so long at most for those who asked it as the leader. */
const LEAVE_MS = 1000;
const LEAVE_LOOK_MS = 5;

export class ReplicatedReplica implements ServedReplica {
  readonly #options: ReplicatedReplicaOptions;
  readonly #pending = new PendingRequests();
  readonly #owed = new OwedAnswers();
  readonly #comparison: StateComparison;
  readonly #stopped = new AbortController();
  #executor: Executor;
  #file: DataFile | undefined;
  #log: ReplicatedLog | undefined;
  #role: Role = { kind: 'following' };
  #position: LogPosition | undefined;
  #catchingUp = false;
  #halted: HaltedError | ReplicatedLogError | undefined;
  /** Of the next entry, while this replica leads. */
  #nextOp = 0;
  #lastTimestamp = 0n;
  /** Records that ordered entries may create when they are executed. */
  #ahead = { accounts: 0, transfers: 0 };
  #pulsing = false;
  /** What a peer passed on is executed: it answers as soon as it hears how far the leader is. */
  #peersWait = false;
  #handingOver = false;
  /** It has handed over, to stop. */
  #leaving = false;
  readonly #checkpoints: Checkpoints;
  readonly #checkpointAfterBytes: number;
  #logBytes = 0;
  readonly requests = new Map<number, number>();
  refused = 0;
  /** States taken from another replica. */
  catchUps = 0;

  constructor(options: ReplicatedReplicaOptions) {
    this.#options = options;
    this.#executor = this.#newExecutor();
    this.#checkpoints = new Checkpoints({
      nowMs: () => options.timers.nowMs(),
      onError: options.onCheckpointError,
      take: () => this.#checkpoint(),
    });
    this.#checkpointAfterBytes = options.checkpointAfterBytes ?? CHECKPOINT_AFTER_BYTES;
    this.#comparison = new StateComparison(options.identity.replicaCount);
  }

  /** Loads the checkpoint, and begins to follow the log. */
  async recover(): Promise<number> {
    const { identity, incarnation, etcd, peers, timers, random, nonce } = this.#options;
    let position = await this.#load();
    peers.begin({
      heard: (peer) => this.#heard(peer),
      forwarded: (from, message) => this.#take(message, this.#sinkVia(from), true),
      answered: (message) => this.#answered(message),
      sendState: (floor, write) => this.#sendState(floor, write),
    });
    if (position.place?.sequence === 0) position = (await this.#fetchState(1)) ?? position;
    if (this.#stopped.signal.aborted) return 0;
    this.#position = logPositionOf(position);
    const { retainedBytesMax } = this.#options;
    this.#log = new ReplicatedLog({
      etcd,
      timers,
      random,
      nonce,
      peers,
      identity: {
        clusterId: identity.clusterId,
        incarnation,
        replica: identity.replicaIndex,
        replicaCount: identity.replicaCount,
      },
      position: this.#position,
      consumer: {
        committed: (block) => this.#committed(block),
        roleChanged: (role) => this.#roleChanged(role),
        behind: (floor) => void this.#catchUp(floor),
        failed: (error) => this.#halt(error),
      },
      ...(retainedBytesMax === undefined ? {} : { retainedBytesMax }),
    });
    this.#beat();
    return 0;
  }

  get ledger(): StateMachine {
    return this.#executor.ledger;
  }

  get sessions(): SessionTable {
    return this.#executor.sessions;
  }

  get position(): CheckpointPosition {
    return { ...this.#executor.position(), view: this.view };
  }

  get committedOp(): number {
    return this.#executor.op;
  }

  get checkpointOp(): number {
    return this.#checkpoints.op;
  }

  get view(): number {
    const reign = this.#role.kind === 'leading' ? this.#role.view : 0;
    return Math.max(this.#executor.view, this.#log?.lead?.view ?? 0, reign);
  }

  get evicts(): boolean {
    return this.#leads;
  }

  get acceptsWrites(): boolean {
    const { unready, logFull } = this.standing();
    if (unready !== undefined || logFull) return false;
    return this.ledger.admits(Operation.createTransfersUnbatched, fullBatch);
  }

  storage(): { readonly usedBytes: number; readonly limitBytes: number } {
    return this.#file?.storage() ?? { usedBytes: 0, limitBytes: 0 };
  }

  /** The newest checkpoint, as an exported data file. Rejects while there is no data file open. */
  async exportTo(write: (bytes: Uint8Array) => Promise<void>): Promise<void> {
    if (this.#file === undefined) throw new Error('there is no state here now');
    await this.#file.exportTo({ write });
  }

  standing(): Standing {
    const log = this.#log;
    const halted = this.#halted !== undefined;
    const isUp = log !== undefined && !halted && !this.#stopped.signal.aborted;
    const follows = isUp && !this.#catchingUp && log.heartbeat().canLead;
    const leads = isUp && this.#leads;
    return {
      role: leads ? ReplicaRole.primary : follows ? ReplicaRole.backup : ReplicaRole.recovering,
      syncing: !leads && !follows,
      logFull: isUp && this.#isFull,
      unready: this.#unready(follows),
      halted,
    };
  }

  receive(message: Uint8Array, sink: ReplySink): void {
    this.#take(message, sink, false);
  }

  tick(): void {
    if (this.#log === undefined || this.#stopped.signal.aborted) return;
    this.#checkpointWhenDue();
    this.#pending.dropBefore(this.#options.timers.nowMs() - PENDING_MS);
    if (!this.#leads) return;
    this.#consider();
    this.#pulseWhenDue();
    const { identity, peers, timers } = this.#options;
    if (!clocksAgree(peers.all(), identity.replicaCount, timers.nowMs())) void this.handOver();
  }

  /** Lets another replica lead; true when one does. */
  async handOver(): Promise<boolean> {
    if (this.#handingOver) return false;
    this.#handingOver = true;
    try {
      return (await this.#log?.handOver()) ?? true;
    } finally {
      this.#handingOver = false;
    }
  }

  checkpointNow(): Promise<void> {
    return this.#checkpoints.mustReach(this.#executor.op);
  }

  async stop(): Promise<void> {
    const led = this.#leads;
    const hasSuccessor = await this.handOver();
    if (led && hasSuccessor) await this.#answerTheLast();
    this.#forwardWaiting();
    this.#stopped.abort();
    await this.#checkpoints.idle();
    this.#log?.close();
    this.#options.peers.close();
    await this.#checkpoints.reach(this.#executor.op);
    await this.#file?.close();
  }

  /** As the death of the process: nothing is written down. */
  abandon(): void {
    this.#stopped.abort();
    this.#log?.close();
    this.#options.peers.close();
  }

  /**
   * Whoever asked this replica as the leader may have reached no other one. The next leader executes what is passed on to it
   * and knows no way to the client, so that this one stays until it has executed that too, and answers.
   */
  async #answerTheLast(): Promise<void> {
    const { timers } = this.#options;
    const untilMs = timers.nowMs() + LEAVE_MS;
    const { signal } = this.#stopped;
    this.#leaving = true;
    this.#forwardWaiting();
    while (this.#isAskedAsLeader() && timers.nowMs() < untilMs)
      await sleep(timers, LEAVE_LOOK_MS, signal);
    // Executed, but told only when the leader is known to be as far.
    const { op } = this.#executor;
    while (!this.#owed.maySay(op) && timers.nowMs() < untilMs)
      await sleep(timers, LEAVE_LOOK_MS, signal);
  }

  /** A client waits that has not heard of the next leader. Others ask that one, and this one only besides. */
  #isAskedAsLeader(): boolean {
    const { view } = this.#log?.lead ?? { view: Infinity };
    return this.#pending.all().some(({ header }) => header.header.view < view);
  }

  /** Serves no more, and says why: something beside it has found that it must not. */
  halt(error: HaltedError): void {
    this.#halt(error);
  }

  get #leads(): boolean {
    return this.#role.kind === 'leading' && this.#halted === undefined;
  }

  #unready(follows: boolean): string | undefined {
    if (this.#halted !== undefined) return `halted (${this.#halted.code}): ${this.#halted.message}`;
    if (this.#log === undefined || this.#stopped.signal.aborted) return 'not serving';
    if (this.#catchingUp) return 'fetching the state of another replica';
    if (this.#leads) return undefined;
    if (this.#log.memberStatus?.isLearner === true)
      return 'the etcd member beside it is new: it takes part once that has the log';
    if (!follows) return 'the etcd member beside it does not serve, or the log is not read yet';
    const { lead } = this.#log;
    const { peers, timers } = this.#options;
    const since = timers.nowMs() - 1000;
    const leads = (peer: HeardPeer) => peer.fence === lead?.fence && peer.heardAtMs >= since;
    return peers.all().some(leads) ? undefined : 'no replica leads';
  }

  #newExecutor(): Executor {
    const { newLedger, identity, batchSizeLimit } = this.#options;
    return new Executor({ ledger: newLedger(), identity, batchSizeLimit });
  }

  /** The data file's checkpoint becomes the state. */
  async #load(): Promise<CheckpointPosition> {
    const { openFile, incarnation, pause } = this.#options;
    const file = await openFile();
    this.#file = file;
    const executor = this.#newExecutor();
    const position = await file.load(executor.state);
    const { place } = position;
    if (place !== undefined && place.incarnation !== incarnation) {
      throw new HaltedError(
        'incarnation_differs',
        `The data file is of incarnation ${place.incarnation} of this database, and is started for incarnation ${incarnation}. Start it with the state that the incarnation began with, or bring the replica back with 'recover'.`,
      );
    }
    if (position.op > 0 && !sameChecksum(executor.ledger.stateHash(), position.stateHash)) {
      throw new DataFileError(
        'state_rejected',
        `The checkpoint's state is another than its head says. ${CORRUPTION_ADVICE}`,
      );
    }
    executor.loaded(position);
    file.beginCheckpoints({ ring: undefined, pause });
    this.#executor = executor;
    this.#checkpoints.op = position.op;
    this.#logBytes = 0;
    return position;
  }

  // What clients and peers send.

  #take(message: Uint8Array, sink: ReplySink, fromPeer: boolean): void {
    if (this.#log === undefined || this.#halted !== undefined || this.#stopped.signal.aborted)
      return;
    if (!this.#leads && !this.#keeps(message, sink)) return;
    const nowMs = this.#options.timers.nowMs();
    const request = this.#pending.put(message, sink, { nowMs, fromPeer });
    if (request === undefined) return;
    if (this.#leads) this.#lead(request);
    else if (this.#leaving) this.#forwardWaiting();
  }

  /** Whether a backup keeps a request; what it can answer it answers. */
  #keeps(message: Uint8Array, sink: ReplySink): boolean {
    const request = new RequestHeader(new Header(message));
    if (!request.isWellFormed()) return false;
    const session = this.sessions.get(request.client);
    const isRegister = request.operation === Operation.register;
    if (session === undefined) return isRegister;
    if (!isRegister && session.session !== request.session) return false;
    if (request.number > session.lastRequest) return true;
    // As they are now: the session may go on before the leader has executed as much.
    const { lastOp, reply } = session;
    if (isLast(session, request)) this.#owed.when(lastOp, () => sink.send(reply));
    return false;
  }

  /** What a leader does with a request that it has not ordered yet. */
  #lead(request: PendingRequest): void {
    const { header, message, sinks } = request;
    const body = message.subarray(headerSize);
    const admission = admitRequest(header, body, {
      view: this.view,
      batchSizeLimit: this.#options.batchSizeLimit,
      session: this.sessions.get(header.client),
    });
    if (admission.kind === 'execute') {
      const shape = shapeOf(header.operation);
      if (shape !== undefined && !shape.write) this.#read(request, body);
      else this.#order(request, body);
      return;
    }
    this.#pending.delete(request);
    if (admission.kind === 'evict')
      for (const sink of sinks) sink.evict(header.client, admission.reason);
    if (admission.kind === 'resend') for (const sink of sinks) sink.send(admission.reply);
  }

  #order(request: PendingRequest, body: Uint8Array): void {
    const { operation } = request.header;
    const { ledger } = this;
    const isLedgers = operation !== Operation.register && operation !== Operation.noop;
    if (isLedgers && (this.#isFull || !ledger.admits(operation, body, this.#ahead))) {
      // Not answered, as the protocol has no word for it: the client tries again, and the status says why it waits.
      this.#pending.delete(request);
      this.refused += 1;
      return;
    }
    // Without room it waits for the next commit; without the lead, for the next leader.
    if (!this.#append(operation, request.message)) return;
    request.state = 'ordered';
    if (!isLedgers) return;
    request.creations = ledger.creations(operation, body);
    this.#ahead.accounts += request.creations.accounts;
    this.#ahead.transfers += request.creations.transfers;
  }

  /** New events are dropped before they are logged. Reads go on, and so do new sessions and expiries, which take little. */
  get #isFull(): boolean {
    return this.#log?.full === true || this.#file?.isShort === true;
  }

  #append(operation: number, message: Uint8Array): boolean {
    if (this.#role.kind !== 'leading') return false;
    const now = this.#options.clock.realtimeNs();
    const earliest = this.#lastTimestamp + 1n;
    const delta = this.#executor.timestampDelta(operation, message.subarray(headerSize));
    const timestamp = (now > earliest ? now : earliest) + delta;
    const entry: LogEntry = { op: this.#nextOp, timestamp, view: this.#role.view, message };
    if (this.#log?.append(entry) !== 'taken') return false;
    this.#nextOp += 1;
    this.#lastTimestamp = timestamp;
    return true;
  }

  #read(request: PendingRequest, body: Uint8Array): void {
    const { header } = request;
    request.state = 'reading';
    const isStill = (): boolean => this.#pending.has(request) && request.state === 'reading';
    this.#log?.readBarrier().then(
      () => {
        if (!isStill()) return;
        this.#pending.delete(request);
        const reply = this.#executor.read(header, body, this.#options.clock.realtimeNs());
        if (reply === undefined) return;
        this.#count(header.operation);
        for (const sink of request.sinks) sink.send(reply);
      },
      (error: unknown) => {
        if (!(error instanceof ReadRefused)) throw error;
        if (!isStill()) return;
        // It waits for whoever leads next.
        if (error.code === 'not_leading') request.state = 'waiting';
        else this.#pending.delete(request);
      },
    );
  }

  /** Looks at all that waits: there is room again, or this replica leads now. */
  #consider(): void {
    for (const request of this.#pending.all()) {
      if (this.#leads && request.state === 'waiting') this.#lead(request);
    }
  }

  #pulseWhenDue(): void {
    const due = this.ledger.nextExpiry();
    if (this.#pulsing || due === undefined || due > this.#options.clock.realtimeNs()) return;
    const message = this.#executor.pulseMessage(this.view);
    this.#pulsing = this.#append(Operation.pulse, message);
  }

  // What the log tells.

  #committed(block: Block): void {
    for (const entry of block.entries) this.#execute(entry);
    this.#position = positionAfter(block);
    const { op } = this.#executor;
    this.#comparison.executed(op, this.#stateHash());
    const least = this.#checkpointAfterBytes / CHECKPOINT_AFTER_BLOCKS;
    this.#logBytes += Math.max(block.contentBytes, least);
    if (this.#leads) {
      this.#owed.ledUpTo(op);
      if (this.#peersWait) this.#tellPeers();
      this.#peersWait = false;
      // Not within the log's own call.
      queueMicrotask(() => this.#consider());
    }
    this.#checkpointWhenDue();
    if (this.#comparison.isWrong) queueMicrotask(() => this.#haltAsDifferent());
  }

  #execute(entry: LogEntry): void {
    const request = new RequestHeader(new Header(entry.message));
    const reply = this.#executor.apply(entry);
    if (request.operation === Operation.pulse) {
      this.#pulsing = false;
      return;
    }
    this.#count(request.operation);
    const waiting = this.#pending.executed(request);
    if (waiting === undefined) return;
    this.#ahead.accounts -= waiting.creations?.accounts ?? 0;
    this.#ahead.transfers -= waiting.creations?.transfers ?? 0;
    if (reply === undefined) return;
    const answer = (): void => {
      for (const sink of waiting.sinks) sink.send(reply);
    };
    // What this replica has executed as the leader, the leader has executed.
    this.#peersWait ||= waiting.forwardedUnder === Infinity;
    if (this.#leads) answer();
    else this.#owed.when(entry.op, answer);
  }

  #roleChanged(role: Role): void {
    this.#role = role;
    this.#pulsing = false;
    this.#ahead = { accounts: 0, transfers: 0 };
    // What was ordered may be in the log, or not: executed, it is answered; if not, it waits for whoever leads next.
    for (const request of this.#pending.all()) {
      request.state = 'waiting';
      request.creations = undefined;
    }
    if (role.kind === 'leading') {
      this.#nextOp = role.position.op + 1;
      this.#lastTimestamp = role.position.timestamp;
      assert(this.#executor.op === role.position.op, 'a leader has executed the whole log');
      this.#owed.ledUpTo(role.position.op);
      queueMicrotask(() => this.#consider());
    } else if (this.#handingOver) this.#tellPeers();
    this.#options.onRole(role);
  }

  #halt(error: HaltedError | ReplicatedLogError): void {
    if (this.#halted !== undefined || this.#stopped.signal.aborted) return;
    this.#halted = error;
    this.#role = { kind: 'following' };
    this.#log?.close();
    this.#options.peers.close();
    this.#options.onHalted(error);
  }

  #haltAsDifferent(): void {
    const others = this.#comparison.differing.join(' and ');
    this.#halt(
      new HaltedError(
        'state_differs',
        `This replica's state differs from that of replicas ${others} at the same operation: its memory, its disk or the program is at fault. Bring it back with 'recover'; the others go on.`,
      ),
    );
  }

  // Peers.

  #beat(): void {
    if (this.#stopped.signal.aborted || this.#halted !== undefined) return;
    this.#tellPeers();
    this.#forwardWaiting();
    this.#options.timers.after(BEAT_MS, () => this.#beat());
  }

  #tellPeers(): void {
    const { peers, timers } = this.#options;
    const log = this.#log;
    if (log === undefined || this.#catchingUp) return;
    peers.beat({ ...log.heartbeat(), stateHash: this.#stateHash(), wallMs: timers.wallMs() });
  }

  #heard(peer: HeardPeer): void {
    if (this.#stopped.signal.aborted || this.#halted !== undefined) return;
    // Who leads has executed all that it says it has, and so has everybody who leads after it.
    if (peer.fence !== undefined) this.#owed.ledUpTo(peer.op);
    if (this.#catchingUp) return;
    this.#comparison.heard(peer.replica, peer.op, peer.stateHash);
    if (this.#comparison.isWrong) this.#haltAsDifferent();
    if (peer.fence !== undefined) this.#forwardWaiting();
  }

  /** Passes on what has waited for a while, and, when somebody else leads now, all of it; once to each leader. */
  #forwardWaiting(): void {
    const lead = this.#log?.lead;
    const { peers, timers, identity } = this.#options;
    if (lead === undefined || this.#leads || lead.replica === identity.replicaIndex) return;
    const late = timers.nowMs() - FORWARD_AFTER_MS;
    for (const request of this.#pending.all()) {
      if (request.forwardedUnder >= lead.fence || request.state !== 'waiting') continue;
      const isNew = request.arrivedAtMs > late && !this.#leaving;
      if (isNew && lead.fence === this.#leadSeen) continue;
      request.forwardedUnder = lead.fence;
      peers.forward(lead.replica, request.message);
    }
    this.#leadSeen = lead.fence;
  }

  #leadSeen = 0;

  /** Answers to a request that a peer has passed on. What is logged the peer executes, and answers, itself. */
  #sinkVia(replica: number): ReplySink {
    const { peers, identity } = this.#options;
    return {
      send: ({ header, body }) => {
        if (shapeOf(new ReplyHeader(new Header(header)).operation)?.write !== false) return;
        peers.answer(replica, Buffer.concat([header, body]));
      },
      evict: (client, reason) => {
        const frame = { cluster: identity.clusterId, release: engineRelease, view: this.view };
        const from = { ...frame, replica: identity.replicaIndex };
        peers.answer(replica, buildEviction({ ...from, client, reason }));
      },
    };
  }

  #answered(message: Uint8Array): void {
    const header = new Header(message);
    if (header.command === Command.eviction) {
      const waiting = this.#pending.get(header.u128(128));
      if (waiting === undefined || waiting.state !== 'waiting') return;
      this.#pending.delete(waiting);
      const reason = header.u8(255) as Parameters<ReplySink['evict']>[1];
      for (const sink of waiting.sinks) sink.evict(waiting.header.client, reason);
      return;
    }
    const reply = new ReplyHeader(header);
    const waiting = this.#pending.get(reply.client);
    if (waiting === undefined) return;
    if (!sameChecksum(waiting.header.header.checksum, reply.requestChecksum)) return;
    this.#pending.delete(waiting);
    const answer: Reply = {
      header: message.subarray(0, headerSize),
      body: message.subarray(headerSize),
    };
    for (const sink of waiting.sinks) sink.send(answer);
  }

  async #sendState(floor: number, write: (bytes: Uint8Array) => Promise<void>): Promise<void> {
    if (this.#file === undefined || this.#catchingUp) throw new Error('there is no state here now');
    // Where nothing is logged yet, the state that the incarnation began with is all there is.
    const isEnough = (): boolean =>
      (this.#position?.sequence === 0 && floor <= 1) ||
      (this.#file?.superblock.position.place?.sequence ?? 0) >= Math.max(1, floor - 1);
    if (!isEnough()) await this.checkpointNow();
    if (!isEnough()) throw new Error(`there is no checkpoint here at block ${floor - 1} or later`);
    await this.#file.exportTo({ write }, { sameCluster: true });
  }

  /** Blocks that this replica needs are gone: it goes on from another one's state. */
  async #catchUp(floor: number): Promise<void> {
    const position = await this.#fetchState(floor);
    if (position === undefined) return;
    this.#position = logPositionOf(position);
    this.#log?.resume(this.#position);
    this.#mark(position);
  }

  /** Takes the state of another replica, as soon as one gives it. Undefined when this one stops first. */
  async #fetchState(floor: number): Promise<CheckpointPosition | undefined> {
    const { peers, timers, replaceFile } = this.#options;
    const { signal } = this.#stopped;
    // Who has lost its state takes any, the one without a single operation too.
    const least = floor > 1 ? this.#executor.op + 1 : 0;
    this.#catchingUp = true;
    await this.#checkpoints.idle();
    while (!signal.aborted) {
      let retryMs = CATCH_UP_RETRY_MS;
      // A follower rather than the leader, and the one that is furthest.
      const [source] = peers
        .all()
        .filter(({ op, heardAtMs }) => op >= least && timers.nowMs() - heardAtMs < 1000)
        .sort(
          (a, b) => Number(a.fence !== undefined) - Number(b.fence !== undefined) || b.op - a.op,
        );
      try {
        if (source !== undefined) {
          await replaceFile(
            (write) => peers.fetchState(source.replica, floor, write),
            async () => {
              await this.#file?.close();
              this.#file = undefined;
            },
          );
          break;
        }
      } catch (error) {
        this.#options.onCheckpointError(error);
        if (error instanceof StorageFullError) retryMs = CATCH_UP_WITHOUT_ROOM_RETRY_MS;
      }
      await sleep(timers, retryMs, signal);
    }
    if (signal.aborted) return undefined;
    const position = await this.#load();
    if (signal.aborted) return undefined;
    this.catchUps += 1;
    this.#comparison.restart();
    this.#catchingUp = false;
    return position;
  }

  // Checkpoints.

  #checkpointWhenDue(): void {
    const { identity } = this.#options;
    // The replicas' checkpoints are apart, so that their disks are not all busy at once.
    const part = identity.replicaIndex / identity.replicaCount;
    const first = this.#checkpoints.op === 0 ? part * this.#checkpointAfterBytes : 0;
    if (this.#catchingUp || this.#logBytes < this.#checkpointAfterBytes + first) return;
    if (this.#checkpoints.mayBegin) this.#checkpoints.begin();
  }

  /** Nothing while another replica's state is on its way: the file is about to be that one's. */
  async #checkpoint(): Promise<number | undefined> {
    const { incarnation } = this.#options;
    const file = this.#file;
    const position = this.#position;
    if (file === undefined || this.#catchingUp) return undefined;
    if (position === undefined || position.sequence === 0) return undefined;
    const { sequence, fence, seal } = position;
    const place = { incarnation, sequence, fence, seal };
    const bytes = this.#logBytes;
    const taken = { ...this.#executor.position(), place };
    const durable = await file.checkpoint(this.#executor.state, taken);
    this.#logBytes -= bytes;
    this.#mark(durable);
    return durable.op;
  }

  #mark({ place, op, stateHash }: CheckpointPosition): void {
    if (place === undefined || this.#stopped.signal.aborted) return;
    const hash = Buffer.from(stateHash).toString('hex');
    this.#log?.checkpointed({ sequence: place.sequence, op, stateHash: hash });
  }

  #stateHash(): string {
    return Buffer.from(this.ledger.stateHash()).toString('hex');
  }

  #count(operation: number): void {
    this.requests.set(operation, (this.requests.get(operation) ?? 0) + 1);
  }
}

const isLast = (session: Session, request: RequestHeader): boolean =>
  request.number === session.lastRequest &&
  sameChecksum(session.requestChecksum, request.header.checksum);
