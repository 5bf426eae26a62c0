/** Peers over real connections of this machine. */
import { afterEach, expect, test } from '@jest/globals';
import { systemTimers } from '../../base/timers.ts';
import type { HeardPeer, PeerHandler, PeerHeartbeat } from '../../engine/peers/peer-link.ts';
import { TcpLink } from '../../engine/peers/tcp-link.ts';
import { buildRequest } from '../../engine/wire/header.ts';
import { Operation } from '../../engine/wire/operations.ts';
import { engineRelease } from '../../engine/wire/release.ts';
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
  readonly answers: Uint8Array[];
}

async function newLink(
  addresses: readonly { host: string; port: number }[],
  self: number,
  { clusterId = 7n, sendState }: { clusterId?: bigint; sendState?: PeerHandler['sendState'] } = {},
): Promise<{ link: TcpLink; heard: Heard }> {
  const link = new TcpLink({ clusterId, incarnation: 1, self, addresses, timers: systemTimers });
  links.push(link);
  await link.listen(addresses[self]!);
  const heard: Heard = { peers: [], requests: [], answers: [] };
  link.begin({
    heard: (peer) => heard.peers.push(peer),
    forwarded: (from, message) => heard.requests.push([from, message]),
    answered: (message) => heard.answers.push(message),
    sendState: sendState ?? (() => Promise.reject(new Error('nothing here'))),
  });
  return { link, heard };
}

const newAddresses = async () => (await freePorts(2)).map((port) => ({ host: '127.0.0.1', port }));

/** By a clock that is a minute ahead. */
const heartbeat = (): PeerHeartbeat => ({
  replica: 0,
  memberId: 2n ** 63n + 5n,
  op: 12,
  fence: 4,
  leftFence: 3,
  canLead: true,
  stateHash: 'ab'.repeat(16),
  wallMs: Date.now() + 60_000,
});

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
    link.beat(heartbeat());
    return first.heard.peers.length > 0 || undefined;
  });
  const { wallMs, ...said } = heartbeat();
  expect(first.heard.peers[0]).toMatchObject(said);
  expect(Math.abs((first.heard.peers[0]?.wallMs ?? 0) - wallMs)).toBeLessThan(30_000);
  link.forward(1, message);
  link.answer(1, message);
  await eventually('they arrive', async () => first.heard.answers.length > 0 || undefined);
  const [[from, request] = []] = first.heard.requests;
  expect(from).toBe(0);
  for (const arrived of [request, first.heard.answers[0]])
    expect(Buffer.compare(arrived ?? Buffer.alloc(0), message)).toBe(0);
  first.link.close();
  const second = await newLink(addresses, 1);
  await eventually('a heartbeat arrives again', async () => {
    link.beat(heartbeat());
    return second.heard.peers.length > 0 || undefined;
  });
});

test('another database, and bytes that are nothing of ours, are not listened to', async () => {
  const addresses = await newAddresses();
  const { heard } = await newLink(addresses, 1);
  const { link: foreign } = await newLink(addresses, 0, { clusterId: 8n });
  for (let i = 0; i < 10; i += 1) {
    foreign.beat(heartbeat());
    foreign.forward(1, requestMessage(8n, 10));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const garbage = await fetch(`http://127.0.0.1:${addresses[1]!.port}/`).catch(() => 'refused');
  expect(garbage).toBe('refused');
  expect(heard).toEqual({ peers: [], requests: [], answers: [] });
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
