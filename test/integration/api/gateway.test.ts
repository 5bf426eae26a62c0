/** The ledger route without HTTP: JSON in, real engine processes behind, and everything that can happen to an engine. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import pino from 'pino';
import type { Target } from '../../../api/gateway/connection.ts';
import { deadlineRange, Gateway, type GatewayOptions } from '../../../api/gateway/gateway.ts';
import { Probes } from '../../../api/gateway/probes.ts';
import { runOperation, type OperationContext } from '../../../api/gateway/run-operation.ts';
import { ledgerOperations, type LedgerOperationName } from '../../../api/ledger/operations.ts';
import type { LedgerProblem } from '../../../api/model/ledger-problems.ts';
import type { Client } from '../../../engine/client/client.ts';
import { MetricRegistry } from '../../../base/metrics/metrics.ts';
import { systemTimers, type Timers } from '../../../base/timers.ts';
import {
  buildEviction,
  buildPongClient,
  buildReply,
  Command,
  EvictionReason,
  Header,
  PingClientHeader,
  RequestHeader,
} from '../../../engine/wire/header.ts';
import { bodySizeMax } from '../../../engine/wire/limits.ts';
import { MessageReader } from '../../../engine/wire/message-reader.ts';
import { encodeMultiBatch } from '../../../engine/wire/multi-batch.ts';
import { Operation } from '../../../engine/wire/operations.ts';
import { engineRelease } from '../../../engine/wire/release.ts';
import { TestEngine } from '../../support/engine/engine.ts';
import { accountBytes, connectTo, create } from '../../support/engine/ledger.ts';
import { SwallowingRelay } from '../../support/engine/swallowing-relay.ts';
import { startTigerBeetle, tigerbeetle } from '../../support/engine/tigerbeetle.ts';
import { expiryOf } from '../../support/engine/varied-ledger.ts';
import { eventually } from '../../support/shell.ts';
import { freePorts } from '../../../tools/cluster/free-ports.ts';

let engine: TestEngine;
let gateway: Gateway;
let registry: MetricRegistry;
const targets = new Map<string, number>();
const engines: TestEngine[] = [];
const servers: Server[] = [];
const opened: Client[] = [];
const relays: SwallowingRelay[] = [];

/** For whom ten seconds are one: where requests are held, and all of them are answered afterwards. */
const unhurried: Timers = {
  ...systemTimers,
  nowMs: () => systemTimers.nowMs() / 10,
  after: (ms, callback) => systemTimers.after(10 * ms, callback),
};

const openGateway = (options: Partial<GatewayOptions> = {}): Gateway => {
  registry = new MetricRegistry();
  return new Gateway({ logger: pino({ level: 'silent' }), registry, ...options });
};

beforeAll(async () => {
  engine = await startEngine();
  targets.set('db_1', engine.port);
});
afterAll(async () => {
  for (const one of engines) await one.dispose();
});
beforeEach(() => {
  gateway = openGateway();
});
afterEach(() => {
  // A failed test may have left the engine stopped.
  process.kill(engine.pid, 'SIGCONT');
  gateway.close();
  for (const server of servers.splice(0)) server.close();
  for (const client of opened.splice(0)) client.close();
  for (const relay of relays.splice(0)) relay.end();
});

async function startEngine(flags: readonly string[] = []): Promise<TestEngine> {
  const started = await TestEngine.create({ flags });
  engines.push(started);
  return started;
}

const targetOf = (databaseId: string, port = targets.get(databaseId) ?? 0, version = 0) => ({
  databaseId,
  cluster: 0n,
  version,
  addresses: [{ host: '127.0.0.1', port }],
});

interface Answer {
  readonly status: number;
  readonly problem: LedgerProblem;
  readonly execution: Readonly<Record<string, unknown>>;
  readonly summary: Readonly<Record<string, number>>;
  readonly result: readonly Readonly<Record<string, unknown>>[];
  readonly missing: readonly string[];
  readonly page: { readonly hasMore: boolean; readonly next: unknown };
  readonly warnings: readonly { readonly code: string }[];
}

/** Runs an operation as the HTTP route does. Returns the status with the parsed body of the answer, or with the problem. */
async function run(
  operation: LedgerOperationName,
  payload: unknown,
  context: Partial<OperationContext> = {},
): Promise<Answer> {
  const answer = await runOperation(
    gateway,
    ledgerOperations[operation],
    new TextEncoder().encode(JSON.stringify(payload)),
    {
      target: targetOf('db_1'),
      owner: 'org_test',
      requestId: 'req_test',
      engine: 'Builtin',
      engineVersion: '0.1.0',
      streams: false,
      format: 'json',
      ...context,
    },
  );
  if (!answer.ok) return { status: answer.problem?.status ?? 0, problem: answer.problem } as Answer;
  return { ...(JSON.parse(new TextDecoder().decode(answer.body)) as Answer), status: 200 };
}

let lastId = 1_000_000n;
const nextId = () => String((lastId += 1n));
const transfer = (more: object = {}) => ({
  id: nextId(),
  debit_account_id: 1,
  credit_account_id: 2,
  amount: 10,
  ledger: 1,
  code: 1,
  ...more,
});
const accounts = [1, 2].map((id) => ({ id, ledger: 1, code: 1, flags: 'history' }));

async function metric(name: string, labels = ''): Promise<number> {
  const found = (await registry.text())
    .split('\n')
    .find((line) => line.startsWith(`${name}${labels} `));
  return Number(found?.split(' ').at(-1));
}

test('the time that each call waits to be sent is told', async () => {
  const waits: (readonly [string, number])[] = [];
  gateway = openGateway({ onWaited: (...wait) => waits.push(wait) });
  await Promise.all(['1', '2', '3'].map((id) => run('lookup_accounts', { ids: [id] })));
  expect(waits.map(([databaseId]) => databaseId)).toEqual(['db_1', 'db_1', 'db_1']);
  // They waited for the session at least.
  for (const [, waitedMs] of waits) expect(waitedMs).toBeGreaterThan(0);
});

