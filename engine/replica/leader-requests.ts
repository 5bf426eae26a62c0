/** Handling of requests by a leader: it orders writes into the log and executes reads after the fence check. */
import type { Timers } from '../../base/timers.ts';
import { ReadRefused } from '../log/replicated/errors.ts';
import type { ReplicatedLog, Role } from '../log/replicated/replicated-log.ts';
import type { LogEntry } from '../log/log.ts';
import { headerSize } from '../wire/limits.ts';
import { isRead, Operation } from '../wire/operations.ts';
import { admitRequest } from './admission.ts';
import type { ClusterClock } from './cluster-clock.ts';
import type { HeldState } from './held-state.ts';
import { LeaderReads } from './leader-reads.ts';
import { Orderer } from './orderer.ts';
import type { PendingRequest, PendingRequests } from './pending-requests.ts';
import type { RequestCounts } from './request-counts.ts';
import { PAUSE_RULES } from './write-pause.ts';

interface LeaderRequestsOptions {
  readonly state: HeldState;
  readonly log: () => ReplicatedLog | undefined;
  readonly clock: ClusterClock;
  readonly timers: Timers;
  readonly pending: PendingRequests;
  readonly counts: RequestCounts;
  /** Called when a read could not be answered, because its rows are damaged. */
  readonly onReadError: (error: unknown) => void;
  /** Maximum size of a request's body that clients may send, in bytes. */
  readonly batchSizeLimit: number;
  readonly view: () => number;
}

export class LeaderRequests {
  readonly #options: LeaderRequestsOptions;
  readonly #orderer: Orderer;
  readonly #reads: LeaderReads;
  /** View of this replica's reign; undefined while it does not lead. */
  #view: number | undefined;
  /** Requests with a later view than this cluster's: whether that is another cluster's. */
  readonly #later = new WeakMap<PendingRequest, boolean>();
  /** Number of records that ordered entries may create when they are executed. */
  #ahead = { accounts: 0, transfers: 0 };

