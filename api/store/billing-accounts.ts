/** Billing accounts: an organization's standing at the payment provider, as known to the store. */
import { sql, type Selectable } from 'kysely';
import { typeIdOfUuid } from '../../domain/type-id.ts';
import type { BillingAccountsTable } from './billing-tables.ts';
import type { Change } from './change.ts';
import { uuidOf } from './ids.ts';
import { sweepRows } from './sweeping.ts';
import type { Reader } from './tables.ts';

/** `PAST_DUE`: a payment failed, and the provider tries again. `SUSPENDED`: it has given up. */
const billingStatuses = ['READY', 'SETUP_REQUIRED', 'PAST_DUE', 'SUSPENDED'] as const;
export type BillingStatus = (typeof billingStatuses)[number];

/** A payment method as people know it: `visa`, `4242`. */
export interface PaymentMethod {
  readonly brand: string;
  readonly last4: string | null;
}

export interface Checkout {
  readonly id: string;
  readonly url: string;
  /** URL to which the checkout sends people back. */
  readonly returnUrl: string;
  readonly expiresAt: Date;
}

export interface BillingAccount {
  /** TypeID `org_…`. */
  readonly organizationId: string;
  readonly status: BillingStatus;
  /** The provider's IDs. */
  readonly customerId: string | null;
  readonly subscriptionId: string | null;
  readonly paymentMethod: PaymentMethod | null;
  /** Number of subscriptions so far. It is part of the idempotency key of the next one; so is `checkouts`. */
  readonly subscriptions: number;
  readonly checkouts: number;
  /** The last checkout that was handed out and is not known to be over. */
  readonly checkout: Checkout | null;
  /** Millionths of the currency's unit. */
  readonly spendLimitMicros: bigint | null;
  readonly toldPercent: number;
  readonly toldMonth: Date | null;
  /** Time at which billing ended for good, because the organization was purged. */
  readonly closedAt: Date | null;
  readonly version: number;
}

export async function findBillingAccount(
  db: Reader,
  organizationId: string,
): Promise<BillingAccount | undefined> {
  const row = await db
    .selectFrom('billingAccounts')
    .selectAll()
    .where('organizationId', '=', uuidOf(organizationId))
    .executeTakeFirst();
  return row && accountOf(row);
}

