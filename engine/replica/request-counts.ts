/** Counts requests since the start of the process, for the metrics. */
export class RequestCounts {
  /** Requests executed, by operation code. */
  readonly executed = new Map<number, number>();
  /** Create requests that were refused because a limit was reached. */
  refused = 0;

  count(operation: number): void {
    this.executed.set(operation, (this.executed.get(operation) ?? 0) + 1);
  }
}
