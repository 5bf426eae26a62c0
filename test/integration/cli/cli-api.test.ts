/** The command-line tool against the real API: PostgreSQL, control plane, operator, and an engine that keeps accounts. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  ConnectionCheckAnswer,
  ConnectionSnippetAnswer,
  CreatedDatabase,
  Database,
  JobList,
} from '../../../gen/api.ts';
import { Cli } from '../../support/cli/cli.ts';
import type { TestEngine } from '../../support/engine/engine.ts';
import { TestService } from '../../support/api/service.ts';
import { FaultyProxy, passes } from '../../support/store/faulty-proxy.ts';
import { eventually, type Ended } from '../../support/shell.ts';

const u128Max = String(2n ** 128n - 1n);
let service: TestService;
let cli: Cli;
let engine: TestEngine;
let database: Database;

beforeAll(async () => {
  service = await TestService.start();
  cli = new Cli({
    LEDGERHOUSE_BASE_URL: service.url,
    LEDGERHOUSE_API_KEY: (await service.makeKey(['db:read', 'db:write'])).secret,
  });
});
afterAll(async () => {
  cli?.remove();
  await service?.stop();
});

/** The result of a command that must succeed. */
async function json<T>(...args: readonly string[]): Promise<T> {
  const { code, stdout, stderr } = await cli.run([...args, '--json']);
  expect({ args, code, stderr, stdout: code === 0 ? '' : stdout }).toMatchObject({ code: 0 });
  return JSON.parse(stdout) as T;
}

interface Reply {
  readonly summary?: Readonly<Record<string, number>>;
  readonly result: readonly Readonly<Record<string, unknown>>[];
  readonly missing?: readonly string[];
  readonly page?: { readonly hasMore: boolean };
}
const tb = (subcommand: string, ...args: readonly string[]) =>
  json<Reply>('tb', subcommand, database.id, ...args);
const run = (subcommand: string, ...args: readonly string[]): Promise<Ended> =>
  cli.run(['tb', subcommand, database.id, ...args]);
const transfer = (id: string, amount: string, ...more: readonly string[]) => [
  '--id',
  id,
  '--from',
  '1',
  '--to',
  '2',
  '--amount',
  amount,
  '--ledger',
  '1',
  '--code',
  '1',
  ...more,
];

test('whoami, catalog, and a database that is created and waited for', async () => {
  expect((await cli.run(['whoami'])).stdout).toMatch(/^permissions +db:read, db:write$/m);
  expect((await cli.run(['catalog'])).stdout).toMatch(/^lh-5 \* /m);
  const plan = await cli.run(['databases', 'create', 'payments', '--plan']);
  expect(plan).toMatchObject({ code: 0 });
  expect(plan.stdout).toMatch(/^size +lh-5$/m);
  const args = ['databases', 'create', 'payments', '--cluster-configuration', 'single'];
  const made = await cli.run([
    ...args,
    '--label',
    'team=money',
    '--no-deletion-protection',
    '--json',
  ]);
  expect(made.stderr).toMatch(/^database\.create SUCCEEDED 100%/m);
  expect(made.code).toBe(0);
  ({ database } = JSON.parse(made.stdout) as CreatedDatabase);
  expect(database).toMatchObject({ name: 'payments', status: 'READY', labels: { team: 'money' } });
  const taken = await cli.run(args);
  expect(taken.code).toBe(7);
  expect(taken.stderr).toContain('database_name_taken');
  expect(
    (await cli.run(['databases', 'list', '--status', 'READY', '--label', 'team=money'])).stdout,
  ).toContain(database.id);
  const { data } = await json<JobList>('jobs', 'list', 'payments', '--status', 'SUCCEEDED');
  expect(data).toMatchObject([{ type: 'database.create', databaseId: database.id }]);
  expect((await cli.run(['jobs', 'watch', data[0]?.id ?? ''])).code).toBe(0);
  const [configuration, parameters, revisions] = await Promise.all([
    cli.run(['databases', 'configuration', 'payments']),
    cli.run(['databases', 'parameters', 'payments']),
    cli.run(['databases', 'revisions', 'payments', '--limit', '1']),
  ]);
  expect(configuration.stdout).toMatch(/^labels +team=money$/m);
  expect(parameters.stdout).toMatch(/^limitConnections +- .* restarts +Client connections/m);
  expect(revisions.stdout).toMatch(/^1 \* +READY +- +\S+ \(api_key\)/m);
});

