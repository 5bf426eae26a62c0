/** A replica's log on a real etcd member. It writes while it leads, reads, and remembers its position for its next start. */
import { systemTimers } from '../../base/timers.ts';
import type { Block, LogPosition } from '../../engine/log/replicated/block.ts';
import type { ReplicatedLogError } from '../../engine/log/replicated/errors.ts';
import { createEtcdClient } from '../../engine/log/replicated/etcd-client.ts';
import { originOf } from '../../engine/log/replicated/identity.ts';
import type { Peer } from '../../engine/log/replicated/peers.ts';
import { ReplicatedLog, type Role } from '../../engine/log/replicated/replicated-log.ts';
import { idOf, messageWith, type Checker } from '../../engine/log/replicated/testing/checker.ts';

/** State that the replicas of one log share. */
export interface LogGroup {
  readonly checker: Checker;
  readonly replicas: LogReplica[];
  readonly target: (member: number) => string;
  readonly replicaCount: number;
  /** Size of a message in bytes. */
  messageSize: number;
  /** Number of messages that may wait for their commit. */
  depth: number;
  writing: boolean;
  ids: number;
  violation: Error | undefined;
  readonly retainedBytesMax?: number;
  /** When each entry was acknowledged, by performance.now(). */
  readonly acknowledgedAtMs: number[];
}

const HEARTBEAT_MS = 50;
const origin = originOf({ op: 0, timestamp: 0n, view: 0, stateHash: new Uint8Array(16) });

export class LogReplica {
  readonly index: number;
  readonly #group: LogGroup;
  readonly #heard = new Map<number, Peer>();
  readonly #unanswered = new Map<number, number>();
  #log: ReplicatedLog | undefined;
  #role: Role | undefined;
  #position: LogPosition = origin;
  #starts = 0;
  #next = { op: 0, timestamp: 0n };
  #timer: NodeJS.Timeout | undefined;
  failure: ReplicatedLogError | undefined;
  reads = 0;
  /** Number of states taken from another replica. */
  fetches = 0;

  constructor(group: LogGroup, index: number) {
    this.#group = group;
    this.index = index;
  }

  get log(): ReplicatedLog | undefined {
    return this.#log;
  }

  get isLeading(): boolean {
    return this.#log !== undefined && this.#role?.kind === 'leading';
  }

  get position(): LogPosition {
    return this.#position;
  }

  /** Starts from the last position: everything executed is its checkpoint. */
  start(): void {
    const { replicas, target, replicaCount, checker, retainedBytesMax } = this.#group;
    this.#starts += 1;
    const process = `${this.index}-${this.#starts}`;
    this.#role = undefined;
    this.#heard.clear();
    this.#unanswered.clear();
    this.#log = new ReplicatedLog({
      etcd: createEtcdClient(target(this.index)),
      timers: systemTimers,
      random: Math.random,
      identity: { clusterId: 7n, incarnation: 1, replica: this.index, replicaCount },
      position: this.#position,
      nonce: process,
      peers: { all: () => [...this.#heard.values()] },
      consumer: {
        isBusy: () => false,
        committed: (block) => this.#committed(block),
        roleChanged: (role) => {
          this.#role = role;
          this.#unanswered.clear();
          if (role.kind !== 'leading') return;
          this.#next = { op: role.position.op + 1, timestamp: role.position.timestamp };
          this.#check(() => checker.led(role.fence, process));
          this.#write();
        },
        behind: () => this.#fetch(),
        failed: (error) => {
          this.failure = error;
          this.#group.violation ??= error;
        },
      },
      ...(retainedBytesMax === undefined ? {} : { retainedBytesMax }),
    });
    this.#timer = setInterval(() => {
      const heartbeat = this.#log?.heartbeat();
      if (heartbeat === undefined) return;
      for (const each of replicas) if (each !== this) each.#hear({ ...heartbeat, heardAtMs: 0 });
      this.#write();
      this.#read();
    }, HEARTBEAT_MS);
  }

  /** Stops as if the process had died: its requests to etcd may still be executed. */
  stop(): void {
    clearInterval(this.#timer);
    this.#log?.close();
    this.#log = undefined;
  }

  checkpoint(): void {
    const { sequence, op } = this.#position;
    this.#log?.checkpointed({ sequence, op, stateHash: '' });
  }

  #hear(peer: Peer): void {
    this.#heard.set(peer.replica, { ...peer, heardAtMs: systemTimers.nowMs() });
  }

  #write(): void {
    const { checker, messageSize, depth } = this.#group;
    while (this.#group.writing && this.#role?.kind === 'leading' && this.#unanswered.size < depth) {
      const id = (this.#group.ids += 1);
      const { op, timestamp } = this.#next;
      const { view, fence } = this.#role;
      checker.taken(id, fence);
      const message = messageWith(id, messageSize);
      const entry = { op, timestamp: timestamp + 1n, view, message };
      if (this.#log?.append(entry) !== 'taken') return;
      this.#unanswered.set(op, id);
      this.#next = { op: op + 1, timestamp: timestamp + 1n };
    }
  }

  #read(): void {
    if (!this.isLeading) return;
    const { checker } = this.#group;
    const before = checker.acknowledgedOp;
    const log = this.#log;
    log?.readBarrier().then(
      () => {
        if (log !== this.#log) return;
        this.reads += 1;
        this.#check(() => checker.read(before, this.#position.op));
      },
      () => undefined,
    );
  }

  #committed(block: Block): void {
    const { checker, acknowledgedAtMs } = this.#group;
    this.#check(() => {
      checker.told(this.#position, block);
      this.#position = this.#log?.position ?? this.#position;
      for (const { op, message } of block.entries) {
        if (this.#unanswered.get(op) === idOf(message)) {
          checker.acknowledged(idOf(message), op);
          acknowledgedAtMs.push(performance.now());
        }
        this.#unanswered.delete(op);
      }
    });
    // Runs outside of the log's own call.
    setImmediate(() => this.#write());
  }

  #fetch(): void {
    const log = this.#log;
    const source = this.#group.replicas.toSorted(
      (one, other) => other.position.sequence - one.position.sequence,
    )[0];
    if (source === undefined || source.position.sequence <= this.#position.sequence) return;
    setTimeout(() => {
      if (log !== this.#log) return;
      this.#position = source.position;
      this.fetches += 1;
      log?.resume(source.position);
      this.checkpoint();
    }, 20);
  }

  #check(body: () => void): void {
    try {
      body();
    } catch (error) {
      this.#group.violation ??= error as Error;
    }
  }
}
