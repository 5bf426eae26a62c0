/**
 * Continuous archiving of three replicas, or of as many as REPLICAS says: each has an archiver, and whoever leads is archived, through
 * as many failovers as KILLS says.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { Client } from '../../engine/client/client.ts';
import { Operation } from '../../engine/wire/operations.ts';
import { logMemberVariable } from '../../domain/names.ts';
import { ensureProgram } from '../../tools/cluster/binaries.ts';
import { TestArchiver } from '../support/engine/archiver.ts';
import { engineProgram, TestEngine } from '../support/engine/engine.ts';
import { accountBytes, create, created, transferBytes } from '../support/engine/ledger.ts';
import { eventually, mustRun } from '../support/shell.ts';
import { S3Server } from '../support/store/s3-server.ts';
import { ReplicaGroup } from './replica-group.ts';
import { throughGateway } from './through-gateway.ts';

jest.setTimeout(30 * 60_000);

const folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-archiving-'));
let server: S3Server;
let group: ReplicaGroup;
let client: Client;
let store: readonly string[];
const size = Number(process.env['REPLICAS'] ?? '3');
const kills = Number(process.env['KILLS'] ?? '3');
const archivers: TestArchiver[] = [];
let lastId = 0n;

beforeAll(async () => {
  await ensureProgram('etcd');
  server = await S3Server.start();
  group = await ReplicaGroup.start({ size, flags: ['--archive'] });
  store = server.flags('db_three');
  await group.leader();
  for (let replica = 0; replica < size; replica += 1) archivers[replica] = archiverOf(replica);
  client = group.connect(180_000);
  await create(client, Operation.createAccounts, accountBytes([1n, 2n]));
}, 15 * 60_000);
afterAll(async () => {
  client?.close();
  for (const archiver of archivers) await archiver.end('SIGKILL');
  await group?.dispose();
  await server?.dispose();
  rmSync(folder, { recursive: true, force: true });
});

/** `reads`: whether it reads the log in its replica's member, as in a pod, or the engine sends it. */
function archiverOf(replica: number, reads = true): TestArchiver {
  const engine = { folder: join(folder, String(replica)), statusPort: group.statusPort(replica) };
  const env = reads ? { [logMemberVariable]: group.etcd.target(replica) } : {};
  return new TestArchiver({ engine, store, env }).start();
}