test('all eight operations, from JSON to JSON', async () => {
  const u128 = '340282366920938463463374607431768211454';
  const made = await run('create_accounts', [
    ...[11, 12].map((id) => ({ id, ledger: 1, code: 1, flags: 'history' })),
    { id: u128, ledger: 7, code: 8, user_data_128: u128 },
  ]);
  expect(made.summary).toEqual({ created: 3, exists: 0, failed: 0 });
  expect(made.execution).toMatchObject({
    kind: 'write',
    requestId: 'req_test',
    databaseId: 'db_1',
    clusterId: '0',
    engineVersion: '0.1.0',
    eventCount: 3,
    resultCount: 3,
  });
  const between = { debit_account_id: 11, credit_account_id: 12 };
  const [first, second] = [
    transfer({ ...between, amount: u128 }),
    transfer({ ...between, debit_account_id: 9 }),
  ];
  const moved = await run('create_transfers', [first, first, second]);
  expect(moved.result.map((row) => row['status'])).toEqual([
    'created',
    'exists',
    'debit_account_not_found',
  ]);
  const found = await run('lookup_accounts', [u128, '404', 11]);
  expect(found.result.map((row) => [row['id'], row['debits_posted']])).toEqual([
    [u128, '0'],
    ['11', u128],
  ]);
  expect(found.missing).toEqual(['404']);
  const transfers = await run('lookup_transfers', { ids: [first.id, second.id] });
  expect(transfers.result).toEqual([
    expect.objectContaining({ id: first.id, amount: u128, code: 1 }),
  ]);
  expect(transfers.missing).toEqual([second.id]);
  const ofAccount = await run('get_account_transfers', { account_id: 12, flags: 'credits' });
  expect(ofAccount.result.map((row) => row['id'])).toEqual([first.id]);
  const balances = await run('get_account_balances', { account_id: '11' });
  expect(balances.result).toEqual([
    expect.objectContaining({ debits_posted: u128, credits_posted: '0' }),
  ]);
  const queried = await run('query_accounts', { ledger: 7, code: 8 });
  expect(queried.result).toEqual([expect.objectContaining({ id: u128, user_data_128: u128 })]);
  const all = await run('query_transfers', { limit: 8189 });
  expect(all.result.map((row) => row['id'])).toEqual([first.id]);
});

test('room for an answer is asked for before it is written, and only a read is refused without it', async () => {
  await run('create_accounts', accounts);
  const held: [number, boolean][] = [];
  const holdAnswer = (bytes: number, mayRefuse: boolean) => {
    held.push([bytes, mayRefuse]);
    if (mayRefuse) throw new Error('no room');
  };
  await expect(run('lookup_accounts', [1, 2], { holdAnswer })).rejects.toThrow('no room');
  expect(held.splice(0)).toEqual([[256, true]]);
  expect((await run('create_transfers', [transfer()], { holdAnswer })).status).toBe(200);
  expect(held).toEqual([
    [16, false],
    [expect.any(Number), false],
  ]);
});

test('an answer is not written for a caller who has gone', async () => {
  const gone = new AbortController();
  const held: number[] = [];
  const holdAnswer = (bytes: number) => {
    held.push(bytes);
    gone.abort();
  };
  const { status } = await run('lookup_accounts', [1], { holdAnswer, signal: gone.signal });
  expect({ status, held: held.length }).toEqual({ status: 0, held: 1 });
});

test('pages, forwards and backwards, show each row once, and the last knows that it is the last', async () => {
  await run('create_accounts', accounts);
  const ids = Array.from({ length: 25 }, nextId);
  await run(
    'create_transfers',
    ids.map((id) => transfer({ id, user_data_64: 77 })),
  );
  for (const flags of [[], ['reversed']]) {
    const seen: unknown[] = [];
    let filter: unknown = { user_data_64: 77, limit: 5, flags };
    for (let page = 1; filter !== null; page += 1) {
      const answer = await run('query_transfers', filter);
      seen.push(...answer.result.map((row) => row['id']));
      expect(answer.page.hasMore).toBe(page < 5);
      filter = answer.page.next;
    }
    expect(seen).toEqual(flags.length === 0 ? ids : ids.toReversed());
  }
});

test('balances of an account without history come with a warning, and only of such', async () => {
  await run('create_accounts', [
    { id: 31, ledger: 1, code: 1 },
    { id: 32, ledger: 1, code: 1, flags: 'history' },
  ]);
  const warned = await run('get_account_balances', { account_id: 31 });
  expect([warned.result, warned.warnings.map((warning) => warning.code)]).toEqual([
    [],
    ['account_without_history'],
  ]);
  for (const account_id of [32, 404]) {
    expect((await run('get_account_balances', { account_id })).warnings).toBeUndefined();
  }
});

test('many small requests share messages, and each gets its own answer', async () => {
  gateway.close();
  gateway = openGateway({ timers: unhurried });
  await run('create_accounts', accounts);
  const before = await metric('ledgerhouse_gateway_messages_total');
  const requests = Array.from({ length: 200 }, (_, i) => {
    // A chain left open and a failure among them are their own request's matter.
    if (i % 10 === 3) return [transfer({ flags: 'linked' })];
    if (i % 10 === 5) return [transfer({ debit_account_id: 404 }), transfer()];
    return [transfer()];
  });
  // All of them are there before the first is answered, however long that takes.
  process.kill(engine.pid, 'SIGSTOP');
  const answering = Promise.all(
    requests.map((request) => run('create_transfers', request, { timeoutMs: 30_000 })),
  );
  await eventually('all of them wait', async () => gateway.waiting === 199 || undefined);
  process.kill(engine.pid, 'SIGCONT');
  const answers = await answering;
  answers.forEach(({ result }, i) => {
    expect(result.map((row) => row['id'])).toEqual(requests[i]?.map((event) => event.id));
    const last = i % 10 === 3 ? 'linked_event_chain_open' : 'created';
    expect(result.map((row) => row['status'])).toEqual(
      i % 10 === 5 ? ['debit_account_not_found', last] : [last],
    );
  });
  expect((await metric('ledgerhouse_gateway_messages_total')) - before).toBeLessThan(20);
  const mixed = await Promise.all([
    run('lookup_accounts', [1]),
    run('query_transfers', { limit: 3 }),
    run('lookup_accounts', [2, 404, 1]),
    run('query_transfers', { limit: 8189 }),
    run('query_transfers', { limit: 2 }),
  ]);
  expect(mixed.map(({ result }) => result.length).toSpliced(3, 1)).toEqual([1, 3, 2, 2]);
});

