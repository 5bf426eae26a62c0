import { expect, test } from '@jest/globals';
import type { PeerLink } from '../peers/peer-link.ts';
import { systemTimers } from '../../base/timers.ts';
import { buildEviction, buildRequest, EvictionReason } from '../wire/header.ts';
import { Operation } from '../wire/operations.ts';
import { engineRelease } from '../wire/release.ts';
import { Forwarding } from './forwarding.ts';
import { PendingRequests } from './pending-requests.ts';

const client = 7n;
const request = Buffer.from(
  buildRequest(
    {
      cluster: 0n,
      view: 0,
      release: engineRelease,
      client,
      session: 1n,
      request: 1,
      operation: Operation.createTransfers,
      parent: new Uint8Array(16),
    },
    new Uint8Array(0),
  ),
);
const eviction = buildEviction({
  cluster: 0n,
  release: engineRelease,
  view: 3,
  replica: 0,
  client,
  reason: EvictionReason.noSession,
});

/** A backup with one request that is old enough to be passed on. */
function backup() {
  const pending = new PendingRequests();
  const refused: bigint[] = [];
  const sink = { isOpen: true, send: () => {}, evict: (of: bigint) => void refused.push(of) };
  pending.put(request, sink, { nowMs: systemTimers.nowMs() - 1_000, fromPeer: false });
  const forwarded: number[] = [];
  const lead = { replica: 0, fence: 1 };
  const forwarding = new Forwarding({
    identity: { clusterId: 0n, replicaIndex: 2, replicaCount: 3 },
    peers: { forward: (to: number) => void forwarded.push(to) } as unknown as PeerLink,
    timers: systemTimers,
    pending,
    leader: () => lead,
    view: () => 3,
  });
  const passOnTo = (replica: number, fence: number) => {
    Object.assign(lead, { replica, fence });
    forwarding.forwardWaiting();
  };
  return { pending, forwarding, forwarded, refused, passOnTo };
}

test('a request that one leader alone was asked, and refused, is told as refused', () => {
  const { forwarding, forwarded, refused, passOnTo } = backup();
  passOnTo(0, 1);
  expect(forwarded).toEqual([0]);
  forwarding.answered(eviction);
  expect(refused).toEqual([client]);
});

test('a request that an earlier leader may have logged is not told as refused: it may have been executed', () => {
  const asked = backup();
  asked.passOnTo(0, 1);
  asked.passOnTo(1, 2);
  expect(asked.forwarded).toEqual([0, 1]);
  asked.forwarding.answered(eviction);
  expect(asked.refused).toEqual([]);

  const led = backup();
  // This replica led before, and had put the request into the log.
  for (const one of led.pending.all()) one.mayBeLogged = true;
  led.passOnTo(0, 1);
  led.forwarding.answered(eviction);
  expect(led.refused).toEqual([]);
  expect(led.pending.size).toBe(0);
});
