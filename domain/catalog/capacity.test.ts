import { expect, test } from '@jest/globals';
import { catalogSpec } from '../../test/fixtures/catalog.ts';
import type { CatalogSpec } from '../custom-resources.ts';
import { capacityOf, capacityOfSize } from './capacity.ts';

type Size = CatalogSpec['sizes'][number];

const gib = (memory: number): Size => ({
  id: `lh-${memory}`,
  cpuMillis: memory * 250,
  memoryMib: memory * 1024,
});
const sizes = [0.125, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 1024, 4096].map(gib);
const catalog: CatalogSpec = { ...catalogSpec(), sizes };
const held = (size: string, storageGb: number, replicas = 1) => {
  const capacity = capacityOf(catalog, { engine: 'Builtin', replicas, size, storageGb });
  if (capacity === undefined) throw new Error(`nothing is known of ${size}`);
  return capacity;
};

test('a size of 1 GiB is for the 20 million transfers, and for the 20 million accounts, that it was seen to hold', () => {
  expect(capacityOfSize(gib(1))).toEqual({
    transfersMax: 20_000_000,
    accountsMax: 20_000_000,
    storageGb: 8,
    transfersPerSecond: 50_000,
  });
});

test('a size of 4 GiB is for 100 million of each', () => {
  expect(capacityOfSize(gib(4))).toMatchObject({
    transfersMax: 100_000_000,
    accountsMax: 100_000_000,
  });
});

test('accounts get a tenth of a volume, and what transfers leave of it', () => {
  expect(held('lh-1', 5)).toEqual({
    transfersMax: 20_000_000,
    accountsMax: 3_000_000,
    limitedBy: 'memory',
  });
  expect(held('lh-1', 6).accountsMax).toBeGreaterThan(6_000_000);
});

test.each(sizes)(
  '$id holds what it is for on the volume that it is for, and no more on a larger one',
  (size) => {
    const { transfersMax, accountsMax, storageGb } = capacityOfSize(size);
    const full = { transfersMax, accountsMax, limitedBy: 'memory' };
    expect(held(size.id, storageGb)).toEqual(full);
    expect(held(size.id, storageGb * 10)).toEqual(full);
  },
);

test('a smaller volume holds fewer transfers, and says that the volume is what limits them', () => {
  const small = held('lh-32', 1);
  expect(small).toEqual({ transfersMax: 3_100_000, accountsMax: 540_000, limitedBy: 'storage' });
  const numbers = [1, 2, 3, 10, 30, 100].map((storageGb) => held('lh-32', storageGb).transfersMax);
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
});

test('a member of etcd takes its part of the volume', () => {
  expect(held('lh-1', 5, 3)).toMatchObject({ transfersMax: 14_000_000, limitedBy: 'storage' });
  expect(held('lh-1', 7, 3)).toMatchObject({ transfersMax: 20_000_000, limitedBy: 'memory' });
});

test('the largest memory promises no more rows than the engine can number', () => {
  expect(capacityOfSize(gib(4096)).transfersMax).toBeLessThan(2 ** 31);
});

test('the rate of many cores is that of one thread', () => {
  expect([1, 4, 32].map((size) => capacityOfSize(gib(size)).transfersPerSecond)).toEqual([
    50_000, 200_000, 300_000,
  ]);
});

test('TigerBeetle, and a size that is not in the catalog, have no known capacity', () => {
  const chosen = { replicas: 1, size: 'lh-1', storageGb: 5 };
  expect(capacityOf(catalog, { ...chosen, engine: 'TigerBeetle' })).toBeUndefined();
  expect(capacityOf(catalog, { ...chosen, engine: 'Builtin', size: 'gone' })).toBeUndefined();
});
