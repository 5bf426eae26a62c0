/**
 * The ledger's rules once more, slowly: maps and bigints, whole-state copies for chains, scans for queries. Written from
 * the published rules and not from the engine, so that the two agree only where both are right.
 */
import { decodeMultiBatch, encodeMultiBatch } from '../../../../engine/wire/multi-batch.ts';
import { resultMax, shapeOf } from '../../../../engine/wire/operations.ts';
import {
  accountFields,
  accountFilterFields,
  type AccountRecord,
  balanceFields,
  changeEventFields,
  concatenate,
  decodeRecord,
  encodeRecord,
  eventsFilterFields,
  queryFilterFields,
  transferFields,
  type TransferRecord,
} from './records.ts';

const MAX128 = (1n << 128n) - 1n;
const MAX63 = (1n << 63n) - 1n;
const CREATED = 0xffff_ffffn;
const BODY_MAX = 1024 * 1024 - 256;

interface Event {
  readonly timestamp: bigint;
  readonly type: bigint;
  readonly transfer: Readonly<TransferRecord>;
  readonly debit: Readonly<AccountRecord>;
  readonly credit: Readonly<AccountRecord>;
}

interface State {
  accounts: Map<bigint, AccountRecord>;
  transfers: Map<bigint, Readonly<TransferRecord>>;
  pending: Map<bigint, 'pending' | 'posted' | 'voided' | 'expired'>;
  events: Event[];
}

/** Only accounts are changed where they stand. */
const copyOf = ({ accounts, transfers, pending, events }: State): State => ({
  accounts: new Map(Array.from(accounts, ([id, account]) => [id, { ...account }])),
  transfers: new Map(transfers),
  pending: new Map(pending),
  events: [...events],
});

interface Result {
  timestamp: bigint;
  status: bigint;
}

type Filter = Record<string, bigint>;

const has = (flags: bigint, bit: bigint): boolean => (flags & bit) !== 0n;
const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const minus = (a: bigint, b: bigint): bigint => (a > b ? a - b : 0n);
const expiry = (t: TransferRecord): bigint => t.timestamp + t.timeout * 1_000_000_000n;

export class ReferenceLedger {
  #state: State = { accounts: new Map(), transfers: new Map(), pending: new Map(), events: [] };
  readonly #burned = new Set<bigint>();

  commit(operation: number, timestamp: bigint, body: Uint8Array): Uint8Array {
    if (operation === 128) {
      this.#pulse(timestamp);
      return new Uint8Array(0);
    }
    const isAccounts = [129, 138, 146].includes(operation);
    const isSparse = operation < 146;
    const batches = split(operation, body);
    let slot = timestamp - BigInt(batches.reduce((sum, batch) => sum + batch.length, 0));
    const replies = batches.map((batch) => {
      slot += BigInt(batch.length);
      const results = this.#batch(isAccounts, slot, batch);
      if (!isSparse) {
        return results.map((r) =>
          encodeRecord(
            [
              ['timestamp', 8],
              ['status', 4],
            ],
            16,
            r,
          ),
        );
      }
      return results.flatMap(({ status }, index) =>
        status === CREATED
          ? []
          : [
              encodeRecord(
                [
                  ['index', 4],
                  ['status', 4],
                ],
                8,
                { index: BigInt(index), status },
              ),
            ],
      );
    });
    return join(operation, replies);
  }

  read(operation: number, body: Uint8Array): Uint8Array {
    const limit = BigInt(resultMax(shapeOf(operation)!, BODY_MAX));
    const replies = split(operation, body).map((batch) => {
      if ([131, 132, 140, 141].includes(operation)) return this.#lookup(operation, batch);
      if (operation === 137) return this.#changeEvents(batch[0]!, limit);
      if ([133, 134, 142, 143].includes(operation)) {
        return this.#accountHistory(operation, batch[0]!, limit);
      }
      return this.#query(operation, batch[0]!, limit);
    });
    return join(operation, replies);
  }

