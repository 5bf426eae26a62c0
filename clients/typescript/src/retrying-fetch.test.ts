import { expect, test } from '@jest/globals';
import { retryingFetch } from './retrying-fetch.ts';

type Step =
  | number
  | Error
  | { readonly status: number; readonly code?: string; readonly after?: string };

/** Answers each attempt by the next step. */
function service(steps: readonly Step[], attemptsMax = 4) {
  const keys: (string | null)[] = [];
  const bodies: string[] = [];
  const waits: number[] = [];
  const send = retryingFetch({
    attemptsMax,
    timeoutMs: 10_000,
    random: () => 0,
    pause: async (ms) => void waits.push(ms),
    fetch: async (request) => {
      keys.push(request.headers.get('idempotency-key'));
      bodies.push(await request.text());
      const step = steps[keys.length - 1] ?? 200;
      if (step instanceof Error) throw step;
      const { status, code, after } =
        typeof step === 'number' ? { status: step, code: undefined, after: undefined } : step;
      const headers = after === undefined ? {} : { 'retry-after': after };
      return new Response(JSON.stringify({ code }), { status, headers });
    },
  });
  return { send, keys, bodies, waits };
}

const post = (path: string, body = '{"name":"a"}') =>
  new Request(`https://ledger.test/api/v1${path}`, { method: 'POST', body });

test('a POST of the control plane has one key and the same body in all attempts', async () => {
  const { send, keys, bodies, waits } = service([503, new TypeError('broken'), 201]);
  expect((await send(post('/databases'))).status).toBe(201);
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(new Set(keys).size).toBe(1);
  expect(bodies).toEqual(Array.from({ length: 3 }, () => '{"name":"a"}'));
  expect(waits).toEqual([200, 400]);
});

test('a key of the caller is kept, and ledger operations need none: their IDs make them safe', async () => {
  const { send, keys } = service([503, 200, 503, 200]);
  const own = post('/databases');
  own.headers.set('idempotency-key', 'mine');
  await send(own);
  await send(post('/databases/db_1/tb/create_transfers', '[]'));
  expect(keys).toEqual(['mine', 'mine', null, null]);
});

test('the wait that the service asks for is kept; a very long one is the caller’s matter', async () => {
  const short = service([{ status: 429, after: '3' }, 200]);
  expect((await short.send(post('/databases'))).status).toBe(200);
  expect(short.waits).toEqual([3_000]);
  const long = service([{ status: 429, after: '3600' }, 200]);
  expect((await long.send(post('/databases'))).status).toBe(429);
  expect(long.waits).toEqual([]);
});

test.each([400, 401, 403, 404, 422, 500])('%i is final', async (status) => {
  const { send, keys } = service([status]);
  expect((await send(post('/databases'))).status).toBe(status);
  expect(keys).toHaveLength(1);
});

test('a conflict passes when it is an earlier attempt that is still under way', async () => {
  const busy = service([{ status: 409, code: 'idempotency_in_progress' }, 201]);
  expect((await busy.send(post('/databases'))).status).toBe(201);
  const taken = service([{ status: 409, code: 'database_name_taken' }]);
  const answer = await taken.send(post('/databases'));
  expect([answer.status, await answer.json()]).toEqual([409, { code: 'database_name_taken' }]);
});

test('the last attempt decides, and attempts are bounded', async () => {
  const { send, keys } = service([503, 503, 503, 503]);
  expect((await send(post('/databases'))).status).toBe(503);
  expect(keys).toHaveLength(4);
  const broken = service([new TypeError('a'), new TypeError('b')], 2);
  await expect(broken.send(post('/databases'))).rejects.toThrow('b');
  const once = service([503], 1);
  expect((await once.send(post('/databases'))).status).toBe(503);
  expect(once.keys).toHaveLength(1);
});

test('a caller who gives up is obeyed at once', async () => {
  let sent = 0;
  const signal = AbortSignal.abort(new Error('enough'));
  const request = new Request('https://ledger.test/api/v1/databases', { signal });
  const failing = retryingFetch({
    attemptsMax: 4,
    timeoutMs: 10_000,
    fetch: async ({ signal: given }) => {
      sent += 1;
      given.throwIfAborted();
      return new Response();
    },
  });
  await expect(failing(request)).rejects.toThrow('enough');
  expect(sent).toBe(1);
});
