/** What a database is made of, over HTTP, while people change it with kubectl: API, worker, operator and a real control plane. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type {
  Configuration,
  CreatedDatabase,
  ParameterList,
  ProfileRevision,
  ProfileRevisionList,
} from '../../../gen/api.ts';
import { resources } from '../../../domain/kinds.ts';
import { ask } from '../../support/api/asking.ts';
import { TestService, type Headers } from '../../support/api/service.ts';
import { eventually } from '../../support/shell.ts';

let service: TestService;
let me: Headers;
let made: CreatedDatabase;
let namespace: string;

beforeAll(async () => {
  service = await TestService.start();
  me = { 'x-api-key': (await service.makeKey(['db:read', 'db:write'])).secret };
  made = await service.createDatabase(me, { name: 'payments', labels: { team: 'books' } });
  const all = await service.world.kube.list(resources.database);
  namespace = all[0]?.metadata.namespace ?? '';
});
afterAll(() => service?.stop());

const of = () => ({ databaseId: made.database.id });
const configuration = async () =>
  (await ask<{ configuration: Configuration }>(service.url, me, 'getConfiguration', { of: of() }))
    .json.configuration;
const profiles = async (query = '') =>
  (await ask<ProfileRevisionList>(service.url, me, 'listProfiles', { of: of(), query })).json;
const patch = (spec: object) =>
  service.world.patchDatabase(namespace, made.database.name, { spec });
const untilRevision = (revision: number): Promise<ProfileRevision> =>
  eventually(`revision ${revision}`, async () => {
    const [newest] = (await profiles()).data;
    return newest?.revision === revision ? newest : undefined;
  });

test('the configuration is the catalog’s choice with the labels, and its first revision is whose request it was', async () => {
  const { profile, database } = made;
  expect(await configuration()).toMatchObject({
    databaseId: database.id,
    revision: 1,
    clusterSize: profile.clusterSize,
    selectedStorageGb: profile.selectedStorageGb,
    autogrow: null,
    parameters: {},
    labels: { team: 'books' },
    suspended: false,
  });
  expect((await profiles()).data).toMatchObject([
    { revision: 1, active: true, diff: [], actor: { type: 'api_key' } },
  ]);
});

test('parameters are those of the catalog, with limits and values', async () => {
  const answer = await ask<ParameterList>(service.url, me, 'listParameters', { of: of() });
  expect(answer.json.data).toEqual([
    {
      name: 'limitConnections',
      description: 'Client connections at a time.',
      type: 'integer',
      unit: null,
      value: null,
      defaultValue: null,
      min: 1,
      max: 65_535,
      restartRequired: true,
      immutable: false,
    },
  ]);
});

test('each kubectl change is a revision with its difference and its field manager: parameters, growth by itself, a stop', async () => {
  await patch({ parameters: { limitConnections: '300' } });
  const kubectl = { type: 'kubernetes', id: null, display: 'test' };
  expect(await untilRevision(2)).toMatchObject({
    actor: kubectl,
    diff: [{ path: '/parameters/limitConnections', from: null, to: '300' }],
  });
  await patch({ storage: { autogrow: { limitGb: 9 } } });
  expect(await untilRevision(3)).toMatchObject({
    actor: kubectl,
    diff: [{ path: '/autogrow', from: null, to: { limitGb: 9 } }],
  });
  await patch({ suspend: true });
  expect(await untilRevision(4)).toMatchObject({
    actor: kubectl,
    diff: [{ path: '/suspended', from: false, to: true }],
  });
  await patch({ suspend: false, storage: { autogrow: null } });
  const last = await untilRevision(5);
  expect(last.diff.map(({ path }) => path)).toEqual(['/autogrow', '/suspended']);
  expect(await configuration()).toMatchObject({
    revision: 5,
    parameters: { limitConnections: '300' },
    autogrow: null,
    suspended: false,
  });
  const { data } = (await ask<ParameterList>(service.url, me, 'listParameters', { of: of() })).json;
  expect(data[0]?.value).toBe('300');
});

test('revisions come in pages, and the last row of a page has its difference too', async () => {
  const first = await profiles('?limit=2');
  expect(first.data.map(({ revision }) => revision)).toEqual([5, 4]);
  expect(first.data[1]?.diff).toEqual([{ path: '/suspended', from: false, to: true }]);
  const cursor = encodeURIComponent(first.page.nextCursor ?? '');
  const second = await profiles(`?limit=3&cursor=${cursor}`);
  expect(second.data.map(({ revision, status }) => [revision, status])).toEqual([
    [3, 'SUPERSEDED'],
    [2, 'SUPERSEDED'],
    [1, 'SUPERSEDED'],
  ]);
  expect([second.data[2]?.diff, second.page.hasMore]).toEqual([[], false]);
});
