/**
 * Three or six simulated replicas on a fake etcd, under a schedule of faults, with a checker. One seed decides everything.
 */
import { originOf, type LogIdentity } from '../identity.ts';
import { Checker } from './checker.ts';
import { FakeCluster, noFaults } from './fake-cluster.ts';
import { FakeStore, type StoreDefects } from './fake-store.ts';
import { SimReplica } from './sim-replica.ts';
import { Simulation } from './simulation.ts';

interface WorldOptions {
  readonly seed: number;
  /** Duration of the faults. */
  readonly chaosMs: number;
  readonly replicaCount?: number;
  readonly defects?: StoreDefects;
}

export interface Outcome {
  /** The invariant that was violated, if any. */
  readonly violation: Error | undefined;
  readonly acknowledged: number;
  readonly blocks: number;
  readonly reigns: number;
  readonly reads: number;
  readonly catchUps: number;
  readonly truncated: number;
}

/** Time within which a healed world settles: by then a lost call has reached its deadline and a silent watch has ended. */
const HEALED_MS = 8000;

export class World {
  readonly simulation: Simulation;
  readonly checker = new Checker();
  readonly cluster: FakeCluster;
  readonly identity: Omit<LogIdentity, 'replica'>;
  readonly replicas: readonly SimReplica[];
  readonly retainedBytesMax: number;
  /** In some worlds, many failed calls take effect later. */
  readonly #isLate: boolean;
  reads = 0;
  catchUps = 0;
  #ids = 0;
  #violation: Error | undefined;

  constructor({ seed, replicaCount = 3, defects }: WorldOptions) {
    this.simulation = new Simulation(seed);
    this.cluster = new FakeCluster(this.simulation, new FakeStore(defects), replicaCount);
    this.identity = { clusterId: 7n, incarnation: 1, replicaCount };
    // In some worlds almost nothing is kept for replicas that are behind.
    this.retainedBytesMax = this.simulation.chance(0.5) ? 2000 : 1 << 20;
    this.#isLate = this.simulation.chance(0.4);
    const origin = originOf({
      op: 5,
      timestamp: 9n,
      view: 0,
      stateHash: new Uint8Array(16).fill(3),
    });
    this.replicas = Array.from({ length: replicaCount }, (_, i) => new SimReplica(this, i, origin));
  }

