/**
 * One replica of three or six. As leader and as follower, it executes only the log's committed blocks, so that nothing is
 * ever rolled back. The leader orders requests into the log (leader-requests.ts). Every replica that a client has asked
 * answers once it has executed the request; until then it keeps the request in case it leads next (forwarding.ts).
 */
import { assert } from '../../base/assert.ts';
import { sleep } from '../../base/timers.ts';
import type { StateMachine } from '../ledger/state-machine.ts';
import type { CheckpointPosition } from '../log/log.ts';
import type { ReplicatedLogError } from '../log/replicated/errors.ts';
import type { Scrubbing } from '../log/scrubber.ts';
import type { HandOverReason } from '../log/replicated/reasons.ts';
import type { Role } from '../log/replicated/replicated-log.ts';
import type { HeardPeer } from '../peers/peer-link.ts';
import type { PauseAnswer } from '../last-backup/questions.ts';
import { Operation } from '../wire/operations.ts';
import type { HaltedError } from './halted-error.ts';
import { commonRules, hasBetterClock, hasOtherLeader, heardLately } from './heard-lately.ts';
import { Reigns } from './reigns.ts';
import type { ReplicatedReplicaOptions } from './replicated-options.ts';
import { assemble, type Host, type ReplicatedParts } from './replicated-parts.ts';
import { standingOf } from './replicated-standing.ts';
import {
  fullBatch,
  type ReplySink,
  type ServedReplica,
  type ReplicaStanding,
} from './served-replica.ts';
import type { SessionTable } from './sessions.ts';
import type { StateBytes } from './state-transfer.ts';
import { PAUSE_RULES, pauseOf } from './write-pause.ts';

const PENDING_MS = 10_000;
const LOOK_MS = 20;
/** Time for a leader to be found at the beginning of a log, and to answer those that wait for it, before its state is sent. */
const LED_WITHIN_MS = 10_000;
const FIRST_SERVED_MS = 2_000;
/** Time for which a leader's operations wait for damaged pages before another replica leads, which most likely has them. */
const PAGES_MS = 1000;

const waiting = (reason: string): PauseAnswer => ({ outcome: 'wait', reason });

export class ReplicatedReplica implements ServedReplica, Host {
  readonly #options: ReplicatedReplicaOptions;
  readonly #stopped = new AbortController();
  readonly #parts: ReplicatedParts;
  #halted: HaltedError | ReplicatedLogError | undefined;
  readonly reigns = new Reigns();
  /** Number of states taken from other replicas. */
  catchUps = 0;

  constructor(options: ReplicatedReplicaOptions) {
    this.#options = options;
    this.#parts = assemble(options, this);
  }

