/**
 * Work on things that are leased, several at a time. At most half of the places are for those whose last work failed, so that what
 * hangs takes none of the others. Leases are renewed while there is work; whoever dies loses nothing but the time of a lease.
 */
import { sleep, systemTimers, type Timers } from './timers.ts';

interface LeasedRunsOptions<Leased> {
  readonly runsMax: number;
  readonly leaseMs: number;
  /** Leases at most `limit` things that are due, of those whose last work failed or of the others. */
  readonly take: (limit: number, troubled: boolean) => Promise<readonly Leased[]>;
  /** Works on one thing and gives it back. */
  readonly run: (leased: Leased) => Promise<void>;
  /** Work that rejected: the thing is free again when its lease has run out, because it is no longer renewed. */
  readonly onFailure: (error: unknown, leased: Leased) => void;
  /** Extends the leases of the things that are worked on, if they have not run out. */
  readonly renew: (leased: readonly Leased[]) => Promise<void>;
  readonly onRenewFailure: (error: unknown) => void;
  /** A place is free. */
  readonly onFree: () => void;
  readonly timers?: Timers;
}

interface Run<Leased> {
  readonly leased: Leased;
  readonly troubled: boolean;
  readonly done: Promise<void>;
}

export class LeasedRuns<Leased> {
  readonly #options: LeasedRunsOptions<Leased>;
  readonly #timers: Timers;
  readonly #runs = new Set<Run<Leased>>();

  constructor(options: LeasedRunsOptions<Leased>) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
  }

  get size(): number {
    return this.#runs.size;
  }

  /** Whether all places are taken. */
  get full(): boolean {
    return this.#runs.size >= this.#options.runsMax;
  }

  /** Begins work on what is due, as far as there are places. */
  async begin(): Promise<void> {
    const { runsMax, take } = this.#options;
    const running = [...this.#runs];
    const troubledRuns = running.filter(({ troubled }) => troubled).length;
    const free = runsMax - running.length;
    const well = await take(free, false);
    for (const leased of well) this.#begin(leased, false);
    const limit = Math.min(runsMax / 2 - troubledRuns, free - well.length);
    for (const leased of await take(limit, true)) this.#begin(leased, true);
  }

  /** Renews leases until the signal has aborted and all work has ended. */
  async keepLeases(stopping: AbortSignal): Promise<void> {
    const { leaseMs, renew, onRenewFailure } = this.#options;
    while (!stopping.aborted || this.#runs.size > 0) {
      await sleep(this.#timers, leaseMs / 3, stopping.aborted ? undefined : stopping);
      if (this.#runs.size === 0) continue;
      try {
        await renew([...this.#runs].map(({ leased }) => leased));
      } catch (error) {
        onRenewFailure(error);
      }
    }
  }

  /** Resolves when the work that is under way has ended. */
  async ended(): Promise<void> {
    await Promise.all([...this.#runs].map(({ done }) => done));
  }

  #begin(leased: Leased, troubled: boolean): void {
    const { run, onFailure, onFree } = this.#options;
    const done = run(leased)
      .catch((error: unknown) => onFailure(error, leased))
      .finally(() => {
        this.#runs.delete(begun);
        onFree();
      });
    const begun = { leased, troubled, done };
    this.#runs.add(begun);
  }
}
