/** The client against Node's own HTTP/2 server, a general implementation (nghttp2), at a unix socket. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import {
  constants,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { createServer as createSocketServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Channel } from './channel.ts';
import { addressOf } from './connection.ts';
import type { Outcome } from './stream.ts';

type Handler = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

let folder: string;
let target: string;
let server: Http2Server;
let sessions: ServerHttp2Session[];
let channel: Channel;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-grpc-'));
  target = `unix:${join(folder, 'socket')}`;
  sessions = [];
  channel = new Channel(target);
});

afterEach(async () => {
  channel.close();
  await stop();
  rmSync(folder, { recursive: true, force: true });
});

async function start(handler: Handler, options = {}): Promise<void> {
  server = createServer(options);
  server.on('session', (session) => sessions.push(session));
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    handler(stream, headers);
  });
  server.listen(join(folder, 'socket'));
  await once(server, 'listening');
}

async function stop(): Promise<void> {
  for (const session of sessions.splice(0)) session.destroy();
  if (!server.listening) return;
  server.close();
  await once(server, 'close');
}

const framed = (message: Uint8Array): Buffer => {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
};

async function bodyOf(stream: ServerHttp2Stream): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** Ends a call with a message and a status. */
function answer(stream: ServerHttp2Stream, message: Uint8Array, status = 0, details = ''): void {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () =>
    stream.sendTrailers({ 'grpc-status': `${status}`, 'grpc-message': details }),
  );
  stream.end(framed(message));
}

const echo: Handler = (stream) => {
  void bodyOf(stream).then((body) => answer(stream, body.subarray(5)));
};

const limits = { timeoutMs: 30_000 };
const bytesOf = (size: number): Buffer =>
  Buffer.alloc(size).map((_, i) => i * 7 + (i >> 8)) as Buffer;

test('messages of all sizes go both ways whole, within any windows', async () => {
  await start(echo, { settings: { initialWindowSize: 1000, maxFrameSize: 20_000 } });
  for (const size of [0, 1, 11, 999, 1000, 1001, 16_384, 70_000, 200_000]) {
    const message = bytesOf(size);
    expect((await channel.call('/a/B', message, limits)).equals(message)).toBe(true);
  }
  const sizes = [300_000, 3, 200_000, 70_000];
  const together = await Promise.all(
    sizes.map((size) => channel.call('/a/B', bytesOf(size), limits)),
  );
  expect(together.map(({ length }) => length)).toEqual(sizes);
});

test('padding is left out, and counts against the windows', async () => {
  await start(echo, { paddingStrategy: constants.PADDING_STRATEGY_MAX });
  const message = bytesOf(3_000_000);
  for (let round = 0; round < 8; round += 1)
    expect((await channel.call('/a/B', message, limits)).equals(message)).toBe(true);
});

test('more bytes than any window pass through one connection', async () => {
  await start(echo);
  for (let round = 0; round < 12; round += 1)
    expect((await channel.call('/a/B', bytesOf(2_000_000), limits)).length).toBe(2_000_000);
  expect(sessions.length).toBe(1);
});

test('a call says what it wants, and until when', async () => {
  let seen: IncomingHttpHeaders = {};
  await start((stream, headers) => {
    seen = headers;
    echo(stream, headers);
  });
  await channel.call('/etcdserverpb.KV/Txn', bytesOf(1), { timeoutMs: 1500 });
  expect(seen).toMatchObject({
    ':method': 'POST',
    ':path': '/etcdserverpb.KV/Txn',
    'content-type': 'application/grpc',
    te: 'trailers',
    'grpc-timeout': '1500m',
  });
});

test('the server’s status and its words reach the caller, with and without a message', async () => {
  await start((stream, { ':path': path }) => {
    if (path === '/late') return answer(stream, bytesOf(9), 8, 'no%20space: %E2%82%AC');
    stream.respond(
      { ':status': 200, 'grpc-status': '11', 'grpc-message': 'gone' },
      { endStream: true },
    );
  });
  await expect(channel.call('/late', bytesOf(1), limits)).rejects.toMatchObject({
    code: 8,
    message: '/late: no space: €',
  });
  await expect(channel.call('/early', bytesOf(1), limits)).rejects.toMatchObject({
    code: 11,
    message: '/early: gone',
  });
});

