/** `kubectl ledgerhouse` against a real API server, with kubectl as people have it. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { labels, managedBy } from '../../../domain/names.ts';
import { startChart, type Chart } from '../../support/charts/chart.ts';
import { eventually, shell } from '../../support/shell.ts';

const namespace = 'org-a';
let chart: Chart;
let uid = '';

beforeAll(async () => {
  chart = await startChart();
  await chart.kubectl('apply', '--server-side', '-f', 'crds');
  await eventually('databases are served', () => chart.kubectl('get', 'ldb', '-o', 'json'));
  await chart.kubectl('create', 'namespace', namespace);
  await chart.apply([
    {
      apiVersion: 'ledgerhouse.dev/v1alpha1',
      kind: 'LedgerDatabase',
      metadata: { name: 'payments', namespace },
      spec: { deletionProtection: false },
    },
  ]);
  uid = await chart.kubectl(
    '-n',
    namespace,
    'get',
    'ldb',
    'payments',
    '-o',
    'jsonpath={.metadata.uid}',
  );
  const own = { [labels.managedBy]: managedBy, [labels.uid]: uid };
  await chart.apply([
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'payments-connection', namespace, labels: own },
      data: { addresses: '10.0.0.1:3001' },
    },
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'payments-format-0', namespace, labels: own },
      spec: {
        suspend: true,
        template: {
          spec: {
            restartPolicy: 'Never',
            containers: [
              { name: 'a', image: 'a', env: [{ name: 'TOKEN', value: 'not-to-be-sent' }] },
            ],
          },
        },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'payments-peers', namespace, labels: own },
      stringData: { 'tls.key': 'not-to-be-sent' },
    },
  ]);
});
afterAll(() => chart?.stop());

/** As kubectl runs it: a program of that name in PATH. */
const plugin = (...args: string[]) =>
  shell(
    chart.kubectlPath,
    ['ledgerhouse', ...args, '--kubeconfig', chart.kubeconfig, '-n', namespace],
    {
      env: {
        PATH: [resolve('bin'), dirname(chart.kubectlPath), process.env['PATH']].join(':'),
        KUBECONFIG: chart.kubeconfig,
      },
    },
  );

test('shows the state of a database and its objects', async () => {
  const one = await plugin('status', 'payments');
  expect([one.code, one.stderr, one.stdout]).toEqual([
    0,
    '',
    expect.stringContaining(`${namespace}/payments`),
  ]);
  expect((await plugin('status')).stdout).toContain(`${namespace}/payments`);
  const tree = (await plugin('tree', 'payments')).stdout;
  expect(tree).toContain('payments-connection');
  expect(tree).toContain('payments-format-0');
  expect(tree).not.toContain('payments-peers');
});

test('suspends and resumes', async () => {
  const suspended = () =>
    chart.kubectl('-n', namespace, 'get', 'ldb', 'payments', '-o', 'jsonpath={.spec.suspend}');
  expect((await plugin('suspend', 'payments')).code).toBe(0);
  expect(await suspended()).toBe('true');
  expect((await plugin('status', 'payments')).stdout).toContain('(suspended)');
  expect((await plugin('resume', 'payments')).code).toBe(0);
  expect(await suspended()).toBe('false');
});

test('pauses, waits until the operator has seen it, and lists the planned actions', async () => {
  const get = (path: string) =>
    chart.kubectl('-n', namespace, 'get', 'ldb', 'payments', '-o', `jsonpath={${path}}`);
  const asked = plugin('pause', 'payments');
  await eventually('the pause', async () => (await get('.spec.paused')) === 'true' || undefined);
  // In place of the operator.
  const told = {
    type: 'Paused',
    status: 'True',
    reason: 'Paused',
    message: 'left undone: patch StatefulSet payments-0',
    observedGeneration: Number(await get('.metadata.generation')),
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  const patch = JSON.stringify({ status: { conditions: [told] } });
  const where = ['-n', namespace, 'patch', 'ldb', 'payments', '--subresource=status'];
  await chart.kubectl(...where, '--type=merge', '-p', patch);
  const { code, stdout } = await asked;
  expect([code, stdout]).toEqual([0, expect.stringContaining(told.message)]);
  expect((await plugin('status', 'payments')).stdout).toContain('(paused)');
  expect((await plugin('unpause', 'payments')).code).toBe(0);
  expect(await get('.spec.paused')).toBe('false');
});

test('a report for support has objects and logs, what could not be read, and no secret', async () => {
  const folder = join(chart.folder, 'report');
  const { code, stdout } = await plugin('report', 'payments', '--output', folder);
  expect([code, stdout]).toEqual([0, expect.stringContaining('objects.json')]);
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const all =
    stdout
      .match(/[a-z]+\.(?:json|txt|log)/g)
      ?.map(read)
      .join('\n') ?? '';
  expect(all).toContain('payments-format-0');
  expect(all).toContain('10.0.0.1:3001');
  expect(all).not.toContain('not-to-be-sent');
  expect(all).not.toContain('payments-peers');
  // There is no catalog here: the rest is written all the same.
  expect(read('catalog.json')).toContain('not read');
});

/** Writes a status of a backup, in place of the operator. */
const tell = (backup: string, status: object) =>
  chart.kubectl(
    '-n',
    namespace,
    'patch',
    'lbk',
    backup,
    '--subresource=status',
    '--type=merge',
    '-p',
    JSON.stringify({ status }),
  );
const condition = (type: string, status: string, reason: string, message: string) => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: '2027-01-31T12:00:00Z',
});
const succeeded = condition('Succeeded', 'True', 'Completed', 'stored');
const shown = ['-o', 'json', '--show-managed-fields'] as const;
const backupOf = async (name: string) =>
  JSON.parse(await chart.kubectl('-n', namespace, 'get', 'lbk', name, ...shown)) as {
    readonly metadata: {
      readonly creationTimestamp: string;
      readonly managedFields: readonly { readonly manager: string }[];
    };
    readonly spec: Readonly<Record<string, unknown>> & { readonly expiresAt: string };
  };
