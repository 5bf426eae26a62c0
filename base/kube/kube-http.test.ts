import { expect, test } from '@jest/globals';
import { KubeConfig } from '@kubernetes/client-node';
import { settle, VirtualTimers } from '../../test/support/operator/virtual-timers.ts';
import { createKube, type KubeHttpOptions, type RequestRecord } from './kube-http.ts';
import { resources } from '../../domain/kinds.ts';
import { ApiError, type KubeObject } from './kube.ts';
import { LostLeadership } from './lost-leadership.ts';
import { Tracer, withinTrace } from '../tracing/tracer.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

const pod = { resource: resources.pod, namespace: 'ns', name: 'p' };
const object: KubeObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'ns', name: 'p' },
};
const by = { fieldManager: 'test' };

type Answer = (request: TransportRequest) => TransportResponse | Promise<TransportResponse>;

/** An API server that gives these answers in turn, and then repeats the last one. */
function serverOf(answers: readonly Answer[], options: KubeHttpOptions = {}) {
  const timers = new VirtualTimers();
  const requests: (TransportRequest & { readonly atMs: number })[] = [];
  const records: RequestRecord[] = [];
  const kube = createKube(new KubeConfig(), {
    timers,
    random: () => 1,
    onRequest: (record) => records.push(record),
    transport: {
      send: async (request) => {
        const answer = answers[Math.min(requests.length, answers.length - 1)];
        requests.push({ ...request, atMs: timers.nowMs() });
        if (answer === undefined) throw new Error('no answer');
        return answer(request);
      },
      close: () => Promise.resolve(),
    },
    ...options,
  });
  return { kube, timers, requests, records };
}

const answer = (status: number, body: object, headers: Record<string, string> = {}): Answer => {
  return () => new Response(JSON.stringify(body), { status, headers });
};
test('a query for a request is within its trace', async () => {
  const { kube, requests } = serverOf([answer(200, object)]);
  const tracer = new Tracer({ share: 1, add: () => {} });
  const trace = tracer.begin(undefined, undefined);
  await withinTrace(trace, () => kube.read(pod));
  await kube.read(pod);
  expect(requests.map(({ headers }) => headers['traceparent'])).toEqual([
    trace.headers()['traceparent'],
    undefined,
  ]);
});

const status = (code: number, reason: string, headers: Record<string, string> = {}) =>
  answer(
    code,
    { kind: 'Status', code, reason, message: `it is ${reason}`, details: { name: 'p' } },
    headers,
  );
const reset: Answer = () => {
  throw new TypeError('fetch failed', { cause: new Error('read ECONNRESET') });
};
const silence: Answer = ({ signal }) =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });

/** Records how a call ended. */
function watched<T>(call: Promise<T>) {
  const end: { value?: T; error?: unknown } = {};
  const settled = call.then(
    (value) => Object.assign(end, { value }),
    (error: unknown) => Object.assign(end, { error }),
  );
  return { end, settled };
}

test('an object that is not there is undefined; a path that the server does not know is an error', async () => {
  const { kube } = serverOf([
    status(404, 'NotFound'),
    () => new Response('404 page not found', { status: 404 }),
    answer(404, { kind: 'Status', code: 404, reason: 'NotFound', details: {} }),
  ]);
  expect(await kube.read(pod)).toBeUndefined();
  await expect(kube.read(pod)).rejects.toMatchObject({ status: 404, reason: 'UnknownPath' });
  await expect(kube.read(pod)).rejects.toMatchObject({ status: 404, reason: 'UnknownPath' });
});

test('an error tells the request, the reason and the causes', async () => {
  const causes = [{ reason: 'FieldValueInvalid', message: 'too small' }];
  const { kube } = serverOf([
    answer(422, { kind: 'Status', reason: 'Invalid', message: 'no', details: { causes } }),
  ]);
  const failure = await kube.apply(resources.pod, object, by).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ApiError);
  expect(failure).toMatchObject({ status: 422, reason: 'Invalid', causes });
  expect((failure as Error).message).toBe('patch pods ns/p: 422 Invalid: no');
});

test('a call ends at its deadline, whatever hangs', async () => {
  const { kube, timers, records } = serverOf([silence], { callTimeoutMs: 1_000 });
  const { end, settled } = watched(kube.read(pod));
  await timers.advance(999);
  expect(end).toEqual({});
  await timers.advance(1);
  await settled;
  expect(end.error).toMatchObject({ status: 0, reason: 'Timeout' });
  expect(records).toMatchObject([{ verb: 'get', code: 0, durationMs: 1_000 }]);
  expect(timers.pending).toBe(0);
});

