// Promises of the HTTP assembly about bodies, bad clients, caches, limits, streams and its own end.
import { once } from 'node:events';
import { Agent, request as send } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Handlers } from '../../../api/http/handler.ts';
import { DeadlineExceeded } from '../../../base/deadline.ts';
import { Refusal } from '../../../api/model/refusal.ts';
import { ApiError } from '../../../base/kube/kube.ts';
import { StoreUnavailable } from '../../../api/store/store-errors.ts';
import { databaseExample, profileExample } from '../../../api/contract/schemas/database.ts';
import {
  databaseId,
  exampleHandlers,
  headersOf,
  startTestApp,
  type TestApp,
  principals,
} from '../../support/api/api-app.ts';

let app: TestApp;
let seen: { body: unknown; signal?: AbortSignal; facts?: unknown }[] = [];

const remember = <Id extends 'createDatabase' | 'createTransfers' | 'queryAccounts'>(
  id: Id,
): Pick<Handlers, Id> =>
  ({
    [id]: async (request: { body: unknown; signal: AbortSignal }) => {
      seen.push({ body: request.body, signal: request.signal, facts: request });
      return exampleHandlers[id](request as never);
    },
  }) as unknown as Pick<Handlers, Id>;

beforeAll(async () => {
  app = await startTestApp({
    handlers: {
      ...remember('createDatabase'),
      ...remember('createTransfers'),
      ...remember('queryAccounts'),
      getDatabase: async ({ params, signal }) => {
        if (params.databaseId.endsWith('1')) throw new Error('a secret of ours');
        if (params.databaseId.endsWith('2')) throw new StoreUnavailable('away');
        if (params.databaseId.endsWith('3')) {
          seen.push({ body: undefined, signal });
          await sleep(3_600_000, undefined, { signal });
        }
        return {
          status: 200,
          etag: 'W/"db-7"',
          body: { database: databaseExample, profile: profileExample },
        };
      },
    },
  });
});
afterAll(async () => {
  await app.stop();
});

const one = (last: string) => `/api/v1/databases/${databaseId.slice(0, -1)}${last}`;
const create = (body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}) =>
  app.ask('/api/v1/databases', {
    operation: 'createDatabase',
    method: 'POST',
    as: 'full',
    body,
    headers,
  });

test.each([
  ['', 0],
  ['{', 1],
  ['{"name":}', 8],
  ['{"name":"a" "b":1}', 12],
  ['[1,]', 3],
  ['{"name":"x"} x', 13],
  ['{"name":"x","name":"y"}', 12],
  ['\u00e9', 0],
  ["{'name':1}", 1],
  ['{"näme":01}', 10],
  ['NaN', 0],
  ['[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]', 17],
])(
  'a body that is not JSON is refused with the byte where it ceases to be: %s',
  async (body, offset) => {
    expect(await create(body)).toMatchObject({
      status: 400,
      json: { code: 'malformed_json', offset },
    });
  },
);

test.each([
  ['{}', 'name', 'required'],
  ['{"name":7}', 'name', 'invalid_type'],
  ['{"name":"A"}', 'name', 'invalid_format'],
  ['{"name":"settings"}', 'name', 'invalid_value'],
  ['{"name":"abc","selectedStorageGb":0}', 'selectedStorageGb', 'below_minimum'],
  ['{"name":"abc","selectedStorageGb":1.5}', 'selectedStorageGb', 'invalid_type'],
  ['{"name":"abc","selectedStorageGb":1e99}', 'selectedStorageGb', 'above_maximum'],
  ['{"name":"abc","mode":"copy"}', 'mode', 'not_one_of'],
  ['{"name":"abc","mode":"import"}', 'importId', 'invalid_value'],
  ['{"name":"abc","provider":""}', 'provider', 'too_short'],
  ['{"name":"abc","__proto__":{"x":1}}', '__proto__', 'unknown_property'],
  ['{"name":"abc","labels":{"a b":"c"}}', 'labels/a%20b', 'invalid_key'],
  [String.raw`{"name":"abc","labels":{"a":"\u0000"}}`, 'labels/a', 'invalid_format'],
  [String.raw`{"name":"abc","labels":{"a":"\ud83d"}}`, 'labels/a', 'invalid_format'],
])('a property that is not right is named: %s', async (body, at, code) => {
  const answer = await create(body);
  expect(answer).toMatchObject({
    status: 422,
    json: { code: 'validation_failed', errors: [{ pointer: `#/${at}`, code }] },
  });
});

