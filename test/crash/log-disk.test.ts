/** The data file on real disks: a volume that is full, a process that is killed, a lock that dies with its holder. */
import { afterEach, expect, test } from '@jest/globals';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { diskStorage } from '../../engine/log/disk-storage.ts';
import { exportDataFile } from '../../engine/log/export.ts';
import { formatDataFile } from '../../engine/log/format-file.ts';
import { inspectDataFile } from '../../engine/log/inspect.ts';
import { LOG_SIZE_MIN } from '../../engine/log/layout.ts';
import { restoreDataFile } from '../../engine/log/restore.ts';
import {
  createToyFile,
  IDENTITY,
  messageOf,
  RELEASE,
  ToyReplica,
} from '../../engine/log/testing/replica.ts';
import { modelOf } from '../../engine/log/testing/toy-state.ts';
import { checkout, eventually } from '../support/shell.ts';

/** Mounting a small tmpfs needs root; without it these tests are reported as skipped. */
const mountTest = process.getuid?.() === 0 ? test : test.skip;
const cleanups: (() => void)[] = [];

afterEach(() => {
  for (const clean of cleanups.splice(0).reverse()) clean();
});

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-log-'));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('format, append, checkpoint, stop, start, export, restore on a real disk', async () => {
  const folder = temporaryFolder();
  const path = join(folder, '0_0.ledger');
  await formatDataFile({ path, identity: IDENTITY, release: RELEASE, logSizeBytes: LOG_SIZE_MIN });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const replica = await ToyReplica.start(diskStorage, path);
  for (let op = 1; op <= 100; op += 1) {
    await replica.append(messageOf(op, op * 1000));
    if (op === 40 || op === 100) await replica.checkpoint();
  }
  await replica.log.close();
  const exported = join(folder, 'exported.ledger');
  await exportDataFile(path, { path: exported });
  const restored = join(folder, 'restored.ledger');
  await restoreDataFile({
    from: exported,
    to: restored,
    restamp: { clusterId: 9n },
    logSizeBytes: LOG_SIZE_MIN,
  });
  for (const file of [path, exported, restored]) {
    expect(await inspectDataFile(file)).toMatchObject({
      kind: 'ledgerhouse',
      errors: [],
      lastOp: 100,
      wholeCopies: 4,
    });
  }
  const again = await ToyReplica.start(diskStorage, restored);
  expect(again.log.identity.clusterId).toBe(9n);
  expect(again.state.digest(false)).toBe(modelOf(replica.messages).digest(false));
  await again.log.close();
});

mountTest(
  'a full volume refuses the checkpoint, keeps the log going, and is made up for when there is room',
  async () => {
    const folder = temporaryFolder();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=40m', 'tmpfs', folder]);
    cleanups.push(() => execFileSync('umount', [folder]));
    const path = join(folder, '0_0.ledger');
    await formatDataFile({
      path,
      identity: IDENTITY,
      release: RELEASE,
      logSizeBytes: LOG_SIZE_MIN,
    });
    const replica = await ToyReplica.start(diskStorage, path);
    await replica.append(messageOf(1, 5000));
    await replica.checkpoint();
    const ballast = join(folder, 'ballast');
    try {
      writeFileSync(ballast, new Uint8Array(40 << 20));
    } catch (error) {
      expect(error).toMatchObject({ code: 'ENOSPC' });
    }
    const acknowledged = [replica.append(messageOf(2, 100_000))];
    await expect(replica.checkpoint()).rejects.toMatchObject({ code: 'storage_full' });
    for (let op = 3; !replica.log.logFull; op += 1)
      acknowledged.push(replica.append(messageOf(op, 1_000_000)));
    await Promise.all(acknowledged);
    expect(replica.failures).toEqual([]);
    rmSync(ballast);
    await replica.checkpoint();
    expect(replica.checkpointOp).toBe(2);
    await replica.checkpoint();
    expect(replica.log.logFull).toBe(false);
    await replica.log.close();
    const again = await ToyReplica.start(diskStorage, path);
    expect(again.state.digest()).toBe(modelOf(replica.messages).digest());
    await again.log.close();
  },
);

mountTest('format on a volume without room leaves nothing behind', async () => {
  const folder = temporaryFolder();
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder]);
  cleanups.push(() => execFileSync('umount', [folder]));
  const path = join(folder, '0_0.ledger');
  await expect(
    formatDataFile({ path, identity: IDENTITY, release: RELEASE }),
  ).rejects.toMatchObject({ code: 'ENOSPC' });
  expect(execFileSync('ls', ['-A', folder]).toString()).toBe('');
});

/** Holds the file in a process of its own, appends for ever and prints each acknowledged op. */
const holder = `
const { diskStorage } = await import('./engine/log/disk-storage.ts');
const { messageOf, ToyReplica } = await import('./engine/log/testing/replica.ts');
const replica = await ToyReplica.start(diskStorage, process.argv[1]);
for (;;) {
  await replica.append(messageOf(replica.state.op + 1, 3000));
  process.stdout.write(replica.acknowledgedOp + '\\n');
  if (replica.log.logFull) await replica.checkpoint();
}`;

test('a killed process releases the file at once, and everything that it acknowledged is there', async () => {
  const path = join(temporaryFolder(), '0_0.ledger');
  await createToyFile(diskStorage, 256 << 10, path);
  let acknowledged = 0;
  for (let round = 0; round < 5; round += 1) {
    const args = [
      '--disable-warning=ExperimentalWarning',
      '--input-type=module',
      '-e',
      holder,
      path,
    ];
    const child = spawn(process.execPath, args, {
      cwd: checkout,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    await eventually('it appends', async () => printed.length >= 500 || undefined);
    await expect(ToyReplica.start(diskStorage, path)).rejects.toMatchObject({ code: 'locked' });
    child.kill('SIGKILL');
    await once(child, 'close');
    const last = Number(printed.slice(0, printed.lastIndexOf('\n')).split('\n').at(-1));
    expect(last).toBeGreaterThan(acknowledged);
    acknowledged = last;
    const replica = await ToyReplica.start(diskStorage, path);
    const { op } = replica.state;
    expect(op).toBeGreaterThanOrEqual(acknowledged);
    const messages = Array.from({ length: op }, (_, index) => messageOf(index + 1, 3000));
    expect(replica.state.digest()).toBe(modelOf(messages).digest());
    await replica.log.close();
  }
}, 900_000);