test('an engine takes the place of its pods', async () => {
  engine = await service.startEngine(database);
  await eventually('the ledger answers', async () => {
    const { code, stderr } = await run('query-accounts', '--no-retry');
    if (code !== 0) throw new Error(stderr);
    return true;
  });
});

test('all eight subcommands', async () => {
  for (const id of ['1', '2']) {
    const made = await tb(
      'create-accounts',
      '--id',
      id,
      '--ledger',
      '1',
      '--code',
      '10',
      '--flag',
      'history',
      '--user-data-128',
      u128Max,
      '--user-data-64',
      '18446744073709551615',
    );
    expect(made.summary).toEqual({ created: 1, exists: 0, failed: 0 });
  }
  expect((await tb('create-transfers', ...transfer('7', '100'))).result).toMatchObject([
    { index: 0, id: '7', status: 'created' },
  ]);
  const pending = transfer('8', '50', '--flag', 'pending', '--timeout', '60000');
  expect((await tb('create-transfers', ...pending)).summary).toMatchObject({ created: 1 });
  const post = ['--flag', 'post_pending_transfer', '--pending-id', '8'];
  const all = ['--from', '0', '--to', '0', '--amount', 'max', '--ledger', '0', '--code', '0'];
  expect((await tb('create-transfers', ...all, ...post)).summary).toMatchObject({ created: 1 });

  const found = await tb('lookup-accounts', '--id', '1', '--ids', '2,3');
  expect(found.result).toMatchObject([
    { id: '1', debits_posted: '150', user_data_128: u128Max, user_data_64: '18446744073709551615' },
    { id: '2', credits_posted: '150' },
  ]);
  expect(found.missing).toEqual(['3']);
  expect((await tb('lookup-transfers', '--id', '8')).result).toMatchObject([
    { id: '8', amount: '50', timeout: 60, flags: 2 },
  ]);
  const mine = await tb('get-account-transfers', '--account-id', '1', '--limit', '2');
  expect([mine.result.length, mine.page?.hasMore]).toEqual([2, true]);
  const balances = await tb(
    'get-account-balances',
    '--account-id',
    '1',
    '--flag',
    'debits',
    '--flag',
    'reversed',
  );
  expect(balances.result[0]).toMatchObject({ debits_posted: '150', debits_pending: '0' });
  expect((await tb('query-accounts', '--code', '10', '--limit', '1')).page?.hasMore).toBe(true);
  expect((await tb('query-transfers', '--ledger', '1')).result).toHaveLength(3);
});

const programs = {
  node: 'main.js',
  go: 'main.go',
  java: 'Main.java',
  dotnet: 'Program.cs',
  python: 'main.py',
  rust: 'src/main.rs',
};

test.each(Object.entries(programs))(
  'a program in %s is shown with its commands, and printed alone byte for byte',
  async (language, file) => {
    const words = ['connection', 'snippet', 'payments', '--language', language];
    const { snippet } = await json<ConnectionSnippetAnswer>(...words);
    const shown = await cli.run(words);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toContain(`\n${file}:\n\n`);
    expect(shown.stdout).toContain(`  ledgerhouse connect payments --exec -- `);
    const alone = await cli.run([...words, '--program']);
    expect(alone).toMatchObject({ code: 0, stdout: snippet.file?.content });
  },
);

test('a language without a program has none to print, and one that is not known is named', async () => {
  const words = ['connection', 'snippet', database.id, '--language'];
  expect((await cli.run([...words, 'curl'])).stdout).toMatch(/^curl: [^]*lookup_accounts/);
  const none = await cli.run([...words, 'curl', '--program']);
  expect(none).toMatchObject({ code: 3, stdout: '' });
  expect(none.stderr).toContain('leave out --program');
  const unknown = await cli.run([...words, 'cobol']);
  expect(unknown.code).toBe(3);
  expect(unknown.stderr).toContain('node, go, java');
});

