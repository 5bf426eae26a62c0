/**
 * `ledgerhouse import` against the real API: files that a real engine exported, a real S3 server that goes away and comes back, and
 * an operator that makes the database, on a control plane without pods.
 */
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import type { CreatedDatabase, Import, ImportList } from '../../../gen/api.ts';
import { Client } from '../../../engine/client/client.ts';
import { Operation } from '../../../engine/wire/operations.ts';
import { TestService } from '../../support/api/service.ts';
import { Cli } from '../../support/cli/cli.ts';
import { engineProgram, TestEngine } from '../../support/engine/engine.ts';
import { runTrials } from '../../support/engine/trial-pods.ts';
import { accountBytes, create } from '../../support/engine/ledger.ts';
import { eventually, mustRun } from '../../support/shell.ts';
import { BUCKET, S3Server } from '../../support/store/s3-server.ts';

jest.setTimeout(1_200_000);

const mebibyte = 2 ** 20;
const partBytes = 8 * mebibyte;
/** Parts of the large file. */
const partCount = 24;
const folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-import-'));
const file = (name: string) => join(folder, name);

let service: TestService;
let store: S3Server;
let cli: Cli;

beforeAll(async () => {
  store = await S3Server.start();
  const endpoint = `http://127.0.0.1:${store.port}`;
  const url = `s3://${BUCKET}/house`;
  service = await TestService.start({
    settings: {
      DATABASES_MAX: '30',
      IMPORTS_STORE: url,
      IMPORTS_ENDPOINT: endpoint,
      IMPORTS_CREDENTIALS_FOLDER: join(store.folder, 'credentials'),
    },
    operator: {
      store: {
        url,
        endpoint,
        region: 'us-east-1',
        accessKeyId: 'tester',
        secretAccessKey: 'tester-secret',
      },
      askForCheckpoint: () => Promise.resolve({ op: 1 }),
    },
  });
  // The Job of the first data file tells the state that it installed; those of the others wait for it.
  const state = `60/${'c'.repeat(32)}`;
  service.world.kubelet.ending = () => ({ exitCode: 0, message: JSON.stringify({ state }) });
  runTrials(service.world.kubelet, join(store.folder, 'credentials'));
  cli = new Cli({
    LEDGERHOUSE_BASE_URL: service.url,
    LEDGERHOUSE_API_KEY: (await service.makeKey(['db:read', 'db:write'])).secret,
  });
  await exportFiles();
});
afterEach(async () => {
  // Each test has all imports that an organization may have.
  for (const { id, status } of await imports()) {
    if (status === 'UPLOADING' || status === 'READY') {
      await cli.run(['imports', 'delete', id, '--confirm', id]);
    }
  }
});
afterAll(async () => {
  cli?.remove();
  await service?.stop();
  await store?.dispose();
  rmSync(folder, { recursive: true, force: true });
});

/** Files of one engine: `small` as it was exported, `large`, one for each of three replicas, and its own data file. */
async function exportFiles(): Promise<void> {
  const engine = await TestEngine.create({ cluster: 77n });
  try {
    const addresses = [{ host: '127.0.0.1', port: engine.port }];
    const client = new Client({ cluster: 77n, addresses, timeoutMs: 180_000 });
    await create(client, Operation.createAccounts, accountBytes([1n, 2n]));
    client.close();
    const status = `--status-address=127.0.0.1:${engine.statusPort}`;
    await mustRun(engineProgram, ['export', status, file('small')]);
    copyFileSync(file('small'), file('large'));
    // What follows the ledger in a file means nothing.
    truncateSync(file('large'), (partCount - 1) * partBytes + 17);
    for (const index of [0, 1, 2]) {
      const identity = [`--replica=${index}`, '--replica-count=3'];
      await mustRun(engineProgram, ['restore', ...identity, file('small'), file('whole')]);
      const to = file(`replica ${index}`);
      await mustRun(engineProgram, ['export', `--from=${file('whole')}`, to]);
      rmSync(file('whole'));
    }
    await engine.end('SIGTERM');
    copyFileSync(engine.path, file('own'));
  } finally {
    await engine.dispose();
  }
}

