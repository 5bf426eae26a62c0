/**
 * A simulated replica: a process with a log, a writer and readers. It can be killed, restarted from its last checkpoint,
 * and frozen.
 */
import { Freezer } from './freezer.ts';
import type { Timers } from '../../../../base/timers.ts';
import type { Block, LogPosition } from '../block.ts';
import type { ReplicatedLogError } from '../errors.ts';
import type { Heartbeat, Peer } from '../peers.ts';
import { ReplicatedLog, type Role } from '../replicated-log.ts';
import { idOf, messageWith } from './checker.ts';
import type { World } from './world.ts';

export class SimReplica {
  readonly index: number;
  readonly #world: World;
  readonly #heard = new Map<number, Peer>();
  #log: ReplicatedLog | undefined;
  #role: Role | undefined;
  #position: LogPosition;
  #checkpoint: LogPosition;
  #starts = 0;
  /** Ids of the entries that were taken in this reign and not reported yet, by op. */
  readonly #unanswered = new Map<number, number>();
  #nextOp = 0;
  #nextTimestamp = 0n;
  /** Holds callbacks while the process stands still. */
  readonly #freezer = new Freezer();
  failure: ReplicatedLogError | undefined;
  /** While this is set, the replica wants no more blocks. */
  isBusy = false;

  constructor(world: World, index: number, origin: LogPosition) {
    this.#world = world;
    this.index = index;
    this.#position = origin;
    this.#checkpoint = origin;
  }

  get isUp(): boolean {
    return this.#log !== undefined;
  }

  get isLeading(): boolean {
    return this.#log !== undefined && !this.#freezer.isFrozen && this.#role?.kind === 'leading';
  }

  get position(): LogPosition {
    return this.#position;
  }

  start(): void {
    const { simulation, cluster, identity } = this.#world;
    this.#starts += 1;
    const run = this.#starts;
    const alive = (callback: () => void) => (): void => {
      if (run === this.#starts && this.#log !== undefined) callback();
    };
    const gate = (callback: () => void): void => {
      this.#freezer.run(alive(callback));
    };
    const timers: Timers = {
      ...simulation.timers,
      after: (ms, callback) => simulation.after(ms, () => gate(callback)),
    };
    this.#position = this.#checkpoint;
    this.#role = undefined;
    this.#heard.clear();
    this.#unanswered.clear();
    this.#log = new ReplicatedLog({
      etcd: cluster.client(this.index, gate),
      timers,
      random: simulation.random,
      identity: { ...identity, replica: this.index },
      position: this.#position,
      nonce: `${this.index}-${run}`,
      peers: { all: () => [...this.#heard.values()] },
      consumer: {
        committed: (block) => this.#committed(block),
        isBusy: () => this.isBusy,
        roleChanged: (role) => this.#roleChanged(role, run),
        behind: (floor) => this.#fetch(floor, alive),
        failed: (error) => {
          this.failure = error;
          this.#world.violated(error);
        },
      },
      retainedBytesMax: this.#world.retainedBytesMax,
    });
  }

  /** Kills the process as SIGKILL does: requests to etcd may still take effect, but no answer comes back. */
  kill(): void {
    this.#log?.close();
    this.#log = undefined;
    this.#freezer.forget();
  }

  freeze(): void {
    this.#freezer.freeze();
  }

  thaw(): void {
    this.#freezer.thaw();
  }

  /** Takes a checkpoint, from which the next start continues. */
  checkpoint(): void {
    if (this.#log === undefined || this.#freezer.isFrozen) return;
    this.#checkpoint = this.#position;
    const { sequence, op } = this.#position;
    if (sequence > 0) this.#log.checkpointed({ sequence, op, stateHash: '' });
  }

  handOver(): void {
    if (this.isLeading) void this.#log?.handOver('stopping');
  }

  heartbeat(): Heartbeat | undefined {
    return !this.#freezer.isFrozen ? this.#log?.heartbeat() : undefined;
  }

  hear(heartbeat: Heartbeat): void {
    if (this.#freezer.isFrozen) return;
    this.#heard.set(heartbeat.replica, { ...heartbeat, heardAtMs: this.#world.simulation.nowMs });
  }

  write(): void {
    const { simulation, checker } = this.#world;
    if (!this.isLeading || this.#role?.kind !== 'leading') return;
    const { view, fence } = this.#role;
    for (let count = 1 + simulation.below(3); count > 0; count -= 1) {
      const id = this.#world.nextId();
      const timestamp = this.#nextTimestamp + 1n + BigInt(simulation.below(10));
      const entry = { op: this.#nextOp, timestamp, view, message: messageWith(id) };
      checker.taken(id, fence);
      if (this.#log?.append(entry) !== 'taken') return;
      this.#unanswered.set(entry.op, id);
      this.#nextOp += 1;
      this.#nextTimestamp = timestamp;
    }
  }

  read(): void {
    const { checker } = this.#world;
    if (!this.isLeading) return;
    const before = checker.acknowledgedOp;
    const run = this.#starts;
    this.#log?.readBarrier().then(
      () => {
        if (run !== this.#starts || this.#log === undefined) return;
        this.#world.check(() => checker.read(before, this.#position.op));
        this.#world.reads += 1;
      },
      () => undefined,
    );
  }

  #committed(block: Block): void {
    const { checker } = this.#world;
    this.#world.check(() => {
      checker.told(this.#position, block);
      this.#position = this.#log?.position ?? this.#position;
      for (const { op, message } of block.entries) {
        // The entry was taken in the current reign, so its client gets an answer.
        if (this.#unanswered.get(op) === idOf(message)) checker.acknowledged(idOf(message), op);
        this.#unanswered.delete(op);
      }
    });
  }

  #roleChanged(role: Role, run: number): void {
    this.#role = role;
    this.#unanswered.clear();
    if (role.kind !== 'leading') return;
    this.#nextOp = role.position.op + 1;
    this.#nextTimestamp = role.position.timestamp;
    this.#world.check(() => this.#world.checker.led(role.fence, `${this.index}-${run}`));
  }

  /** Takes the state of another replica that has reached `floor`, as soon as there is one. */
  #fetch(floor: number, alive: (callback: () => void) => () => void): void {
    const { simulation, replicas } = this.#world;
    simulation.after(
      simulation.between(5, 60),
      alive(() => {
        const source = replicas.find((each) => each.isUp && each.position.sequence >= floor - 1);
        if (source === undefined) return this.#fetch(floor, alive);
        this.#world.catchUps += 1;
        this.#position = source.position;
        this.#checkpoint = source.position;
        this.#log?.resume(source.position);
        this.checkpoint();
      }),
    );
  }
}