  nextExpiry(): bigint | undefined {
    const times = this.#expiring().map(expiry);
    return times.length === 0 ? undefined : times.reduce(min);
  }

  /** Sums of all accounts' balances: debits pending, debits posted, credits pending, credits posted. */
  totals(): readonly bigint[] {
    const totals = [0n, 0n, 0n, 0n];
    for (const account of this.#state.accounts.values()) {
      totals[0]! += account.debits_pending;
      totals[1]! += account.debits_posted;
      totals[2]! += account.credits_pending;
      totals[3]! += account.credits_posted;
    }
    return totals;
  }

  #expiring(): TransferRecord[] {
    return [...this.#state.transfers.values()].filter(
      (t) => t.timeout > 0n && this.#state.pending.get(t.id) === 'pending',
    );
  }

  #pulse(timestamp: bigint): void {
    const due = this.#expiring()
      .filter((t) => expiry(t) <= timestamp)
      .sort((a, b) => Number(expiry(a) - expiry(b)) || Number(a.timestamp - b.timestamp))
      .slice(0, 8190);
    for (const [i, transfer] of due.entries()) {
      const debit = this.#state.accounts.get(transfer.debit_account_id)!;
      const credit = this.#state.accounts.get(transfer.credit_account_id)!;
      debit.debits_pending -= transfer.amount;
      credit.credits_pending -= transfer.amount;
      if (has(transfer.flags, 0x40n)) debit.flags &= ~0x20n;
      if (has(transfer.flags, 0x80n)) credit.flags &= ~0x20n;
      this.#state.pending.set(transfer.id, 'expired');
      this.#event(timestamp - BigInt(due.length) + BigInt(i) + 1n, 4n, transfer);
    }
  }

  #event(timestamp: bigint, type: bigint, transfer: TransferRecord): void {
    this.#state.events.push({
      timestamp,
      type,
      transfer,
      debit: { ...this.#state.accounts.get(transfer.debit_account_id)! },
      credit: { ...this.#state.accounts.get(transfer.credit_account_id)! },
    });
  }

  #batch(isAccounts: boolean, batchTime: bigint, events: readonly Uint8Array[]): Result[] {
    const results: Result[] = [];
    let chain: { start: number; before: State; isBroken: boolean } | undefined;
    const fields = isAccounts ? accountFields : transferFields;
    const parsed = events.map(
      (bytes) => decodeRecord(fields, bytes) as unknown as AccountRecord & TransferRecord,
    );
    const imported = isAccounts ? 0x10n : 0x100n;
    const isImportedBatch = parsed.length > 0 && has(parsed[0]!.flags, imported);
    for (const [i, event] of parsed.entries()) {
      const slot = batchTime - BigInt(parsed.length) + BigInt(i) + 1n;
      const isLinked = has(event.flags, 1n);
      if (isLinked && chain === undefined) {
        chain = { start: i, before: copyOf(this.#state), isBroken: false };
      }
      let result: Result;
      if (isLinked && i === parsed.length - 1) result = { timestamp: slot, status: 2n };
      else if (chain?.isBroken === true) result = { timestamp: slot, status: 1n };
      else {
        result = this.#one(isAccounts, event, { slot, batchTime, isImportedBatch });
      }
      results.push(result);
      if (chain !== undefined && !chain.isBroken && result.status !== CREATED) {
        chain.isBroken = true;
        this.#state = chain.before;
        for (const earlier of results.slice(chain.start, i)) earlier.status = 1n;
      }
      if (!isAccounts && [21n, 22n, 25n, 54n, 55n, 65n, 66n].includes(result.status)) {
        this.#burned.add(event.id);
      }
      if (!isLinked) chain = undefined;
    }
    return results;
  }

  #one(
    isAccounts: boolean,
    event: AccountRecord & TransferRecord,
    at: { slot: bigint; batchTime: bigint; isImportedBatch: boolean },
  ): Result {
    const [expected, notExpected, outOfRange, advance] = isAccounts
      ? [22n, 23n, 24n, 25n]
      : [56n, 57n, 58n, 59n];
    const fail = (status: bigint): Result => ({ timestamp: at.slot, status });
    const isImported = has(event.flags, isAccounts ? 0x10n : 0x100n);
    if (isImported && !at.isImportedBatch) return fail(notExpected);
    if (!isImported && at.isImportedBatch) return fail(expected);
    if (isImported) {
      if (event.timestamp < 1n || event.timestamp > MAX63) return fail(outOfRange);
      if (event.timestamp >= at.batchTime) return fail(advance);
    } else if (event.timestamp !== 0n) return fail(3n);
    const timestamp = isImported ? event.timestamp : at.slot;
    return isAccounts
      ? this.#account(event, at.slot, timestamp)
      : this.#transfer(event, at.slot, timestamp);
  }

  #regresses(kind: 'accounts' | 'transfers', timestamp: bigint): boolean {
    const other = kind === 'accounts' ? 'transfers' : 'accounts';
    return (
      [...this.#state[kind].values()].some((record) => timestamp <= record.timestamp) ||
      [...this.#state[other].values()].some((record) => timestamp === record.timestamp)
    );
  }

  #account(a: AccountRecord, slot: bigint, timestamp: bigint): Result {
    const is = (status: bigint, time = slot): Result => ({ timestamp: time, status });
    if (a.reserved !== 0n) return is(4n);
    if (has(a.flags, 0xffc0n)) return is(5n);
    if (a.id === 0n) return is(6n);
    if (a.id === MAX128) return is(7n);
    const e = this.#state.accounts.get(a.id);
    if (e !== undefined) {
      if (e.flags !== a.flags) return is(15n);
      if (e.user_data_128 !== a.user_data_128) return is(16n);
      if (e.user_data_64 !== a.user_data_64) return is(17n);
      if (e.user_data_32 !== a.user_data_32) return is(18n);
      if (e.ledger !== a.ledger) return is(19n);
      if (e.code !== a.code) return is(20n);
      return is(21n, e.timestamp);
    }
    if ((a.flags & 6n) === 6n) return is(8n);
    if (a.debits_pending !== 0n) return is(9n);
    if (a.debits_posted !== 0n) return is(10n);
    if (a.credits_pending !== 0n) return is(11n);
    if (a.credits_posted !== 0n) return is(12n);
    if (a.ledger === 0n) return is(13n);
    if (a.code === 0n) return is(14n);
    if (has(a.flags, 0x10n) && this.#regresses('accounts', timestamp)) return is(26n);
    this.#state.accounts.set(a.id, { ...a, timestamp });
    return is(CREATED, timestamp);
  }

  #transfer(t: TransferRecord, slot: bigint, timestamp: bigint): Result {
    const is = (status: bigint, time = slot): Result => ({ timestamp: time, status });
    if (has(t.flags, 0xfe00n)) return is(4n);
    if (t.id === 0n) return is(5n);
    if (t.id === MAX128) return is(6n);
    const existing = this.#state.transfers.get(t.id);
    if (existing !== undefined) {
      const status = this.#exists(t, existing);
      return is(status, status === 46n ? existing.timestamp : slot);
    }
    if (this.#burned.has(t.id)) return is(68n);
    const status = has(t.flags, 0xcn)
      ? this.#resolve(t, slot, timestamp)
      : this.#move(t, timestamp);
    return is(status, status === CREATED ? timestamp : slot);
  }

  #exists(t: TransferRecord, e: TransferRecord): bigint {
    if (t.flags !== e.flags) return 36n;
    if (t.pending_id !== e.pending_id) return 40n;
    if (t.timeout !== e.timeout) return 44n;
    const p = has(t.flags, 0xcn) ? this.#state.transfers.get(e.pending_id)! : undefined;
    const differs = (key: keyof TransferRecord, otherwise: bigint | undefined): boolean =>
      t[key] === 0n && p !== undefined ? e[key] !== (otherwise ?? e[key]) : t[key] !== e[key];
    if (differs('debit_account_id', undefined)) return 37n;
    if (differs('credit_account_id', undefined)) return 38n;
    if (p !== undefined) {
      const all = has(t.flags, 8n) ? t.amount === 0n : t.amount === MAX128;
      if (e.amount !== (all ? p.amount : t.amount)) return 39n;
    } else if (has(t.flags, 0x30n) ? t.amount < e.amount : t.amount !== e.amount) return 39n;
    if (differs('user_data_128', p?.user_data_128)) return 41n;
    if (differs('user_data_64', p?.user_data_64)) return 42n;
    if (differs('user_data_32', p?.user_data_32)) return 43n;
    if (differs('ledger', undefined)) return 67n;
    if (differs('code', undefined)) return 45n;
    return 46n;
  }

  #move(t: TransferRecord, timestamp: bigint): bigint {
    const isPending = has(t.flags, 2n);
    if (t.debit_account_id === 0n) return 8n;
    if (t.debit_account_id === MAX128) return 9n;
    if (t.credit_account_id === 0n) return 10n;
    if (t.credit_account_id === MAX128) return 11n;
    if (t.debit_account_id === t.credit_account_id) return 12n;
    if (t.pending_id !== 0n) return 13n;
    if (!isPending && t.timeout !== 0n) return 17n;
    if (!isPending && has(t.flags, 0xc0n)) return 64n;
    if (t.ledger === 0n) return 19n;
    if (t.code === 0n) return 20n;
    const debit = this.#state.accounts.get(t.debit_account_id);
    if (debit === undefined) return 21n;
    const credit = this.#state.accounts.get(t.credit_account_id);
    if (credit === undefined) return 22n;
    if (debit.ledger !== credit.ledger) return 23n;
    if (t.ledger !== debit.ledger) return 24n;
    if (has(t.flags, 0x100n)) {
      if (this.#regresses('transfers', timestamp)) return 60n;
      if (timestamp <= debit.timestamp) return 61n;
      if (timestamp <= credit.timestamp) return 62n;
      if (t.timeout !== 0n) return 63n;
    }
    if (has(debit.flags, 0x20n)) return 65n;
    if (has(credit.flags, 0x20n)) return 66n;
    let { amount } = t;
    if (has(t.flags, 0x10n)) {
      amount = min(amount, minus(debit.credits_posted, debit.debits_posted + debit.debits_pending));
    }
    if (has(t.flags, 0x20n)) {
      const reserved = credit.credits_posted + credit.credits_pending;
      amount = min(amount, minus(credit.debits_posted, reserved));
    }
    if (isPending && amount + debit.debits_pending > MAX128) return 47n;
    if (isPending && amount + credit.credits_pending > MAX128) return 48n;
    if (amount + debit.debits_posted > MAX128) return 49n;
    if (amount + credit.credits_posted > MAX128) return 50n;
    if (amount + debit.debits_pending + debit.debits_posted > MAX128) return 51n;
    if (amount + credit.credits_pending + credit.credits_posted > MAX128) return 52n;
    if (timestamp + t.timeout * 1_000_000_000n > MAX63) return 53n;
    const debits = debit.debits_pending + debit.debits_posted + amount;
    if (has(debit.flags, 2n) && debits > debit.credits_posted) return 54n;
    const credits = credit.credits_pending + credit.credits_posted + amount;
    if (has(credit.flags, 4n) && credits > credit.debits_posted) return 55n;
    const transfer = { ...t, amount, timestamp };
    this.#state.transfers.set(t.id, transfer);
    if (isPending) {
      debit.debits_pending += amount;
      credit.credits_pending += amount;
      this.#state.pending.set(t.id, 'pending');
    } else {
      debit.debits_posted += amount;
      credit.credits_posted += amount;
    }
    if (has(t.flags, 0x40n)) debit.flags |= 0x20n;
    if (has(t.flags, 0x80n)) credit.flags |= 0x20n;
    this.#event(timestamp, isPending ? 1n : 0n, transfer);
    return CREATED;
  }

  #resolve(t: TransferRecord, slot: bigint, timestamp: bigint): bigint {
    const isVoid = has(t.flags, 8n);
    if ((t.flags & 0xcn) === 0xcn || has(t.flags, 0xf2n)) return 7n;
    if (t.pending_id === 0n) return 14n;
    if (t.pending_id === MAX128) return 15n;
    if (t.pending_id === t.id) return 16n;
    if (t.timeout !== 0n) return 17n;
    const p = this.#state.transfers.get(t.pending_id);
    if (p === undefined) return 25n;
    if (!has(p.flags, 2n)) return 26n;
    const differs = (key: keyof TransferRecord): boolean => t[key] !== 0n && t[key] !== p[key];
    if (differs('debit_account_id')) return 27n;
    if (differs('credit_account_id')) return 28n;
    if (differs('ledger')) return 29n;
    if (differs('code')) return 30n;
    const all = isVoid ? t.amount === 0n : t.amount === MAX128;
    const amount = all ? p.amount : t.amount;
    if (amount > p.amount) return 31n;
    if (isVoid && amount < p.amount) return 32n;
    const status = this.#state.pending.get(p.id);
    if (status === 'posted') return 33n;
    if (status === 'voided') return 34n;
    if (status === 'expired') return 35n;
    if (p.timeout > 0n && expiry(p) <= slot) return 35n;
    if (has(t.flags, 0x100n) && this.#regresses('transfers', timestamp)) return 60n;
    const debit = this.#state.accounts.get(p.debit_account_id)!;
    const credit = this.#state.accounts.get(p.credit_account_id)!;
    if (!isVoid && has(debit.flags, 0x20n)) return 65n;
    if (!isVoid && has(credit.flags, 0x20n)) return 66n;
    const given = (key: keyof TransferRecord): bigint => (t[key] === 0n ? p[key] : t[key]);
    const transfer = {
      ...p,
      id: t.id,
      pending_id: t.pending_id,
      flags: t.flags,
      user_data_128: given('user_data_128'),
      user_data_64: given('user_data_64'),
      user_data_32: given('user_data_32'),
      timeout: 0n,
      amount,
      timestamp,
    };
    this.#state.transfers.set(t.id, transfer);
    debit.debits_pending -= p.amount;
    credit.credits_pending -= p.amount;
    if (isVoid) {
      if (has(p.flags, 0x40n)) debit.flags &= ~0x20n;
      if (has(p.flags, 0x80n)) credit.flags &= ~0x20n;
    } else {
      debit.debits_posted += amount;
      credit.credits_posted += amount;
    }
    this.#state.pending.set(p.id, isVoid ? 'voided' : 'posted');
    this.#event(timestamp, isVoid ? 3n : 2n, transfer);
    return CREATED;
  }

  #lookup(operation: number, ids: readonly Uint8Array[]): Uint8Array[] {
    return ids.flatMap((bytes) => {
      const id = decodeRecord([['id', 16]], bytes).id!;
      if (operation === 131 || operation === 140) {
        const account = this.#state.accounts.get(id);
        return account === undefined ? [] : [encodeRecord(accountFields, 128, account)];
      }
      const transfer = this.#state.transfers.get(id);
      return transfer === undefined ? [] : [encodeRecord(transferFields, 128, transfer)];
    });
  }

  #accountHistory(operation: number, bytes: Uint8Array, limitMax: bigint): Uint8Array[] {
    const f: Filter = decodeRecord(accountFilterFields, bytes);
    const isInvalid =
      !isValid(f, 7n) || f.account_id === 0n || f.account_id === MAX128 || (f.flags! & 3n) === 0n;
    if (isInvalid) return [];
    const id = f.account_id!;
    const isBalances = operation === 134 || operation === 143;
    if (isBalances && !has(this.#state.accounts.get(id)?.flags ?? 0n, 8n)) return [];
    const events = this.#state.events.filter(
      ({ type, transfer: t }) =>
        type !== 4n &&
        ((has(f.flags!, 1n) && t.debit_account_id === id) ||
          (has(f.flags!, 2n) && t.credit_account_id === id)) &&
        matches(f, t),
    );
    return page(f, events, 4n, limitMax).map(({ transfer, debit, credit, timestamp }) =>
      isBalances
        ? encodeRecord(balanceFields, 128, { ...(debit.id === id ? debit : credit), timestamp })
        : encodeRecord(transferFields, 128, transfer),
    );
  }

  #query(operation: number, bytes: Uint8Array, limitMax: bigint): Uint8Array[] {
    const f: Filter = decodeRecord(queryFilterFields, bytes);
    if (!isValid(f, 1n)) return [];
    const isAccounts = operation === 135 || operation === 144;
    const records: readonly (AccountRecord | TransferRecord)[] = isAccounts
      ? [...this.#state.accounts.values()]
      : [...this.#state.transfers.values()];
    const found = records.filter(
      (record) => matches(f, record) && (f.ledger === 0n || f.ledger === record.ledger),
    );
    const fields = isAccounts ? accountFields : transferFields;
    return page(f, found, 1n, limitMax).map((record) => encodeRecord(fields, 128, record));
  }

  #changeEvents(bytes: Uint8Array, limitMax: bigint): Uint8Array[] {
    const f: Filter = { ...decodeRecord(eventsFilterFields, bytes), flags: 0n };
    if (!isValid(f, 0n)) return [];
    // An imported transfer may have the very timestamp of an expiry; it then comes first.
    const sorted = this.#state.events.toSorted(
      (a, b) => Number(a.timestamp - b.timestamp) || Number(a.type === 4n) - Number(b.type === 4n),
    );
    return page(f, sorted, 0n, limitMax).map(({ timestamp, type, transfer, debit, credit }) => {
      const event: Record<string, bigint> = { timestamp, type, ledger: transfer.ledger };
      for (const [name, value] of Object.entries(transfer)) event[`transfer_${name}`] = value;
      for (const [name, value] of Object.entries(debit)) event[`debit_account_${name}`] = value;
      for (const [name, value] of Object.entries(credit)) event[`credit_account_${name}`] = value;
      return encodeRecord(changeEventFields, 384, event);
    });
  }
}

