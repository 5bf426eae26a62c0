/** The page after the one that is being sent: it is read and written meanwhile, so that neither ledger, process nor sink waits for the others. */
import type { ChangeEventsPage } from '../ledger/change-events.ts';
import type { PreparedPage } from './sinks/sink.ts';

/** A page with its text; without, if it is empty. */
export interface ReadyPage {
  readonly page: ChangeEventsPage;
  readonly prepared: PreparedPage | undefined;
}

/** Bounds the pages that are held ahead in this process. */
export class PlacesAhead {
  #free: number;

  constructor(max: number) {
    this.#free = max;
  }

  get free(): number {
    return this.#free;
  }

  take(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  giveBack(): void {
    this.#free += 1;
  }
}

/** The next page of one run, read ahead. One at a time: it is taken or dropped before another is begun. */
export class PageAhead {
  readonly #places: PlacesAhead;
  #page: Promise<ReadyPage> | undefined;

  constructor(places: PlacesAhead) {
    this.#places = places;
  }

  /** Makes a page, if there is a place for it. */
  begin(make: () => Promise<ReadyPage>): void {
    if (!this.#places.take()) return;
    this.#page = make();
    // A failure is reported to the caller that takes the page.
    this.#page.catch(() => {});
  }

  /** Settles as the page that was begun; `undefined`: there is none. */
  async take(): Promise<ReadyPage | undefined> {
    const page = this.#page;
    this.drop();
    return page;
  }

  /** Nobody waits for it; its place is free when it has come. */
  drop(): void {
    const page = this.#page;
    this.#page = undefined;
    void page?.finally(() => this.#places.giveBack()).catch(() => {});
  }
}
