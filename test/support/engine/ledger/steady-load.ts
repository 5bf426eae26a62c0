/** A load of which every step creates one transfer. */
import { encodeRecord, accountFields, transferFields } from './records.ts';
import { StateMachine } from '../../../../engine/ledger/state-machine.ts';
import { Operation } from '../../../../engine/wire/operations.ts';

const account = (id: bigint) => encodeRecord(accountFields, 128, { id, ledger: 1n, code: 1n });

export class SteadyLoad {
  readonly machine = new StateMachine({ memoryLimitBytes: 2 ** 34 });
  #timestamp = 1_000n;

  constructor() {
    const accounts = Buffer.concat([account(1n), account(2n)]);
    this.machine.commit(Operation.createAccountsUnbatched, this.#timestamp, accounts);
  }

  step(): void {
    this.#timestamp += 1_000n;
    const parties = { debit_account_id: 1n, credit_account_id: 2n, ledger: 1n, code: 1n };
    const transfer = { id: this.#timestamp, amount: 1n, ...parties };
    const body = encodeRecord(transferFields, 128, transfer);
    this.machine.commit(Operation.createTransfersUnbatched, this.#timestamp, body);
  }
}
