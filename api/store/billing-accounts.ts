/** What the store knows of an organization's standing at the provider of payments. */
import { sql, type Selectable } from 'kysely';
import { typeIdOfUuid } from '../../domain/type-id.ts';
import type { BillingAccountsTable } from './billing-tables.ts';
import type { Change } from './change.ts';
import { uuidOf } from './ids.ts';
import type { Reader } from './tables.ts';

/** `PAST_DUE`: a payment failed, and the provider tries again. `SUSPENDED`: it has given up. */
export const billingStatuses = ['READY', 'SETUP_REQUIRED', 'PAST_DUE', 'SUSPENDED'] as const;
export type BillingStatus = (typeof billingStatuses)[number];

/** As people know it: `visa`, `4242`. */
export interface PaymentMethod {
  readonly brand: string;
  readonly last4: string | null;
}

export interface Checkout {
  readonly id: string;
  readonly url: string;
  /** Where it sends people back to. */
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
  /** How many there were: part of the keys that make each once. */
  readonly subscriptions: number;
  readonly checkouts: number;
  /** The one that was handed out last and is not known to be over. */
  readonly checkout: Checkout | null;
  /** Millionths of the currency's unit. */
  readonly spendLimitMicros: bigint | null;
  readonly toldPercent: number;
  readonly toldMonth: Date | null;
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

/** Makes it if there is none. */
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

/** TypeID of the organization whose customer it is. */
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

/** The first one stays. */
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

/** False: another checkout was made meanwhile, and stays. */
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

/** Locks it until the commit. */
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

/** What a look at the provider shows. */
export interface BillingStanding {
  readonly status: BillingStatus;
  readonly subscriptionId: string | null;
  readonly paymentMethod: PaymentMethod | null;
  readonly subscriptions: number;
  /** The checkout is over: the next one is another. */
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
    // What was told of another limit is nothing to this one.
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

/** TypeIDs of organizations at which nobody has looked for a day: what the provider told may have been lost. */
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

/** False: it was acted on before. In the change that acts. */
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

/** The provider repeats for three days, and a signature is good for minutes. Gives how many. */
export async function sweepBillingEvents(db: Reader): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('billingEvents')
    .where('receivedAt', '<', sql<Date>`clock_timestamp() - interval '30 days'`)
    .executeTakeFirst();
  return Number(numDeletedRows);
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
  version: row.version,
});

function checkoutOf(row: Selectable<BillingAccountsTable>): Checkout | null {
  const { checkoutId: id, checkoutUrl: url, checkoutReturnUrl: returnUrl } = row;
  const expiresAt = row.checkoutExpiresAt;
  if (id === null || url === null || returnUrl === null || expiresAt === null) return null;
  return { id, url, returnUrl, expiresAt };
}