test('a connection check is begun, looked up and waited for by commands', async () => {
  const checks = ['connection', 'checks'];
  const begun = await cli.run([...checks, 'create', 'payments', '--language', 'Go']);
  expect(begun).toMatchObject({ code: 0, stdout: expect.stringMatching(/^status +WAITING$/m) });
  const [, id = ''] = /^id +(chk_\w+)$/m.exec(begun.stdout) ?? [];
  const [, account = ''] = /^account +(\d+)$/m.exec(begun.stdout) ?? [];
  expect(begun.stderr).toContain(`connection checks watch ${database.id} ${id}\n`);
  const words = ['connection', 'snippet', 'payments', '--language', 'node', '--program'];
  expect((await cli.run([...words, '--check', id])).stdout).toContain(`[${account}n]`);
  const early = await cli.run([...checks, 'watch', 'payments', id, '--wait-timeout', '1s']);
  expect(early).toMatchObject({ code: 10, stdout: '' });
  const watching = cli.run([...checks, 'watch', 'payments', id]);
  expect((await tb('lookup-accounts', '--id', account)).missing).toEqual([account]);
  const seen = await watching;
  expect(seen).toMatchObject({ code: 0, stdout: expect.stringMatching(/^by way of +http$/m) });
  expect(seen.stdout).toMatch(/^status +VERIFIED$/m);
  const read = await json<ConnectionCheckAnswer>(...checks, 'get', database.id, id);
  expect(read.connectionCheck).toMatchObject({ id, language: 'go', status: 'VERIFIED' });
});

test('a check that nobody looks up ends its watch with 1, and one that is not there with 6', async () => {
  const checks = ['connection', 'checks'];
  const { connectionCheck } = await json<ConnectionCheckAnswer>(...checks, 'create', 'payments');
  const { id } = connectionCheck;
  await service.alter("UPDATE connection_checks SET expires_at = now() - interval '1 second'");
  const expired = await cli.run([...checks, 'watch', 'payments', id]);
  expect(expired).toMatchObject({ code: 1, stdout: expect.stringMatching(/^status +EXPIRED$/m) });
  const nowhere = id.replace(/.{4}$/, '0000');
  for (const words of [
    [...checks, 'watch', 'payments', nowhere],
    ['connection', 'snippet', 'payments', '--check', nowhere],
  ]) {
    const { code, stderr } = await cli.run(words);
    expect(code).toBe(6);
    expect(stderr).toContain('connection checks create');
  }
});

test('the next page begins where the last one ends', async () => {
  const first = await run('query-transfers', '--limit', '2');
  expect(first.code).toBe(0);
  const [, flag = '', value = ''] =
    /repeat the command with (--timestamp-min) (\d+)$/m.exec(first.stderr) ?? [];
  const next = await tb('query-transfers', '--limit', '2', flag, value);
  expect([next.result.length, next.page?.hasMore]).toEqual([1, false]);
  // With both bounds it is the one behind the last row that moves.
  const bounds = ['--timestamp-min', '1', '--timestamp-max', '9000000000000000000'];
  const forth = await run('query-transfers', '--limit', '2', ...bounds);
  expect(forth.stderr).toContain(`repeat the command with --timestamp-min ${value}`);
  const back = await run('query-transfers', '--limit', '2', ...bounds, '--flag', 'reversed');
  expect(back.stderr).toMatch(/repeat the command with --timestamp-max [1-8]\d{18}$/m);
});

test('a repeated command creates nothing twice, and events that the ledger rejects give exit status 9', async () => {
  expect((await tb('create-transfers', ...transfer('7', '100'))).summary).toMatchObject({
    exists: 1,
  });
  const rejected = await run('create-transfers', ...transfer('7', '101'));
  expect(rejected.code).toBe(9);
  expect(rejected.stdout).toContain('exists_with_different_amount');
  expect(rejected.stdout).toContain('https://docs.tigerbeetle.com/');
  const nobody = ['--from', '404', '--to', '2', '--amount', '1', '--ledger', '1', '--code', '1'];
  const burned = await run('create-transfers', ...nobody, '--allow-failed');
  expect(burned.code).toBe(0);
  expect(burned.stderr).toContain('has used up its ID');
});