const backups = () => chart.kubectl('-n', namespace, 'get', 'lbk', '-o', 'name');
const isThere = (name: string) => eventually(`the backup ${name}`, () => backupOf(name));
const windowFrom = (from: number, to: number) => ({
  earliest: { op: from, timestamp: `${from}000000000`, time: '2027-01-31T12:00:00.000000000Z' },
  latest: { op: to, timestamp: `${to}000000000`, time: '2027-01-31T13:00:00.000000000Z' },
});

test('a backup is requested as the command line says, followed to its end, listed and shown', async () => {
  const asked = plugin(
    'backup',
    'create',
    'payments',
    '--name=before',
    '--retention-days=30',
    '--protected',
  );
  const { metadata, spec } = await isThere('before');
  const kept = { protected: true, reclaimPolicy: 'Delete' };
  expect(spec).toMatchObject({ database: 'payments', type: 'Manual', ...kept });
  const days = (Date.parse(spec.expiresAt) - Date.parse(metadata.creationTimestamp)) / 86_400_000;
  expect(days).toBeCloseTo(30, 1);
  expect(metadata.managedFields.map(({ manager }) => manager)).toContain('kubectl-ledgerhouse');
  await tell('before', {
    backupId: 'bkp_before',
    databaseId: 'db_payments',
    op: 40,
    timestamp: '40000000000',
    transfers: 1_000,
    completedAt: '2027-01-31T12:00:00Z',
    conditions: [succeeded],
  });
  const { code, stdout } = await asked;
  expect([code, stdout]).toEqual([0, expect.stringMatching(/backup ID +bkp_before\n/)]);
  const said = (await plugin('backup', 'show', 'before')).stdout;
  expect(said).toMatch(/Succeeded +True {2}Completed: stored\n/);
  expect(said).toMatch(/transfers +1000\n/);
  // Without a name it has one of its own.
  const other = await plugin('backup', 'create', 'payments', '--no-wait');
  const [, name = ''] = /^ledgerbackup\/(payments-\d{14}) is requested/.exec(other.stdout) ?? [];
  expect((await backupOf(name)).spec).not.toHaveProperty('expiresAt');
  const listed = (await plugin('backup', 'list')).stdout;
  expect(listed).toMatch(/^before +payments +Manual +Completed +1000 /m);
  expect(listed).toContain(name);
  expect((await plugin('backup', 'list', 'payments')).stdout).toBe(listed);
  expect((await plugin('backup', 'list', 'others')).stdout).toBe('(no backups)\n');
});

test('a backup that fails ends the command with its reason', async () => {
  const asked = plugin('backup', 'create', 'payments', '--name', 'refused');
  await isThere('refused');
  await tell('refused', {
    completedAt: '2027-01-31T12:00:00Z',
    // What a store says acts on no terminal.
    conditions: [condition('Succeeded', 'False', 'StoreFull', 'no room\u001B[2J in the bucket')],
  });
  expect(await asked).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('refused: StoreFull: no room\uFFFD[2J in the bucket'),
  });
  // It could be tested never.
  expect(await plugin('backup', 'verify', 'refused')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('refused is no good backup: StoreFull'),
  });
});

test('a test restore is requested and its own result waited for, not that of the one before', async () => {
  await plugin('backup', 'create', 'payments', '--name', 'tested', '--no-wait');
  const ended = (second: number, passed: boolean) => ({
    verification: {
      startedAt: `2027-01-31T12:00:0${second}Z`,
      completedAt: `2027-01-31T12:00:0${second + 1}Z`,
      passed,
      seconds: second,
    },
    conditions: [
      succeeded,
      passed
        ? condition('Verified', 'True', 'Passed', '1000 transfers')
        : condition('Verified', 'False', 'Damaged', 'rows/3 is damaged'),
    ],
  });
  await tell('tested', { completedAt: '2027-01-31T12:00:00Z', ...ended(1, false) });
  const requested = async () => (await backupOf('tested')).spec['verifyRequestedAt'];
  const passing = plugin('backup', 'verify', 'tested');
  await eventually('the test is requested', async () => (await requested()) ?? undefined);
  await tell('tested', ended(3, true));
  expect(await passing).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/Verified +True {2}Passed: 1000 transfers/),
  });
  const before = await requested();
  const failing = plugin('backup', 'verify', 'tested');
  await eventually('another is', async () => (await requested()) !== before || undefined);
  await tell('tested', ended(5, false));
  expect(await failing).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('tested: Damaged: rows/3 is damaged'),
  });
});

