/**
 * Work on things that are leased, several at a time. Things whose last work failed take at most half of the places, so that
 * work that hangs takes none of the others. Leases are renewed while there is work; a process that dies delays a thing only
 * until its lease ends.
 */
import { sleep, systemTimers, type Timers } from './timers.ts';

export interface LeasedRunsOptions<Leased> {
  readonly runsMax: number;
  readonly leaseMs: number;
  /** Leases at most `limit` due things: those whose last work failed, or the others. */
  readonly take: (limit: number, troubled: boolean) => Promise<readonly Leased[]>;
  /** Works on one thing and gives it back. */
  readonly run: (leased: Leased) => Promise<void>;
  /** Called when work rejected: the lease is no longer renewed, so the thing is free again when it has run out. */
  readonly onFailure: (error: unknown, leased: Leased) => void;
  /** Extends the leases of the things in work, if they have not run out. */
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

  /** Begins work on due things, as far as there are places. */
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
      await sleep(this.#timers, leaseMs / 3, stopping.aborted ? this.#allEnded() : stopping);
      if (this.#runs.size === 0) continue;
      try {
        await renew([...this.#runs].map(({ leased }) => leased));
      } catch (error) {
        onRenewFailure(error);
      }
    }
  }

  /** Resolves when the current work has ended. */
  async ended(): Promise<void> {
    await Promise.all([...this.#runs].map(({ done }) => done));
  }

  /** Aborts when the current work has ended. */
  #allEnded(): AbortSignal {
    const ended = new AbortController();
    void this.ended().then(() => ended.abort());
    return ended.signal;
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
