/** Changes of databases over HTTP and in Kubernetes: API, worker, operator and a real control plane. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { KubeObject } from '../../../base/kube/kube.ts';
import { resources } from '../../../domain/kinds.ts';
import { newTypeId } from '../../../domain/type-id.ts';
import { uuidOf } from '../../../api/store/ids.ts';
import { weekdays } from '../../../domain/maintenance-window.ts';
import { apiName, podName } from '../../../domain/names.ts';
import type {
  AcceptedChange,
  Change,
  ChangeList,
  ChangePreview,
  CreateCatalog,
  CreatedDatabase,
  DatabaseWithProfile,
  JobAnswer,
  MaintenanceWindowAnswer,
  Problem,
  ProfileRevisionList,
} from '../../../gen/api.ts';
import { catalogSpec } from '../../fixtures/catalog.ts';
import { ask as askAt, type Answer, type Sending } from '../../support/api/asking.ts';
import { TestService, type Headers } from '../../support/api/service.ts';
import { eventually } from '../../support/shell.ts';
import type { OperationId } from '../../../api/contract/routes.ts';

let service: TestService;
let me: Headers;
let namespace: string;

beforeAll(async () => {
  service = await TestService.start();
  me = { 'x-api-key': (await service.makeKey(['db:read', 'db:write'])).secret };
});
beforeEach(() => service.startOperator());
afterAll(() => service?.stop());

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the answer it expects
const ask = <T>(operation: OperationId, sending: Sending = {}): Promise<Answer<T>> =>
  askAt<T>(service.url, me, operation, sending);

interface Made {
  readonly of: { readonly databaseId: string };
  readonly name: string;
}

async function make(name: string, more: object = {}): Promise<Made> {
  const { database }: CreatedDatabase = await service.createDatabase(me, { name, ...more });
  const found = (await service.world.kube.list(resources.database)).find(
    ({ metadata }) => metadata.name === name,
  );
  namespace = found?.metadata.namespace ?? '';
  return { of: { databaseId: database.id }, name };
}

async function request({ of }: Made, body: object): Promise<AcceptedChange> {
  const { status, json } = await ask<AcceptedChange>('createChange', { of, body });
  expect({ status, json }).toMatchObject({ status: 202 });
  return json;
}

const read = async ({ of }: Made, changeId: string) =>
  (await ask<{ change: Change }>('getChange', { of: { ...of, changeId } })).json.change;
const until = (made: Made, { id }: { readonly id: string }, status: Change['status']) =>
  eventually(`${id} is ${status}`, async () => {
    const change = await read(made, id);
    if (change.status !== status) throw new Error(JSON.stringify(change));
    return change;
  });
const view = async ({ of }: Made) => (await ask<DatabaseWithProfile>('getDatabase', { of })).json;
const resource = async ({ name }: Made) => {
  const found = await service.world.database(namespace, name);
  if (found === undefined) throw new Error(`there is no resource ${name}`);
  return found;
};

/** Keeps the replica of a database from becoming ready, so that a change goes on until the returned function is called. */
async function hold(made: Made): Promise<() => void> {
  const pod = podName((await resource(made)).status?.workload ?? '', 0);
  service.world.kubelet.unready.add(pod);
  return () => void service.world.kubelet.unready.delete(pod);
}

test('a change is what its preview said; its job has true steps, and its revision is its author’s', async () => {
  const made = await make('sized');
  const body = { clusterSize: 'lh-10', parameters: { limitConnections: '300' } };
  const { json: shown } = await ask<ChangePreview>('previewChange', { of: made.of, body });
  expect(shown.preview).toMatchObject({
    applies: 'NOW',
    impact: { interruption: 'SECONDS', rollingRestart: true, reversible: true },
    diff: [
      { path: '/clusterSize', from: 'lh-5', to: 'lh-10' },
      { path: '/parameters/limitConnections', from: null, to: '300' },
    ],
  });
  expect((await resource(made)).spec.size).toBe('lh-5');
  const { change, job } = await request(made, body);
  expect([change.diff, change.impact, change.priceDelta]).toEqual([
    shown.preview.diff,
    shown.preview.impact,
    shown.preview.priceDelta,
  ]);
  const applied = await until(made, change, 'APPLIED');
  expect(applied).toMatchObject({ profileRevision: 2, previousRevision: 1, error: null });
  const { json: told } = await ask<JobAnswer>('getJob', { of: { jobId: job?.id ?? '' } });
  expect(told.job).toMatchObject({ status: 'SUCCEEDED', type: 'database.change' });
  expect(told.job.steps.map(({ name, status }) => [name, status])).toEqual([
    ['write_spec', 'SUCCEEDED'],
    ['accept', 'SUCCEEDED'],
    ['replace_replicas', 'SUCCEEDED'],
    ['settle', 'SUCCEEDED'],
  ]);
  expect((await resource(made)).spec).toMatchObject({
    size: 'lh-10',
    parameters: { limitConnections: '300' },
  });
  const { data } = (await ask<ProfileRevisionList>('listProfiles', { of: made.of })).json;
  expect(data[0]).toMatchObject({ revision: 2, actor: change.actor, diff: change.diff });

  const back = await request(made, { revision: 1 });
  expect(back.change.diff).toEqual(
    change.diff.map(({ path, from, to }) => ({ path, from: to, to: from })),
  );
  await until(made, back.change, 'APPLIED');
  expect((await view(made)).profile).toMatchObject({
    revision: 3,
    clusterSize: 'lh-5',
    parameters: {},
  });
});

test('an impossible change is refused by preview and request alike, with its place and what is possible', async () => {
  const made = await make('refused', { selectedStorageGb: 4 });
  const cases: readonly (readonly [object, number, object])[] = [
    [
      { selectedStorageGb: 3 },
      422,
      {
        code: 'storage_cannot_shrink',
        errors: [{ pointer: '#/selectedStorageGb', meta: { min: 4 } }],
      },
    ],
    [
      { clusterSize: 'lh-999' },
      422,
      { errors: [{ pointer: '#/clusterSize', meta: { allowed: ['lh-5', 'lh-10', 'lh-40'] } }] },
    ],
    [{ selectedStorageGb: 1_000 }, 422, { errors: [{ pointer: '#/selectedStorageGb' }] }],
    [{ autogrow: { limitGb: 3 } }, 422, { errors: [{ pointer: '#/autogrow/limitGb' }] }],
    [
      { parameters: { unheard: '1' } },
      422,
      {
        errors: [{ pointer: '#/parameters/unheard', meta: { allowed: ['limitConnections'] } }],
      },
    ],
    [
      { parameters: { limitConnections: '0' } },
      422,
      { errors: [{ pointer: '#/parameters/limitConnections', code: 'invalid_parameter' }] },
    ],
    [
      { engineVersion: '9.9.9' },
      422,
      { errors: [{ pointer: '#/engineVersion', code: 'unknown_version' }] },
    ],
    [{ continuousArchiving: { rpoSeconds: 5 } }, 409, { code: 'backups_not_configured' }],
    [
      { continuousArchiving: { rpoSeconds: 0 } },
      422,
      { errors: [{ pointer: '#/continuousArchiving/rpoSeconds' }] },
    ],
    [{ clusterSize: 'lh-5' }, 422, { code: 'nothing_to_change' }],
    [{ revision: 7 }, 422, { errors: [{ pointer: '#/revision', code: 'unknown_revision' }] }],
  ];
  for (const [body, status, problem] of cases) {
    for (const operation of ['previewChange', 'createChange'] as const) {
      const { of } = made;
      const answer = await ask<Problem>(operation, { of, body });
      expect({ body, operation, status: answer.status, json: answer.json }).toMatchObject({
        status,
        json: problem,
      });
    }
  }
  const stale = { 'if-match': `W/"${made.of.databaseId}-0-x"` };
  const late = await ask<Problem>('createChange', {
    of: made.of,
    body: { clusterSize: 'lh-10' },
    headers: stale,
  });
  expect(late).toMatchObject({ status: 412, json: { code: 'precondition_failed' } });
  expect((await ask<ChangeList>('listChanges', { of: made.of })).json.data).toEqual([]);
});

