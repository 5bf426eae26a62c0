/**
 * The log of one replica of three or six, kept by etcd. The interface is narrow, so that something else may replace etcd:
 * entries in, committed blocks out, the leader, the fence, and when a read may be executed.
 *
 * - A block that was reported (`committed`) is in the log for good, on every replica in the same place.
 * - Blocks are reported in order, without a gap, each once, in every role.
 * - At any time at most one replica's appends can commit: the one whose fence stands.
 * - Entries that were taken but not reported when a reign ends may be reported later, or never.
 *
 * docs/decisions/0015-replicated-log.md gives the reasons for this design.
 */
import type { KeyObject } from 'node:crypto';
import { assert } from '../../../base/assert.ts';
import { sleep, type Timers } from '../../../base/timers.ts';
import type { LogEntry } from '../log.ts';
import { blockSealKey, misfitOf, positionAfter, type Block, type LogPosition } from './block.ts';
import { claim, nextView, type Won } from './claim.ts';
import { CheckpointMarks } from './checkpoint-marks.ts';
import { ReadRefused, ReplicatedLogError } from './errors.ts';
import type { Etcd, MemberStatus } from './etcd.ts';
import { Follower } from './follower.ts';
import { identityProblem, metaOf, type LogIdentity } from './identity.ts';
import { bestPeer, LeadershipPolicy, type Decision } from './leadership-policy.ts';
import {
  ABSTAIN_MS,
  CALL_TIMEOUT_MS,
  HAND_OVER_MS,
  RETAINED_BYTES_MAX,
  RETAINED_PART,
  SILENCE_MS,
  STATUS_INTERVAL_MS,
  TAKE_OVER_MS,
} from './limits.ts';
import type { Heartbeat, Peers } from './peers.ts';
import type { ClaimReason, EndReason, HandOverReason } from './reasons.ts';
import type { CheckpointMark, Meta } from './records.ts';
import { RecordsWatch, type Records } from './records-watch.ts';
import { startReign, type Reign } from './reign.ts';
import { RetainedBytes } from './retained.ts';
import { isFull, SpaceRecovery } from './space-recovery.ts';
import { takeOver } from './take-over.ts';

export type Role =
  | {
      readonly kind: 'leading';
      readonly view: number;
      readonly fence: number;
      /** Position of the last block of the log. The next entry's op must follow it. */
      readonly position: LogPosition;
      readonly why: ClaimReason;
    }
  | { readonly kind: 'following'; readonly why: EndReason };

/** Callbacks of the replica for the log's events. They must not throw, and must return soon. */
export interface LogConsumer {
  committed(block: Block): void;
  /**
   * Returns whether so many blocks wait to be executed that a follower should read no more now. Those that it has read are
   * reported all the same.
   */
  isBusy(): boolean;
  roleChanged(role: Role): void;
  /**
   * The blocks after this replica's position are deleted; `floor` is the first one left. The replica must fetch a data file
   * and call `resume`.
   */
  behind(floor: number): void;
  /** The log has failed for good: this replica must stop. */
  failed(error: ReplicatedLogError): void;
}

interface ReplicatedLogOptions {
  /** Client of the member beside this replica. The log closes it. */
  readonly etcd: Etcd;
  readonly timers: Timers;
  readonly random: () => number;
  readonly identity: LogIdentity;
  /** Position of the replica's state: `originOf` at the start of an incarnation, later that of the last block. */
  readonly position: LogPosition;
  /** Random value, different for each process. */
  readonly nonce: string;
  readonly peers: Peers;
  readonly consumer: LogConsumer;
  /**
   * Bytes of blocks that are kept for replicas which are behind a majority: 256 MiB, and at most a quarter of etcd's
   * quota. Blocks that no majority has in a checkpoint are kept without a bound (`full` says when there is no room).
   */
  readonly retainedBytesMax?: number;
  /** First block that an archive needs: it is kept like those that a replica needs which is behind. */
  readonly neededByArchive?: (() => number | undefined) | undefined;
}

