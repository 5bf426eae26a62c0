/**
 * One replica of three or six. As leader and as follower, it executes only the log's committed blocks, so that nothing is
 * ever rolled back. The leader orders requests into the log (leader-requests.ts). Every replica that a client has asked
 * answers once it has executed the request; until then it keeps the request in case it leads next (forwarding.ts).
 */
import { assert } from '../../base/assert.ts';
import { sleep } from '../../base/timers.ts';
import type { StateMachine } from '../ledger/state-machine.ts';
import type { CheckpointPosition, LogEntry } from '../log/log.ts';
import type { Block, LogPosition } from '../log/replicated/block.ts';
import type { ReplicatedLogError } from '../log/replicated/errors.ts';
import type { Heartbeat } from '../log/replicated/peers.ts';
import type { HandOverReason, ReignCounts } from '../log/replicated/reasons.ts';
import { ReplicatedLog, type Role } from '../log/replicated/replicated-log.ts';
import type { HeardPeer } from '../peers/peer-link.ts';
import { Header, RequestHeader } from '../wire/header.ts';
import { Operation } from '../wire/operations.ts';
import { CatchUp } from './catch-up.ts';
import { ClusterClock } from './cluster-clock.ts';
import { Forwarding } from './forwarding.ts';
import { HaltedError } from './halted-error.ts';
import { HeldState } from './held-state.ts';
import { LeaderRequests } from './leader-requests.ts';
import { logPositionOf } from './log-position.ts';
import { OwedAnswers } from './owed-answers.ts';
import { PendingRequests, sameChecksum } from './pending-requests.ts';
import type { ReplicatedReplicaOptions } from './replicated-options.ts';
import { standingOf } from './replicated-standing.ts';
import { Reigns } from './reigns.ts';
import { RequestCounts } from './request-counts.ts';
import { DataFileError } from '../log/errors.ts';
import { FIRST_RULES, rulesOf, unknownRules } from './rules.ts';
import {
  fullBatch,
  type ReplySink,
  type ServedReplica,
  type ReplicaStanding,
} from './served-replica.ts';
import type { Session, SessionTable } from './sessions.ts';
import { StateComparison } from './state-comparison.ts';

const BEAT_MS = 50;
/** Maximum age of the last heartbeat of a peer that counts as present. */
const LATELY_MS = 1000;
const PENDING_MS = 10_000;
/** Maximum time that a replica stays after handing over, for clients that asked it as the leader. */
const LEAVE_MS = 1000;
const LEAVE_LOOK_MS = 5;

export class ReplicatedReplica implements ServedReplica {
  readonly #options: ReplicatedReplicaOptions;
  readonly #pending = new PendingRequests();
  readonly #owed = new OwedAnswers();
  readonly #counts = new RequestCounts();
  readonly #reigns = new Reigns();
  readonly #comparison: StateComparison;
  readonly #clock: ClusterClock;
  readonly #stopped = new AbortController();
  readonly #state: HeldState;
  readonly #catchUp: CatchUp;
  readonly #leader: LeaderRequests;
  readonly #forwarding: Forwarding;
  #log: ReplicatedLog | undefined;
  #halted: HaltedError | ReplicatedLogError | undefined;
  /** True if a request that a peer passed on is executed: the peer answers as soon as it learns how far the leader is. */
  #peersWait = false;
  #handingOver = false;
  /** True if the log has entries with rules that this release does not know. */
  #unable = false;
  /** Number of states taken from other replicas. */
  catchUps = 0;

  constructor(options: ReplicatedReplicaOptions) {
    this.#options = options;
    const { batchSizeLimit, identity, peers, timers } = options;
    const { replicaCount } = identity;
    const clock = new ClusterClock({ replicaCount, timers, peers: () => peers.all() });
    this.#clock = clock;
    const pending = this.#pending;
    const view = (): number => this.view;
    const log = (): ReplicatedLog | undefined => this.#log;
    const state = new HeldState(options, (position) => this.#mark(position));
    this.#state = state;
    this.#catchUp = new CatchUp(options, state, this.#stopped.signal);
    const counts = this.#counts;
    this.#leader = new LeaderRequests({
      state,
      log,
      clock,
      pending,
      counts,
      batchSizeLimit,
      view,
      timers,
    });
    const leader = () => (this.#leader.leads ? undefined : this.#log?.lead);
    this.#forwarding = new Forwarding({ identity, peers, timers, pending, leader, view });
    this.#comparison = new StateComparison(replicaCount);
  }

