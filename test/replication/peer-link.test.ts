/** Tests of peer links over real connections of this machine. */
import { afterAll, afterEach, expect, test } from '@jest/globals';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { systemTimers } from '../../base/timers.ts';
import type { PageName } from '../../engine/ledger/page.ts';
import { type HeldRanges, RANGE_PAGES_MAX, RANGES_MAX } from '../../engine/log/page-ranges.ts';
import { ask } from '../../engine/peers/ask.ts';
import { helloFrame, missingFrame } from '../../engine/peers/peer-messages.ts';
import type {
  HeardPeer,
  PeerHandler,
  PeerHeartbeat,
  Withdrawal,
} from '../../engine/peers/peer-link.ts';
import { certifiedPeers, plainPeers, type PeerSecurity } from '../../engine/peers/peer-security.ts';
import { TcpLink } from '../../engine/peers/tcp-link.ts';
import { buildRequest } from '../../engine/wire/header.ts';
import { Operation } from '../../engine/wire/operations.ts';
import { engineRelease } from '../../engine/wire/release.ts';
import { newAuthority, writeCertificates } from '../support/engine/peer-certificates.ts';
import { eventually } from '../support/shell.ts';
import { freePorts } from '../../tools/cluster/free-ports.ts';

let links: TcpLink[] = [];
afterEach(() => {
  for (const link of links) link.close();
  links = [];
});

interface Heard {
  readonly peers: HeardPeer[];
  readonly requests: (readonly [number, Uint8Array])[];
  readonly withdrawals: (readonly [number, Withdrawal])[];
  readonly answers: Uint8Array[];
}

async function newLink(
  addresses: readonly { host: string; port: number }[],
  self: number,
  options: {
    readonly clusterId?: bigint;
    readonly security?: PeerSecurity;
    readonly sendState?: PeerHandler['sendState'];
    readonly sendMissing?: PeerHandler['sendMissing'];
    readonly sendPages?: PeerHandler['sendPages'];
  } = {},
): Promise<{ link: TcpLink; heard: Heard }> {
  const { clusterId = 7n, security = plainPeers, sendState, sendMissing, sendPages } = options;
  const who = { clusterId, incarnation: 1, self, addresses, security };
  const link = new TcpLink({ ...who, timers: systemTimers });
  links.push(link);
  await link.listen(addresses[self]!);
  const heard: Heard = { peers: [], requests: [], withdrawals: [], answers: [] };
  link.begin({
    heard: (peer) => heard.peers.push(peer),
    forwarded: (from, message) => heard.requests.push([from, message]),
    withdrawn: (from, withdrawal) => heard.withdrawals.push([from, withdrawal]),
    answered: (message) => heard.answers.push(message),
    sendState: sendState ?? (() => Promise.reject(new Error('nothing here'))),
    sendMissing: sendMissing ?? (() => Promise.reject(new Error('nothing here'))),
    sendPages: sendPages ?? (() => Promise.reject(new Error('nothing here'))),
  });
  return { link, heard };
}

const newAddresses = async () => (await freePorts(2)).map((port) => ({ host: '127.0.0.1', port }));

/** Of a replica whose clock is a minute ahead. */
const heartbeat: PeerHeartbeat = {
  replica: 0,
  memberId: 2n ** 63n + 5n,
  op: 12,
  fence: 4,
  leftFence: 3,
  canLead: true,
  stateHash: 'ab'.repeat(16),
  wallMs: Date.now() + 60_000,
};

function requestMessage(cluster: bigint, size: number): Uint8Array {
  const body = new Uint8Array(size).fill(3);
  const fields = { cluster, view: 0, release: engineRelease, client: 9n, session: 1n, request: 1 };
  const parent = new Uint8Array(16);
  const head = buildRequest({ ...fields, operation: Operation.createAccounts, parent }, body);
  return Uint8Array.from([...head, ...body]);
}