test('an invalid name and an unknown property are refused with the allowed names and properties', async () => {
  const answer = await create('{"name":"Pay","labels":{"a b":"c"},"regoin":"x"}');
  const details = (answer.json['errors'] as { pointer: string; detail: string }[]).map(
    ({ pointer, detail }) => `${pointer} ${detail}`,
  );
  expect(details).toEqual([
    expect.stringMatching(/^#\/name This must have 3 to 40 characters: a lower-case letter first/),
    expect.stringMatching(/^#\/labels\/a%20b The name of this property must have 1 to 63 letters/),
    expect.stringMatching(/^#\/regoin The property is unknown here; known are name, .*region, /),
  ]);
});

test('a refused union reports the errors of the alternative that was meant', async () => {
  const body = { name: 'k', permissions: ['db:read'], databaseScope: { type: 'DATABASE' } };
  const answer = await app.ask('/api/v1/api-keys', {
    operation: 'createApiKey',
    method: 'POST',
    as: 'owner',
    body: JSON.stringify(body),
  });
  expect(answer.json).toMatchObject({
    errors: [{ pointer: '#/databaseScope/databaseId', code: 'required' }],
  });
});

test('a body over its limit is refused before it is read, and the rest of it is not waited for', async () => {
  const answer = await new Promise<{ status: number; body: string }>((resolve, reject) => {
    const request = send(`${app.url}/api/v1/databases`, {
      method: 'POST',
      headers: {
        ...headersOf('full'),
        'content-type': 'application/json',
        'content-length': 262_145,
      },
    });
    request.on('response', (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    request.on('error', reject);
    // Nothing of the body is ever sent.
    request.flushHeaders();
  });
  expect(answer.status).toBe(413);
  expect(JSON.parse(answer.body)).toMatchObject({ code: 'payload_too_large', limitBytes: 262_144 });
});

test('a client that sends a body that is too large gets the answer, even if it reads only after the last byte', async () => {
  const length = 4 * 1024 * 1024;
  const { hostname, port } = new URL(app.url);
  const socket = connect({ host: hostname, port: Number(port) });
  const head = Object.entries({
    ...headersOf('full'),
    host: hostname,
    'content-type': 'application/json',
    'content-length': length,
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  const write = (bytes: string | Buffer) =>
    new Promise<void>((resolve, reject) => {
      socket.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  await write(`POST /api/v1/databases HTTP/1.1\r\n${head.join('')}\r\n`);
  const eighth = Buffer.alloc(length / 8, 0x20);
  for (let sent = 0; sent < length; sent += eighth.length) {
    await sleep(20);
    await write(eighth);
  }
  let answer = '';
  for await (const bytes of socket) answer += String(bytes);
  expect(answer).toMatch(/^HTTP\/1.1 413 /);
});

test('a body that decompresses beyond its limit is refused', async () => {
  const bomb = gzipSync(Buffer.alloc(20 * 1024 * 1024, 0x20));
  expect(await create(bomb, { 'content-encoding': 'gzip' })).toMatchObject({
    status: 413,
    json: { code: 'payload_too_large' },
  });
});

test('a compressed body is accepted, and refused if its encoding is not the declared one', async () => {
  const body = Buffer.from('{"name":"abc"}');
  expect((await create(gzipSync(body), { 'content-encoding': 'gzip' })).status).toBe(202);
  expect((await create(brotliCompressSync(body), { 'content-encoding': 'br' })).status).toBe(202);
  expect(await create(body, { 'content-encoding': 'gzip' })).toMatchObject({
    status: 400,
    json: { code: 'malformed_json' },
  });
});

test('a ledger body reaches the handler byte for byte, up to eight megabytes', async () => {
  seen = [];
  const body = `[{"id": 340282366920938463463374607431768211455,   "amount":1e3}${' '.repeat(8_000_000)}]`;
  const path = `${one('0')}/tb/create_transfers`;
  const asked = { operation: 'createTransfers', method: 'POST', as: 'full' } as const;
  expect((await app.ask(path, { ...asked, body })).status).toBe(200);
  expect(Buffer.from(seen[0]?.body as Uint8Array).toString()).toBe(body);
  expect(await app.ask(path, { ...asked, body: ' '.repeat(8 * 1024 * 1024 + 1) })).toMatchObject({
    status: 413,
    json: { limitBytes: 8_388_608 },
  });
});

test('reads of the ledger may be had as CSV, writes as JSON only', async () => {
  seen = [];
  const headers = { accept: 'text/csv' };
  await app.ask(`${one('0')}/tb/query_accounts`, {
    method: 'POST',
    as: 'full',
    body: '{}',
    headers,
  });
  expect(seen[0]?.facts).toMatchObject({ format: 'csv' });
  const write = {
    operation: 'createTransfers',
    method: 'POST',
    as: 'full',
    body: '[]',
    headers,
  } as const;
  expect(await app.ask(`${one('0')}/tb/create_transfers`, write)).toMatchObject({ status: 406 });
});

test('a preference to wait and an idempotency key reach the handler', async () => {
  seen = [];
  await create('{"name":"abc"}', { prefer: 'respond-async, wait=20', 'idempotency-key': 'k-1' });
  await create('{"name":"abd"}', { 'idempotency-key': 'k-1' });
  const [first, second] = seen.map(
    ({ facts }) => facts as { waitMs?: number; idempotency: { key: string; requestHash: Buffer } },
  );
  expect(first).toMatchObject({ waitMs: 20_000, idempotency: { key: 'k-1' } });
  expect(first?.idempotency.requestHash).not.toEqual(second?.idempotency.requestHash);
  expect(await create('{"name":"abc"}', { 'idempotency-key': 'a key' })).toMatchObject({
    status: 400,
    json: { errors: [{ header: 'Idempotency-Key' }] },
  });
});

test('an operation that is not is answered with those that are, to who has a credential', async () => {
  const path = `${one('0')}/tb/drop_accounts`;
  expect(await app.ask(path, { method: 'POST' })).toMatchObject({ status: 401 });
  const answer = await app.ask(path, { method: 'POST', as: 'read', body: '[]' });
  expect(answer).toMatchObject({ status: 404, json: { code: 'unknown_operation' } });
  expect(answer.json['allowedOperations']).toHaveLength(8);
});

test.each(['/', '/api/v1', '/api/v1/databases/', '/API/v1/databases', '/api/v2/databases'])(
  'nothing is at %s',
  async (path) => {
    expect(await app.ask(path)).toMatchObject({ status: 404, json: { code: 'not_found' } });
  },
);

test('a path that is no URL is refused', async () => {
  expect(await app.ask('/api/v1/databases/%zz', { as: 'full' })).toMatchObject({
    status: 400,
    json: { code: 'invalid_parameter' },
  });
});

test.each([
  ['limit=0', 'below_minimum'],
  ['limit=101', 'above_maximum'],
  ['limit=1e1', 'invalid_type'],
  ['limit=', 'invalid_type'],
  ['limit=1&limit=2', 'repeated'],
  ['sort=size', 'not_one_of'],
  ['status=READY,LOST', 'not_one_of'],
  ['includeDeleted=yes', 'invalid_type'],
  ['__proto__=1', 'unknown_parameter'],
])('a parameter that is not right is named: %s', async (query, code) => {
  const answer = await app.ask(`/api/v1/databases?${query}`, {
    operation: 'listDatabases',
    as: 'full',
  });
  expect(answer).toMatchObject({ status: 400, json: { code: 'invalid_parameter' } });
  expect(answer.json['errors']).toMatchObject([{ parameter: query.split('=')[0], code }]);
});

test('a client that knows the answer already is told so, whatever a proxy did to the tag', async () => {
  const ask = (tag: string) =>
    app.ask(one('0'), { operation: 'getDatabase', as: 'read', headers: { 'if-none-match': tag } });
  for (const tag of ['W/"db-7"', '"db-7"', '"a", W/"db-7"', '*']) {
    const answer = await ask(tag);
    expect(answer).toMatchObject({ status: 304, text: '' });
    expect(answer.headers.get('etag')).toBe('W/"db-7"');
  }
  expect((await ask('W/"db-6"')).status).toBe(200);
});

test('HEAD is answered as GET without its body', async () => {
  const answer = await app.ask(one('0'), { method: 'HEAD', as: 'read' });
  expect(answer).toMatchObject({ status: 200, text: '' });
  expect(answer.headers.get('etag')).toBe('W/"db-7"');
});

test('HEAD of a stream is answered at once, and the connection is free for what comes next', async () => {
  const endless = await startTestApp({
    handlers: {
      streamJobEvents: async ({ signal }) => ({
        status: 200,
        events: (async function* () {
          yield { id: '1', event: 'job', data: {} };
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
        })(),
      }),
    },
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = (method: string, path: string) =>
    new Promise<string>((resolve, reject) => {
      const headers = { 'x-api-key': 'read' };
      send(`${endless.url}/api/v1${path}`, { method, headers, agent }, (response) => {
        response.resume().once('end', () => resolve(String(response.headers['content-type'])));
      })
        .once('error', reject)
        .end();
    });
  try {
    expect(await ask('HEAD', '/jobs/job_01jd8f3zk5e0v9t3m2q6r8w4x0/events')).toContain(
      'event-stream',
    );
    expect(await ask('GET', '/session')).toContain('json');
  } finally {
    agent.destroy();
    await endless.stop();
  }
});

test('an answer says how long it is, so that it need not come in chunks', async () => {
  const headers = { 'accept-encoding': 'identity' };
  for (const body of [undefined, '[]']) {
    const { text, headers: told } =
      body === undefined
        ? await app.ask(one('0'), { as: 'full', headers })
        : await app.ask(`${one('0')}/tb/create_transfers`, {
            as: 'full',
            headers,
            method: 'POST',
            body,
          });
    expect(told.get('content-length')).toBe(String(Buffer.byteLength(text)));
    expect(told.get('transfer-encoding')).toBeNull();
  }
});

test('answers are compressed, those with a secret are not', async () => {
  const headers = { 'accept-encoding': 'gzip' };
  const list = await app.ask('/api/v1/databases', {
    operation: 'listDatabases',
    as: 'read',
    headers,
  });
  expect(list.headers.get('content-encoding')).toBe('gzip');
  const made = await app.ask('/api/v1/api-keys', {
    operation: 'createApiKey',
    method: 'POST',
    as: 'owner',
    headers,
    body: JSON.stringify({ name: 'a', permissions: ['db:read'] }),
  });
  expect(made.headers.get('content-encoding')).toBeNull();
  expect(made.headers.get('cache-control')).toBe('no-store, no-transform');
});

test('an internal failure is a 500 without details, and the log has them', async () => {
  const answer = await app.ask(one('1'), { operation: 'getDatabase', as: 'read' });
  expect(answer).toMatchObject({ status: 500, json: { code: 'internal_error' } });
  expect(answer.text).not.toContain('secret');
  const logged = app.log.filter(({ requestId }) => requestId === answer.json['requestId']);
  expect(logged).toMatchObject([{ err: { message: 'a secret of ours' } }, { status: 500 }]);
});

test('a store that is away is a 503 that says when to come again', async () => {
  const answer = await app.ask(one('2'), { operation: 'getDatabase', as: 'read' });
  expect(answer).toMatchObject({
    status: 503,
    json: { code: 'service_unavailable', retryable: true },
  });
  expect(answer.headers.get('retry-after')).toBe('2');
});

test('an unreachable cluster is a 503, and so is a refusal of the cluster, which only operators can fix', async () => {
  const withoutCluster = (status: number, reason: string) =>
    startTestApp({
      handlers: {
        updateDatabase: () => Promise.reject(new ApiError('patch', { status, reason })),
      },
    });
  for (const [status, reason, answered] of [
    [0, 'Unreachable', 503],
    [429, 'TooManyRequests', 503],
    [500, 'InternalError', 503],
    [403, 'Forbidden', 500],
  ] as const) {
    const away = await withoutCluster(status, reason);
    const answer = await away.ask(one('0'), {
      operation: 'updateDatabase',
      method: 'PATCH',
      as: 'full',
      body: '{"deletionProtection":true}',
    });
    await away.stop();
    expect([reason, answer.status]).toEqual([reason, answered]);
    expect(answer.headers.has('retry-after')).toBe(answered === 503);
  }
});

test('a client that goes away ends the work for it', async () => {
  seen = [];
  const controller = new AbortController();
  const asked = fetch(`${app.url}${one('3')}`, {
    headers: { 'x-api-key': 'read' },
    signal: controller.signal,
  });
  while (seen.length === 0) await sleep(5);
  controller.abort();
  await expect(asked).rejects.toThrow();
  while (seen[0]?.signal?.aborted !== true) await sleep(5);
  while (app.log.at(-1)?.['gone'] !== true) await sleep(5);
});

test('the client names the request where it can, and never forges the log', async () => {
  const sent = async (id: string) =>
    (await app.ask('/api/v1/session', { as: 'read', headers: { 'x-request-id': id } })).headers.get(
      'x-request-id',
    );
  expect(await sent('trace-0001_A')).toBe('trace-0001_A');
  expect(await sent('short')).toMatch(/^req_/);
  expect(await sent('no spaces here')).toMatch(/^req_/);
});

test('logs hold neither credentials nor bodies', async () => {
  await create('{"name":"very-secret-name"}', { 'x-api-key': 'full' });
  await app.ask('/api/v1/session?token=hidden', { as: 'owner' });
  const text = JSON.stringify(app.log);
  expect(text).not.toContain('very-secret-name');
  expect(text).not.toContain('hidden');
  expect(text).not.toContain('__Host-session');
  expect(text).toContain('key_full');
});

test('malformed HTTP is answered and the connection closed', async () => {
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
    socket.write('HELLO\r\n\r\n');
  });
  expect(answer).toMatch(/^HTTP\/1.1 400 /);
  expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({
    status: 400,
    retryable: false,
  });
});

test('a refused request for a WebSocket leaves no socket, even if its client never ends its half', async () => {
  const socket = connect({
    port: Number(new URL(app.url).port),
    host: '127.0.0.1',
    allowHalfOpen: true,
  });
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString()));
  socket.on('error', () => {});
  // The reset below is an error, on which `once` would reject.
  const closed = new Promise<string>((resolve) => void socket.on('close', () => resolve('closed')));
  socket.write(
    `GET /api/v1/databases/${databaseId}/tunnel?replica=0 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
  );
  await once(socket, 'end');
  expect(text).toMatch(/^HTTP\/1.1 401 /);
  // Bytes for a socket that is gone are answered by a reset.
  const writing = setInterval(() => socket.write('x'), 50);
  expect(await Promise.race([closed, sleep(120_000, 'open', { ref: false })])).toBe('closed');
  clearInterval(writing);
  socket.destroy();
});

test('a stream brings its events and ends', async () => {
  const answer = await app.ask(`/api/v1/jobs/job_01jd8f3zk5e0v9t3m2q6r8w4x0/events`, {
    operation: 'streamJobEvents',
    as: 'read',
  });
  expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(answer.text.match(/^id: \d\nevent: job\ndata: \{/gm)).toHaveLength(3);
});

test('metrics count every operation from zero', async () => {
  expect(await app.metrics()).toContain(
    'ledgerhouse_api_requests_total{operation="revokeApiKey",status="5xx"} 0',
  );
  expect(await app.metrics()).toMatch(
    /requests_total\{operation="createDatabase",status="4xx"\} [1-9]/,
  );
});

test('limits are announced, kept, and each caller’s own', async () => {
  const forbidden = await app.ask('/api/v1/databases', { method: 'POST', as: 'read', body: '{}' });
  expect(forbidden.status).toBe(403);
  expect(forbidden.headers.get('ratelimit')).toMatch(/^"control";r=\d+;t=\d+$/);
  const limited = await startTestApp({
    limits: { controlPerMinute: 2, ledgerPerSecond: 1, wrongCredentialsPerMinute: 3 },
  });
  try {
    const session = (as: string) => limited.ask('/api/v1/session', { operation: 'getSession', as });
    const first = await session('read');
    expect(first.headers.get('ratelimit-policy')).toBe('"control";q=2;w=60');
    expect(first.headers.get('ratelimit')).toMatch(/^"control";r=1;t=\d+$/);
    await session('read');
    const third = await session('read');
    expect(third).toMatchObject({
      status: 429,
      json: {
        code: 'rate_limited',
        type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
        'violated-policies': ['control'],
      },
    });
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await session('write')).status).toBe(200);
    const ledger = (as: string) =>
      limited.ask(`${one('0')}/tb/query_accounts`, {
        operation: 'queryAccounts',
        method: 'POST',
        as,
        body: '{}',
      });
    // However slow the machine is, some of them fall into one second.
    const answers = await Promise.all(Array.from({ length: 20 }, () => ledger('read')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
    for (let sent = 0; sent < 3; sent += 1) {
      expect(
        (await limited.ask('/api/v1/catalog/create', { headers: { 'x-api-key': 'x' } })).status,
      ).toBe(401);
    }
    expect(
      (await limited.ask('/api/v1/catalog/create', { headers: { 'x-api-key': 'x' } })).status,
    ).toBe(429);
    expect(await limited.metrics()).toContain('rate_limited_total{policy="credentials"} 1');
    expect(await limited.metrics()).toContain('credentials_refused_total 4');
  } finally {
    await limited.stop();
  }
});

test('wrong credentials shut out nobody whose credential is good, and no signed event', async () => {
  const limited = await startTestApp({ limits: { wrongCredentialsPerMinute: 2 } });
  try {
    const asKey = (key: string) =>
      limited.ask('/api/v1/session', { operation: 'getSession', headers: { 'x-api-key': key } });
    const named = (name: string) => asKey(`lhk_${name.padStart(12, '0')}_${'0'.repeat(38)}`);
    const statusesOf = async (keys: readonly string[]) => {
      const statuses = [];
      for (const key of keys) statuses.push((await named(key)).status);
      return statuses;
    };
    expect(await statusesOf(['a', 'a', 'a', 'b'])).toEqual([401, 401, 429, 401]);
    const many = await statusesOf(Array.from({ length: 40 }, (_, i) => `many${i}`));
    expect(many.at(-1)).toBe(429);
    expect(
      (await limited.ask('/api/v1/session', { operation: 'getSession', as: 'read' })).status,
    ).toBe(200);
    const event = await limited.ask('/api/v1/billing/stripe-events', {
      method: 'POST',
      body: '{}',
      headers: { 'stripe-signature': 't=1' },
    });
    expect(event.status).not.toBe(429);
  } finally {
    await limited.stop();
  }
});

test('a key that has used up its requests keeps nobody from revoking it', async () => {
  const limited = await startTestApp({ limits: { controlPerMinute: 1 } });
  try {
    const spent = [];
    for (let sent = 0; sent < 8; sent += 1)
      spent.push((await limited.ask('/api/v1/session', { as: 'full' })).status);
    expect(spent.at(-1)).toBe(429);
    const revoke = () =>
      limited.ask('/api/v1/api-keys/key_01jd8f3zk5e0v9t3m2q6r8w4x0', {
        operation: 'revokeApiKey',
        method: 'DELETE',
        as: 'owner',
      });
    expect((await limited.ask('/api/v1/session', { as: 'owner' })).status).toBe(200);
    expect((await limited.ask('/api/v1/session', { as: 'owner' })).status).toBe(429);
    expect((await revoke()).status).toBe(204);
  } finally {
    await limited.stop();
  }
});

test('an organization’s ledger requests are limited by their bytes, whichever key sends them', async () => {
  const limited = await startTestApp({ limits: { ledgerBytesPerSecond: 1_000 } });
  try {
    const send = (as: string) =>
      limited.ask(`${one('0')}/tb/query_accounts`, {
        operation: 'queryAccounts',
        method: 'POST',
        as,
        body: `{}${' '.repeat(698)}`,
      });
    // More than the limit allows in half a minute, whatever the machine's pace.
    const answers = await Promise.all(
      Array.from({ length: 15 }, () => ['read', 'full'])
        .flat()
        .map(send),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.json).toMatchObject({ 'violated-policies': ['ledger-bytes'] });
    expect(answers.some(({ status }) => status === 200)).toBe(true);
  } finally {
    await limited.stop();
  }
});

test('an organization’s ledger requests are limited by the records that they may answer with', async () => {
  const limited = await startTestApp({
    limits: { ledgerEventsPerSecond: 10_000 },
    handlers: {
      queryAccounts: async (request) => {
        await request.takeEvents(8_190);
        return exampleHandlers.queryAccounts(request);
      },
    },
  });
  try {
    const send = (as: string) =>
      limited.ask(`${one('0')}/tb/query_accounts`, {
        operation: 'queryAccounts',
        method: 'POST',
        as,
        body: '{}',
      });
    const answers = await Promise.all(
      Array.from({ length: 15 }, () => ['read', 'full'])
        .flat()
        .map(send),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.json).toMatchObject({ 'violated-policies': ['ledger-events'] });
    expect(answers.some(({ status }) => status === 200)).toBe(true);
  } finally {
    await limited.stop();
  }
});

test('the administrator’s token cannot be guessed faster than the limit', async () => {
  const limited = await startTestApp({
    limits: { wrongCredentialsPerMinute: 2 },
    handlers: {
      openAdministratorSession: async () => {
        throw new Refusal('invalid_credentials', { detail: 'Wrong.' });
      },
    },
  });
  try {
    const guess = async () =>
      (
        await limited.ask('/api/v1/session/administrator', {
          operation: 'openAdministratorSession',
          method: 'POST',
          body: '{"token":"x"}',
        })
      ).status;
    expect([await guess(), await guess(), await guess()]).toEqual([401, 401, 429]);
  } finally {
    await limited.stop();
  }
});

/** A request whose body never comes whole; resolves with the start of its answer, or with '' when it has none yet. */
async function halfSent(
  path: string,
  headers: string,
): Promise<{ socket: Socket; said: () => string }> {
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
  let said = '';
  socket.on('error', () => undefined).on('data', (chunk: Buffer) => (said += chunk.toString()));
  await once(socket, 'connect');
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n${headers}\r\n`,
  );
  socket.write('{"');
  return { socket, said: () => said };
}

test('without a credential nothing is decompressed', async () => {
  const path = '/api/v1/session/administrator';
  const zipped = await app.ask(path, {
    operation: 'openAdministratorSession',
    method: 'POST',
    body: gzipSync('{"token":"x"}'),
    headers: { 'content-encoding': 'gzip' },
  });
  expect(zipped).toMatchObject({ status: 415, json: { code: 'unsupported_media_type' } });
  // On other routes the credential is checked before the body is read.
  const { socket, said } = await halfSent(
    `${one('0')}/tb/query_accounts`,
    'Content-Encoding: gzip\r\n',
  );
  while (said() === '') await sleep(5);
  expect(said()).toMatch(/^HTTP\/1\.1 401 /);
  socket.destroy();
});

test('half-sent bodies without a credential are few at once', async () => {
  const path = '/api/v1/session/administrator';
  const held = await Promise.all(Array.from({ length: 25 }, () => halfSent(path, '')));
  const refused = () => held.filter(({ said }) => said().startsWith('HTTP/1.1 429 '));
  while (refused().length < 5) await sleep(5);
  expect(held.filter(({ said }) => said() === '')).toHaveLength(20);
  for (const { socket } of held) socket.destroy();
  // Their places are free again.
  for (let status = 429; status === 429;) {
    await sleep(5);
    ({ status } = await app.ask(path, { method: 'POST', body: '{"token":"x"}' }));
  }
});

test('bodies of one organization leave room for those of others', async () => {
  const small = await startTestApp({
    bodyLimits: { totalBytes: 10_000, organizationBytes: 1_000 },
  });
  try {
    const send = (length: number) =>
      small.ask(`${one('0')}/tb/query_accounts`, {
        operation: 'queryAccounts',
        method: 'POST',
        as: 'read',
        body: `{}${' '.repeat(length - 2)}`,
      });
    expect((await send(400)).status).toBe(200);
    expect(await send(600)).toMatchObject({
      status: 429,
      json: { 'violated-policies': ['bodies'] },
    });
    expect((await send(400)).status).toBe(200);
  } finally {
    await small.stop();
  }
});

/** Asks without reading the answer. */
async function unread(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => undefined).pause();
  await once(socket, 'connect');
  socket.write(
    `POST ${one('0')}/tb/query_transfers HTTP/1.1\r\nHost: x\r\nX-Api-Key: full\r\n` +
      'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
  );
  return socket;
}

/** A service whose answers are large. `answerMs`: the time for which one may wait to be read. */
async function startLarge(answerMs: number) {
  const answer = Buffer.alloc(16 * 1024 * 1024, ' ');
  answer.write('{}');
  const asked: Date[] = [];
  const large = await startTestApp({
    answerLimits: { totalBytes: 100 * 1024 * 1024, organizationBytes: 40 * 1024 * 1024 },
    answerMs,
    handlers: {
      queryTransfers: async ({ holdAnswer }) => {
        holdAnswer(answer.length, true);
        asked.push(new Date());
        return { status: 200, bytes: answer, contentType: 'application/json' };
      },
    },
  });
  const query = () =>
    large.ask(`${one('0')}/tb/query_transfers`, { method: 'POST', as: 'full', body: '{}' });
  /** Resolves with the sockets of two answers that nobody reads. */
  const leaveTwo = async () => {
    const sockets = [await unread(large.url), await unread(large.url)];
    while (asked.length < 2) await sleep(5);
    return sockets;
  };
  const untilTwoAreGone = async () => {
    while (large.log.filter(({ gone }) => gone === true).length < 2) await sleep(5);
  };
  return { large, asked, query, leaveTwo, untilTwoAreGone };
}

test('answers that an organization does not read are bounded in bytes', async () => {
  const { large, query, leaveTwo, untilTwoAreGone } = await startLarge(600_000);
  let sockets: readonly Socket[] = [];
  try {
    sockets = await leaveTwo();
    expect(await query()).toMatchObject({
      status: 429,
      json: { 'violated-policies': ['answers'] },
    });
    for (const socket of sockets) socket.destroy();
    await untilTwoAreGone();
    // Whoever reads has room for the next answer at once.
    for (let count = 0; count < 6; count += 1) expect((await query()).status).toBe(200);
  } finally {
    for (const socket of sockets) socket.destroy();
    await large.stop();
  }
});

test('answers that nobody reads are dropped after their time, and there is room again', async () => {
  const { large, asked, query, leaveTwo, untilTwoAreGone } = await startLarge(1_500);
  let sockets: readonly Socket[] = [];
  try {
    sockets = await leaveTwo();
    await untilTwoAreGone();
    // A slow machine does not take this answer in its time either.
    await query().catch(() => undefined);
    expect(asked).toHaveLength(3);
  } finally {
    for (const socket of sockets) socket.destroy();
    await large.stop();
  }
});

test('a change whose end nobody knows is not recorded as failed', async () => {
  const denials: string[] = [];
  let cause: unknown = new DeadlineExceeded('nothing within 30 s');
  const late = await startTestApp({
    gate: { denied: ({ outcome, code }) => void denials.push(`${outcome} ${code}`) },
    handlers: {
      createDatabase: () =>
        Promise.reject(new Refusal('service_unavailable', { detail: 'Late.', cause })),
    },
  });
  const send = () =>
    late.ask('/api/v1/databases', {
      operation: 'createDatabase',
      method: 'POST',
      as: 'full',
      body: '{"name":"abc"}',
    });
  try {
    expect((await send()).status).toBe(503);
    expect(denials).toEqual([]);
    cause = undefined;
    expect((await send()).status).toBe(503);
    expect(denials).toEqual(['FAILED service_unavailable']);
  } finally {
    await late.stop();
  }
});

test('an address has so many connections, and a proxy that is trusted as many as it needs', async () => {
  for (const [isProxy, most] of [
    [false, 3],
    [true, 5],
  ] as const) {
    const capped = await startTestApp({ caps: { perAddress: 3, isProxy: () => isProxy } });
    const sockets = Array.from({ length: 5 }, () =>
      connect(Number(new URL(capped.url).port), '127.0.0.1'),
    );
    for (const socket of sockets) socket.on('error', () => undefined);
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    const open = () => sockets.filter(({ destroyed }) => !destroyed);
    while (open().length > most) await sleep(5);
    expect(open()).toHaveLength(most);
    if (isProxy) expect((await capped.ask('/api/v1/session')).status).toBe(401);
    for (const socket of open()) socket.destroy();
    await capped.stop();
  }
});

const stream = '/api/v1/jobs/job_01jd8f3zk5e0v9t3m2q6r8w4x0/events';

test('a stream ends when its credential is revoked, and a credential has so many of them at once', async () => {
  const state = { revoked: false, open: 0 };
  const streaming = await startTestApp({
    streamCheckMs: 50,
    gate: {
      authenticate: async (credential) => {
        if (state.revoked) throw new Refusal('invalid_credentials', { detail: 'Revoked.' });
        const name = credential.kind === 'token' ? credential.text : '';
        return principals[name] ?? Promise.reject(new Error(name));
      },
    },
    handlers: {
      streamJobEvents: async ({ signal }) => ({
        status: 200,
        events: (async function* () {
          state.open += 1;
          yield { id: '1', event: 'job', data: {} };
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
        })(),
      }),
    },
  });
  try {
    const open = () => streaming.ask(stream, { as: 'read' });
    const held = Array.from({ length: 20 }, open);
    while (state.open < 20) await sleep(5);
    expect(await open()).toMatchObject({
      status: 429,
      json: { 'violated-policies': ['streams'] },
    });
    state.revoked = true;
    for (const one of await Promise.all(held)) expect(one.text).toContain('id: 1');
    state.revoked = false;
    state.open = 0;
    const again = open();
    while (state.open < 1) await sleep(5);
    state.revoked = true;
    expect((await again).status).toBe(200);
  } finally {
    await streaming.stop();
  }
});

test('the address of a caller behind a trusted proxy is the one that the proxy tells, and of others their own', async () => {
  for (const [trustedProxies, ip] of [
    [['loopback'], '192.0.2.7'],
    [[], '127.0.0.1'],
  ] as const) {
    const seen: string[] = [];
    const behind = await startTestApp({
      trustedProxies,
      gate: {
        authenticate: async (_credential, caller) => {
          seen.push(caller.ip);
          return principals['read'] ?? Promise.reject(new Error('read'));
        },
      },
    });
    try {
      const headers = { 'x-forwarded-for': '203.0.113.1, 192.0.2.7' };
      await behind.ask('/api/v1/session', { as: 'read', headers });
      expect(seen).toEqual([ip]);
    } finally {
      await behind.stop();
    }
  }
});

test('stopping answers the requests under way, ends streams, and accepts no new request', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const begun = new Set<string>();
  const ending = await startTestApp({
    handlers: {
      getDatabase: async (request) => {
        begun.add('slow');
        await held;
        return exampleHandlers.getDatabase(request);
      },
      streamJobEvents: async ({ signal }) => ({
        status: 200,
        events: (async function* () {
          yield { id: '1', event: 'job', data: {} };
          begun.add('stream');
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
        })(),
      }),
    },
  });
  const slow = ending.ask(one('0'), { as: 'read' });
  const stream = ending.ask('/api/v1/jobs/job_01jd8f3zk5e0v9t3m2q6r8w4x0/events', { as: 'read' });
  while (begun.size < 2) await sleep(5);
  const stopped = ending.stop(30_000);
  await expect(ending.ask('/api/v1/session', { as: 'read' })).rejects.toThrow();
  expect((await stream).text).toContain('id: 1');
  release();
  expect((await slow).status).toBe(200);
  expect(await stopped).toBe(true);
});

test('stopping does not wait for ever', async () => {
  const begun = Promise.withResolvers<void>();
  const ending = await startTestApp({
    handlers: {
      getDatabase: () => {
        begun.resolve();
        return new Promise(() => {});
      },
    },
  });
  const hanging = ending.ask(one('0'), { as: 'read' });
  const failed = hanging.then(
    () => 'answered',
    () => 'cut off',
  );
  await begun.promise;
  expect(await ending.stop(200)).toBe(false);
  expect(await failed).toBe('cut off');
});

test('the reference and the pages about problems need nothing from elsewhere', async () => {
  for (const path of ['/docs/openapi', '/docs/problems', '/docs/problems/ledger-timeout']) {
    const answer = await app.ask(path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(answer.text).not.toMatch(/<script|(src|href)="(https?:)?\/\//);
  }
  expect((await app.ask('/docs/reference.css')).headers.get('content-type')).toContain('text/css');
  expect((await app.ask('/docs/problems/nothing')).status).toBe(404);
  const reference = await app.ask('/docs/openapi');
  for (const id of Object.keys(exampleHandlers)) expect(reference.text).toContain(`id="${id}"`);
});

test('every problem’s type is a page', async () => {
  const { json } = await app.ask('/api/v1/session');
  const page = await app.ask(String(json['type']));
  expect(page.text).toContain('authentication_required');
});
