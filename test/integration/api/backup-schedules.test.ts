/** Schedules of backups over HTTP and with the CLI: API, worker, operator and a real control plane. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { KubeObject } from '../../../base/kube/kube.ts';
import type { OperationId } from '../../../api/contract/routes.ts';
import type { ScheduleObject } from '../../../domain/custom-resources.ts';
import { resources } from '../../../domain/kinds.ts';
import { scheduleIdOf } from '../../../domain/names.ts';
import type {
  AuditEventList,
  BackupList,
  BackupSchedule,
  BackupScheduleList,
  Problem,
} from '../../../gen/api.ts';
import { ask as askAt, type Answer, type Sending } from '../../support/api/asking.ts';
import { endBackupJobs, operatorWithStore } from '../../support/api/backup-store.ts';
import { TestService, type Headers } from '../../support/api/service.ts';
import { Cli } from '../../support/cli/cli.ts';
import { eventually } from '../../support/shell.ts';

const namespace = 'org-default';

let service: TestService;
let cli: Cli;
let me: Headers;

beforeAll(async () => {
  service = await TestService.start({
    settings: { BACKUPS: 'on', DATABASES_MAX: '30' },
    operator: operatorWithStore,
  });
  endBackupJobs(service.world.kubelet);
  const { secret } = await service.makeKey(['db:read', 'db:write']);
  me = { 'x-api-key': secret };
  cli = new Cli({ LEDGERHOUSE_BASE_URL: service.url, LEDGERHOUSE_API_KEY: secret });
});
afterAll(async () => {
  cli?.remove();
  await service?.stop();
});

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the answer it expects
const ask = <T>(operation: OperationId, sending: Sending = {}): Promise<Answer<T>> =>
  askAt<T>(service.url, me, operation, sending);

interface Of {
  readonly databaseId: string;
}

const make = async (name: string, more: object = {}): Promise<Of> => ({
  databaseId: (await service.createDatabase(me, { name, ...more })).database.id,
});

async function request(of: object, body: object): Promise<BackupSchedule> {
  const { status, json } = await ask<{ backupSchedule: BackupSchedule }>('createBackupSchedule', {
    of: { ...of },
    body,
  });
  expect({ status, json }).toMatchObject({ status: 201 });
  return json.backupSchedule;
}

/** An hour of the day, UTC, that is far from now: no schedule is due while a test runs. */
const farHour = (new Date().getUTCHours() + 12) % 24;

const pathOf = ({ databaseId, id }: BackupSchedule) => ({ databaseId, scheduleId: id });
const list = async (of: Of) =>
  (await ask<BackupScheduleList>('listBackupSchedules', { of: { ...of } })).json.data;
const until = (of: Of, wanted: string, holds: (schedule: BackupSchedule) => boolean) =>
  eventually(wanted, async () => {
    const rows = await list(of);
    const found = rows.find(holds);
    if (found === undefined) throw new Error(JSON.stringify(rows));
    return found;
  });

const reference = (name: string) => ({ resource: resources.backupSchedule, namespace, name });
const resource = (name: string) => service.world.kube.read<ScheduleObject>(reference(name));
const apply = (name: string, spec: object) =>
  service.world.kube.create<KubeObject>(
    resources.backupSchedule,
    {
      apiVersion: 'ledgerhouse.dev/v1alpha1',
      kind: 'LedgerBackupSchedule',
      metadata: { name, namespace },
      spec,
    } as KubeObject,
    { fieldManager: 'kubectl' },
  );
const eventsOf = async ({ databaseId }: Of) => {
  const { json } = await askAt<AuditEventList>(
    service.url,
    await service.administrator(),
    'listAuditEvents',
    { query: `?targetId=${databaseId}&limit=100` },
  );
  return json.data.filter(({ type }) => type.startsWith('backup_schedule.'));
};

