/**
 * A volume that fills up, with the real engine on a small tmpfs: new events are refused before the log is exhausted,
 * nothing acknowledged is lost, reads and restarts go on, and writes come back with the room.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { Operation } from '../../engine/wire/operations.ts';
import { TestEngine } from '../support/engine/engine.ts';
import { accountBytes, batchSize, connectTo, create } from '../support/engine/ledger.ts';
import { eventually } from '../support/shell.ts';
import {
  fillUp,
  makeRoom,
  mayMount,
  mountVolume,
  unmountVolume,
} from '../support/engine/small-volume.ts';
import { batchTimeoutMs, debitsPosted, inSession, writeUntilRefused } from './until-refused.ts';

jest.setTimeout(900_000);

const mebibyte = 2 ** 20;

let volume = '';
beforeAll(() => {
  if (!mayMount()) return;
  volume = mkdtempSync(join(tmpdir(), 'ledgerhouse-full-disk-'));
  mountVolume(volume, 2 ** 30);
});
afterAll(() => {
  if (volume === '') return;
  unmountVolume(volume);
  rmSync(volume, { recursive: true });
});

test('a full disk refuses new events, loses none, and writes come back with the room', async () => {
  if (volume === '') return;
  const folder = join(volume, 'replica');
  mkdirSync(folder);
  const engine = await TestEngine.create({ folder });
  const client = connectTo(engine.port, batchTimeoutMs);
  try {
    await inSession(engine.port, (setup) =>
      create(setup, Operation.createAccounts, accountBytes([1n, 2n])),
    );
    fillUp(volume, 4 * mebibyte);
    const acknowledged = await writeUntilRefused(engine, client, 400);
    const expected = BigInt(acknowledged * batchSize);
    const status = await engine.status();
    expect(status.acceptsWrites).toBe(false);
    expect(status.warnings).toContain('StorageFull');
    // The session that is refused has a request in flight; a new one is registered and reads.
    expect(await debitsPosted(engine.port)).toBe(expected);

    // Killed while the disk is full: the log alone brings everything back.
    await engine.end('SIGKILL');
    await engine.start();
    expect((await engine.status()).acceptsWrites).toBe(false);
    expect(await debitsPosted(engine.port)).toBe(expected);

    makeRoom(volume);
    await eventually('writes are accepted again', async () =>
      (await engine.status()).acceptsWrites ? true : undefined,
    );
    // The client repeats the refused request until it is answered: it is executed now, once.
    await eventually('the refused batch is executed', async () =>
      (await debitsPosted(engine.port)) === expected + BigInt(batchSize) ? true : undefined,
    );
  } finally {
    client.close();
    await engine.dispose();
  }
});