  /** Loads the checkpoint and begins to follow the log. */
  async recover(): Promise<number> {
    const { peers } = this.#options;
    const state = this.#state;
    peers.begin({
      heard: (peer) => this.#heard(peer),
      forwarded: (from, message) => this.#take(message, this.#forwarding.sinkVia(from), true),
      withdrawn: (from, withdrawal) => this.#forwarding.withdrawn(from, withdrawal),
      answered: (message) => this.#forwarding.answered(message),
      sendState: (floor, write) => state.sendTo(floor, write),
    });
    // Heartbeats go out even while it loads or fetches, so that the others keep the blocks that it needs.
    this.#beat();
    let position = await this.#load();
    if (position.place?.sequence === 0) position = (await this.#fetchState(1)) ?? position;
    if (this.#stopped.signal.aborted) return 0;
    state.position = logPositionOf(position);
    this.#log = this.#openLog(state.position);
    // A lost volume may have had more than this one; its old mark must not count for the majority.
    this.#mark(position);
    return 0;
  }

  async #load(): Promise<CheckpointPosition> {
    try {
      return await this.#state.load();
    } catch (error) {
      this.abandon();
      throw error;
    }
  }

  get ledger(): StateMachine {
    return this.#state.executor.ledger;
  }

  get sessions(): SessionTable {
    return this.#state.executor.sessions;
  }

  get position(): CheckpointPosition {
    return { ...this.#state.executor.position(), view: this.view };
  }

  get committedOp(): number {
    return this.#state.executor.op;
  }

  get checkpointOp(): number {
    return this.#state.checkpoints.op;
  }

  get view(): number {
    return Math.max(this.#state.executor.view, this.#log?.lead?.view ?? 0, this.#leader.view);
  }

  get evicts(): boolean {
    return this.#leader.leads;
  }

  get requests(): ReadonlyMap<number, number> {
    return this.#counts.executed;
  }

  get reigns(): ReignCounts {
    return this.#reigns;
  }

  get refused(): number {
    return this.#counts.refused;
  }

  get acceptsWrites(): boolean {
    const { unready, logFull, clock } = this.standing();
    if (unready !== undefined || logFull || (this.#leader.leads && !clock.agrees)) return false;
    return this.ledger.admits(Operation.createTransfersUnbatched, fullBatch);
  }

  storage(): { readonly usedBytes: number; readonly limitBytes: number } {
    return this.#state.storage();
  }

  /** Writes the newest checkpoint as an exported data file. Rejects while no data file is open. */
  exportTo(write: (bytes: Uint8Array) => Promise<void>): Promise<void> {
    return this.#state.exportTo(write);
  }

  standing(): ReplicaStanding {
    const { peers, timers } = this.#options;
    return standingOf({
      log: this.#stopped.signal.aborted ? undefined : this.#log,
      halted: this.#halted,
      leads: this.#leader.leads,
      isFull: this.#leader.isFull,
      catchingUp: this.#state.replacing,
      clock: this.#clock.standing(),
      peers: peers.all(),
      nowMs: timers.nowMs(),
    });
  }

  receive(message: Uint8Array, sink: ReplySink): void {
    this.#take(message, sink, false);
  }

  tick(): void {
    if (this.#log === undefined || this.#stopped.signal.aborted) return;
    this.#state.checkpointWhenDue();
    this.#pending.dropBefore(this.#options.timers.nowMs() - PENDING_MS);
    if (!this.#leader.leads) return;
    if (!this.#clock.standing().agrees && this.#isBetterElsewhere())
      void this.handOver('clock_disagrees');
    this.#leader.consider();
    this.#leader.pulseWhenDue();
    this.#leader.upgradeWhenAble(this.#commonRules());
  }

  /**
   * Returns the newest rules that every replica can execute according to recent heartbeats, or the first rules while one is
   * silent.
   */
  #commonRules(): number {
    const { identity, peers, timers } = this.#options;
    const sinceMs = timers.nowMs() - LATELY_MS;
    const heard = peers.all().filter(({ heardAtMs }) => heardAtMs >= sinceMs);
    if (heard.length < identity.replicaCount - 1) return FIRST_RULES;
    return Math.min(this.ledger.rulesMax, ...heard.map(({ rules = FIRST_RULES }) => rules));
  }

  /**
   * Returns whether another replica that could lead has a clock that agrees with the cluster's time. While there is none,
   * this one keeps the lead and serves reads.
   */
  #isBetterElsewhere(): boolean {
    const { peers, timers } = this.#options;
    const sinceMs = timers.nowMs() - LATELY_MS;
    return peers
      .all()
      .some((peer) => peer.canLead && peer.clockAgrees !== false && peer.heardAtMs >= sinceMs);
  }

  /** Lets another replica lead. Returns true when one does. */
  async handOver(why: HandOverReason): Promise<boolean> {
    if (this.#handingOver) return false;
    this.#handingOver = true;
    try {
      return (await this.#log?.handOver(why)) ?? true;
    } finally {
      this.#handingOver = false;
    }
  }

  checkpointNow(): Promise<void> {
    return this.#state.checkpoints.mustReach(this.#state.executor.op);
  }

  async stop(): Promise<void> {
    const { checkpoints } = this.#state;
    const led = this.#leader.leads;
    const hasSuccessor = await this.handOver('stopping');
    if (led && hasSuccessor) await this.#answerTheLast();
    this.#forwarding.forwardWaiting();
    this.#stopped.abort();
    await checkpoints.idle();
    this.#log?.close();
    this.#options.peers.close();
    await checkpoints.reach(this.committedOp);
    await this.#state.closeFile();
  }

  /** Ends like the death of the process: nothing is written. */
  abandon(): void {
    this.#stopped.abort();
    this.#log?.close();
    this.#options.peers.close();
  }

  /**
   * Answers the last clients before stopping. Clients that asked this replica as the leader may have reached no other one.
   * The next leader executes requests passed on to it but has no connection to the client. So this replica stays until it
   * has executed them too, and answers.
   */
  async #answerTheLast(): Promise<void> {
    const { timers } = this.#options;
    const untilMs = timers.nowMs() + LEAVE_MS;
    const { signal } = this.#stopped;
    this.#forwarding.leaving = true;
    this.#forwarding.forwardWaiting();
    while (this.#isAskedAsLeader() && timers.nowMs() < untilMs)
      await sleep(timers, LEAVE_LOOK_MS, signal);
    // Executed requests are answered only when the leader is known to be as far.
    const { op } = this.#state.executor;
    while (!this.#owed.maySay(op) && timers.nowMs() < untilMs)
      await sleep(timers, LEAVE_LOOK_MS, signal);
  }

  /**
   * Returns whether a client waits that does not know the next leader. Other clients ask that leader, and this replica only
   * in addition.
   */
  #isAskedAsLeader(): boolean {
    const { view } = this.#log?.lead ?? { view: Infinity };
    return this.#pending.all().some(({ header }) => header.header.view < view);
  }

  /** Stops serving with this error. Called by code outside this class that has found that this replica must not serve. */
  halt(error: HaltedError): void {
    this.#halt(error);
  }

  #openLog(position: LogPosition): ReplicatedLog {
    const { identity, incarnation, etcd, peers, timers, random, nonce, retainedBytesMax } =
      this.#options;
    return new ReplicatedLog({
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
      position,
      consumer: {
        committed: (block) => this.#committed(block),
        roleChanged: (role) => this.#roleChanged(role),
        behind: (floor) => void this.#fellBehind(floor),
        failed: (error) => this.#halt(error),
      },
      ...(retainedBytesMax === undefined ? {} : { retainedBytesMax }),
    });
  }

  // Requests of clients and peers.

  #take(message: Uint8Array, sink: ReplySink, fromPeer: boolean): void {
    if (this.#log === undefined || this.#halted !== undefined || this.#stopped.signal.aborted)
      return;
    if (!this.#leader.leads && !this.#keeps(message, sink)) return;
    const nowMs = this.#options.timers.nowMs();
    const request = this.#pending.put(message, sink, { nowMs, fromPeer });
    if (request === undefined) return;
    if (this.#leader.leads) this.#leader.take(request);
    else if (this.#forwarding.leaving) this.#forwarding.forwardWaiting();
  }

  /** Returns whether a backup keeps a request. It answers again a request that it has answered before. */
  #keeps(message: Uint8Array, sink: ReplySink): boolean {
    const request = new RequestHeader(new Header(message));
    if (!request.isWellFormed()) return false;
    const session = this.sessions.get(request.client);
    const isRegister = request.operation === Operation.register;
    if (session === undefined) return isRegister;
    if (!isRegister && session.session !== request.session) return false;
    if (request.number > session.lastRequest) return true;
    // Copies of the present values: the session may advance before the leader has executed as much.
    const { lastOp, reply } = session;
    if (isLast(session, request)) this.#owed.when(lastOp, () => sink.send(reply));
    return false;
  }

  // The log's events.

  #committed(block: Block): void {
    if (this.#knowsRulesOf(block)) this.#executeBlock(block);
  }

  /**
   * Returns whether all rules in a block are known. Otherwise nothing of it is executed, so that a checkpoint stays at the
   * end of the block before.
   */
  #knowsRulesOf(block: Block): boolean {
    if (this.#unable) return false;
    const { rulesMax } = this.ledger;
    const unknown = block.entries.map(rulesOf).find((rules = FIRST_RULES) => rules > rulesMax);
    if (unknown === undefined) return true;
    this.#unable = true;
    const error = new HaltedError('unknown_rules', unknownRules(unknown, rulesMax));
    // Not within the log's own call, which must return first.
    queueMicrotask(() => this.#halt(error));
    return false;
  }

  #executeBlock(block: Block): void {
    for (const entry of block.entries) this.#execute(entry);
    this.#state.executed(block);
    const { op } = this.#state.executor;
    this.#comparison.executed(op, this.#state.hash);
    if (this.#leader.leads) {
      this.#owed.ledUpTo(op);
      if (this.#peersWait) this.#tellPeers();
      this.#peersWait = false;
      // Not within the log's own call, which must return first.
      queueMicrotask(() => this.#leader.consider());
    }
    this.#state.checkpointWhenDue();
    if (this.#comparison.isWrong) queueMicrotask(() => this.#haltAsDifferent());
  }

  #execute(entry: LogEntry): void {
    const request = new RequestHeader(new Header(entry.message));
    const { operation } = request;
    const reply = this.#state.executor.apply(entry);
    const isOwn = operation === Operation.pulse || operation === Operation.upgrade;
    const waiting = isOwn ? undefined : this.#pending.executed(request);
    this.#leader.executed(operation, waiting);
    if (!isOwn) this.#counts.count(operation);
    if (waiting === undefined || reply === undefined) return;
    const answer = (): void => {
      for (const sink of waiting.sinks) sink.send(reply);
    };
    // If this replica leads, the leader has executed the entry.
    this.#peersWait ||= waiting.forwardedUnder === Infinity;
    if (this.#leader.leads) answer();
    else this.#owed.when(entry.op, answer);
  }

  #roleChanged(role: Role): void {
    this.#reigns.roleChanged(role);
    this.#leader.roleChanged(role);
    if (role.kind === 'leading') {
      assert(this.committedOp === role.position.op, 'a leader has executed the whole log');
      this.#owed.ledUpTo(role.position.op);
      queueMicrotask(() => this.#leader.consider());
    } else if (this.#handingOver) this.#tellPeers();
    this.#options.onRole(role);
  }

  #halt(error: HaltedError | ReplicatedLogError): void {
    if (this.#halted !== undefined || this.#stopped.signal.aborted) return;
    this.#halted = error;
    this.#leader.halt();
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
    this.#forwarding.withdrawAbandoned();
    this.#forwarding.forwardWaiting();
    this.#options.timers.after(BEAT_MS, () => this.#beat());
  }

  #tellPeers(): void {
    const { peers, timers } = this.#options;
    const { agrees: clockAgrees } = this.#clock.standing();
    peers.beat({
      ...this.#heartbeat(),
      clockAgrees,
      stateHash: this.#state.hash,
      wallMs: timers.wallMs(),
      rules: this.ledger.rulesMax,
    });
  }

  #heartbeat(): Heartbeat {
    if (this.#log !== undefined && this.#state.isWhole) return this.#log.heartbeat();
    const { replicaIndex: replica } = this.#options.identity;
    // Op and hash must belong together, whether the replica still holds an old state or none yet.
    const op = this.committedOp;
    return { replica, memberId: undefined, op, fence: undefined, canLead: false, loading: true };
  }

  #heard(peer: HeardPeer): void {
    if (this.#stopped.signal.aborted || this.#halted !== undefined) return;
    // A leader has executed everything up to the op in its heartbeat, and so has every later leader.
    if (peer.fence !== undefined) this.#owed.ledUpTo(peer.op);
    if (this.#state.replacing) return;
    this.#comparison.heard(peer.replica, peer.op, peer.stateHash);
    if (this.#comparison.isWrong) this.#haltAsDifferent();
    if (peer.fence !== undefined) this.#forwarding.forwardWaiting();
  }

  // Catching up and checkpoints.

  /** Handles that blocks needed here are deleted: continues from another replica's state. */
  async #fellBehind(floor: number): Promise<void> {
    const position = await this.#fetchState(floor).catch((error: unknown) => {
      if (!(error instanceof DataFileError) || error.code !== 'unknown_rules') throw error;
      this.#halt(new HaltedError(error.code, error.message));
    });
    if (position === undefined) return;
    this.#state.position = logPositionOf(position);
    this.#log?.resume(this.#state.position);
    this.#mark(position);
  }

  async #fetchState(floor: number): Promise<CheckpointPosition | undefined> {
    const position = await this.#catchUp.fetch(floor);
    if (position === undefined) return undefined;
    this.catchUps += 1;
    this.#comparison.restart();
    return position;
  }

  #mark({ place, op, stateHash }: CheckpointPosition): void {
    if (place === undefined || this.#stopped.signal.aborted) return;
    const hash = Buffer.from(stateHash).toString('hex');
    this.#log?.checkpointed({ sequence: place.sequence, op, stateHash: hash });
  }
}

const isLast = (session: Session, request: RequestHeader): boolean =>
  request.number === session.lastRequest &&
  sameChecksum(session.requestChecksum, request.header.checksum);