test('a schedule makes backups that are kept as it says, and tells when the next ones are due', async () => {
  const of = await make('payments');
  const headers = { 'idempotency-key': 'one-schedule' };
  const body = {
    schedule: `0 ${farHour} * * *`,
    timeZone: 'Europe/Vienna',
    keep: { last: 3, daily: 7, monthly: 12 },
    verify: 'EVERY',
    immediate: true,
  };
  const made = await ask<{ backupSchedule: BackupSchedule }>('createBackupSchedule', {
    of: { ...of },
    body,
    headers,
  });
  const again = await ask('createBackupSchedule', { of: { ...of }, body, headers });
  expect(again.json).toEqual(made.json);
  const { backupSchedule } = made.json;
  expect(backupSchedule).toMatchObject({
    name: 'payments-scheduled',
    keep: { last: 3, hourly: 0, daily: 7, monthly: 12, failed: 3 },
    actor: { type: 'api_key' },
  });
  const found = await resource('payments-scheduled');
  expect(backupSchedule.id).toBe(scheduleIdOf(found?.metadata.uid ?? ''));
  expect(found?.spec).toMatchObject({
    database: 'payments',
    timeZone: 'Europe/Vienna',
    keepLast: 3,
    keepDaily: 7,
    verify: 'Every',
    reclaimPolicy: 'Delete',
  });
  const active = await until(
    of,
    'its first backup is proven',
    (row) => row.lastVerifiedAt !== null,
  );
  expect(active).toMatchObject({ status: 'ACTIVE', backups: 1, actor: { type: 'api_key' } });
  expect(active.nextRuns).toHaveLength(3);
  const operators = (await resource('payments-scheduled'))?.status?.nextScheduleTime ?? '';
  expect(Date.parse(active.nextRuns[0] ?? '')).toBe(Date.parse(operators));
  // Backups are followed beside schedules.
  await eventually('the backup is seen', async () => {
    const query = '?type=SCHEDULED';
    const backups = await ask<BackupList>('listBackups', { of: { ...of }, query });
    expect(backups.json.data).toMatchObject([
      { status: 'SUCCEEDED', schedule: 'payments-scheduled', verification: { status: 'PASSED' } },
    ]);
    return true;
  });
});

test('a schedule is changed, suspended and deleted; each is an event, and its backups stay', async () => {
  const of = await make('changing');
  const schedule = await request(of, { schedule: `0 ${farHour} * * *`, immediate: true });
  await until(of, 'its backup', ({ lastSucceededAt }) => lastSucceededAt !== null);
  const path = pathOf(schedule);
  const change = async (body: object) =>
    (await ask<{ backupSchedule: BackupSchedule }>('updateBackupSchedule', { of: path, body })).json
      .backupSchedule;
  const later = await change({ schedule: '0 5 * * 1', keep: { weekly: 4 } });
  expect(later).toMatchObject({ schedule: '0 5 * * 1', keep: { last: 7, weekly: 4 } });
  expect(later.nextRuns[0]).toMatch(/T05:00:00/);
  const suspended = await change({ suspended: true });
  expect(suspended).toMatchObject({ status: 'SUSPENDED', nextRuns: [] });
  expect((await resource(schedule.name))?.spec).toMatchObject({ suspend: true, keepWeekly: 4 });
  const read = await ask<{ backupSchedule: BackupSchedule }>('getBackupSchedule', { of: path });
  expect(read.json.backupSchedule).toMatchObject({ suspended: true, schedule: '0 5 * * 1' });
  const etag = read.headers.get('etag') ?? '';
  const with4 = { of: path, body: { keep: { weekly: 4 } }, headers: { 'if-match': etag } };
  expect((await ask('updateBackupSchedule', with4)).status).toBe(200);
  await change({ suspended: false });
  const with5 = { ...with4, body: { keep: { weekly: 5 } } };
  expect((await ask('updateBackupSchedule', with5)).status).toBe(412);
  await until(of, 'it is active again', ({ status }) => status === 'ACTIVE');
  expect((await ask('deleteBackupSchedule', { of: path })).status).toBe(204);
  expect(await list(of)).toEqual([]);
  expect(await resource(schedule.name)).toBeUndefined();
  expect((await ask('deleteBackupSchedule', { of: path })).status).toBe(404);
  // Backups are followed beside schedules.
  await eventually('the backup is seen', async () => {
    const backups = await ask<BackupList>('listBackups', { of: { ...of } });
    expect(backups.json.data).toMatchObject([{ status: 'SUCCEEDED', schedule: schedule.name }]);
    return true;
  });
  const events = await eventsOf(of);
  expect(events.map(({ type }) => type)).toEqual([
    'backup_schedule.deleted',
    'backup_schedule.changed',
    'backup_schedule.changed',
    'backup_schedule.changed',
    'backup_schedule.created',
  ]);
  expect(new Set(events.map(({ actor }) => actor.type))).toEqual(new Set(['api_key']));
});