test('an engine that is away: nothing is executed, and said so; back again, the next request is served', async () => {
  const own = await startEngine();
  const target = targetOf('db_away', own.port);
  await run('create_accounts', accounts, { target });
  await own.end('SIGKILL');
  await eventually('the connection is known to be lost', async () =>
    gateway.health('db_away').status === 'DISCONNECTED' ? true : undefined,
  );
  const lost = transfer();
  const { problem } = await run('create_transfers', [lost], { target, timeoutMs: 1_000 });
  // Its own time, not the ten seconds of a request that names none.
  expect(problem.detail).toContain('within 1 s');
  expect(problem).toMatchObject({
    status: 503,
    code: 'ledger_unavailable',
    outcome: 'not_executed',
    retryable: true,
    retryAfterSeconds: 1,
  });
  await eventually('what it is away for is known', async () => {
    expect(gateway.health('db_away')).toMatchObject({
      status: 'DISCONNECTED',
      lastError: expect.stringContaining('ECONNREFUSED'),
    });
    return true;
  });
  await own.start();
  expect(await run('lookup_transfers', [lost.id], { target })).toMatchObject({
    result: [],
    missing: [lost.id],
  });
  expect(gateway.health('db_away')).toMatchObject({ status: 'CONNECTED', lastError: null });
  await own.dispose();
});

test('an engine that is never there: in time, not executed', async () => {
  const { problem } = await run(
    'query_accounts',
    {},
    { target: targetOf('db_none', 1), timeoutMs: 1_000 },
  );
  expect(problem).toMatchObject({
    status: 503,
    code: 'ledger_unavailable',
    outcome: 'not_executed',
  });
});

test('an engine that hangs: sent requests end as unknown in time, the others as not executed; then it goes on', async () => {
  const own = await startEngine();
  const target = targetOf('db_hangs', own.port);
  await run('create_accounts', accounts, { target });
  process.kill(own.pid, 'SIGSTOP');
  const [sent, waiting] = [transfer(), transfer()];
  const first = run('create_transfers', [sent], { target, timeoutMs: 5_000 });
  const second = run('create_transfers', [waiting], { target, timeoutMs: 5_000 });
  expect((await first).problem).toMatchObject({
    status: 504,
    code: 'ledger_timeout',
    outcome: 'unknown',
    retryable: true,
  });
  expect((await first).problem.detail).toContain('same ids');
  expect((await second).problem).toMatchObject({ status: 503, outcome: 'not_executed' });
  // Less than the deadline by what was done before, and to a tenth.
  for (const one of [first, second]) {
    expect((await one).problem.detail).toMatch(/within \d(?:\.\d)? s/);
  }
  process.kill(own.pid, 'SIGCONT');
  const after = await run('create_transfers', [transfer()], { target });
  expect(after.summary).toMatchObject({ created: 1 });
  // The sent request was executed once after all; the waiting one was not.
  const found = await run('lookup_transfers', [sent.id, waiting.id], { target });
  expect(found.result.map((row) => row['id'])).toEqual([sent.id]);
  expect(found.missing).toEqual([waiting.id]);
  expect((await run('create_transfers', [sent], { target })).summary).toMatchObject({ exists: 1 });
  expect(await metric('ledgerhouse_gateway_late_answers_total')).toBe(1);
  await own.dispose();
});

test('an engine killed with a request in hand: unknown, and the same ids afterwards leave it executed once', async () => {
  const own = await startEngine();
  const target = targetOf('db_killed', own.port);
  await run('create_accounts', accounts, { target });
  process.kill(own.pid, 'SIGSTOP');
  const inHand = transfer();
  const before = await metric('ledgerhouse_gateway_messages_total');
  const answer = run('create_transfers', [inHand], { target, timeoutMs: 10_000 });
  await eventually(
    'it is sent',
    async () => (await metric('ledgerhouse_gateway_messages_total')) > before || undefined,
  );
  await own.end('SIGKILL');
  expect((await answer).problem).toMatchObject({ status: 504, outcome: 'unknown' });
  await own.start();
  const again = await run('create_transfers', [inHand], { target });
  const { created = 0, exists = 0 } = again.summary;
  expect(created + exists).toBe(1);
  const { result } = await run('lookup_accounts', [1], { target });
  expect(result[0]).toMatchObject({ debits_posted: '10' });
  await own.dispose();
});

test('an engine that comes back within the deadline: the request is answered, executed once', async () => {
  gateway.close();
  gateway = openGateway({ timers: unhurried });
  const own = await startEngine();
  const target = targetOf('db_restarts', own.port);
  await run('create_accounts', accounts, { target });
  await own.end('SIGKILL');
  const answer = run('create_transfers', [transfer()], { target, timeoutMs: 30_000 });
  await own.start();
  expect((await answer).summary).toEqual({ created: 1, exists: 0, failed: 0 });
  await own.dispose();
});

