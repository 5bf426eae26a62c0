import { expect, test } from '@jest/globals';
import pino from 'pino';
import { MetricRegistry } from '../../base/metrics/metrics.ts';
import { VirtualTimers } from '../../test/support/operator/virtual-timers.ts';
import { changeEventsRequest } from '../ledger/change-events.ts';
import { Gateway } from './gateway.ts';

const minute = 60_000;

test('databases that nobody asks any more are forgotten, also when another process deleted them', async () => {
  const timers = new VirtualTimers();
  const logger = pino({ level: 'silent' });
  const gateway = new Gateway({ logger, registry: new MetricRegistry(), timers });
  /** A caller who has gone opens no connection. */
  const ask = async (databaseId: string) => {
    const target = {
      databaseId,
      cluster: 1n,
      version: 1,
      addresses: [{ host: '127.0.0.1', port: 1 }],
    };
    const asked = gateway.submit(target, changeEventsRequest(0n, 1), {
      signal: AbortSignal.abort(),
    });
    await expect(asked).rejects.toMatchObject({ code: 'abandoned' });
  };
  for (let index = 0; index < 50; index += 1) await ask(`db_${index}`);
  expect(gateway.databases).toBe(50);
  await timers.advance(9 * minute);
  await ask('db_7');
  await timers.advance(9 * minute);
  await ask('db_new');
  expect(gateway.databases).toBe(2);
  gateway.close();
  expect([gateway.databases, timers.pending]).toEqual([0, 0]);
});