test('success without a message is no answer, and neither is a page of another server', async () => {
  await start((stream, { ':path': path }) => {
    if (path === '/page') return stream.respond({ ':status': 404 }, { endStream: true });
    stream.respond({ ':status': 200, 'grpc-status': '0' }, { endStream: true });
  });
  await expect(channel.call('/a', bytesOf(1), limits)).rejects.toMatchObject({ code: 14 });
  await expect(channel.call('/page', bytesOf(1), limits)).rejects.toMatchObject({ code: 14 });
});

test('a call that takes too long, and one that is cancelled, end on both sides, and others go on', async () => {
  const ended: string[] = [];
  await start((stream, headers) => {
    const path = String(headers[':path']);
    if (path === '/quick') return echo(stream, headers);
    stream.on('close', () => ended.push(`${path} ${stream.rstCode}`));
  });
  await expect(channel.call('/slow', bytesOf(1), { timeoutMs: 5 })).rejects.toMatchObject({
    code: 4,
  });
  const leaving = new AbortController();
  const left = channel.call('/left', bytesOf(1), { ...limits, signal: leaving.signal });
  leaving.abort();
  await expect(left).rejects.toMatchObject({ code: 1 });
  const never = channel.call('/never', bytesOf(1), { ...limits, signal: leaving.signal });
  await expect(never).rejects.toMatchObject({ code: 1 });
  // The server handles frames in their order: it has seen both ends when it answers this.
  expect((await channel.call('/quick', bytesOf(3), limits)).length).toBe(3);
  expect(ended).toEqual(['/slow 8', '/left 8']);
});

test('a stream brings messages as they come, until it is ended', async () => {
  const wanted: ServerHttp2Stream[] = [];
  await start((stream) => {
    wanted.push(stream);
    stream.respond({ ':status': 200 });
    // Two messages in one piece, and one in three.
    stream.write(Buffer.concat([framed(bytesOf(3)), framed(bytesOf(4)), Buffer.from([0, 0])]));
    stream.write(Buffer.from([0, 0, 2, 1]));
    stream.write(Buffer.from([2]));
  });
  const sizes: number[] = [];
  await new Promise<void>((resolve) => {
    const end = channel.stream('/watch', bytesOf(1), {
      onMessage: ({ length }) => {
        sizes.push(length);
        if (sizes.length === 3) resolve(end());
      },
      onEnd: () => sizes.push(-1),
    });
  });
  const [stream] = wanted;
  if (stream?.closed === false) await once(stream, 'close');
  expect(sizes).toEqual([3, 4, 2]);
});