test('one change is applied, one waits and takes in what is asked for meanwhile; all survive kills of worker and operator', async () => {
  const made = await make('busy');
  const release = await hold(made);
  const first = await request(made, { parameters: { limitConnections: '400' } });
  await eventually('its replica is being replaced', async () => {
    const { progress } = await read(made, first.change.id);
    return progress?.startsWith('Replica 1 of 1 on new parameters') ? true : undefined;
  });
  const second = await request(made, { labels: { team: 'books' } });
  expect([second.change.status, second.job]).toEqual(['QUEUED', null]);
  const third = await request(made, { autogrow: { limitGb: 8 }, labels: { cost: '7' } });
  expect(third.change.id).toBe(second.change.id);
  expect(third.change.diff.map(({ path }) => path)).toEqual([
    '/autogrow',
    '/labels/cost',
    '/labels/team',
  ]);
  const of = { ...made.of, changeId: second.change.id };
  expect((await ask<{ change: Change }>('withdrawChange', { of })).json.change.status).toBe(
    'CANCELED',
  );
  const again = await request(made, { autogrow: { limitGb: 9 } });
  expect([again.change.status, again.change.diff.length]).toEqual(['QUEUED', 1]);
  const applying = { ...made.of, changeId: first.change.id };
  expect(await ask<Problem>('withdrawChange', { of: applying })).toMatchObject({
    status: 409,
    json: { code: 'change_not_queued' },
  });

  await service.stopWorker('SIGKILL');
  await service.stopOperator();
  release();
  await service.startOperator();
  await service.startWorker();
  await until(made, first.change, 'APPLIED');
  const last = await until(made, again.change, 'APPLIED');
  expect(last.profileRevision).toBe(3);
  const { profile, database } = await view(made);
  expect(profile).toMatchObject({
    autogrow: { limitGb: 9 },
    parameters: { limitConnections: '400' },
  });
  expect(database.labels).toEqual({});
});

test('a change for later waits for its time, and is withdrawn by a deletion', async () => {
  const made = await make('later');
  const applyAt = new Date(Date.now() + 3_600_000).toISOString();
  const { change } = await request(made, { clusterSize: 'lh-10', applyAt });
  expect([change.status, change.applyAt]).toEqual(['QUEUED', applyAt]);
  const now = await request(made, { labels: { a: 'b' } });
  await until(made, now.change, 'APPLIED');
  expect((await view(made)).database.labels).toEqual({ a: 'b' });
  await service.alter(
    `UPDATE configuration_changes SET apply_after = now() WHERE status = 'QUEUED'`,
  );
  await until(made, change, 'APPLIED');
  const next = await request(made, { clusterSize: 'lh-5', applyAt });
  // The resource goes at once, and the worker would see that the database is deleted.
  await service.stopWorker('SIGKILL');
  await ask('deleteDatabase', { of: made.of });
  expect((await read(made, next.change.id)).status).toBe('CANCELED');
  const late = { of: made.of, body: { clusterSize: 'lh-5' } };
  const going = await ask<Problem>('createChange', late);
  expect(going).toMatchObject({
    status: 409,
    json: { code: 'database_not_ready', databaseStatus: 'DELETING' },
  });
  expect(going.json.detail).toContain('restore it');
  await service.startWorker();
  await eventually('it is deleted', async () =>
    (await view(made)).database.status === 'DELETED' ? true : undefined,
  );
  expect(await ask<Problem>('createChange', late)).toMatchObject({
    status: 404,
    json: { code: 'database_not_found' },
  });
});

test('a preview of a request that joins a waiting change shows both, and is refused as the request is', async () => {
  const made = await make('joined');
  const release = await hold(made);
  const first = await request(made, { parameters: { limitConnections: '300' } });
  const waiting = await request(made, { autogrow: { limitGb: 8 } });
  const body = { labels: { team: 'books' } };
  const { json: shown } = await ask<ChangePreview>('previewChange', { of: made.of, body });
  expect(shown.preview).toMatchObject({ applies: 'AFTER_OTHER_WORK', joins: waiting.change.id });
  const later = { ...body, applyAt: inAnHour() };
  const { json: alone } = await ask<ChangePreview>('previewChange', { of: made.of, body: later });
  expect(alone.preview).toMatchObject({ applies: 'LATER', joins: null });
  expect(alone.preview.diff.map(({ path }) => path)).toEqual(['/labels/team']);
  // Neither is anything against what the database is now.
  const beyond = { selectedStorageGb: 9 };
  for (const operation of ['previewChange', 'createChange'] as const) {
    const answer = await ask<Problem>(operation, { of: made.of, body: beyond });
    expect({ operation, ...answer }).toMatchObject({
      status: 422,
      json: {
        code: 'catalog_choice_unavailable',
        errors: [
          { pointer: '#', meta: { changeId: waiting.change.id, field: 'autogrow/limitGb' } },
        ],
      },
    });
    expect(answer.json.detail).toContain(`Together with ${waiting.change.id}, which waits`);
  }
  const { change } = await request(made, body);
  expect([change.id, change.diff, change.impact, change.priceDelta]).toEqual([
    waiting.change.id,
    shown.preview.diff,
    shown.preview.impact,
    shown.preview.priceDelta,
  ]);
  release();
  await until(made, first.change, 'APPLIED');
  await until(made, waiting.change, 'APPLIED');
});

test('of many requests at once, one is applied and the others are one that waits', async () => {
  const made = await make('crowded');
  const release = await hold(made);
  const limits = [300, 301, 302, 303, 304];
  const accepted = await Promise.all(
    limits.map((limit) => request(made, { parameters: { limitConnections: String(limit) } })),
  );
  const jobs = accepted.filter(({ job }) => job !== null);
  expect(jobs).toHaveLength(1);
  expect(new Set(accepted.map(({ change }) => change.id)).size).toBe(2);
  release();
  const { data } = (await ask<ChangeList>('listChanges', { of: made.of })).json;
  expect(data).toHaveLength(2);
  for (const change of data) await until(made, change, 'APPLIED');
  const last = data[0]?.diff[0]?.to;
  expect((await view(made)).profile.parameters['limitConnections']).toBe(last);
});

test('a change for a time that has passed, or is too far away, is refused with its place, by preview and request alike', async () => {
  const made = await make('timed');
  for (const days of [-1, 91])
    for (const operation of ['previewChange', 'createChange'] as const) {
      const body = { clusterSize: 'lh-10', applyAt: inDays(days) };
      const answer = await ask<Problem>(operation, { of: made.of, body });
      expect({ operation, days, ...answer }).toMatchObject({
        status: 422,
        json: { errors: [{ pointer: '#/applyAt', code: 'out_of_range' }] },
      });
    }
});

