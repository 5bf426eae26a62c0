/**
 * From `make up` on an empty machine to `make down`: a payments company keeps its ledger in a database that it made over HTTP,
 * while pods die, and its books stay right to the cent.
 */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { labels } from '../../domain/names.ts';
import { resources, type Pod } from '../../domain/kinds.ts';
import type { RecoveryWindowAnswer } from '../../gen/api.ts';
import type { KubeObject } from '../../base/kube/kube.ts';
import { openSession } from '../../tools/up/api-key.ts';
import { call } from '../../tools/up/http.ts';
import { bodyOf, accountCount, transferBodies } from '../../bench/api/codec-bodies.ts';
import { openTab, startChromium } from '../support/browser/chromium.ts';
import { Stranger, type Program } from '../support/browser/stranger.ts';
import { Cli } from '../support/cli/cli.ts';
import { HttpService } from '../support/api/http-service.ts';
import { figure, startClientPod, systemNamespace } from '../support/cluster/installation.ts';
import { LocalService } from '../support/cluster/local-service.ts';
import { leftOf } from '../support/cluster/machine.ts';
import { kill, killOne, livingPods, untilEnded } from '../support/cluster/pods.ts';
import { OfficialClient } from '../support/engine/official-client.ts';
import { pathOnMachine } from '../support/engine/pod-process.ts';
import type { Database as Resource } from '../support/operator/operator-world.ts';
import { loadPayments } from '../support/engine/payments-load.ts';
import {
  accountEvents,
  accounts,
  books,
  codes,
  dayOf,
  rows,
  type Balance,
} from '../support/engine/payments.ts';
import { checkout, eventually, mustRun } from '../support/shell.ts';
import { still } from '../support/still.ts';

jest.setTimeout(30 * 60_000);

const service = new LocalService();
const { cluster } = service;
const started = Date.now();
let printed = '';
let http: HttpService;
let cli: Cli | undefined;
let official: OfficialClient | undefined;
let database: Database;

interface Database {
  readonly id: string;
  readonly status: string;
  readonly activeJobId: string | null;
}
type Shown = Database & { readonly statusReason: { readonly code: string } | null };
type Row = Readonly<Record<string, string>>;
interface Rows {
  readonly result: readonly Row[];
  readonly missing?: readonly string[];
  readonly page?: { readonly next: unknown };
}

beforeAll(async () => {
  await interruptedTwice();
  const said = await service.made('up');
  expect(said).toContain('Next:');
  printed = said;
  figure('make up, interrupted twice on the way', started);
  http = new HttpService(service.credentials);
  const { baseUrl, apiKey } = service.credentials;
  cli = new Cli({ LEDGERHOUSE_BASE_URL: baseUrl, LEDGERHOUSE_API_KEY: apiKey });
});
afterAll(async () => {
  official?.close();
  cli?.remove();
  await service.dispose();
});

/** Once while Kubernetes comes up, and once while Helm installs: neither may be in the way of the next `make up`. */
async function interruptedTwice(): Promise<void> {
  await service.interrupted('up', async () => (await leftOf(service.stateFolder)).length > 5);
  const said = await service.interrupted('up', async () => {
    const what = ['get', 'secrets', '-n', systemNamespace, '-l', 'owner=helm', '-o', 'name'];
    return (await cluster.tryKubectl(...what)).stdout.includes('v1.ledgerhouse.');
  });
  expect(said).toContain('make up goes on from here');
}

const read = async <T>(...args: string[]) =>
  JSON.parse(await cluster.kubectl('get', '-o', 'json', ...args)) as T;
const podsOf = (name: string) =>
  livingPods(cluster, systemNamespace, `app.kubernetes.io/name=${name}`);

const resource = async (name = 'payments'): Promise<Resource> => {
  const all = await cluster.list<Resource>(resources.database);
  const found = all.find(({ metadata }) => metadata.name === name);
  if (found === undefined) throw new Error(`there is no LedgerDatabase ${name}`);
  return found;
};
const enginesOf = async (name: string) => {
  const { namespace = '', uid } = (await resource(name)).metadata;
  return livingPods(cluster, namespace, `${labels.uid}=${uid},${labels.role}=replica`);
};
const path = () => `/databases/${database.id}`;
const ledger = (operation: string, body: unknown) =>
  http.ask<Rows>(`${path()}/tb/${operation}`, { method: 'POST', body });

