// Promises that hold for every route, made from the route table: a new route is covered by standing in it.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { routeEntries } from '../../../api/contract/routes.ts';
import { opensSocket, type RouteSpec } from '../../../api/contract/route.ts';
import {
  foreignDatabaseId,
  otherDatabaseId,
  databaseId,
  pathOf,
  principals,
  startTestApp,
  type TestApp,
} from '../../support/api/api-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(async () => {
  await app.stop();
});

const rows = routeEntries.map(([id, route]) => ({ id, route, path: pathOf(route) }));
const guarded = rows.filter(({ route }) => route.access.kind !== 'public');

const bodyOf = (route: RouteSpec) =>
  route.body && { body: JSON.stringify(Object.values(route.body.examples)[0]) };

test.each(rows)('$id answers its example, as the document has it', async ({ id, route, path }) => {
  for (const example of Object.values(route.body?.examples ?? { none: undefined })) {
    const answer = await app.ask(path, {
      operation: id,
      method: route.method,
      as: 'owner',
      ...(example !== undefined && { body: JSON.stringify(example) }),
    });
    // These requests ask for no WebSocket.
    const expected = route.responses[101] === undefined ? Object.keys(route.responses) : ['426'];
    expect(expected).toContain(String(answer.status));
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  }
});

test.each(guarded)('$id needs a credential', async ({ id, route, path }) => {
  const answer = await app.ask(path, { operation: id, method: route.method, ...bodyOf(route) });
  expect(answer).toMatchObject({ status: 401, json: { code: 'authentication_required' } });
  expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="ledgerhouse"');
});

test.each(guarded)('$id refuses invalid credentials, all in the same way', async (row) => {
  const { id, route, path } = row;
  const wrong = [
    { 'x-api-key': 'nobody' },
    { 'x-api-key': '' },
    { authorization: 'Bearer nobody' },
    { authorization: 'Basic bm9ib2R5Og==' },
    { cookie: '__Host-session=nobody' },
    // A session's token is no key, and the other way round.
    { authorization: 'Bearer owner' },
    { cookie: '__Host-session=full' },
  ];
  const answers = [];
  for (const headers of wrong) {
    const asked = { operation: id, method: route.method, headers, ...bodyOf(route) } as const;
    const { status, json } = await app.ask(path, asked);
    answers.push({ status, code: json['code'] });
  }
  expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
    new Set(['{"status":401,"code":"invalid_credentials"}']),
  );
});

test.each(guarded)('$id refuses two different credentials', async ({ id, route, path }) => {
  const headers = { 'x-api-key': 'full', authorization: 'Bearer read' };
  const answer = await app.ask(path, {
    operation: id,
    method: route.method,
    headers,
    ...bodyOf(route),
  });
  expect(answer).toMatchObject({ status: 400, json: { code: 'conflicting_credentials' } });
});

test.each(guarded)('$id admits exactly whom its row admits', async ({ id, route, path }) => {
  const { access } = route;
  for (const [name, principal] of Object.entries(principals)) {
    const answer = await app.ask(path, {
      operation: id,
      method: route.method,
      as: name,
      ...bodyOf(route),
    });
    const admitted = answer.status < 400 || answer.status === 426;
    if (access.kind === 'any' || access.kind === 'public') expect(admitted).toBe(true);
    else if (access.kind === 'self')
      expect(admitted).toBe(access.keys || principal.type !== 'api_key');
    else if (principal.type !== 'api_key') {
      expect({ name, admitted }).toEqual({ name, admitted: access.roles.includes(principal.role) });
    } else if (access.kind === 'person') {
      expect(answer).toMatchObject({ status: 403, json: { code: 'session_required' } });
    } else {
      const permitted = principal.permissions.some(
        (has) => has === access.permission || has === access.orPermission,
      );
      const all = principal.databaseScope.type === 'ALL';
      const inScope =
        all ||
        access.scope === 'visible' ||
        (access.scope === 'database' && name !== 'other') ||
        (access.scope === 'database' && !path.includes(databaseId));
      expect({ name, admitted }).toEqual({ name, admitted: permitted && inScope });
      if (!admitted)
        expect(answer).toMatchObject({ status: 403, json: { code: 'insufficient_scope' } });
    }
  }
});

const ofDatabase = guarded.filter(
  ({ route }) => route.access.kind === 'database' && route.access.scope === 'database',
);

test.each(ofDatabase)('$id tells a key for one database nothing of others', async (row) => {
  const { id, route, path } = row;
  const ask = (database: string) =>
    app.ask(path.replace(databaseId, database), {
      operation: id,
      method: route.method,
      as: 'one',
      ...bodyOf(route),
    });
  expect(await ask(otherDatabaseId)).toMatchObject({
    status: 403,
    json: { code: 'insufficient_scope' },
  });
  expect(await ask(foreignDatabaseId)).toMatchObject({
    status: 404,
    json: { code: 'database_not_found' },
  });
});

