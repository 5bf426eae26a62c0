import { expect, test } from '@jest/globals';
import pino from 'pino';
import { VirtualTimers } from '../../test/support/operator/virtual-timers.ts';
import { ApiError, type Kube, type KubeObject } from '../../base/kube/kube.ts';
import { LeaderElection } from './leader.ts';

type Lease = KubeObject & { readonly spec: Record<string, unknown> };

/** Keeps one object like the API server: each write raises the version, and a write based on an older version is refused. */
class LeaseServer {
  lease: Lease | undefined;
  #version = 0;

  /** Connection of one process; `cut` makes the server unreachable. */
  connection(): Kube & { cut: boolean; loseAnswers: boolean; hangs: boolean } {
    const connection = { cut: false, loseAnswers: false, hangs: false };
    const refuse = (status: number, reason: string) => new ApiError(reason, { status, reason });
    const reach = async <T>(serve: () => T): Promise<T> => {
      await Promise.resolve();
      if (connection.cut) throw refuse(0, 'Unreachable');
      if (connection.hangs) await new Promise(() => {});
      const answer = serve();
      if (connection.loseAnswers) throw refuse(0, 'Unreachable');
      return answer;
    };
    const store = (object: KubeObject, spec: object): Lease => {
      const resourceVersion = String((this.#version += 1));
      this.lease = {
        ...object,
        metadata: { ...object.metadata, resourceVersion },
        spec: { ...spec },
      };
      return this.lease;
    };
    const nothing = () => Promise.reject(new Error('not for leases'));
    return Object.assign(connection, {
      read: <T>() => reach(() => this.lease as T | undefined),
      create: <T>(_: unknown, object: Lease) =>
        reach(() => {
          if (this.lease !== undefined) throw refuse(409, 'AlreadyExists');
          return store(object, object.spec) as T;
        }),
      mergePatch: <T>(_: unknown, patch: object) =>
        reach(() => {
          const { metadata, spec } = patch as Lease;
          if (this.lease === undefined) throw refuse(404, 'NotFound');
          if (metadata.resourceVersion !== this.lease.metadata.resourceVersion) {
            throw refuse(409, 'Conflict');
          }
          return store(this.lease, { ...this.lease.spec, ...spec }) as T;
        }),
      list: nothing,
      apply: nothing,
      delete: nothing,
    }) as unknown as Kube & { cut: boolean; loseAnswers: boolean; hangs: boolean };
  }
}

/** `skewMs` is the offset of its clock. `spread` is the random number for each of its waits. */
function candidate(
  server: LeaseServer,
  timers: VirtualTimers,
  identity: string,
  { skewMs = 0, spread = 0 }: { readonly skewMs?: number; readonly spread?: number } = {},
) {
  const kube = server.connection();
  const told: string[] = [];
  const election = new LeaderElection({
    kube,
    namespace: 'ns',
    name: 'lease',
    identity,
    logger: pino({ level: 'silent' }),
    onStarted: () => told.push(`leads at ${timers.nowMs()}`),
    onLost: () => told.push(`lost at ${timers.nowMs()}`),
    timers: {
      nowMs: () => timers.nowMs() + skewMs,
      wallMs: () => timers.wallMs() + skewMs,
      after: (ms, callback) => timers.after(ms, callback),
    },
    random: () => spread,
  });
  election.start();
  return { election, kube, told };
}

test('the first to come leads and goes on leading', async () => {
  const timers = new VirtualTimers();
  const server = new LeaseServer();
  const { election, told } = candidate(server, timers, 'a');
  await timers.advance(600_000);
  expect(told).toEqual(['leads at 0']);
  expect(election.isLeader()).toBe(true);
  expect(server.lease?.spec).toMatchObject({
    holderIdentity: 'a',
    leaseDurationSeconds: 15,
    leaseTransitions: 0,
    acquireTime: '2026-01-01T00:00:00.000000Z',
  });
});

test('cut off, the leader stops before another begins, however wrong their clocks are', async () => {
  for (const skewMs of [0, 3_600_000, -3_600_000]) {
    const timers = new VirtualTimers();
    const server = new LeaseServer();
    const a = candidate(server, timers, 'a');
    const b = candidate(server, timers, 'b', { skewMs });
    await timers.advance(60_000);
    a.kube.cut = true;
    for (let step = 0; step < 300; step += 1) {
      await timers.advance(100);
      expect(a.election.isLeader() && b.election.isLeader()).toBe(false);
    }
    expect(a.told[1]).toBe('lost at 70000');
    expect(b.told).toEqual(['leads at 76000']);
    expect(server.lease?.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  }
});

test('whenever a leader is cut off, and however its successor waits, that one leads within 20 s', async () => {
  for (let afterMs = 0; afterMs < 2_400; afterMs += 150) {
    for (const spread of [0, 0.3, 0.7, 1]) {
      const timers = new VirtualTimers();
      const server = new LeaseServer();
      const a = candidate(server, timers, 'a');
      await timers.advance(700);
      const b = candidate(server, timers, 'b', { spread });
      await timers.advance(30_000 + afterMs);
      a.kube.cut = true;
      await timers.advance(20_000);
      expect({ afterMs, spread, leads: b.election.isLeader() }).toMatchObject({ leads: true });
    }
  }
});

test('a process that was frozen does not lead when it wakes, before any of its timers has run', async () => {
  const timers = new VirtualTimers();
  const server = new LeaseServer();
  const { election, told } = candidate(server, timers, 'a');
  await timers.advance(5_000);
  timers.freeze(10_001);
  expect(election.isLeader()).toBe(false);
  await timers.advance(1);
  expect(told).toEqual(['leads at 0', 'lost at 15001']);
});

test('a lease given back is taken at the next look', async () => {
  const timers = new VirtualTimers();
  const server = new LeaseServer();
  const a = candidate(server, timers, 'a');
  const b = candidate(server, timers, 'b');
  await timers.advance(10_000);
  const stopped = a.election.stop();
  expect(a.election.isLeader()).toBe(false);
  await timers.advance(2_500);
  await stopped;
  expect(b.election.isLeader()).toBe(true);
  expect(a.told).toEqual(['leads at 0']);
});

test('an answer that was lost costs nothing: the next renewal finds its own', async () => {
  const timers = new VirtualTimers();
  const server = new LeaseServer();
  const { election, kube, told } = candidate(server, timers, 'a');
  await timers.advance(5_000);
  kube.loseAnswers = true;
  await timers.advance(4_000);
  kube.loseAnswers = false;
  await timers.advance(60_000);
  expect(election.isLeader()).toBe(true);
  expect(told).toEqual(['leads at 0']);
});

test('a call that hangs is not what costs the lease', async () => {
  const timers = new VirtualTimers();
  const server = new LeaseServer();
  const { election, kube, told } = candidate(server, timers, 'a');
  await timers.advance(5_000);
  kube.hangs = true;
  await timers.advance(2_000);
  kube.hangs = false;
  await timers.advance(60_000);
  expect(election.isLeader()).toBe(true);
  expect(told).toEqual(['leads at 0']);
});

test('a leader that finds another holder in the lease has lost it', async () => {
  const timers = new VirtualTimers();
  const server = new LeaseServer();
  const { election, told } = candidate(server, timers, 'a');
  await timers.advance(5_000);
  await server.connection().mergePatch<Lease>(
    { resource: { apiVersion: '', kind: '', plural: '', namespaced: true }, name: '' },
    {
      metadata: { resourceVersion: server.lease?.metadata.resourceVersion },
      spec: { holderIdentity: 'x' },
    },
    { fieldManager: 'test' },
  );
  await timers.advance(2_000);
  expect(election.isLeader()).toBe(false);
  expect(told).toEqual(['leads at 0', 'lost at 6000']);
});

test('a deleted lease is no invitation while its holder may still write', async () => {
  const timers = new VirtualTimers();
  const server = new LeaseServer();
  const a = candidate(server, timers, 'a');
  const b = candidate(server, timers, 'b');
  await timers.advance(10_500);
  a.kube.cut = true;
  server.lease = undefined;
  for (let step = 0; step < 300; step += 1) {
    await timers.advance(100);
    expect(a.election.isLeader() && b.election.isLeader()).toBe(false);
  }
  expect(b.election.isLeader()).toBe(true);
});

test('one of two candidates that acquire the lease at once leads', async () => {
  const timers = new VirtualTimers();
  const server = new LeaseServer();
  const all = ['a', 'b', 'c'].map((identity) => candidate(server, timers, identity));
  await timers.advance(30_000);
  expect(all.filter(({ election }) => election.isLeader())).toHaveLength(1);
});