test('schedules of kubectl are shown, followed and changed; those that somebody deletes go', async () => {
  const of = await make('followed');
  await apply('by-hand', { database: 'followed', schedule: '0 4 * * *', keepLast: 2 });
  const found = await until(of, 'it is taken over', ({ status }) => status === 'ACTIVE');
  expect(found).toMatchObject({
    name: 'by-hand',
    keep: { last: 2 },
    actor: { type: 'kubernetes', display: 'kubectl' },
  });
  await service.world.kube.mergePatch(
    reference('by-hand'),
    { spec: { timeZone: 'Europe/Vienna' } },
    { fieldManager: 'kubectl' },
  );
  await until(of, 'the change is seen', ({ timeZone }) => timeZone === 'Europe/Vienna');
  await ask('updateBackupSchedule', { of: pathOf(found), body: { verify: 'NEVER' } });
  expect((await resource('by-hand'))?.spec).toMatchObject({
    verify: 'Never',
    timeZone: 'Europe/Vienna',
    keepLast: 2,
  });
  await apply('never-comes', { database: 'followed', schedule: '0 0 30 2 *' });
  const stopped = await until(of, 'it is refused', ({ status }) => status === 'STOPPED');
  expect(stopped).toMatchObject({ statusReason: { code: 'InvalidSchedule' }, nextRuns: [] });
  const uid = (await resource('by-hand'))?.metadata.uid ?? '';
  await service.world.kube.delete(reference('by-hand'), { uid });
  await eventually('its row goes', async () => {
    const rows = await list(of);
    if (rows.length > 1) throw new Error(JSON.stringify(rows));
    return true;
  });
});

test('a change while no worker runs is found afterwards, and a request whose answer was lost makes nothing twice', async () => {
  const of = await make('steady');
  const body = { schedule: '30 2 * * *' };
  const first = await request(of, body);
  await apply('unseen', { database: 'steady', schedule: '0 6 * * *' });
  await until(of, 'it is seen', ({ name }) => name === 'unseen');
  await service.stopWorker('SIGKILL');
  const uid = (await resource('unseen'))?.metadata.uid ?? '';
  await service.world.kube.delete(reference('unseen'), { uid });
  // As if the process had died after it made the resource.
  await service.alter(`DELETE FROM backup_schedules WHERE name = 'steady-scheduled'`);
  expect((await request(of, body)).id).toBe(first.id);
  await service.startWorker();
  await eventually('the other one goes', async () => {
    const rows = await list(of);
    if (rows.length > 1) throw new Error(JSON.stringify(rows));
    return true;
  });
  expect(await list(of)).toMatchObject([{ id: first.id, actor: { type: 'api_key' } }]);
});