const changing = guarded.filter(({ route }) => route.method !== 'GET');

test.each(changing)('$id takes a session only from our own pages', async ({ id, route, path }) => {
  const cookie = '__Host-session=owner; __Host-csrf=csrf';
  const forged: Readonly<Record<string, string>>[] = [
    { cookie },
    { cookie, 'x-csrf-token': 'other' },
    { cookie: '__Host-session=owner; __Host-csrf=other', 'x-csrf-token': 'csrf' },
    { cookie, 'x-csrf-token': 'csrf', origin: 'https://evil.example' },
    { cookie, 'x-csrf-token': 'csrf', 'sec-fetch-site': 'cross-site' },
  ];
  for (const headers of forged) {
    const asked = { operation: id, method: route.method, headers, ...bodyOf(route) } as const;
    expect(await app.ask(path, asked)).toMatchObject({
      status: 403,
      json: { code: 'csrf_failed' },
    });
  }
  const own = { cookie, 'x-csrf-token': 'csrf', origin: app.url };
  const answer = await app.ask(path, { method: route.method, headers: own, ...bodyOf(route) });
  expect(answer.status).toBeLessThan(400);
});

const sockets = guarded.filter(({ route }) => opensSocket(route));

test.each(sockets)('$id takes a session only from our own pages', async ({ id, path }) => {
  const cookie = '__Host-session=owner; __Host-csrf=csrf';
  for (const from of [
    { origin: 'https://evil.example' },
    // The cookie goes along from a sibling on the same site.
    { origin: app.url.replace('://', '://sibling.'), 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site' },
  ]) {
    expect(await app.ask(path, { operation: id, headers: { cookie, ...from } })).toMatchObject({
      status: 403,
      json: { code: 'csrf_failed' },
    });
  }
  const own = { cookie, origin: app.url };
  expect(await app.ask(path, { headers: own })).toMatchObject({ status: 426 });
});

const withId = guarded.filter(({ route }) => route.path.includes('{'));

test.each(withId)('$id says of a name that it is no ID', async ({ id, route, path }) => {
  const named = path.replaceAll(/[a-z]+_01jd8f3zk5e0v9t3m2q6r8w4x0/g, 'payments-prod');
  const answer = await app.ask(named, {
    operation: id,
    method: route.method,
    as: 'owner',
    ...bodyOf(route),
  });
  expect(answer.status).toBe(404);
  expect(answer.json['detail']).toContain('Use the ID');
});

test.each(guarded)('$id refuses parameters that it does not know', async ({ id, route, path }) => {
  const answer = await app.ask(`${path}?surprise=1`, {
    operation: id,
    method: route.method,
    as: 'owner',
    ...bodyOf(route),
  });
  expect(answer).toMatchObject({
    status: 400,
    json: {
      code: 'invalid_parameter',
      errors: [{ parameter: 'surprise', code: 'unknown_parameter' }],
    },
  });
});

const checked = rows.filter(({ route }) => route.body?.form === 'json');

test.each(checked)('$id refuses properties that it does not know', async ({ id, route, path }) => {
  const example = Object.values(route.body?.examples ?? {})[0] as object;
  const answer = await app.ask(path, {
    operation: id,
    method: route.method,
    as: 'owner',
    body: JSON.stringify({ ...example, 'sur/prise~': 1 }),
  });
  expect(answer).toMatchObject({
    status: 422,
    json: {
      code: 'validation_failed',
      errors: [{ pointer: '#/sur~1prise~0', code: 'unknown_property' }],
    },
  });
});

const withBody = rows.filter(({ route }) => route.body !== undefined);

test.each(withBody)('$id refuses bodies of other types and encodings', async (row) => {
  const { id, route, path } = row;
  const headers: Readonly<Record<string, string>>[] = [
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/json; charset=latin1' },
    { 'content-encoding': 'lzma' },
  ];
  for (const one of headers) {
    const asked = {
      operation: id,
      method: route.method,
      as: 'owner',
      body: '{}',
      headers: one,
    } as const;
    expect(await app.ask(path, asked)).toMatchObject({
      status: 415,
      json: { code: 'unsupported_media_type' },
    });
  }
});

const methodsOf = Map.groupBy(rows, ({ route }) => route.path);

test.each([...methodsOf.keys()])(
  '%s names the methods that are, for each that is not',
  async (template) => {
    const here = methodsOf.get(template) ?? [];
    const allowed = here.flatMap(({ route: { method } }) =>
      method === 'GET' ? ['GET', 'HEAD'] : [method],
    );
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      if (allowed.includes(method)) continue;
      const answer = await app.ask(here[0]?.path ?? '', { method, as: 'owner' });
      expect(answer).toMatchObject({ status: 405, json: { code: 'method_not_allowed' } });
      expect({ method, allow: answer.headers.get('allow') }).toEqual({
        method,
        allow: allowed.join(', '),
      });
    }
  },
);
