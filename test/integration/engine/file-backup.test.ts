/**
 * Backups of TigerBeetle's data files, by the commands and with a real store: of files with real heads, and of TigerBeetle itself if
 * TIGERBEETLE names its program.
 */
import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { Client } from '../../../engine/client/client.ts';
import { dataFileSize } from '../../../images/tigerbeetle-double/superblock.ts';
import { engineProgram } from '../../support/engine/engine.ts';
import { makeReplicaFile } from '../../support/engine/replica-file.ts';
import { TigerBeetle, tigerbeetle } from '../../support/engine/tigerbeetle.ts';
import { eventsOf, writeVariedLedger } from '../../support/engine/varied-ledger.ts';
import { mustRun, shell } from '../../support/shell.ts';
import { S3Server } from '../../support/store/s3-server.ts';

// Each command reads or writes a file of a gigabyte.
jest.setTimeout(1_800_000);

let server: S3Server;
beforeAll(async () => {
  server = await S3Server.start();
});
afterAll(() => server?.dispose());

const run = async (...args: readonly string[]): Promise<Record<string, unknown>> =>
  JSON.parse(await mustRun(engineProgram, [...args])) as Record<string, unknown>;

function newFolder(name: string): string {
  const folder = join(server.folder, name);
  mkdirSync(folder);
  return folder;
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path, { highWaterMark: 4 << 20 }))
    hash.update(bytes as Uint8Array);
  return hash.digest('hex');
}

const makeFile = (path: string, replicaIndex: number, replicaCount: number) =>
  makeReplicaFile(path, { clusterId: 77n, replicaIndex, replicaCount });

test('the files of a stopped cluster go into the bucket and come back byte for byte, with their digests', async () => {
  const from = newFolder('from');
  const store = server.flags('db_files');
  const cluster = ['--cluster=77', '--replica-count=3'];
  const paths = [0, 1, 2].map((index) => join(from, `77_${index}.tigerbeetle`));
  for (const [index, path] of paths.entries()) await makeFile(path, index, 3);
  const copy = (index: number) =>
    run('backup-file', ...store, '--id=cold', ...cluster, `--replica=${index}`, paths[index]!);
  const copied = await copy(0);
  await copy(1);
  const early = await shell(engineProgram, ['backup-files', ...store, '--id=cold', ...cluster]);
  expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining('replica-2.ndjson') });
  await copy(2);
  const made = await run('backup-files', ...store, '--id=cold', ...cluster);
  const digests = [];
  for (const path of paths) digests.push(await digestOf(path));
  expect(made).toMatchObject({
    clusterId: '77',
    release: '0.17.9',
    encrypted: false,
    files: digests.map((sha256, replica) => ({ replica, sizeBytes: dataFileSize, sha256 })),
  });
  // The result of a Job that was lost is found again.
  expect(await copy(0)).toMatchObject({ sha256: copied['sha256'], newBytes: 0 });
  const listed = (await mustRun(engineProgram, ['backups', ...store])).trim();
  expect(JSON.parse(listed)).toMatchObject({ backupId: 'cold', sha256: made['sha256'] });
  const which = ['--backup=cold', `--sha256=${String(made['sha256'])}`];
  expect(await run('verify-files', ...store, ...which)).toMatchObject({ backupId: 'cold' });

  const to = join(newFolder('to'), '77_1.tigerbeetle');
  const identity = ['--cluster=77', '--replica-count=3', '--replica=1', '--release=0.17.9'];
  await run('restore-file', ...store, ...which, ...identity, to);
  expect(await digestOf(to)).toBe(digests[1]);
  // Nothing is overwritten.
  const again = await shell(engineProgram, ['restore-file', ...store, ...which, ...identity, to]);
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('exists') });

  await run('remove-backup', ...store, '--backup=cold');
  const removed = await shell(engineProgram, ['verify-files', ...store, ...which]);
  expect(removed).toMatchObject({ code: 1, stderr: expect.stringContaining('was removed') });
});

test('the sweep deletes the objects of a backup that never ended, a week after the last one, and nobody completes it', async () => {
  const path = join(newFolder('given-up'), '77_0.tigerbeetle');
  await makeFile(path, 0, 1);
  const store = server.flags('db_given_up');
  const which = ['--id=given-up', '--cluster=77', '--replica-count=1'];
  await run('backup-file', ...store, ...which, '--replica=0', path);
  expect(await run('sweep-backups', ...store)).toMatchObject({ unfinished: 0, waiting: 0 });
  expect(server.age('db_given_up/files/given-up', 8)).toBeGreaterThan(1);
  expect(await run('sweep-backups', ...store)).toMatchObject({ unfinished: 1, waiting: 1 });
  expect(await run('sweep-backups', ...store)).toMatchObject({ unfinished: 0, waiting: 1 });
  const late = await shell(engineProgram, ['backup-files', ...store, ...which]);
  expect(late).toMatchObject({ code: 1, stderr: expect.stringContaining('is given up') });
});

(tigerbeetle === undefined ? test.skip : test)(
  'three replicas of TigerBeetle itself go on with their files from a backup, with every event and every balance',
  async () => {
    const store = server.flags('db_beetle');
    const size = ['--cluster=77', '--replica-count=3'];
    const cluster = await TigerBeetle.create(tigerbeetle ?? '', { clusterId: 77n, replicas: 3 });
    const addresses = cluster.ports.map((port) => ({ host: '127.0.0.1', port }));
    const asked = async <T>(work: (client: Client) => Promise<T>): Promise<T> => {
      const client = new Client({ cluster: 77n, addresses, timeoutMs: 180_000 });
      return work(client).finally(() => client.close());
    };
    try {
      const written = await asked(async (client) => {
        await writeVariedLedger(client);
        return eventsOf(client);
      });
      await cluster.kill();
      for (const [index, file] of cluster.files.entries())
        await run('backup-file', ...store, '--id=cold', ...size, `--replica=${index}`, file);
      const made = await run('backup-files', ...store, '--id=cold', ...size);
      expect(made['storedBytes']).toBeLessThan(2 ** 24);
      await run('verify-files', ...store, '--backup=cold');

      for (const [index, file] of cluster.files.entries()) {
        const digest = await digestOf(file);
        rmSync(file);
        const which = ['--backup=cold', ...size, `--replica=${index}`, '--release=0.17.9'];
        await run('restore-file', ...store, ...which, file);
        expect(await digestOf(file)).toBe(digest);
      }
      await cluster.start();
      expect(await asked(eventsOf)).toEqual(written);
    } finally {
      await cluster.dispose();
    }
  },
);