test('a dearer change needs the right to run: the quota and the organization’s status refuse the request as the preview says', async () => {
  const made = await make('guarded');
  await until(made, (await request(made, { suspended: true })).change, 'APPLIED');
  await changeOrganization('PATCH', '', { databasesMax: 0 });
  try {
    const refused = await ask<Problem>('resumeDatabase', { of: made.of });
    expect(refused).toMatchObject({ status: 403, json: { code: 'quota_exceeded' } });
  } finally {
    await changeOrganization('PATCH', '', { databasesMax: null });
  }
  const resumed = await ask<AcceptedChange>('resumeDatabase', { of: made.of });
  expect(resumed).toMatchObject({
    status: 202,
    json: { change: { diff: [{ path: '/suspended', from: true, to: false }] } },
  });
  await until(made, resumed.json.change, 'APPLIED');
});

test('a request that takes back what makes a waiting change cheap needs the right that the whole needs, by preview and request alike', async () => {
  const made = await make('sum');
  const at = inAnHour();
  const cheap = { selectedStorageGb: 20, suspended: true, applyAt: at };
  const { change: waiting } = await request(made, cheap);
  const body = { suspended: false, labels: { a: 'b' }, applyAt: at };
  await changeOrganization('PATCH', '', { databasesMax: 0 });
  try {
    const { json } = await ask<ChangePreview>('previewChange', { of: made.of, body });
    expect(json.preview).toMatchObject({
      joins: waiting.id,
      refusal: { code: 'quota_exceeded' },
    });
    const refused = await ask<Problem>('createChange', { of: made.of, body });
    expect(refused).toMatchObject({ status: 403, json: { code: 'quota_exceeded' } });
    expect((await read(made, waiting.id)).diff).toEqual(waiting.diff);
    // What leaves it cheap is joined.
    const labels = await request(made, { labels: { a: 'b' }, applyAt: at });
    expect(labels.change.id).toBe(waiting.id);
  } finally {
    await changeOrganization('PATCH', '', { databasesMax: null });
  }
  expect((await request(made, body)).change.id).toBe(waiting.id);
});

test('stopped and started again: what it costs is told before, and the data’s place stays', async () => {
  const made = await make('sleepy');
  const preview = await ask<ChangePreview>('previewChange', {
    of: made.of,
    body: { suspended: true },
  });
  expect(preview.json.preview).toMatchObject({
    impact: { interruption: 'UNTIL_RESUMED', longestWaitSeconds: null },
    // The size is 10 a month and stops; the volume stays.
    priceDelta: { currency: 'EUR', amount: '-10.00' },
  });
  const { addresses } = (await view(made)).database.connection;
  const { change } = await request(made, { suspended: true });
  await until(made, change, 'APPLIED');
  // The record of the database follows its resource.
  await eventually('it is stopped', async () => {
    expect((await view(made)).database.status).toBe('SUSPENDED');
    return true;
  });
  const resized = await request(made, { clusterSize: 'lh-10' });
  expect(resized.change.impact).toMatchObject({ interruption: 'NONE', longestWaitSeconds: 0 });
  await until(made, resized.change, 'APPLIED');
  const resumed = await request(made, { suspended: false });
  await until(made, resumed.change, 'APPLIED');
  const { database } = await eventually('it runs again', async () => {
    const shown = await view(made);
    expect([shown.database.status, shown.profile.clusterSize]).toEqual(['READY', 'lh-10']);
    return shown;
  });
  expect(database.connection.addresses).toEqual(addresses);
});

/** A stream of a database, as if a person had made it; nothing works on it. Returns its UUID. */
async function stoppedStream({ of }: Made, state: 'FAILED' | 'PAUSED'): Promise<string> {
  const id = uuidOf(newTypeId('chs'));
  await service.alter(
    `INSERT INTO change_streams (id, organization_id, database_id, description, sink_type, url, sealed_secret, sealed_by,
       state, last_error, started_after, position, due_at, created_by)
     SELECT $1, organization_id, id, '', 'WEBHOOK', 'https://receiver.example.com/', '\\x00', 'x',
       $3, '{"code":"HTTP_ERROR","message":"the receiver answered 500","at":"2026-11-26T10:00:00Z"}', 0, 0, NULL, '{}'
     FROM databases WHERE id = $2`,
    [id, uuidOf(of.databaseId), state],
  );
  return id;
}

test('change streams are told in the resource, and kubectl and HTTP suspend all of them at once', async () => {
  const made = await make('captured');
  const stream = await stoppedStream(made, 'FAILED');
  const untilTold = (reason: string) =>
    eventually(`the condition is ${reason}`, async () => {
      const { status } = await resource(made);
      const told = status?.conditions?.find(({ type }) => type === 'ChangeDataCaptureHealthy');
      if (told?.reason !== reason)
        throw new Error(JSON.stringify([told, status?.changeDataCapture]));
      return told;
    });
  const failed = await untilTold('Failed');
  expect(failed.status).toBe('False');
  expect(failed.message).toContain('the receiver answered 500');
  expect((await resource(made)).status?.changeDataCapture).toMatchObject({ streams: 1, failed: 1 });

  await service.world.patchDatabase(namespace, made.name, {
    spec: { changeDataCapture: { suspend: true } },
  });
  await untilTold('Suspended');
  const [edited] = await eventually('the change is recorded', async () => {
    const { data } = (await ask<ChangeList>('listChanges', { of: made.of })).json;
    return data[0]?.status === 'APPLIED' ? data : undefined;
  });
  expect(edited).toMatchObject({
    origin: 'kubernetes',
    actor: { type: 'kubernetes', display: 'test' },
    diff: [{ path: '/changeDataCapture', from: { suspended: false }, to: { suspended: true } }],
  });
  const untilSuspended = (suspended: boolean) =>
    eventually(`the stream is suspended: ${suspended}`, async () => {
      const [row] = await service.query('SELECT suspended FROM change_streams WHERE id = $1', [
        stream,
      ]);
      return row?.['suspended'] === suspended ? true : undefined;
    });
  await untilSuspended(true);

  const body = { changeDataCapture: { suspended: false } };
  const { preview } = (await ask<ChangePreview>('previewChange', { of: made.of, body })).json;
  expect(preview.impact).toMatchObject({ interruption: 'NONE', rollingRestart: false });
  const { change } = await request(made, body);
  await until(made, change, 'APPLIED');
  expect((await resource(made)).spec.changeDataCapture).toEqual({ suspend: false });
  await untilSuspended(false);
  await untilTold('Failed');
  // What takes a change back is the revision before, as for every field.
  const back = await request(made, { revision: change.previousRevision });
  expect(back.change.diff).toEqual(edited?.diff);
  await until(made, back.change, 'APPLIED');
  await request(made, body);

  await service.alter('DELETE FROM change_streams WHERE id = $1', [stream]);
  await untilTold('NoStreams');
});

