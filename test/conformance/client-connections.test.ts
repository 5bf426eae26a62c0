/**
 * Clients that read nothing, say nothing or stop in the middle of a message cost a bounded amount of memory and time, and lock
 * nobody out. The server is the engine's; behind it stands a replica that answers every request with a full page.
 */
import { afterEach, expect, jest, test } from '@jest/globals';
import { connect, type Socket } from 'node:net';
import pino, { type Logger } from 'pino';
import type { ClientLimits } from '../../engine/server/client-limits.ts';
import { ClientServer } from '../../engine/server/client-server.ts';
import type { ServedReplica } from '../../engine/replica/served-replica.ts';
import {
  buildPingClient,
  buildReply,
  buildRequest,
  Header,
  RequestHeader,
} from '../../engine/wire/header.ts';
import { headerSize, messageSizeMax } from '../../engine/wire/limits.ts';
import { MessageReader, type Message } from '../../engine/wire/message-reader.ts';
import { Operation } from '../../engine/wire/operations.ts';
import { engineRelease } from '../../engine/wire/release.ts';
import { eventually } from '../support/shell.ts';

const page = new Uint8Array(messageSizeMax - headerSize);
const frame = { cluster: 0n, view: 0, release: engineRelease };
const parent = new Uint8Array(16);
const mib = 2 ** 20;

let servers: ClientServer[] = [];
let sockets: Socket[] = [];
afterEach(() => {
  jest.restoreAllMocks();
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
  [servers, sockets] = [[], []];
});

/** Of a connection that is used slowly, as all is on a busy machine. */
const patient = { handshakeMs: 600_000, messageMs: 600_000, takeMs: 600_000 };

/** A server, and how many requests of each client were executed. */
async function serve(
  limits: Partial<ClientLimits>,
  {
    connectionsMax = 64,
    sessions = [] as readonly bigint[],
    logger = pino({ level: 'silent' }) as Logger,
  } = {},
) {
  const executed = new Map<bigint, number>();
  const replica: Pick<ServedReplica, 'receive' | 'sessions' | 'view' | 'evicts'> = {
    view: 0,
    evicts: false,
    sessions: {
      get: (client: bigint) => (sessions.includes(client) ? {} : undefined),
    } as unknown as ServedReplica['sessions'],
    receive: (message, sink) => {
      const request = new RequestHeader(new Header(message));
      executed.set(request.client, (executed.get(request.client) ?? 0) + 1);
      const fields = { ...frame, replica: 0, request, op: 1, timestamp: 1n };
      sink.send({ header: buildReply(fields, page), body: page });
    },
  };
  const server = new ClientServer({
    replica: replica as ServedReplica,
    identity: { clusterId: 0n, replicaIndex: 0, replicaCount: 1 },
    connectionsMax,
    logger,
    limits: { ...patient, ...limits },
  });
  servers.push(server);
  const port = await server.listen('127.0.0.1', 0, 0);
  return { server, port, executed };
}

function open(port: number) {
  const messages: Message[] = [];
  const reader = new MessageReader(0n);
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  const state = { closed: false };
  socket.on('data', (chunk) => reader.push(chunk, (message) => messages.push(message)));
  socket.on('error', () => undefined);
  socket.on('close', () => (state.closed = true));
  return { socket, messages, state };
}

const ping = (client: bigint) =>
  buildPingClient({ cluster: 0n, release: engineRelease, client, session: 0n, monotonic: 1n });

function requests(client: bigint, count: number): Uint8Array {
  const all = Array.from({ length: count }, (_, i) =>
    buildRequest(
      {
        ...frame,
        client,
        session: 1n,
        request: i + 1,
        operation: Operation.lookupAccounts,
        parent,
      },
      new Uint8Array(0),
    ),
  );
  return Buffer.concat(all);
}

/** Resolves when the server has answered this often, so that it has looked at everything that came before. */
async function pingsAnswered(port: number, count: number): Promise<void> {
  const { socket, messages } = open(port);
  for (let i = 1; i <= count; i += 1) {
    socket.write(ping(999n));
    await eventually('a ping is answered', async () => messages.length >= i || undefined);
  }
  socket.destroy();
}

test('requests of a client that reads nothing wait, and are answered once it reads', async () => {
  const { port, executed } = await serve({});
  const { socket, messages } = open(port);
  socket.pause();
  socket.write(requests(7n, 60));
  await eventually('it is served', async () => (executed.get(7n) ?? 0) > 0 || undefined);
  await pingsAnswered(port, 20);
  // One that waits, and those that the kernel's own buffers took.
  expect(executed.get(7n)).toBeLessThan(30);
  socket.resume();
  await eventually('all are answered', async () => messages.length === 60 || undefined);
  expect(executed.get(7n)).toBe(60);
});

test('answers that were not taken are bounded for all clients together; who reads is served', async () => {
  const { server, port, executed } = await serve({ allUnsentBytesMax: 3 * mib });
  const slow = Array.from({ length: 8 }, (_, i) => {
    const each = open(port);
    each.socket.pause();
    each.socket.write(requests(BigInt(i + 1), 100));
    return each;
  });
  const reason = 'too_many_unsent_bytes';
  await eventually(
    'some are closed',
    async () => (server.closed.get(reason) ?? 0) > 4 || undefined,
  );
  const reader = open(port);
  reader.socket.write(requests(50n, 3));
  await eventually('answers', async () => reader.messages.length === 3 || undefined);
  expect(executed.get(50n)).toBe(3);
  expect(server.connections).toBeLessThan(slow.length);
});