test('heartbeats and requests arrive whole, and an end that comes back is found again', async () => {
  const addresses = await newAddresses();
  const { link } = await newLink(addresses, 0);
  const first = await newLink(addresses, 1);
  const message = requestMessage(7n, 700_000);
  await eventually('a heartbeat arrives', async () => {
    link.beat(heartbeat);
    return first.heard.peers.length > 0 || undefined;
  });
  expect(first.heard.peers[0]).toMatchObject(heartbeat);
  link.forward(1, message);
  const withdrawal = { client: 2n ** 128n - 1n, request: '0123456789abcdef'.repeat(2) };
  link.withdraw(1, withdrawal);
  link.answer(1, message);
  await eventually('they arrive', async () => first.heard.answers.length > 0 || undefined);
  expect(first.heard.withdrawals).toEqual([[0, withdrawal]]);
  const [[from, request] = []] = first.heard.requests;
  expect(from).toBe(0);
  for (const arrived of [request, first.heard.answers[0]])
    expect(Buffer.compare(arrived ?? Buffer.alloc(0), message)).toBe(0);
  first.link.close();
  const second = await newLink(addresses, 1);
  await eventually('a heartbeat arrives again', async () => {
    link.beat(heartbeat);
    return second.heard.peers.length > 0 || undefined;
  });
});

test('another database, and bytes that are nothing of ours, are not listened to', async () => {
  const addresses = await newAddresses();
  const { heard } = await newLink(addresses, 1);
  const { link: foreign } = await newLink(addresses, 0, { clusterId: 8n });
  for (let i = 0; i < 10; i += 1) {
    foreign.beat(heartbeat);
    foreign.forward(1, requestMessage(8n, 10));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const garbage = await fetch(`http://127.0.0.1:${addresses[1]!.port}/`).catch(() => 'refused');
  expect(garbage).toBe('refused');
  expect(heard).toEqual({ peers: [], requests: [], withdrawals: [], answers: [] });
});

test('a state without the pages that are held comes byte for byte, even with the longest list of them', async () => {
  const addresses = await newAddresses();
  const asked: { floor: number; held: HeldRanges }[] = [];
  await newLink(addresses, 1, {
    sendMissing: async (floor, held, write) => {
      asked.push({ floor, held });
      await write(new Uint8Array(3_000_000).fill(7));
    },
  });
  const { link } = await newLink(addresses, 0);
  const ranges = Array.from({ length: RANGES_MAX - 1 }, (_, i) => ({
    pages: RANGE_PAGES_MAX,
    seal: new Uint8Array(16).fill(i),
  }));
  const want = {
    floor: 2 ** 50,
    held: {
      key: new Uint8Array(16).fill(9),
      tables: [
        { table: 7, ranges },
        { table: 9, ranges: [{ pages: 1 }] },
      ],
    },
  };
  const parts: Uint8Array[] = [];
  await link.fetchMissing(1, want, async (bytes) => void parts.push(bytes));
  expect(Buffer.compare(Buffer.concat(parts), Buffer.alloc(3_000_000, 7))).toBe(0);
  expect(asked).toHaveLength(1);
  expect(Buffer.compare(missingFrame(asked[0]!), missingFrame(want))).toBe(0);
});

test('a state is fetched byte for byte, and half a state never counts as one', async () => {
  const addresses = await newAddresses();
  const pieces = [5_000_000, 4096, 1].map((size, i) => new Uint8Array(size).fill(i + 1));
  let breaks = false;
  await newLink(addresses, 1, {
    sendState: async (floor, write) => {
      expect(floor).toBe(44);
      for (const piece of pieces) await write(piece);
      if (breaks) throw new Error('the disk is gone');
    },
  });
  const { link } = await newLink(addresses, 0);
  const got: Uint8Array[] = [];
  const write = async (bytes: Uint8Array): Promise<void> => void got.push(bytes);
  await link.fetchState(1, 44, write);
  expect(Buffer.compare(Buffer.concat(got), Buffer.concat(pieces))).toBe(0);
  breaks = true;
  await expect(link.fetchState(1, 44, write)).rejects.toThrow('the disk is gone');
});

test('pages of rows are fetched by name, and a peer that sends more than was asked for is not listened to', async () => {
  const addresses = await newAddresses();
  const asked: (readonly PageName[])[] = [];
  let sends = 2;
  await newLink(addresses, 1, {
    sendPages: async (pages, write) => {
      asked.push(pages);
      for (let i = 1; i <= sends; i += 1) await write(new Uint8Array(4096).fill(i));
    },
  });
  const { link } = await newLink(addresses, 0);
  const names = [3, 2 ** 33, 5].map((page) => ({ table: 7, page }));
  const got = await link.fetchPages(1, names);
  expect(asked).toEqual([names]);
  expect(got.map((bytes) => [bytes.length, bytes[0]])).toEqual([
    [4096, 1],
    [4096, 2],
  ]);
  sends = 4;
  await expect(link.fetchPages(1, names)).rejects.toThrow('more than was asked for');
});

test('a peer that asks for more pages than it may at a time is refused, and answered again afterwards', async () => {
  const addresses = await newAddresses();
  const waiting: (() => void)[] = [];
  const held = async (write: (bytes: Uint8Array) => Promise<void>) => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    await write(new Uint8Array(4096));
  };
  await newLink(addresses, 1, {
    sendState: (_, write) => held(write),
    sendPages: (_, write) => held(write),
  });
  const { link } = await newLink(addresses, 0);
  const ask = () => link.fetchPages(1, [{ table: 7, page: 1 }]);
  // States count like pages, and are waited for longer than the hundred below may take on a busy machine.
  const first = Array.from({ length: 4 }, () => link.fetchState(1, 1, async () => undefined));
  await eventually('four are being answered', async () => waiting.length === 4 || undefined);
  // A hundred more cost the peer nothing: none of them is begun.
  const flood = await Promise.allSettled(Array.from({ length: 100 }, ask));
  expect(flood.filter(({ status }) => status === 'fulfilled')).toEqual([]);
  await expect(ask()).rejects.toThrow('4 other requests of this replica are being answered');
  expect(waiting).toHaveLength(4);
  for (const answer of waiting.splice(0)) answer();
  await Promise.all(first);
  const again = ask();
  await eventually('it is answered again', async () => waiting.length === 1 || undefined);
  waiting[0]!();
  expect(await again).toHaveLength(1);
});

const folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-peer-link-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Certificates under a name in a folder of their own. */
async function certified(
  at: string,
  { name = 'database', authority = newAuthority(at) } = {},
): Promise<PeerSecurity> {
  await writeCertificates(join(folder, at), { authority: await authority, name });
  return certifiedPeers({ folder: join(folder, at), name });
}

async function hears(from: TcpLink, heard: Heard): Promise<void> {
  const { length } = heard.peers;
  await eventually('a heartbeat arrives', async () => {
    from.beat(heartbeat);
    return heard.peers.length > length || undefined;
  });
}

test('peers with certificates of the database hear each other, and a state is fetched', async () => {
  const addresses = await newAddresses();
  const security = await certified('both');
  const { link } = await newLink(addresses, 0, { security });
  const sendState: PeerHandler['sendState'] = (_, write) =>
    write(new Uint8Array(3_000_000).fill(5));
  const other = await newLink(addresses, 1, { security, sendState });
  await hears(link, other.heard);
  let bytes = 0;
  await link.fetchState(1, 1, async (piece) => void (bytes += piece.length));
  expect(bytes).toBe(3_000_000);
});

test.each([
  ['no certificate, in plain text', async () => plainPeers],
  ['a certificate of another authority', () => certified('stranger')],
  [
    'another database’s certificate of a trusted authority',
    () => certified('neighbour', { name: 'neighbour', authority: theirs }),
  ],
])('whoever has %s is not listened to and gets nothing', async (_, security) => {
  const addresses = await newAddresses();
  const own = await certified('own', { authority: theirs });
  const { heard, link: server } = await newLink(addresses, 1, {
    security: own,
    sendState: (__, write) => write(new Uint8Array(10)),
  });
  const stranger = await security();
  const { link } = await newLink(addresses, 0, { security: stranger });
  const write = async (): Promise<void> => {
    throw new Error('a stranger got the ledger');
  };
  for (let i = 0; i < 5; i += 1) {
    link.beat(heartbeat);
    link.forward(1, requestMessage(7n, 10));
    await expect(link.fetchState(1, 1, write)).rejects.not.toThrow('a stranger got the ledger');
  }
  const hello = helloFrame({ cluster: '7', incarnation: 1, replica: 0 });
  const asked = { address: addresses[1]!, security: stranger, hello, question: { ask: 'members' } };
  await expect(ask(asked)).rejects.toThrow();
  expect(heard).toEqual({ peers: [], requests: [], withdrawals: [], answers: [] });
  server.close();
});
const theirs = newAuthority('theirs');