test('a call ends with its signal', async () => {
  const { kube, requests } = serverOf([silence]);
  const stop = new AbortController();
  const { end, settled } = watched(kube.withSignal(stop.signal).read(pod));
  await settle();
  stop.abort(new Error('over'));
  await settled;
  expect(end.error).toMatchObject({ status: 0, reason: 'Aborted' });
  await expect(kube.withSignal(stop.signal).read(pod)).rejects.toMatchObject({ reason: 'Aborted' });
  expect(requests).toHaveLength(1);
});

test('429 is tried again for every verb, after the time that the server asks for', async () => {
  const busy = status(429, 'TooManyRequests', { 'retry-after': '2' });
  const { kube, timers, requests } = serverOf([busy, busy, answer(201, object)]);
  const { end, settled } = watched(kube.create(resources.pod, object, by));
  await timers.advance(4_000);
  await settled;
  expect(end.value).toEqual(object);
  expect(requests.map(({ atMs }) => atMs)).toEqual([0, 2_000, 4_000]);
});

test('a wait longer than a call may last is passed on to the caller', async () => {
  const { kube, requests } = serverOf([status(429, 'TooManyRequests', { 'retry-after': '60' })]);
  await expect(kube.read(pod)).rejects.toMatchObject({ status: 429, retryAfterMs: 60_000 });
  expect(requests).toHaveLength(1);
});

test('a broken connection is tried again only where doing it twice is doing it once', async () => {
  for (const call of ['read', 'apply', 'mergePatch', 'delete'] as const) {
    const { kube, timers, requests } = serverOf([
      reset,
      status(503, 'ServiceUnavailable'),
      answer(200, object),
    ]);
    const calls = {
      read: () => kube.read(pod),
      apply: () => kube.apply(resources.pod, object, by),
      mergePatch: () => kube.mergePatch(pod, {}, by),
      delete: () => kube.delete(pod, { uid: 'u' }),
    };
    const { end, settled } = watched<unknown>(calls[call]());
    await timers.advance(1_000);
    await settled;
    expect(end.error).toBeUndefined();
    expect(requests).toHaveLength(3);
  }
  const { kube, requests } = serverOf([reset]);
  await expect(kube.create(resources.pod, object, by)).rejects.toMatchObject({
    status: 0,
    reason: 'Unreachable',
    message: 'create pods ns: Unreachable: read ECONNRESET',
  });
  expect(requests).toHaveLength(1);
});

test('tries are bounded, and conflicts are never tried again', async () => {
  const { kube, timers, requests } = serverOf([reset], { retriesMax: 3 });
  const { end, settled } = watched(kube.read(pod));
  await timers.advance(10_000);
  await settled;
  expect(end.error).toMatchObject({ reason: 'Unreachable' });
  expect(requests).toHaveLength(4);
  const refused = serverOf([status(409, 'Conflict')]);
  await expect(refused.kube.mergePatch(pod, {}, by)).rejects.toMatchObject({ status: 409 });
  expect(refused.requests).toHaveLength(1);
});

test('no write goes out without the lease, not even a later try of one that began with it', async () => {
  let leads = false;
  const { kube, timers, requests } = serverOf([reset, answer(200, object)], {
    mayWrite: () => leads,
  });
  const writes = [
    () => kube.create(resources.pod, object, by),
    () => kube.apply(resources.pod, object, by),
    () => kube.mergePatch(pod, {}, by),
    () => kube.delete(pod, { uid: 'u' }),
  ];
  for (const write of writes) await expect(write()).rejects.toBeInstanceOf(LostLeadership);
  expect(requests).toHaveLength(0);
  leads = true;
  const { end, settled } = watched(kube.apply(resources.pod, object, by));
  await settle();
  leads = false;
  await timers.advance(1_000);
  await settled;
  expect(end.error).toBeInstanceOf(LostLeadership);
  expect(requests).toHaveLength(1);
  expect(await kube.read(pod)).toEqual(object);
});