test('a connection that leads nowhere all of a sudden: the request is answered over another, executed once', async () => {
  const own = await startEngine();
  // Like a pod that is gone with its network: no packet passes in either direction, and nobody closes the connection.
  let dead = false;
  const relay = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect(own.port, '127.0.0.1');
    const isNew = dead;
    near.on('data', (chunk) => (dead && !isNew ? undefined : far.write(chunk)));
    far.on('data', (chunk) => (dead && !isNew ? undefined : near.write(chunk)));
    near.on('error', () => undefined).on('close', () => far.destroy());
    far.on('error', () => undefined);
  });
  servers.push(relay);
  await once(relay.listen(0, '127.0.0.1'), 'listening');
  const target = targetOf('db_dead', (relay.address() as AddressInfo).port);
  await run('create_accounts', accounts, { target });
  dead = true;
  const sent = transfer();
  const answer = await run('create_transfers', [sent], { target, timeoutMs: 30_000 });
  expect(answer.summary).toEqual({ created: 1, exists: 0, failed: 0 });
  expect((await run('lookup_transfers', [sent.id], { target })).result).toHaveLength(1);
  await own.dispose();
});

/** Starts a server that speaks the protocol up to a session, and then sends the result of `answer`. */
async function startLiar(
  answer: (request: RequestHeader) => Uint8Array[] | undefined,
  onPing: (header: Header) => void = () => {},
  pongView?: number,
): Promise<number> {
  const frame = { cluster: 0n, view: 0, release: engineRelease, replica: 0 };
  let op = 0;
  const server = createServer((socket) => {
    const reader = new MessageReader(0n);
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      reader.push(chunk, ({ header }) => {
        if (header.command === Command.pingClient) {
          onPing(header);
          const { monotonic } = new PingClientHeader(header);
          if (pongView !== undefined)
            socket.write(buildPongClient({ ...frame, view: pongView, monotonic }));
          return;
        }
        const request = new RequestHeader(header);
        op += 1;
        const body = new Uint8Array(64);
        new DataView(body.buffer).setUint32(0, bodySizeMax, true);
        const isRegister = request.operation === Operation.register;
        const reply = buildReply({ ...frame, request, op, timestamp: BigInt(op) }, body);
        for (const bytes of isRegister ? [reply, body] : (answer(request) ?? []))
          socket.write(bytes);
      });
    });
  });
  return listening(server);
}

async function listening(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const replyOf = (request: RequestHeader, body: Uint8Array): Uint8Array[] => {
  const frame = { cluster: 0n, view: 0, release: engineRelease, replica: 0 };
  return [buildReply({ ...frame, request, op: 9, timestamp: 9n }, body), body];
};

test.each([
  [
    'fewer results than events',
    (request: RequestHeader) => replyOf(request, encodeMultiBatch([new Uint8Array(0)], 16)),
  ],
  ['no multi-batch', (request: RequestHeader) => replyOf(request, new Uint8Array(16))],
  [
    'another operation',
    (request: RequestHeader) => {
      const header = new Header(Uint8Array.from(request.header.bytes));
      header.putU8(196, Operation.lookupAccounts);
      const changed = new RequestHeader(header);
      return replyOf(changed, encodeMultiBatch([new Uint8Array(16)], 16));
    },
  ],
] as const)(
  'an engine that answers with %s costs its own database a 502 and no other anything',
  async (_what, lie) => {
    await run('create_accounts', accounts);
    const target = targetOf('db_liar', await startLiar(lie));
    const [liar, honest] = await Promise.all([
      run('create_transfers', [transfer()], { target }),
      run('create_transfers', [transfer()]),
    ]);
    expect(liar.problem).toMatchObject({
      status: 502,
      code: 'gateway_bad_reply',
      outcome: 'unknown',
    });
    expect(honest.summary).toMatchObject({ created: 1 });
    // The database is no worse off than before: an honest engine in its place is served at once.
    const moved = await run('create_transfers', [transfer()], {
      target: targetOf('db_liar', engine.port),
    });
    expect(moved.summary).toMatchObject({ created: 1 });
  },
);

test('rows that were not asked for are a 502 too', async () => {
  const target = targetOf(
    'db_liar',
    await startLiar((request) => replyOf(request, encodeMultiBatch([accountBytes([8n])], 128))),
  );
  const { problem } = await run('lookup_accounts', [7], { target });
  expect(problem).toMatchObject({ status: 502, code: 'gateway_bad_reply' });
  expect(gateway.health('db_liar').lastError).toContain('does not answer the request');
});

test('a server that speaks something else is a 502 in time, and not executed', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'.repeat(20));
  });
  const target = targetOf('db_garbage', await listening(server));
  const { problem } = await run('create_transfers', [transfer()], { target, timeoutMs: 5_000 });
  expect(problem).toMatchObject({
    status: 502,
    code: 'gateway_bad_reply',
    outcome: 'not_executed',
  });
  expect(gateway.health('db_garbage').lastError).toContain('does not speak the protocol');
  expect((await run('lookup_accounts', [1])).status).toBe(200);
});

test('a cluster that refuses our release is a 503 that says so', async () => {
  const server = createServer((socket) => {
    const reader = new MessageReader(0n);
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      reader.push(chunk, ({ header }) => {
        const { client } = new RequestHeader(header);
        const frame = { cluster: 0n, view: 0, release: engineRelease, replica: 0 };
        socket.write(
          buildEviction({ ...frame, client, reason: EvictionReason.clientReleaseTooLow }),
        );
      });
    });
  });
  const target = targetOf('db_newer', await listening(server));
  const { problem } = await run('query_accounts', {}, { target });
  expect(problem).toMatchObject({
    status: 503,
    code: 'ledger_unavailable',
    outcome: 'not_executed',
  });
  expect(problem.detail).toContain('release');
  expect(await metric('ledgerhouse_gateway_release_refusals_total')).toBe(1);
});

