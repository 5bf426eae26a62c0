import { expect, test } from '@jest/globals';
import pino from 'pino';
import { ApiError, type Kube, type ListOptions, type Resource } from '../../base/kube/kube.ts';
import { MetricRegistry } from '../../base/metrics/metrics.ts';
import type { Pod } from '../../domain/kinds.ts';
import { endedSweeps, SweepWatch, waitingSweep } from './sweep-watch.ts';

const result = { archives: 3, failed: 0, removedBytes: 4_096, waiting: 2, locked: 1 };

/** A pod of a sweep as the kubelet tells it. */
const podOf = (name: string, terminated: object | undefined): Pod =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'ledgerhouse-system' },
    status: {
      phase: terminated === undefined ? 'Running' : 'Succeeded',
      containerStatuses: [
        // A service mesh has put it there; it goes on.
        { name: 'proxy', state: { running: {} } },
        { name: 'sweep', state: terminated === undefined ? {} : { terminated } },
      ],
    },
  }) as unknown as Pod;
const ended = (name: string, hour: number, exitCode: number, message: string) =>
  podOf(name, { exitCode, finishedAt: `2027-01-31T0${hour}:00:00Z`, message });
const good = ended('good', 3, 0, `${JSON.stringify(result)}\n`);

/** What is measured beside an API server that lists pods, or fails. */
async function measured(list: () => Promise<readonly Pod[]>) {
  const registry = new MetricRegistry();
  const asked: [string, ListOptions | undefined][] = [];
  const kube = {
    list: (resource: Resource, options?: ListOptions) => {
      asked.push([resource.plural, options]);
      return list();
    },
  } as unknown as Kube;
  const logger = pino({ level: 'silent' });
  const watch = new SweepWatch({ kube, registry, logger, namespace: 'ledgerhouse-system' });
  await watch.look();
  watch.measure();
  const lines = (await registry.text()).split('\n').filter((line) => /^[a-z]/.test(line));
  const own = /^ledgerhouse_backup_sweep_(\w+)\{cronjob="ledgerhouse-backup-sweep"\} (\S+)$/;
  const figures = lines.map((line) => own.exec(line)?.slice(1) ?? [line]);
  return { asked, figures: Object.fromEntries(figures) as Record<string, string> };
}

test('the last words of a sweep are metrics, and only sweeps beside the operator are asked for', async () => {
  const { asked, figures } = await measured(() => Promise.resolve([good]));
  expect(figures).toEqual({
    success_timestamp_seconds: String(Date.parse('2027-01-31T03:00:00Z') / 1_000),
    failing: '0',
    failed_archives: '0',
    removed_bytes: '4096',
    waiting_backups: '2',
    locked_backups: '1',
  });
  const labelSelector = 'app.kubernetes.io/name=ledgerhouse-backup-sweep';
  expect(asked).toEqual([['pods', { namespace: 'ledgerhouse-system', labelSelector }]]);
});

test('a sweep that fails is told with the time of the last one that did not', async () => {
  const partly = ended('partly', 4, 1, JSON.stringify({ ...result, failed: 2 }));
  const { figures } = await measured(() => Promise.resolve([partly, good]));
  expect(figures).toMatchObject({
    success_timestamp_seconds: String(Date.parse('2027-01-31T03:00:00Z') / 1_000),
    failing: '1',
    failed_archives: '2',
  });
  // The store did not answer, or the pod was killed: there are no sums.
  const unreached = ended('unreached', 5, 1, '{"error":"store_unreachable","message":"no answer"}');
  const killed = ended('killed', 6, 137, '');
  for (const last of [unreached, killed]) {
    const told = (await measured(() => Promise.resolve([good, last, partly]))).figures;
    expect(told).toMatchObject({ failing: '1' });
    expect(told).not.toHaveProperty('failed_archives');
    expect(told).not.toHaveProperty('removed_bytes');
  }
});

const pending = (name: string, hour: number, status: object): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, creationTimestamp: `2027-01-31T0${hour}:00:00Z` },
  status: { phase: 'Pending', ...status },
});

test.each([
  [
    'finds no node',
    'Unschedulable',
    { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] },
  ],
  [
    'has no image',
    'ImagePullBackOff',
    { containerStatuses: [{ name: 'sweep', state: { waiting: { reason: 'ImagePullBackOff' } } }] },
  ],
  [
    'has no credentials',
    'Pending',
    { containerStatuses: [{ name: 'sweep', state: { waiting: { reason: 'ContainerCreating' } } }] },
  ],
])(
  'a sweep that never starts because its pod %s is told, with the reason',
  async (_, reason, status) => {
    const stuck = pending('stuck', 2, status);
    const registry = new MetricRegistry();
    const kube = { list: () => Promise.resolve([stuck]) } as unknown as Kube;
    const logger = pino({ level: 'silent' });
    const watch = new SweepWatch({ kube, registry, logger, namespace: 'ledgerhouse-system' });
    await watch.look();
    watch.measure();
    const since = Date.parse('2027-01-31T02:00:00Z') / 1_000;
    expect(await registry.text()).toContain(
      `ledgerhouse_backup_sweep_waiting_since_timestamp_seconds{cronjob="ledgerhouse-backup-sweep",reason="${reason}"} ${since}\n`,
    );
  },
);

test('a sweep that waited and has run is waited for no more', () => {
  const ran = {
    ...good,
    metadata: { ...good.metadata, creationTimestamp: '2027-01-31T03:00:00Z' },
  };
  const waiting = pending('waiting', 4, {});
  expect(waitingSweep([waiting, ran])).toMatchObject({ reason: 'Pending' });
  expect(waitingSweep([pending('earlier', 2, {}), ran])).toBeUndefined();
});

test('without a sweep, while the first one runs, and without the right to look nothing is told', async () => {
  const running = podOf('running', undefined);
  for (const pods of [[], [running]])
    expect((await measured(() => Promise.resolve(pods))).figures).toEqual({});
  const refused = new ApiError('pods is forbidden', { status: 403, reason: 'Forbidden' });
  expect((await measured(() => Promise.reject(refused))).figures).toEqual({});
  const away = new ApiError('no answer', { status: 0, reason: 'Unreachable' });
  await expect(measured(() => Promise.reject(away))).rejects.toThrow('no answer');
});

test('a sweep that runs hides none that ended', () => {
  const running = podOf('running', undefined);
  expect(endedSweeps([running, good]).map(({ result: said }) => said)).toEqual([result]);
});
