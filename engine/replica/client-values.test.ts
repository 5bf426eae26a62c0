import { expect, test } from '@jest/globals';
import { ClientValues } from './client-values.ts';

test('a client has the value that was set last, until it ends', () => {
  const values = new ClientValues<string>();
  expect(values.get(1n)).toBeUndefined();
  values.set(1n, 'first');
  values.set(2n, 'other');
  values.set(1n, 'second');
  expect([values.get(1n), values.get(2n)]).toEqual(['second', 'other']);
  values.end(1n);
  values.end(3n);
  expect([values.get(1n), values.get(2n), values.get(3n)]).toEqual([undefined, 'other', undefined]);
  values.set(1n, 'third');
  expect(values.get(1n)).toBe('third');
});

test('clients that come and go take no value from one that stays', () => {
  const values = new ClientValues<bigint>();
  values.set(0n, 7n);
  for (let client = 1n; client <= 10_000n; client += 1n) {
    values.set(client, client);
    expect(values.get(client)).toBe(client);
    values.end(client);
  }
  expect(values.get(0n)).toBe(7n);
});
