/**
 * One fetch of another replica's state: first without the pages of rows that are here, then, if that does not work, the whole of it. Counts
 * what comes.
 */
import { DataFileError, StorageFailedError, StorageFullError } from '../log/errors.ts';
import type { OwnRanges } from '../log/page-ranges.ts';
import type { HeardPeer } from '../peers/peer-link.ts';
import type { HeldState } from './held-state.ts';
import type { ReplicatedReplicaOptions } from './replicated-options.ts';

/** What a state that was taken cost. */
export interface StateTransfer {
  readonly from: number;
  /** Bytes that came, of tries in vain, too. */
  readonly receivedBytes: number;
  /** Bytes of pages of rows that were here. 0 if the whole state was taken. */
  readonly keptBytes: number;
  /** Bytes of pages that were whole here, and others there: this replica's rows were not those of the other one. */
  readonly differingBytes: number;
}

/** Bytes of other replicas' states: those that came, and those of pages of rows that were here. */
export interface StateBytes {
  readonly received: number;
  readonly kept: number;
}

type FetchOptions = Pick<ReplicatedReplicaOptions, 'peers' | 'replaceFile' | 'onCheckpointError'>;
type Write = (bytes: Uint8Array) => Promise<void>;

/** Transfers that may break off before the whole state is fetched. */
const BROKEN_MAX = 3;
/** Times that peers may send nothing before the whole state is fetched. They may have none to give yet. */
const REFUSED_MAX = 20;

export class StateFetch {
  readonly #options: FetchOptions;
  readonly #state: HeldState;
  readonly #count: (bytes: number) => void;
  readonly #floor: number;
  #receivedBytes = 0;
  /** Pages that are here, once they were read: this file does not change meanwhile. */
  #ranges: Promise<OwnRanges | undefined> | undefined;
  #broken = 0;
  #refused = 0;
  #isWhole = false;

  /** `count` is called with bytes as they come. */
  constructor(
    options: FetchOptions,
    state: HeldState,
    { floor, count }: { readonly floor: number; readonly count: (bytes: number) => void },
  ) {
    this.#options = options;
    this.#state = state;
    this.#floor = floor;
    this.#count = count;
  }

  /** Replaces the data file by the peer's state, and closes it. Rejects if none comes whole; the file is then as `replaceFile` says. */
  async from(peer: HeardPeer): Promise<StateTransfer> {
    const { peers, replaceFile } = this.#options;
    const kept = await this.#missingFrom(peer);
    if (kept === undefined)
      await replaceFile(
        (write) => peers.fetchState(peer.replica, this.#floor, this.#counting(write)),
        () => this.#state.closeFile(),
      );
    const { keptBytes = 0, differingBytes = 0 } = kept ?? {};
    const { replica: from } = peer;
    return { from, receivedBytes: this.#receivedBytes, keptBytes, differingBytes };
  }

  /** Resolves with `undefined` if the whole state must be fetched. Rejects if another peer may send what is missing. */
  async #missingFrom({
    replica,
    sendsMissing,
  }: HeardPeer): Promise<Pick<StateTransfer, 'keptBytes' | 'differingBytes'> | undefined> {
    if (this.#isWhole || sendsMissing !== true) return undefined;
    const before = this.#receivedBytes;
    try {
      this.#ranges ??= this.#state.ownRanges();
      const held = await this.#ranges;
      if (held === undefined) return undefined;
      const want = { floor: this.#floor, held };
      return await this.#state.takeMissing(held, (write) =>
        this.#options.peers.fetchMissing(replica, want, this.#counting(write)),
      );
    } catch (error) {
      if (error instanceof StorageFailedError) throw error;
      if (this.#receivedBytes > before) this.#broken += 1;
      else this.#refused += 1;
      const isUnfit = error instanceof DataFileError || error instanceof StorageFullError;
      if (!isUnfit && this.#broken < BROKEN_MAX && this.#refused < REFUSED_MAX) throw error;
      this.takeWhole(error);
      return undefined;
    }
  }

  /** Takes whole states from now on, because missing pages could not be taken, or did not fit those that were kept. */
  takeWhole(cause: unknown): void {
    this.#isWhole = true;
    const why = 'the missing pages cannot be taken: the whole state is fetched';
    this.#options.onCheckpointError(new Error(why, { cause }));
  }

  #counting(write: Write): Write {
    return (bytes) => {
      this.#receivedBytes += bytes.length;
      this.#count(bytes.length);
      return write(bytes);
    };
  }
}
