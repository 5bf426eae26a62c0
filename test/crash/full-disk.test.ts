/**
 * A volume that fills up, with the real engine on a small tmpfs: new events are refused before the log is exhausted,
 * nothing acknowledged is lost, reads and restarts go on, and writes come back with the room.
 */
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { Operation } from '../../engine/wire/operations.ts';
import { TestEngine } from '../support/engine.ts';
import { accountBytes, connectTo, create } from '../support/ledger.ts';
import { eventually } from '../support/shell.ts';
import {
  batchDeadlineMs,
  batchSize,
  debitsPosted,
  inSession,
  writeUntilRefused,
} from './until-refused.ts';

jest.setTimeout(900_000);

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

test('a full disk refuses new events, loses none, and writes come back with the room', async () => {
  if (volume === '') return;
  const ballast = join(volume, 'ballast');
  const folder = join(volume, 'replica');
  mkdirSync(folder);
  const engine = await TestEngine.create({ folder });
  const client = connectTo(engine.port, batchDeadlineMs);
  try {
    await inSession(engine.port, (setup) =>
      create(setup, Operation.createAccounts, accountBytes([1n, 2n])),
    );
    fillUp(ballast, 4 * mebibyte);
    const acknowledged = await writeUntilRefused(engine, client, 400);
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
    await eventually('writes are accepted again', async () =>
      (await engine.status()).acceptsWrites ? true : undefined,
    );
    // Its client repeats the refused request until it is answered: it is executed now, once.
    await eventually('the refused batch is executed', async () =>
      (await debitsPosted(engine.port)) === expected + BigInt(batchSize) ? true : undefined,
    );
  } finally {
    client.close();
    await engine.dispose();
  }
});
