/** Reads a ledger on this machine in the same way as a cluster: accounts and change events in the order of their timestamps. */
import type { StateMachine } from '../ledger/state-machine.ts';
import type { PageSource } from '../log/page-reader.ts';
import { readWhole } from '../rows/read-whole.ts';
import { changeEventsFilter, rangeFilter } from '../wire/filters.ts';
import { Operation } from '../wire/operations.ts';
import { Account, ChangeEvent } from '../wire/records.ts';
import { EVENT_SIZE, timestampOf } from './cluster-reader.ts';

const RECORD_SIZE = Account.words * 4;
const ROWS_A_PAGE = 1_024;

export class LedgerReader {
  readonly #source: { readonly ledger: StateMachine; readonly pages: PageSource };

  constructor(ledger: StateMachine, pages: PageSource) {
    this.#source = { ledger, pages };
  }

  async *accounts(): AsyncGenerator<Uint8Array> {
    for (let from = 1n; ;) {
      const filter = rangeFilter({ from, limit: ROWS_A_PAGE });
      const page = await this.#read(Operation.queryAccountsUnbatched, filter);
      for (let at = 0; at < page.length; at += RECORD_SIZE) {
        const row = page.subarray(at, at + RECORD_SIZE);
        from = timestampOf(row, Account.timestamp) + 1n;
        yield row;
      }
      if (page.length === 0) return;
    }
  }

  async *events(): AsyncGenerator<Uint8Array> {
    for (let from = 1n; ;) {
      const filter = changeEventsFilter({ from, limit: ROWS_A_PAGE });
      const page = await this.#read(Operation.getChangeEvents, filter);
      for (let at = 0; at < page.length; at += EVENT_SIZE) {
        const event = page.subarray(at, at + EVENT_SIZE);
        from = timestampOf(event, ChangeEvent.timestamp) + 1n;
        yield event;
      }
      if (page.length === 0) return;
    }
  }

  async #read(operation: number, filter: Uint8Array): Promise<Uint8Array> {
    return (await readWhole(this.#source, operation, filter)).slice();
  }
}
