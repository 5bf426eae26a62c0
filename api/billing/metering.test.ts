import { expect, test } from '@jest/globals';
import type { DatabaseOfHour } from '../store/billing-usage.ts';
import { usageOf } from './metering.ts';

const hour = new Date('2026-11-21T10:00:00.000Z');
const database: DatabaseOfHour = {
  databaseId: '0193a5d3-7a3e-7000-8000-000000000001',
  organizationId: '0193a5d3-7a3e-7000-8000-000000000002',
  clusterConfiguration: 'single',
  clusterSize: 'lh-5',
  storageTier: 'network-ssd',
  storageGb: 20,
  price: { currency: 'EUR', monthly: '12.00', storage: '2.00' },
  events: [{ type: 'database.ready', occurredAt: new Date('2026-11-20T00:00:00Z') }],
};
const shown = (row: DatabaseOfHour) =>
  usageOf(row, hour).map(({ meter, seconds, currency, amountMicros }) => [
    meter,
    seconds,
    currency,
    amountMicros,
  ]);

test('the price that was agreed is shared out between processes and volumes', () => {
  expect(shown(database)).toEqual([
    ['compute', 3600, 'EUR', 13_699n],
    ['storage', 3600, 'EUR', 2_740n],
  ]);
});

test('a price of before the parts were told apart is one of processes', () => {
  const price = { currency: 'EUR', monthly: '12.00' };
  expect(shown({ ...database, price })).toEqual([
    ['compute', 3600, 'EUR', 16_438n],
    ['storage', 3600, 'EUR', 0n],
  ]);
});

test('use without a price is metered too', () => {
  expect(shown({ ...database, price: null })).toEqual([
    ['compute', 3600, null, null],
    ['storage', 3600, null, null],
  ]);
});

test('a suspended database is charged for its volumes only', () => {
  const events = [{ type: 'database.suspended', occurredAt: hour }] as const;
  expect(shown({ ...database, events })).toEqual([['storage', 3600, 'EUR', 2_740n]]);
});