/** Returns the organization's account; makes it if there is none. */
export async function ensureBillingAccount(
  db: Reader,
  organizationId: string,
): Promise<BillingAccount> {
  await db
    .insertInto('billingAccounts')
    .values({ organizationId: uuidOf(organizationId) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const account = await findBillingAccount(db, organizationId);
  if (account === undefined) throw new Error('accounts of billing are never deleted');
  return account;
}

/** TypeID of the organization that has this customer ID. */
export async function findOrganizationOfCustomer(
  db: Reader,
  customerId: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('billingAccounts')
    .select('organizationId')
    .where('customerId', '=', customerId)
    .executeTakeFirst();
  return row && typeIdOfUuid('org', row.organizationId);
}

/** Stores the customer ID unless the account has one. */
export async function keepCustomer(
  db: Reader,
  organizationId: string,
  customerId: string,
): Promise<void> {
  await db
    .updateTable('billingAccounts')
    .set({ customerId })
    .set(touched)
    .where('organizationId', '=', uuidOf(organizationId))
    .where('customerId', 'is', null)
    .execute();
}

/** Stores a checkout. Returns false if another one was made meanwhile; that one stays. */
export async function keepCheckout(
  db: Reader,
  { organizationId, checkouts }: BillingAccount,
  checkout: Checkout,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('billingAccounts')
    .set({
      checkouts: checkouts + 1,
      checkoutId: checkout.id,
      checkoutUrl: checkout.url,
      checkoutReturnUrl: checkout.returnUrl,
      checkoutExpiresAt: checkout.expiresAt,
    })
    .set(touched)
    .where('organizationId', '=', uuidOf(organizationId))
    .where('checkouts', '=', checkouts)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** A payment method that a checkout has set up, by the provider's ID. */
export interface Card {
  readonly id: string;
  readonly madeAt: Date;
}

/** The newest card of an account. */
interface NewestCard extends Card {
  /** The provider was told to charge it, or found to charge one that a person chose later. */
  readonly applied: boolean;
}

/**
 * Stores the card unless the account has a newer one. Returns the newest card. The version does not change: the card says
 * nothing about the standing.
 */
export async function keepNewestCard(
  db: Reader,
  organizationId: string,
  card: Card,
): Promise<NewestCard> {
  await db
    .updateTable('billingAccounts')
    .set({ cardId: card.id, cardMadeAt: card.madeAt, cardApplied: false })
    .where('organizationId', '=', uuidOf(organizationId))
    .where((where) =>
      where.or([
        where('cardMadeAt', 'is', null),
        where('cardMadeAt', '<', card.madeAt),
        where.and([where('cardMadeAt', '=', card.madeAt), where('cardId', '!=', card.id)]),
      ]),
    )
    .execute();
  return newestCard(db, organizationId);
}

/** The newest card. Throws if there is none. */
export async function newestCard(db: Reader, organizationId: string): Promise<NewestCard> {
  const { cardId, cardMadeAt, cardApplied } = await db
    .selectFrom('billingAccounts')
    .select(['cardId', 'cardMadeAt', 'cardApplied'])
    .where('organizationId', '=', uuidOf(organizationId))
    .executeTakeFirstOrThrow();
  if (cardId === null || cardMadeAt === null) throw new Error('the account has no card');
  return { id: cardId, madeAt: cardMadeAt, applied: cardApplied };
}

/** Remembers that the newest card was applied. Returns false if another card is the newest by now. */
export async function noteCardApplied(
  db: Reader,
  organizationId: string,
  cardId: string,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('billingAccounts')
    .set({ cardApplied: true })
    .where('organizationId', '=', uuidOf(organizationId))
    .where('cardId', '=', cardId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Locks the account until the commit. */
export async function lockBillingAccount(
  change: Change,
  organizationId: string,
): Promise<BillingAccount | undefined> {
  const row = await change.db
    .selectFrom('billingAccounts')
    .selectAll()
    .where('organizationId', '=', uuidOf(organizationId))
    .forUpdate()
    .executeTakeFirst();
  return row && accountOf(row);
}

/** An organization's standing as the provider reports it. */
export interface BillingStanding {
  readonly status: BillingStatus;
  readonly subscriptionId: string | null;
  readonly paymentMethod: PaymentMethod | null;
  readonly subscriptions: number;
  /** The checkout is over; the next one must be new. */
  readonly checkoutOver: boolean;
}

export async function writeStanding(
  change: Change,
  organizationId: string,
  { checkoutOver, paymentMethod, ...standing }: BillingStanding,
): Promise<void> {
  await change.db
    .updateTable('billingAccounts')
    .set({
      ...standing,
      paymentMethod: paymentMethod === null ? null : JSON.stringify(paymentMethod),
      ...(checkoutOver && { checkoutId: null, checkoutUrl: null, checkoutExpiresAt: null }),
      // A checkout that completed while the account was being closed may have begun a subscription: it is looked at again.
      closedAt: null,
    })
    .set({ ...touched, lookedAt: sql<Date>`clock_timestamp()` })
    .where('organizationId', '=', uuidOf(organizationId))
    .execute();
}

export async function writeSpendLimit(
  change: Change,
  organizationId: string,
  spendLimitMicros: bigint | null,
): Promise<void> {
  await change.db
    .updateTable('billingAccounts')
    // Warnings about another limit do not count for this one.
    .set({ spendLimitMicros: spendLimitMicros?.toString() ?? null, toldPercent: 0 })
    .set(touched)
    .where('organizationId', '=', uuidOf(organizationId))
    .execute();
}

export async function writeTold(
  change: Change,
  organizationId: string,
  toldPercent: number,
  toldMonth: Date,
): Promise<void> {
  await change.db
    .updateTable('billingAccounts')
    .set({ toldPercent, toldMonth })
    .where('organizationId', '=', uuidOf(organizationId))
    .execute();
}

/** TypeIDs of organizations with a spend limit. */
export async function organizationsWithLimit(db: Reader): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('billingAccounts')
    .select('organizationId')
    .where('spendLimitMicros', 'is not', null)
    .execute();
  return rows.map(({ organizationId }) => typeIdOfUuid('org', organizationId));
}

/** TypeIDs of organizations that were not checked for a day: a webhook of the provider may have been lost. */
export async function organizationsToLookAt(db: Reader, limit: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('billingAccounts')
    .select('organizationId')
    .where('status', '!=', 'SETUP_REQUIRED')
    .where('lookedAt', '<', sql<Date>`clock_timestamp() - interval '1 day'`)
    .orderBy('lookedAt')
    .limit(limit)
    .execute();
  return rows.map(({ organizationId }) => typeIdOfUuid('org', organizationId));
}

/**
 * Accounts of purged organizations whose billing is not closed yet, and whose use was sent. Use that the provider has refused
 * for longer than it accepts use does not keep an account open. Sorted by organization ID, those after `after`.
 */
export async function accountsToClose(
  db: Reader,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<readonly BillingAccount[]> {
  const rows = await db
    .selectFrom('billingAccounts as account')
    .innerJoin('organizations', 'organizations.id', 'account.organizationId')
    .selectAll('account')
    .where('organizations.purgedAt', 'is not', null)
    .where('account.closedAt', 'is', null)
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('billingUsage as usage')
            .select('usage.hour')
            .whereRef('usage.organizationId', '=', 'account.organizationId')
            .where('usage.sentAt', 'is', null)
            .where('usage.amountMicros', '>', '0')
            .where('usage.hour', '>', sql<Date>`clock_timestamp() - interval '35 days'`),
        ),
      ),
    )
    .$if(after !== undefined, (rest) =>
      rest.where('account.organizationId', '>', uuidOf(after ?? '')),
    )
    .orderBy('account.organizationId')
    .limit(limit)
    .execute();
  return rows.map(accountOf);
}

export async function closeAccount(db: Reader, organizationId: string): Promise<void> {
  await db
    .updateTable('billingAccounts')
    .set({ closedAt: sql<Date>`clock_timestamp()`, status: 'SETUP_REQUIRED' })
    .set(touched)
    .where('organizationId', '=', uuidOf(organizationId))
    .execute();
}

/** Records an event in the change that acts on it. Returns false if the event was recorded before. */
export async function noteBillingEvent(
  change: Change,
  organizationId: string,
  event: { readonly id: string; readonly type: string },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await change.db
    .insertInto('billingEvents')
    .values({ ...event, organizationId: uuidOf(organizationId) })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function isBillingEventKnown(db: Reader, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('billingEvents')
    .select('id')
    .where('id', '=', id)
    .executeTakeFirst();
  return row !== undefined;
}

/** Deletes old events; returns their number. The provider repeats one for three days; a signature is valid for minutes. */
export function sweepBillingEvents(db: Reader): Promise<number> {
  return sweepRows(db, 'billingEvents', sql`received_at < clock_timestamp() - interval '30 days'`);
}

const touched = {
  version: sql<number>`version + 1`,
  updatedAt: sql<Date>`clock_timestamp()`,
};

const accountOf = (row: Selectable<BillingAccountsTable>): BillingAccount => ({
  organizationId: typeIdOfUuid('org', row.organizationId),
  status: row.status as BillingStatus,
  customerId: row.customerId,
  subscriptionId: row.subscriptionId,
  paymentMethod: row.paymentMethod as PaymentMethod | null,
  subscriptions: row.subscriptions,
  checkouts: row.checkouts,
  checkout: checkoutOf(row),
  spendLimitMicros: row.spendLimitMicros === null ? null : BigInt(row.spendLimitMicros),
  toldPercent: row.toldPercent,
  toldMonth: row.toldMonth,
  closedAt: row.closedAt,
  version: row.version,
});

function checkoutOf(row: Selectable<BillingAccountsTable>): Checkout | null {
  const { checkoutId: id, checkoutUrl: url, checkoutReturnUrl: returnUrl } = row;
  const expiresAt = row.checkoutExpiresAt;
  if (id === null || url === null || returnUrl === null || expiresAt === null) return null;
  return { id, url, returnUrl, expiresAt };
}