function isValid(f: Filter, flags: bigint): boolean {
  const isTime = (t: bigint): boolean => t === 0n || t <= MAX63;
  return (
    f.limit !== 0n &&
    isTime(f.timestamp_min!) &&
    isTime(f.timestamp_max!) &&
    (f.timestamp_max === 0n || f.timestamp_min! <= f.timestamp_max!) &&
    (f.flags! & ~flags) === 0n &&
    Object.entries(f).every(([name, value]) => !name.startsWith('reserved') || value === 0n)
  );
}

function matches(f: Filter, record: AccountRecord | TransferRecord): boolean {
  return (['user_data_128', 'user_data_64', 'user_data_32', 'code'] as const).every(
    (name) => f[name] === 0n || f[name] === record[name],
  );
}

function page<T extends { timestamp: bigint }>(
  f: Filter,
  records: readonly T[],
  reversed: bigint,
  limitMax: bigint,
): T[] {
  const found = records.filter(
    ({ timestamp: t }) =>
      t >= f.timestamp_min! && (f.timestamp_max === 0n || t <= f.timestamp_max!),
  );
  if (has(f.flags!, reversed)) found.reverse();
  return found.slice(0, Number(min(f.limit!, limitMax)));
}

function split(operation: number, body: Uint8Array): Uint8Array[][] {
  const { eventSize, multiBatch } = shapeOf(operation)!;
  const counts = multiBatch
    ? decodeMultiBatch(body, eventSize)!
    : [Math.floor(body.length / eventSize)];
  let at = 0;
  return counts.map((count) =>
    Array.from({ length: count }, () => body.subarray(at, (at += eventSize))),
  );
}

function join(operation: number, replies: readonly Uint8Array[][]): Uint8Array {
  const { resultSize, multiBatch } = shapeOf(operation)!;
  const batches = replies.map(concatenate);
  return multiBatch ? encodeMultiBatch(batches, resultSize) : batches[0]!;
}