const imports = async (): Promise<ImportList['data']> =>
  (JSON.parse((await cli.run(['imports', 'list', '--json'])).stdout) as ImportList).data;

async function newest(): Promise<Import> {
  const [found] = await imports();
  if (found === undefined) throw new Error('there is no import');
  return found;
}

const asked = (name: string, ...files: readonly string[]) => [
  'import',
  ...files.map(file),
  '--name',
  name,
  '--no-deletion-protection',
];
const outage = 'the upload continues when the service answers again';
const partsSent = (stderr: string) => stderr.match(/^> PUT .*\/parts\/\d+$/gm) ?? [];
const staged = ({ id }: Import): readonly string[] => {
  const path = join(store.bucket, 'house', 'import-files', id);
  return existsSync(path) ? readdirSync(path).sort() : [];
};

test('one command uploads an exported file and makes a database that begins with it', async () => {
  const { code, stdout, stderr } = await cli.run([...asked('moved', 'small'), '--json']);
  expect({ code, said: code === 0 ? '' : stderr + stdout }).toEqual({ code: 0, said: '' });
  const { database } = JSON.parse(stdout) as CreatedDatabase;
  expect(database).toMatchObject({
    name: 'moved',
    mode: 'import',
    status: 'READY',
    clusterConfiguration: 'single',
    engine: { name: 'Builtin' },
  });
  expect(stderr).toMatch(/^import imp_\w+, expires at 2\d{3}-/m);
  expect(stderr).toMatch(/^uploaded .* \(100 %\)/m);
  expect(stderr).toMatch(/^database\.create SUCCEEDED 100%/m);
  const made = await eventually('the import is USED', async () => {
    const found = await newest();
    if (found.status !== 'USED') throw new Error(found.status);
    return found;
  });
  expect(made).toMatchObject({ clusterId: '77', databaseId: database.id });
  const list = await cli.run(['imports', 'list']);
  expect(list.stdout).toMatch(new RegExp(`^${made.id} +USED +77 +1 .* ${database.id} `, 'm'));
  const again = await cli.run([...asked('again', 'small'), '--resume', made.id]);
  expect(again).toMatchObject({ code: 7 });
  expect(again.stderr).toContain(`a database was made of the import ${made.id}`);
});

test('three files, in any order and under any name, are one database of three replicas', async () => {
  const order = ['replica 2', 'replica 0', 'replica 1'];
  const { code, stdout, stderr } = await cli.run([...asked('of-three', ...order), '--json']);
  expect({ code, said: code === 0 ? '' : stderr + stdout }).toEqual({ code: 0, said: '' });
  const { database } = JSON.parse(stdout) as CreatedDatabase;
  expect(database).toMatchObject({ clusterConfiguration: 'ha-3', nodeCount: 3, mode: 'import' });
});

test('an outage of the store is waited for; an interrupted upload is resumed with what is missing', async () => {
  const first = cli.start([...asked('resumed', 'large'), '--verbose']);
  // Three parts of 23, and a rest; then twelve.
  await first.says('(13 %)');
  await store.stop();
  await first.says(outage);
  await store.resume();
  await first.says('(52 %)');
  await store.stop();
  await eventually('the second outage is told', async () => {
    const told = first.said.stderr.split(outage).length - 1;
    return told > 1 ? true : undefined;
  });
  first.interrupt();
  const { code, stderr } = await first.ended;
  expect(code).toBe(130);
  const { id } = await newest();
  expect(stderr).toContain(`the same command with --resume ${id}`);
  await store.resume();
  const halfway = await newest();
  const there = partsThere(halfway);
  expect(there).toBeGreaterThanOrEqual(12);
  expect(there).toBeLessThan(partCount);
  const shown = await cli.run(['imports', 'show', id]);
  expect(shown.stdout).toMatch(/^status +UPLOADING$/m);
  expect(shown.stdout).toMatch(/^0 +77_0\.ledger +PENDING +184 MiB/m);

  const none = await cli.run(['import', '--name', 'resumed', '--resume', id]);
  expect(none.code).toBe(2);
  expect(none.stderr).toContain('name the files that you named before');
  const other = await cli.run([...asked('resumed', 'small'), '--resume', id]);
  expect(other.code).toBe(3);
  expect(other.stderr).toContain(`these are not the files of the import ${id}`);
  // Same head and same size, other bytes: only the service can tell.
  copyFileSync(file('large'), file('changed'));
  const bytes = readFileSync(file('changed'));
  bytes[20_000] = (bytes[20_000] ?? 0) ^ 1;
  writeFileSync(file('changed'), bytes);
  const damaged = await cli.run([...asked('resumed', 'changed'), '--resume', id]);
  expect(damaged.code).toBe(3);
  expect(damaged.stderr).toContain('import_part_wrong');

  const second = await cli.run([...asked('resumed', 'large'), '--resume', id, '--verbose']);
  expect(second).toMatchObject({ code: 0 });
  // The first part is sent once more, so that the service can compare it.
  expect(new Set(partsSent(second.stderr)).size).toBe(partCount - there + 1);
  expect(second.stdout).toMatch(/^status +READY/m);
});