  nextId(): number {
    return (this.#ids += 1);
  }

  violated(error: Error): void {
    this.#violation ??= error;
  }

  /** Runs a check. An error that it throws is recorded for the run, not thrown into the code that called it. */
  check(body: () => void): void {
    try {
      body();
    } catch (error) {
      this.violated(error as Error);
    }
  }

  /** Runs the world without faults. Returns the first replica that leads. */
  async firstLeader(): Promise<SimReplica> {
    this.#begin();
    for (;;) {
      await this.simulation.run(50);
      const leading = this.replicas.find((replica) => replica.isLeading);
      if (leading !== undefined) return leading;
      if (this.simulation.nowMs > HEALED_MS) throw new Error('nobody leads');
    }
  }

  end(): void {
    for (const replica of this.replicas) replica.kill();
  }

  async run(chaosMs: number): Promise<Outcome> {
    this.#begin();
    for (let passed = 0; passed < chaosMs && !this.#violation; passed += 100) {
      this.#chaos = passed > 0;
      await this.simulation.run(100);
    }
    await this.#heal();
    const { acknowledgedCount, blockCount, reignCount } = this.checker;
    this.end();
    return {
      violation: this.#violation,
      acknowledged: acknowledgedCount,
      blocks: blockCount,
      reigns: reignCount,
      reads: this.reads,
      catchUps: this.catchUps,
      truncated: this.cluster.store.truncatedCount,
    };
  }

  #begin(): void {
    for (const replica of this.replicas) replica.start();
    this.#every(50, () => this.#exchangeHeartbeats());
    this.#every(15, () => {
      const replica = this.#any();
      if (this.simulation.chance(0.3)) replica.checkpoint();
      for (const each of this.replicas) {
        if (!this.#over) each.write();
        if (this.simulation.chance(0.5)) each.read();
      }
    });
    this.#every(40, () => this.#disturb());
  }

  #chaos = false;
  /** True when nothing more is written. */
  #over = false;

  #every(ms: number, act: () => void): void {
    const next = (): void => {
      act();
      this.simulation.after(ms * this.simulation.between(0.5, 1.5), next);
    };
    this.simulation.after(ms, next);
  }

  #any(): SimReplica {
    return this.replicas[this.simulation.below(this.replicas.length)]!;
  }

  #exchangeHeartbeats(): void {
    for (const from of this.replicas) {
      const heartbeat = from.heartbeat();
      if (heartbeat === undefined) continue;
      for (const to of this.replicas) {
        if (to === from || (this.#chaos && this.simulation.chance(0.1))) continue;
        to.hear(heartbeat);
      }
    }
  }

  /** Starts one fault of any kind, and plans its end. */
  #disturb(): void {
    if (!this.#chaos) return;
    const { simulation, cluster } = this;
    const rate = simulation.chance(0.4) ? 0 : simulation.between(0, 0.6);
    cluster.faults = {
      lostCall: rate * simulation.random(),
      lostAnswer: rate * simulation.random(),
      lateAnswer: rate * simulation.random(),
      lateCall: (this.#isLate ? 0.5 : rate) * simulation.random(),
      brokenWatch: rate * 0.2,
    };
    const replica = this.#any();
    const member = simulation.below(this.replicas.length);
    const later = (act: () => void): void => {
      simulation.after(simulation.between(20, 500), act);
    };
    switch (simulation.below(15)) {
      case 0:
        replica.kill();
        later(() => {
          if (!replica.isUp) replica.start();
        });
        break;
      case 1:
        replica.freeze();
        later(() => replica.thaw());
        break;
      case 2:
        cluster.cutOff(member);
        later(() => cluster.join(member));
        break;
      case 3:
      case 4:
      case 7:
      case 8:
        cluster.elect();
        break;
      case 9:
        cluster.hang(member);
        later(() => cluster.goOn(member));
        break;
      case 5:
        replica.handOver();
        break;
      case 6:
        cluster.noSpace = true;
        break;
      default:
    }
  }

  async #heal(): Promise<void> {
    if (this.#violation) return;
    this.#chaos = false;
    this.cluster.faults = noFaults;
    this.cluster.noSpace = false;
    for (const replica of this.replicas) {
      this.cluster.join(replica.index);
      this.cluster.goOn(replica.index);
      replica.thaw();
      if (!replica.isUp) replica.start();
    }
    for (let passed = 0; passed < HEALED_MS && !this.#violation; passed += 250) {
      await this.simulation.run(250);
      // 750 ms are long enough for late calls from before.
      if (passed >= 750 && this.#settles()) break;
    }
    if (this.#violation) return;
    const committed = this.#settles();
    this.#over = true;
    await this.simulation.run(500);
    for (let passed = 0; passed < HEALED_MS && !this.#isLevel(); passed += 250)
      await this.simulation.run(250);
    this.check(() => {
      if (!committed) throw new Error('a healed cluster did not commit within 8 s');
      this.checker.finished(this.replicas.map(({ position }) => position));
    });
  }

  /** Returns whether an entry written after the faults is acknowledged and exactly one replica leads. */
  #settles(): boolean {
    this.#settledAt ??= this.checker.acknowledgedOp;
    return (
      this.checker.acknowledgedOp > this.#settledAt &&
      this.replicas.filter((replica) => replica.isLeading).length === 1
    );
  }

  #isLevel(): boolean {
    return this.replicas.every(({ position }) => position.op >= this.checker.acknowledgedOp);
  }

  #settledAt: number | undefined;
}

export function runWorld(options: WorldOptions): Promise<Outcome> {
  return new World(options).run(options.chaosMs);
}
