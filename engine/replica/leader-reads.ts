/** Reads of a leader: each is executed once the log says that this replica still leads, on the state as it is then. */
import { ReadRefused } from '../log/replicated/errors.ts';
import type { ReplicatedLog } from '../log/replicated/replicated-log.ts';
import type { ClusterClock } from './cluster-clock.ts';
import type { HeldState } from './held-state.ts';
import type { PendingRequest, PendingRequests } from './pending-requests.ts';
import type { RequestCounts } from './request-counts.ts';

export interface LeaderReadsOptions {
  readonly state: HeldState;
  readonly log: () => ReplicatedLog | undefined;
  readonly clock: ClusterClock;
  readonly pending: PendingRequests;
  readonly counts: RequestCounts;
}

export class LeaderReads {
  readonly #options: LeaderReadsOptions;

  constructor(options: LeaderReadsOptions) {
    this.#options = options;
  }

  take(request: PendingRequest, body: Uint8Array): void {
    const { log, pending } = this.#options;
    request.state = 'reading';
    const isStill = (): boolean => pending.has(request) && request.state === 'reading';
    log()
      ?.readBarrier()
      .then(
        () => {
          if (isStill()) this.#execute(request, body);
        },
        (error: unknown) => {
          if (!(error instanceof ReadRefused)) throw error;
          if (!isStill()) return;
          // It waits for whoever leads next.
          if (error.code === 'not_leading') request.state = 'waiting';
          else pending.delete(request);
        },
      );
  }

  #execute(request: PendingRequest, body: Uint8Array): void {
    const { state, clock, pending, counts } = this.#options;
    const { header } = request;
    pending.delete(request);
    // Without a time to be trusted the reply has the timestamp of the last operation.
    const reply = state.executor.read(header, body, clock.nowNs() ?? 0n);
    if (reply === undefined) return;
    counts.count(header.operation);
    for (const sink of request.sinks) sink.send(reply);
  }
}