test('nothing comes after a stream was ended within a message', async () => {
  await start((stream) => {
    stream.respond({ ':status': 200 });
    stream.end(Buffer.concat([framed(bytesOf(3)), framed(bytesOf(4))]));
  });
  const sizes: number[] = [];
  const end = channel.stream('/watch', bytesOf(1), {
    onMessage: ({ length }) => {
      sizes.push(length);
      end();
    },
    onEnd: () => sizes.push(-1),
  });
  while (sizes.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await expect(channel.call('/other', bytesOf(1), limits)).rejects.toMatchObject({ code: 14 });
  expect(sizes).toEqual([3]);
});

test('a lost connection ends its calls, and the next call makes another one', async () => {
  await start((stream, headers) => {
    if (headers[':path'] === '/echo') return echo(stream, headers);
    sessions.at(-1)?.destroy();
  });
  await expect(channel.call('/lost', bytesOf(1), limits)).rejects.toMatchObject({ code: 14 });
  expect((await channel.call('/echo', bytesOf(1), limits)).length).toBe(1);
  expect(sessions.length).toBe(2);
});

test('a server that goes away finishes what it has taken, and gets no new calls', async () => {
  const held: ServerHttp2Stream[] = [];
  await start((stream, headers) => {
    if (headers[':path'] === '/echo') return echo(stream, headers);
    held.push(stream);
    stream.session?.goaway(0, stream.id);
  });
  const first = channel.call('/held', bytesOf(1), limits);
  const gone = async (): Promise<void> => {
    while (sessions.length < 2)
      await channel.call('/echo', bytesOf(1), limits).catch(() => undefined);
  };
  await gone();
  if (held[0] !== undefined) answer(held[0], bytesOf(6));
  expect((await first).length).toBe(6);
});

test('when a connection has no streams left, its calls are finished and the next ones get another', async () => {
  const held: ServerHttp2Stream[] = [];
  await start((stream, headers) => {
    if (headers[':path'] === '/echo') return echo(stream, headers);
    held.push(stream);
  });
  const short = new Channel(target, { streamMax: 5 });
  const first = short.call('/held', bytesOf(1), limits);
  for (let round = 1; round <= 20; round += 1)
    expect((await short.call('/echo', bytesOf(round), limits)).length).toBe(round);
  expect(sessions.length).toBe(7);
  expect(sessions.filter(({ destroyed }) => !destroyed).length).toBeGreaterThan(0);
  if (held[0] !== undefined) answer(held[0], bytesOf(6));
  expect((await first).length).toBe(6);
  short.close();
});

test('no more calls are under way than the server takes: one more fails at once, and later ones pass', async () => {
  const held: ServerHttp2Stream[] = [];
  const onCall: Handler = (stream, headers) => {
    if (headers[':path'] === '/held') held.push(stream);
    else echo(stream, headers);
  };
  await start(onCall, { settings: { maxConcurrentStreams: 2 } });
  await channel.call('/echo', bytesOf(1), limits);
  const both = [1, 2].map(() => channel.call('/held', bytesOf(1), limits));
  await expect(channel.call('/echo', bytesOf(1), limits)).rejects.toMatchObject({
    code: 14,
    message: '/echo: the server takes no more calls at once',
  });
  while (held.length < 2) await new Promise((resolve) => setImmediate(resolve));
  for (const stream of held) answer(stream, bytesOf(6));
  expect((await Promise.all(both)).map(({ length }) => length)).toEqual([6, 6]);
  expect((await channel.call('/echo', bytesOf(3), limits)).length).toBe(3);
  expect(sessions.length).toBe(1);
});

test('ten thousand calls at once are all answered, each with its own bytes', async () => {
  await start(echo);
  const calls = Array.from({ length: 10_000 }, async (_, i) => {
    const message = Buffer.from(`call ${i}`);
    return (await channel.call('/a/B', message, { timeoutMs: 60_000 })).equals(message);
  });
  expect((await Promise.all(calls)).every(Boolean)).toBe(true);
});

test('a server at a TCP port is reached, and an IPv6 address is no name', async () => {
  server = createServer();
  server.on('session', (session) => sessions.push(session));
  server.on('stream', echo);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = new Channel(`127.0.0.1:${port}`);
  expect((await client.call('/a/B', bytesOf(7), limits)).length).toBe(7);
  client.close();
  expect(addressOf('[::1]:2379')).toEqual({ host: '::1', port: 2379 });
});

test('without a server a call fails, and calls reach it once it is there', async () => {
  server = createServer();
  const before = channel.call('/echo', bytesOf(1), limits);
  await expect(before).rejects.toMatchObject({ code: 14 });
  // Right afterwards no attempt is made.
  await expect(channel.call('/echo', bytesOf(1), limits)).rejects.toMatchObject({ code: 14 });
  await start(echo);
  for (let done = false; !done;)
    done = await channel.call('/echo', bytesOf(1), limits).then(
      () => true,
      () => new Promise((resolve) => setImmediate(() => resolve(false))),
    );
  expect(sessions.length).toBe(1);
});

test('calls of a closed client end as cancelled', async () => {
  await start(() => undefined);
  const outcomes: Outcome[] = [];
  channel.stream('/watch', bytesOf(1), {
    onMessage: () => undefined,
    onEnd: (outcome) => outcomes.push(outcome),
  });
  const waiting = channel.call('/a', bytesOf(1), limits);
  channel.close();
  await expect(waiting).rejects.toMatchObject({ code: 1 });
  await expect(channel.call('/b', bytesOf(1), limits)).rejects.toMatchObject({ code: 1 });
  expect(outcomes.map(({ status }) => status)).toEqual([1]);
});

test('a server that speaks something else ends the calls', async () => {
  server = createServer();
  const other = createSocketServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  other.listen(join(folder, 'socket'));
  await once(other, 'listening');
  await expect(channel.call('/a', bytesOf(1), limits)).rejects.toMatchObject({ code: 14 });
  other.close();
});
