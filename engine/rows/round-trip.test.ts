/** What `ledgerhouse export` writes of a ledger makes the same ledger again: every row, with its timestamp, flags and timeout. */
import { expect, test } from '@jest/globals';
import { account, transfer } from '../../api/ledger/layouts.ts';
import { rowsToCsv, rowsToJson } from '../../api/ledger/encode-rows.ts';
import { Simulation } from '../../test/support/engine/ledger/simulation.ts';
import type { StateMachine } from '../ledger/state-machine.ts';
import { Operation } from '../wire/operations.ts';
import { faultsOf, imported } from './testing/row-files.ts';

const SEEDS = 15;
const ROWS_A_QUERY = 8189;
const EXPIRED_BY = 1_850_000_000_000_000_000n;

function rows(ledger: StateMachine, operation: number): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let from = 0n; ;) {
    const filter = new DataView(new ArrayBuffer(64));
    filter.setBigUint64(40, from, true);
    filter.setUint32(56, ROWS_A_QUERY, true);
    const part = ledger.read(operation, new Uint8Array(filter.buffer));
    parts.push(part);
    if (part.length < ROWS_A_QUERY * 128) return Buffer.concat(parts);
    const last = new DataView(part.buffer, part.byteOffset + part.length - 8);
    from = last.getBigUint64(0, true) + 1n;
  }
}

const accountsOf = (ledger: StateMachine) => rows(ledger, Operation.queryAccountsUnbatched);
const transfersOf = (ledger: StateMachine) => rows(ledger, Operation.queryTransfersUnbatched);

const csv = {
  accounts: (bytes: Uint8Array) => rowsToCsv(bytes, account),
  transfers: (bytes: Uint8Array) => rowsToCsv(bytes, transfer),
};
const lines = (json: Uint8Array): string =>
  (JSON.parse(Buffer.from(json).toString()) as object[])
    .map((row) => `${JSON.stringify(row)}\n`)
    .join('');
const ndjson = {
  accounts: (bytes: Uint8Array) => lines(rowsToJson(bytes, account)),
  transfers: (bytes: Uint8Array) => lines(rowsToJson(bytes, transfer)),
};

function worked(seed: number, steps: number): StateMachine {
  const simulation = new Simulation(seed);
  for (let step = 0; step < steps; step += 1) simulation.step();
  return simulation.machine;
}

/** Lets the transfers expire that had expired in the other ledger. */
function expireLike(ledger: StateMachine, other: StateMachine): void {
  for (;;) {
    const [mine, its] = [ledger.nextExpiry(), other.nextExpiry()];
    if (mine === undefined || mine === its) return;
    ledger.commit(Operation.pulse, its === undefined ? EXPIRED_BY : its - 1n, new Uint8Array(0));
  }
}

test('random ledgers come back row by row from their CSV and their NDJSON', async () => {
  let transferCount = 0;
  for (let seed = 0; seed < SEEDS; seed += 1) {
    const source = worked(seed, 250);
    const [accounts, transfers] = [accountsOf(source), transfersOf(source)];
    for (const format of [csv, ndjson]) {
      const made = await imported({
        accounts: format.accounts(accounts),
        transfers: format.transfers(transfers),
      });
      expect({ seed, faults: faultsOf(made) }).toEqual({ seed, faults: [] });
      expireLike(made.ledger, source);
      expect(Buffer.compare(transfersOf(made.ledger), transfers)).toBe(0);
      expect(Buffer.compare(accountsOf(made.ledger), accounts)).toBe(0);
      transferCount += made.counts.transfers;
    }
  }
  expect(transferCount).toBeGreaterThan(100);
});
