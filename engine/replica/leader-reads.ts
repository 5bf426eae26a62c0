/** Reads of a leader. Each is executed once the log says that this replica still leads, on the state at that moment. */
import type { Timers } from '../../base/timers.ts';
import { ReadRefused } from '../log/replicated/errors.ts';
import type { ReplicatedLog } from '../log/replicated/replicated-log.ts';
import type { ClusterClock } from './cluster-clock.ts';
import type { Read } from './executor.ts';
import type { HeldState } from './held-state.ts';
import type { PendingRequest, PendingRequests } from './pending-requests.ts';
import { ReadQueue } from './read-queue.ts';
import type { RequestCounts } from './request-counts.ts';

interface LeaderReadsOptions {
  readonly state: HeldState;
  readonly log: () => ReplicatedLog | undefined;
  readonly clock: ClusterClock;
  readonly timers: Timers;
  readonly pending: PendingRequests;
  readonly counts: RequestCounts;
  /** Called when a read could not be answered, because its rows are damaged. */
  readonly onReadError: (error: unknown) => void;
}

export class LeaderReads {
  readonly #options: LeaderReadsOptions;
  readonly #queue: ReadQueue;
  /** The last read begun for each request. */
  readonly #newest = new WeakMap<PendingRequest, Read>();

  constructor(options: LeaderReadsOptions) {
    this.#options = options;
    const { timers, state } = options;
    this.#queue = new ReadQueue({
      soon: (callback) => void timers.after(0, callback),
      bring: (needs) => state.bring(needs),
    });
  }

  take(request: PendingRequest, body: Uint8Array): void {
    const { log, pending } = this.#options;
    request.state = 'reading';
    const isStill = (): boolean => pending.has(request) && request.state === 'reading';
    log()
      ?.readBarrier()
      .then(
        () => {
          if (!isStill()) return;
          // Its client has gone, and may repeat it over another connection: then it is a new request.
          if (!pending.isWanted(request)) pending.delete(request);
          else if (pending.giveToLeader(request)) this.#execute(request, body);
        },
        (error: unknown) => {
          if (!(error instanceof ReadRefused)) throw error;
          if (!isStill()) return;
          // The request waits for the next leader.
          if (error.code === 'not_leading') request.state = 'waiting';
          else pending.delete(request);
        },
      );
  }

  #execute(request: PendingRequest, body: Uint8Array): void {
    const { state, clock, pending, counts, onReadError } = this.#options;
    const { header } = request;
    // Without a trusted time the reply has the timestamp of the last operation.
    const read = state.executor.beginRead(header, body, clock.nowNs() ?? 0n);
    if (read === undefined) {
      pending.delete(request);
      return;
    }
    this.#newest.set(request, read);
    this.#queue.begin({
      step: () => read.step(),
      // A replica that led, followed and leads again has begun the read again.
      isWanted: () => {
        if (request.state !== 'reading' || this.#newest.get(request) !== read) return false;
        if (pending.isWanted(request) && read.isWanted()) return true;
        pending.delete(request);
        return false;
      },
      done: () => {
        pending.delete(request);
        const reply = read.finish();
        if (reply === undefined) return;
        counts.count(header.operation);
        for (const sink of request.sinks) sink.send(reply);
      },
      failed: (error) => {
        pending.delete(request);
        onReadError(error);
      },
    });
  }
}
