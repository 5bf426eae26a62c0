/** The requests of a run's clients: random creations and reads on a small ledger. */
import { encodeMultiBatch } from '../../engine/wire/multi-batch.ts';
import { Operation } from '../../engine/wire/operations.ts';
import {
  accountFields,
  accountFilterFields,
  concatenate,
  encodeRecord,
  queryFilterFields,
  transferFields,
} from '../support/engine/ledger/records.ts';

export interface Request {
  readonly operation: number;
  readonly body: () => Uint8Array;
  /** Must be called when the request was acknowledged. */
  readonly acknowledged?: () => void;
}

const ACCOUNTS = 24;
/** Accounts from this on must not be debited beyond their credits. */
const BOUNDED_FROM = 17;
const HISTORY = 8n;
const DEBITS_BOUNDED = 2n;
const RECENT = 20;
const BULK_EVENTS = 8000;

const Flag = { linked: 1n, pending: 2n, post: 4n, void: 8n, balancingDebit: 16n } as const;

export class Requests {
  readonly #random: () => number;
  readonly #prefix: bigint;
  #count = 0n;
  /** Ids of the last transfers that the client sent. */
  readonly #recent: bigint[] = [];
  /**
   * Ids of existing transfers. Only these are used again: the first transfer of a request with unknown outcome proves that
   * the request was executed, so no other request may create it.
   */
  readonly #created: bigint[] = [];
  readonly #pending: bigint[] = [];

  /** `source`: a number unique to each client, so that ids differ. */
  constructor(source: number, random: () => number) {
    this.#random = random;
    this.#prefix = BigInt(source + 1) << 64n;
  }

  /** A request that creates the accounts of all clients. Must be sent once. */
  static accounts(): Request {
    const accounts = Array.from({ length: ACCOUNTS }, (_, i) => {
      const bounded = i + 1 >= BOUNDED_FROM ? DEBITS_BOUNDED : 0n;
      return { id: BigInt(i + 1), ledger: 1n, code: 1n, flags: HISTORY | bounded };
    });
    return createAccounts(accounts);
  }

