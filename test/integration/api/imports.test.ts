/**
 * Imports over HTTP: API and worker, a real S3 server, and files that a real engine exported. Nothing runs in the pods of this control
 * plane, so the engine's own command makes the data file of what was uploaded, as the Job does.
 */
import {
  closeSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import type { KubeObject } from '../../../base/kube/kube.ts';
import { FILE_HEAD_SIZE, FILE_HEAD_SIZE_MAX } from '../../../domain/import-files/file-head.ts';
import { resources } from '../../../domain/kinds.ts';
import type {
  AuditEventList,
  ChangedImport,
  CreatedDatabase,
  Import,
  ImportAnswer,
  ImportList,
  Problem,
  UploadedPart,
} from '../../../gen/api.ts';
import type { OperationId } from '../../../api/contract/routes.ts';
import { Client } from '../../../engine/client/client.ts';
import { Operation } from '../../../engine/wire/operations.ts';
import { dataFileSize, encodeSuperblock } from '../../../images/tigerbeetle-double/superblock.ts';
import { ask as askAt, type Answer, type Sending } from '../../support/api/asking.ts';
import { TestService, type Headers } from '../../support/api/service.ts';
import { engineProgram, TestEngine } from '../../support/engine/engine.ts';
import { argsHere, runTrials } from '../../support/engine/trial-pods.ts';
import {
  accountBytes,
  create,
  lookupAccounts,
  transferBytes,
} from '../../support/engine/ledger.ts';
import { eventually, mustRun, shell } from '../../support/shell.ts';
import { BUCKET, S3Server } from '../../support/store/s3-server.ts';

jest.setTimeout(600_000);

const mebibyte = 1024 * 1024;
const part = 8 * mebibyte;
/** Bytes of all imports of an organization. */
const allowance = 2 * 1024 ** 3;
type Octets = Uint8Array<ArrayBuffer>;
/** Read as either, as a test expects it. */
type Answered<T> = Omit<T, 'success'> & Omit<Problem, 'success'>;

let service: TestService;
let store: S3Server;
let me: Headers;
/** The exported file of a single replica, made longer than a part; and those of three replicas. */
let single: Octets;
let three: readonly Octets[];
/** A replica's own file. */
let own: Octets;
/** Arguments of the programs that pods have begun with. A Job and its pod are gone soon after they have ended. */
const begun: (readonly string[])[] = [];

beforeAll(async () => {
  store = await S3Server.start();
  service = await TestService.start({
    settings: {
      DATABASES_MAX: '30',
      IMPORTS_STORE: `s3://${BUCKET}/house`,
      IMPORTS_ENDPOINT: `http://127.0.0.1:${store.port}`,
      IMPORTS_CREDENTIALS_FOLDER: join(store.folder, 'credentials'),
      IMPORTS_GIBIBYTES_PER_ORGANIZATION: '2',
    },
    operator: {
      store: {
        url: `s3://${BUCKET}/house`,
        endpoint: `http://127.0.0.1:${store.port}`,
        region: 'us-east-1',
        accessKeyId: 'tester',
        secretAccessKey: 'tester-secret',
      },
      askForCheckpoint: () => Promise.resolve({ op: 1 }),
    },
  });
  me = { 'x-api-key': (await service.makeKey(['db:read', 'db:write'])).secret };
  runTrials(service.world.kubelet, join(store.folder, 'credentials'));
  const { kubelet } = service.world;
  const { ending } = kubelet;
  kubelet.ending = (pod) => {
    for (const { args } of pod.spec?.initContainers ?? []) if (args !== undefined) begun.push(args);
    return ending(pod);
  };
  await exportFiles();
});
afterEach(async () => {
  // Each test has all imports that an organization may have.
  const { data } = (await ask<ImportList>('listImports')).json;
  for (const { id, status } of data) {
    if (status === 'UPLOADING' || status === 'READY')
      await ask('deleteImport', { of: { importId: id } });
  }
});
afterAll(async () => {
  await service?.stop();
  await store?.dispose();
});

async function exportFiles(): Promise<void> {
  const engine = await TestEngine.create({ cluster: 77n });
  try {
    const addresses = [{ host: '127.0.0.1', port: engine.port }];
    const client = new Client({ cluster: 77n, addresses, timeoutMs: 180_000 });
    await create(client, Operation.createAccounts, accountBytes([1n, 2n]));
    const transfers = [1n, 2n, 3n].map((id) => ({ id, debit: 1n, credit: 2n, amount: 5n }));
    await create(client, Operation.createTransfers, transferBytes(transfers));
    client.close();
    const from = join(engine.folder, 'exported.ledger');
    const status = `--status-address=127.0.0.1:${engine.statusPort}`;
    await mustRun(engineProgram, ['export', status, from]);
    const exported = readFileSync(from);
    // What follows the ledger in a file means nothing.
    single = new Uint8Array(part + mebibyte);
    single.set(exported);
    three = await Promise.all([0, 1, 2].map((index) => replicaFile(engine.folder, from, index)));
    await engine.end('SIGTERM');
    own = new Uint8Array(readFileSync(engine.path));
  } finally {
    await engine.dispose();
  }
}

async function replicaFile(folder: string, from: string, index: number): Promise<Octets> {
  const [whole, to] = [join(folder, `whole-${index}.ledger`), join(folder, `77_${index}.ledger`)];
  const identity = [`--replica=${index}`, '--replica-count=3'];
  await mustRun(engineProgram, ['restore', ...identity, from, whole]);
  await mustRun(engineProgram, ['export', `--from=${whole}`, to]);
  return new Uint8Array(readFileSync(to));
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the answer it expects
const ask = <T>(operation: OperationId, sending: Sending = {}): Promise<Answer<T>> =>
  askAt<T>(service.url, me, operation, sending);

const headOf = (bytes: Octets) => Buffer.from(bytes.subarray(0, FILE_HEAD_SIZE)).toString('base64');
const described = (files: readonly Octets[], withHeads = true) => ({
  files: files.map((bytes, replicaIndex) => ({
    replicaIndex,
    sizeBytes: bytes.length,
    ...(withHeads && { head: headOf(bytes) }),
  })),
});

async function begin(files: readonly Octets[], withHeads = true): Promise<Import> {
  const { status, json } = await ask<ChangedImport>('createImport', {
    body: described(files, withHeads),
  });
  expect({ status, json }).toMatchObject({ status: 201 });
  return json.import;
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the answer it expects
const put = <T = Problem>(
  { id }: Pick<Import, 'id'>,
  replicaIndex: number,
  partNumber: number,
  octets: Octets,
  headers?: Headers,
) =>
  ask<T>('uploadImportPart', {
    of: { importId: id, replicaIndex: String(replicaIndex), partNumber: String(partNumber) },
    octets,
    ...(headers && { headers }),
  });

const partOf = (bytes: Octets, number: number): Octets =>
  bytes.slice((number - 1) * part, number * part);

async function upload(made: Pick<Import, 'id'>, files: readonly Octets[]): Promise<void> {
  for (const [index, bytes] of files.entries()) {
    for (let number = 1; (number - 1) * part < bytes.length; number += 1) {
      const { status, json } = await put(made, index, number, partOf(bytes, number));
      expect({ status, json }).toMatchObject({ status: 200 });
    }
  }
}

const complete = (made: Pick<Import, 'id'>) =>
  ask<Answered<ChangedImport>>('completeImport', { of: { importId: made.id } });
const read = async ({ id }: Pick<Import, 'id'>) =>
  (await ask<ImportAnswer>('getImport', { of: { importId: id } })).json.import;

async function ready(files: readonly Octets[]): Promise<Import> {
  const made = await begin(files);
  await upload(made, files);
  const { status, json } = await complete(made);
  expect({ status, json }).toMatchObject({ status: 200, json: { import: { status: 'READY' } } });
  return json.import;
}

/** Arguments of the Job that makes a data file of the import. */
const argsOfJob = (made: Pick<Import, 'id'>) =>
  eventually('the Job of its data file is there', async () =>
    begun.find((args) => args.includes(`--import=${made.id}`)),
  );

const createDatabase = (body: object, headers?: Headers) =>
  ask<Answered<CreatedDatabase>>('createDatabase', { body, ...(headers && { headers }) });

const folderOf = ({ id }: Pick<Import, 'id'>) => join(store.bucket, 'house', 'import-files', id);
const staged = (made: Pick<Import, 'id'>) =>
  existsSync(folderOf(made)) ? readdirSync(folderOf(made)).sort() : [];
/** Number of files that the server keeps, those of unfinished uploads included. */
const kept = (): number =>
  readdirSync(join(store.folder, 'data'), { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile(),
  ).length;

/** Waits until the worker has removed what tests before this one have left. */
const allRemoved = () =>
  eventually('the worker has removed what is over', async () => {
    const over = 'SELECT id FROM imports WHERE removals = 0 AND remove_at IS NOT NULL';
    const [left] = await service.query(over);
    if (left !== undefined) throw new Error(String(left['id']));
    return true;
  });

const eventsOf = async (id: string) => {
  const { json } = await askAt<AuditEventList>(
    service.url,
    await service.administrator(),
    'listAuditEvents',
    { query: '?limit=100' },
  );
  return json.data
    .filter(({ target }) => target.id === id)
    .map(({ type }) => type)
    .reverse();
};

test('a file that is uploaded in parts, resumed and in any order, is what a database begins with', async () => {
  const made = await begin([single]);
  expect(made).toMatchObject({
    status: 'UPLOADING',
    clusterId: '77',
    replicaCount: 1,
    partSizeBytes: part,
    databaseId: null,
    files: [
      {
        name: '77_0.ledger',
        status: 'PENDING',
        uploadedBytes: 0,
        parts: [],
        head: { op: expect.any(Number) },
      },
    ],
  });
  const last = await put<UploadedPart>(made, 0, 2, partOf(single, 2));
  expect(last.json.file).toMatchObject({ parts: [2], uploadedBytes: mebibyte, status: 'PENDING' });
  // Whoever resumes asks what is there; what is sent once more is taken as the same.
  expect((await read(made)).files[0]?.parts).toEqual([2]);
  const early = await complete(made);
  expect(early).toMatchObject({
    status: 409,
    json: { code: 'import_incomplete', missing: [{ replicaIndex: 0, parts: [1] }] },
  });
  await put(made, 0, 2, partOf(single, 2));
  const whole = await put<UploadedPart>(made, 0, 1, partOf(single, 1));
  expect(whole.json.file).toMatchObject({ parts: [1, 2], status: 'UPLOADED' });
  const body = { name: 'moved', mode: 'import', importId: made.id };
  expect((await createDatabase(body)).json.code).toBe('import_not_ready');
  const completed = await complete(made);
  expect(completed.json.import).toMatchObject({ id: made.id, status: 'READY' });
  // Asked for again, it is the same.
  expect((await complete(made)).json).toEqual(completed.json);
  expect(staged(made)).toEqual(['77_0.ledger']);
  expect(readFileSync(join(folderOf(made), '77_0.ledger')).equals(single)).toBe(true);

  const folder = join(store.folder, 'imported');
  mkdirSync(folder);
  await mustRun(engineProgram, [
    'restore-import',
    ...store.flags('').filter((flag) => !flag.startsWith('--database')),
    `--import=${made.id}`,
    '--from-cluster=77',
    '--cluster=98',
    '--replica=0',
    '--replica-count=1',
    join(folder, 'replica.ledger'),
  ]);
  const dry = await ask<{ plan: { engine: string; nodeCount: number } }>('createDatabase', {
    query: '?dryRun=true',
    body,
  });
  expect(dry.json.plan).toMatchObject({ engine: 'Builtin', nodeCount: 1 });
  const { status, json } = await createDatabase(body);
  expect({ status, json }).toMatchObject({
    status: 202,
    json: { database: { mode: 'import', clusterConfiguration: 'single' } },
  });
  const resource = await eventually('the resource is there', async () =>
    (await service.world.kube.list<KubeObject & { spec: object }>(resources.database)).find(
      ({ metadata }) => metadata.name === 'moved',
    ),
  );
  expect(resource.spec).toMatchObject({
    bootstrap: { import: { importId: made.id, clusterId: '77' } },
  });
  await eventually('it is USED', async () => {
    const now = await read(made);
    if (now.status !== 'USED') throw new Error(now.status);
    return true;
  });
  await eventually('the files are gone', async () => {
    if (staged(made).length > 0) throw new Error(staged(made).join());
    return true;
  });
  expect((await read(made)).databaseId).toBe(json.database.id);
  expect(await eventsOf(made.id)).toEqual([
    'import.created',
    'import.validated',
    'import.completed',
  ]);
  expect((await createDatabase({ ...body, name: 'again' })).json.code).toBe('import_not_ready');
  expect((await complete(made)).json.code).toBe('import_closed');

  const engine = await TestEngine.open(folder);
  try {
    const addresses = [{ host: '127.0.0.1', port: engine.port }];
    const client = new Client({ cluster: 98n, addresses, timeoutMs: 60_000 });
    const [debited] = await lookupAccounts(client, [1n]);
    client.close();
    expect(debited?.debitsPosted).toBe(15n);
  } finally {
    await engine.dispose();
    rmSync(folder, { recursive: true });
  }
});

const rowsOf = (lines: readonly string[]): Octets =>
  new Uint8Array(Buffer.from(lines.map((line) => `${line}\r\n`).join('')));
const accountLines = ['id,ledger,code', '1,1,1', '2,1,1'];
const transferLines = (amounts: readonly (number | string)[]) => [
  'id,debit_account_id,credit_account_id,amount,ledger,code',
  ...amounts.map((amount, at) => `${at + 1},1,2,${amount},1,1`),
];
const describedRows = (accounts: Octets, transfers: Octets) => ({
  rows: {
    accounts: { sizeBytes: accounts.length, head: headOf(accounts) },
    transfers: { sizeBytes: transfers.length, head: headOf(transfers) },
  },
});

async function beginRows(accounts: Octets, transfers: Octets): Promise<Import> {
  const body = describedRows(accounts, transfers);
  const { status, json } = await ask<ChangedImport>('createImport', { body });
  expect({ status, json }).toMatchObject({ status: 201, json: { import: { kind: 'ROWS' } } });
  return json.import;
}

const untilTried = (made: Pick<Import, 'id'>) =>
  eventually('the trial has ended', async () => {
    const now = await read(made);
    if (now.status === 'CHECKING') throw new Error(now.status);
    return now;
  });

test('rows are tried, and a database begins with exactly the bytes that were tried', async () => {
  const [accounts, transfers] = [rowsOf(accountLines), rowsOf(transferLines([5, 6, 7]))];
  const made = await beginRows(accounts, transfers);
  await put(made, 1, 1, transfers);
  expect(await complete(made)).toMatchObject({
    status: 409,
    json: { code: 'import_incomplete', missing: [{ replicaIndex: 0, parts: [1] }] },
  });
  await put(made, 0, 1, accounts);
  // Twice at once: one trial. The second answer may come when it has ended.
  const both = await Promise.all([complete(made), complete(made)]);
  for (const { status, json } of both) {
    expect(status).toBe(200);
    expect(json.import.status).toMatch(/^(?:CHECKING|READY)$/);
  }
  const other = rowsOf(transferLines([5, 6, 8]));
  expect((await put(made, 1, 1, other)).json.code).toBe('import_part_wrong');
  expect(await untilTried(made)).toMatchObject({
    status: 'READY',
    report: { accounts: 2, transfers: 3, faultCount: 0, faults: [] },
  });
  const body = { name: 'of-rows', mode: 'import', importId: made.id };
  expect((await createDatabase({ ...body, engine: 'TigerBeetle' })).json.code).toBe(
    'import_does_not_fit',
  );
  // The worker removes the files as soon as the database serves, which needs no engine here.
  const kept = folderOf({ id: 'kept' });
  cpSync(folderOf(made), kept, { recursive: true });
  const key = join(kept, 'transfers.rows');
  const created = await createDatabase(body);
  expect(created).toMatchObject({ status: 202, json: { database: { mode: 'import' } } });
  const args = await argsOfJob(made);
  const folder = join(store.folder, 'rows');
  mkdirSync(folder);
  const [data, credentials] = [join(folder, 'replica.ledger'), join(store.folder, 'credentials')];
  writeFileSync(key, other);
  const ofKept = argsHere(args, { credentials, data }).map((arg) =>
    arg === `--import=${made.id}` ? '--import=kept' : arg,
  );
  const restore = () => shell(engineProgram, ofKept);
  const swapped = await restore();
  expect(swapped.code).toBe(1);
  expect(swapped.stderr).toContain('transfers.rows: it is not the file that was uploaded');
  expect(readdirSync(folder)).toEqual([]);
  writeFileSync(key, transfers);
  expect(await restore()).toMatchObject({ code: 0 });
  expect(readdirSync(folder)).toEqual(['replica.ledger']);
  rmSync(kept, { recursive: true });
  const [, cluster = ''] = /--cluster=(\d+)/.exec(args.join(' ')) ?? [];
  const engine = await TestEngine.open(folder);
  try {
    const addresses = [{ host: '127.0.0.1', port: engine.port }];
    const client = new Client({ cluster: BigInt(cluster), addresses, timeoutMs: 60_000 });
    expect((await lookupAccounts(client, [2n]))[0]?.creditsPosted).toBe(18n);
    client.close();
  } finally {
    await engine.dispose();
    rmSync(folder, { recursive: true });
  }
});

test('errors in rows are told by line and field, counted whole, and nothing can begin with them', async () => {
  const amounts = Array.from({ length: 1_000 }, (_, at) => (at < 850 ? 1 : '12.50'));
  const [accounts, transfers] = [rowsOf(accountLines), rowsOf(transferLines(amounts))];
  const made = await beginRows(accounts, transfers);
  await upload(made, [accounts, transfers]);
  expect((await complete(made)).json.import.status).toBe('CHECKING');
  const tried = await untilTried(made);
  expect(tried).toMatchObject({
    status: 'FAULTY',
    report: {
      faultCount: 150,
      faults: expect.arrayContaining([
        {
          file: 'transfers',
          line: 852,
          field: 'amount',
          code: 'value_not_an_integer',
          detail: expect.stringContaining('"12.50"'),
        },
      ]),
    },
  });
  expect(tried.report?.faults).toHaveLength(100);
  const body = { name: 'never', mode: 'import', importId: made.id };
  expect((await createDatabase(body)).json.code).toBe('import_not_ready');
  expect((await complete(made)).json.code).toBe('import_closed');
  await eventually('the files are gone', async () => {
    if (staged(made).length > 0) throw new Error(staged(made).join());
    return true;
  });
  expect(await eventsOf(made.id)).toEqual(['import.created', 'import.failed']);
});

test('rows whose trial could not begin for a day are told as such, and no trial begins after that', async () => {
  const made = await beginRows(rowsOf(accountLines), rowsOf(transferLines([5])));
  const uploaded = { accounts: 'a'.repeat(64), partSizeBytes: 8, now: '1', ignoreBalances: false };
  await service.alter(
    `UPDATE imports SET status = 'CHECKING', rows = $1 WHERE status = 'UPLOADING' AND rows IS NOT NULL`,
    [JSON.stringify({ ignoreBalances: false, uploaded })],
  );
  expect(await untilTried(made)).toMatchObject({
    status: 'FAULTY',
    report: { faultCount: 1, faults: [{ file: null, line: 0, code: 'trial_failed' }] },
  });
  const trials = await service.world.kube.list(resources.import);
  expect(trials.map(({ metadata }) => metadata.name)).not.toContain(made.id.replace('_', '-'));
});

test('files that cannot be rows are refused by name before anything is uploaded', async () => {
  const [accounts, transfers] = [rowsOf(accountLines), rowsOf(transferLines([5]))];
  const refusalOf = async (one: Octets, other: Octets) => {
    const { status, json } = await ask<Answered<ChangedImport>>('createImport', {
      body: describedRows(one, other),
    });
    expect(status).toBe(422);
    const { errors = [] } = json as Pick<Problem, 'errors'>;
    return errors.map(({ pointer, code }) => [pointer, code].join(' '));
  };
  expect(await refusalOf(transfers, accounts)).toEqual([
    '#/rows/accounts/head rows_of_other_kind',
    '#/rows/transfers/head rows_of_other_kind',
  ]);
  expect(await refusalOf(rowsOf(['id,ledger,code,nmae']), transfers)).toEqual([
    '#/rows/accounts/head column_unknown',
  ]);
  expect(await refusalOf(single.slice(0, 20_000), transfers)).toEqual([
    '#/rows/accounts/head not_rows',
  ]);
  expect(await refusalOf(accounts, rowsOf(['9'.repeat(100_000)]))).toEqual([
    '#/rows/transfers/head line_too_long',
  ]);
  const neither = await ask<Answered<ChangedImport>>('createImport', { body: {} });
  expect(neither.json.code).toBe('validation_failed');
  // Without a head, the first part tells.
  const { json } = await ask<ChangedImport>('createImport', {
    body: { rows: { accounts: { sizeBytes: transfers.length } } },
  });
  const { status, json: refused } = await put(json.import, 0, 1, transfers);
  expect({ status, code: refused.code }).toEqual({ status: 422, code: 'import_files_wrong' });
  expect(staged(json.import)).toEqual([]);
});

test('three files become a database of three replicas, and of nothing else', async () => {
  const made = await ready(three);
  expect(staged(made)).toEqual(['77_0.ledger', '77_1.ledger', '77_2.ledger']);
  const body = { name: 'of-three', mode: 'import', importId: made.id };
  expect((await createDatabase({ ...body, clusterConfiguration: 'single' })).json).toMatchObject({
    code: 'import_does_not_fit',
    errors: [{ pointer: '#/clusterConfiguration', meta: { allowed: ['ha-3'] } }],
  });
  expect((await createDatabase({ ...body, engine: 'TigerBeetle' })).json).toMatchObject({
    code: 'import_does_not_fit',
    errors: [{ pointer: '#/engine' }],
  });
  expect((await createDatabase({ ...body, clusterSize: 'lh-7' })).json.code).toBe(
    'catalog_choice_unavailable',
  );
  // Nobody makes this database: people do, who have not yet.
  const waiting = await createDatabase({ ...body, provider: 'elsewhere' });
  expect(waiting.json.database).toMatchObject({ nodeCount: 3, clusterConfiguration: 'ha-3' });
  const again = await createDatabase({ ...body, name: 'twice' });
  expect(again).toMatchObject({ status: 409, json: { code: 'import_in_use' } });
  const refused = await ask<Problem>('deleteImport', { of: { importId: made.id } });
  expect(refused).toMatchObject({ status: 409, json: { code: 'import_in_use' } });
  // Its time does not end while a database is being made of it.
  const other = await begin([single]);
  await service.alter(`UPDATE imports SET expires_at = now() - interval '1 day'`);
  await eventually('the worker has looked', async () => {
    const { status } = await read(other);
    if (status !== 'EXPIRED') throw new Error(status);
    return true;
  });
  expect((await read(made)).status).toBe('READY');
  await service.alter(`UPDATE imports SET expires_at = now() + interval '1 day'`);
  // Once that database is deleted, another one can begin with it.
  await takeBack(waiting.json);
  const next = await createDatabase({ ...body, name: 'twice', provider: 'elsewhere' });
  expect(next).toMatchObject({ status: 202 });
  await takeBack(next.json);
});

/** Cancels the making of a database that waits for people. */
async function takeBack({ job, database }: Pick<CreatedDatabase, 'job' | 'database'>) {
  await ask('cancelJob', { of: { jobId: job.id } });
  await eventually('it is taken back', async () => {
    const { json } = await ask<{ database: { status: string } }>('getDatabase', {
      of: { databaseId: database.id },
    });
    if (json.database.status !== 'DELETED') throw new Error(json.database.status);
    return true;
  });
}

test('a create request that is repeated gets its answer, also after the import was used', async () => {
  const made = await ready([single]);
  const body = { name: 'repeated', mode: 'import', importId: made.id, provider: 'elsewhere' };
  const key = { 'idempotency-key': 'repeated-1' };
  const first = await createDatabase(body, key);
  expect(first).toMatchObject({ status: 202 });
  // It serves.
  await service.alter(`UPDATE databases SET ready_at = now() WHERE name = 'repeated'`);
  await eventually('it is USED', async () => {
    const { status } = await read(made);
    if (status !== 'USED') throw new Error(status);
    return true;
  });
  const again = await createDatabase(body, key);
  expect(again).toMatchObject({ status: 202, json: { database: first.json.database } });
  await service.alter(`UPDATE databases SET ready_at = NULL WHERE name = 'repeated'`);
  await takeBack(first.json);
});

test.each(['SUSPENDED', 'FAILED'])(
  'the files of a database that is %s stay while its job goes on',
  async (status) => {
    const made = await ready([single]);
    const name = `stays-${status.toLowerCase()}`;
    const body = { name, mode: 'import', importId: made.id, provider: 'elsewhere' };
    const { json } = await createDatabase(body);
    await service.alter(`UPDATE databases SET status = '${status}' WHERE name = '${name}'`);
    expect(await ask<Problem>('deleteImport', { of: { importId: made.id } })).toMatchObject({
      status: 409,
      json: { code: 'import_in_use' },
    });
    const other = await begin([single]);
    await service.alter(`UPDATE imports SET expires_at = now() - interval '1 day'`);
    await eventually('the worker has looked', async () => {
      if ((await read(other)).status !== 'EXPIRED') throw new Error('not yet');
      return true;
    });
    expect((await read(made)).status).toBe('READY');
    await service.alter(`UPDATE databases SET status = 'PROVISIONING' WHERE name = '${name}'`);
    await takeBack(json);
  },
);

test('the files of a purged organization go without waiting for their time', async () => {
  const administrator = await service.administrator();
  const { json } = await askAt<{ organization: { id: string } }>(
    service.url,
    administrator,
    'createOrganization',
    { body: { name: 'Leaving', slug: 'leaving' } },
  );
  const as = { ...administrator, 'x-organization-id': json.organization.id };
  const begun = await askAt<ChangedImport>(service.url, as, 'createImport', {
    body: described([single]),
  });
  const of = { importId: begun.json.import.id, replicaIndex: '0', partNumber: '2' };
  const octets = partOf(single, 2);
  expect(await askAt(service.url, as, 'uploadImportPart', { of, octets })).toMatchObject({
    status: 200,
  });
  await service.alter(
    `UPDATE organizations SET deleted_at = now(), purge_at = now(), purged_at = now() WHERE slug = 'leaving'`,
  );
  await eventually('it is over, and removed', async () => {
    const [row] = await service.query(
      `SELECT imports.status FROM imports JOIN organizations ON organizations.id = organization_id
       WHERE slug = 'leaving' AND removals > 0`,
    );
    return row?.['status'] === 'EXPIRED' || undefined;
  });
});

test('a request that is no import is refused before a byte is staged, by file and field', async () => {
  const refused = async (body: object) => {
    const { status, json } = await ask<Problem>('createImport', { body });
    expect({ status, json }).toMatchObject({ status: 422, json: { code: 'import_files_wrong' } });
    return json.errors?.map(({ pointer, code }) => [pointer, code]);
  };
  const [first, second, third] = three;
  expect(await refused(described([first!, second!]))).toEqual([['#/files', 'wrong_file_count']]);
  expect(await refused(described([first!, second!, second!]))).toEqual([
    ['#/files/2/replicaIndex', 'replica_index_differs'],
  ]);
  expect(await refused(described([first!, single, third!]))).toEqual([
    ['#/files/1/replicaIndex', 'replica_index_differs'],
    ['#/files/1/replicaCount', 'replica_count_differs'],
  ]);
  expect(await refused(described([own]))).toEqual([['#/files/0/head', 'replica_own_file']]);
  const text = new TextEncoder().encode('id,amount\n'.repeat(9_000));
  expect(await refused(described([text]))).toEqual([['#/files/0/head', 'not_a_data_file']]);
  const short = described([first!.slice(0, FILE_HEAD_SIZE)]);
  expect(await refused(short)).toContainEqual(['#/files/0/sizeBytes', 'file_cut_short']);
  const twice = [0, 0, 2].map((replicaIndex) => ({ replicaIndex, sizeBytes: 9 }));
  expect(await refused({ files: twice })).toEqual([
    ['#/files/1/replicaIndex', 'replica_twice'],
    ['#/files', 'replica_missing'],
  ]);
  const files = [{ replicaIndex: 0, sizeBytes: 90_000, head: 'AAAA' }];
  expect((await ask<Problem>('createImport', { body: { files } })).json).toMatchObject({
    code: 'validation_failed',
    errors: [{ pointer: '#/files/0/head' }],
  });
  expect(
    (await ask<ImportList>('listImports')).json.data.filter(({ status }) => status === 'UPLOADING'),
  ).toEqual([]);
});

test('without heads the first parts tell what the files are, and a mixture stops there', async () => {
  const [first, second, third] = three;
  const made = await begin([first!, second!, third!], false);
  expect(made).toMatchObject({
    clusterId: null,
    files: [{ name: '0.ledger', head: null }, {}, {}],
  });
  const wrong = new Uint8Array(second!.length);
  wrong.set(first!.subarray(0, wrong.length));
  expect((await put(made, 1, 1, wrong)).json).toMatchObject({
    code: 'import_files_wrong',
    errors: [{ pointer: '#/files/1/replicaIndex', code: 'replica_index_differs' }],
  });
  expect(staged(made)).toEqual([]);
  await upload(made, [first!, second!, third!]);
  expect((await complete(made)).json.import).toMatchObject({ status: 'READY', clusterId: '77' });
  const long = await begin([single], false);
  expect((await put(long, 0, 2, partOf(single, 2))).json).toMatchObject({
    code: 'import_incomplete',
    missing: [{ replicaIndex: 0, parts: [1] }],
  });
});

test('a part is taken only as it was announced: its bytes, its digest, its place', async () => {
  const made = await begin([single]);
  const second = partOf(single, 2);
  const digest = (text: string) => put(made, 0, 2, second, { 'content-digest': text });
  const other = `sha-256=:${'A'.repeat(43)}=:`;
  expect((await digest(other)).json).toMatchObject({ code: 'import_part_wrong' });
  expect((await digest('md5=:AAAA:')).json).toMatchObject({
    code: 'invalid_parameter',
    errors: [{ header: 'Content-Digest' }],
  });
  expect((await put(made, 0, 2, second.slice(1))).json).toMatchObject({
    code: 'import_part_wrong',
  });
  expect((await put(made, 0, 2, new Uint8Array(0))).json).toMatchObject({
    code: 'import_part_wrong',
  });
  expect((await put(made, 0, 3, second)).json).toMatchObject({ code: 'import_part_wrong' });
  expect((await put(made, 0, 2, new Uint8Array(17 * mebibyte))).json.code).toBe(
    'payload_too_large',
  );
  const json = { 'content-type': 'application/json' };
  expect((await put(made, 0, 2, second, json)).json.code).toBe('unsupported_media_type');
  const gzip = { 'content-encoding': 'gzip' };
  expect((await put(made, 0, 2, second, gzip)).json.code).toBe('unsupported_media_type');
  expect((await put(made, 1, 1, second)).json).toMatchObject({
    code: 'invalid_parameter',
    errors: [{ parameter: 'replicaIndex' }],
  });
  expect((await read(made)).files[0]).toMatchObject({ parts: [], uploadedBytes: 0 });
  // Another file than the announced one.
  const changed = partOf(single, 1);
  for (const copy of [0, 1, 2]) changed[copy * 4096 + 20]! ^= 1 << copy;
  expect((await put(made, 0, 1, changed)).json).toMatchObject({ code: 'import_files_wrong' });
  await put(made, 0, 2, second);
  second[0]! ^= 1;
  expect((await put(made, 0, 2, second)).json).toMatchObject({ code: 'import_part_wrong' });
});

test.each([
  ['..%2F..', '0', '1', 404],
  ['imp_..%2f..%2fhouse', '0', '1', 404],
  ['77_0.ledger', '0', '1', 404],
  ['', '-1', '1', 400],
  ['', '6', '1', 400],
  ['', '0', '0', 400],
  ['', '0', '10001', 400],
  ['', '0', '1e3', 400],
  ['', '0', '01', 400],
  ['', '%2e%2e', '1', 404],
])('a path with %s %s %s leads nowhere', async (id, replicaIndex, partNumber, status) => {
  const importId = id === '' ? 'imp_01jd8f3zk5e0v9t3m2q6r8w4x0' : id;
  const path = `/api/v1/imports/${importId}/files/${replicaIndex}/parts/${partNumber}`;
  const answer = await fetch(`${service.url}${path}`, {
    method: 'PUT',
    headers: { ...me, 'content-type': 'application/octet-stream' },
    body: new Uint8Array(9),
  });
  expect(answer.status).toBe(status);
  expect(await answer.json()).toHaveProperty('code');
});

test('another organization has no import of this one, and begins no database with it', async () => {
  const made = await ready([single]);
  const administrator = await service.administrator();
  const { json } = await askAt<{ organization: { id: string } }>(
    service.url,
    administrator,
    'createOrganization',
    { body: { name: 'Others', slug: 'others' } },
  );
  const as = { ...administrator, 'x-organization-id': json.organization.id };
  const theirs = <T = Problem>(operation: OperationId, sending: Sending) =>
    askAt<T>(service.url, as, operation, sending);
  const of = { importId: made.id, replicaIndex: '0', partNumber: '1' };
  for (const operation of ['getImport', 'completeImport', 'deleteImport'] as const) {
    expect(await theirs(operation, { of })).toMatchObject({ status: 404 });
  }
  const octets = partOf(single, 1);
  expect(await theirs('uploadImportPart', { of, octets })).toMatchObject({
    status: 404,
    json: { code: 'import_not_found' },
  });
  const body = { name: 'theirs', mode: 'import', importId: made.id };
  expect(await theirs('createDatabase', { body })).toMatchObject({
    status: 404,
    json: { code: 'import_not_found' },
  });
  expect((await theirs<ImportList>('listImports', {})).json.data).toEqual([]);
  const reader = { 'x-api-key': (await service.makeKey(['db:read'], { name: 'reader' })).secret };
  expect((await askAt(service.url, reader, 'listImports')).status).toBe(403);
});

test('an organization has three unused imports, and as many bytes as it may', async () => {
  const body = (sizeBytes: number) => ({ files: [{ replicaIndex: 0, sizeBytes }] });
  const refused = async (sizeBytes: number) =>
    (await ask<Problem>('createImport', { body: body(sizeBytes) })).json;
  expect(await refused(allowance + 1)).toMatchObject({ code: 'quota_exceeded' });
  const all = await Promise.all(
    Array.from({ length: 5 }, () => ask<ChangedImport>('createImport', { body: body(9) })),
  );
  expect(all.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 201, 201, 403, 403]);
  const { data } = (await ask<ImportList>('listImports', { query: '?limit=2' })).json;
  expect(data).toHaveLength(2);
  expect(await refused(9)).toMatchObject({ code: 'quota_exceeded' });
  await ask('deleteImport', { of: { importId: data[0]!.id } });
  expect((await ask('createImport', { body: body(9) })).status).toBe(201);
});

test('bytes that are still in the store count, also after their import is deleted', async () => {
  await allRemoved();
  const whole = { replicaIndex: 0, sizeBytes: allowance, head: headOf(single) };
  const another = () => ask<ChangedImport>('createImport', { body: { files: [whole] } });
  const made = (await another()).json.import;
  expect((await put(made, 0, 2, single.slice(0, part))).status).toBe(200);
  await store.stop();
  try {
    expect((await ask('deleteImport', { of: { importId: made.id } })).status).toBe(204);
    expect(await another()).toMatchObject({ status: 403, json: { code: 'quota_exceeded' } });
  } finally {
    await store.resume();
  }
  // The worker may have tried meanwhile, and tries again in ten minutes.
  await service.alter('UPDATE imports SET remove_at = now() WHERE removals = 0');
  await allRemoved();
  expect((await another()).status).toBe(201);
});

test('an import that is deleted in mid upload takes nothing more, and nothing of it stays in the store', async () => {
  await allRemoved();
  const before = kept();
  const made = await begin([single]);
  await put(made, 0, 2, partOf(single, 2));
  expect(kept()).toBeGreaterThan(before);
  expect(await ask('deleteImport', { of: { importId: made.id } })).toMatchObject({ status: 204 });
  expect((await put(made, 0, 1, partOf(single, 1))).status).toBe(404);
  expect((await complete(made)).status).toBe(404);
  expect((await ask('deleteImport', { of: { importId: made.id } })).status).toBe(404);
  await allRemoved();
  expect(kept()).toBe(before);
  expect(await eventsOf(made.id)).toEqual(['import.created', 'import.deleted']);
  // A part that was on its way may begin an upload after that: it is looked at once more.
  const later =
    'SELECT count(*)::integer AS count FROM imports WHERE removals = 1 AND remove_at > now()';
  const [row] = await service.query(later);
  expect(row?.['count']).toBeGreaterThan(0);
  await service.alter('UPDATE imports SET remove_at = now() WHERE removals = 1');
  await eventually('it is done', async () => {
    const [left] = await service.query('SELECT id FROM imports WHERE remove_at IS NOT NULL');
    if (left !== undefined) throw new Error(String(left['id']));
    return true;
  });
});

test('an import that nobody uses in time expires, and its files go', async () => {
  const made = await ready([single]);
  await service.alter(
    `UPDATE imports SET expires_at = now() - interval '1 second' WHERE status = 'READY'`,
  );
  await eventually('it is EXPIRED', async () => {
    const { status } = await read(made);
    if (status !== 'EXPIRED') throw new Error(status);
    return true;
  });
  await eventually('the files are gone', async () => {
    if (staged(made).length > 0) throw new Error(staged(made).join());
    return true;
  });
  expect((await put(made, 0, 9, partOf(single, 2))).json.code).toBe('import_part_wrong');
  const body = { name: 'late', mode: 'import', importId: made.id };
  expect((await createDatabase(body)).json.code).toBe('import_not_ready');
  expect(await eventsOf(made.id)).toContain('import.expired');
});

test('a store that is away is told as such, and the upload goes on when it is back', async () => {
  const made = await begin([single]);
  await put(made, 0, 1, partOf(single, 1));
  await store.stop();
  try {
    const away = await put(made, 0, 2, partOf(single, 2));
    expect(away).toMatchObject({ status: 503, json: { code: 'service_unavailable' } });
    expect(away.headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await put(made, 0, 1, partOf(single, 1))).status).toBe(200);
  } finally {
    await store.resume();
  }
  expect((await put(made, 0, 2, partOf(single, 2))).status).toBe(200);
  await store.stop();
  try {
    expect((await complete(made)).status).toBe(503);
  } finally {
    await store.resume();
  }
  expect((await complete(made)).status).toBe(200);
});

test('after a crash between the store and the rows, the same request ends well', async () => {
  const made = await begin([single]);
  await upload(made, [single]);
  // The store has the parts joined, and no row says so.
  expect((await complete(made)).status).toBe(200);
  await service.alter(`UPDATE import_files SET is_whole = false`);
  await service.alter(`UPDATE imports SET status = 'UPLOADING' WHERE status = 'READY'`);
  expect((await complete(made)).json.import).toMatchObject({ status: 'READY' });
  // The store has a part, and no row says so.
  const second = await begin([single]);
  await upload(second, [single]);
  await service.alter(
    `DELETE FROM import_parts WHERE number = 2 AND import_id = (SELECT id FROM imports ORDER BY created_at DESC LIMIT 1)`,
  );
  expect((await complete(second)).json.code).toBe('import_incomplete');
  await put(second, 0, 2, partOf(single, 2));
  // A row names other bytes than the store has.
  await service.alter(
    `UPDATE import_parts SET sha256 = sha256(sha256) WHERE number = 2 AND import_id = (SELECT id FROM imports ORDER BY created_at DESC LIMIT 1)`,
  );
  expect((await complete(second)).json).toMatchObject({
    code: 'import_incomplete',
    missing: [{ replicaIndex: 0, parts: [2] }],
  });
  await put(second, 0, 2, partOf(single, 2));
  // A rule of the bucket has ended the upload.
  await service.alter(
    `UPDATE import_files SET upload_id = 'gone' WHERE import_id = (SELECT id FROM imports ORDER BY created_at DESC LIMIT 1)`,
  );
  expect((await complete(second)).json).toMatchObject({
    code: 'import_incomplete',
    missing: [{ replicaIndex: 0, parts: [1, 2] }],
  });
  await upload(second, [single]);
  expect((await complete(second)).json.import).toMatchObject({ status: 'READY' });
});

test('parts that come at once, each of them twice, are one file', async () => {
  const made = await begin([single]);
  const answers = await Promise.all(
    [2, 1, 2, 1].map(async (number) => {
      for (;;) {
        const { status } = await put(made, 0, number, partOf(single, number));
        // The budget of bodies that are held.
        if (status !== 429) return status;
      }
    }),
  );
  expect(answers).toEqual([200, 200, 200, 200]);
  const both = await Promise.all([complete(made), complete(made)]);
  expect(both.map(({ status, json }) => [status, json.detail])).toEqual([
    [200, undefined],
    [200, undefined],
  ]);
  expect(readFileSync(join(folderOf(made), '77_0.ledger')).equals(single)).toBe(true);
  expect((await eventsOf(made.id)).filter((type) => type === 'import.validated')).toHaveLength(1);
});

/** The head of a file of TigerBeetle's. */
const beetleHead = (
  replicaIndex: number,
  replicaCount: number,
  rest: { clusterId?: bigint } = {},
) =>
  encodeSuperblock({
    identity: { clusterId: 770n, replicaIndex, replicaCount, ...rest },
    sequence: 3,
    release: 4361,
    releaseFormat: 4361,
    checkpointOp: 0,
    syncOpMax: 0,
    view: 2,
  });
const beetle = (replicaIndex: number, bytes: Uint8Array, headBytes = FILE_HEAD_SIZE_MAX) => ({
  replicaIndex,
  sizeBytes: dataFileSize,
  head: Buffer.from(bytes.subarray(0, headBytes)).toString('base64'),
});

test('files of TigerBeetle that are no whole cluster are refused by name before a byte is sent', async () => {
  const refused = async (...files: readonly object[]) => {
    const { status, json } = await ask<Problem>('createImport', { body: { files } });
    expect(status).toBe(422);
    return json.errors?.map(({ pointer, code }) => [pointer, code]);
  };
  const heads = [0, 1, 2].map((index) => beetleHead(index, 3));
  const [zero, one, two] = heads.map((head, index) => beetle(index, head));
  expect(await refused(zero!, one!, beetle(2, beetleHead(2, 3, { clusterId: 771n })))).toEqual([
    ['#/files/2/clusterId', 'cluster_differs'],
  ]);
  expect(await refused(zero!, beetle(1, heads[2]!), two!)).toEqual([
    ['#/files/1/replicaIndex', 'replica_index_differs'],
  ]);
  expect(await refused(zero!, one!)).toEqual([['#/files', 'wrong_file_count']]);
  expect(await refused({ ...zero, sizeBytes: dataFileSize - 1 }, one!, two!)).toEqual([
    ['#/files/0/sizeBytes', 'file_cut_short'],
  ]);
  const forged = new Uint8Array(heads[1]!);
  for (let copy = 0; copy < 4; copy += 1) forged[copy * 24_576 + 1_360]! ^= 1;
  expect(await refused(zero!, beetle(1, forged), two!)).toEqual([
    ['#/files/1/head', 'head_damaged'],
  ]);
  const { status, json } = await ask<Problem>('createImport', {
    body: { files: [zero, beetle(1, heads[1]!, FILE_HEAD_SIZE), two] },
  });
  expect({ status, json }).toMatchObject({
    status: 422,
    json: { code: 'validation_failed', errors: [{ pointer: '#/files/1/head', code: 'too_small' }] },
  });
});

test('a file of TigerBeetle begins a database of TigerBeetle, byte for byte and under its cluster ID', async () => {
  const file = join(store.folder, 'whole.tigerbeetle');
  writeFileSync(file, beetleHead(0, 1));
  truncateSync(file, dataFileSize - 5);
  writeFileSync(file, 'ledge', { flag: 'a' });
  const made = (
    await ask<ChangedImport>('createImport', { body: { files: [beetle(0, beetleHead(0, 1))] } })
  ).json.import;
  expect(made).toMatchObject({
    clusterId: '770',
    files: [{ name: '770_0.tigerbeetle', head: { engine: 'TigerBeetle', release: '0.17.9' } }],
  });
  const source = openSync(file, 'r');
  for (let at = 0; at < dataFileSize; at += part) {
    const octets = new Uint8Array(Math.min(part, dataFileSize - at));
    readSync(source, octets, 0, octets.length, at);
    expect((await put(made, 0, at / part + 1, octets)).status).toBe(200);
  }
  closeSync(source);
  expect((await complete(made)).json).toMatchObject({ import: { status: 'READY' } });

  const body = { name: 'beetle', mode: 'import', importId: made.id, clusterSize: 'lh-40' };
  const refused = async (more: object) => {
    const { json } = await ask<Problem>('createDatabase', { body: { ...body, ...more } });
    expect(json.code).toBe('import_does_not_fit');
    return json.errors?.map(({ pointer, code }) => [pointer, code]);
  };
  expect(await refused({ engine: 'Builtin' })).toEqual([['#/engine', 'engine_unsupported']]);
  expect(await refused({ engineVersion: '0.17.8', selectedStorageGb: 2 })).toEqual([
    ['#/engineVersion', 'release_newer'],
  ]);
  // The default version is older than the files.
  const fitting = { ...body, selectedStorageGb: 2 };
  expect(await refused({ ...fitting, selectedStorageGb: 1 })).toEqual([
    ['#/selectedStorageGb', 'files_too_large'],
  ]);
  const kept = folderOf({ id: 'kept' });
  mkdirSync(kept);
  linkSync(join(folderOf(made), '770_0.tigerbeetle'), join(kept, '770_0.tigerbeetle'));
  const created = await createDatabase(fitting);
  expect(created).toMatchObject({
    status: 202,
    json: { database: { mode: 'import', engine: { name: 'TigerBeetle', version: '0.17.9' } } },
  });
  const args = await argsOfJob(made);
  expect(args).toEqual(expect.arrayContaining(['fetch-import', '--cluster=770', '--replica=0']));
  const folder = join(store.folder, 'beetle');
  mkdirSync(folder);
  const data = join(folder, 'replica.tigerbeetle');
  const ofKept = argsHere(args, { credentials: join(store.folder, 'credentials'), data }).map(
    (arg) => (arg === `--import=${made.id}` ? '--import=kept' : arg),
  );
  await mustRun(engineProgram, ofKept);
  expect(readdirSync(folder)).toEqual(['replica.tigerbeetle']);
  expect(statSync(data).size).toBe(dataFileSize);
  await mustRun('cmp', [data, file]);
  for (const path of [kept, folder, file]) rmSync(path, { recursive: true });
});

test('the catalog says that and how files are imported', async () => {
  const { json } = await ask<{ import: object }>('getCreateCatalog');
  expect(json.import).toMatchObject({
    supported: true,
    maxOrganizationBytes: allowance,
    headBytes: FILE_HEAD_SIZE,
    newestRelease: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    tigerBeetle: { newestRelease: '0.17.9', headBytes: FILE_HEAD_SIZE_MAX },
  });
});