test('a kubectl change is a change with the actor kubernetes; one that another declares is refused; who writes last wins and the loser is told', async () => {
  const made = await make('shared');
  await service.world.patchDatabase(namespace, made.name, { spec: { size: 'lh-10' } });
  const [edited] = await eventually('the change is recorded', async () => {
    const { data } = (await ask<ChangeList>('listChanges', { of: made.of })).json;
    return data[0]?.status === 'APPLIED' ? data : undefined;
  });
  expect(edited).toMatchObject({
    origin: 'kubernetes',
    actor: { type: 'kubernetes', display: 'test' },
    diff: [{ path: '/clusterSize', from: 'lh-5', to: 'lh-10' }],
    profileRevision: 2,
  });
  const told = await service.query(
    `SELECT type, actor->>'type' AS actor, data->'change'->>'id' AS change FROM events
     WHERE type IN ('database.changed', 'configuration.change_started') AND data->'database'->>'id' = $1`,
    [made.of.databaseId],
  );
  expect(told).toEqual(
    expect.arrayContaining([
      { type: 'configuration.change_started', actor: 'kubernetes', change: edited?.id },
      { type: 'database.changed', actor: 'kubernetes', change: null },
    ]),
  );

  const release = await hold(made);
  const overtaken = await request(made, { parameters: { limitConnections: '500' } });
  await eventually('it was written', async () => {
    const { parameters } = (await resource(made)).spec;
    return parameters?.['limitConnections'] === '500' ? true : undefined;
  });
  await eventually('it is followed', async () =>
    (await read(made, overtaken.change.id)).progress === null ? undefined : true,
  );
  await service.world.patchDatabase(namespace, made.name, {
    spec: { parameters: { limitConnections: '600' } },
  });
  const lost = await until(made, overtaken.change, 'FAILED');
  expect(lost.error).toMatchObject({ code: 'overwritten' });
  expect(lost.error?.state).toContain('the resource asks for what was written last');
  expect(lost.error?.message).toContain('test set parameters/limitConnections to "600"');
  release();
  await eventually('the last writer’s value counts', async () => {
    const { profile } = await view(made);
    return profile.parameters['limitConnections'] === '600' ? true : undefined;
  });

  const declared = {
    apiVersion: 'ledgerhouse.dev/v1alpha1',
    kind: 'LedgerDatabase',
    metadata: { namespace, name: made.name },
    spec: { size: 'lh-10' },
  };
  await service.world.kube.apply<KubeObject>(resources.database, declared, {
    fieldManager: 'argocd-controller',
    force: true,
  });
  const refused = await ask<Problem>('createChange', {
    of: made.of,
    body: { clusterSize: 'lh-5' },
  });
  expect(refused).toMatchObject({
    status: 409,
    json: {
      code: 'field_managed_elsewhere',
      errors: [{ pointer: '#/clusterSize', meta: { manager: 'argocd-controller' } }],
    },
  });
});

test('a worker that is killed after it wrote the spec, and before the labels, goes on with the labels', async () => {
  const made = await make('halfway');
  await service.stopWorker('SIGKILL');
  const body = { parameters: { limitConnections: '600' }, labels: { team: 'books' } };
  const { change } = await request(made, body);
  expect(change.status).toBe('APPLYING');
  // What the killed worker had written.
  const { metadata } = await resource(made);
  await service.world.kube.mergePatch(
    { resource: resources.database, namespace, name: made.name },
    { metadata: { uid: metadata.uid }, spec: { parameters: { limitConnections: '600' } } },
    { fieldManager: apiName },
  );
  await service.startWorker();
  const applied = await eventually('the change has ended', async () => {
    const found = await read(made, change.id);
    if (found.finishedAt === null) throw new Error(JSON.stringify(found));
    return found;
  });
  expect(applied).toMatchObject({ status: 'APPLIED', error: null, profileRevision: 2 });
  const { profile, database } = await view(made);
  expect(profile.parameters).toEqual({ limitConnections: '600' });
  expect(database.labels).toEqual({ team: 'books' });
});

test('a label that somebody sets while a change of others is being applied is kept', async () => {
  const made = await make('labelled');
  await service.stopWorker('SIGKILL');
  const body = { parameters: { limitConnections: '300' }, labels: { team: 'books' } };
  const { change } = await request(made, body);
  const patch = `UPDATE databases SET labels = '{"cost": "7"}', version = version + 1 WHERE name = 'labelled'`;
  await service.alterAround(patch, async () => {
    await service.startWorker();
    await eventually('the spec is written', async () => {
      const { parameters } = (await resource(made)).spec;
      return parameters?.['limitConnections'] === '300' ? true : undefined;
    });
  });
  await until(made, change, 'APPLIED');
  expect((await view(made)).database.labels).toEqual({ team: 'books', cost: '7' });
});

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

/** The time of a change that waits has come, which no test waits for: what is to be so before, is so. */
const isTime = ({ id }: Change) =>
  service.alter(`UPDATE configuration_changes SET apply_after = now() WHERE id = $1`, [uuidOf(id)]);

test('the latest request counts, also while a change that has waited is about to begin', async () => {
  const made = await make('last-word');
  await service.stopWorker('SIGKILL');
  const applyAt = inAnHour();
  const { change: waiting } = await request(made, { clusterSize: 'lh-10', applyAt });
  await ask('beginChange', { of: { ...made.of, changeId: waiting.id } });
  const kept = await ask<Problem>('createChange', { of: made.of, body: { clusterSize: 'lh-5' } });
  expect(kept).toMatchObject({ status: 422, json: { code: 'nothing_to_change' } });
  expect(kept.json.detail).toContain(`${waiting.id} is about to set clusterSize to "lh-10"`);
  const body = { clusterSize: 'lh-40' };
  const { json: shown } = await ask<ChangePreview>('previewChange', { of: made.of, body });
  expect(shown.preview.applies).toBe('AFTER_OTHER_WORK');
  const last = await request(made, body);
  expect([last.change.status, last.change.id]).toEqual(['QUEUED', waiting.id]);
  await service.startWorker();
  await until(made, waiting, 'APPLIED');
  const again = await request(made, { labels: { all: 'done' } });
  await until(made, again.change, 'APPLIED');
  expect((await view(made)).profile.clusterSize).toBe('lh-40');
});

test('a change that the operator refuses is put back, and says so also if the worker is killed between the two or before it noted what it wrote', async () => {
  const made = await make('put-back');
  const killed = await make('put-back-killed');
  const forgotten = await make('put-back-forgotten');
  const all = [made, killed, forgotten];
  const spec = catalogSpec();
  await service.stopOperator();
  const changes = [];
  for (const one of all) {
    const { change } = await request(one, { clusterSize: 'lh-10' });
    changes.push(change);
    await eventually('it was written, and noted', async () => {
      const noted = `SELECT generation FROM configuration_changes WHERE id = $1`;
      const [row] = await service.query(noted, [uuidOf(change.id)]);
      return row?.['generation'] ?? undefined;
    });
    expect((await resource(one)).spec.size).toBe('lh-10');
  }
  await service.stopWorker('SIGKILL');
  try {
    await service.world.setCatalog({
      ...spec,
      sizes: spec.sizes.filter(({ id }) => id !== 'lh-10'),
    });
    await service.startOperator();
    for (const one of all) {
      await eventually('the operator refuses it', async () => {
        const { status } = await resource(one);
        const stalled = status?.conditions?.find(({ type }) => type === 'Stalled');
        if (stalled?.status !== 'True') throw new Error(JSON.stringify(status?.conditions));
        return true;
      });
    }
    await service.alter(
      `UPDATE configuration_changes SET generation = NULL
       WHERE database_id = (SELECT id FROM databases WHERE name = 'put-back-forgotten')`,
    );
    // What the killed worker had written.
    const error = {
      code: 'refused_by_operator',
      message: 'No.',
      state: 'As before.',
      nextSteps: [],
    };
    await service.alter(
      `UPDATE configuration_changes SET error = $1
       WHERE database_id = (SELECT id FROM databases WHERE name = 'put-back-killed')`,
      [JSON.stringify(error)],
    );
    const { metadata } = await resource(killed);
    await service.world.kube.mergePatch(
      { resource: resources.database, namespace, name: killed.name },
      { metadata: { uid: metadata.uid }, spec: { size: 'lh-5' } },
      { fieldManager: apiName },
    );
    await service.startWorker();
    for (const [index, one] of all.entries()) {
      const ended = await until(one, changes[index]!, 'FAILED');
      expect(ended.error).toMatchObject({
        code: 'refused_by_operator',
        state: 'The database is as it was before.',
      });
      expect((await resource(one)).spec.size).toBe('lh-5');
    }
  } finally {
    await service.world.setCatalog(spec);
  }
});

