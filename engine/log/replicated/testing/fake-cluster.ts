/**
 * An etcd cluster that behaves as badly as a real one may: answers are late or lost, requests take effect late or never and
 * in any order, raft's leader changes, members are cut off, space runs out, watches end, history is compacted. The
 * simulation's seed decides everything that happens.
 */
import {
  EtcdError,
  type CallOptions,
  type Etcd,
  type MemberStatus,
  type Txn,
  type TxnResult,
} from '../etcd.ts';
import type { FakeStore } from './fake-store.ts';
import type { Simulation } from './simulation.ts';

/**
 * Probabilities of faults per call, answer or delivery. If all are 0, nothing goes wrong, but the order is still random.
 */
interface FaultRates {
  /** A call is lost on its way in. */
  lostCall: number;
  /** An answer is lost. */
  lostAnswer: number;
  /** An answer comes late. */
  lateAnswer: number;
  /** A call fails at once, and its effect happens later. */
  lateCall: number;
  /** A delivery ends its watch. */
  brokenWatch: number;
}

export const noFaults: FaultRates = {
  lostCall: 0,
  lostAnswer: 0,
  lateAnswer: 0,
  lateCall: 0,
  brokenWatch: 0,
};

const LATENCY_MS: readonly [number, number] = [0.5, 8];
const LATE_MS: readonly [number, number] = [5, 600];
const ELECTION_MS: readonly [number, number] = [2, 120];

export class FakeCluster {
  /** Members that take long to answer a status request, with the least and the most time. */
  readonly slowStatus = new Map<number, readonly [number, number]>();
  readonly simulation: Simulation;
  readonly store: FakeStore;
  readonly size: number;
  faults: FaultRates = noFaults;
  noSpace = false;
  quotaBytes = 2 << 20;
  term = 1;
  leader: number | undefined = 0;
  readonly #cutOff = new Set<number>();
  readonly #hung = new Set<number>();

  constructor(simulation: Simulation, store: FakeStore, size: number) {
    this.simulation = simulation;
    this.store = store;
    this.size = size;
  }

  static idOf(member: number): bigint {
    return 1000n + BigInt(member);
  }

  /** Cuts a member off: it neither commits nor leads. Its requests take effect when it is back, or never. */
  cutOff(member: number): void {
    this.#cutOff.add(member);
    if (this.leader === member) this.elect();
  }

  join(member: number): void {
    this.#cutOff.delete(member);
    if (this.leader === undefined) this.elect();
  }

  /** Makes a member hang: it answers nothing, not even its status, and continues with everything later. */
  hang(member: number): void {
    this.#hung.add(member);
    if (this.leader === member) this.elect();
  }

  goOn(member: number): void {
    this.#hung.delete(member);
    if (this.leader === undefined) this.elect();
  }

  hangs(member: number): boolean {
    return this.#hung.has(member);
  }