/** All pages of a query. */
async function all(operation: string, filter: object): Promise<readonly Row[]> {
  const found: Row[] = [];
  for (let next: unknown = filter; next !== null;) {
    const { result, page } = await ledger(operation, next);
    found.push(...result);
    next = page?.next ?? null;
  }
  return found;
}

async function untilJobsEnd(status: string, id = database.id): Promise<void> {
  const isSo = async () => {
    const { database: now } = await http.ask<{ database: Database }>(`/databases/${id}`);
    if (now.status === status && now.activeJobId === null) return true;
    throw new Error(JSON.stringify(now, undefined, 1));
  };
  await cluster.reporting(() => eventually(`the database is ${status}`, isSo, 600_000));
}

const cents = (row: Row | undefined, name: keyof Balance) => BigInt(row?.[name] ?? -1);
const balanceOf = (row: Row | undefined): Balance => ({
  debits_posted: cents(row, 'debits_posted'),
  credits_posted: cents(row, 'credits_posted'),
  debits_pending: cents(row, 'debits_pending'),
  credits_pending: cents(row, 'credits_pending'),
});

async function expectBooksToBalance(): Promise<void> {
  const { result } = await ledger(
    'lookup_accounts',
    accounts.map(({ id }) => id),
  );
  expect(new Map(result.map((row) => [row['id'], balanceOf(row)]))).toEqual(books());
  const sum = (name: keyof Balance) => result.reduce((total, row) => total + cents(row, name), 0n);
  expect(sum('debits_posted')).toBe(sum('credits_posted'));
  expect(sum('debits_pending')).toBe(sum('credits_pending'));
}

test('a second make up changes nothing', async () => {
  const kinds = 'deployments,statefulsets,services,configmaps,pods,pvc,ldb';
  const versions = async () => {
    const { items } = await read<{ items: KubeObject[] }>(kinds, '-A');
    // Leaders write Leases every few seconds; these are left out.
    return items
      .map(
        ({ kind, metadata }) =>
          `${kind} ${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`,
      )
      .sort();
  };
  // The work that the first `make up` began must come to rest first. The engine's use of its limits is asked once a minute.
  const reason = 'jsonpath={.items[*].status.conditions[?(@.type=="CapacityLeft")].reason}';
  await eventually('the use of limits is known', async () => {
    const known = await cluster.kubectl('get', 'ldb', '-A', '-o', reason);
    return known === 'Enough' || undefined;
  });
  const rest = { forMs: 10_000, withinMs: 300_000 };
  const before = [await still('all that there is', versions, rest), service.credentials];
  const began = Date.now();
  await service.made('up');
  figure('make up on what is up', began);
  expect([await versions(), service.credentials]).toEqual(before);
});