test('a session that was evicted is begun anew, and the request is served as if nothing had been', async () => {
  await run('create_accounts', accounts);
  const others = Array.from({ length: 64 }, () => connectTo(engine.port));
  opened.push(...others);
  for (const [i, other] of others.entries()) {
    await create(other, Operation.createAccounts, accountBytes([BigInt(5_000 + i)]));
  }
  const answer = await run('create_transfers', [transfer()]);
  expect(answer.summary).toEqual({ created: 1, exists: 0, failed: 0 });
  expect(await metric('ledgerhouse_gateway_evictions_total')).toBe(1);
  expect(gateway.health('db_1')).toMatchObject({ status: 'CONNECTED', lastError: null });
});

test('a write that was sent twice before its session ended is not sent again: it may have been executed', async () => {
  let sent = 0;
  const port = await startLiar((request) => {
    sent += 1;
    if (sent === 1) return undefined;
    const { client } = request;
    const frame = { cluster: 0n, view: 0, release: engineRelease, replica: 0 };
    return [buildEviction({ ...frame, client, reason: EvictionReason.noSession })];
  });
  const target = targetOf('db_evicts', port);
  const { problem } = await run('create_transfers', [transfer()], { target });
  expect(problem).toMatchObject({ status: 504, code: 'ledger_timeout', outcome: 'unknown' });
  expect(sent).toBe(2);
});

test('a write is not taken for refused when the copy of an earlier one may have been', async () => {
  const numbers: number[] = [];
  const port = await startLiar((request) => {
    numbers.push(request.number);
    const isSecond = numbers.filter((number) => number === request.number).length === 2;
    if (isSecond) return replyOf(request, encodeMultiBatch([new Uint8Array(16)], 16));
    // The first write is repeated and answered; the second is refused when it comes for the first time.
    if (request.number === 1) return undefined;
    const frame = { cluster: 0n, view: 0, release: engineRelease, replica: 0 };
    const { client } = request;
    return [buildEviction({ ...frame, client, reason: EvictionReason.noSession })];
  });
  const target = targetOf('db_copies', port);
  expect((await run('create_transfers', [transfer()], { target })).status).toBe(200);
  const { problem } = await run('create_transfers', [transfer()], { target });
  expect(problem).toMatchObject({ status: 504, code: 'ledger_timeout', outcome: 'unknown' });
  expect(numbers).toEqual([1, 1, 2]);
});

test('a ping is never answered with an eviction, which would look like the refusal of a write that is being executed', async () => {
  const pings: bigint[] = [];
  const port = await startLiar(
    () => undefined,
    (header) => pings.push(header.u64(152)),
  );
  const target = targetOf('db_pinged', port);
  const caller = new AbortController();
  const { signal } = caller;
  const answer = run('create_transfers', [transfer()], { target, timeoutMs: 30_000, signal });
  await eventually('a ping has come', async () => pings.length > 0 || undefined);
  caller.abort();
  await answer;
  expect(pings.every((session) => session === 0n)).toBe(true);
});

const fullStatus = {
  engine: 'Builtin',
  version: '0.1.0',
  release: '0.17.9',
  clusterId: '0',
  replicaIndex: 0,
  replicaCount: 1,
  role: 'primary',
  syncing: false,
  view: 0,
  op: 1,
  commit: 1,
  checkpoint: 0,
  acceptsWrites: false,
  warnings: ['MemoryAtLimit'],
  memory: { usedBytes: 90, limitBytes: 100 },
  storage: { usedBytes: 1, limitBytes: 100 },
};

test('a write that was executed while its ledger filled up is told as executed', async () => {
  gateway.close();
  gateway = openGateway({ fetchStatus: async () => fullStatus });
  let write: RequestHeader | undefined;
  const port = await startLiar((request) => {
    write ??= request;
    // The write is answered late: when something else comes under its number.
    if (request.operation === write.operation) return undefined;
    return replyOf(write, encodeMultiBatch([new Uint8Array(16)], 16));
  });
  const answer = await run('create_transfers', [transfer()], { target: targetOf('db_late', port) });
  expect(answer.status).toBe(200);
});

test('a full ledger that does not say whether it executed a write: unknown, and the next is refused at once', async () => {
  gateway.close();
  gateway = openGateway({ fetchStatus: async () => fullStatus });
  const target = targetOf('db_mute', await startLiar(() => undefined));
  const first = await run('create_transfers', [transfer()], { target, timeoutMs: 5_000 });
  expect(first.problem).toMatchObject({ code: 'ledger_timeout', outcome: 'unknown' });
  const next = await run('create_transfers', [transfer()], { target, timeoutMs: 5_000 });
  expect(next.problem).toMatchObject({ code: 'ledger_full', outcome: 'not_executed' });
});

test('a ledger without room for a write that takes others is not full: the deadline decides', async () => {
  gateway.close();
  gateway = openGateway({ fetchStatus: async () => ({ ...fullStatus, acceptsWrites: true }) });
  const target = targetOf('db_slow', await startLiar(() => undefined));
  const { problem } = await run('create_transfers', [transfer()], { target, timeoutMs: 5_000 });
  expect(problem).toMatchObject({ code: 'ledger_timeout', outcome: 'unknown' });
});

test('a request is charged by its events, or by the records that it may answer with, before it is sent', async () => {
  const taken: number[] = [];
  const takeEvents = async (count: number) => void taken.push(count);
  await run('create_transfers', [transfer(), transfer(), transfer()], { takeEvents });
  await run('lookup_transfers', ['1', '2'], { takeEvents });
  await run('query_transfers', { limit: 500 }, { takeEvents });
  await run('query_transfers', {}, { takeEvents });
  expect(taken).toEqual([3, 2, 501, 101]);
  const refused = transfer();
  const usedUp = () => Promise.reject(new Error('used up'));
  await expect(run('create_transfers', [refused], { takeEvents: usedUp })).rejects.toThrow(
    'used up',
  );
  const { missing } = await run('lookup_transfers', [refused.id]);
  expect(missing).toEqual([refused.id]);
});