const partsThere = ({ files }: Import): number =>
  files.reduce((count, { parts }) => count + parts.length, 0);

test('a file that changes while it is uploaded ends the upload', async () => {
  copyFileSync(file('large'), file('growing'));
  const started = cli.start(asked('growing', 'growing'));
  await started.says('uploaded ');
  await store.stop();
  await started.says(outage);
  appendFileSync(file('growing'), 'more');
  await store.resume();
  const { code, stderr } = await started.ended;
  expect(code).toBe(3);
  expect(stderr).toContain('growing was changed while it was uploaded');
  expect(stderr).toContain('imports delete imp_');
  expect(stderr).not.toContain('with --resume imp_');
});

test('an import that is READY needs no file', async () => {
  const started = cli.start(asked('waiting', 'large'));
  await started.says('uploaded ');
  // The name was free when the upload began, and is taken when it ends.
  await store.stop();
  const taken = await cli.run(['databases', 'create', 'waiting', '--no-wait']);
  expect(taken).toMatchObject({ code: 0 });
  await store.resume();
  const { code, stderr } = await started.ended;
  expect(code).toBe(7);
  expect(stderr).toContain('database_name_taken');
  const { id, status } = await newest();
  expect(status).toBe('READY');
  expect(stderr).toContain(`the same command with --resume ${id}`);
  const made = await cli.run(['import', '--name', 'waited', '--resume', id, '--verbose']);
  expect(made).toMatchObject({ code: 0 });
  expect(partsSent(made.stderr)).toEqual([]);
});

test('a file that cannot be imported is refused by name, before anything is sent', async () => {
  writeFileSync(file('empty'), '');
  writeFileSync(file('text'), 'id,amount\n'.repeat(9_000));
  const odd = 'na\u001B[31mme, "odd" and \u{1F4B0}';
  writeFileSync(file(odd), 'no data file');
  mkdirSync(file('folder'));
  await mustRun('mkfifo', [file('pipe')]);
  const before = (await imports()).length;
  const refused = async (wanted: number, said: string, ...files: readonly string[]) => {
    const { code, stderr } = await cli.run([...asked('never', ...files), '--verbose']);
    expect({ code, stderr }).toEqual({ code: wanted, stderr: expect.stringContaining(said) });
    expect(stderr).not.toContain('> POST');
    expect(stderr).not.toContain('\u001B');
  };
  await refused(3, 'empty: It is cut short: it has 0 bytes', 'empty');
  await refused(
    3,
    'text: It has the columns of transfers. Choose the file with the accounts',
    'text',
  );
  await refused(3, 'na\ufffd[31mme, "odd" and \u{1F4B0}: It is no data file', odd);
  await refused(2, 'folder is a directory', 'folder');
  await refused(2, 'pipe is not a regular file', 'pipe');
  await refused(2, 'nowhere cannot be read: there is no such file', 'nowhere');
  await refused(3, "own: It is a replica's own file", 'own');
  await refused(3, 'There are 2 files', 'replica 0', 'replica 1');
  await refused(3, 'There is no file for replica 2', 'replica 0', 'replica 1', 'replica 1');
  await refused(3, 'small: Its cluster has 1 replicas', 'small', 'replica 1', 'replica 2');
  await refused(3, '7 files are named', ...Array.from({ length: 7 }, () => 'small'));
  await refused(2, '<file> is missing');
  if (process.getuid?.() !== 0) {
    writeFileSync(file('secret'), '');
    chmodSync(file('secret'), 0);
    await refused(2, 'secret cannot be read: you have no right to read it', 'secret');
  }
  expect((await imports()).length).toBe(before);
});

