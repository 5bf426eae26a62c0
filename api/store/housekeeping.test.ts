import { expect, test } from '@jest/globals';
import pino from 'pino';
import { Housekeeping } from './housekeeping.ts';

test('a sweep is repeated until it finds nothing, and one without end leaves the others their turn', async () => {
  const found = [1_000, 1_000, 3, 0];
  let pieces = 0;
  let endless = 0;
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const housekeeping = new Housekeeping(
    {
      bounded: () => Promise.resolve(found[pieces++] ?? 0),
      endless: () => Promise.resolve((endless += 1)),
      last: () => {
        reach();
        return Promise.resolve(0);
      },
    },
    pino({ level: 'silent' }),
  );
  housekeeping.start();
  await reached;
  expect([pieces, endless]).toEqual([4, 100]);
  await housekeeping.stop();
});

test('a sweep that fails does not keep the others from sweeping', async () => {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const housekeeping = new Housekeeping(
    {
      failing: () => Promise.reject(new Error('no')),
      next: () => {
        reach();
        return Promise.resolve(0);
      },
    },
    pino({ level: 'silent' }),
  );
  housekeeping.start();
  await reached;
  await housekeeping.stop();
});