test('payloads with large literals stay exact, and errors in them have a pointer', async () => {
  const literal = `[ {"id": ${u128Max.slice(0, -1)}4, "ledger": 1, "code": 10} ]`;
  const made = await cli.run(['tb', 'create-accounts', database.id, '--file', '-', '--json'], {
    stdin: literal,
  });
  expect(JSON.parse(made.stdout)).toMatchObject({
    result: [{ id: `${u128Max.slice(0, -1)}4`, status: 'created' }],
  });
  const wrong = await run('create-accounts', '--payload', '[{"id":1e3,"ledger":1,"code":1}]');
  expect(wrong.code).toBe(3);
  expect(wrong.stderr).toContain('#/0/id');
  expect((await run('create-accounts', '--payload', '[{')).code).toBe(3);
  // Refused from its length: the answer comes while the body is still being sent.
  const large = await cli.run(['tb', 'create-accounts', database.id, '--file', '-'], {
    stdin: ' '.repeat(9_000_000),
  });
  expect(large.stderr).toContain('payload_too_large');
  expect(large.code).toBe(3);
});

test('CSV has the exact rows', async () => {
  const { code, stdout, stderr } = await run('query-accounts', '--csv', '--limit', '1');
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /^more rows follow; to see them, repeat the command with --timestamp-min \d+$/m,
  );
  expect((await run('query-accounts', '--csv')).stderr).not.toContain('more rows');
  const [head, row] = stdout.split('\n');
  expect(head).toMatch(/^id,/);
  expect(row).toContain(u128Max);
});

test('a full batch in one payload, 8,189 transfers', async () => {
  const file = join(service.folder, 'batch.json');
  const rows = Array.from({ length: 8_189 }, (_, index) => ({
    id: String(1_000_000 + index),
    debit_account_id: '1',
    credit_account_id: '2',
    amount: '1',
    ledger: 1,
    code: 2,
  }));
  writeFileSync(file, JSON.stringify(rows));
  expect((await tb('create-transfers', '--file', file)).summary).toEqual({
    created: 8_189,
    exists: 0,
    failed: 0,
  });
  const read = await tb('query-transfers', '--code', '2', '--limit', '8189');
  expect(read.result).toHaveLength(8_189);
});

/** All rows that the ledger tells, by another command than the export. */
const rowsOf = async (what: 'accounts' | 'transfers') => {
  const { result, page } = await tb(`query-${what}`, '--limit', '8189');
  if (page?.hasMore !== true) return result;
  const after = String(BigInt(String(result.at(-1)?.['timestamp'])) + 1n);
  const more = await tb(`query-${what}`, '--limit', '8189', '--timestamp-min', after);
  expect(more.page?.hasMore).toBe(false);
  return [...result, ...more.result];
};

test('an export that is cut off, interrupted and refused for a while ends with exactly the rows of the ledger', async () => {
  const proxy = await FaultyProxy.start(Number(new URL(service.url).port));
  const throughIt = { env: { LEDGERHOUSE_BASE_URL: proxy.url } };
  const file = join(cli.home, 'transfers.csv');
  const rows = ['--what', 'transfers', '--format', 'csv', '--page-rows', '3000'];
  const words = ['export', 'payments', ...rows, '--output', file];
  try {
    // Name, newest row, first page, second page.
    proxy.fault = (_method, _path, count) => (count === 4 ? { kind: 'answerCut' } : passes);
    const cutOff = await cli.run([...words, '--no-retry'], throughIt);
    expect(cutOff).toMatchObject({ code: 1, stdout: '' });
    expect(cutOff.stderr).toContain('3,000 rows are in');
    expect([existsSync(file), existsSync(`${file}.partial`)]).toEqual([false, true]);

    // Name, newest row, the first and the last row of the file, the second page.
    proxy.reset();
    proxy.fault = (_method, _path, count) => (count === 5 ? { kind: 'silence' } : passes);
    const interrupted = cli.start([...words, '--resume'], throughIt);
    await eventually('it waits for the second page', async () =>
      proxy.requests === 5 ? true : undefined,
    );
    interrupted.interrupt();
    const { code, stderr } = await interrupted.ended;
    expect(code).toBe(130);
    expect(stderr).toContain('3,000 rows are in');

    proxy.reset();
    proxy.fault = (_method, _path, count) =>
      count === 5
        ? { kind: 'status', status: 503, code: 'SlowDown' }
        : count === 7
          ? { kind: 'answerLost' }
          : passes;
    const whole = await cli.run([...words, '--resume', '--json'], throughIt);
    expect(whole).toMatchObject({ code: 0 });
    const ledger = await rowsOf('transfers');
    expect(ledger.length).toBeGreaterThan(6_000);
    expect(JSON.parse(whole.stdout)).toEqual({
      rows: ledger.length,
      lastTimestamp: ledger.at(-1)?.['timestamp'],
    });
    const names = Object.keys(ledger[0] ?? {});
    const lines = ledger.map((row) => `${names.map((name) => String(row[name])).join(',')}\r\n`);
    expect(readFileSync(file, 'utf8') === `${names.join(',')}\r\n${lines.join('')}`).toBe(true);
    expect(existsSync(`${file}.partial`)).toBe(false);
  } finally {
    await proxy.close();
  }
});

