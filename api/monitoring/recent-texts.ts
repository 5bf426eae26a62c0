/**
 * The texts of recently scraped databases. Making one takes milliseconds, and a hundred of them a third of a second, so a text
 * is made at most once in some seconds, for all callers. Each scrape checks again who may see which database.
 */
import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { systemTimers, type Timers } from '../../base/timers.ts';
import { databaseText, type DatabaseText, type ScrapedDatabase } from './prometheus.ts';

/** Time for which a text is reused. Figures come every 15 seconds. */
export const shownAgainMs = 5_000;
/** Maximum bytes kept: the texts of about 2,000 databases with six replicas. */
const keptBytes = 64 * 1024 * 1024;

type Load = (ids: readonly string[]) => Promise<readonly ScrapedDatabase[]>;

export class RecentTexts {
  readonly #kept: LRUCache<string, DatabaseText>;
  readonly #making = new Map<string, Promise<DatabaseText | undefined>>();
  readonly #timers: Pick<Timers, 'nowMs' | 'wallMs'>;

  /** The texts hold ages by `wallMs`. They are kept by `nowMs`, which nobody sets back. */
  constructor(timers: Pick<Timers, 'nowMs' | 'wallMs'> = systemTimers) {
    this.#timers = timers;
    this.#kept = new LRUCache({
      maxSize: keptBytes,
      sizeCalculation: ({ bytes }) => bytes,
      ttl: shownAgainMs,
      ttlResolution: 0,
      perf: { now: () => timers.nowMs() },
    });
  }

  /** Returns the texts of databases, in this order. `load` is called for those that are not kept and not being made. */
  async of(ids: readonly string[], load: Load): Promise<readonly DatabaseText[]> {
    const known = new Map(ids.map((id) => [id, this.#kept.get(id) ?? this.#making.get(id)]));
    const missing = ids.filter((id) => known.get(id) === undefined);
    if (missing.length > 0) {
      const made = this.#make(missing, load).finally(() => {
        for (const id of missing) this.#making.delete(id);
      });
      for (const id of missing) {
        const one = made.then((texts) => texts.get(id));
        this.#making.set(id, one);
        known.set(id, one);
      }
    }
    const texts = await Promise.all(ids.map(async (id) => known.get(id)));
    return texts.filter((text) => text !== undefined);
  }

  /** Other requests get their turn after each database. */
  async #make(ids: readonly string[], load: Load): Promise<ReadonlyMap<string, DatabaseText>> {
    const texts = new Map<string, DatabaseText>();
    for (const one of await load(ids)) {
      const { id } = one.view.database;
      const text = await databaseText(one, this.#timers.wallMs());
      this.#kept.set(id, text);
      texts.set(id, text);
      await setImmediate();
    }
    return texts;
  }
}
