/** Servers that are no honest brokers: what they answer ends their own stream, and takes nothing from the worker that all streams share. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { amqpSink } from '../../../api/change-streams/sinks/amqp-sink.ts';
import { kafkaSink } from '../../../api/change-streams/sinks/kafka-sink.ts';
import { ChangeEvent } from '../../../engine/wire/records.ts';
import { AddressGuard } from '../../../api/webhooks/addresses.ts';
import { ReceiverNames } from '../../../api/webhooks/resolver.ts';
import type { KafkaSink } from '../../../api/model/change-stream.ts';

const never = new AbortController().signal;
const apis = { metadata: 3, saslHandshake: 17, apiVersions: 18, saslAuthenticate: 36 } as const;
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Answers of a broker, by the number of the API: the bytes after the correlation ID. */
type Answers = Readonly<Record<number, (request: Buffer, socket: Socket) => Buffer | undefined>>;

/** Returns the port. */
async function brokerThat(answers: Answers): Promise<number> {
  const server = createServer((socket) => {
    let waiting = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      waiting = Buffer.concat([waiting, chunk]);
      while (waiting.length >= 4 && waiting.length >= 4 + waiting.readInt32BE(0)) {
        const request = waiting.subarray(4, 4 + waiting.readInt32BE(0));
        waiting = waiting.subarray(4 + request.length);
        const body = answers[request.readInt16BE(0)]?.(request, socket);
        if (body === undefined) continue;
        const head = Buffer.alloc(8);
        head.writeInt32BE(4 + body.length, 0);
        request.copy(head, 4, 4, 8);
        socket.write(Buffer.concat([head, body]));
      }
    });
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const int16 = (value: number) => Buffer.from([(value >> 8) & 255, value & 255]);
const int32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value, 0);
  return bytes;
};
const int64 = (value: number) => Buffer.concat([int32(0), int32(value)]);
const text = (value: string) => Buffer.concat([int16(value.length), Buffer.from(value)]);
const compact = (value: string) =>
  Buffer.concat([Buffer.from([value.length + 1]), Buffer.from(value)]);
const bytesOf = (...parts: readonly (Buffer | number)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.from([part]) : part)));

/** A sign-in by SCRAM whose first answer is `first`; `clientNonce` is what the client sent. */
const signInWith = (first: (clientNonce: string) => string): Answers => ({
  [apis.apiVersions]: () =>
    bytesOf(int16(0), int32(1), int16(apis.saslAuthenticate), int16(0), int16(1), int32(0)),
  [apis.saslHandshake]: () => bytesOf(int16(0), int32(1), text('SCRAM-SHA-256')),
  [apis.saslAuthenticate]: (request) => {
    const [, nonce = ''] = /r=([\w-]+)/.exec(request.toString('latin1')) ?? [];
    const answer = Buffer.from(first(nonce));
    return bytesOf(int16(0), int16(-1), int32(answer.length), answer, int64(0));
  },
});

const names = new ReceiverNames(new AddressGuard(['127.0.0.0/8']));

const sinkAt = (port: number, username = 'ledger'): KafkaSink => ({
  type: 'KAFKA',
  url: `kafka://127.0.0.1:${port}`,
  topic: 'books',
  key: 'DATABASE',
  username,
  mechanism: 'SCRAM-SHA-256',
  format: 'LEDGERHOUSE',
  certificateAuthority: null,
});

/** Sends one event. */
async function sendTo(sink: KafkaSink) {
  const open = kafkaSink({ sink, password: 'secret', databaseId: 'db_1', names });
  const page = { rows: new Uint8Array(4 * ChangeEvent.words), count: 1, last: 1n, hasMore: false };
  try {
    return await open.prepare(page, 0n).send(never);
  } finally {
    open.close();
  }
}

test.each([
  ['has no nonce', () => 's=c2FsdA==,i=4096'],
  ['is no message of SCRAM', () => 'welcome'],
  ['is empty', () => ''],
  ['has no count of iterations', (nonce: string) => `r=${nonce}x,s=c2FsdA==`],
  ['has no salt', (nonce: string) => `r=${nonce}x,i=4096`],
])('a sign-in whose answer %s is refused, and the worker lives', async (_, first) => {
  const port = await brokerThat(signInWith(first));
  expect(await sendTo(sinkAt(port))).toMatchObject({ outcome: 'ACCESS_REFUSED' });
});