test('1,000 requests may wait, the next is refused at once; they are all answered when the engine goes on', async () => {
  gateway.close();
  gateway = openGateway({ timers: unhurried });
  await run('create_accounts', accounts);
  process.kill(engine.pid, 'SIGSTOP');
  const held = Array.from({ length: 1_001 }, () =>
    run('create_transfers', [transfer()], { timeoutMs: 30_000 }),
  );
  await eventually('all of them wait', async () => gateway.waiting === 1_000 || undefined);
  const { problem } = await run('create_transfers', [transfer()], { timeoutMs: 30_000 });
  expect(problem).toMatchObject({
    status: 503,
    code: 'ledger_unavailable',
    outcome: 'not_executed',
  });
  // Before any of those that wait is answered, or has waited for too long.
  expect(gateway.waiting).toBe(1_000);
  process.kill(engine.pid, 'SIGCONT');
  const answers = await Promise.all(held);
  expect(answers.filter((answer) => answer.summary['created'] === 1)).toHaveLength(1_001);
});

test('large requests may wait too, but not a gigabyte of them', async () => {
  gateway.close();
  gateway = openGateway({ timers: unhurried });
  await run('create_accounts', accounts);
  const payload = Array.from({ length: 8_189 }, (_, i) => ({
    id: 100_000 + i,
    ledger: 1,
    code: 1,
  }));
  process.kill(engine.pid, 'SIGSTOP');
  const held = Array.from({ length: 70 }, () =>
    run('create_accounts', payload, { timeoutMs: 30_000 }),
  );
  // Each keeps its records and the body that they came in; one more is under way.
  const bytes = payload.length * 128 + JSON.stringify(payload).length;
  const waiting = Math.floor((64 * 1024 * 1024) / bytes);
  const haveHadTheirTurn = async () => gateway.turns.waiting === 0 || undefined;
  await eventually('all have come to the queue', haveHadTheirTurn);
  expect(gateway.waiting).toBe(waiting);
  process.kill(engine.pid, 'SIGCONT');
  const answers = await Promise.all(held);
  const refused = answers.filter(({ status }) => status === 503);
  expect(refused).toHaveLength(69 - waiting);
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(waiting + 1);
});

test('a database that moves: requests already sent are answered by the old address, later ones by the new', async () => {
  gateway.close();
  gateway = openGateway({ timers: unhurried });
  const own = await startEngine();
  const target = targetOf('db_moves', own.port);
  await run('create_accounts', accounts, { target });
  await run('create_accounts', accounts);
  process.kill(own.pid, 'SIGSTOP');
  const sent = transfer();
  const before = run('create_transfers', [sent], { target, timeoutMs: 30_000 });
  const moved = targetOf('db_moves', engine.port);
  expect((await run('lookup_transfers', [sent.id], { target: moved })).missing).toEqual([sent.id]);
  // One of db_1, and the old and the new one of this.
  expect(gateway.sessions).toBe(3);
  process.kill(own.pid, 'SIGCONT');
  expect((await before).summary).toMatchObject({ created: 1 });
  expect(gateway.sessions).toBe(2);
  await own.dispose();
});

/** For whom a deadline is ten times as far away, and all shorter times are as they are. */
const patient: Timers = {
  ...systemTimers,
  after: (ms, callback) => systemTimers.after(ms < deadlineRange.minMs ? ms : 10 * ms, callback),
};

/** A database whose engine is reached over a relay, until it has moved elsewhere. */
async function startMoving(databaseId: string) {
  gateway.close();
  gateway = openGateway({ timers: patient });
  const own = await startEngine();
  const relay = await SwallowingRelay.start(own.port);
  relays.push(relay);
  const at = (port: number, version: number): Target => ({
    ...targetOf(databaseId, port, version),
    again: async () => where,
  });
  let where = at(relay.port, 0);
  const target = where;
  await run('create_accounts', accounts, { target });
  return {
    target,
    relay,
    enginePort: own.port,
    /** Sends a transfer of which either the request or the answer is lost. */
    send: async (loses: 'requests' | 'answers') => {
      relay.lose(loses);
      const sent = transfer();
      const answer = run('create_transfers', [sent], { target, timeoutMs: 30_000 });
      await eventually('it is on its way', async () => relay.swallowed > 0 || undefined);
      return { sent, answer };
    },
    /** The engine ends, and nothing is at its address any more. */
    leave: async () => {
      await own.end('SIGTERM');
      relay.end();
    },
    /** The engine goes on with its file at another address. */
    goOn: async () => {
      [own.port = 0] = await freePorts(1);
      await own.start();
      return own.port;
    },
    tell: (port: number) => {
      where = at(port, where.version + 1);
    },
  };
}

test.each([
  ['has not reached it', 'requests'],
  ['was executed, but not answered', 'answers'],
] as const)(
  'a database that gets other addresses: a request that %s is answered there, executed once, although nobody asks for anything more',
  async (_what, lost) => {
    const moving = await startMoving('db_replaced');
    const { sent, answer } = await moving.send(lost);
    await moving.leave();
    moving.tell(await moving.goOn());
    expect((await answer).summary).toEqual({ created: 1, exists: 0, failed: 0 });
    const { target } = moving;
    expect((await run('lookup_transfers', [sent.id], { target })).result).toHaveLength(1);
    const { result } = await run('lookup_accounts', [1], { target });
    expect(result[0]).toMatchObject({ debits_posted: '10' });
  },
);

