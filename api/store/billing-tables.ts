/** The tables of billing, in the form that `tables.ts` describes. */
import type { ColumnType, Generated, JSONColumnType } from 'kysely';

type Time = ColumnType<Date, Date | undefined, Date>;
type MaybeTime = ColumnType<Date | null, Date | null | undefined, Date | null>;
type MaybeJson = ColumnType<object | null, string | null | undefined, string | null>;

export interface BillingAccountsTable {
  organizationId: string;
  status: Generated<string>;
  customerId: string | null;
  paymentMethod: MaybeJson;
  subscriptionId: string | null;
  subscriptions: Generated<number>;
  checkouts: Generated<number>;
  checkoutId: string | null;
  checkoutUrl: string | null;
  checkoutReturnUrl: string | null;
  checkoutExpiresAt: MaybeTime;
  cardId: string | null;
  cardMadeAt: MaybeTime;
  cardApplied: Generated<boolean>;
  closedAt: MaybeTime;
  spendLimitMicros: string | null;
  toldPercent: Generated<number>;
  toldMonth: MaybeTime;
  version: Generated<number>;
  lookedAt: MaybeTime;
  updatedAt: Time;
}

interface BillingEventsTable {
  id: string;
  organizationId: string;
  type: string;
  receivedAt: Time;
}

export interface SavedCreatesTable {
  id: string;
  organizationId: string;
  name: string;
  request: JSONColumnType<object>;
  author: JSONColumnType<object>;
  status: string;
  databaseId: string | null;
  error: MaybeJson;
  leaseUntil: MaybeTime;
  createdAt: Time;
  expiresAt: ColumnType<Date, Date, Date>;
  endedAt: MaybeTime;
}

interface BillingHoursTable {
  hour: ColumnType<Date, Date, never>;
  meteredAt: Time;
}

interface BillingUsageTable {
  databaseId: string;
  hour: ColumnType<Date, Date, never>;
  meter: string;
  organizationId: string;
  seconds: number;
  clusterConfiguration: string;
  clusterSize: string;
  storageTier: string;
  storageGb: number;
  currency: string | null;
  amountMicros: string | null;
  claimedUntil: MaybeTime;
  uncertainSince: MaybeTime;
  sentAt: MaybeTime;
  refusal: string | null;
}

interface BillingSuspensionsTable {
  databaseId: string;
  organizationId: string;
  since: Time;
}

export interface BillingTables {
  billingAccounts: BillingAccountsTable;
  billingEvents: BillingEventsTable;
  savedCreates: SavedCreatesTable;
  billingHours: BillingHoursTable;
  billingUsage: BillingUsageTable;
  billingSuspensions: BillingSuspensionsTable;
}
