/**
 * Orderer: gives operations their place in the log, that is the next op and a timestamp later than all before. A single
 * replica and the leader of several use it alike; they differ in what happens to an entry afterwards.
 */
import type { LogEntry } from '../log/log.ts';
import { headerSize } from '../wire/limits.ts';
import { Operation } from '../wire/operations.ts';
import type { Executor } from './executor.ts';

interface OrdererOptions {
  readonly executor: () => Executor;
  /** Returns nanoseconds since the UNIX epoch, or `undefined` while there is no trusted time. */
  readonly nowNs: () => bigint | undefined;
}

export class Orderer {
  readonly #options: OrdererOptions;
  #op = 0;
  #timestamp = 0n;
  /** True if a pulse was ordered and is not executed yet. */
  #pulsing = false;
  /**
   * True if other rules or a pause were ordered and are not executed yet. Until then it is unknown how much a request takes, and
   * whether it may be taken.
   */
  #settling = false;

  constructor(options: OrdererOptions) {
    this.#options = options;
  }

  /** Sets the entry that the next one follows. Every reign begins with this call. */
  begin({ op, timestamp }: { readonly op: number; readonly timestamp: bigint }): void {
    this.#op = op;
    this.#timestamp = timestamp;
    this.#pulsing = false;
    this.#settling = false;
  }

  /**
   * Returns the entry for `message`. If the log takes it, the caller must call `ordered`. Returns `undefined` while there
   * is no trusted time, when nothing is ordered.
   */
  next(operation: number, message: Uint8Array, view: number): LogEntry | undefined {
    const { executor, nowNs } = this.#options;
    const now = nowNs();
    if (now === undefined || this.#settling) return undefined;
    const earliest = this.#timestamp + 1n;
    const delta = executor().timestampDelta(operation, message.subarray(headerSize));
    return {
      op: this.#op + 1,
      timestamp: (now > earliest ? now : earliest) + delta,
      view,
      message,
    };
  }

  /** Returns the entry of a pulse if an expiry is due and no earlier pulse waits to be executed. */
  nextPulse(view: number): LogEntry | undefined {
    const executor = this.#options.executor();
    const due = executor.ledger.nextExpiry();
    if (this.#pulsing || due === undefined) return undefined;
    const now = this.#options.nowNs();
    // Expiries change the ledger: they wait for the end of a pause.
    if (now === undefined || due > now || executor.pausesWritesAt(now)) return undefined;
    return this.next(Operation.pulse, executor.pulseMessage(view), view);
  }

  /** Returns the entry that moves the log to other rules. */
  nextUpgrade(rules: number, view: number): LogEntry | undefined {
    return this.next(Operation.upgrade, this.#options.executor().upgradeMessage(rules, view), view);
  }

  /** Returns the entry that pauses writes. */
  nextPause(lengthNs: bigint, view: number): LogEntry | undefined {
    return this.next(Operation.pause, this.#options.executor().pauseMessage(lengthNs, view), view);
  }

  /** Whether a pause of writes keeps requests that change the ledger out of the log now. */
  get pausesWrites(): boolean {
    const { executor, nowNs } = this.#options;
    return executor().pausesWritesAt(nowNs() ?? 0n);
  }

  /** Call when the log has taken the entry. */
  ordered(entry: LogEntry, operation: number): void {
    this.#op = entry.op;
    this.#timestamp = entry.timestamp;
    if (operation === Operation.pulse) this.#pulsing = true;
    if (settles(operation)) this.#settling = true;
  }

  executed(operation: number): void {
    if (operation === Operation.pulse) this.#pulsing = false;
    if (settles(operation)) this.#settling = false;
  }
}

const settles = (operation: number): boolean =>
  operation === Operation.upgrade || operation === Operation.pause;