test('a hello in plain text, and one without a certificate, end the connection', async () => {
  const addresses = await newAddresses();
  const { heard } = await newLink(addresses, 1, { security: await certified('door') });
  const { host, port } = addresses[1]!;
  const plain = connect(port, host);
  const nameless = connectTls({ host, port, rejectUnauthorized: false });
  const closed = new Set<unknown>();
  for (const socket of [plain, nameless]) {
    socket.on('error', () => undefined);
    socket.on('close', () => closed.add(socket));
    socket.write(helloFrame({ cluster: '7', incarnation: 1, replica: 0 }));
  }
  await eventually('both are ended', async () => closed.size === 2 || undefined);
  expect(heard.peers).toEqual([]);
});

test('connections that show no certificate are bounded, and a peer is heard among them', async () => {
  const addresses = await newAddresses();
  const security = await certified('crowd');
  const { heard } = await newLink(addresses, 1, { security });
  const { host, port } = addresses[1]!;
  // Whoever shows nothing is let go after some seconds, which a busy machine may take: then they come again.
  await eventually('a peer is heard while some of them are there', async () => {
    let open = 0;
    const crowd = Array.from({ length: 150 }, () => {
      const socket = connect(port, host);
      socket.on('connect', () => (open += 1));
      socket.on('error', () => undefined);
      socket.on('close', () => (open -= 1));
      return socket;
    });
    try {
      await eventually('all have come', async () =>
        crowd.every(({ connecting }) => !connecting) ? true : undefined,
      );
      await eventually('some had to go', async () => open <= 64 || undefined);
      // The peers' own connections are not among those that count.
      const { link } = await newLink(addresses, 0, { security });
      await hears(link, heard);
      link.close();
      return open > 0 || undefined;
    } finally {
      for (const socket of crowd) socket.destroy();
    }
  });
});

test('renewed certificates are shown and trusted without a restart', async () => {
  const addresses = await newAddresses();
  const [before, after] = [await newAuthority('before'), await newAuthority('after')];
  const security = await certified('renewed', { authority: Promise.resolve(before) });
  const { heard } = await newLink(addresses, 1, { security });
  const old = await newLink(addresses, 0, { security });
  await hears(old.link, heard);
  old.link.close();
  await writeCertificates(join(folder, 'renewed'), { authority: after, name: 'database' });
  // This link does not trust the earlier authority.
  const newer = await newLink(addresses, 0, {
    security: await certified('newer', { authority: Promise.resolve(after) }),
  });
  await hears(newer.link, heard);
});

test('while certificates are being replaced, peers go on with those from before', async () => {
  const addresses = await newAddresses();
  const authority = newAuthority('half');
  const security = await certified('half', { authority });
  const { heard } = await newLink(addresses, 1, { security });
  await certified('later', { authority });
  // The new certificate is there, and its key is not yet.
  copyFileSync(join(folder, 'later', 'tls.crt'), join(folder, 'half', 'tls.crt'));
  const between = await newLink(addresses, 0, { security });
  await hears(between.link, heard);
  between.link.close();
  writeFileSync(join(folder, 'half', 'tls.key'), '-----BEGIN');
  const torn = await newLink(addresses, 0, { security });
  await hears(torn.link, heard);
});