  hasQuorum(member: number): boolean {
    const away = new Set([...this.#cutOff, ...this.#hung]);
    return !away.has(member) && this.size - away.size > this.size / 2;
  }

  /** Holds an election: no leader for a while, then the named member or any member that can lead. */
  elect(named?: number): void {
    this.leader = undefined;
    this.term += 1;
    const { term, simulation } = this;
    simulation.after(simulation.between(...ELECTION_MS), () => {
      if (this.term !== term) return;
      const able = Array.from({ length: this.size }, (_, member) => member).filter((member) =>
        this.hasQuorum(member),
      );
      const chosen = able[simulation.below(able.length)];
      this.leader = named !== undefined && able.includes(named) ? named : chosen;
    });
  }

  /**
   * Makes a client. `gate` runs the callbacks in the client's process: later if the process stands still, never if it has
   * ended.
   */
  client(member: number, gate: (callback: () => void) => void): Etcd {
    return new FakeClient(this, member, gate);
  }
}

class FakeClient implements Etcd {
  readonly #cluster: FakeCluster;
  readonly #member: number;
  readonly #gate: (callback: () => void) => void;
  #closed = false;

  constructor(cluster: FakeCluster, member: number, gate: (callback: () => void) => void) {
    this.#cluster = cluster;
    this.#member = member;
    this.#gate = gate;
  }

  txn(request: Txn, options: CallOptions): Promise<TxnResult> {
    const puts = [...request.success, ...request.failure].some((each) => each.do === 'put');
    return this.#call(options, () => {
      if (puts && this.#cluster.noSpace) {
        // Sometimes the change is applied all the same (etcd-io/etcd#16659).
        if (this.#cluster.simulation.chance(0.2)) this.#cluster.store.txn(request);
        throw new EtcdError('no_space', 'database space exceeded');
      }
      const result = this.#cluster.store.txn(request);
      if (result === undefined) throw new EtcdError('compacted', 'compacted');
      return result;
    });
  }

  append(request: Txn, options: CallOptions): Promise<TxnResult> {
    return this.txn(request, options);
  }

  compact(revision: number, options: CallOptions): Promise<void> {
    return this.#call(options, () => this.#cluster.store.compact(revision));
  }

  async status(options: CallOptions): Promise<MemberStatus> {
    const { leader, term, noSpace, quotaBytes, simulation, slowStatus } = this.#cluster;
    const tookMs = slowStatus.get(this.#member) ?? ([0.1, 3] as const);
    await this.#answer(simulation.between(...tookMs), options);
    const known = leader !== undefined && this.#cluster.hasQuorum(this.#member);
    return {
      memberId: FakeCluster.idOf(this.#member),
      leaderId: known ? FakeCluster.idOf(leader) : 0n,
      raftTerm: term,
      fileBytes: 0,
      bytesInUse: this.#cluster.store.bytesInUse,
      quotaBytes,
      isLearner: false,
      noSpace,
      corrupt: false,
    };
  }

  async moveLeader(memberId: bigint, options: CallOptions): Promise<void> {
    await this.#answer(this.#cluster.simulation.between(1, 10), options);
    const cluster = this.#cluster;
    if (cluster.leader !== this.#member) throw new EtcdError('unavailable', 'not leader');
    cluster.elect(Number(memberId - FakeCluster.idOf(0)));
  }

  defragment(options: CallOptions): Promise<void> {
    return this.#call(options, () => undefined);
  }

  disarmNoSpace(options: CallOptions): Promise<void> {
    return this.#call(options, () => {
      this.#cluster.noSpace = false;
    });
  }

  watch(
    { key, rangeEnd, startRevision }: Parameters<Etcd['watch']>[0],
    handler: Parameters<Etcd['watch']>[1],
  ): () => void {
    const { simulation, store } = this.#cluster;
    let next = startRevision;
    let over = false;
    const end = (code: EtcdError['code']): void => {
      if (over) return;
      over = true;
      this.#gate(() => handler.onEnd(new EtcdError(code, 'the watch ended')));
    };
    const deliver = (): void => {
      if (over || this.#closed) return;
      if (simulation.chance(this.#cluster.faults.brokenWatch)) return end('unavailable');
      // A member that is cut off has nothing new to send.
      if (this.#cluster.hasQuorum(this.#member)) {
        if (next <= store.compactedRevision && next < store.revision) return end('compacted');
        const events = store.changes(next, { key, rangeEnd });
        next = store.revision + 1;
        if (events.length > 0) {
          const { revision } = store;
          this.#gate(() => {
            if (!over) handler.onEvents(events, revision);
          });
        }
      }
      simulation.after(simulation.between(1, 12), deliver);
    };
    simulation.after(simulation.between(1, 12), deliver);
    return () => {
      over = true;
    };
  }

  close(): void {
    this.#closed = true;
  }

  /** Makes a change or a read with faults: it may be lost, late, or done and not answered. */
  #call<T>(options: CallOptions, act: () => T): Promise<T> {
    const { simulation, faults } = this.#cluster;
    return new Promise((resolve, reject) => {
      // As a closed channel of gRPC does: nobody expects that error.
      if (this.#closed) throw new Error('a call after the client was closed');
      const finish = this.#finisher(options, reject);
      if (simulation.chance(faults.lateCall)) {
        simulation.after(simulation.between(...LATE_MS), () => this.#attempt(act));
        simulation.after(simulation.between(...LATENCY_MS), () =>
          finish(() => reject(new EtcdError('unavailable', 'leader changed'))),
        );
        return;
      }
      if (simulation.chance(faults.lostCall)) return;
      simulation.after(simulation.between(...LATENCY_MS), () =>
        this.#arrive(act, (answer) => {
          if (simulation.chance(faults.lostAnswer)) return;
          const wayBack = simulation.chance(faults.lateAnswer) ? LATE_MS : LATENCY_MS;
          simulation.after(simulation.between(...wayBack), () =>
            finish(() => {
              try {
                resolve(answer());
              } catch (error) {
                reject(error);
              }
            }),
          );
        }),
      );
    });
  }

  /** Handles a call at the member. Without a quorum or a leader, the call waits for one or is forgotten. */
  #arrive<T>(act: () => T, answer: (outcome: () => T) => void): void {
    const { simulation } = this.#cluster;
    if (this.#cluster.leader !== undefined && this.#cluster.hasQuorum(this.#member)) {
      const outcome = this.#attempt(act);
      return answer(outcome);
    }
    if (!this.#cluster.hangs(this.#member) && simulation.chance(0.3)) return;
    simulation.after(simulation.between(20, 400), () => this.#arrive(act, answer));
  }

  #attempt<T>(act: () => T): () => T {
    try {
      const value = act();
      return () => value;
    } catch (error) {
      return () => {
        throw error;
      };
    }
  }

  async #answer(ms: number, options: CallOptions): Promise<void> {
    const { simulation, faults } = this.#cluster;
    await new Promise<void>((resolve, reject) => {
      const finish = this.#finisher(options, reject);
      if (simulation.chance(faults.lostAnswer)) return;
      const answer = (): void => {
        if (this.#cluster.hangs(this.#member)) simulation.after(20, answer);
        else finish(resolve);
      };
      simulation.after(ms, answer);
    });
  }

  /** Returns a function that ends a call once, in the client's process: by an answer, its deadline, or its cancellation. */
  #finisher(
    { timeoutMs, signal }: CallOptions,
    reject: (error: EtcdError) => void,
  ): (end: () => void) => void {
    let over = false;
    const finish = (end: () => void): void => {
      if (over) return;
      over = true;
      cancel();
      signal?.removeEventListener('abort', giveUp);
      if (!this.#closed) this.#gate(end);
    };
    const giveUp = (): void => finish(() => reject(new EtcdError('cancelled', 'given up')));
    const cancel = this.#cluster.simulation.after(timeoutMs, () =>
      finish(() => reject(new EtcdError('timeout', `nothing within ${timeoutMs} ms`))),
    );
    if (signal?.aborted === true) queueMicrotask(giveUp);
    else signal?.addEventListener('abort', giveUp);
    return finish;
  }
}