type Appended = 'taken' | 'full' | 'not_leading';

export class ReplicatedLog {
  readonly #options: ReplicatedLogOptions;
  readonly #sealKey: KeyObject;
  readonly #meta: Meta | undefined;
  readonly #policy = new LeadershipPolicy();
  readonly #stopped = new AbortController();
  readonly #recordsWatch: RecordsWatch;
  readonly #marks: CheckpointMarks;
  readonly #space: SpaceRecovery;
  #retained: RetainedBytes;
  #position: LogPosition;
  #records: Records | undefined;
  #status: MemberStatus | undefined;
  /**
   * Time when the member last showed that it works: it answered a status request and knew of a leader, or a block of this
   * replica's reign was committed through it, or the fence was proved. A member that is slow with one of them is no fault.
   */
  #memberWellAtMs = -Infinity;
  /** Time when a block of the present leader's reign last came. */
  #leadCommittedAtMs = -Infinity;
  #follower: Follower | undefined;
  #reign: Reign | undefined;
  /** Fence of a claim that has not become a reign yet. */
  #takingOver: number | undefined;
  #claiming = false;
  #intakeStopped = false;
  /** Highest fence under which this process has led or tried to. An ended one is never used again. */
  #lastFence = 0;
  /** Fence of the last reign that was handed over. */
  #leftFence: number | undefined;
  #raft = '';
  /** Callbacks for the next change of the records. */
  #onRecords: (() => void)[] = [];

