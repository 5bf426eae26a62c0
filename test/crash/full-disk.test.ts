/**
 * A volume that fills up, with the real engine on a small tmpfs: new events are refused before the log is exhausted,
 * nothing acknowledged is lost, reads and restarts go on, and writes come back with the room.
 */
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { Client } from '../../engine/client/client.ts';
import { Operation } from '../../engine/wire/operations.ts';
import { TestEngine } from '../support/engine.ts';
import {
  accountBytes,
  connectTo,
  create,
  created,
  lookupAccounts,
  transferBytes,
} from '../support/ledger.ts';
import { eventually } from '../support/shell.ts';

jest.setTimeout(240_000);

const batchSize = 8189;
const mebibyte = 2 ** 20;

let volume = '';
beforeAll(() => {
  volume = mkdtempSync(join(tmpdir(), 'ledgerhouse-full-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1g', 'tmpfs', volume], { stdio: 'pipe' });
  } catch (error) {
    rmSync(volume, { recursive: true });
    volume = '';
    process.stderr.write(`skipped: no tmpfs may be mounted here (${String(error)})\n`);
  }
});
afterAll(() => {
  if (volume === '') return;
  execFileSync('umount', [volume]);
  rmSync(volume, { recursive: true });
});

/** Leaves `left` bytes of the volume free. */
function fillUp(path: string, left: number): void {
  const { bavail, bsize } = statfsSync(volume);
  const piece = new Uint8Array(mebibyte);
  for (let free = bavail * bsize - left; free > 0; free -= piece.length)
    writeFileSync(path, piece.subarray(0, Math.min(free, piece.length)), { flag: 'a' });
}

function batchOf(index: number): Uint8Array {
  return transferBytes(
    Array.from({ length: batchSize }, (_, i) => ({
      id: BigInt(index * batchSize + i + 1),
      debit: 1n,
      credit: 2n,
      amount: 1n,
    })),
  );
}

/** Sends batches until one is not answered; gives how many were. */
async function writeUntilRefused(client: Client): Promise<number> {
  for (let index = 0; index < 400; index += 1) {
    try {
      const statuses = await create(client, Operation.createTransfers, batchOf(index));
      expect(statuses.every((status) => status === created)).toBe(true);
    } catch (error) {
      expect(error).toMatchObject({ code: 'request_deadline' });
      return index;
    }
  }
  throw new Error('the volume never filled up');
}

async function debitsPosted(port: number): Promise<bigint | undefined> {
  const client = connectTo(port);
  try {
    return (await lookupAccounts(client, [1n]))[0]?.debitsPosted;
  } finally {
    client.close();
  }
}

test('a full disk refuses new events, loses none, and writes come back with the room', async () => {
  if (volume === '') return;
  const ballast = join(volume, 'ballast');
  const folder = join(volume, 'replica');
  mkdirSync(folder);
  const engine = await TestEngine.create({ folder });
  const client = connectTo(engine.port, 5_000);
  try {
    await create(client, Operation.createAccounts, accountBytes([1n, 2n]));
    fillUp(ballast, 4 * mebibyte);
    const acknowledged = await writeUntilRefused(client);
    const expected = BigInt(acknowledged * batchSize);
    const status = await engine.status();
    expect(status.acceptsWrites).toBe(false);
    expect(status.warnings).toContain('StorageFull');
    // The session that is refused has a request in flight; a new one is registered and reads.
    expect(await debitsPosted(engine.port)).toBe(expected);

    // Still full, and killed: the log alone brings everything back.
    await engine.end('SIGKILL');
    await engine.start();
    expect((await engine.status()).acceptsWrites).toBe(false);
    expect(await debitsPosted(engine.port)).toBe(expected);

    rmSync(ballast);
    await eventually(
      'writes are accepted again',
      async () => ((await engine.status()).acceptsWrites ? true : undefined),
      30_000,
    );
    // Its client repeats the refused request until it is answered: it is executed now, once.
    await eventually(
      'the refused batch is executed',
      async () =>
        (await debitsPosted(engine.port)) === expected + BigInt(batchSize) ? true : undefined,
      30_000,
    );
  } finally {
    client.close();
    await engine.dispose();
  }
});