test('a client that does not read its answers in time is disconnected', async () => {
  const { server, port } = await serve({ takeMs: 100 });
  const { socket } = open(port);
  socket.pause();
  socket.write(requests(7n, 100));
  const reason = 'answers_not_taken';
  await eventually('it is closed', async () => server.closed.get(reason) === 1 || undefined);
});

test('a silent connection, a half message and an idle client are closed in time; a client that pings stays', async () => {
  const limits = { handshakeMs: 600_000, messageMs: 1_200_000, idleMs: 2_000_000 };
  const { server, port } = await serve(limits);
  // Time passes in leaps, beside which what the machine takes is nothing.
  const nowMs = performance.now.bind(performance);
  let aheadMs = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs() + aheadMs);
  const [active, silent, half, idle] = [open(port), open(port), open(port), open(port)];
  half.socket.write(Buffer.concat([ping(2n), ping(2n).subarray(0, 100)]));
  idle.socket.write(ping(3n));
  const pinged = async (end: typeof active) => {
    const { length } = end.messages;
    end.socket.write(ping(1n));
    await eventually('a ping is answered', async () => end.messages.length > length || undefined);
  };
  await eventually('all are heard', async () => {
    const heard = half.messages.length > 0 && idle.messages.length > 0;
    return (heard && server.connections === 4) || undefined;
  });
  for (const [ms, { state }, reason] of [
    [limits.handshakeMs, silent, 'handshake_timeout'],
    [limits.messageMs, half, 'message_timeout'],
    [limits.idleMs, idle, 'idle'],
  ] as const) {
    await pinged(active);
    expect(state.closed).toBe(false);
    aheadMs = ms + 1_000;
    await eventually('it is closed', async () => state.closed || undefined);
    expect([...server.closed.keys()].at(-1)).toBe(reason);
  }
  expect(server.closed.size).toBe(3);
  expect(active.state.closed).toBe(false);
});

test('memory for half messages is bounded, and the oldest go first', async () => {
  const { server, port } = await serve({ allBegunBytesMax: 3 * mib });
  const request = {
    ...frame,
    session: 1n,
    request: 1,
    operation: Operation.lookupAccounts,
    parent,
  };
  const halves: ReturnType<typeof open>[] = [];
  for (let i = 1; i <= 5; i += 1) {
    const half = open(port);
    half.socket.write(buildRequest({ ...request, client: BigInt(i) }, page));
    await pingsAnswered(port, 2);
    halves.push(half);
  }
  const closed = () => server.closed.get('too_many_begun_bytes');
  await eventually('the oldest are closed', async () => closed() === 2 || undefined);
  await eventually('they hear of it', async () => halves[1]?.state.closed || undefined);
  expect(halves.map(({ state }) => state.closed)).toEqual([true, true, false, false, false]);
});

test('silent connections do not lock clients out, and do not drive out those with a session', async () => {
  const { server, port } = await serve({}, { connectionsMax: 4, sessions: [1n] });
  const client = open(port);
  client.socket.write(ping(1n));
  await eventually('the client is known', async () => client.messages.length === 1 || undefined);
  for (let i = 0; i < 10; i += 1) open(port);
  await eventually('it is full', async () => server.connections === 4 || undefined);
  const late = open(port);
  late.socket.write(ping(2n));
  await eventually(
    'another client is answered',
    async () => late.messages.length === 1 || undefined,
  );
  expect(client.state.closed).toBe(false);
  expect(server.connections).toBe(4);
});

test('with nothing but sessions on all connections another one is refused', async () => {
  const { port } = await serve({}, { connectionsMax: 2, sessions: [1n, 2n] });
  for (const client of [1n, 2n]) {
    const { socket, messages } = open(port);
    socket.write(ping(client));
    await eventually('it is known', async () => messages.length === 1 || undefined);
  }
  const { state } = open(port);
  await eventually('it is closed', async () => state.closed || undefined);
});

test('a connection stands for the client that it named last, however many it names', async () => {
  const { port } = await serve({});
  const fickle = open(port);
  for (let client = 1n; client <= 100n; client += 1n) fickle.socket.write(ping(client));
  await eventually('it is answered', async () => fickle.messages.length === 100 || undefined);
  const other = open(port);
  for (let client = 1n; client < 100n; client += 1n) other.socket.write(ping(client));
  await eventually('the other, too', async () => other.messages.length === 99 || undefined);
  expect(fickle.state.closed).toBe(false);
  other.socket.write(ping(100n));
  await eventually('the older one is closed', async () => fickle.state.closed || undefined);
});

test('a crowd that sends nonsense is counted, and cannot fill the log', async () => {
  const warnings: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) });
  const { server, port } = await serve({}, { logger });
  const crowd = Array.from({ length: 40 }, () => {
    const each = open(port);
    each.socket.write(new Uint8Array(headerSize).fill(7));
    return each;
  });
  await eventually('all are closed', async () =>
    crowd.every(({ state }) => state.closed) ? true : undefined,
  );
  expect([...server.streamErrors.values()].reduce((sum, count) => sum + count, 0)).toBe(40);
  expect(warnings).toHaveLength(1);
});