  constructor(options: ReplicatedLogOptions) {
    const { etcd, timers, random, identity, position } = options;
    this.#options = options;
    this.#sealKey = blockSealKey(identity.clusterId, identity.incarnation);
    this.#meta = metaOf(identity, position);
    this.#position = position;
    this.#retained = new RetainedBytes(position.sequence);
    this.#marks = new CheckpointMarks({ etcd, timers, random, replica: identity.replica });
    const writeALittle = (): void =>
      this.#marks.again(this.#records?.checkpoints.get(identity.replica));
    this.#space = new SpaceRecovery({ etcd, timers, writeALittle });
    this.#recordsWatch = new RecordsWatch({
      etcd,
      timers,
      random,
      onChange: (records) => this.#recordsChanged(records),
      onFailure: (error) => this.#fail(error),
    });
    this.#follow();
    void this.#watchMember();
  }

  /** Position of the last block that was reported. */
  get position(): LogPosition {
    return this.#position;
  }

  /** The local member's last status; undefined while it does not answer. */
  get memberStatus(): MemberStatus | undefined {
    return this.#status;
  }

  /** The leader, as far as this replica knows. */
  get lead():
    | { readonly replica: number; readonly view: number; readonly fence: number }
    | undefined {
    return this.#records?.lead;
  }

  /** View of this replica's own reign; `undefined` while it has none. */
  get reignView(): number | undefined {
    return this.#reign?.view;
  }

  /** Blocks below this sequence may be deleted, as far as this replica knows. */
  get floor(): number {
    return this.#records?.floor.sequence ?? 0;
  }

  /** Returns the heartbeat that the caller must send to the other replicas every 50 ms. */
  heartbeat(): Heartbeat {
    const { replica } = this.#options.identity;
    return {
      replica,
      memberId: this.#status?.memberId,
      op: this.#position.op,
      // Nothing commits through a member that hangs, so another replica should lead.
      fence: this.#memberIsWell ? (this.#reign?.fence ?? this.#takingOver) : undefined,
      leftFence: this.#leftFence,
      canLead: this.#canLead,
    };
  }

  /** Takes the entry that follows the last one taken. Returns `full` until something commits or etcd takes puts again. */
  append(entry: LogEntry): Appended {
    const reign = this.#reign;
    if (reign === undefined || this.#intakeStopped) return 'not_leading';
    if (this.#status?.noSpace === true) return 'full';
    assert(entry.view === reign.view, 'an entry has the view of its reign');
    return reign.appender.append(entry) ? 'taken' : 'full';
  }

  /**
   * True when etcd holds so much that no new events may be appended. Only deletion makes room, and blocks are deleted when
   * a majority has them in a checkpoint. Small entries (new sessions, expiries) still fit.
   */
  get full(): boolean {
    return this.#status !== undefined && isFull(this.#status);
  }

  /** Resolves when a read executed then sees everything acknowledged before this call. Rejects with ReadRefused. */
  readBarrier(): Promise<void> {
    return this.#reign?.fenceCheck.barrier() ?? Promise.reject(new ReadRefused('not_leading'));
  }

  /** Reports that this replica's state at `mark` is durable: blocks up to there are no longer kept for it. */
  checkpointed(mark: CheckpointMark): void {
    this.#marks.put(mark);
  }

  /** Continues at a later position after `behind`, once the replica's state was replaced. */
  resume(position: LogPosition): void {
    if (this.#stopped.signal.aborted) return;
    assert(this.#follower === undefined && this.#reign === undefined, 'only who is behind resumes');
    assert(position.sequence > this.#position.sequence, 'a replica goes forward');
    this.#position = position;
    this.#retained = new RetainedBytes(position.sequence);
    this.#follow();
  }

  /**
   * Planned handover: stops taking entries, commits those taken, and lets another replica lead. Returns true when another
   * one leads, or when this one did not lead; false when none leads within two seconds. In either case this replica leads
   * no more.
   */
  async handOver(why: HandOverReason): Promise<boolean> {
    const { timers, etcd, peers } = this.#options;
    const reign = this.#reign;
    this.#policy.abstain(timers.nowMs() + ABSTAIN_MS);
    if (reign === undefined) return true;
    this.#intakeStopped = true;
    const late = new AbortController();
    const cancel = timers.after(HAND_OVER_MS, () => late.abort());
    try {
      await Promise.race([reign.appender.drained(), aborted(late.signal)]);
      // A log that was closed meanwhile follows nobody.
      if (this.#stopped.signal.aborted || this.#reign !== reign) return true;
      this.#leftFence = reign.fence;
      this.#endReign(why);
      const next = bestPeer({ nowMs: timers.nowMs(), peers: peers.all() });
      if (next?.memberId !== undefined && this.#raftLeads) {
        const options = { timeoutMs: CALL_TIMEOUT_MS, signal: late.signal };
        await etcd.moveLeader(next.memberId, options).catch(() => undefined);
      }
      while (!late.signal.aborted && !this.#stopped.signal.aborted) {
        if ((this.#records?.lead?.fence ?? 0) > reign.fence) return true;
        await Promise.race([
          new Promise<void>((resolve) => this.#onRecords.push(resolve)),
          aborted(late.signal),
        ]);
      }
      return false;
    } finally {
      cancel();
      late.abort();
    }
  }

  /** Ends everything at once. A leader should call `handOver` before. */
  close(): void {
    this.#stopped.abort();
    this.#recordsWatch.stop();
    this.#marks.stop();
    this.#space.stop();
    this.#follower?.stop();
    this.#reign?.stop();
    for (const resolve of this.#onRecords.splice(0)) resolve();
    this.#options.etcd.close();
  }

  get #canLead(): boolean {
    if (!this.#memberIsWell) return false;
    if (this.#reign !== undefined || this.#takingOver !== undefined) return true;
    const isVoter = this.#status?.isLearner === false;
    return isVoter && this.#records !== undefined && this.#follower?.live === true;
  }

  /** True if the local member showed lately that it works. */
  get #memberIsWell(): boolean {
    return this.#options.timers.nowMs() - this.#memberWellAtMs < SILENCE_MS;
  }

  get #raftLeads(): boolean {
    const status = this.#status;
    return status !== undefined && status.leaderId === status.memberId;
  }

  #follow(): void {
    const { etcd, timers, random, consumer } = this.#options;
    this.#follower = new Follower({
      etcd,
      timers,
      random,
      sealKey: this.#sealKey,
      position: this.#position,
      onBlock: (block) => this.#tell(block),
      isBusy: () => consumer.isBusy(),
      onBehind: (floor) => {
        this.#follower = undefined;
        consumer.behind(floor);
      },
      onFailure: (error) => this.#fail(error),
    });
  }

  #tell(block: Block): void {
    if (this.#stopped.signal.aborted) return;
    assert(misfitOf(this.#position, block) === undefined, 'blocks are told in order');
    this.#position = positionAfter(block);
    this.#retained.add(block.sequence, block.sizeBytes);
    if (block.fence === this.lead?.fence) this.#leadCommittedAtMs = this.#options.timers.nowMs();
    this.#options.consumer.committed(block);
  }

  async #watchMember(): Promise<void> {
    const { etcd, timers } = this.#options;
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      const options = { timeoutMs: CALL_TIMEOUT_MS, signal };
      this.#status = await etcd.status(options).catch(() => undefined);
      if (signal.aborted) return;
      if (this.#status !== undefined && this.#status.leaderId !== 0n) this.#memberServed();
      this.#memberSeen();
      await sleep(timers, STATUS_INTERVAL_MS, signal);
    }
  }

  #memberServed(): void {
    this.#memberWellAtMs = this.#options.timers.nowMs();
  }

  #memberSeen(): void {
    const { timers, identity, peers } = this.#options;
    const status = this.#status;
    if (status !== undefined) {
      this.#space.look(status);
      const raft = `${status.leaderId} ${status.raftTerm}`;
      if (raft !== this.#raft) {
        this.#reign?.appender.raftChanged();
        this.#reign?.fenceCheck.raftChanged();
        this.#follower?.raftChanged();
      }
      this.#raft = raft;
    }
    if (this.#records === undefined) return;
    this.#adoptLateClaim();
    const decision = this.#policy.decide({
      nowMs: timers.nowMs(),
      self: identity.replica,
      replicaCount: identity.replicaCount,
      raft: status && { leads: this.#raftLeads, hasLeader: status.leaderId !== 0n },
      lead: this.#records.lead,
      leadCommittedAtMs: this.#leadCommittedAtMs,
      leading: this.#reign !== undefined || this.#claiming,
      canLead: this.#canLead,
      peers: peers.all(),
    });
    this.#act(decision);
  }

  #act(decision: Decision): void {
    const { etcd } = this.#options;
    switch (decision.do) {
      case 'nothing':
        return;
      case 'moveRaft':
        // After a failure the policy decides again.
        etcd.moveLeader(decision.memberId, { timeoutMs: CALL_TIMEOUT_MS }).catch(() => undefined);
        return;
      case 'claim':
        void this.#lead(() => this.#claim(), decision.why);
    }
  }

  /** Takes up the lead if a claim whose answer was lost has succeeded after all. */
  #adoptLateClaim(): void {
    const lead = this.#records?.lead;
    if (lead?.nonce !== this.#options.nonce || lead.fence <= this.#lastFence) return;
    const { fence, view } = lead;
    void this.#lead(() => Promise.resolve({ fence, view }), 'late_answer');
  }

  #claim(): Promise<Won | undefined> {
    const { identity, nonce } = this.#options;
    const lead = this.#records?.lead;
    const last = Math.max(lead?.view ?? 0, this.#position.view);
    const view = nextView(last, identity.replica, identity.replicaCount);
    const record = { view, replica: identity.replica, nonce };
    const seen = lead?.fence ?? 0;
    return claim(this.#options, { seen, lead: record }, this.#stopped.signal);
  }

  /** Goes from a claim to a reign, or back to following. */
  async #lead(claimed: () => Promise<Won | undefined>, why: ClaimReason): Promise<void> {
    if (this.#claiming || this.#reign !== undefined || this.#follower === undefined) return;
    this.#claiming = true;
    const won = await claimed();
    if (won === undefined || this.#follower === undefined || this.#stopped.signal.aborted) {
      this.#claiming = false;
      return;
    }
    this.#takingOver = won.fence;
    this.#lastFence = won.fence;
    this.#follower.stop();
    this.#follower = undefined;
    const ready = await this.#takeOver(won.fence);
    this.#takingOver = undefined;
    this.#claiming = false;
    if (this.#stopped.signal.aborted) return;
    if (ready) return this.#beginReign(won, why);
    this.#options.consumer.roleChanged({ kind: 'following', why: 'not_taken_over' });
    this.#follow();
  }

  async #takeOver(fence: number): Promise<boolean> {
    const { etcd, timers, random } = this.#options;
    const late = new AbortController();
    const cancel = timers.after(TAKE_OVER_MS, () => late.abort());
    const stop = (): void => late.abort();
    this.#stopped.signal.addEventListener('abort', stop);
    try {
      const outcome = await takeOver({
        etcd,
        timers,
        random,
        sealKey: this.#sealKey,
        fence,
        position: this.#position,
        meta: this.#meta,
        onBlock: (block) => this.#tell(block),
        signal: late.signal,
      });
      return outcome === 'ready';
    } catch (error) {
      if (!(error instanceof ReplicatedLogError)) throw error;
      this.#fail(error);
      return false;
    } finally {
      cancel();
      this.#stopped.signal.removeEventListener('abort', stop);
    }
  }

  #beginReign({ fence, view }: Won, why: ClaimReason): void {
    const { etcd, timers, random, identity, consumer } = this.#options;
    const onDeposed = (): void => {
      if (this.#reign?.fence === fence) this.#endReign('replaced');
    };
    this.#intakeStopped = false;
    this.#reign = startReign({
      etcd,
      timers,
      random,
      sealKey: this.#sealKey,
      replicaCount: identity.replicaCount,
      fence,
      view,
      position: this.#position,
      retained: this.#retained,
      retainedBytesMax: () => this.#retainedBytesMax(),
      bytesInUse: () => this.#status?.bytesInUse,
      neededByArchive: this.#options.neededByArchive,
      onCommitted: (block) => {
        this.#memberServed();
        this.#tell(block);
      },
      onProved: () => this.#memberServed(),
      onDeposed,
      onFailure: (error) => this.#fail(error),
    });
    consumer.roleChanged({ kind: 'leading', view, fence, position: this.#position, why });
    if (this.#records !== undefined) this.#recordsChanged(this.#records);
  }

  #endReign(why: EndReason): void {
    this.#reign?.stop();
    this.#reign = undefined;
    this.#options.consumer.roleChanged({ kind: 'following', why });
    this.#follow();
  }

  /**
   * Bytes of blocks to keep for replicas that are behind. The bound by quota matters: kept blocks count as in use, and
   * without it one replica that is behind would stop all of them.
   */
  #retainedBytesMax(): number {
    const { retainedBytesMax = RETAINED_BYTES_MAX } = this.#options;
    return Math.min(retainedBytesMax, (this.#status?.quotaBytes ?? Infinity) * RETAINED_PART);
  }

  #recordsChanged(records: Records): void {
    if (this.#stopped.signal.aborted) return;
    const problem = identityProblem(this.#options.identity, this.#meta, records.meta);
    if (problem !== undefined) return this.#fail(problem);
    this.#records = records;
    this.#retained.dropBelow(records.floor.sequence);
    for (const resolve of this.#onRecords.splice(0)) resolve();
    const reign = this.#reign;
    if (reign === undefined) return;
    // The watch may be behind the claim.
    if ((records.lead?.fence ?? 0) > reign.fence) this.#endReign('replaced');
    else if (records.lead?.fence === reign.fence) reign.trimmer.recordsChanged(records);
  }

  #fail(error: ReplicatedLogError): void {
    if (this.#stopped.signal.aborted) return;
    this.close();
    this.#options.consumer.failed(error);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
