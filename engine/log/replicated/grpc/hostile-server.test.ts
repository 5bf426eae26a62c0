/** The client against servers that are broken, stuck or hostile: bare sockets that send frames by hand. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Channel } from './channel.ts';
import { Flag, frame, FrameType, numberFrame, Setting, settingsFrame } from './frames.ts';
import type { Outcome } from './stream.ts';

let folder: string;
let channel: Channel;
let server: Server;
let sockets: Socket[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-grpc-'));
  channel = new Channel(`unix:${join(folder, 'socket')}`);
  sockets = [];
});

afterEach(async () => {
  channel.close();
  for (const socket of sockets) socket.destroy();
  server.close();
  await once(server, 'close');
  rmSync(folder, { recursive: true, force: true });
});

async function start(onSocket: (socket: Socket) => void): Promise<void> {
  server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    onSocket(socket);
  });
  server.listen(join(folder, 'socket'));
  await once(server, 'listening');
}

/** Long enough that only a call that nothing else ends gets there: its code is 4. */
const limits = { timeoutMs: 8_000 };
const message = Buffer.alloc(3);
const lost = { code: 14 };
const settings = settingsFrame([]);

test.each([
  ['RST_STREAM', frame({ type: FrameType.resetStream, stream: 1 }, Buffer.alloc(3))],
  ['GOAWAY', frame({ type: FrameType.goAway }, Buffer.alloc(0))],
  ['WINDOW_UPDATE', frame({ type: FrameType.windowUpdate }, Buffer.alloc(2))],
  ['SETTINGS', frame({ type: FrameType.settings }, Buffer.alloc(7))],
  ['PING', frame({ type: FrameType.ping }, Buffer.alloc(7))],
])('a %s frame of the wrong size ends the connection, and only that', async (_name, bytes) => {
  await start((socket) => socket.write(Buffer.concat([settings, bytes])));
  await expect(channel.call('/a', message, limits)).rejects.toMatchObject(lost);
});

test.each([
  ['a frame size of nothing', Setting.maxFrameSize, 0],
  ['a frame size below the least one', Setting.maxFrameSize, 16_383],
  ['a frame size above the largest one', Setting.maxFrameSize, 2 ** 24],
  ['a window above the largest one', Setting.initialWindowSize, 2 ** 31],
])('%s in the settings ends the connection', async (_name, setting, value) => {
  await start((socket) => socket.write(settingsFrame([[setting, value]])));
  await expect(channel.call('/a', Buffer.alloc(100_000), limits)).rejects.toMatchObject(lost);
});

test('headers in parts without an end do not pile up', async () => {
  await start((socket) => {
    const parts = Array.from({ length: 10_000 }, () =>
      frame({ type: FrameType.continuation, stream: 1 }, Buffer.alloc(0)),
    );
    const head = frame({ type: FrameType.headers, stream: 1 }, Buffer.alloc(0));
    socket.write(Buffer.concat([settings, head, ...parts]));
  });
  await expect(channel.call('/a', message, limits)).rejects.toMatchObject(lost);
});

test('calls end when the server will send no more, though it has not read what was sent', async () => {
  await start((socket) => {
    const room = [[Setting.initialWindowSize, 2 ** 30]] as const;
    socket.write(
      Buffer.concat([settingsFrame(room), numberFrame(FrameType.windowUpdate, 0, 2 ** 30)]),
    );
    // Nothing is read: the socket takes a part only.
    setImmediate(() => socket.end());
  });
  const call = channel.call('/a', Buffer.alloc(8 << 20), limits);
  await expect(call).rejects.toMatchObject(lost);
});

test('a closed client ends calls of a connection that its server was about to end', async () => {
  await start((socket) => {
    const payload = Buffer.alloc(8);
    payload.writeUInt32BE(1, 0);
    socket.write(Buffer.concat([settings, frame({ type: FrameType.goAway }, payload)]));
    // Shows that the frames before it were taken.
    socket.write(frame({ type: FrameType.ping }, Buffer.alloc(8)));
  });
  const outcomes: Outcome[] = [];
  channel.stream('/watch', message, {
    onMessage: () => undefined,
    onEnd: (outcome) => void outcomes.push(outcome),
  });
  const pong = frame({ type: FrameType.ping, flags: Flag.ack }, Buffer.alloc(8));
  let received = Buffer.alloc(0);
  while (sockets.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const closed = new Promise((resolve) => sockets[0]?.once('end', resolve));
  await new Promise<void>((resolve) =>
    sockets[0]?.on('data', (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      if (received.includes(pong)) resolve();
    }),
  );
  channel.close();
  expect(outcomes.map(({ status }) => status)).toEqual([1]);
  await closed;
});