/** Does what the page for connecting says, but takes the client from this checkout. */
async function runProgram({ install, environment, file, command }: Program): Promise<void> {
  expect(install).toMatch(/^npm install tigerbeetle-node@/);
  const folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-program-'));
  try {
    symlinkSync(join(checkout, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'main.js'), file);
    const PATH = `${join(checkout, 'bin')}:${process.env['PATH'] ?? ''}`;
    const script = `cd '${folder}'\n${environment}\n${command}`;
    const env = { PATH, HOME: folder };
    const said = await mustRun('bash', ['-ec', script], { env, timeoutMs: 600_000 });
    expect(said).toContain('connected; 0 accounts found');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('a stranger with a browser and what make up printed keeps books, backs them up, and has a deleted database again, while pods are killed', async () => {
  const [, url = ''] = /dashboard +(\S+)\/\n/.exec(printed) ?? [];
  const [, token = ''] = /sign in once with the token (\S+)/.exec(printed) ?? [];
  const began = Date.now();
  const killed = async (pods: Promise<readonly Pod[]>) =>
    untilEnded([await killOne(cluster, pods)]);
  const browser = await startChromium();
  const tab = await openTab(browser, { origins: [url], width: 1280 });
  const endFilm = await tab.film('stranger');
  try {
    const stranger = new Stranger(tab, url);
    await cluster.reporting(async () => {
      await stranger.signsIn(token);
      await stranger.creates('till', () => killed(podsOf('ledgerhouse-api')));
      await stranger.connects(runProgram);
      await stranger.makesAccounts('till', ['1001', '4001']);
      await stranger.sends('till', ['1001', '4001', '1999'], () => killed(enginesOf('till')));
      await stranger.reads('1001', 'Dr 1,999');
      await stranger.backsUp('first');
      await stranger.restoresBackup('first', 'till-again');
      await stranger.reads('4001', 'Cr 1,999');
      await stranger.deletes('till');
      await stranger.restoresDeleted('till');
      await stranger.reads('1001', 'Dr 1,999');
      await stranger.signsOut();
    });
  } finally {
    await endFilm();
    await browser.close();
  }
  figure('the stranger’s path', began);
  // The machine is small: their pods make room for those that follow.
  for (const name of ['till', 'till-again']) {
    const { data } = await http.ask<{ data: Database[] }>(`/databases?name=${name}`);
    for (const { id } of data) {
      await http.ask(`/databases/${id}`, { method: 'DELETE' });
      await untilJobsEnd('DELETED', id);
    }
  }
});

test('make env and make status say what a shell and a person need', async () => {
  const env = await service.made('env');
  const { baseUrl, apiKey } = service.credentials;
  expect(env).toContain(`export LEDGERHOUSE_BASE_URL='${baseUrl}'`);
  expect(env).toContain(`export LEDGERHOUSE_API_KEY='${apiKey}'`);
  expect(env).toContain(`export KUBECONFIG='${cluster.kubeconfig}'`);
  expect(await service.made('status')).toMatch(/demo +Builtin +single/);
});

test('a database is created over HTTP, once for one key, and is READY', async () => {
  const request = {
    method: 'POST',
    headers: { 'idempotency-key': 'story-payments' },
    body: { name: 'payments', clusterSize: 'lh-5', selectedStorageGb: 1 },
  };
  const began = Date.now();
  const [first, second] = [
    await http.ask<{ database: Database }>('/databases', request),
    await http.ask<{ database: Database }>('/databases', request),
  ];
  expect(second.database.id).toBe(first.database.id);
  database = first.database;
  await untilJobsEnd('READY');
  figure('a database is READY after its creation over HTTP', began);
  const session = await http.ask<{ permissions: string[] }>('/session');
  expect(JSON.stringify(session)).toContain('db:write');
});

test('a month of payments is loaded by two clients while the engine and an API replica are killed', async () => {
  const image = await cluster.image('ledger-client');
  const name = await startClientPod(cluster, image, await resource());
  const { namespace = '' } = (await resource()).metadata;
  official = await OfficialClient.open(cluster, { namespace, name });
  const half = (currency: number) => accountEvents.filter((event) => event['ledger'] === currency);
  await ledger('create_accounts', half(978));
  const made = await official.ask<string[]>('createAccounts', half(840));
  expect(new Set(made)).toEqual(new Set(['created']));

  const began = Date.now();
  const killed: Promise<Pod>[] = [];
  const before = (await enginesOf('payments'))[0]?.metadata.uid;
  const loaded = await loadPayments({ http, path: path(), official }, (percent) => {
    if (percent === 25) killed.push(killOne(cluster, enginesOf('payments')));
    if (percent === 60) killed.push(killOne(cluster, podsOf('ledgerhouse-api')));
  });
  const gone = await Promise.all(killed);
  expect(gone).toHaveLength(2);
  await untilEnded(gone);
  expect((await enginesOf('payments'))[0]?.metadata.uid).not.toBe(before);
  figure(`${rows.length} transfers are loaded (${JSON.stringify(loaded)})`, began);
  await expectBooksToBalance();
});

test('every transfer is there as it was written, and none that was refused', async () => {
  const sent = rows.map(({ id }) => id);
  const { result, missing } = await ledger('lookup_transfers', sent);
  const created = rows.filter((row) => row.expected === 'created');
  expect(missing).toEqual(rows.filter((row) => row.expected !== 'created').map(({ id }) => id));
  expect(result.map((row) => [row['id'], row['amount'], row['debit_account_id']])).toEqual(
    created.map((row) => [row.id, String(row.cents), row.debit]),
  );
});

test('the queries agree with the rows, page by page, for both clients', async () => {
  const customer = '978001001';
  const of = rows.filter(
    (row) => row.expected === 'created' && [row.debit, row.credit].includes(customer),
  );
  const transfers = await all('get_account_transfers', { account_id: customer, limit: 7 });
  expect(transfers.map((row) => row['id'])).toEqual(of.map((row) => row.id));
  const balances = await all('get_account_balances', { account_id: customer, limit: 7 });
  expect(balances).toHaveLength(of.length);
  expect(balanceOf(balances.at(-1))).toEqual(books().get(customer));

  const customers = await all('query_accounts', { ledger: 840, code: codes.account.customer });
  expect(customers.map((row) => row['id'])).toEqual(
    accounts.filter((one) => one.ledger === 840 && one.kind === 'customer').map(({ id }) => id),
  );
  const day = dayOf('2026-01-15');
  const filter = { ledger: 978, code: codes.fee, user_data_32: day, limit: 5 };
  const fees = await all('query_transfers', filter);
  expect(fees.map((row) => row['id'])).toEqual(
    rows
      .filter((row) => row.type === 'fee' && row.ledger === 978 && row.date === '2026-01-15')
      .filter((row) => row.expected === 'created')
      .map((row) => row.id),
  );
  expect(fees.length).toBeGreaterThan(5);
  const same = await official?.ask<Row[]>('queryTransfers', { ...filter, limit: 8_189 });
  expect(same?.map((row) => row['id'])).toEqual(fees.map((row) => row['id']));
  const seen = await official?.ask<Row[]>('lookupAccounts', [customer]);
  expect(balanceOf(seen?.[0])).toEqual(books().get(customer));
});

test('the command line sees the same books', async () => {
  const fees = '840000002';
  const looked = await cli?.run(['tb', 'lookup-accounts', database.id, '--ids', fees, '--csv']);
  expect(looked?.code).toBe(0);
  const [head = '', row = ''] = (looked?.stdout ?? '').split('\n').map((line) => line.trim());
  const cells = Object.fromEntries(
    head.split(',').map((name, index) => [name, row.split(',')[index] ?? '']),
  );
  expect(balanceOf(cells)).toEqual(books().get(fees));
  expect((await cli?.run(['whoami']))?.stdout).toMatch(/db:write/);
  const listed = await cli?.run(['databases', 'list', '--status', 'READY']);
  expect(listed?.stdout).toContain(database.id);
});

test('the log of the database tells both lives of its engine, also that of the pod that is gone', async () => {
  const asked = ['logs', 'payments', '--component', 'engine', '--search', 'data file loaded'];
  await eventually('both lives are in the log', async () => {
    const { stdout = '' } = (await cli?.run([...asked, '--json'])) ?? {};
    const lines = stdout.split('\n').filter((line) => line !== '');
    const loaded = lines.map((line) => (JSON.parse(line) as { message: string }).message);
    return loaded.filter((message) => message.includes('data file loaded')).length > 1 || undefined;
  });
});

test.each(['ha-3', 'ha-6'])(
  '%s of the built-in engine is READY on this one machine, and takes a transfer',
  async (clusterConfiguration) => {
    const name = `safe-${clusterConfiguration}`;
    const smallest = { clusterSize: 'lh-5', selectedStorageGb: 1 };
    const body = { name, clusterConfiguration, ...smallest, deletionProtection: false };
    const began = Date.now();
    const made = await http.ask<{ database: Database }>('/databases', { method: 'POST', body });
    const { id } = made.database;
    await untilJobsEnd('READY', id);
    figure(`${clusterConfiguration} is READY after its creation over HTTP`, began);
    const ask = (operation: string, events: unknown) =>
      http.ask<Rows>(`/databases/${id}/tb/${operation}`, { method: 'POST', body: events });
    const kind = { ledger: 1, code: 1 };
    await ask('create_accounts', [
      { id: '1', ...kind },
      { id: '2', ...kind },
    ]);
    const sides = { debit_account_id: '1', credit_account_id: '2' };
    await ask('create_transfers', [{ id: '1', ...sides, amount: '7', ...kind }]);
    const { result } = await ask('lookup_accounts', ['2']);
    expect(result[0]?.['credits_posted']).toBe('7');
    // The machine is small: its pods make room for the next.
    await http.ask(`/databases/${id}`, { method: 'DELETE' });
    await untilJobsEnd('DELETED', id);
  },
);

interface Timed {
  readonly status: number;
  readonly body: { readonly code?: string; readonly outcome?: string } & Partial<Rows>;
  readonly ms: number;
}

/** Sends a ledger request as bytes, and times it. */
async function timed(id: string, operation: string, events: Uint8Array): Promise<Timed> {
  const { baseUrl, apiKey } = service.credentials;
  const began = performance.now();
  const answer = await fetch(`${baseUrl}/api/v1/databases/${id}/tb/${operation}`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: events,
    signal: AbortSignal.timeout(60_000),
  });
  const body = (await answer.json()) as Timed['body'];
  return { status: answer.status, body, ms: performance.now() - began };
}

const amountOf = (transfers: Uint8Array): bigint =>
  (JSON.parse(new TextDecoder().decode(transfers)) as { readonly amount: string }[]).reduce(
    (sum, { amount }) => sum + BigInt(amount),
    0n,
  );

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Takes room of the volume of a database's engine, MiB, as another file on it would: the ledger is full with fewer transfers. */
async function takeRoom(name: string, mib: number): Promise<void> {
  const [pod] = await enginesOf(name);
  if (pod === undefined) throw new Error(`${name} has no pod`);
  const folder = pathOnMachine(pod, 'main.js start', '/data');
  await mustRun('fallocate', ['-l', `${mib}MiB`, join(folder, 'taken')]);
}

test('a full ledger refuses what it has no room for, is read as before, and holds all that it accepted', async () => {
  const body = {
    name: 'filled',
    clusterSize: 'lh-5',
    selectedStorageGb: 1,
    deletionProtection: false,
  };
  const made = await http.ask<{ database: Database }>('/databases', { method: 'POST', body });
  const { id } = made.database;
  await untilJobsEnd('READY', id);
  await takeRoom('filled', 576);
  const numbers = Array.from({ length: accountCount }, (_, index) => String(index + 1));
  const kind = { ledger: 1, code: 1 };
  const opened = numbers.map((one) => ({ id: one, ...kind }));
  expect((await timed(id, 'create_accounts', bodyOf(opened))).status).toBe(200);
  // In turn with a ledger that has room: whatever else the machine does slows both down.
  const reads = { own: [] as number[], other: [] as number[] };
  const readBoth = async () => {
    for (let number = 0; number < 100; number += 1) {
      const other = accounts[number % accounts.length]?.id;
      for (const [whose, of, account] of [
        ['own', id, numbers[number]],
        ['other', database.id, other],
      ] as const) {
        const { status, body: said, ms } = await timed(of, 'lookup_accounts', bodyOf([account]));
        expect([status, said.result?.map((row) => row['id'])]).toEqual([200, [account]]);
        reads[whose].push(ms);
      }
    }
  };

  const next = transferBodies(8_189);
  const began = Date.now();
  let accepted = 0;
  let first: Timed | undefined;
  /** Amounts of what was accepted, and of what was refused after it had once had no answer. */
  const amounts = { accepted: 0n, unknown: 0n };
  const full = { status: 503, body: { code: 'ledger_full', outcome: 'not_executed' } };
  /** A request that has no answer in time is sent again: the ledger knows it by the IDs of its transfers. */
  const create = async (transfers: Uint8Array): Promise<Timed> => {
    let answer = await timed(id, 'create_transfers', transfers);
    let wasAnswered = true;
    for (; answer.body.code === 'ledger_timeout'; wasAnswered = false)
      answer = await timed(id, 'create_transfers', transfers);
    const amount = amountOf(transfers);
    if (answer.status === 200) amounts.accepted += amount;
    else if (!wasAnswered) amounts.unknown += amount;
    return answer;
  };
  /** Writes batches until one is refused. */
  const fill = async () => {
    let answer = await create(next());
    for (; answer.status === 200; answer = await create(next())) accepted += 8_189;
    first ??= answer;
  };
  await cluster.reporting(() => Promise.all([fill(), fill(), fill()]));
  figure(`lh-5 is full with ${accepted} transfers`, began);
  expect(first).toMatchObject(full);

  const one = transferBodies(1);
  const times: number[] = [];
  let singles = 0;
  for (let turn = 0; turn < 5; turn += 1) {
    while (times.length < 10 * (turn + 1)) {
      const answer = await create(one());
      if (answer.status === 200) {
        // There was no room for a batch, and is some for a single one. A replica of the API that has not been told sends it.
        expect((singles += 1)).toBeLessThan(100);
        await fill();
        continue;
      }
      expect(answer).toMatchObject(full);
      times.push(answer.ms);
    }
    await readBoth();
  }
  const [fullMs, usualMs] = [median(reads.own), median(reads.other)];
  const shown = (ms: number) => ms.toFixed(1);
  process.stderr.write(
    `figure: full ledger: first refusal ${shown(first?.ms ?? 0)} ms; later ones p50 ${shown(median(times))}, ` +
      `most ${shown(Math.max(...times))} ms; lookup p50 ${shown(fullMs)} ms, of another one ${shown(usualMs)} ms\n`,
  );
  // What it holds is whole: all that was accepted, and nothing of what was refused.
  const { result } = await http.ask<Rows>(`/databases/${id}/tb/lookup_accounts`, {
    method: 'POST',
    body: numbers,
  });
  const held = result.reduce((sum, row) => sum + BigInt(row['credits_posted'] ?? 0), 0n);
  expect(held - amounts.accepted).toBeGreaterThanOrEqual(0n);
  expect(held - amounts.accepted).toBeLessThanOrEqual(amounts.unknown);
  await eventually('the database says that it is full', async () => {
    const { database: now } = await http.ask<{ database: Shown }>(`/databases/${id}`);
    if (now.statusReason?.code === 'Full') return true;
    throw new Error(JSON.stringify(now.statusReason));
  });
  await http.ask(`/databases/${id}`, { method: 'DELETE' });
  await untilJobsEnd('DELETED', id);
});

const replicas = async () =>
  (await podsOf('ledgerhouse-api')).map(({ metadata, status }) => [
    metadata.uid,
    status?.containerStatuses?.[0]?.restartCount,
  ]);
const untilBothReplicasAreReady = () =>
  eventually('both replicas are ready', async () => {
    const pods = await podsOf('ledgerhouse-api');
    const ready = pods.filter((pod) => pod.status?.containerStatuses?.[0]?.ready);
    return pods.length === 2 && ready.length === 2 ? true : undefined;
  });

test('an owner sets a database back between two transfers, by its address and with its key, and undoes it', async () => {
  const body = {
    name: 'regrets',
    clusterSize: 'lh-5',
    selectedStorageGb: 1,
    continuousArchiving: { rpoSeconds: 1 },
  };
  const { database: made } = await http.ask<{ database: Database }>('/databases', {
    method: 'POST',
    body,
  });
  await untilJobsEnd('READY', made.id);
  const own = `/databases/${made.id}`;
  const tb = (operation: string, events: unknown) =>
    http.ask<Rows>(`${own}/tb/${operation}`, { method: 'POST', body: events });
  const image = await cluster.image('ledger-client');
  const pod = await startClientPod(cluster, image, await resource('regrets'));
  const connected = async <T>(work: (client: OfficialClient) => Promise<T>): Promise<T> => {
    const { metadata, status } = await resource('regrets');
    const place = { namespace: metadata.namespace ?? '', name: pod };
    const client = await OfficialClient.open(cluster, place, status?.addresses);
    try {
      return await work(client);
    } finally {
      client.close();
    }
  };
  const account = { ledger: 1, code: 1 };
  const pay = (id: string) => [
    { id, debit_account_id: '1', credit_account_id: '2', amount: '7', ledger: 1, code: 1 },
  ];
  const paid = async () =>
    (await tb('lookup_transfers', ['1', '2', '3'])).result.map((row) => row['id']);
  await connected(async (client) => {
    const events = [
      { ...account, id: '1' },
      { ...account, id: '2' },
    ];
    expect(await client.ask('createAccounts', events)).toEqual(['created', 'created']);
    expect(await client.ask('createTransfers', pay('1'))).toEqual(['created']);
    expect(await client.ask('createTransfers', pay('2'))).toEqual(['created']);
  });
  const wrong = (await tb('lookup_transfers', ['2'])).result[0]?.['timestamp'] ?? '';
  // A resource that was made anew has a window once its archiver has looked.
  const untilInWindow = () =>
    eventually('the archive has the wrong transfer', async () => {
      const { recoveryWindow } = await http.ask<RecoveryWindowAnswer>(`${own}/recovery-window`);
      const { earliest, latest } = recoveryWindow;
      const ends = [earliest?.timestamp ?? wrong, latest?.timestamp ?? 0].map(BigInt);
      return ends[0]! < BigInt(wrong) && ends[1]! >= BigInt(wrong) ? true : undefined;
    });
  await untilInWindow();
  const { baseUrl } = service.credentials;
  const bootstrapToken = await cluster.kubectl(
    '-n',
    systemNamespace,
    'get',
    'secret',
    'ledgerhouse-bootstrap-token',
    '-o',
    'go-template={{.data.token | base64decode}}',
  );
  const owner = await openSession(baseUrl, bootstrapToken);
  const back = async (targetTimestamp: string) => {
    const began = Date.now();
    const { job } = await call<{ job: { id: string } }>(baseUrl, {
      method: 'POST',
      path: `/api/v1${own}/restore-in-place`,
      headers: owner,
      body: { targetTimestamp, confirmName: 'regrets' },
    });
    await cluster.reporting(() =>
      eventually(
        'the database has gone back',
        async () => {
          const { job: now } = await http.ask<{ job: { status: string } }>(`/jobs/${job.id}`);
          if (now.status === 'SUCCEEDED') return true;
          throw new Error(JSON.stringify(now, undefined, 1));
        },
        900_000,
      ),
    );
    figure('a database has gone back in place', began);
    await untilJobsEnd('READY', made.id);
  };
  const before = await resource('regrets');

  await back(String(BigInt(wrong) - 1n));
  expect(await paid()).toEqual(['1']);
  const after = await resource('regrets');
  expect(after.status?.clusterId).toBe(before.status?.clusterId);
  await connected(async (client) => {
    expect(await client.ask('createTransfers', pay('3'))).toEqual(['created']);
  });
  expect(await paid()).toEqual(['1', '3']);

  await untilInWindow();
  await back(wrong);
  expect(await paid()).toEqual(['1', '2']);
});

test('when an API replica is killed the other one answers', async () => {
  await untilBothReplicasAreReady();
  const [doomed, other] = await podsOf('ledgerhouse-api');
  if (doomed === undefined || other === undefined) throw new Error('there are no two replicas');
  await kill(cluster, doomed);
  await eventually('an answer', async () =>
    (await http.send('/databases')).status === 200 ? true : undefined,
  );
  expect(await replicas()).toContainEqual([other.metadata.uid, 0]);
});

test('while PostgreSQL is killed the API says so, and is back without a restart', async () => {
  await untilBothReplicasAreReady();
  const before = await replicas();
  const [postgres] = await podsOf('ledgerhouse-postgres');
  if (postgres === undefined) throw new Error('PostgreSQL has no pod');
  const began = Date.now();
  // PostgreSQL does not come back before its absence was noticed.
  const problem = await cluster.cordoned('node-1', async () => {
    await kill(cluster, postgres);
    return eventually('the API says that its store is away', async () => {
      const { status, body } = await http.send<{ code: string; detail: string }>('/databases');
      return status === 503 ? body : undefined;
    });
  });
  expect(problem).toMatchObject({ code: 'service_unavailable' });
  expect(problem.detail).toContain('database of the service itself does not answer');
  await eventually('it lists databases again', async () =>
    (await http.send('/databases')).status === 200 ? true : undefined,
  );
  figure('PostgreSQL was killed, and the API answers again', began);
  expect(await replicas()).toEqual(before);
});

test('a deleted database answers no more, and is restored with all that it held', async () => {
  const began = Date.now();
  await http.ask(path(), { method: 'DELETE' });
  await untilJobsEnd('DELETED');
  const gone = await http.send(`${path()}/tb/query_accounts`, { method: 'POST', body: {} });
  expect([404, 409, 410]).toContain(gone.status);
  const headers = { 'idempotency-key': 'story-restore' };
  await http.ask(`${path()}/restore`, { method: 'POST', headers });
  await untilJobsEnd('READY');
  figure('deleted and restored', began);
  await expectBooksToBalance();
});

test('make down ends everything and keeps the data, which make up brings back', async () => {
  official?.close();
  const key = service.credentials.apiKey;
  const began = Date.now();
  // It has copies of all mounts, as any service that begins a mount namespace of its own.
  const stranger = spawn('unshare', ['--mount', 'sleep', '600'], { stdio: 'ignore' });
  try {
    expect(await service.made('down')).toContain('Its data stay');
    expect((await leftOf(service.stateFolder)).join('\n')).toBe('');
  } finally {
    stranger.kill();
  }
  expect((await service.make('status')).stderr).toContain('nothing is up; run make up');
  await service.made('up');
  figure('down and up again', began);
  expect(service.credentials.apiKey).toBe(key);
  await untilJobsEnd('READY');
  await expectBooksToBalance();
});

test('make down DATA=1 leaves nothing behind', async () => {
  await service.made('down', 'DATA=1');
  expect(await leftOf(service.stateFolder)).toEqual([]);
  figure('the whole story', started);
});