  constructor(options: LeaderRequestsOptions) {
    this.#options = options;
    const { state, clock } = options;
    this.#orderer = new Orderer({
      executor: () => state.executor,
      nowNs: () => clock.nowNs(),
    });
    this.#reads = new LeaderReads(options);
  }

  /** Ends at once when the reign does, although the role changes only when everything that was committed before is executed. */
  get leads(): boolean {
    return this.#view !== undefined && this.#options.log()?.reignView === this.#view;
  }

  /** View of this replica's reign; 0 while it does not lead. */
  get view(): number {
    return this.#view ?? 0;
  }

  /**
   * True when new events are dropped before they are logged. Reads go on, and so do new sessions and expiries, which are
   * small.
   */
  get isFull(): boolean {
    const { log, state } = this.#options;
    return log()?.full === true || state.isShort;
  }

  roleChanged(role: Role): void {
    this.#view = role.kind === 'leading' ? role.view : undefined;
    if (role.kind === 'leading') this.#orderer.begin(role.position);
    this.#ahead = { accounts: 0, transfers: 0 };
    // An ordered request may be in the log or not. If it is executed, it is answered; if not, it waits for the next leader.
    for (const request of this.#options.pending.all()) {
      request.state = 'waiting';
      request.creations = undefined;
    }
  }

  /** Ends the handling: this replica has stopped serving. */
  halt(): void {
    this.#view = undefined;
  }

  /** Takes all waiting requests. Call it when there is room again or this replica has become the leader. */
  consider(): void {
    for (const request of this.#options.pending.all()) {
      if (this.leads && request.state === 'waiting') this.take(request);
    }
  }

  /** Takes a request that is not ordered yet. */
  take(request: PendingRequest): void {
    const { view, batchSizeLimit, state, pending } = this.#options;
    const { header, message, sinks } = request;
    if (header.header.view > view() && !this.#knowsOfOther(request)) return;
    const body = message.subarray(headerSize);
    const admission = admitRequest(header, body, {
      batchSizeLimit,
      session: state.executor.sessions.get(header.client),
    });
    if (admission.kind === 'execute') {
      if (isRead(header.operation)) this.#reads.take(request, body);
      else this.#order(request, body);
      return;
    }
    pending.delete(request);
    // As in forwarding.ts: a request that this or an earlier leader may have executed is not refused.
    const wasForwarded = request.forwardedUnder > 0 && request.forwardedUnder !== Infinity;
    if (admission.kind === 'evict' && !request.mayBeLogged && !wasForwarded)
      for (const sink of sinks) sink.evict(header.client, admission.reason, header.header.view);
    if (admission.kind === 'resend') for (const sink of sinks) sink.send(admission.reply);
  }

  /**
   * Returns whether the request's client has heard of a later leader of another cluster, whose backup this one goes on from. Until the log
   * says that this replica still leads, the leader may be one of this cluster, who decides about the client.
   */
  #knowsOfOther(request: PendingRequest): boolean {
    const isOther = this.#later.get(request);
    if (isOther !== undefined) return isOther;
    this.#later.set(request, false);
    void this.#options
      .log()
      ?.readBarrier()
      .then(
        () => {
          this.#later.set(request, true);
          if (this.leads && this.#options.pending.has(request) && request.state === 'waiting')
            this.take(request);
        },
        (error: unknown) => {
          if (!(error instanceof ReadRefused)) throw error;
          // The next leader knows, or this one asks again.
          this.#later.delete(request);
        },
      );
    return false;
  }

  pulseWhenDue(): void {
    if (this.#view === undefined) return;
    const entry = this.#orderer.nextPulse(this.#view);
    if (entry === undefined || this.#options.log()?.append(entry) !== 'taken') return;
    this.#orderer.ordered(entry, Operation.pulse);
  }

  /** Moves the log to the newest rules that all replicas can execute. */
  upgradeWhenAble(rules: number): void {
    if (this.#view === undefined || rules <= this.#options.state.executor.rules) return;
    const entry = this.#orderer.nextUpgrade(rules, this.#view);
    if (entry === undefined || this.#options.log()?.append(entry) !== 'taken') return;
    this.#orderer.ordered(entry, Operation.upgrade);
  }

  /** Orders a pause of writes. Returns its entry if the log has taken it. */
  pause(lengthNs: bigint): LogEntry | undefined {
    if (this.#view === undefined || this.#options.state.executor.rules < PAUSE_RULES)
      return undefined;
    const entry = this.#orderer.nextPause(lengthNs, this.#view);
    if (entry === undefined || this.#options.log()?.append(entry) !== 'taken') return undefined;
    this.#orderer.ordered(entry, Operation.pause);
    return entry;
  }

  /** Call when an entry of the log is executed; `request` waited for it here. */
  executed(operation: number, request: PendingRequest | undefined): void {
    this.#orderer.executed(operation);
    this.#ahead.accounts -= request?.creations?.accounts ?? 0;
    this.#ahead.transfers -= request?.creations?.transfers ?? 0;
  }

  #order(request: PendingRequest, body: Uint8Array): void {
    const { operation } = request.header;
    const { ledger } = this.#options.state.executor;
    const isLedgers = operation !== Operation.register && operation !== Operation.noop;
    const shortage = isLedgers ? ledger.shortage(operation, body, this.#ahead) : undefined;
    if ((shortage === 'rows' || shortage === 'index') && !this.isFull) {
      // The request waits for the next tick.
      if (shortage === 'rows') this.#options.state.checkpointForRows();
      return;
    }
    if (isLedgers && (this.isFull || shortage !== undefined || this.#orderer.pausesWrites)) {
      // There is no answer, because the protocol has none for this case: the client tries again, and the status gives the
      // reason.
      this.#options.pending.delete(request);
      this.#options.counts.refused += 1;
      return;
    }
    // Without room the request waits for the next commit; without the lead, for the next leader; while the clocks do not
    // agree, for the next tick.
    if (!this.#append(operation, request.message)) return;
    request.state = 'ordered';
    request.mayBeLogged = true;
    if (!isLedgers) return;
    request.creations = ledger.creations(operation, body);
    this.#ahead.accounts += request.creations.accounts;
    this.#ahead.transfers += request.creations.transfers;
  }

  #append(operation: number, message: Uint8Array): boolean {
    if (this.#view === undefined) return false;
    const entry = this.#orderer.next(operation, message, this.#view);
    if (entry === undefined || this.#options.log()?.append(entry) !== 'taken') return false;
    this.#orderer.ordered(entry, operation);
    return true;
  }
}
