/**
 * Gives operations their place in the log: the next op, and a timestamp later than every earlier one. A single replica and
 * the leader of several order alike; they differ in what happens to an entry afterwards.
 */
import type { LogEntry } from '../log/log.ts';
import { headerSize } from '../wire/limits.ts';
import { Operation } from '../wire/operations.ts';
import type { Executor } from './executor.ts';

export interface OrdererOptions {
  readonly executor: () => Executor;
  /** Nanoseconds since the UNIX epoch; undefined while there is no time to be trusted. */
  readonly nowNs: () => bigint | undefined;
}

export class Orderer {
  readonly #options: OrdererOptions;
  #op = 0;
  #timestamp = 0n;
  /** A pulse was ordered and is not executed yet. */
  #pulsing = false;
  /** Other rules were ordered and are not executed yet: what a request takes is not known before. */
  #upgrading = false;

  constructor(options: OrdererOptions) {
    this.#options = options;
  }

  /** The next entry follows this one. Every reign begins here. */
  begin({ op, timestamp }: { readonly op: number; readonly timestamp: bigint }): void {
    this.#op = op;
    this.#timestamp = timestamp;
    this.#pulsing = false;
    this.#upgrading = false;
  }

  /**
   * The entry that `message` becomes if the log takes it: the caller says so with `ordered`. Undefined while there is no
   * time to be trusted: nothing is ordered then.
   */
  next(operation: number, message: Uint8Array, view: number): LogEntry | undefined {
    const { executor, nowNs } = this.#options;
    const now = nowNs();
    if (now === undefined || this.#upgrading) return undefined;
    const earliest = this.#timestamp + 1n;
    const delta = executor().timestampDelta(operation, message.subarray(headerSize));
    return {
      op: this.#op + 1,
      timestamp: (now > earliest ? now : earliest) + delta,
      view,
      message,
    };
  }

  /** The entry of a pulse, when an expiry is due and no earlier pulse waits to be executed. */
  nextPulse(view: number): LogEntry | undefined {
    const executor = this.#options.executor();
    const due = executor.ledger.nextExpiry();
    if (this.#pulsing || due === undefined) return undefined;
    const now = this.#options.nowNs();
    if (now === undefined || due > now) return undefined;
    return this.next(Operation.pulse, executor.pulseMessage(view), view);
  }

  /** The entry that moves the log to other rules. */
  nextUpgrade(rules: number, view: number): LogEntry | undefined {
    return this.next(Operation.upgrade, this.#options.executor().upgradeMessage(rules, view), view);
  }

  /** The log has taken the entry. */
  ordered(entry: LogEntry, operation: number): void {
    this.#op = entry.op;
    this.#timestamp = entry.timestamp;
    if (operation === Operation.pulse) this.#pulsing = true;
    if (operation === Operation.upgrade) this.#upgrading = true;
  }

  executed(operation: number): void {
    if (operation === Operation.pulse) this.#pulsing = false;
    if (operation === Operation.upgrade) this.#upgrading = false;
  }
}