/** The organization, as its administrator changes it. */
async function changeOrganization(method: string, path: string, body?: object): Promise<void> {
  const owner = await service.administrator();
  const session = await fetch(`${service.url}/api/v1/session`, { headers: owner });
  const { organization } = (await session.json()) as { organization: { id: string } };
  const answer = await fetch(`${service.url}/api/v1/organizations/${organization.id}${path}`, {
    method,
    headers: { ...owner, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  expect([await answer.text(), answer.status]).toEqual([expect.any(String), 200]);
}

test('a change that waited is not begun while its organization is suspended, but a stop is, also if it joined another change', async () => {
  const made = await make('contract-ended');
  const other = await make('contract-ended-too');
  const joining = await make('contract-ended-busy');
  const applyAt = inAnHour();
  const { change } = await request(made, { parameters: { limitConnections: '300' }, applyAt });
  const stop = await request(other, { suspended: true, applyAt });
  const release = await hold(joining);
  await request(joining, { parameters: { limitConnections: '300' } });
  const waiting = await request(joining, { autogrow: { limitGb: 8 } });
  await changeOrganization('POST', '/suspend', { reason: 'The contract has ended.' });
  try {
    const joined = await ask<AcceptedChange>('suspendDatabase', { of: joining.of });
    expect(joined.json.change).toMatchObject({ id: waiting.change.id, status: 'QUEUED' });
    release();
    for (const one of [change, stop.change]) await isTime(one);
    const ended = await until(made, change, 'FAILED');
    expect(ended.error).toMatchObject({
      code: 'organization_suspended',
      message: expect.stringContaining('the organization is suspended'),
    });
    await until(other, stop.change, 'APPLIED');
    const { diff } = await until(joining, waiting.change, 'APPLIED');
    expect(diff).toEqual([{ path: '/suspended', from: false, to: true }]);
  } finally {
    release();
    await changeOrganization('POST', '/resume');
  }
  expect((await view(made)).profile.revision).toBe(1);
});

test('a change that waited and finds no room any more fails, and says so', async () => {
  const made = await make('over-quota');
  await until(made, (await request(made, { suspended: true })).change, 'APPLIED');
  const { change } = await request(made, { suspended: false, applyAt: inAnHour() });
  await changeOrganization('PATCH', '', { databasesMax: 0 });
  try {
    const refusals = [];
    for (const body of [{ suspended: false }, { labels: { a: 'b' } }]) {
      const { json } = await ask<ChangePreview>('previewChange', { of: made.of, body });
      refusals.push(json.preview.refusal?.code);
    }
    expect(refusals).toEqual(['quota_exceeded', undefined]);
    await isTime(change);
    const ended = await until(made, change, 'FAILED');
    expect(ended.error).toMatchObject({ code: 'quota_exceeded' });
  } finally {
    await changeOrganization('PATCH', '', { databasesMax: null });
  }
});

/** A window of three hours that began this many hours ago; negative: it begins later. */
function windowSince(hours: number) {
  const began = new Date(Date.now() - hours * 3_600_000);
  return {
    weekday: weekdays[began.getUTCDay()],
    startTime: began.toISOString().slice(11, 16),
    lengthMinutes: 180,
    timeZone: 'Etc/UTC',
  };
}
const [openWindow, twoDaysAway, threeDaysAway, fourDaysAway] = [1, -48, -72, -96].map(windowSince);
type Shown = MaintenanceWindowAnswer['maintenanceWindow'];

async function windowOf(operation: OperationId, of: object = {}, body?: object): Promise<Shown> {
  const sending = { of: of as Made['of'], ...(body && { body }) };
  const { status, json } = await ask<MaintenanceWindowAnswer>(operation, sending);
  expect({ status, json }).toMatchObject({ status: 200 });
  return json.maintenanceWindow;
}

test('a change for the maintenance window shows when it begins, moves with the window, and begins when it is open', async () => {
  const made = await make('windowed');
  const { of } = made;
  const usual = await windowOf('getDatabaseMaintenanceWindow', of);
  expect(usual).toMatchObject({ from: 'DEFAULT', weekday: 'SUNDAY', startTime: '02:00' });
  const general = await windowOf('setOrganizationMaintenanceWindow', {}, twoDaysAway);
  expect(await windowOf('getDatabaseMaintenanceWindow', of)).toEqual(general);
  expect(general).toMatchObject({ ...twoDaysAway, from: 'ORGANIZATION' });
  const body = { parameters: { limitConnections: '300' }, applyAt: 'maintenance_window' };
  const preview = await ask<ChangePreview>('previewChange', {
    of,
    body: { parameters: body.parameters },
  });
  expect(preview.json.preview.nextMaintenanceWindow).toEqual(general.next);
  const { change, job } = await request(made, body);
  const waits = (window: Shown) => ({
    status: 'QUEUED',
    inMaintenanceWindow: true,
    applyAt: window.next.beginsAt,
  });
  expect([change, job]).toMatchObject([waits(general), null]);
  const late = { of, body: { ...threeDaysAway }, headers: { 'if-match': '"another"' } };
  expect((await ask('setDatabaseMaintenanceWindow', late)).status).toBe(412);
  const own = await windowOf('setDatabaseMaintenanceWindow', of, threeDaysAway);
  expect(await read(made, change.id)).toMatchObject(waits(own));
  // The window of the organization is another one now, and no longer that of this database.
  const other = await windowOf('setOrganizationMaintenanceWindow', {}, fourDaysAway);
  expect(await read(made, change.id)).toMatchObject(waits(own));
  expect(await windowOf('resetDatabaseMaintenanceWindow', of)).toEqual(other);
  expect(await read(made, change.id)).toMatchObject(waits(other));
  await windowOf('setOrganizationMaintenanceWindow', {}, openWindow);
  await until(made, change, 'APPLIED');
  // While it is open, nothing waits.
  const now = await request(made, { ...body, parameters: { limitConnections: '301' } });
  expect([now.change.status, now.change.inMaintenanceWindow]).toEqual(['APPLYING', true]);
  await until(made, now.change, 'APPLIED');
  expect(await windowOf('resetOrganizationMaintenanceWindow')).toMatchObject({ from: 'DEFAULT' });
});

test('a change whose window passed while no worker ran waits for the next one, and can be begun at once', async () => {
  const made = await make('missed');
  const { next } = await windowOf('setDatabaseMaintenanceWindow', made.of, twoDaysAway);
  const body = { parameters: { limitConnections: '300' }, applyAt: 'maintenance_window' };
  const { change } = await request(made, body);
  await service.alter(
    `UPDATE configuration_changes SET apply_after = apply_after - interval '7 days' WHERE status = 'QUEUED'`,
  );
  const waiting = await eventually('it waits for the next window', async () => {
    const found = await read(made, change.id);
    if (found.progress === null) throw new Error(JSON.stringify(found));
    return found;
  });
  expect(waiting).toMatchObject({ status: 'QUEUED', applyAt: next.beginsAt });
  expect(waiting.progress).toContain('waits for the next one');
  const of = { ...made.of, changeId: change.id };
  const begun = await ask<{ change: Change }>('beginChange', { of });
  expect([begun.status, begun.json.change.applyAt]).toEqual([202, 'now']);
  const applied = await until(made, change, 'APPLIED');
  const again = await ask<{ change: Change }>('beginChange', { of });
  expect([again.status, again.json.change.finishedAt]).toEqual([202, applied.finishedAt]);
  const next2 = await request(made, { ...body, parameters: { limitConnections: '301' } });
  const second = { ...made.of, changeId: next2.change.id };
  await ask('withdrawChange', { of: second });
  expect(await ask<Problem>('beginChange', { of: second })).toMatchObject({
    status: 409,
    json: { code: 'change_not_queued' },
  });
});

test('a change that other work keeps back beyond the end of the window does not begin outside of it', async () => {
  const made = await make('overrun');
  await windowOf('setDatabaseMaintenanceWindow', made.of, openWindow);
  const release = await hold(made);
  const first = await request(made, { parameters: { limitConnections: '300' } });
  const second = await request(made, { autogrow: { limitGb: 8 }, applyAt: 'maintenance_window' });
  expect(second.change).toMatchObject({ status: 'QUEUED', inMaintenanceWindow: true });
  // The window ends meanwhile.
  await service.alter(`UPDATE databases SET maintenance_window = $1 WHERE name = 'overrun'`, [
    twoDaysAway,
  ]);
  release();
  await until(made, first.change, 'APPLIED');
  await eventually('it waits for the next window', async () =>
    (await read(made, second.change.id)).progress === null ? undefined : true,
  );
  expect(await read(made, second.change.id)).toMatchObject({ status: 'QUEUED' });
  expect((await view(made)).profile.autogrow).toBeNull();
  await ask('withdrawChange', { of: { ...made.of, changeId: second.change.id } });
});

test('a request joins the last of several waiting changes, so that none of them undoes it', async () => {
  const made = await make('two-waiting');
  const older = await request(made, { autogrow: { limitGb: 7 }, applyAt: inAnHour() });
  const release = await hold(made);
  await request(made, { parameters: { limitConnections: '300' } });
  const younger = await request(made, { autogrow: { limitGb: 8 } });
  await ask('beginChange', { of: { ...made.of, changeId: older.change.id } });
  const last = await request(made, { autogrow: { limitGb: 9 } });
  expect(last.change.id).toBe(younger.change.id);
  release();
  await until(made, older.change, 'APPLIED');
  await until(made, younger.change, 'APPLIED');
  expect((await view(made)).profile.autogrow).toMatchObject({ limitGb: 9 });
});

test('a change that a request has joined names the revision with which the whole was planned', async () => {
  const made = await make('joined-later');
  const waiting = await request(made, { autogrow: { limitGb: 7 }, applyAt: inAnHour() });
  expect(waiting.change.previousRevision).toBe(1);
  const { change } = await request(made, { parameters: { limitConnections: '300' } });
  const { profileRevision } = await until(made, change, 'APPLIED');
  const joined = await request(made, { autogrow: { limitGb: 8 }, applyAt: inAnHour() });
  expect(joined.change).toMatchObject({
    id: waiting.change.id,
    previousRevision: profileRevision,
  });
  await ask('withdrawChange', { of: { ...made.of, changeId: waiting.change.id } });
});

test('a request for now takes no change along that waits for its maintenance window', async () => {
  const made = await make('patient');
  await windowOf('setDatabaseMaintenanceWindow', made.of, twoDaysAway);
  const waiting = await request(made, {
    clusterSize: 'lh-10',
    labels: { a: 'window' },
    applyAt: 'maintenance_window',
  });
  const release = await hold(made);
  const first = await request(made, { parameters: { limitConnections: '300' } });
  const second = await request(made, { autogrow: { limitGb: 8 } });
  const third = await request(made, { autogrow: { limitGb: 9 } });
  expect(second.change).toMatchObject({ status: 'QUEUED', applyAt: 'now' });
  expect(third.change.id).toBe(second.change.id);
  const joined = await request(made, { labels: { b: 'window' }, applyAt: 'maintenance_window' });
  expect(joined.change.id).toBe(waiting.change.id);
  release();
  await until(made, first.change, 'APPLIED');
  await until(made, second.change, 'APPLIED');
  expect(await read(made, waiting.change.id)).toMatchObject({
    status: 'QUEUED',
    inMaintenanceWindow: true,
    applyAt: waiting.change.applyAt,
  });
  const { profile, database } = await view(made);
  expect([profile.clusterSize, profile.autogrow, database.labels]).toEqual([
    'lh-5',
    { limitGb: 9 },
    {},
  ]);
  await ask('withdrawChange', { of: { ...made.of, changeId: waiting.change.id } });
});

test('a change that was begun while no worker ran, and whose window ended before anything was written, waits for the next one', async () => {
  const made = await make('unwritten');
  await windowOf('setDatabaseMaintenanceWindow', made.of, openWindow);
  await service.stopWorker('SIGKILL');
  const { change } = await request(made, { clusterSize: 'lh-10', applyAt: 'maintenance_window' });
  expect(change.status).toBe('APPLYING');
  const { next } = await windowOf('setDatabaseMaintenanceWindow', made.of, twoDaysAway);
  await service.startWorker();
  const waiting = await until(made, change, 'QUEUED');
  expect(waiting).toMatchObject({ applyAt: next.beginsAt, inMaintenanceWindow: true });
  expect(waiting.progress).toContain('waits for the next one');
  await eventually('its job has ended', async () =>
    (await view(made)).database.activeJobId === null ? true : undefined,
  );
  expect((await resource(made)).spec.size).toBe('lh-5');
  await windowOf('setDatabaseMaintenanceWindow', made.of, openWindow);
  await until(made, change, 'APPLIED');
  expect((await resource(made)).spec.size).toBe('lh-10');
});

test('a maintenance window that makes no sense is refused with its place', async () => {
  const made = await make('senseless');
  const cases: readonly (readonly [object, string])[] = [
    [{ weekday: 'FUNDAY' }, '#/weekday'],
    [{ startTime: '24:00' }, '#/startTime'],
    [{ startTime: '2:00' }, '#/startTime'],
    [{ lengthMinutes: 29 }, '#/lengthMinutes'],
    [{ lengthMinutes: 1_441 }, '#/lengthMinutes'],
    [{ lengthMinutes: 60.5 }, '#/lengthMinutes'],
    [{ timeZone: 'Europe/Atlantis' }, '#/timeZone'],
    [{ timeZone: 'Etc/UTC\u0000' }, '#/timeZone'],
    [{ unheard: 1 }, '#/unheard'],
  ];
  for (const [wrong, pointer] of cases) {
    const answer = await ask<Problem>('setDatabaseMaintenanceWindow', {
      of: made.of,
      body: { ...twoDaysAway, ...wrong },
    });
    expect({ wrong, ...answer }).toMatchObject({
      status: 422,
      json: { code: 'validation_failed', errors: [{ pointer }] },
    });
  }
  expect(await windowOf('getDatabaseMaintenanceWindow', made.of)).toMatchObject({
    from: 'DEFAULT',
  });
});

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

interface Dates {
  readonly availableFrom: string;
  readonly forcedAt: string;
  readonly deprecatedAt?: string;
}
/** Gives 0.2.0 these dates, and a version 0.1.1 before it, from which alone it is reached. */
async function announce(dates: Dates, upgradableFrom = ['0.1.1']) {
  const catalog = catalogSpec();
  const engines = catalog.engines.map((engine) => {
    if (engine.name !== 'Builtin') return engine;
    const [first, next] = engine.versions;
    if (first === undefined || next === undefined) throw new Error('the catalog has two versions');
    const versions = [{ ...first, version: '0.1.1' }, { ...next, upgradableFrom, ...dates }, first];
    return { ...engine, versions };
  });
  await service.world.setCatalog({ ...catalog, engines });
  await eventually('the service has the catalog', async () => {
    const { json } = await ask<CreateCatalog>('getCreateCatalog');
    const shown = json.engines.flatMap((engine) => engine.versions);
    return shown.some(
      ({ availableFrom, forcedAt }) =>
        availableFrom === dates.availableFrom && forcedAt === dates.forcedAt,
    )
      ? true
      : undefined;
  });
}

/** Events of a database about versions of its engine, the oldest first. */
async function updatesOf({ name }: Made): Promise<readonly (readonly [string, Told])[]> {
  const rows = await service.query(
    `SELECT type, data FROM events WHERE type LIKE 'engine.%' AND type <> 'engine.upgraded'
       AND data->'database'->>'name' = $1 ORDER BY sequence`,
    [name],
  );
  return rows.map((row) => [String(row['type']), row['data'] as Told]);
}
interface Told {
  readonly update: { readonly version: string; readonly at: string; readonly notBefore?: string };
  readonly error?: { readonly code: string };
}
const toldOf = async (made: Made) => (await updatesOf(made)).map(([type]) => type);

/** The days of the notice pass: the version may be applied now. */
const noticePasses = () =>
  service.alter(
    `UPDATE engine_notices SET not_before = not_before - interval '8 days', look_at = clock_timestamp()
     WHERE kind = 'FORCED'`,
  );
/**
 * Makes a worker look at once. Asked for again until it has the wanted effect: a worker that has not heard of a change in Kubernetes yet
 * looks again much later.
 */
const lookNow = () =>
  service.alter(`UPDATE engine_notices SET look_at = clock_timestamp() WHERE kind = 'FORCED'`);
const nextLook = async ({ name }: Made): Promise<Date> => {
  const [row] = await service.query(
    `SELECT look_at FROM engine_notices n JOIN databases d ON d.id = n.database_id
     WHERE kind = 'FORCED' AND d.name = $1`,
    [name],
  );
  return row?.['look_at'] as Date;
};
const forcedChanges = async ({ of }: Made) =>
  (await ask<ChangeList>('listChanges', { of })).json.data.filter(
    ({ actor }) => actor.type === 'system',
  );

test('an announced version is told once, cannot be chosen before its time over HTTP or in Kubernetes, and is an update from then on', async () => {
  const forcedAt = inDays(30);
  await announce({ availableFrom: inDays(1), forcedAt });
  const made = await make('announced', { engineVersion: '0.1.1' });
  await eventually('it is told', async () =>
    (await toldOf(made)).includes('engine.update_announced') ? true : undefined,
  );
  expect(await updatesOf(made)).toMatchObject([
    [
      'engine.update_announced',
      {
        update: {
          version: '0.2.0',
          at: forcedAt,
          notBefore: forcedAt,
          latest: new Date(Date.parse(forcedAt) + 14 * 86_400_000).toISOString(),
        },
      },
    ],
  ]);
  expect((await view(made)).database.engine).toMatchObject({
    version: '0.1.1',
    updateAvailable: false,
    forcedUpdate: { version: '0.2.0', forcedAt },
  });
  const body = { engineVersion: '0.2.0' };
  const early = await ask<Problem>('previewChange', { of: made.of, body });
  expect(early).toMatchObject({ status: 422, json: { errors: [{ pointer: '#/engineVersion' }] } });
  expect(early.json.detail).toContain('can be chosen from');
  await service.world.patchDatabase(namespace, made.name, { spec: { version: '0.2.0' } });
  await eventually('the operator refuses it', async () =>
    (await resource(made)).status?.conditions?.some(({ message }) =>
      message.includes('can be chosen from'),
    )
      ? true
      : undefined,
  );
  await service.world.patchDatabase(namespace, made.name, { spec: { version: '0.1.1' } });

  await announce({ availableFrom: inDays(-1), forcedAt, deprecatedAt: inDays(60) });
  await eventually('it is told', async () =>
    (await toldOf(made)).includes('engine.update_available') ? true : undefined,
  );
  expect((await view(made)).database.engine).toMatchObject({
    latestVersion: '0.2.0',
    updateAvailable: true,
  });
  // Two workers that look once more, at a date that was moved, too.
  (await service.replaceFrozenWorker())();
  await service.alter(`UPDATE engine_notices SET told_at = told_at - interval '2 hours'`);
  const later = inDays(40);
  await announce({ availableFrom: inDays(-1), forcedAt: later });
  await eventually('the other date is told', async () =>
    (await updatesOf(made)).some(([, { update }]) => update.notBefore === later) ? true : undefined,
  );
  const upgraded = await request(made, body);
  await until(made, upgraded.change, 'APPLIED');
  await eventually('nothing is forced upon it any more', async () =>
    (await view(made)).database.engine.forcedUpdate === null ? true : undefined,
  );
  expect((await toldOf(made)).sort()).toEqual([
    'engine.update_announced',
    'engine.update_announced',
    'engine.update_available',
    'engine.update_available',
  ]);
  await service.world.setCatalog(catalogSpec());
});

test('a forced version comes after a week’s notice, in the window alone, once though two workers look; never to a stopped database', async () => {
  await announce({ availableFrom: inDays(-2), forcedAt: inDays(-1) });
  const made = await make('forced', { engineVersion: '0.1.1' });
  const stopped = await make('forced-stopped', { engineVersion: '0.1.1' });
  const { change } = await request(stopped, { suspended: true });
  await until(stopped, change, 'APPLIED');
  for (const one of [made, stopped]) {
    await windowOf('setDatabaseMaintenanceWindow', one.of, openWindow);
    await eventually('it is told', async () =>
      (await toldOf(one)).includes('engine.update_announced') ? true : undefined,
    );
  }
  (await service.replaceFrozenWorker())();
  // The window is open, but the notice is fresh.
  expect((await nextLook(made)).getTime()).toBeGreaterThan(Date.parse(inDays(6.9)));
  const { next } = await windowOf('setDatabaseMaintenanceWindow', made.of, twoDaysAway);
  await noticePasses();
  await eventually('it waits for its window', async () =>
    (await nextLook(made)).toISOString() === next.beginsAt ? true : undefined,
  );
  await eventually('the stopped one was looked at', async () =>
    (await nextLook(stopped)) > new Date() ? true : undefined,
  );
  expect([await forcedChanges(made), await forcedChanges(stopped)]).toEqual([[], []]);
  await windowOf('setDatabaseMaintenanceWindow', made.of, openWindow);
  const [forced] = await eventually('it is begun', async () => {
    const found = await forcedChanges(made);
    return found[0]?.status === 'APPLIED' ? found : undefined;
  });
  expect(forced).toMatchObject({
    actor: { type: 'system', display: 'engine updates' },
    inMaintenanceWindow: true,
    diff: [{ path: '/engineVersion', from: '0.1.1', to: '0.2.0' }],
  });
  // Going back is a person's right; the version is announced anew then.
  const back = await ask<Problem>('previewChange', {
    of: made.of,
    body: { engineVersion: '0.1.1' },
  });
  expect(back.status).toBe(422);
  const resumed = await request(stopped, { suspended: false });
  await until(stopped, resumed.change, 'APPLIED');
  await eventually('it is begun once it serves', async () => {
    if ((await forcedChanges(stopped))[0]?.status === 'APPLIED') return true;
    await lookNow();
    return undefined;
  });
  expect([(await forcedChanges(made)).length, (await forcedChanges(stopped)).length]).toEqual([
    1, 1,
  ]);
  await service.world.setCatalog(catalogSpec());
});

test('a forced version that is declared otherwise in Kubernetes is not applied; that is told, and looked at again in the next window', async () => {
  await announce({ availableFrom: inDays(-2), forcedAt: inDays(-1) });
  const declared = await make('declared', { engineVersion: '0.1.1' });
  await service.world.kube.apply<KubeObject>(
    resources.database,
    {
      apiVersion: 'ledgerhouse.dev/v1alpha1',
      kind: 'LedgerDatabase',
      metadata: { namespace, name: declared.name },
      spec: { version: '0.1.1' },
    } as KubeObject,
    { fieldManager: 'argocd-controller', force: true },
  );
  await windowOf('setDatabaseMaintenanceWindow', declared.of, openWindow);
  await eventually('it is told', async () =>
    (await toldOf(declared)).includes('engine.update_announced') ? true : undefined,
  );
  await noticePasses();
  const failed = await eventually('the failure is told', async () =>
    (await updatesOf(declared)).find(([type]) => type === 'engine.update_failed'),
  );
  expect(failed[1]).toMatchObject({
    update: { version: '0.2.0' },
    error: { code: 'field_managed_elsewhere' },
  });
  expect((await nextLook(declared)).getTime()).toBeGreaterThan(Date.parse(inDays(5)));
  expect((await resource(declared)).spec.version).toBe('0.1.1');
  // One that is begun, and fails.
  const contested = await make('contested', { engineVersion: '0.1.1' });
  await windowOf('setDatabaseMaintenanceWindow', contested.of, openWindow);
  const release = await hold(contested);
  await eventually('it is told', async () =>
    (await toldOf(contested)).includes('engine.update_announced') ? true : undefined,
  );
  await noticePasses();
  await eventually('it is followed', async () => {
    const [forced] = await forcedChanges(contested);
    return forced === undefined || forced.progress === null ? undefined : true;
  });
  await service.world.patchDatabase(namespace, contested.name, { spec: { version: '0.1.1' } });
  await eventually('the failure is told', async () =>
    (await updatesOf(contested)).find(
      ([type, { error }]) => type === 'engine.update_failed' && error?.code === 'overwritten',
    ),
  );
  release();
  expect((await nextLook(contested)).getTime()).toBeGreaterThan(Date.parse(inDays(5)));
  // It has failed several times today in this organization.
  const careful = await make('careful', { engineVersion: '0.1.1' });
  await windowOf('setDatabaseMaintenanceWindow', careful.of, openWindow);
  await eventually('it is told', async () =>
    (await toldOf(careful)).includes('engine.update_announced') ? true : undefined,
  );
  await service.alter(
    `INSERT INTO configuration_changes SELECT (jsonb_populate_record(c, jsonb_build_object(
       'id', gen_random_uuid(), 'status', 'FAILED'))).*
     FROM configuration_changes c, generate_series(1, 2) WHERE actor->>'display' = 'engine updates'`,
  );
  await noticePasses();
  await eventually('it waits for another day', async () =>
    (await nextLook(careful)) > new Date(inDays(5)) ? true : undefined,
  );
  expect(await forcedChanges(careful)).toEqual([]);
  // It fails in several other organizations: it may be the version.
  const fails = (code: string) =>
    service.alter(
      `WITH others AS (
         INSERT INTO organizations (id, slug, name, namespace, status, created_by)
         SELECT gen_random_uuid(), 'elsewhere-' || n, 'Elsewhere', 'lh-elsewhere-' || n, 'SUSPENDED', '{}'
         FROM generate_series(1, 3) n ON CONFLICT (slug) DO UPDATE SET name = excluded.name RETURNING id, slug
       ), failed AS (
         SELECT id, row_number() OVER (ORDER BY id) % 3 + 1 AS n FROM configuration_changes
         WHERE actor->>'display' = 'engine updates' AND status = 'FAILED'
       )
       UPDATE configuration_changes c SET organization_id = others.id, error = coalesce(error, '{}') || $1::jsonb
       FROM failed JOIN others ON others.slug = 'elsewhere-' || failed.n WHERE c.id = failed.id`,
      [JSON.stringify({ code })],
    );
  await fails('replica_failing');
  await lookNow();
  await eventually('it waits for another day', async () =>
    (await nextLook(careful)) > new Date(inDays(5)) ? true : undefined,
  );
  expect(await forcedChanges(careful)).toEqual([]);
  // They have hindered it themselves: that is no reason here. Nor is a window that is never open, from the latest moment on.
  await fails('overwritten');
  await windowOf('setDatabaseMaintenanceWindow', careful.of, twoDaysAway);
  await service.alter(
    `UPDATE engine_notices SET not_before = not_before - interval '14 days', look_at = clock_timestamp()
     WHERE kind = 'FORCED'`,
  );
  const late = await eventually('it is applied', async () =>
    (await forcedChanges(careful)).find(({ status }) => status === 'APPLIED'),
  );
  expect(late.inMaintenanceWindow).toBe(false);
  // The catalog forces it no longer: there is no way to it.
  await announce({ availableFrom: inDays(-2), forcedAt: inDays(-1) }, ['0.0.9']);
  await eventually('nothing is left of it', async () => {
    const left = await service.query(`SELECT 1 FROM engine_notices WHERE kind = 'FORCED'`);
    if (left.length === 0) return true;
    await lookNow();
    return undefined;
  });
  await service.world.setCatalog(catalogSpec());
});

test('changes that cannot begin keep no other one from beginning', async () => {
  const made = await make('behind');
  const { of } = made;
  const { change } = await request(made, { labels: { a: 'b' }, applyAt: inAnHour() });
  // Databases without a resource, whose changes wait for one, and are older.
  await service.alter(
    `WITH made AS (
       INSERT INTO databases SELECT (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(),
         'name', 'lost-' || n, 'kubernetes_uid', null, 'cluster_id', null))).*
       FROM databases d, generate_series(1, 40) n WHERE d.name = 'behind' RETURNING id
     ), profile AS (
       INSERT INTO profiles SELECT (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid(),
         'database_id', made.id))).*
       FROM profiles p, made WHERE p.active
         AND p.database_id = (SELECT id FROM databases WHERE name = 'behind')
     )
     INSERT INTO configuration_changes SELECT (jsonb_populate_record(c, jsonb_build_object(
       'id', '00000000' || substr(gen_random_uuid()::text, 9), 'database_id', made.id,
       'created_at', c.created_at - interval '1 day', 'apply_after', null))).*
     FROM configuration_changes c, made
     WHERE c.database_id = (SELECT id FROM databases WHERE name = 'behind')`,
  );
  await isTime(change);
  await until(made, change, 'APPLIED');
  expect(
    (await ask<{ database: { labels: object } }>('getDatabase', { of })).json.database,
  ).toMatchObject({ labels: { a: 'b' } });
  const waiting = await service.query(
    `SELECT count(*)::int AS count FROM configuration_changes WHERE status = 'QUEUED'`,
  );
  expect(waiting).toEqual([{ count: 40 }]);
  await service.alter(
    `UPDATE configuration_changes SET status = 'CANCELED', finished_at = now() WHERE status = 'QUEUED'`,
  );
});