  /** Loads the checkpoint and begins to follow the log. */
  async recover(): Promise<number> {
    const { forwarding, state, heartbeats, place } = this.#parts;
    this.#options.peers.begin({
      heard: (peer) => this.#heard(peer),
      forwarded: (from, message) => this.#take(message, forwarding.sinkVia(from), true),
      withdrawn: (from, withdrawal) => forwarding.withdrawn(from, withdrawal),
      answered: (message) => forwarding.answered(message),
      sendState: async (floor, write) => {
        await this.#begun();
        await state.sendTo(floor, write);
      },
      sendMissing: async (floor, held, write) => {
        await this.#begun();
        await state.sendMissing(floor, held, write);
      },
      sendPages: (pages, write) => state.sendPages(pages, write),
    });
    // The others keep the blocks that this replica needs while they hear that it loads or fetches.
    heartbeats.begin();
    try {
      await place.begin();
    } catch (error) {
      this.abandon();
      throw error;
    }
    return 0;
  }

  /**
   * At the beginning of a log the others may have no state, and ask for this one's as soon as it is loaded, which keeps disks and processors
   * busy. Clients, who wait for a leader, come first.
   */
  async #begun(): Promise<void> {
    const { timers } = this.#options;
    const { state, place } = this.#parts;
    if (state.position?.sequence !== 0) return;
    const endMs = timers.nowMs() + LED_WITHIN_MS;
    while (!this.isOver && place.log?.lead === undefined && timers.nowMs() < endMs)
      await sleep(timers, LOOK_MS, this.stopped);
    await sleep(timers, FIRST_SERVED_MS, this.stopped);
    // What it sends begins with a checkpoint, and its file may be closed at any moment.
    if (this.isOver) throw new Error('this replica ends');
  }

  get ledger(): StateMachine {
    return this.#parts.state.executor.ledger;
  }

  get sessions(): SessionTable {
    return this.#parts.state.executor.sessions;
  }

  get position(): CheckpointPosition {
    return { ...this.#parts.state.executor.position(), view: this.view };
  }

  get committedOp(): number {
    return this.#parts.state.executor.op;
  }

  get checkpointOp(): number {
    return this.#parts.state.checkpoints.op;
  }

  /** The last block that was executed, and the op that it ends with. */
  get executed(): { readonly sequence: number; readonly op: number } {
    const { sequence = 0, op = 0 } = this.#parts.state.position ?? {};
    return { sequence, op };
  }

  get view(): number {
    return Math.max(
      this.#parts.state.executor.view,
      this.#parts.place.log?.lead?.view ?? 0,
      this.#parts.leader.view,
    );
  }

  get evicts(): boolean {
    return this.#parts.leader.leads;
  }

  get requests(): ReadonlyMap<number, number> {
    return this.#parts.counts.executed;
  }

  get stateBytes(): StateBytes {
    return this.#parts.place.stateBytes;
  }

  get refused(): number {
    return this.#parts.counts.refused;
  }

  get acceptsWrites(): boolean {
    const { unready, logFull, clock } = this.standing();
    if (unready !== undefined || logFull || (this.#parts.leader.leads && !clock.agrees))
      return false;
    const shortage = this.ledger.shortage(Operation.createTransfersUnbatched, fullBatch);
    // Room is about to be made.
    return shortage === undefined || shortage === 'rows' || shortage === 'index';
  }

  get writesPaused(): boolean {
    const { state, clock } = this.#parts;
    return state.executor.pausesWritesAt(clock.nowNs() ?? 0n);
  }

  scrubbing(): Scrubbing {
    return this.#parts.state.scrubbing();
  }

  storage(): { readonly usedBytes: number; readonly limitBytes: number } {
    return this.#parts.state.storage();
  }

  /** Writes the newest checkpoint as an exported data file. Rejects while no data file is open. */
  exportTo(write: (bytes: Uint8Array) => Promise<void>): Promise<void> {
    return this.#parts.state.exportTo(write);
  }

  standing(): ReplicaStanding {
    const { peers, timers } = this.#options;
    const { place, leader, state, clock } = this.#parts;
    return standingOf({
      log: this.#stopped.signal.aborted ? undefined : place.log,
      halted: this.#halted,
      leads: leader.leads,
      isFull: leader.isFull,
      catchingUp: state.replacing,
      clock: clock.standing(),
      peers: peers.all(),
      nowMs: timers.nowMs(),
    });
  }

  receive(message: Uint8Array, sink: ReplySink): void {
    this.#take(message, sink, false);
  }

  tick(): void {
    if (this.#parts.place.log === undefined || this.#stopped.signal.aborted) return;
    const { identity, peers, timers } = this.#options;
    const { leader, state, pending, clock, execution } = this.#parts;
    state.advanceIndex();
    state.checkpointWhenDue();
    pending.dropBefore(timers.nowMs() - PENDING_MS);
    const heard = heardLately(peers.all(), timers.nowMs());
    // Also one whose reign has begun, and which must first execute what was committed before.
    const hasReign = this.#parts.place.log.reignView !== undefined;
    if (hasReign && execution.lacksPagesMs > PAGES_MS && hasOtherLeader(heard))
      void this.handOver('pages_damaged');
    if (!leader.leads) return;
    // While no other replica's clock agrees, this one keeps the lead and serves reads.
    if (!clock.standing().agrees && hasBetterClock(heard)) void this.handOver('clock_disagrees');
    leader.consider();
    leader.pulseWhenDue();
    const [others, { rulesSought }] = [identity.replicaCount - 1, this.ledger];
    leader.upgradeWhenAble(commonRules(heard, { others, rulesMax: rulesSought }));
  }

  /** Pauses writes if this replica leads, and answers when that is executed: nothing that changes the ledger follows that op. */
  async pauseWrites(lengthMs: number): Promise<PauseAnswer> {
    const { leader, state } = this.#parts;
    const { peers, timers } = this.#options;
    if (!leader.leads || this.isOver) return { outcome: 'not_leading' };
    const heard = heardLately(peers.all(), timers.nowMs());
    // A silent one is not waited for: it may be lost for good. If it comes back with an older release, it halts.
    const known = commonRules(heard, { others: heard.length, rulesMax: this.ledger.rulesMax });
    if (known < PAUSE_RULES) return waiting('a replica is of a release without pauses');
    leader.upgradeWhenAble(PAUSE_RULES);
    const entry = leader.pause(BigInt(lengthMs) * 1_000_000n);
    if (entry === undefined) return waiting('the log takes nothing at the moment');
    const { op, until } = pauseOf(entry);
    const endMs = timers.nowMs() + PENDING_MS;
    while (!this.isOver && timers.nowMs() < endMs) {
      const { pause } = state.executor;
      // Another leader may have put something else in its place; another pause that is as long is as good.
      if (pause?.op === op && pause.until >= until) {
        const { stateHash } = state.executor.position();
        return { outcome: 'paused', op, stateHash: Buffer.from(stateHash).toString('hex') };
      }
      await sleep(timers, LOOK_MS);
    }
    return waiting('the pause was not logged in time');
  }

  /** Lets another replica lead. Returns true when one does. */
  handOver(why: HandOverReason): Promise<boolean> {
    return this.#parts.departure.handOver(why);
  }

  checkpointNow(): Promise<void> {
    return this.#parts.state.checkpoints.mustReach(this.#parts.state.executor.op);
  }

  async stop(): Promise<void> {
    const { state, leader, departure, forwarding, place } = this.#parts;
    const led = leader.leads;
    const hasSuccessor = await this.handOver('stopping');
    if (led && hasSuccessor) await departure.answerTheLast();
    forwarding.forwardWaiting();
    this.#stopped.abort();
    await state.checkpoints.idle();
    place.close();
    this.#options.peers.close();
    await state.checkpoints.reach(this.committedOp);
    await state.closeFile();
  }

  /** Ends like the death of the process: nothing is written. */
  abandon(): void {
    this.#stopped.abort();
    this.#parts.place.close();
    this.#options.peers.close();
  }

  // The parts' host.

  get stopped(): AbortSignal {
    return this.#stopped.signal;
  }

  get isOver(): boolean {
    return this.#stopped.signal.aborted || this.#halted !== undefined;
  }

  #take(message: Uint8Array, sink: ReplySink, fromPeer: boolean): void {
    if (this.#parts.place.log !== undefined && !this.isOver)
      this.#parts.intake.take(message, sink, fromPeer);
  }

  stateReplaced(): void {
    this.catchUps += 1;
    this.#parts.comparison.restart();
  }

  roleChanged(role: Role): void {
    const { leader, owed, departure, heartbeats } = this.#parts;
    this.reigns.roleChanged(role);
    leader.roleChanged(role);
    if (role.kind === 'leading') {
      assert(this.committedOp === role.position.op, 'a leader has executed the whole log');
      owed.ledUpTo(role.position.op);
      queueMicrotask(() => leader.consider());
    } else if (departure.isHandingOver) heartbeats.send();
    this.#options.onRole(role);
  }

  /** Stops serving with this error. Code outside this class calls it, too. */
  halt(error: HaltedError | ReplicatedLogError): void {
    if (this.isOver) return;
    this.#halted = error;
    this.#parts.leader.halt();
    this.#parts.place.close();
    this.#options.peers.close();
    this.#options.onHalted(error);
  }

  #heard(peer: HeardPeer): void {
    if (this.isOver) return;
    // A leader has executed everything up to the op in its heartbeat, and so has every later leader.
    const { owed, state, comparison, execution, forwarding } = this.#parts;
    if (peer.fence !== undefined) owed.ledUpTo(peer.op);
    if (state.replacing) return;
    comparison.heard(peer.replica, peer.op, peer.stateHash);
    execution.haltIfDifferent();
    if (peer.fence !== undefined) forwarding.forwardWaiting();
  }
}
