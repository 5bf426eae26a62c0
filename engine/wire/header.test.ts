import { expect, test } from '@jest/globals';
import {
  buildEviction,
  buildPingClient,
  buildPongClient,
  buildReply,
  buildRequest,
  EvictionReason,
  evictionIsWellFormed,
  Header,
  pingClientIsWellFormed,
  pongClientIsWellFormed,
  ReplyHeader,
  RequestHeader,
} from './header.ts';
import { engineRelease, formatRelease } from './release.ts';
import { MessageReader, type Message } from './message-reader.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const base = { cluster: 0n, view: 0, release: engineRelease, replica: 0 };
const register = buildRequest(
  { ...base, client: 1n, session: 0n, request: 0, operation: 2, parent: new Uint8Array(16) },
  new Uint8Array(256),
);
const registerReplyBody = () => {
  const body = new Uint8Array(64);
  new DataView(body.buffer).setUint32(0, 1_048_320, true);
  return body;
};
const registerReply = buildReply(
  { ...base, request: new RequestHeader(new Header(register)), op: 1, timestamp: 1_000_000_000n },
  registerReplyBody(),
);

test('the release is 0.17.9', () => {
  expect(engineRelease).toBe(4361);
  expect(formatRelease(engineRelease)).toBe('0.17.9');
});

test.each([
  [
    'ping_client',
    buildPingClient({ ...base, client: 1n, session: 0n, monotonic: 1n }),
    '2b0dbc7d57a04e3885a14667caab3dbe',
  ],
  ['pong_client', buildPongClient({ ...base, monotonic: 1n }), '93ab8c1aa2c104a00fc5888d5a40956c'],
  ['register', register, '7fa747899b008ff14391d599d41a3727'],
  ['its reply', registerReply, 'd6cc4b99cb0b90609b6ae50372583c5c'],
  [
    'eviction',
    buildEviction({ ...base, client: 1n, reason: EvictionReason.noSession }),
    'a9df7407af081fae8d9728b7fcb1518a',
  ],
])('%s has the checksum that official clients compute', (_, bytes, expected) => {
  expect(hex(bytes.subarray(0, 16))).toBe(expected);
});

test("a reply's context is its checksum with a context of zero", () => {
  expect(hex(new ReplyHeader(new Header(registerReply)).context)).toBe(
    'e15b70b1f7658b005e06ed9702c1e3e5',
  );
});

test('built messages are well formed, and any reserved byte that is set makes them invalid', () => {
  const cases: [Uint8Array, (header: Header) => boolean, readonly number[]][] = [
    [
      register,
      (h) => new RequestHeader(h).isWellFormed(),
      [16, 48, 64, 100, 112, 115, 116, 144, 197, 204, 255],
    ],
    [
      registerReply,
      (h) => new ReplyHeader(h).isWellFormed(),
      [16, 48, 64, 100, 112, 116, 144, 176, 237, 255],
    ],
    [
      buildPingClient({ ...base, client: 1n, session: 0n, monotonic: 1n }),
      pingClientIsWellFormed,
      [16, 104, 115, 160, 255],
    ],
    [buildPongClient({ ...base, monotonic: 1n }), pongClientIsWellFormed, [16, 136, 255]],
    [buildEviction({ ...base, client: 1n, reason: 1 }), evictionIsWellFormed, [16, 144, 254]],
  ];
  for (const [bytes, check, reserved] of cases) {
    expect(check(new Header(bytes))).toBe(true);
    for (const at of reserved) {
      const changed = bytes.slice();
      changed[at] = 1;
      expect([at, check(new Header(changed))]).toEqual([at, false]);
    }
  }
});

/** Feeds a stream in chunks of `size` bytes. */
function read(
  stream: Uint8Array,
  size: number,
  cluster = 0n,
): { messages: Message[]; error: string | undefined } {
  const reader = new MessageReader(cluster);
  const messages: Message[] = [];
  let error: string | undefined;
  for (let at = 0; at < stream.length && error === undefined; at += size) {
    error = reader.push(stream.subarray(at, at + size), (message) => messages.push(message));
  }
  return { messages, error };
}

const twoMessages = Buffer.concat([
  register,
  new Uint8Array(256),
  registerReply,
  registerReplyBody(),
]);

test.each([1, 7, 255, 256, 257, 600, 10_000])(
  'messages arrive whole in chunks of %d bytes',
  (size) => {
    const { messages, error } = read(twoMessages, size);
    expect(error).toBeUndefined();
    expect(messages.map((message) => message.header.command)).toEqual([5, 8]);
    expect(messages.map((message) => message.body.length)).toEqual([256, 64]);
  },
);

test('every flipped byte ends the stream, and no message of it is delivered', () => {
  for (let at = 0; at < 512; at += 1) {
    const changed = Uint8Array.from(twoMessages.subarray(0, 512));
    changed[at] = (changed[at] ?? 0) ^ 0x40;
    for (const size of [512, 100]) {
      const { messages, error } = read(changed, size);
      expect(messages).toEqual([]);
      expect(error).toMatch(/bad_header_checksum|bad_body_checksum/);
    }
  }
});

test('a message of another cluster, of a wrong size or of an unknown command ends the stream before its body is taken', () => {
  const sealed = (change: (header: Header) => void) => {
    const header = new Header(Uint8Array.from(register));
    change(header);
    header.sealHeader();
    return header.bytes;
  };
  expect(read(register, 256, 5n).error).toBe('wrong_cluster');
  expect(
    read(
      sealed((h) => h.putU32(96, 255)),
      256,
    ).error,
  ).toBe('bad_size');
  expect(
    read(
      sealed((h) => h.putU32(96, 1_048_577)),
      256,
    ).error,
  ).toBe('bad_size');
  expect(
    read(
      sealed((h) => h.putU8(114, 12)),
      256,
    ).error,
  ).toBe('unknown_command');
});
