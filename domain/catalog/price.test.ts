import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { catalogSpec } from '../../test/fixtures/catalog.ts';
import type { CatalogSpec } from '../custom-resources.ts';
import { priceLinesOf, priceOf } from './price.ts';

type Prices = NonNullable<CatalogSpec['prices']>;

const withPrices = (prices: Prices): CatalogSpec => ({ ...catalogSpec(), prices });
const pricesOf = (monthly: string, monthlyPerGb: string): Prices => ({
  currency: 'EUR',
  sizes: [{ size: 'lh-5', monthly }],
  storage: [{ tier: 'network-ssd', monthlyPerGb }],
});
const chosen = { size: 'lh-5', tier: 'network-ssd', storageGb: 20, replicas: 1, members: false };

test.each([
  ['10', '0.1', 20, 1, '12.00'],
  ['10', '0.1', 20, 3, '36.00'],
  ['10', '0.1', 20, 6, '72.00'],
  ['0', '0', 1, 1, '0.00'],
  ['0.0049', '0', 1, 1, '0.00'],
  ['0.005', '0', 1, 1, '0.01'],
  // The sum of all replicas is rounded once: not three times half a cent.
  ['0.005', '0', 1, 3, '0.02'],
  ['19.99', '0.0825', 100, 3, '84.72'],
  // Prices that floating point cannot represent.
  ['0.1', '0.2', 1, 1, '0.30'],
  ['999999999.9999', '999999999.9999', 65_536, 6, '393221999999960.68'],
])('%s and %s a GiB, %i GiB, %i replicas: %s', (monthly, perGb, storageGb, replicas, expected) => {
  const price = priceOf(withPrices(pricesOf(monthly, perGb)), { ...chosen, storageGb, replicas });
  expect(price).toEqual({ currency: 'EUR', monthly: expected });
});

test.each([
  ['2.5', true, '43.50'],
  ['2.5', false, '36.00'],
  // A part without a price costs nothing.
  [undefined, true, '36.00'],
])('a member of etcd at %s beside each of three replicas: %s, %s', (own, members, expected) => {
  const prices = pricesOf('10', '0.1');
  const sizes = [
    { size: 'lh-5', monthly: '10', ...(own === undefined ? {} : { memberMonthly: own }) },
  ];
  const spec = withPrices({ ...prices, sizes });
  expect(priceOf(spec, { ...chosen, replicas: 3, members })?.monthly).toBe(expected);
});

test('a price is exact to the cent, whatever the decimals', () => {
  const decimals = fc.tuple(fc.nat(999_999_999), fc.nat(9_999));
  const written = ([whole, fraction]: [number, number]) =>
    `${whole}.${String(fraction).padStart(4, '0')}`;
  const counted = ([whole, fraction]: [number, number]) =>
    BigInt(whole) * 10_000n + BigInt(fraction);
  const replicaCounts = fc.constantFrom(1, 3, 6);
  fc.assert(
    fc.property(
      decimals,
      decimals,
      fc.integer({ min: 1, max: 65_536 }),
      replicaCounts,
      (size, storage, storageGb, replicas) => {
        const catalog = withPrices(pricesOf(written(size), written(storage)));
        const price = priceOf(catalog, { ...chosen, storageGb, replicas });
        expect(price?.monthly).toMatch(/^\d+\.\d\d$/);
        const cents = BigInt(price?.monthly.replace('.', '') ?? '');
        const lines = priceLinesOf(catalog, { ...chosen, storageGb, replicas });
        const inLines = lines.map((line) => BigInt(line.amount.replace('.', '')));
        expect(inLines.reduce((sum, line) => sum + line, 0n)).toBe(cents);
        const off =
          cents * 100n - (counted(size) + counted(storage) * BigInt(storageGb)) * BigInt(replicas);
        expect(off > -50n && off <= 50n).toBe(true);
      },
    ),
  );
});

const { prices: _, ...unpriced } = catalogSpec();

test.each([
  ['prices at all', unpriced],
  ['a price of the size', withPrices({ ...pricesOf('1', '1'), sizes: [] })],
  ['a price of the tier', withPrices({ ...pricesOf('1', '1'), storage: [] })],
  ['prices of sizes', withPrices({ currency: 'EUR' })],
])('without %s a database has no price, rather than a wrong one', (__, catalog) => {
  expect(priceOf(catalog, chosen)).toBeUndefined();
});