/** Writes transfers, a batch after the other, as long as `load` says so. */
async function write(
  by: Client,
  load: { readonly goesOn: boolean },
  batch: number,
  acknowledged: () => void = () => undefined,
): Promise<void> {
  while (load.goesOn) {
    const transfers = Array.from({ length: batch }, () => ({
      id: (lastId += 1n),
      debit: 1n,
      credit: 2n,
      amount: 1n,
    }));
    await create(by, Operation.createTransfers, transferBytes(transfers));
    acknowledged();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function restored(name: string, ...which: readonly string[]) {
  const path = join(folder, name);
  const where = ['--cluster=9', '--replica=0', '--replica-count=1', path];
  const said = await mustRun(engineProgram, ['restore-backup', ...store, ...which, ...where]);
  return { path, ...(JSON.parse(said) as { op: number; stateHash: string; transfers: number }) };
}

test('leaders and archivers are killed under load: one chain without a hole, which restores to what the replicas have', async () => {
  const load = { goesOn: true };
  const writing = write(client, load, 20);
  const isSent = new Set<number>();
  for (let round = 0; round < kills; round += 1) {
    // On a busy machine another replica may take the lead at any time.
    const leader = await eventually('the leader is archived', async () => {
      const replica = await group.leader();
      const archive = (await group.status(replica))?.archive;
      const reads = isSent.has(replica) ? 'Engine' : 'Member';
      if (archive?.leads !== true || (archive.archivedOp ?? 0) === 0 || archive.reads !== reads)
        throw new Error(`replica ${replica}: ${JSON.stringify(archive)}`);
      return replica;
    });
    // With its archiver, as when a node is lost; or the engine alone.
    if (round % 2 === 0) await archivers[leader]?.end('SIGKILL');
    await group.signal(leader, 'SIGKILL');
    await group.leader();
    group.start(leader);
    if (round % 2 === 0) {
      // Of two forms comes one chain.
      archivers[leader] = archiverOf(leader, false);
      isSent.add(leader);
    }
    await group.joined(leader);
  }
  load.goesOn = false;
  await writing;
  const { op, stateHash } = await eventually(
    'everything is archived',
    async () => {
      const level = await group.level();
      const archive = (await group.status(await group.leader()))?.archive;
      if (archive?.archivedOp !== level.op)
        throw new Error(`up to ${level.op}: ${JSON.stringify(archive)}`);
      return level;
    },
    600_000,
  );
  const { windows } = JSON.parse(await mustRun(engineProgram, ['recovery-windows', ...store])) as {
    readonly windows: readonly object[];
  };
  expect(windows).toMatchObject([{ from: { op: 0 }, to: { op }, missingOps: 0 }]);
  expect(await restored('moment.ledger', `--to-op=${op}`)).toMatchObject({
    op,
    stateHash,
    transfers: Number(lastId),
  });
});

test('the last backup has everything that was ever acknowledged, though clients write on and the leader dies; what is restored takes writes', async () => {
  let acknowledged = Number(lastId);
  const load = { goesOn: true };
  const writer = group.connect(180_000);
  // The write that meets the pause has no answer until its client ends.
  const writing = write(writer, load, 1, () => (acknowledged += 1)).catch(() => undefined);
  const leader = await group.leader();
  const last = mustRun(engineProgram, [
    'backup',
    ...store,
    '--id=last',
    '--last',
    '--peer-plain',
    `--peer-addresses=${group.peerAddresses.join(',')}`,
    group.path((leader + 1) % size),
  ]);
  await group.signal(leader, 'SIGKILL');
  group.start(leader);
  const { stateHash, transfers } = JSON.parse(await last) as {
    readonly stateHash: string;
    readonly transfers: number;
  };
  await eventually('whoever leads is paused', async () => {
    const status = await group.status(await group.leader());
    expect(status).toMatchObject({ writesPaused: true, stateHash, transfers });
    return true;
  });
  // Over HTTP a write is told to be not executed, and reads go on.
  const { gateway, run } = throughGateway(group);
  const own = {
    id: '77777',
    debit_account_id: 1,
    credit_account_id: 2,
    amount: 1,
    ledger: 1,
    code: 1,
  };
  expect(await run('create_transfers', [own])).toMatchObject({
    code: 'ledger_unavailable',
    outcome: 'not_executed',
  });
  expect((await run('lookup_transfers', [own.id])).missing).toEqual([own.id]);
  gateway.close();
  load.goesOn = false;
  writer.close();
  await writing;
  // The answer to the write before may have been under way.
  expect(transfers - acknowledged).toBeGreaterThanOrEqual(0);
  expect(transfers - acknowledged).toBeLessThanOrEqual(1);
  const op = await eventually('the pause is archived', async () => {
    const { archive, op: executed = 0 } = (await group.status(await group.leader())) ?? {};
    return archive?.archivedOp === executed ? executed : undefined;
  });
  // Through all leaders, and the pause, the log leads to the rows of the backup.
  const proof = await mustRun(engineProgram, [
    'verify-backup',
    ...store,
    '--backup=last',
    `--scratch=${folder}`,
  ]);
  expect(JSON.parse(proof)).toMatchObject({ stateHash, replayedFrom: 0 });
  // A moment within the pause: the clients of the copy are others.
  const copy = await restored('replica.ledger', `--to-op=${op}`);
  expect(copy).toMatchObject({ stateHash, transfers });
  const engine = await TestEngine.open(folder);
  const at = { host: '127.0.0.1', port: engine.port };
  const other = new Client({ cluster: 9n, addresses: [at], timeoutMs: 180_000 });
  const one = { id: 1n << 100n, debit: 1n, credit: 2n, amount: 1n };
  expect(await create(other, Operation.createTransfers, transferBytes([one]))).toEqual([created]);
  other.close();
  await engine.end('SIGKILL');
});
