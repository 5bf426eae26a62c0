/** Traces of requests: from HTTP through the gateway to a real engine, and to a collector that judges their format. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import pino from 'pino';
import { Gateway } from '../../../api/gateway/gateway.ts';
import { ledgerHandlers } from '../../../api/gateway/handlers.ts';
import { tracingOf } from '../../../api/tracing.ts';
import type { Config } from '../../../api/config.ts';
import { MetricRegistry } from '../../../base/metrics/metrics.ts';
import { SpanExporter } from '../../../base/tracing/span-exporter.ts';
import { databaseId, startTestApp, type TestApp } from '../../support/api/api-app.ts';
import { OtlpCollector } from '../../support/api/otlp-collector.ts';
import { TestEngine } from '../../support/engine/engine.ts';
import { eventually } from '../../support/shell.ts';

const silent = pino({ level: 'silent' });
const registry = new MetricRegistry();
let collector: OtlpCollector;
let engine: TestEngine;
let gateway: Gateway;
let tracing: NonNullable<ReturnType<typeof tracingOf>>;
let app: TestApp;

beforeAll(async () => {
  [collector, engine] = await Promise.all([OtlpCollector.start(), TestEngine.create()]);
  gateway = new Gateway({ logger: silent, registry });
  const traces = { endpoint: collector.url, share: 1 };
  const config = { traces, namespace: 'ledgerhouse-system', identity: 'api-1' } as Config;
  const made = tracingOf(config, registry, silent);
  if (made === undefined) throw new Error('nothing is traced');
  tracing = made;
  const target = {
    databaseId,
    name: 'payments',
    cluster: 0n,
    addresses: [{ host: '127.0.0.1', port: engine.port }],
    engine: 'Builtin',
    engineVersion: '0.1.0',
  };
  app = await startTestApp({
    tracer: tracing.tracer,
    handlers: ledgerHandlers({
      gateway,
      targets: { resolve: async () => target },
      whySuspended: async () => undefined,
      personWrites: async () => {},
      lookedUp: () => {},
      finished: () => {},
    } as never),
  });
});
afterEach(() => collector.accept());
afterAll(async () => {
  await app?.stop();
  gateway?.close();
  await tracing?.stop(1_000);
  collector?.stop();
  await engine?.dispose();
});

const path = (operation: string) => `/api/v1/databases/${databaseId}/tb/${operation}`;
const callerSpan = 'b7ad6b7169203331';
const callersTrace = (digit: string) => digit.repeat(32);
const traceparent = (traceId: string, flags = '01') => `00-${traceId}-${callerSpan}-${flags}`;

const createAccount = (id: string, headers: Readonly<Record<string, string>>, as = 'full') =>
  app.ask(path('create_accounts'), {
    operation: 'createAccounts',
    method: 'POST',
    as,
    headers,
    body: JSON.stringify([{ id, ledger: 700_700, code: 1, user_data_128: '918273645918273645' }]),
  });

async function dropped(): Promise<number> {
  const text = await registry.text();
  return Number(/^ledgerhouse_api_spans_total\{result="dropped"\} (\d+)$/m.exec(text)?.[1]);
}

test('a request is in its caller’s trace, with what it waited for in the gateway and for the engine, and without its content', async () => {
  const traceId = callersTrace('a');
  const headers = { traceparent: traceparent(traceId), tracestate: 'vendor=1,other=x' };
  const { status, headers: answered } = await createAccount('555666777888', headers);
  expect(status).toBe(200);
  const [request, wait, engineSpan, ...more] = await collector.spansOf(traceId, 3);
  expect(more).toEqual([]);
  expect(request).toMatchObject({
    parentSpanId: callerSpan,
    traceState: 'vendor=1,other=x',
    // Sampled, and the parent is known and another process.
    flags: 0x301,
    name: 'POST /api/v1/databases/{databaseId}/tb/create_accounts',
    kind: 2,
    failed: false,
    resource: { 'service.name': 'ledgerhouse-api', 'service.instance.id': 'api-1' },
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/api/v1/databases/{databaseId}/tb/create_accounts',
      'http.response.status_code': 200,
      'ledgerhouse.request_id': answered.get('x-request-id'),
      'ledgerhouse.credential_id': 'key_full',
    },
  });
  expect(wait).toMatchObject({ parentSpanId: request?.spanId, name: 'gateway wait', kind: 1 });
  expect(engineSpan).toMatchObject({
    parentSpanId: request?.spanId,
    flags: 0x101,
    name: 'create_accounts',
    kind: 3,
    attributes: { 'db.namespace': databaseId, 'db.operation.batch.size': 1 },
  });
  expect(engineSpan?.startNanos).toBe(wait?.endNanos);
  expect((engineSpan?.endNanos ?? 0n) <= (request?.endNanos ?? 0n)).toBe(true);
  expect(Number((request?.startNanos ?? 0n) / 1_000_000n)).toBeCloseTo(Date.now(), -5);
  expect(collector.wrong).toEqual([]);
  const text = collector.texts.join('\n');
  for (const secret of ['555666777888', '918273645918273645', '700700', '"full"']) {
    expect(text).not.toContain(secret);
  }
});

test('a request without a trace begins one, and its log line names it', async () => {
  await createAccount('1', { 'x-request-id': 'without-a-trace' });
  const line = app.log.find(({ requestId }) => requestId === 'without-a-trace');
  const [request] = await collector.spansOf(String(line?.['traceId']), 3);
  expect(request).toMatchObject({ parentSpanId: undefined, traceState: undefined, flags: 0x101 });
});

test('a refusal is in the trace with its code', async () => {
  const traceId = callersTrace('b');
  const { status, json } = await app.ask(path('create_accounts'), {
    method: 'POST',
    as: 'full',
    headers: { traceparent: traceparent(traceId) },
    body: '{"not": "a list"}',
  });
  expect(status).toBe(422);
  const [request] = await collector.spansOf(traceId, 1);
  expect(request?.failed).toBe(false);
  expect(request?.attributes['error.type']).toBe(json['code']);
});

test('nobody without a credential, and nobody who may not be here, writes into another one’s trace', async () => {
  const traceId = callersTrace('c');
  const sent = collector.spans.length;
  const { status } = await createAccount('2', { traceparent: traceparent(traceId) }, 'nobody');
  expect(status).toBe(401);
  await eventually(
    'its own trace is there',
    async () => collector.spans.length > sent || undefined,
  );
  expect(collector.spans.filter((span) => span.traceId === traceId)).toEqual([]);
  expect(collector.spans.at(-1)?.attributes['http.response.status_code']).toBe(401);
});

test('a caller that records nothing is not recorded', async () => {
  const traceId = callersTrace('d');
  await createAccount('3', { traceparent: traceparent(traceId, '00') });
  await createAccount('3', { traceparent: traceparent(callersTrace('e')) });
  await collector.spansOf(callersTrace('e'), 3);
  expect(collector.texts.join()).not.toContain(traceId);
});

test('a batch that the collector had no room for comes again, and one that it refused does not', async () => {
  const traceId = callersTrace('1');
  const before = collector.texts.length;
  collector.answer = (response) => {
    collector.accept();
    response.writeHead(503, { 'Retry-After': '1' }).end();
  };
  await createAccount('4', { traceparent: traceparent(traceId) });
  await collector.spansOf(traceId, 6);
  expect(collector.texts.slice(before)).toEqual([collector.texts[before], collector.texts[before]]);
  const droppedBefore = await dropped();
  collector.answer = (response) => void response.writeHead(400).end('{}');
  await createAccount('4', { traceparent: traceparent(callersTrace('2')) });
  await eventually(
    'it is dropped',
    async () => (await dropped()) === droppedBefore + 3 || undefined,
  );
  expect(await collector.spansOf(callersTrace('2'), 3)).toHaveLength(3);
});

test('a collector that answers nothing costs no request its answer, and no memory beyond the queue’s, of which an owner has half', async () => {
  collector.answer = () => {};
  for (let count = 0; count < 3; count += 1) {
    const made = await createAccount('5', { traceparent: traceparent(callersTrace('3')) });
    expect(made.status).toBe(200);
  }
  let lost = 0;
  const exporter = new SpanExporter({
    endpoint: collector.url,
    resource: { 'service.name': 'test' },
    scope: 'test',
    queueBytesMax: 100_000,
    onSent: () => {},
    onDropped: (count) => {
      lost += count;
    },
    onTrouble: () => {},
  });
  const span = JSON.stringify('x'.repeat(998));
  for (let sent = 0; sent < 60; sent += 1) exporter.add(span, 'greedy');
  expect(lost).toBe(10);
  for (let sent = 0; sent < 60; sent += 1) exporter.add(span, `modest-${sent}`);
  expect(lost).toBe(20);
  await exporter.stop(100);
  expect(lost).toBe(120);
});
