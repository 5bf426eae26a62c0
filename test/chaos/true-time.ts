/**
 * The true time of a run: the median of the replicas' clocks, as the run has set them. With an even number of replicas the
 * earlier of the two in the middle: the newest time that a majority has reached.
 */

/** A replica looks at its clock every 20 ms, and hears the others' every 50 ms; the machine is busy. */
const TOLERANCE_MS = 1000;

export class TrueTime {
  /** How far each replica's clock is ahead of the machine's, ms. */
  readonly #aheadMs: number[];
  readonly #machineMs: () => number;
  /** The newest time that the median has shown before its last change, ms. */
  #shownMs = 0;

  constructor(replicas: number, machineMs: () => number = () => Date.now()) {
    this.#aheadMs = Array.from({ length: replicas }, () => 0);
    this.#machineMs = machineMs;
  }

  set(replica: number, aheadMs: number): void {
    this.#shownMs = this.#newestMs();
    this.#aheadMs[replica] = aheadMs;
  }

  /** How far the timestamp is ahead of every moment that the true time has shown, ms; undefined when it is not. */
  aheadMs(timestamp: bigint): number | undefined {
    const aheadMs = Number(timestamp / 1_000_000n) - this.#newestMs();
    return aheadMs > TOLERANCE_MS ? Math.round(aheadMs) : undefined;
  }

  #newestMs(): number {
    const sorted = [...this.#aheadMs].sort((a, b) => b - a);
    const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
    return Math.max(this.#shownMs, this.#machineMs() + median);
  }
}
