/**
 * Pages of the index that come back into memory to be merged with their neighbours, while everything else goes on. If a read fails, nothing
 * comes back for a while; then the ledger may read again.
 */
import type { StateMachine } from '../ledger/state-machine.ts';
import type { PageSource } from '../log/page-reader.ts';

/** Time after a failed read in which no other begins: the error may last, and a merge begins with its first pages. */
const AGAIN_MS = 30_000;

interface IndexVolumeOptions {
  readonly pages: PageSource;
  readonly ledger: Pick<StateMachine, 'useIndexVolume'>;
  readonly nowMs: () => number;
  /** Called for each read that failed. If a page is damaged, the process ends for that. */
  readonly onError: (error: unknown) => void;
}

export class IndexVolume {
  readonly #options: IndexVolumeOptions;
  #failedAtMs: number | undefined;

  constructor(options: IndexVolumeOptions) {
    this.#options = options;
    this.#offer();
  }

  /** Lets the ledger read again when it is time. Call it every now and then. */
  tick(): void {
    const failedAtMs = this.#failedAtMs;
    if (failedAtMs === undefined || this.#options.nowMs() < failedAtMs + AGAIN_MS) return;
    this.#failedAtMs = undefined;
    this.#offer();
  }

  #offer(): void {
    const { pages, ledger, nowMs, onError } = this.#options;
    ledger.useIndexVolume(({ pages: names, arrived }, tell) => {
      pages.read(names, arrived).then(
        () => tell(true),
        (error: unknown) => {
          this.#failedAtMs ??= nowMs();
          onError(error);
          tell(false);
        },
      );
    });
  }
}
