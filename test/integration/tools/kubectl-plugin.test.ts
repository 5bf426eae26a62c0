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
  await chart.kubectl('wait', '--for=condition=Established', 'crd', '--all', '--timeout=180s');
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