test('times that cannot be followed, too many schedules, and names that are taken are refused', async () => {
  const of = { ...(await make('refusing')) };
  const refused = (body: object) => ask<Problem>('createBackupSchedule', { of, body });
  for (const body of [
    { schedule: '61 3 * * *' },
    { schedule: '0 3 * * *', timeZone: 'Mars/Olympus' },
    { schedule: '*/30 * * * *' },
    { schedule: '0 0 30 2 *' },
  ]) {
    const { status, json } = await refused(body);
    expect([body, status, json.errors?.[0]?.pointer]).toEqual([body, 422, '#/schedule']);
  }
  await make('other');
  await apply('taken', { database: 'other', schedule: '0 1 * * *' });
  expect(await refused({ name: 'taken', schedule: '0 1 * * *' })).toMatchObject({
    status: 409,
    json: { code: 'backup_schedule_name_taken' },
  });
  await apply('nobodys', { database: 'nobody', schedule: '0 1 * * *' });
  const { detail } = (await refused({ name: 'nobodys', schedule: '0 1 * * *' })).json;
  expect(detail).toContain('a LedgerBackupSchedule nobodys that belongs to no database here');
  const beetle = await make('beetle', {
    engine: 'TigerBeetle',
    clusterConfiguration: 'single',
    clusterSize: 'lh-40',
  });
  const followed = await ask<Problem>('createBackupSchedule', {
    of: { ...beetle },
    body: { schedule: '0 3 * * *' },
  });
  expect(followed.status).toBe(201);
});

test('a database has ten schedules over HTTP, also when several are asked for at once', async () => {
  const of = { ...(await make('many')) };
  const body = (hour: number) => ({ name: `of-${hour}`, schedule: `0 ${hour} * * *` });
  const asked = (hour: number) => ask<Problem>('createBackupSchedule', { of, body: body(hour) });
  for (let hour = 0; hour < 9; hour += 1) await request(of, body(hour));
  const answers = await Promise.all([9, 10, 11, 12, 13].map(asked));
  const made = answers.filter(({ status }) => status === 201);
  const others = answers.filter(({ status }) => status !== 201);
  // None, if each of them was seen by the worker before it was refused.
  expect(made.length).toBeLessThanOrEqual(1);
  expect(new Set(others.map(({ json }) => json.code))).toEqual(new Set(['quota_exceeded']));
  const here = await service.world.kube.list<ScheduleObject>(resources.backupSchedule, {
    namespace,
  });
  expect(here.filter(({ spec }) => spec.database === 'many')).toHaveLength(9 + made.length);
  await eventually('the tenth is made, if none of those was', async () => {
    await asked(14);
    return (await list(of)).length === 10 || undefined;
  });
  expect((await asked(15)).json.code).toBe('quota_exceeded');
  // Whoever sends it again after a lost answer gets the schedule that was made.
  await request(of, body(3));
});

test('the CLI makes, shows, changes and deletes schedules', async () => {
  await make('cli-books');
  const run = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await cli.run(['backups', 'schedules', ...args]);
    expect({ args, code, stderr }).toMatchObject({ code: 0 });
    return stdout;
  };
  const options = ['--time-zone', 'Europe/Vienna', '--keep-last', '3', '--keep-daily', '7'];
  const created = await run('create', 'cli-books', '0 3 * * *', ...options, '--json');
  const { backupSchedule } = JSON.parse(created) as { backupSchedule: BackupSchedule };
  expect(backupSchedule).toMatchObject({ name: 'cli-books-scheduled', keep: { daily: 7 } });
  const { id } = backupSchedule;
  const listed = await run('list', 'cli-books');
  expect(listed).toMatch(
    new RegExp(`^${id} +cli-books-scheduled +0 3 \\* \\* \\* +Europe/Vienna`, 'm'),
  );
  const changed = await run('update', 'cli-books', id, '--suspend', '--keep-monthly', '12');
  expect(changed).toMatch(/^status +SUSPENDED$/m);
  expect(changed).toMatch(/^keep +last 3, daily 7, monthly 12, failed 3$/m);
  expect(await run('get', 'cli-books', id)).toMatch(/^verify +WEEKLY$/m);
  const unchanged = await cli.run(['backups', 'schedules', 'update', 'cli-books', id]);
  expect(unchanged.code).toBe(2);
  const odd = await cli.run(['backups', 'schedules', 'create', 'cli-books', '* * * * *']);
  expect(odd).toMatchObject({ code: 3 });
  expect(odd.stderr).toContain('more often than once an hour');
  await run('delete', 'cli-books', id);
  expect(await run('list', 'cli-books')).toBe('(no schedules)\n');
});