test('a request on its way goes to the new address once the former one lets it go, and nothing connects there again', async () => {
  const moving = await startMoving('db_lets_go');
  const { sent, answer } = await moving.send('requests');
  // The former address still holds it: the engine is reached at both.
  const target = targetOf('db_lets_go', moving.enginePort);
  const found = await run('lookup_transfers', [sent.id], { target });
  expect(found.missing).toEqual([sent.id]);
  moving.relay.cut();
  expect((await answer).summary).toEqual({ created: 1, exists: 0, failed: 0 });
  // Longer than a lost connection waits before it is made again.
  for (let asked = 0; asked < 100; asked += 1) await run('lookup_accounts', [1], { target });
  expect(moving.relay.connections).toBe(0);
});

test('a database that goes on from a backup at other addresses: what was on its way is unknown at once, what waited is executed', async () => {
  const moving = await startMoving('db_restored');
  await run('create_accounts', accounts);
  const { sent, answer } = await moving.send('answers');
  const waiting = run('create_transfers', [transfer()], {
    target: moving.target,
    timeoutMs: 30_000,
  });
  await moving.leave();
  // It knows nothing of the earlier one's sessions.
  moving.tell(engine.port);
  const { problem } = await answer;
  expect(problem).toMatchObject({ status: 504, code: 'ledger_timeout', outcome: 'unknown' });
  expect(problem.detail).toContain('session');
  expect((await waiting).summary).toMatchObject({ created: 1 });
  const again = await run('create_transfers', [sent], {
    target: targetOf('db_restored', engine.port),
  });
  expect(again.summary).toEqual({ created: 1, exists: 0, failed: 0 });
});

test('a database that goes on from a backup made before its last change of leader: what was on its way is told at once, too', async () => {
  gateway.close();
  gateway = openGateway({ timers: patient });
  await run('create_accounts', accounts);
  const pings = new Map<bigint, number>();
  const onPing = (header: Header) => {
    const { client } = new PingClientHeader(header);
    pings.set(client, (pings.get(client) ?? 0) + 1);
  };
  const relay = await SwallowingRelay.start(await startLiar(() => undefined, onPing, 5));
  relays.push(relay);
  const former: Target = { ...targetOf('db_led', relay.port), again: async () => where };
  let where = former;
  const context = { target: former, timeoutMs: deadlineRange.maxMs };
  const write = run('create_transfers', [transfer()], context);
  const read = run('lookup_accounts', [1], context);
  await eventually('both have heard of another leader', async () => {
    const counts = [...pings.values()];
    return (counts.length === 2 && counts.every((count) => count > 1)) || undefined;
  });
  relay.end();
  where = targetOf('db_led', engine.port);
  expect((await read).status).toBe(200);
  const { problem } = await write;
  expect(problem).toMatchObject({ status: 504, code: 'ledger_timeout', outcome: 'unknown' });
  expect(problem.detail).toContain('session');
});

test('a request that was told a former address goes to the latest one at once, and no connection is made anew', async () => {
  const latest = targetOf('db_told', engine.port, 2);
  await run('create_accounts', accounts, { target: latest });
  await run('lookup_accounts', [1], { target: latest });
  // Nothing is there any more. The caller read the row before it changed, and its body took a while.
  const former = targetOf('db_told', 1, 1);
  const sent = transfer();
  const written = await run('create_transfers', [sent], { target: former, timeoutMs: 20_000 });
  expect(written.summary).toEqual({ created: 1, exists: 0, failed: 0 });
  const read = await run('lookup_transfers', [sent.id], { target: former, timeoutMs: 20_000 });
  expect(read.result).toHaveLength(1);
  // The row changed, and its addresses did not.
  await run('lookup_accounts', [1], { target: targetOf('db_told', engine.port, 4) });
  const between = targetOf('db_told', 1, 3);
  expect((await run('lookup_accounts', [1], { target: between, timeoutMs: 20_000 })).status).toBe(
    200,
  );
  expect(gateway.sessions).toBe(2);
});

test('a database whose row went back, with a PostgreSQL that was restored, is found at the address that the row has', async () => {
  const databaseId = 'db_back';
  await run('create_accounts', accounts);
  const row: Target = { ...targetOf(databaseId, engine.port, 9), again: async () => row };
  // Nothing is there any more.
  const known: Target = { ...targetOf(databaseId, 1, 200), again: async () => row };
  const written = await run('create_transfers', [transfer()], { target: known, timeoutMs: 20_000 });
  expect(written.summary).toEqual({ created: 1, exists: 0, failed: 0 });
  expect((await run('lookup_accounts', [1], { target: row, timeoutMs: 20_000 })).status).toBe(200);
});

test('a caller that goes away before its request was sent leaves nothing executed', async () => {
  await run('create_accounts', accounts);
  process.kill(engine.pid, 'SIGSTOP');
  const first = run('create_transfers', [transfer()]);
  const left = transfer();
  const caller = new AbortController();
  const second = run('create_transfers', [left], { signal: caller.signal });
  caller.abort();
  expect(await second).toEqual({ status: 0, problem: undefined });
  process.kill(engine.pid, 'SIGCONT');
  await first;
  expect((await run('lookup_transfers', [left.id])).missing).toEqual([left.id]);
});

test('an idle connection is closed, and the next request opens another', async () => {
  gateway.close();
  // What is to come after this time comes when the test says so.
  const idleMs = 77_777;
  const idle: { ends?: () => void } = {};
  const after: Timers['after'] = (ms, callback) => {
    if (ms !== idleMs) return systemTimers.after(ms, callback);
    idle.ends = callback;
    return () => delete idle.ends;
  };
  gateway = openGateway({ idleMs, timers: { ...systemTimers, after } });
  expect(gateway.health('db_1')).toEqual({
    status: 'UNKNOWN',
    latencyMs: null,
    lastError: null,
    checkedAt: null,
  });
  await run('create_accounts', accounts);
  expect(await metric('ledgerhouse_gateway_sessions')).toBe(1);
  expect(gateway.health('db_1').status).toBe('CONNECTED');
  idle.ends?.();
  await eventually('it is closed', async () => (gateway.sessions === 0 ? true : undefined));
  expect(gateway.health('db_1').status).toBe('UNKNOWN');
  expect((await run('lookup_accounts', [1])).status).toBe(200);
});

