/**
 * A replica's place in the replicated log: loads the held state, follows the log from there, and continues from another
 * replica's state when the log no longer has the blocks that this one needs.
 */
import { DataFileError } from '../log/errors.ts';
import type { CheckpointPosition } from '../log/log.ts';
import type { LogPosition } from '../log/replicated/block.ts';
import { ReplicatedLog, type LogConsumer } from '../log/replicated/replicated-log.ts';
import { lacksState } from '../log/without-state.ts';
import { CatchUp } from './catch-up.ts';
import { HaltedError } from './halted-error.ts';
import type { HeldState } from './held-state.ts';
import { logPositionOf } from './log-position.ts';
import type { ReplicatedReplicaOptions } from './replicated-options.ts';
import type { StateBytes } from './state-transfer.ts';

interface LogPlaceParts {
  readonly state: HeldState;
  /** Aborted when the replica stops. */
  readonly stopped: AbortSignal;
  readonly consumer: Omit<LogConsumer, 'behind'>;
  /** Calls back when everything that was committed before is executed. */
  readonly executed: (then: () => void) => void;
  /** Called when another replica's state has replaced this one's. */
  readonly onReplaced: () => void;
  /** Called when this replica must stop serving. */
  readonly onHalt: (error: HaltedError) => void;
}

/** Time after which a replica whose data file is damaged ends, if nobody sends it a state. */
const REPLACED_WITHIN_MS = 30_000;

export class LogPlace {
  readonly #options: ReplicatedReplicaOptions;
  readonly #parts: LogPlaceParts;
  readonly #catchUp: CatchUp;
  #log: ReplicatedLog | undefined;

  constructor(options: ReplicatedReplicaOptions, parts: LogPlaceParts) {
    this.#options = options;
    this.#parts = parts;
    this.#catchUp = new CatchUp(options, parts.state, parts.stopped);
  }

  /** `undefined` until the state is loaded. */
  get log(): ReplicatedLog | undefined {
    return this.#log;
  }

  get stateBytes(): StateBytes {
    return this.#catchUp.bytes;
  }

  /** Loads the state and begins to follow the log. Rejects with HaltedError or DataFileError. */
  async begin(): Promise<void> {
    const { state, stopped } = this.#parts;
    let position = await this.#load();
    if (lacksState(position?.place)) position = (await this.#fetchState(1)) ?? position;
    if (stopped.aborted || position === undefined) return;
    state.position = logPositionOf(position);
    this.#log = this.#open(state.position);
    // A lost volume may have had more than this one; its old mark must not count for the majority.
    this.mark(position);
  }

  /**
   * Loads the state. If more of it is damaged than pages of rows, another replica's takes its place: one that has all that this one's
   * checkpoint has, because the log need not have it any more. Resolves with `undefined` if this replica stops first.
   */
  async #load(): Promise<CheckpointPosition | undefined> {
    const { state, stopped } = this.#parts;
    try {
      return await state.load();
    } catch (error) {
      if (!(error instanceof DataFileError) || error.code !== 'checkpoint_corrupt') throw error;
      this.#options.onStateDamaged?.(error);
      const position = await this.#fetchState(state.storedSequence + 1, REPLACED_WITHIN_MS);
      if (position === undefined && !stopped.aborted) throw error;
      return position;
    }
  }

  /** Reports that the state at `position` is durable here. */
  mark({ place, op, stateHash }: CheckpointPosition): void {
    if (place === undefined || this.#parts.stopped.aborted) return;
    const hash = Buffer.from(stateHash).toString('hex');
    this.#log?.checkpointed({ sequence: place.sequence, op, stateHash: hash });
  }

  close(): void {
    this.#log?.close();
  }

  #open(position: LogPosition): ReplicatedLog {
    const { identity, incarnation, etcd, peers, timers, random, nonce } = this.#options;
    const { retainedBytesMax, archived } = this.#options;
    const { consumer } = this.#parts;
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
        ...consumer,
        committed: (block) => {
          archived?.committed(block);
          consumer.committed(block);
        },
        behind: (floor) => this.#parts.executed(() => void this.#fellBehind(floor)),
      },
      ...(retainedBytesMax === undefined ? {} : { retainedBytesMax }),
      neededByArchive: () => archived?.neededFrom,
    });
  }

  /** Handles that blocks needed here are deleted: continues from another replica's state. */
  async #fellBehind(floor: number): Promise<void> {
    const { state, onHalt } = this.#parts;
    const position = await this.#fetchState(floor).catch((error: unknown) => {
      if (!(error instanceof DataFileError) || error.code !== 'unknown_rules') throw error;
      onHalt(new HaltedError(error.code, error.message));
    });
    if (position === undefined) return;
    state.position = logPositionOf(position);
    this.#log?.resume(state.position);
    this.mark(position);
  }

  async #fetchState(floor: number, withinMs?: number): Promise<CheckpointPosition | undefined> {
    const position = await this.#catchUp.fetch(floor, withinMs);
    if (position !== undefined) this.#parts.onReplaced();
    return position;
  }
}
