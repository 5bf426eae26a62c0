import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { VirtualTimers } from '../../test/support/operator/virtual-timers.ts';
import { sampleMs } from '../store/metric-samples.ts';
import { SampleTicks } from './sample-ticks.ts';

const never = new AbortController().signal;
const startMs = Date.UTC(2026, 0, 1);

/** A machine whose date is off, and jumps; the store's clock runs right unless it is set, too. */
class World extends VirtualTimers {
  offMs = 0;
  storeOffMs = 0;
  storeAnswers = true;
  /** Times at which a sample was taken. */
  readonly taken: number[] = [];
  readonly silences: unknown[] = [];
  readonly #ticks: SampleTicks;

  constructor(offMs: number) {
    super();
    this.offMs = offMs;
    this.#ticks = new SampleTicks({
      timers: this,
      storeTime: () =>
        this.storeAnswers
          ? Promise.resolve(new Date(this.storeMs))
          : Promise.reject(new Error('the store is away')),
      onSilence: (error) => void this.silences.push(error),
    });
  }

  #waitMs = 0;

  override after(ms: number, callback: () => void): () => void {
    this.#waitMs = ms;
    return super.after(ms, callback);
  }

  override wallMs(): number {
    return super.wallMs() + this.offMs;
  }

  get storeMs(): number {
    return startMs + this.nowMs() + this.storeOffMs;
  }

  /** Takes the next sample; other work follows. */
  async take(workMs = 0): Promise<void> {
    const next = this.#ticks.next(never);
    await this.advance(0);
    await this.advance(this.#waitMs);
    const at = await next;
    if (at === undefined) throw new Error('nothing aborts');
    this.taken.push(at.getTime());
    await this.advance(workMs);
  }
}

const anyJump = fc.integer({ min: -7_200_000, max: 7_200_000 });

test('a worker whose clock is wrong and jumps takes its samples at the store’s time, and none twice', async () => {
  const rounds = fc.array(fc.record({ jump: anyJump, workMs: fc.nat(14_000) }), {
    minLength: 2,
    maxLength: 12,
  });
  await fc.assert(
    fc.asyncProperty(anyJump, rounds, async (offMs, all) => {
      const world = new World(offMs);
      for (const { jump, workMs } of all) {
        const beforeMs = world.storeMs;
        world.offMs += jump;
        await world.take(workMs);
        const at = world.taken.at(-1) ?? Number.NaN;
        expect(at % sampleMs).toBe(0);
        expect(at).toBeGreaterThan(beforeMs);
        expect(at).toBeLessThanOrEqual(beforeMs + sampleMs);
      }
      // The work fits between two ticks, so that none is left out.
      for (const [index, at] of world.taken.slice(1).entries()) {
        expect(at).toBe((world.taken[index] ?? Number.NaN) + sampleMs);
      }
    }),
  );
});

test('a clock that is set back by seconds makes no time of samples come twice, not even the store’s own', async () => {
  const seconds = fc.integer({ min: -10_000, max: 10_000 });
  await fc.assert(
    fc.asyncProperty(fc.array(seconds, { minLength: 2, maxLength: 5 }), async (jumps) => {
      const world = new World(0);
      for (const jump of jumps) {
        world.storeOffMs += jump;
        await world.take();
      }
      expect(world.taken).toEqual([...new Set(world.taken)].sort((a, b) => a - b));
      expect(world.taken.every((at) => at % sampleMs === 0)).toBe(true);
    }),
  );
});

test('samples do not wait for an hour to pass again after the store’s clock was set back by one', async () => {
  const world = new World(0);
  await world.take();
  world.storeOffMs -= 3_600_000;
  await world.take();
  expect(world.taken[1]).toBe((world.taken[0] ?? Number.NaN) - 3_600_000 + sampleMs);
});

test('while the store is away, samples go on by the time that it told last, whatever the machine’s clock does', async () => {
  const world = new World(-60_000);
  await world.take();
  world.storeAnswers = false;
  for (const jump of [-5_000, 70_000, -3_600_000]) {
    world.offMs += jump;
    await world.take();
  }
  const [first = Number.NaN] = world.taken;
  expect(world.taken).toEqual([0, 1, 2, 3].map((index) => first + index * sampleMs));
  expect(world.silences).toHaveLength(3);
});

test('a tick that nobody waits for any more is none', async () => {
  const world = new World(0);
  const leaving = new AbortController();
  const ticks = new SampleTicks({
    timers: world,
    storeTime: () => Promise.resolve(new Date(world.storeMs)),
    onSilence: () => undefined,
  });
  const next = ticks.next(leaving.signal);
  await world.advance(1);
  leaving.abort();
  expect(await next).toBeUndefined();
  expect(world.pending).toBe(0);
});
