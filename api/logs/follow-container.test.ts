import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import type { PodLogOptions } from '../../base/kube/kube-source.ts';
import { ApiError } from '../../base/kube/kube.ts';
import { MetricRegistry } from '../../base/metrics/metrics.ts';
import { settle, VirtualTimers } from '../../test/support/operator/virtual-timers.ts';
import { Allowance } from './allowance.ts';
import { followContainer, type FollowServices } from './follow-container.ts';
import { logMetrics } from './log-metrics.ts';
import { Turns } from './turns.ts';

const SECONDS = 1_000;
const MINUTES = 60 * SECONDS;

const container = {
  databaseId: 'db_1',
  namespace: 'org-a',
  pod: 'p-0',
  container: 'engine',
  component: 'engine',
  node: 0,
  restarts: true,
} as const;

test('a container that ends after an hour of silence is looked at again within seconds', async () => {
  const timers = new VirtualTimers();
  const stop = new AbortController();
  let end = () => {};
  const askedAtMs: number[] = [];
  /** A log that says nothing until the container ends. */
  async function* silent(signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
    askedAtMs.push(timers.nowMs());
    await new Promise<void>((resolve) => {
      end = resolve;
      signal?.addEventListener('abort', () => resolve(), { once: true });
    });
    yield* [];
  }
  const following = followContainer(
    {
      logs: { podLog: (_pod, { signal }) => silent(signal) },
      open: () => Promise.resolve(''),
      append: () => Promise.resolve(true),
      turns: new Turns({ connections: 1, leastMs: 5_000, greatestMs: 240_000 }, timers),
      timers,
      logger: pino({ level: 'silent' }),
      metrics: logMetrics(new MetricRegistry(), 'test_'),
    },
    container,
    new Allowance(0),
    stop.signal,
  );
  await timers.advance(3_600_000);
  expect(askedAtMs.length).toBeGreaterThan(10);
  const endedAtMs = timers.nowMs();
  askedAtMs.length = 0;
  end();
  await timers.advance(10_000);
  expect((askedAtMs[0] ?? Infinity) - endedAtMs).toBeLessThan(5_000);
  stop.abort();
  await timers.advance(300_000);
  await settle();
  await following;
});

/** One run of the container; its line is the first thing that it says. */
interface Life {
  readonly line?: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** A pod that comes and goes, and what is kept of its log. */
class World {
  readonly timers = new VirtualTimers();
  readonly kept: string[] = [];
  readonly looksMs: number[] = [];
  readonly #stop = new AbortController();
  readonly #following: Promise<void>;
  /** Of the pod that there is; without any, there is no pod. */
  #lives: readonly Life[] = [];
  #place = '';

  constructor() {
    const services: FollowServices = {
      logs: { podLog: (_pod, options) => this.#log(options) },
      open: () => Promise.resolve(this.#place),
      append: ({ next, lines }) => {
        this.#place = next;
        this.kept.push(...lines.map(({ message }) => message));
        return Promise.resolve(true);
      },
      turns: new Turns({ connections: 1, leastMs: 5_000, greatestMs: 240_000 }, this.timers),
      timers: this.timers,
      logger: pino({ level: 'silent' }),
      metrics: logMetrics(new MetricRegistry(), 'test_'),
    };
    const allowance = new Allowance(0);
    this.#following = followContainer(services, container, allowance, this.#stop.signal);
  }

  /** As Kubernetes has it: the log of the container that runs or ran last, and of the one before. */
  async *#log({ previous, since, signal }: PodLogOptions): AsyncGenerator<Uint8Array> {
    const nowMs = this.timers.nowMs();
    if (previous !== true) this.looksMs.push(nowMs);
    const begun = this.#lives.filter(({ fromMs }) => fromMs <= nowMs);
    const life = begun.at(previous === true ? -2 : -1);
    if (life === undefined)
      throw new ApiError('there is none', { status: 404, reason: 'NotFound' });
    const at = new Date(Date.UTC(2026, 0, 1) + life.fromMs);
    const isWanted = since === undefined || at.getTime() >= since.setMilliseconds(0);
    if (life.line !== undefined && isWanted)
      yield Buffer.from(`${at.toISOString()} ${life.line}\n`);
    if (previous === true || life.toMs <= nowMs) return;
    await new Promise<void>((resolve) => {
      const cancel = this.timers.after(life.toMs - nowMs, resolve);
      signal?.addEventListener('abort', () => [cancel(), resolve()], { once: true });
    });
  }

  /** Puts a pod there whose container runs at these times from now on, in seconds; it says `name` and the number of the run. */
  pod(name: string, ...runs: readonly (readonly [from: number, to: number])[]): void {
    const nowMs = this.timers.nowMs();
    this.#lives = runs.map(([from, to], run) => ({
      line: `${name} ${run + 1}`,
      fromMs: nowMs + from * SECONDS,
      toMs: nowMs + to * SECONDS,
    }));
  }

  silentPod(fromMs: number, toMs: number): void {
    this.#lives = [{ fromMs, toMs }];
  }

  noPod(): void {
    this.#lives = [];
  }

  async untilNextLook(): Promise<void> {
    const before = this.looksMs.length;
    while (this.looksMs.length === before) await this.timers.advance(100);
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.timers.advance(5 * MINUTES);
    await settle();
    await this.#following;
  }
}

/** A pod that was there, said something, and went. */
async function absentFor(ms: number): Promise<World> {
  const world = new World();
  world.pod('before', [0, 20]);
  await world.timers.advance(30 * SECONDS);
  expect(world.kept).toEqual(['before 1']);
  world.noPod();
  await world.timers.advance(ms);
  await world.untilNextLook();
  return world;
}

/** As Kubernetes starts a container that ends at once. */
const crashing = [
  [0, 1],
  [1, 2],
  [12, 13],
  [33, 34],
] as const;

test('no run is lost of a container that fails at once when its pod comes', async () => {
  const world = await absentFor(8 * MINUTES);
  world.pod('run', ...crashing);
  await world.timers.advance(3 * MINUTES);
  expect(world.kept).toEqual(['before 1', 'run 1', 'run 2', 'run 3', 'run 4']);
  await world.end();
});

test('runs that were lost after a long absence are told', async () => {
  const world = await absentFor(60 * MINUTES);
  world.pod('run', ...crashing);
  await world.timers.advance(3 * MINUTES);
  expect(world.kept).toEqual([
    'before 1',
    expect.stringMatching(/^Lines since \S+ may be missing: /),
    'run 3',
    'run 4',
  ]);
  await world.end();
});

test('a database that is resumed after a long time has no gap', async () => {
  const world = await absentFor(60 * MINUTES);
  world.pod('resumed', [0, 3_600]);
  await world.timers.advance(3 * MINUTES);
  expect(world.kept).toEqual(['before 1', 'resumed 1']);
  await world.end();
});

test('a container that was silent for long before it ended is looked at again soon', async () => {
  const world = await absentFor(60 * MINUTES);
  const nowMs = world.timers.nowMs();
  world.silentPod(nowMs, nowMs + 220 * SECONDS);
  await world.untilNextLook();
  await world.timers.advance(nowMs + 220 * SECONDS - world.timers.nowMs());
  const endedMs = world.timers.nowMs();
  await world.untilNextLook();
  expect((world.looksMs.at(-1) ?? Infinity) - endedMs).toBeLessThan(2 * SECONDS);
  await world.end();
});
