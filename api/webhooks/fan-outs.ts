/**
 * Makes deliveries of the new events of all organizations. An organization with many events, or whose deliveries cannot be made, keeps no
 * other one waiting.
 */
import type { Logger } from 'pino';
import { systemTimers } from '../../base/timers.ts';
import { organizationsWithEvents } from '../store/event-positions.ts';
import { StoreUnavailable } from '../store/store-errors.ts';
import type { Store } from '../store/store.ts';
import { fanOut, webhookConsumer } from './fan-out.ts';

/** Interval between looks for organizations whose notification was missed. */
const sweepMs = 5_000;
const organizationsMax = 500;
/** Transactions for one organization in a round. */
const piecesMax = 5;

export class FanOuts {
  readonly #store: Store;
  readonly #logger: Logger;
  /** Organizations with new events, as notifications tell. */
  readonly #organizations = new Set<string>();
  #sweptAtMs = -Infinity;

  constructor(store: Store, logger: Logger) {
    this.#store = store;
    this.#logger = logger;
  }

  /** `undefined`: some that are not known. */
  tell(organizationId: string | undefined): void {
    if (organizationId === undefined) this.#sweptAtMs = -Infinity;
    else this.#organizations.add(organizationId);
  }

  /** Returns whether there is more to do at once. Throws if the store does not answer. */
  async round(): Promise<boolean> {
    const told = [...this.#organizations];
    this.#organizations.clear();
    try {
      for (const organization of new Set([...told, ...(await this.#missed())])) {
        if (await this.#hasMore(organization)) this.#organizations.add(organization);
      }
    } catch (error) {
      // The organizations that were told are found by a sweep.
      this.#sweptAtMs = -Infinity;
      throw error;
    }
    return this.#organizations.size > 0;
  }

  async #missed(): Promise<readonly string[]> {
    const now = systemTimers.nowMs();
    if (now - this.#sweptAtMs < sweepMs) return [];
    const missed = await organizationsWithEvents(
      this.#store.read,
      webhookConsumer,
      organizationsMax,
    );
    this.#sweptAtMs = now;
    return missed;
  }

  /** A failure of one organization is tried again with the next sweep. */
  async #hasMore(organizationId: string): Promise<boolean> {
    try {
      for (let pieces = 0; pieces < piecesMax; pieces += 1) {
        if (!(await fanOut(this.#store, organizationId))) return false;
      }
      return true;
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error;
      this.#logger.warn({ err: error, organizationId }, 'webhook deliveries could not be made');
      return false;
    }
  }
}