test('an export goes on after any row, and its lines are the rows of the HTTP API', async () => {
  const accounts = await rowsOf('accounts');
  const lines = accounts.map((row) => `${JSON.stringify(row)}\n`);
  const words = ['export', database.id, '--what', 'accounts', '--page-rows', '1'];
  const whole = await cli.run(words);
  expect(whole).toMatchObject({ code: 0, stdout: lines.join('') });
  expect(whole.stdout).toContain(u128Max);
  const [first, last] = [accounts[0], accounts.at(-1)].map((row) => String(row?.['timestamp']));
  const rest = await cli.run([...words, '--after', first ?? '']);
  expect(rest.stdout).toBe(lines.slice(1).join(''));
  const none = await cli.run([...words, '--format', 'csv', '--after', last ?? '']);
  expect(none.stdout).toBe(`${Object.keys(accounts[0] ?? {}).join(',')}\r\n`);
});

test('keys that do not suffice, are wrong, or are missing', async () => {
  const as = (key: string) => ({ env: { LEDGERHOUSE_API_KEY: key } });
  const reader = as((await service.makeKey(['db:read'])).secret);
  expect((await cli.run(['tb', 'query-accounts', database.id], reader)).code).toBe(0);
  const write = ['tb', 'create-accounts', database.id, '--ledger', '1', '--code', '1'];
  const refused = await cli.run(write, reader);
  expect(refused.code).toBe(5);
  expect(refused.stderr).toContain('db:write');
  expect((await cli.run(write, as(`lhk_AbCdEfGhIjKl_${'x'.repeat(38)}`))).code).toBe(4);
  expect((await cli.run(['tb', 'query-accounts', 'db_01jd8f3zk5e0v9t3m2q6r8w4xy'])).code).toBe(6);
});

const account = (id: string) => ['--id', id, '--ledger', '1', '--code', '1'];

test('an engine that is down ends with 1 and nothing executed; one that comes back is waited for', async () => {
  await engine.end('SIGKILL');
  const down = await run('create-accounts', ...account('50'), '--no-retry', '--json');
  expect(JSON.parse(down.stdout)).toMatchObject({
    code: 'ledger_unavailable',
    outcome: 'error',
    ledgerOutcome: 'not_executed',
  });
  expect(down.code).toBe(1);
  const retried = run('create-accounts', ...account('51'));
  await engine.start();
  expect(await retried).toMatchObject({ code: 0 });
  expect((await tb('lookup-accounts', '--ids', '50,51')).missing).toEqual(['50']);
});

test('deleted by its name and restored, with the job waited for', async () => {
  await service.startOperator();
  expect((await cli.run(['databases', 'update', 'payments', '--deletion-protection'])).code).toBe(
    0,
  );
  const remove = ['databases', 'delete', 'payments', '--confirm', 'payments'];
  const guarded = await cli.run(remove);
  expect(guarded.code).toBe(7);
  expect(guarded.stderr).toContain('deletion_protected');
  expect(
    (await cli.run(['databases', 'update', 'payments', '--no-deletion-protection'])).code,
  ).toBe(0);
  const gone = await cli.run(remove);
  expect(gone.stderr).toMatch(/SUCCEEDED 100%/);
  expect(gone.code).toBe(0);
  expect((await run('query-accounts')).code).toBe(6);
  const restored = await cli.run(['databases', 'restore', 'payments', '--name', 'payments-2']);
  expect(restored.stdout).toMatch(/^name +payments-2$/m);
  expect(restored.stdout).toMatch(/^status +READY$/m);
  expect(restored.code).toBe(0);
});