test('a broker cannot have the worker compute for minutes: the iterations of a password have a bound', async () => {
  let signIns = 0;
  const answers = signInWith((nonce) => `r=${nonce}x,s=c2FsdA==,i=20000000`);
  const port = await brokerThat({
    ...answers,
    [apis.saslAuthenticate]: (request, socket) => {
      signIns += 1;
      return answers[apis.saslAuthenticate]?.(request, socket);
    },
  });
  const delivery = await sendTo(sinkAt(port));
  expect(delivery).toMatchObject({
    outcome: 'ACCESS_REFUSED',
    error: expect.stringContaining('iterations'),
  });
  // It computed nothing, so it has nothing more to say.
  expect(signIns).toBe(1);
});

test('the bytes that a broker sends before the sign-in have a bound, too', async () => {
  const taken = Promise.withResolvers<number>();
  const port = await brokerThat({
    [apis.apiVersions]: (_, socket) => {
      socket.write(int32(2 ** 31 - 1));
      taken.resolve(flood(socket, Buffer.alloc(mebi)));
      return undefined;
    },
  });
  expect((await sendTo(sinkAt(port))).outcome).not.toBe('SUCCESS');
  expect(await taken.promise).toBeLessThan(32);
});

test('a broker that names another at a port of other protocols leads nobody there', async () => {
  const broker = (port: number) => bytesOf(int32(1), compact('127.0.0.1'), int32(port), 0, 0);
  const partition = bytesOf(int16(0), int32(0), int32(1), int32(0), 1, 1, 1, 0);
  const topic = bytesOf(int16(0), compact('books'), 0, 2, partition, int32(0), 0);
  for (const port of [25, 0, 70_000, -1]) {
    const first = await brokerThat({
      [apis.metadata]: () =>
        bytesOf(0, int32(0), 2, broker(port), 0, int32(1), 2, topic, int32(0), 0),
    });
    expect([port, await sendTo(sinkAt(first, ''))]).toMatchObject([
      port,
      { outcome: 'BLOCKED_ADDRESS', error: expect.stringContaining('port') },
    ]);
  }
});

/** A frame of AMQP 0-9-1. */
function frame(type: number, channel: number, ...parts: readonly (Buffer | number)[]): Buffer {
  const body = bytesOf(...parts);
  return bytesOf(type, int16(channel), int32(body.length), body, 206);
}

/** Answers of an AMQP broker to a client's methods, by class and method. */
const amqpAnswers: Readonly<Record<string, Buffer>> = {
  '10.11': frame(1, 0, int16(10), int16(30), int16(2_047), int32(131_072), int16(0)),
  '10.40': frame(1, 0, int16(10), int16(41), 0),
  '20.10': frame(1, 1, int16(20), int16(11), int32(0)),
  '85.10': frame(1, 1, int16(85), int16(11)),
};
const amqpStart = frame(
  1,
  0,
  int16(10),
  int16(10),
  0,
  9,
  int32(0),
  int32(5),
  Buffer.from('PLAIN'),
  int32(5),
  Buffer.from('en_US'),
);

