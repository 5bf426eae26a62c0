/** Continuous archiving of three replicas: each has an archiver, and whoever leads is archived, through failovers. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { Operation } from '../../engine/wire/operations.ts';
import { ensureProgram } from '../../tools/cluster/binaries.ts';
import { TestArchiver } from '../support/engine/archiver.ts';
import { engineProgram } from '../support/engine/engine.ts';
import { accountBytes, create, transferBytes } from '../support/engine/ledger.ts';
import { eventually, mustRun } from '../support/shell.ts';
import { S3Server } from '../support/store/s3-server.ts';
import { ReplicaGroup } from './replica-group.ts';

jest.setTimeout(30 * 60_000);

const begun: (() => Promise<void>)[] = [];
beforeAll(() => ensureProgram('etcd'), 15 * 60_000);
afterEach(async () => {
  for (const end of begun.splice(0).reverse()) await end();
});

test('leaders and archivers are killed under load: one chain without a hole, which restores to what the replicas have', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-archiving-'));
  begun.push(async () => rmSync(folder, { recursive: true, force: true }));
  const server = await S3Server.start();
  begun.push(() => server.dispose());
  const group = await ReplicaGroup.start({ flags: ['--archive'] });
  begun.push(() => group.dispose());
  await group.leader();
  const store = server.flags('db_three');
  const archiverOf = (replica: number): TestArchiver => {
    const engine = { folder: join(folder, String(replica)), statusPort: group.statusPort(replica) };
    const archiver = new TestArchiver({ engine, store });
    begun.push(() => archiver.end('SIGKILL'));
    return archiver.start();
  };
  const archivers = [0, 1, 2].map(archiverOf);

  const client = group.connect(180_000);
  begun.push(async () => client.close());
  await create(client, Operation.createAccounts, accountBytes([1n, 2n]));
  let id = 0n;
  const load = { goesOn: true };
  const writing = (async () => {
    while (load.goesOn) {
      const batch = Array.from({ length: 20 }, () => ({
        id: (id += 1n),
        debit: 1n,
        credit: 2n,
        amount: 1n,
      }));
      await create(client, Operation.createTransfers, transferBytes(batch));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  for (let round = 0; round < 3; round += 1) {
    const leader = await group.leader();
    await eventually('the leader is archived', async () => {
      const archive = (await group.status(leader))?.archive;
      return archive?.leads === true && (archive.archivedOp ?? 0) > 0 ? true : undefined;
    });
    // With its archiver, as when a node is lost; or the engine alone.
    if (round % 2 === 0) await archivers[leader]?.end('SIGKILL');
    await group.signal(leader, 'SIGKILL');
    await group.leader();
    group.start(leader);
    if (round % 2 === 0) archivers[leader] = archiverOf(leader);
    await group.joined(leader);
  }
  load.goesOn = false;
  await writing;
  const { op, stateHash } = await group.level();
  await eventually('everything is archived', async () => {
    const leader = await group.leader();
    const archive = (await group.status(leader))?.archive;
    return archive?.archivedOp === op ? true : undefined;
  });
  const { windows } = JSON.parse(await mustRun(engineProgram, ['recovery-windows', ...store])) as {
    readonly windows: readonly object[];
  };
  expect(windows).toMatchObject([{ from: { op: 0 }, to: { op }, missingOps: 0 }]);
  const to = join(folder, 'restored.ledger');
  const where = ['--cluster=9', '--replica=0', '--replica-count=1', to];
  const said = await mustRun(engineProgram, [
    'restore-backup',
    ...store,
    `--to-op=${op}`,
    ...where,
  ]);
  expect(JSON.parse(said)).toMatchObject({ op, stateHash, transfers: Number(id) });
});