  write(): Request {
    if (this.#chance(0.04)) return this.#newAccounts();
    const first = this.#plain(1n + BigInt(this.#below(5)));
    const transfers: object[] = [first];
    const count = this.#chance(0.05) ? 200 : this.#below(8);
    while (transfers.length < count) transfers.push(...this.#some());
    const acknowledged = (): void => {
      this.#created.push(first.id);
      if (this.#created.length > RECENT) this.#created.shift();
    };
    return { ...createTransfers(transfers), acknowledged };
  }

  /** A request of a megabyte that adds little to the ledger: all transfers but the first are refused. */
  bulk(): Request {
    const first = transferBytes(this.#plain(1n));
    const body = (): Uint8Array => {
      const all = new Uint8Array(BULK_EVENTS * 128);
      all.set(first);
      return encodeMultiBatch([all], 128);
    };
    return { operation: Operation.createTransfers, body };
  }

  read(): Request {
    const account = this.#account();
    switch (this.#below(5)) {
      case 0:
        return lookup(Operation.lookupAccounts, [account, this.#account(), 999n]);
      case 1:
        return lookup(Operation.lookupTransfers, this.#recent.slice(-3));
      case 2:
        return this.#accountFilter(Operation.getAccountTransfers, account);
      case 3:
        return this.#accountFilter(Operation.getAccountBalances, account);
      default: {
        const filter = { user_data_32: BigInt(this.#below(4)), limit: 10n, flags: 1n };
        const body = encodeMultiBatch([encodeRecord(queryFilterFields, 64, filter)], 64);
        return { operation: Operation.queryTransfers, body: () => body };
      }
    }
  }

  #accountFilter(operation: number, account: bigint): Request {
    // The newest first, debits and credits.
    const filter = { account_id: account, limit: 10n, flags: 7n };
    const body = encodeMultiBatch([encodeRecord(accountFilterFields, 128, filter)], 128);
    return { operation, body: () => body };
  }

  #newAccounts(): Request {
    const count = 1 + this.#below(3);
    const accounts = Array.from({ length: count }, () => ({
      id: this.#newId(),
      ledger: 1n,
      code: 2n,
      user_data_32: BigInt(this.#below(4)),
    }));
    return createAccounts(accounts);
  }

  /** A transfer that is always created. */
  #plain(amount: bigint): Transfer {
    const id = this.#newId();
    this.#recent.push(id);
    if (this.#recent.length > RECENT) this.#recent.shift();
    const [debit, credit] = this.#two(BOUNDED_FROM - 1);
    return transferOf(id, { debit, credit, amount, data: BigInt(this.#below(4)) });
  }

  #some(): readonly object[] {
    const id = this.#newId();
    const [debit, credit] = this.#two(ACCOUNTS);
    const amount = BigInt(this.#below(30));
    const kind = this.#below(10);
    if (kind < 3) {
      const timeout = this.#chance(0.5) ? BigInt(1 + this.#below(3)) : 0n;
      this.#pending.push(id);
      if (this.#pending.length > 30) this.#pending.shift();
      return [transferOf(id, { debit, credit, amount, flags: Flag.pending, timeout })];
    }
    if (kind < 5 && this.#pending.length > 0) {
      const pending = this.#pending[this.#below(this.#pending.length)]!;
      const flags = this.#chance(0.6) ? Flag.post : Flag.void;
      // The whole amount when posting, 0 when voiding.
      const rest = flags === Flag.post ? (1n << 128n) - 1n : 0n;
      return [{ id, pending_id: pending, amount: rest, flags }];
    }
    if (kind < 7) {
      // A chain: executed together or not at all; at times the last transfer is impossible.
      const last = this.#chance(0.3) ? debit : credit;
      const links = Array.from({ length: 1 + this.#below(3) }, () =>
        transferOf(this.#newId(), { debit, credit, amount, flags: Flag.linked }),
      );
      return [...links, transferOf(id, { debit, credit: last, amount })];
    }
    if (kind < 8)
      return [transferOf(id, { debit, credit, amount: 50n, flags: Flag.balancingDebit })];
    if (kind < 9 && this.#created.length > 0)
      return [transferOf(this.#created[0]!, { debit, credit, amount })];
    return [transferOf(id, { debit, credit, amount, data: BigInt(this.#below(4)) })];
  }

  #two(end: number): readonly [bigint, bigint] {
    const debit = this.#below(end);
    return [BigInt(debit + 1), BigInt(((debit + 1 + this.#below(end - 1)) % end) + 1)];
  }

  #account(): bigint {
    return BigInt(1 + this.#below(ACCOUNTS));
  }

  #newId(): bigint {
    this.#count += 1n;
    return this.#prefix | this.#count;
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }

  #below(end: number): number {
    return Math.floor(this.#random() * end);
  }
}

interface Transfer {
  readonly id: bigint;
  readonly [field: string]: bigint;
}

interface TransferParts {
  readonly debit: bigint;
  readonly credit: bigint;
  readonly amount: bigint;
  readonly flags?: bigint;
  readonly timeout?: bigint;
  readonly data?: bigint;
}

const transferOf = (id: bigint, parts: TransferParts): Transfer => ({
  id,
  debit_account_id: parts.debit,
  credit_account_id: parts.credit,
  amount: parts.amount,
  user_data_32: parts.data ?? 0n,
  timeout: parts.timeout ?? 0n,
  ledger: 1n,
  code: 1n,
  flags: parts.flags ?? 0n,
});

const transferBytes = (transfer: object): Uint8Array => encodeRecord(transferFields, 128, transfer);

function createTransfers(transfers: readonly object[]): Request {
  const body = encodeMultiBatch([concatenate(transfers.map(transferBytes))], 128);
  return { operation: Operation.createTransfers, body: () => body };
}

function createAccounts(accounts: readonly object[]): Request {
  const rows = accounts.map((account) => encodeRecord(accountFields, 128, account));
  const body = encodeMultiBatch([concatenate(rows)], 128);
  return { operation: Operation.createAccounts, body: () => body };
}

function lookup(operation: number, ids: readonly bigint[]): Request {
  const rows = ids.map((id) => encodeRecord([['id', 16]], 16, { id }));
  const body = encodeMultiBatch([concatenate(rows)], 16);
  return { operation, body: () => body };
}