test('an impossible database is refused before an import is begun', async () => {
  const before = (await imports()).length;
  const sized = await cli.run([...asked('never', 'small'), '--cluster-size', 'lh-7']);
  expect(sized.code).toBe(3);
  expect(sized.stderr).toContain('catalog_choice_unavailable');
  copyFileSync(file('small'), file('huge'));
  truncateSync(file('huge'), 2 ** 41);
  const huge = await cli.run(asked('never', 'huge'));
  expect(huge.code).toBe(3);
  expect(huge.stderr).toContain('huge has 2 TiB, and each replica would have');
  expect((await imports()).length).toBe(before);
  const unnamed = await cli.run(['import', file('small')]);
  expect(unnamed.code).toBe(2);
  expect(unnamed.stderr).toContain('--name is missing');
});

test('rows in any order of the files are tried, and only sound ones become a database', async () => {
  const [accounts, transfers] = [file('accounts.csv'), file('transfers.csv')];
  writeFileSync(accounts, 'id,ledger,code\n1,1,1\n2,1,1\n');
  const header = 'id,debit_account_id,credit_account_id,amount,ledger,code\n';
  writeFileSync(transfers, `${header}1,1,2,5,1,1\n2,1,3,5,1,1\n`);
  const faulty = await cli.run(['import', transfers, accounts, '--trial']);
  expect(faulty.code).toBe(3);
  expect(faulty.stderr).toMatch(/transfers\.csv:3: .* in no line of the accounts/);
  writeFileSync(transfers, `${header}1,1,2,5,1,1\n2,2,1,5,1,1\n`);
  const tried = await cli.run(['import', transfers, accounts, '--trial', '--json']);
  expect({ ...tried, stdout: '' }).toMatchObject({ code: 0 });
  const { import: shown } = JSON.parse(tried.stdout) as { import: Import };
  expect(shown.report).toEqual({ accounts: 2, transfers: 2, faultCount: 0, faults: [] });
  expect((await imports()).map(({ id }) => id)).not.toContain(shown.id);
  const made = await cli.run(['import', accounts, transfers, '--name', 'of-rows', '--no-wait']);
  expect(made).toMatchObject({ code: 0 });
  expect((await cli.run(['databases', 'list'])).stdout).toContain('of-rows');
});

test('files that are no rows are refused by name and line, before anything is sent', async () => {
  const before = (await imports()).length;
  const [accounts, unknown] = [file('good.csv'), file('unknown.csv')];
  writeFileSync(accounts, 'id,ledger,code\n1,1,1\n');
  writeFileSync(unknown, 'id,debit_account_id,credit_account,amount,ledger,code\n');
  const refused = await cli.run(['import', accounts, unknown, '--trial']);
  expect(refused.code).toBe(3);
  expect(refused.stderr).toContain('unknown.csv:1');
  expect(refused.stderr).toContain('credit_account_id');
  const twice = await cli.run(['import', accounts, accounts, '--trial']);
  expect(twice.code).toBe(3);
  expect(twice.stderr).toContain('It has the columns of accounts');
  const data = await cli.run(['import', '--trial', file('small')]);
  expect(data.code).toBe(2);
  expect((await imports()).length).toBe(before);
});

test('an import is deleted by its ID, and its files with it', async () => {
  const started = cli.start(asked('given-up', 'large'));
  await started.says('uploaded ');
  started.interrupt();
  expect((await started.ended).code).toBe(130);
  const made = await newest();
  expect((await cli.run(['imports', 'delete', made.id])).code).toBe(2);
  const { code, stderr } = await cli.run(['imports', 'delete', made.id, '--confirm', made.id]);
  expect(code).toBe(0);
  expect(stderr).toContain(`${made.id} is deleted`);
  expect((await cli.run(['imports', 'show', made.id])).code).toBe(6);
  await eventually('nothing is staged', async () => {
    if (staged(made).length > 0) throw new Error(staged(made).join());
    return true;
  });
});