test('how a database is reached is known without traffic, and without a session', async () => {
  const own = await startEngine();
  // This server accepts connections and sends nothing.
  const mute = createServer().listen(0, '127.0.0.1');
  servers.push(mute);
  await once(mute, 'listening');
  const { port } = mute.address() as AddressInfo;
  const list = [targetOf('db_own', own.port), targetOf('db_mute', port), targetOf('db_away', 1)];
  const probes = new Probes({
    timers: systemTimers,
    logger: pino({ level: 'silent' }),
    metrics: gateway.metrics,
    list: async () => list,
    traffic: (databaseId) => gateway.health(databaseId),
  });
  const becomes = (databaseId: string, status: string) =>
    eventually(`${databaseId} is ${status}`, async () => {
      const health = probes.health(databaseId);
      return health.status === status ? health : undefined;
    });
  try {
    expect(probes.health('db_own').status).toBe('UNKNOWN');
    probes.start();
    expect(await becomes('db_own', 'CONNECTED')).toEqual({
      status: 'CONNECTED',
      latencyMs: expect.any(Number),
      lastError: null,
      checkedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    const { lastError } = await becomes('db_mute', 'DISCONNECTED');
    expect(lastError).toBe(`127.0.0.1:${port}: no answer within 1 s`);
    expect((await becomes('db_away', 'DISCONNECTED')).lastError).toContain('ECONNREFUSED');
    expect((await own.status()).sessions).toBe(0);
    expect(gateway.sessions).toBe(0);
    expect(await metric('ledgerhouse_gateway_probes_total', '{result="answered"}')).toBeGreaterThan(
      0,
    );
  } finally {
    await probes.stop();
  }
});

test('a cluster that grants smaller batches says how large they may be', async () => {
  const own = await startEngine(['--development']);
  const target = targetOf('db_small', own.port);
  const events = Array.from({ length: 254 }, (_, i) => ({ id: i + 1, ledger: 1, code: 1 }));
  const { problem } = await run('create_accounts', events, { target });
  expect(problem).toMatchObject({ status: 422, code: 'batch_too_large', maxEventsPerBatch: 253 });
  expect((await run('create_accounts', events.slice(1), { target })).summary).toMatchObject({
    created: 253,
  });
  await own.dispose();
});

/** Imports around an expiry of `port`, whose accounts 1 and 2 are there. */
async function meetsNoExpiry(databaseId: string, port: number): Promise<void> {
  const client = connectTo(port, 20_000);
  opened.push(client);
  const expiry = await expiryOf(client, BigInt(nextId()));
  // The cluster's time goes on.
  await create(client, Operation.createAccounts, accountBytes([BigInt(nextId())]));
  const imports = (...timestamps: readonly bigint[]) =>
    timestamps.map((timestamp) =>
      transfer({ flags: 'imported', timestamp: String(timestamp), amount: 1 }),
    );
  const context = {
    target: targetOf(databaseId, port),
    engine: 'TigerBeetle',
    engineVersion: '0.17.9',
  };
  const send = (events: unknown) => run('create_transfers', events, context);
  const unsafe = (index: number, detail: string) => ({
    problem: {
      status: 422,
      code: 'validation_failed',
      outcome: 'not_executed',
      detail: expect.stringContaining(detail),
      errors: [{ pointer: `#/${index}/timestamp`, code: 'unsafe_request' }],
    },
  });
  const meets = `expired at the timestamp ${expiry}`;
  expect(await send(imports(expiry))).toMatchObject(unsafe(0, meets));
  expect(await send(imports(expiry - 1n, expiry + 1n, expiry))).toMatchObject(unsafe(2, meets));
  const later = expiry + 3_600_000_000_000n;
  expect(await send(imports(expiry + 1n, later))).toMatchObject(unsafe(1, "the cluster's time"));
  // All beside it are made, and are found again by whoever repeats them.
  const beside = imports(expiry - 1n, expiry + 1n);
  for (const summary of [{ created: 2 }, { exists: 2 }])
    expect(await send(beside)).toMatchObject({ summary });
}

test('an imported transfer that meets an expiry is not sent to TigerBeetle, and is named', async () => {
  await run('create_accounts', accounts);
  await meetsNoExpiry('db_1', engine.port);
  const imported = transfer({ flags: 'imported', timestamp: '1' });
  const away = { target: targetOf('db_away', 1), engine: 'TigerBeetle', timeoutMs: 1_000 };
  expect((await run('create_transfers', [imported], away)).problem).toMatchObject({
    status: 503,
    outcome: 'not_executed',
    detail: expect.stringContaining('could not be asked for expiries'),
  });
});

(tigerbeetle === undefined ? test.skip : test)(
  'TigerBeetle itself lives on after imported transfers right beside an expiry',
  async () => {
    const real = await startTigerBeetle();
    try {
      const target = targetOf('db_real', real.port);
      await run('create_accounts', accounts, { target });
      await meetsNoExpiry('db_real', real.port);
      // It would end when the tables of that time are written: within two bars of operations.
      for (let i = 0; i < 150; i += 1)
        expect((await run('create_transfers', [transfer()], { target })).status).toBe(200);
    } finally {
      await real.dispose();
    }
  },
);

test('a database that is forgotten answers no more, and what waited for it is told', async () => {
  const target = targetOf('db_gone', 1);
  const waiting = run('query_accounts', {}, { target });
  gateway.forget('db_gone');
  expect((await waiting).problem).toMatchObject({ status: 503, outcome: 'not_executed' });
  gateway.close();
  expect((await run('lookup_accounts', [1])).problem).toMatchObject({
    status: 503,
    outcome: 'not_executed',
  });
});
