/**
 * A living example for the database `demo`: a month of a shop's payments in cents, made up, and the same at every start. The records
 * are imported, so that they have the times of the month that they tell of.
 */
import { createHash } from 'node:crypto';

interface ExampleAccount {
  readonly id: string;
  readonly ledger: number;
  readonly code: number;
  readonly flags: readonly string[];
  readonly timestamp: string;
}

interface ExampleTransfer {
  readonly id: string;
  readonly debit_account_id: string;
  readonly credit_account_id: string;
  readonly amount: string;
  readonly pending_id?: string;
  readonly ledger: number;
  readonly code: number;
  readonly flags: readonly string[];
  readonly timestamp: string;
}

interface Example {
  readonly accounts: readonly ExampleAccount[];
  readonly transfers: readonly ExampleTransfer[];
}

/** The ledger of euros, by the currency's number in ISO 4217. */
const euros = 978;
/** The first account: where it is, the example was made. */
export const bank = '1001';
const card = '1002';
const sales = '4001';
const tax = '2001';
const fees = '5001';
const customers = ['3001', '3002', '3003', '3004', '3005'];

const codes = { sale: 1, tax: 2, fee: 3, payout: 4, refund: 5, topUp: 6, voucher: 7 } as const;

/** Labels of the database: what its pages say of it, of its amounts, and of its codes. */
export const exampleLabels = {
  example: 'shop-payments',
  'ledger/978': '2 EUR Euro cents',
  'codes/account': '10 Bank; 11 Card payments; 20 Tax; 30 Customer wallets; 40 Sales; 50 Fees',
  'codes/transfer': '1 Sale; 2 Tax; 3 Fee; 4 Payout; 5 Refund; 6 Top-up; 7 Voucher',
};

const days = 30;
const minute = 60_000_000_000n;
const hour = 60n * minute;
const day = 24n * hour;

/** `now`: when it is made; the month ends an hour before. */
export function exampleOf(now: Date): Example {
  const time = BigInt(now.getTime()) * 1_000_000n;
  const end = time - (time % minute) - hour;
  const begin = end - BigInt(days) * day;
  const shop = new Shop();
  for (let index = 0; index < days; index += 1) shop.trade(begin + BigInt(index) * day, index);
  const kinds = [
    [bank, 10, ['history']],
    [card, 11, ['history']],
    [tax, 20, []],
    [sales, 40, ['debits_must_not_exceed_credits', 'history']],
    [fees, 50, []],
    ...customers.map((id) => [id, 30, ['debits_must_not_exceed_credits', 'history']] as const),
  ] as const;
  const accounts = kinds.map(([id, code, flags], index) => ({
    id,
    ledger: euros,
    code,
    flags: ['imported', ...flags],
    timestamp: (begin - hour + BigInt(index)).toString(),
  }));
  return { accounts, transfers: shop.transfers };
}

/** The shop's till: cents, and what happened, in order of time. */
class Shop {
  readonly transfers: ExampleTransfer[] = [];
  #cardCents = 0;
  readonly #walletCents = new Map<string, number>();
  #drawn = 0;

  /** One day, from its first sale at nine until the evening. */
  trade(begin: bigint, index: number): void {
    let time = begin + 9n * hour;
    const wait = () => {
      time += BigInt(5 + this.#draw(25)) * minute;
      return time;
    };
    const customer = customers[index % customers.length] ?? bank;
    this.#topUp(wait(), customer, 2_000 + 100 * this.#draw(80));
    const count = 8 + this.#draw(12);
    for (let sale = 0; sale < count; sale += 1) {
      const gross = 500 + this.#draw(12_000);
      this.#sell(wait(), gross);
      if (this.#draw(20) === 0) this.#refund(wait(), gross);
    }
    this.#redeem(wait(), customer, wait);
    if (index % 7 === 6) this.#payOut(wait());
  }

  /** A number from 0 below `below`, the same at every start. */
  #draw(below: number): number {
    this.#drawn += 1;
    return createHash('sha256').update(`shop ${this.#drawn}`).digest().readUInt32LE(0) % below;
  }

  #add(
    time: bigint,
    [debit, credit]: readonly [string, string],
    cents: number,
    code: number,
    more: { readonly flags?: readonly string[]; readonly pending_id?: string } = {},
  ): string {
    const id = String(100_001 + this.transfers.length);
    this.transfers.push({
      id,
      debit_account_id: debit,
      credit_account_id: credit,
      amount: String(cents),
      ledger: euros,
      code,
      ...more,
      flags: ['imported', ...(more.flags ?? [])],
      timestamp: time.toString(),
    });
    return id;
  }

  /** By card: price, tax, and the fee of the card company, all or none. */
  #sell(time: bigint, gross: number): void {
    const net = Math.round(gross / 1.19);
    const fee = 25 + Math.round(gross * 0.014);
    this.#add(time, [card, sales], net, codes.sale, { flags: ['linked'] });
    this.#add(time + 1n, [card, tax], gross - net, codes.tax, { flags: ['linked'] });
    this.#add(time + 2n, [fees, card], fee, codes.fee);
    this.#cardCents += gross - fee;
  }

  #refund(time: bigint, gross: number): void {
    const net = Math.round(gross / 1.19);
    this.#add(time, [sales, card], net, codes.refund, { flags: ['linked'] });
    this.#add(time + 1n, [tax, card], gross - net, codes.refund);
    this.#cardCents -= gross;
  }

  /** The card company pays what it has collected into the bank. */
  #payOut(time: bigint): void {
    this.#add(time, [bank, card], this.#cardCents, codes.payout);
    this.#cardCents = 0;
  }

  /** A customer buys a voucher. */
  #topUp(time: bigint, customer: string, cents: number): void {
    this.#add(time, [bank, customer], cents, codes.topUp);
    this.#walletCents.set(customer, (this.#walletCents.get(customer) ?? 0) + cents);
  }

  /** A customer reserves a part of the voucher, and fetches the goods an hour later, or does not. */
  #redeem(time: bigint, customer: string, wait: () => bigint): void {
    const left = this.#walletCents.get(customer) ?? 0;
    const cents = 100 + this.#draw(left - 100);
    const legs = [customer, sales] as const;
    const pendingId = this.#add(time, legs, cents, codes.voucher, { flags: ['pending'] });
    const fetches = this.#draw(4) !== 0;
    this.#add(wait(), legs, fetches ? cents : 0, codes.voucher, {
      flags: [fetches ? 'post_pending_transfer' : 'void_pending_transfer'],
      pending_id: pendingId,
    });
    if (fetches) this.#walletCents.set(customer, left - cents);
  }
}