test('a preview has the window, the backup that a restore begins with, and the nearest moments of one that is not possible', async () => {
  const path = ['-n', namespace, 'patch', 'ldb', 'payments', '--subresource=status'];
  const recovery = { ...windowFrom(0, 300), gaps: [] };
  const status = { databaseId: 'db_payments', recovery };
  await chart.kubectl(...path, '--type=merge', '-p', JSON.stringify({ status }));
  const preview = (...target: string[]) =>
    plugin('backup', 'restore-preview', 'payments', ...target);
  expect((await preview()).stdout).toMatch(
    /latest +2027-01-31T13:00:00.000000000Z \(operation 300\)/,
  );
  const { stdout } = await preview('--to-op', '100');
  // The backup of the first test is at operation 40.
  expect(stdout).toMatch(/begins with +backup before \(bkp_before\).*operation 40/);
  expect(stdout).toMatch(/replays +60 operations/);
  expect(stdout).toMatch(/leaves out +200 operations/);
  expect(stdout).toContain('bootstrap: { backup: { databaseId: db_payments, targetOp: 100 } }');
  const between = await preview('--to-time', '1970-01-01T00:01:40.5Z');
  expect(between.stdout).toContain("targetTimestamp: '100500000000'");
  expect(await preview('--to-op', '301')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      'payments cannot be restored to operation 301: the archive has not come as far; the last moment before is operation 300',
    ),
  });
});

test('a preview begins with no backup that is to be removed, also where the window still does', async () => {
  const recovery = { ...windowFrom(40, 300), gaps: [] };
  const merge = (kind: string, name: string, patch: object, ...more: string[]) => {
    const said = [...more, '--type=merge', '-p', JSON.stringify(patch)];
    return chart.kubectl('-n', namespace, 'patch', kind, name, ...said);
  };
  const status = { databaseId: 'db_payments', recovery };
  await merge('ldb', 'payments', { status }, '--subresource=status');
  const preview = () => plugin('backup', 'restore-preview', 'payments', '--to-op', '100');
  expect((await preview()).stdout).toMatch(/begins with +backup before/);
  await tell('before', { removalBegunAt: '2027-01-31T12:00:00Z' });
  const none = {
    code: 1,
    stderr: expect.stringContaining('payments cannot be restored to operation 100'),
  };
  expect(await preview()).toMatchObject(none);
  await plugin('backup', 'create', 'payments', '--name', 'next', '--no-wait');
  await tell('next', {
    databaseId: 'db_payments',
    backupId: 'bkp_next',
    op: 60,
    timestamp: '60000000000',
    completedAt: '2027-01-31T12:00:00Z',
    conditions: [succeeded],
  });
  expect((await preview()).stdout).toMatch(/begins with +backup next .*operation 60/);
  await merge('lbk', 'next', { spec: { removeRequested: true } });
  expect(await preview()).toMatchObject(none);
});

test.each([
  [['create', 'payments', '--retention-days', '0'], 2, 'from 1 to 365'],
  [['create', 'payments', '--retention-days', 'soon'], 2, 'from 1 to 365'],
  [['create', 'payments', '--no-wait', '--wait-minutes', '3'], 2, 'excludes'],
  [['create', 'payments', '--to-op', '3'], 2, 'backup create has no flag --to-op'],
  [['create', 'nobody'], 1, 'not found'],
  [['create', 'payments', '--name', 'before'], 1, 'already exists'],
  [['create', 'payments', '--name', 'No Name'], 1, 'Invalid value'],
  [['restore-preview', 'payments', '--to-time', 'yesterday'], 2, 'a time with a zone'],
  [['restore-preview', 'payments', '--to-op', '3', '--to-timestamp', '4'], 2, 'give one of'],
  [['show', 'nobody'], 1, 'not found'],
  [['undo', 'before'], 2, 'kubectl ledgerhouse backup create NAME'],
])('backup %j is refused by name, and nothing is made', async (args, code, words) => {
  const before = await backups();
  expect(await plugin('backup', ...args)).toMatchObject({
    code,
    stderr: expect.stringContaining(words),
  });
  expect(await backups()).toBe(before);
});

test.each([[[]], [['dance', 'payments']], [['tree']], [['status', '--loud']]])(
  'a wrong command line (%j) shows the right ones',
  async (args) => {
    const { code, stderr } = await plugin(...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining('kubectl ledgerhouse report NAME')]);
  },
);

test('a database that is not there is told in the words of kubectl', async () => {
  const { code, stderr } = await plugin('status', 'nobody');
  expect([code, stderr]).toEqual([1, expect.stringContaining('not found')]);
});
