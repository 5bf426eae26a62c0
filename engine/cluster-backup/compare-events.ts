/**
 * Compares a ledger that was made of change events with these events. Each event has the balances of both accounts right after it, so
 * the ledger equals the cluster's if all of its events are equal.
 */
import { ArchiveError } from '../archive/errors.ts';
import type { StateMachine } from '../ledger/state-machine.ts';
import type { PageSource } from '../log/page-reader.ts';
import { readWhole } from '../rows/read-whole.ts';
import { changeEventsFilter } from '../wire/filters.ts';
import { Operation } from '../wire/operations.ts';
import { ChangeEvent } from '../wire/records.ts';
import { EVENT_SIZE, timestampOf } from './cluster-reader.ts';

export class EventComparison {
  readonly #source: { readonly ledger: StateMachine; readonly pages: PageSource };
  /** Pages whose last event the ledger may not have executed yet. */
  #waiting: Uint8Array[] = [];

  constructor(ledger: StateMachine, pages: PageSource) {
    this.#source = { ledger, pages };
  }

  add(page: Uint8Array): void {
    this.#waiting.push(page);
  }

  /** Compares the pages whose events have all been executed. */
  async compareUpTo(timestamp: bigint): Promise<void> {
    for (let page; (page = this.#waiting[0]) !== undefined;) {
      if (eventTime(page, page.length - EVENT_SIZE) > timestamp) return;
      await this.#compare(page);
      this.#waiting.shift();
    }
  }

  async #compare(page: Uint8Array): Promise<void> {
    const last = eventTime(page, page.length - EVENT_SIZE);
    const filter = changeEventsFilter({
      from: eventTime(page, 0),
      until: last,
      limit: page.length / EVENT_SIZE + 1,
    });
    const own = await readWhole(this.#source, Operation.getChangeEvents, filter);
    if (Buffer.compare(own, page) === 0) return;
    for (let at = 0; at < page.length; at += EVENT_SIZE) {
      const its = page.subarray(at, at + EVENT_SIZE);
      if (Buffer.compare(own.subarray(at, at + EVENT_SIZE), its) !== 0)
        throw differs(`the balances after the event of ${eventTime(page, at)} do not agree`);
    }
    throw differs(`there are more events up to ${last} than the cluster tells`);
  }
}

const eventTime = (page: Uint8Array, at: number): bigint =>
  timestampOf(page.subarray(at, at + EVENT_SIZE), ChangeEvent.timestamp);

export const differs = (what: string): ArchiveError =>
  new ArchiveError(
    'cluster_differs',
    `The ledger that was read differs from the cluster's: ${what}. No backup was made. Rows that were imported meanwhile can be the cause: make another backup.`,
  );
