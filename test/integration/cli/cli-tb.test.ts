/** `ledgerhouse tb` as a whole process: what it sends byte for byte, what it prints, with which status it ends. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '../../../tools/cluster/free-ports.ts';
import {
  answer,
  Cli,
  cut,
  cutMidway,
  RecordingServer,
  type Reaction,
} from '../../support/cli/cli.ts';

const server = new RecordingServer();
const key = `lhk_AbCdEfGhIjKl_${'s'.repeat(32)}123456`;
let cli: Cli;
const database = 'db_01jd8f3zk5e0v9t3m2q6r8w4xy';
const u128Max = String(2n ** 128n - 1n);

beforeAll(async () => {
  await server.listen();
  cli = new Cli({ LEDGERHOUSE_API_KEY: key, LEDGERHOUSE_BASE_URL: server.url });
});
afterAll(async () => {
  cli.remove();
  await server.close();
});

const envelope = (operation: string, rest: object) => ({
  success: true,
  operation,
  execution: {
    requestId: 'req_01',
    databaseId: database,
    clusterId: u128Max,
    kind: 'read',
    engineVersion: '0.1.0',
    durationMs: 3.9,
    executedAt: '2026-11-21T02:00:00.123Z',
  },
  documentationUrl: `https://docs.tigerbeetle.com/reference/requests/${operation}`,
  ...rest,
});
const created = (operation: string) =>
  envelope(operation, {
    summary: { created: 1, exists: 0, failed: 0 },
    result: [{ index: 0, id: '1', status: 'created', timestamp: '1745328372758695656' }],
  });
const rejected = envelope('create_transfers', {
  summary: { created: 1, exists: 0, failed: 1 },
  result: [
    { index: 0, id: '1001', status: 'created', timestamp: '1745328372758695656' },
    {
      index: 1,
      id: '1002',
      status: 'exceeds_credits',
      timestamp: '1745328372758695657',
      documentationUrl:
        'https://docs.tigerbeetle.com/reference/requests/create_transfers#exceeds_credits',
    },
  ],
});
const noRows = (operation: string) =>
  envelope(operation, { result: [], page: { limit: 100, hasMore: false, next: null } });
const problem = (status: number, code: string, rest: object = {}) => ({
  type: `https://docs.example.com/problems/${code}`,
  title: 'A title',
  status,
  detail: 'A detail.',
  code,
  requestId: 'req_01',
  retryable: false,
  ...rest,
});

const tb = (subcommand: string, ...args: readonly string[]) =>
  cli.run(['tb', subcommand, database, ...args]);
const sent = (index = 0) => {
  const request = server.requests[index];
  if (request === undefined) throw new Error(`no request ${index} arrived`);
  return request;
};
const sentBody = (index = 0) => sent(index).body.toString('utf8');

describe('the requests', () => {
  const cases: readonly (readonly [string, readonly string[], string, string])[] = [
    [
      'create-accounts',
      ['--id', '1', '--ledger', '1', '--code', '10'],
      'create_accounts',
      '[{"id":"1","ledger":"1","code":"10","flags":"0"}]',
    ],
    [
      'create-accounts',
      [
        '--id',
        u128Max,
        '--ledger',
        '4294967295',
        '--code',
        '65535',
        '--flag',
        'history',
        '--flag',
        'debits_must_not_exceed_credits',
        '--flag',
        '1',
        '--user-data-128',
        u128Max,
        '--user-data-64',
        '18446744073709551615',
        '--user-data-32',
        '7',
      ],
      'create_accounts',
      `[{"id":"${u128Max}","ledger":"4294967295","code":"65535","flags":"11","user_data_128":"${u128Max}","user_data_64":"18446744073709551615","user_data_32":"7"}]`,
    ],
    [
      'create-transfers',
      [
        '--id',
        '7',
        '--from',
        '1',
        '--to',
        '2',
        '--amount',
        u128Max,
        '--ledger',
        '1',
        '--code',
        '1',
        '--flag',
        'pending',
        '--timeout',
        '60000',
      ],
      'create_transfers',
      `[{"id":"7","debit_account_id":"1","credit_account_id":"2","amount":"${u128Max}","ledger":"1","code":"1","flags":"2","timeout_ms":"60000"}]`,
    ],
    [
      'create-transfers',
      [
        '--id=8',
        '--from',
        '0',
        '--to',
        '0',
        '--amount',
        'max',
        '--ledger',
        '1',
        '--code',
        '1',
        '--flag',
        'post_pending_transfer|imported',
        '--pending-id',
        '7',
      ],
      'create_transfers',
      '[{"id":"8","debit_account_id":"0","credit_account_id":"0","amount":"max","ledger":"1","code":"1","flags":"260","pending_id":"7"}]',
    ],
    [
      'lookup-accounts',
      ['--id', '1', '--ids', '2, 3', '--id', '0004'],
      'lookup_accounts',
      '["1","4","2","3"]',
    ],
    ['lookup-transfers', ['--ids', `${u128Max},2`], 'lookup_transfers', `["${u128Max}","2"]`],
    [
      'get-account-transfers',
      ['--account-id', '1'],
      'get_account_transfers',
      '{"account_id":"1","limit":100,"flags":3}',
    ],
    [
      'get-account-balances',
      [
        '--account-id',
        '1',
        '--limit',
        '8189',
        '--flag',
        'debits',
        '--flag',
        'reversed',
        '--timestamp-min',
        '9007199254740993',
        '--timestamp-max',
        '9223372036854775807',
        '--user-data-128',
        '1',
        '--user-data-64',
        '2',
        '--user-data-32',
        '3',
        '--code',
        '4',
      ],
      'get_account_balances',
      '{"account_id":"1","limit":8189,"code":"4","user_data_128":"1","user_data_64":"2","user_data_32":"3","timestamp_min":"9007199254740993","timestamp_max":"9223372036854775807","flags":5}',
    ],
    ['query-accounts', [], 'query_accounts', '{"limit":100,"flags":0}'],
    [
      'query-transfers',
      ['--limit', '5', '--flag', 'reversed', '--ledger', '1', '--code', '2'],
      'query_transfers',
      '{"ledger":"1","limit":5,"code":"2","flags":1}',
    ],
  ];
  test.each(cases)('%s %j', async (subcommand, args, operation, body) => {
    server.react(
      answer(200, operation.startsWith('create') ? created(operation) : noRows(operation)),
    );
    const { code, stderr } = await tb(subcommand, ...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(server.requests).toHaveLength(1);
    expect(sent()).toMatchObject({
      method: 'POST',
      url: `/api/v1/databases/${database}/tb/${operation}`,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
    });
    expect(sentBody()).toBe(body);
  });

  test('the database ID is one segment of the path, whatever it holds', async () => {
    server.react(answer(404, problem(404, 'database_not_found')));
    const { code } = await cli.run(['tb', 'query-accounts', 'db_/../x?y']);
    expect(code).toBe(6);
    expect(sent().url).toBe('/api/v1/databases/db_%2F..%2Fx%3Fy/tb/query_accounts');
  });

  test('a database may be given by its name, as for all other commands', async () => {
    server.react(
      answer(200, { success: true, data: [{ id: database }], page: {} }),
      answer(200, noRows('query_accounts')),
    );
    const { code, stderr } = await cli.run(['tb', 'query-accounts', 'payments']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(server.requests.map(({ url }) => url)).toEqual([
      '/api/v1/databases?name=payments&limit=10',
      `/api/v1/databases/${database}/tb/query_accounts`,
    ]);
  });

  test('a name that no database has is told, and nothing is sent to a ledger', async () => {
    server.react(answer(200, { success: true, data: [], page: {} }));
    const { code, stderr } = await cli.run(['tb', 'query-accounts', 'paymets']);
    expect(code).toBe(6);
    expect(stderr).toBe(
      'error: no database has the name "paymets"\n  → ledgerhouse databases list\n',
    );
    expect(server.requests).toHaveLength(1);
  });

  test('a generated ID is new each time, of this moment, and printed before anything is sent', async () => {
    server.react(answer(200, created('create_accounts')));
    const before = BigInt(Date.now());
    const ids = [];
    for (let run = 0; run < 2; run += 1) {
      const { stderr } = await tb('create-accounts', '--ledger', '1', '--code', '1');
      const id = /^generated id: (\d+)$/m.exec(stderr)?.[1] ?? '';
      expect(JSON.parse(sentBody(run))).toMatchObject([{ id }]);
      const ms = BigInt(id) >> 80n;
      expect(ms >= before && ms <= BigInt(Date.now())).toBe(true);
      ids.push(id);
    }
    expect(ids[0]).not.toBe(ids[1]);
  });
});

describe('payloads go as they are', () => {
  const odd = `[ {"id":${u128Max}, "x":1e3,\t"é":"\\u00e9"},\r\n {"id":1.50} ]\n\n`;

  test('--payload', async () => {
    server.react(answer(200, created('create_accounts')));
    expect((await tb('create-accounts', '--payload', odd)).code).toBe(0);
    expect(sentBody()).toBe(odd);
  });

  test('--file, bytes that are no UTF-8 included', async () => {
    const bytes = Buffer.concat([Buffer.from(odd), Buffer.from([0xff, 0xfe, 0x00])]);
    const file = join(cli.home, 'payload.json');
    writeFileSync(file, bytes);
    server.react(answer(200, created('create_accounts')));
    expect((await tb('create-accounts', '--file', file)).code).toBe(0);
    expect(sent().body.equals(bytes)).toBe(true);
  });

  test('--file - is standard input', async () => {
    server.react(answer(200, created('create_accounts')));
    const { code } = await cli.run(['tb', 'create-accounts', database, '--file', '-'], {
      stdin: odd,
    });
    expect(code).toBe(0);
    expect(sentBody()).toBe(odd);
  });

  test('--file takes precedence over --payload, and --payload over flags; ignored flags are reported', async () => {
    const file = join(cli.home, 'first.json');
    writeFileSync(file, '["from the file"]');
    server.react(answer(200, noRows('lookup_accounts')));
    const all = await tb('lookup-accounts', '--id', 'x', '--payload', '["p"]', '--file', file);
    expect(all.code).toBe(0);
    expect(sentBody()).toBe('["from the file"]');
    expect(all.stderr).toBe('warning: --file is sent unchanged; ignored: --payload, --id\n');
    const two = await tb('lookup-accounts', '--payload', '["p"]', '--ids', '1');
    expect(sentBody(1)).toBe('["p"]');
    expect(two.stderr).toBe('warning: --payload is sent unchanged; ignored: --ids\n');
  });

  test('a file that is not there is a usage error, and nothing is sent', async () => {
    server.react(answer(200, created('create_accounts')));
    const { code, stderr } = await tb('create-accounts', '--file', 'nowhere.json');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'error: --file nowhere.json cannot be read (ENOENT)\n',
    });
    expect(server.requests).toEqual([]);
  });
});

describe('errors are reported before anything is sent', () => {
  const transfer = ['--from', '1', '--to', '2', '--ledger', '1', '--code', '1'];
  const cases: readonly (readonly [string, readonly string[], number, RegExp])[] = [
    ['create-accounts', [], 2, /--ledger, --code are missing/],
    ['create-transfers', ['--from', '1'], 2, /--to, --amount, --ledger, --code are missing/],
    ['lookup-accounts', [], 2, /--id or --ids is missing/],
    ['lookup-transfers', [], 2, /--id or --ids is missing/],
    ['get-account-transfers', [], 2, /--account-id is missing/],
    ['get-account-balances', ['--limit', '1'], 2, /--account-id is missing/],
    ['create-accounts', ['--ledgr', '1'], 2, /unknown flag "--ledgr"; did you mean "--ledger"\?/],
    ['create-accounts', ['--ledger', '1', '--ledger', '2'], 2, /--ledger takes one value/],
    ['create-accounts', ['--ledger'], 2, /--ledger needs a value: <ledger>/],
    ['create-accounts', ['--ledger', '--json'], 2, /"--json" looks like a flag/],
    ['query-accounts', ['two'], 2, /unexpected argument "two"/],
    ['query-accounts', ['--json=yes'], 2, /--json takes no value/],
    ['query-accounts', ['--csv', '--json'], 2, /exclude each other/],
    ['query-accounts', ['--flag', 'reversd'], 2, /did you mean "reversed"\?/],
    ['query-accounts', ['--flag', 'history'], 3, /flag "history" does not apply to query_accounts/],
    ['query-accounts', ['--flag=-1'], 3, /--flag must be an integer from 0 to 4294967295/],
    ['query-accounts', ['--limit', '0'], 3, /--limit must be an integer from 1/],
    ['query-accounts', ['--limit', '1e3'], 3, /--limit must be an integer/],
    ['query-accounts', ['--timestamp-min', '2', '--timestamp-max', '1'], 3, /no row can match/],
    ['get-account-transfers', ['--account-id', '1', '--flag', 'reversed'], 3, /neither debits nor/],
    ['lookup-accounts', ['--ids', '1,,2'], 3, /--ids must be an integer/],
    ['create-transfers', [...transfer, '--amount', '1.5'], 3, /--amount must be an integer/],
    ['create-transfers', [...transfer, '--amount=-1'], 3, /--amount must be an integer/],
    ['create-transfers', [...transfer, '--amount', String(2n ** 128n)], 3, /is out of range/],
    ['create-transfers', [...transfer, '--amount', '1', '--timeout', '1500'], 3, /--timeout 2000/],
    ['create-accounts', ['--ledger', '4294967296', '--code', '1'], 3, /--ledger must be/],
    ['create-accounts', ['--ledger', '1', '--code', '65536'], 3, /--code must be/],
  ];
  test.each(cases)('%s %j ends with %i', async (subcommand, args, status, says) => {
    server.react(answer(200, noRows('query_accounts')));
    const { code, stdout, stderr } = await tb(subcommand, ...args);
    // With --json among the words, what is wrong is a document.
    expect(args.some((word) => word === '--json') ? stdout.replaceAll('\\"', '"') : stderr).toMatch(
      says,
    );
    expect(code).toBe(status);
    expect(server.requests).toEqual([]);
  });

  test('without a database ID', async () => {
    const { code, stderr } = await cli.run(['tb', 'query-accounts']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'error: <database-id> is missing\n  → see: ledgerhouse tb query-accounts --help\n',
    });
  });
});

describe('the output', () => {
  test('two lines on the execution, the documentation, and the rows, failed ones first', async () => {
    server.react(answer(200, rejected));
    const { code, stdout, stderr } = await tb('create-transfers', '--payload', '[]');
    expect(stdout).toBe(
      [
        'create_transfers · 3.9 ms · 1 created, 0 exists, 1 failed',
        `database ${database} · cluster ${u128Max} · engine 0.1.0 · request req_01 · 2026-11-21T02:00:00.123Z`,
        'https://docs.tigerbeetle.com/reference/requests/create_transfers',
        '',
        'INDEX  ID    STATUS           TIMESTAMP',
        '    1  1002  exceeds_credits  1745328372758695657',
        '    0  1001  created          1745328372758695656',
        'https://docs.tigerbeetle.com/reference/requests/create_transfers#exceeds_credits',
        '',
      ].join('\n'),
    );
    expect(stderr).toContain('has used up its ID');
    expect(code).toBe(9);
  });

  test('rejected events end with 9, unless --allow-failed', async () => {
    server.react(answer(200, rejected));
    expect((await tb('create-transfers', '--payload', '[]', '--quiet')).code).toBe(9);
    expect((await tb('create-transfers', '--payload', '[]', '--allow-failed')).code).toBe(0);
  });

  test('an event that exists is no failure', async () => {
    const exists = { index: 0, id: '1', status: 'exists', timestamp: '1' };
    const reply = envelope('create_accounts', {
      summary: { created: 0, exists: 1, failed: 0 },
      result: [exists],
    });
    server.react(answer(200, reply));
    expect((await tb('create-accounts', '--payload', '[]')).code).toBe(0);
  });

  test('--json is the answer as it came', async () => {
    const raw = `{ "success" : true, "result": [ {"id": ${u128Max}} ], "new": 1.0 }`;
    server.react(answer(200, raw));
    const { code, stdout } = await tb('query-accounts', '--json');
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${raw}\n` });
  });

  test('--quiet prints the rows alone, large integers exact, empty columns named', async () => {
    const row = {
      id: '5',
      credits_posted: u128Max,
      user_data_64: '0',
      flags: 12,
      ledger: 1,
      code: 2,
    };
    server.react(
      answer(200, `{"result":[${JSON.stringify(row).replace(`"${u128Max}"`, u128Max)}]}`),
    );
    const { stdout, stderr } = await tb('query-accounts', '--quiet');
    expect(stdout).toBe(
      [
        `ID                           CREDITS_POSTED  FLAGS                                   LEDGER  CODE`,
        `5   ${u128Max}  credits_must_not_exceed_debits|history  1       2`,
        '0 in every row: user_data_64',
        '',
      ].join('\n'),
    );
    expect(stderr).toBe('');
  });

  test('no rows, missing IDs, warnings, and where the next page begins', async () => {
    server.react(
      answer(200, envelope('lookup_accounts', { result: [], missing: ['7', '8'] })),
      answer(
        200,
        envelope('get_account_balances', {
          result: [],
          page: { limit: 1, hasMore: true, next: { limit: 1, timestamp_min: '12', flags: 3 } },
          warnings: [{ code: 'account_without_history', detail: 'No history.' }],
        }),
      ),
    );
    const lookup = await tb('lookup-accounts', '--ids', '7,8');
    expect(lookup.stdout).toContain('0 rows');
    expect(lookup.stdout).toContain('(no rows)\nmissing: 7, 8\n');
    const balances = await tb('get-account-balances', '--account-id', '1');
    expect(balances.stderr).toBe(
      'warning: No history.\nmore rows follow; to see them, repeat the command with --timestamp-min 12\n',
    );
  });

  test('--csv asks for CSV and prints it as it came', async () => {
    const csv = `id,ledger\r\n${u128Max},1\r\n`;
    server.react(answer(200, csv, { 'content-type': 'text/csv; charset=utf-8' }));
    const { code, stdout } = await tb('query-accounts', '--csv');
    expect({ code, stdout }).toEqual({ code: 0, stdout: csv });
    expect(sent().headers.accept).toContain('text/csv');
  });

  test('control characters of others do not reach the terminal', async () => {
    server.react(answer(200, envelope('query_accounts', { result: [{ id: '\u001b[2Jx' }] })));
    expect((await tb('query-accounts')).stdout).not.toContain('\u001b');
  });

  test('--dry-run prints the request, sends nothing, and needs no key', async () => {
    server.react(answer(200, noRows('query_accounts')));
    const payload = `[{"id":${u128Max}}]`;
    const dry = await tb('create-accounts', '--payload', payload, '--dry-run');
    expect(dry.code).toBe(0);
    expect(dry.stdout).toContain(
      `POST ${server.url}/api/v1/databases/${database}/tb/create_accounts\n`,
    );
    expect(dry.stdout.endsWith(`\n\n${payload}\n`)).toBe(true);
    const json = await cli.run(
      ['tb', 'create-accounts', database, '--payload', payload, '--dry-run', '--json'],
      { env: { LEDGERHOUSE_API_KEY: undefined } },
    );
    expect(JSON.parse(json.stdout)).toMatchObject({ dryRun: true, method: 'POST', body: payload });
    expect(server.requests).toEqual([]);
  });
});

describe('exit statuses', () => {
  const cases: readonly (readonly [number, string, number, object?])[] = [
    [400, 'malformed_json', 3],
    [401, 'invalid_credentials', 4],
    [402, 'billing_required', 5, { billing: { checkoutUrl: 'https://pay.example.com/1' } }],
    [403, 'insufficient_scope', 5, { requiredPermissions: ['db:write'] }],
    [404, 'database_not_found', 6],
    [405, 'method_not_allowed', 1],
    [409, 'database_not_ready', 7, { databaseStatus: 'PROVISIONING' }],
    [410, 'database_purged', 6],
    [412, 'precondition_failed', 7],
    [413, 'payload_too_large', 3],
    [415, 'unsupported_media_type', 3],
    [422, 'invalid_integer', 3, { errors: [{ pointer: '#/0/id', detail: 'Not an integer.' }] }],
    [429, 'rate_limited', 8],
    [500, 'internal_error', 1],
    [501, 'unknown_to_this_release', 1],
    [502, 'gateway_bad_reply', 1],
    [503, 'ledger_unavailable', 1, { outcome: 'not_executed' }],
    [503, 'ledger_full', 1, { outcome: 'not_executed' }],
    [504, 'ledger_timeout', 10, { outcome: 'unknown' }],
  ];
  test.each(cases)('%i %s ends with %i', async (status, code, exitCode, rest = {}) => {
    server.react(answer(status, problem(status, code, rest)));
    const args = ['create-accounts', '--id', '1', '--ledger', '1', '--code', '1', '--no-retry'];
    const [subcommand = '', ...flags] = args;
    const text = await tb(subcommand, ...flags);
    expect(text.code).toBe(exitCode);
    expect(text.stdout).toBe('');
    expect(text.stderr).toContain('error: A detail.');
    expect(text.stderr).toContain(`${code} · request req_01`);
    const json = await tb(subcommand, ...flags, '--json');
    expect(json.code).toBe(exitCode);
    const document = JSON.parse(json.stdout) as { nextSteps: string[] };
    const { outcome, ...members } = problem(status, code, rest) as { outcome?: string };
    expect(document).toMatchObject({ ...members, outcome: 'error' });
    if (outcome !== undefined) expect(document).toMatchObject({ ledgerOutcome: outcome });
    expect(Array.isArray(document.nextSteps)).toBe(true);
    expect(server.requests).toHaveLength(2);
  });

  test('errors name the next step: pay, another key, the same IDs', async () => {
    const bill = { billing: { checkoutUrl: 'https://pay.example.com/1' } };
    server.react(
      answer(402, problem(402, 'billing_required', bill)),
      answer(403, problem(403, 'insufficient_scope', { requiredPermissions: ['db:write'] })),
      answer(504, problem(504, 'ledger_timeout', { outcome: 'unknown' })),
    );
    const run = () => tb('create-accounts', '--payload', '[]', '--no-retry');
    expect((await run()).stderr).toContain('https://pay.example.com/1');
    expect((await run()).stderr).toContain('db:write');
    expect((await run()).stderr).toContain('run it again with the same IDs');
  });

  test('the generated ID is printed with the failure, also with --quiet and --json', async () => {
    server.react(answer(504, problem(504, 'ledger_timeout', { outcome: 'unknown' })));
    const args = ['--from', '1', '--to', '2', '--amount', '1', '--ledger', '1', '--code', '1'];
    const quiet = await tb('create-transfers', ...args, '--quiet', '--no-retry');
    const [{ id }] = JSON.parse(sentBody()) as [{ id: string }];
    expect(quiet.stderr).toContain(`--id ${id}`);
    const json = await tb('create-transfers', ...args, '--json', '--no-retry');
    const [{ id: second }] = JSON.parse(sentBody(1)) as [{ id: string }];
    expect(json.stdout).toContain(`--id ${second}`);
  });

  test('without a key 4, and nothing is sent', async () => {
    server.react(answer(200, noRows('query_accounts')));
    const { code, stderr } = await cli.run(['tb', 'query-accounts', database], {
      env: { LEDGERHOUSE_API_KEY: '' },
    });
    expect(code).toBe(4);
    expect(stderr).toContain('LEDGERHOUSE_API_KEY');
    expect(server.requests).toEqual([]);
  });

  test('an answer that is not the API’s is a failure, not a result', async () => {
    server.react(
      answer(200, '<html>hello</html>'),
      answer(200, '{"success":true}'),
      answer(502, '<html>bad gateway</html>', { 'content-type': 'text/html' }),
    );
    const page = await tb('query-accounts', '--no-retry');
    expect(page).toMatchObject({ code: 1, stdout: '' });
    expect(page.stderr).toContain('no JSON object');
    expect((await tb('query-accounts', '--json', '--no-retry')).code).toBe(1);
    const gateway = await tb('query-accounts', '--json', '--no-retry');
    expect(gateway.code).toBe(1);
    expect(JSON.parse(gateway.stdout)).toMatchObject({ code: 'http_502', outcome: 'error' });
  });

  test('a redirect is not followed: the key stays', async () => {
    const elsewhere = new RecordingServer();
    await elsewhere.listen();
    const { url } = elsewhere;
    server.react(answer(307, '', { location: `${url}/api/v1` }));
    const { code, stderr } = await tb('query-accounts');
    await elsewhere.close();
    expect(code).toBe(1);
    expect(stderr).toContain(url);
    expect(elsewhere.requests).toEqual([]);
  });
});

describe('trying again', () => {
  const unavailable = answer(503, problem(503, 'ledger_unavailable', { outcome: 'not_executed' }));
  const retried: readonly (readonly [string, Reaction])[] = [
    ['429', answer(429, problem(429, 'rate_limited'))],
    ['502', answer(502, problem(502, 'gateway_bad_reply'))],
    ['503', unavailable],
    ['504', answer(504, problem(504, 'ledger_timeout', { outcome: 'unknown' }))],
    ['a cut connection', cut],
    ['a cut answer', cutMidway],
  ];
  test.each(retried)('after %s, with the same bytes', async (_what, reaction) => {
    server.react(reaction, answer(200, created('create_accounts')));
    const { code, stderr } = await tb('create-accounts', '--ledger', '1', '--code', '1');
    expect(code).toBe(0);
    expect(stderr).toContain('trying again in');
    expect(server.requests).toHaveLength(2);
    expect(sentBody(1)).toBe(sentBody(0));
  });

  test.each([400, 401, 403, 404, 409, 422, 500])('not after %i', async (status) => {
    server.react(answer(status, problem(status, 'x')));
    await tb('query-accounts');
    expect(server.requests).toHaveLength(1);
  });

  test('three times at most, at growing distances', async () => {
    server.react(unavailable);
    const { code } = await tb('create-accounts', '--payload', '[]');
    expect(code).toBe(1);
    expect(server.requests).toHaveLength(4);
  });

  test('--no-retry gives up at once', async () => {
    server.react(unavailable);
    await tb('query-accounts', '--no-retry');
    expect(server.requests).toHaveLength(1);
  });

  test('Retry-After is honoured, and too long a wait is the user’s to decide', async () => {
    server.react(
      answer(429, problem(429, 'rate_limited'), { 'retry-after': '2' }),
      answer(200, noRows('query_accounts')),
    );
    expect((await tb('query-accounts')).code).toBe(0);
    expect(sent(1).atMs - sent(0).atMs).toBeGreaterThanOrEqual(2_000);
    server.react(answer(429, problem(429, 'rate_limited'), { 'retry-after': '3600' }));
    const late = await tb('query-accounts');
    expect(late.code).toBe(8);
    expect(late.stderr).toContain('try again in 3600 s');
    expect(server.requests).toHaveLength(1);
  });

  test('an attempt without an answer leaves a write’s outcome unknown, whatever later attempts say', async () => {
    server.react(cut, unavailable);
    const { code, stdout } = await tb('create-accounts', '--payload', '[]', '--json');
    expect(code).toBe(10);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'error', ledgerOutcome: 'unknown' });
    server.react(cut, answer(403, problem(403, 'insufficient_scope')));
    const refused = await tb('create-accounts', '--payload', '[]');
    expect(refused.code).toBe(5);
    expect(refused.stderr).toContain('may have been executed');
  });

  test('exit status 1: no server answers, so nothing was executed; also for a read that was cut off', async () => {
    // No process on this machine listens on this port.
    const [port] = await freePorts(1);
    const url = `http://127.0.0.1:${port}`;
    const refused = await tb('create-accounts', '--payload', '[]', '--no-retry', '-b', url);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('cannot be reached (ECONNREFUSED)');
    // Fetch sends nothing to ports of other protocols.
    const other = await tb(
      'create-accounts',
      '--payload',
      '[]',
      '-b',
      'http://127.0.0.1:6000',
      '--no-retry',
    );
    expect(other).toMatchObject({ code: 1 });
    expect(other.stderr).toContain('127.0.0.1:6000 cannot be reached (bad port)');
    server.react(cut);
    expect((await tb('query-accounts', '--no-retry')).code).toBe(1);
    const secure = await tb('query-accounts', '-b', server.url.replace('http:', 'https:'));
    expect(secure).toMatchObject({ code: 1 });
    expect(secure.stderr).toContain('http:// instead of https://');
  });
});

test('--verbose shows requests and answers, and of the key only its public part', async () => {
  server.react(answer(200, noRows('query_accounts')));
  const { stdout, stderr } = await tb('query-accounts', '--verbose', '--json');
  expect(stderr).toContain(`> POST ${server.url}/api/v1/databases/${database}/tb/query_accounts`);
  expect(stderr).toContain('x-api-key: lhk_AbCdEfGhIjKl_(redacted)');
  expect(stderr).toMatch(/< 200 req_1 \(\d+ bytes, \d+ ms\)/);
  const other = await cli.run(['tb', 'query-accounts', database, '-v', '--api-key', 'hunter2']);
  expect(other.stderr).toContain('x-api-key: (redacted)');
  expect(stdout + stderr + other.stdout + other.stderr).not.toMatch(/ssss|hunter2/);
});
