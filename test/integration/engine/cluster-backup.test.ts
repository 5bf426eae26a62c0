/**
 * Backups through the protocol, of our engine as the double of TigerBeetle, and of TigerBeetle itself if TIGERBEETLE names its program.
 */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { Client } from '../../../engine/client/client.ts';
import { TransferFlag } from '../../../engine/wire/flags.ts';
import { Operation } from '../../../engine/wire/operations.ts';
import { engineProgram, TestEngine } from '../../support/engine/engine.ts';
import {
  accountBytes,
  connectTo,
  create,
  lookupAccounts,
  transferBytes,
} from '../../support/engine/ledger.ts';
import { startTigerBeetle, tigerbeetle } from '../../support/engine/tigerbeetle.ts';
import { eventsOf, writeVariedLedger } from '../../support/engine/varied-ledger.ts';
import { eventually, mustRun, shell } from '../../support/shell.ts';
import { S3Server } from '../../support/store/s3-server.ts';

jest.setTimeout(600_000);

interface Result {
  readonly accounts: number;
  readonly transfers: number;
  readonly stateHash: string;
  readonly sha256: string;
  readonly newObjects: number;
}

let server: S3Server;
let folders = 0;
beforeAll(async () => {
  server = await S3Server.start();
});
afterAll(() => server?.dispose());

const newFolder = (): string => {
  const folder = join(server.folder, `work-${(folders += 1)}`);
  mkdirSync(folder);
  return folder;
};

async function backsUpAndRestores(database: string, port: number): Promise<void> {
  const client = connectTo(port);
  try {
    await writeVariedLedger(client);
    const folder = newFolder();
    const backUp = async (id: string): Promise<Result> => {
      const flags = [...server.flags(database), `--id=${id}`, '--cluster=0'];
      const where = [`--addresses=127.0.0.1:${port}`, folder];
      return JSON.parse(
        await mustRun(engineProgram, ['backup-cluster', ...flags, ...where]),
      ) as Result;
    };
    const made = await backUp('one');
    expect(made).toMatchObject({ accounts: 5, transfers: 15 });
    expect(readdirSync(folder)).toEqual([]);
    // The same rows are the same state, and are stored once.
    expect(await backUp('two')).toMatchObject({ stateHash: made.stateHash, newObjects: 0 });
    const verify = ['verify-backup', ...server.flags(database), '--backup=one'];
    expect(JSON.parse(await mustRun(engineProgram, verify))).toMatchObject({ transfers: 15 });
    const identity = ['--cluster=99', '--replica=0', '--replica-count=1'];
    const to = join(folder, 'replica.ledger');
    const restore = ['restore-backup', ...server.flags(database), '--backup=one'];
    await mustRun(engineProgram, [...restore, `--sha256=${made.sha256}`, ...identity, to]);
    const restored = await TestEngine.open(folder);
    const addresses = [{ host: '127.0.0.1', port: restored.port }];
    const its = new Client({ cluster: 99n, addresses, timeoutMs: 60_000 });
    try {
      expect(await eventsOf(its)).toEqual(await eventsOf(client));
      // A client that repeats a transfer is told that it exists, and a closed account is closed.
      const again = { id: 1n, debit: 1n, credit: 2n, amount: 100n };
      const onClosed = [4n, 5n].map((debit) => ({
        id: 100n + debit,
        debit,
        credit: 1n,
        amount: 1n,
      }));
      const tried = transferBytes([again, ...onClosed]);
      const answers = await create(its, Operation.createTransfers, tried);
      expect(answers).toEqual(await create(client, Operation.createTransfers, tried));
    } finally {
      its.close();
      await restored.dispose();
    }
  } finally {
    client.close();
  }
}

test('a backup through the protocol restores to a ledger with every event and every balance of the original, and fills another cluster', async () => {
  const engine = await TestEngine.create();
  try {
    await backsUpAndRestores('db_double', engine.port);
    const other = await TestEngine.create();
    try {
      const where = ['--cluster=0', `--addresses=127.0.0.1:${other.port}`, '--drop-timeouts'];
      const verb = ['restore-cluster', ...server.flags('db_double')];
      const args = [...verb, ...where, newFolder()];
      // One pending transfer is open. Nothing is asked of the cluster.
      const checked = await shell(engineProgram, [...verb, '--check', newFolder()]);
      expect(checked).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('would never expire'),
      });
      const good = [...verb, '--check', '--drop-timeouts', newFolder()];
      expect(JSON.parse(await mustRun(engineProgram, good))).toMatchObject({
        accounts: 5,
        events: 17,
      });
      const filled = JSON.parse(await mustRun(engineProgram, args)) as object;
      expect(filled).toMatchObject({ accounts: 5, events: 17, created: 22 });
    } finally {
      await other.dispose();
    }
  } finally {
    await engine.dispose();
  }
});

(tigerbeetle === undefined ? test.skip : test)(
  'a backup of TigerBeetle itself restores likewise, and is made while clients write',
  async () => {
    const cluster = await startTigerBeetle();
    try {
      await backsUpAndRestores('db_tigerbeetle', cluster.port);
      const client = connectTo(cluster.port);
      await create(client, Operation.createAccounts, accountBytes([10n, 11n]));
      const load = { goesOn: true };
      let id = 1_000n;
      const done = (async () => {
        while (load.goesOn) {
          const rows = Array.from({ length: 200 }, () => ({
            id: (id += 1n),
            debit: 10n,
            credit: 11n,
            amount: 1n,
          }));
          await create(client, Operation.createTransfers, transferBytes(rows));
        }
      })();
      const flags = [...server.flags('db_busy'), '--id=busy', '--cluster=0'];
      const where = [`--addresses=127.0.0.1:${cluster.port}`, newFolder()];
      const made = await mustRun(engineProgram, ['backup-cluster', ...flags, ...where]);
      load.goesOn = false;
      await done;
      client.close();
      expect((JSON.parse(made) as Result).transfers).toBeGreaterThan(0);
    } finally {
      await cluster.dispose();
    }
  },
);