test('requests keep to the rate, and who could not go in time is refused at once', async () => {
  const options = { requestsPerSecond: 1, requestsBurst: 2, callTimeoutMs: 3_000 };
  const { kube, timers, requests } = serverOf([answer(200, object)], options);
  const calls = Array.from({ length: 7 }, () => watched(kube.read(pod)));
  await settle();
  expect(calls.filter(({ end }) => end.error !== undefined)).toHaveLength(2);
  await timers.advance(3_000);
  await Promise.all(calls.map(({ settled }) => settled));
  // The turn of the fifth came exactly at its deadline.
  expect(requests.map(({ atMs }) => atMs)).toEqual([0, 0, 1_000, 2_000]);
  expect(calls.map(({ end }) => end.error === undefined)).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});

test('a list is all of its pages, each item with its kind, begun again when a page has expired', async () => {
  const page = (names: readonly string[], next?: string) =>
    answer(200, {
      metadata: { resourceVersion: '7', ...(next === undefined ? {} : { continue: next }) },
      items: names.map((name) => ({ metadata: { name } })),
    });
  const { kube, requests } = serverOf([
    page(['old'], 'lost'),
    status(410, 'Expired'),
    page(['a', 'b'], 'more'),
    page(['c']),
  ]);
  const pods = await kube.list(resources.pod, { namespace: 'ns', labelSelector: 'x=y' });
  expect(pods.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    'Pod a',
    'Pod b',
    'Pod c',
  ]);
  expect(requests[2]?.path).toBe('/api/v1/namespaces/ns/pods?limit=500&labelSelector=x%3Dy');
  expect(requests[3]?.path).toContain('continue=more');
});

test('a delete names the object that was meant, and one that is gone is deleted', async () => {
  const { kube, requests } = serverOf([status(404, 'NotFound')]);
  await kube.delete(pod, { uid: 'u', resourceVersion: '3', propagationPolicy: 'Foreground' });
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    preconditions: { uid: 'u', resourceVersion: '3' },
    propagationPolicy: 'Foreground',
  });
  await expect(kube.delete(pod, { uid: '' })).rejects.toThrow();
});

test('writes name their manager, apply takes over only when told to', async () => {
  const { kube, requests } = serverOf([answer(200, object)]);
  await kube.apply(resources.pod, object, by);
  await kube.apply(resources.pod, object, { ...by, force: true, subresource: 'status' });
  await kube.mergePatch(pod, { a: null }, by);
  expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'PATCH /api/v1/namespaces/ns/pods/p?fieldManager=test',
    'PATCH /api/v1/namespaces/ns/pods/p/status?fieldManager=test&force=true',
    'PATCH /api/v1/namespaces/ns/pods/p?fieldManager=test',
  ]);
  expect(requests.map(({ headers }) => headers['Content-Type'])).toEqual([
    'application/apply-patch+yaml',
    'application/apply-patch+yaml',
    'application/merge-patch+json',
  ]);
});

test('the API server’s time goes on from what its last answer said, whatever the machine’s own clock says', async () => {
  const date = 'Sat, 21 Nov 2026 10:00:00 GMT';
  const { kube, timers } = serverOf([
    answer(200, object, { date }),
    status(503, 'Unavailable', { date: 'Sat, 21 Nov 2099 10:00:00 GMT' }),
  ]);
  expect(kube.serverTimeMs()).toBeUndefined();
  await kube.read(pod);
  expect(kube.serverTimeMs()).toBe(Date.parse(date));
  await timers.advance(5_000);
  const failed = watched(kube.read(pod));
  await timers.advance(60_000);
  await failed.settled;
  expect(failed.end.error).toMatchObject({ status: 503 });
  expect(kube.serverTimeMs()).toBe(Date.parse(date) + 65_000);
});

test('the API server’s time does not jump back with an answer of the same second, and follows a clock that was set', async () => {
  const date = (seconds: number) => ({ date: new Date(seconds * 1_000).toUTCString() });
  const { kube, timers } = serverOf([
    answer(200, object, date(1_000)),
    answer(200, object, date(1_000)),
    answer(200, object, date(1_003)),
    answer(200, object, date(500)),
  ]);
  const told = async () => {
    await kube.read(pod);
    return kube.serverTimeMs();
  };
  expect(await told()).toBe(1_000_000);
  await timers.advance(900);
  expect(await told()).toBe(1_000_900);
  await timers.advance(200);
  expect(await told()).toBe(1_003_000);
  expect(await told()).toBe(500_000);
});