/** `greeting`: what it says first. `onPublish`: what it does with a message. Returns the port. */
async function amqpBroker(
  greeting: (socket: Socket) => void,
  onPublish: (socket: Socket) => void = () => {},
): Promise<number> {
  const server = createServer((socket) => {
    let waiting = Buffer.alloc(0);
    let greeted = false;
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      waiting = Buffer.concat([waiting, chunk]);
      if (!greeted && waiting.length >= 8) {
        greeted = true;
        waiting = waiting.subarray(8);
        greeting(socket);
      }
      while (waiting.length >= 8 && waiting.length >= 8 + waiting.readUInt32BE(3)) {
        const size = waiting.readUInt32BE(3);
        const method = `${waiting.readUInt16BE(7)}.${waiting.readUInt16BE(9)}`;
        const isMethod = waiting[0] === 1;
        waiting = waiting.subarray(8 + size);
        if (!isMethod) continue;
        const answer = amqpAnswers[method];
        if (answer !== undefined) socket.write(answer);
        else if (method === '60.40') onPublish(socket);
      }
    });
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function publishTo(port: number, count = 1) {
  const sink = {
    type: 'AMQP',
    url: `amqp://127.0.0.1:${port}`,
    username: 'ledger',
    exchange: '',
    routingKey: 'books',
    format: 'LEDGERHOUSE',
    certificateAuthority: null,
  } as const;
  const open = amqpSink({ sink, password: 'secret', databaseId: 'db_1', names });
  const rows = new Uint8Array(4 * ChangeEvent.words * count);
  const page = { rows, count, last: 1n, hasMore: false };
  try {
    return await open.prepare(page, 0n).send(never);
  } finally {
    open.close();
  }
}

/** Writes pieces until the other end closes. Resolves to the MiB that were taken, at most 96. */
function flood(socket: Socket, piece: Buffer): Promise<number> {
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  let bytes = 0;
  const more = () => {
    if (socket.destroyed) return;
    bytes += piece.length;
    if (bytes >= 96 * mebi) socket.destroy();
    else if (socket.write(piece)) setImmediate(more);
    else socket.once('drain', more);
  };
  more();
  return closed.then(() => bytes / mebi);
}

const mebi = 1024 * 1024;

test.each([
  ['begins with a frame of 60 MiB', bytesOf(1, int16(0), int32(60 * mebi))],
  ['begins with noise', Buffer.alloc(64, 7)],
])('an AMQP broker that %s fills no memory', async (_, beginning) => {
  const taken = Promise.withResolvers<number>();
  const port = await amqpBroker((socket) => {
    socket.write(beginning);
    taken.resolve(flood(socket, Buffer.alloc(mebi)));
  });
  expect(await publishTo(port)).toMatchObject({ outcome: 'CONNECTION_ERROR' });
  expect(await taken.promise).toBeLessThan(32);
});

test('an AMQP broker that gives back a message without an end fills no memory', async () => {
  const taken = Promise.withResolvers<number>();
  const port = await amqpBroker(
    (socket) => socket.write(amqpStart),
    (socket) => {
      socket.write(frame(1, 1, int16(60), int16(50), int16(312), 0, 0, 0));
      socket.write(frame(2, 1, int16(60), int16(0), int32(100), int32(0), int16(0)));
      taken.resolve(flood(socket, frame(3, 1, Buffer.alloc(131_064))));
    },
  );
  expect(await publishTo(port)).toMatchObject({ outcome: 'CONNECTION_ERROR' });
  expect(await taken.promise).toBeLessThan(64);
});

test('a message that an AMQP broker rejects while later ones are still written fails the page, although all others are confirmed', async () => {
  const count = 1_000;
  let came = 0;
  const port = await amqpBroker(
    (socket) => socket.write(amqpStart),
    (socket) => {
      came += 1;
      // `basic.nack` of the first message alone, and `basic.ack` of all that are left with the last one.
      if (came === 1) socket.write(frame(1, 1, int16(60), int16(120), int64(1), 0));
      if (came === count) socket.write(frame(1, 1, int16(60), int16(80), int64(count), 1));
    },
  );
  expect(await publishTo(port, count)).toMatchObject({ outcome: 'REJECTED' });
  expect(came).toBe(count);
});

test.each([
  ['that was not sent', [[1_000_000, 0]]],
  ['that was not sent, and all before it', [[3, 1]]],
  [
    'for the second time',
    [
      [1, 0],
      [1, 0],
    ],
  ],
  ['of another count', [[0, 1]]],
] as const)(
  'an AMQP broker that confirms a message %s ends its own connection, and costs the worker no time',
  async (_, confirmed) => {
    let came = 0;
    const port = await amqpBroker(
      (socket) => socket.write(amqpStart),
      (socket) => {
        came += 1;
        if (came < 2) return;
        for (const [tag, multiple] of confirmed) {
          socket.write(frame(1, 1, int16(60), int16(80), int64(tag), multiple));
        }
      },
    );
    expect(await publishTo(port, 2)).toEqual({
      outcome: 'CONNECTION_ERROR',
      error: 'The broker confirmed messages that it was not sent.',
    });
  },
);