/** A backup of the varied ledger, made of `from`, fills the empty cluster `to`; a part of it may be there already. */
async function fillsAnother(database: string, from: number, to: number): Promise<void> {
  const client = connectTo(from);
  await writeVariedLedger(client);
  const source = await eventsOf(client);
  client.close();
  const folder = newFolder();
  const verb = async (name: string, port: number, ...more: readonly string[]) =>
    shell(engineProgram, [
      name,
      ...server.flags(database),
      '--cluster=0',
      `--addresses=127.0.0.1:${port}`,
      ...more,
      folder,
    ]);
  expect(await verb('backup-cluster', from, '--id=one')).toMatchObject({ code: 0 });
  // The cluster that was backed up is not an empty one: nothing is written into it.
  const itself = await verb('restore-cluster', from, '--drop-timeouts');
  expect(itself).toMatchObject({ code: 1, stderr: expect.stringContaining('must be empty') });
  // One pending transfer is open, which would lose its timeout.
  const refused = await verb('restore-cluster', to);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('would never expire') });
  const filled = await verb('restore-cluster', to, '--drop-timeouts');
  expect({ ...filled, stdout: JSON.parse(filled.stdout || 'null') as unknown }).toMatchObject({
    code: 0,
    stdout: { accounts: 5, events: source.length, created: 5 + source.length },
  });
  const again = await verb('restore-cluster', to, '--drop-timeouts');
  expect(JSON.parse(again.stdout)).toMatchObject({ accounts: 5, created: 0 });
  const other = connectTo(to);
  try {
    const balances = (events: readonly Uint8Array[]) =>
      events.map((event) => Buffer.from(event).toString('hex', 144, 208));
    expect(balances(await eventsOf(other))).toEqual(balances(source));
    // Whatever else is in the cluster is noticed.
    await create(other, Operation.createAccounts, accountBytes([1_000n]));
  } finally {
    other.close();
  }
  const foreign = await verb('restore-cluster', to, '--drop-timeouts');
  expect(foreign).toMatchObject({ code: 1, stderr: expect.stringContaining('must be empty') });
  expect(readdirSync(folder)).toEqual([]);
}

(tigerbeetle === undefined ? test.skip : test)(
  'a backup of TigerBeetle fills another TigerBeetle, with every balance, and one that was filled already',
  async () => {
    const [one, other] = [await startTigerBeetle(), await startTigerBeetle()];
    try {
      await fillsAnother('db_filled', one.port, other.port);
    } finally {
      await Promise.all([one.dispose(), other.dispose()]);
    }
  },
);

test('a chain as long as a request fills another cluster, when all that had a timeout has expired', async () => {
  const [one, other] = [await TestEngine.create(), await TestEngine.create()];
  const client = connectTo(one.port);
  try {
    await create(client, Operation.createAccounts, accountBytes([1n, 2n]));
    const { linked, pending } = TransferFlag;
    const rows = Array.from({ length: 8_189 }, (_, row) => ({
      id: BigInt(row + 2),
      debit: 1n,
      credit: 2n,
      amount: 1n,
      flags: row === 8_188 ? 0 : linked,
    }));
    await create(client, Operation.createTransfers, transferBytes(rows));
    const waiting = { id: 1n, debit: 1n, credit: 2n, amount: 1n, flags: pending, timeout: 1 };
    await create(client, Operation.createTransfers, transferBytes([waiting]));
    // Nothing is written after the expiry.
    await eventually('it has expired', async () => {
      const [account] = await lookupAccounts(client, [1n]);
      return account?.debitsPending === 0n || undefined;
    });
    const verb = async (name: string, { port }: TestEngine, ...more: readonly string[]) => {
      const where = ['--cluster=0', `--addresses=127.0.0.1:${port}`, ...more, newFolder()];
      return JSON.parse(
        await mustRun(engineProgram, [name, ...server.flags('db_chain'), ...where]),
      ) as object;
    };
    expect(await verb('backup-cluster', one, '--id=one')).toMatchObject({ op: 8_193 });
    expect(await verb('restore-cluster', other)).toMatchObject({ events: 8_191, created: 8_193 });
  } finally {
    client.close();
    await Promise.all([one.dispose(), other.dispose()]);
  }
});

test('a cluster that does not answer is named, and nothing is left', async () => {
  const folder = newFolder();
  const result = join(server.folder, 'result');
  const flags = [...server.flags('db_silent'), '--id=b', '--cluster=0', '--answer-within=1'];
  const where = ['--addresses=127.0.0.1:1', `--result=${result}`, folder];
  const ended = await shell(engineProgram, ['backup-cluster', ...flags, ...where]);
  expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('did not answer') });
  expect(JSON.parse(readFileSync(result, 'utf8'))).toMatchObject({ error: 'cluster_unreachable' });
  expect(readdirSync(folder)).toEqual([]);
});
