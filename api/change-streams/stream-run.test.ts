/** The order in which a run reads, sends and records, with a ledger of a few pages and a sink that confirms when the test says so. */
import { expect, test } from '@jest/globals';
import { systemTimers } from '../../base/timers.ts';
import { ChangeEvent } from '../../engine/wire/records.ts';
import type { ChangeEventsPage } from '../ledger/change-events.ts';
import type { ChangeStream } from '../model/change-stream.ts';
import { Refusal } from '../model/refusal.ts';
import type { Progress } from '../store/change-stream-work.ts';
import { PlacesAhead } from './page-ahead.ts';
import { delivered, failed, type Delivery } from './sinks/sink.ts';
import { freshMs, runStream, type RunParts, type RunResult } from './stream-run.ts';

const pageMax = 10;

class Scene {
  readonly done: string[] = [];
  readonly places = new PlacesAhead(1);
  readonly ended: Promise<RunResult>;
  /** Reads after this position fail. */
  failsAfter: bigint | undefined;
  /** Of the stream in the store. */
  version = 1;
  /** Time for which the organization may not send. */
  pauseMs = 0;
  readonly #stopping = new AbortController();
  #confirm: ((delivery: Delivery) => void) | undefined;

  constructor(events: number, leaseAskedAtMs = systemTimers.nowMs()) {
    const page = async (after: bigint, limit: number): Promise<ChangeEventsPage> => {
      this.done.push(`read after ${after}`);
      if (this.failsAfter === after) {
        throw new Refusal('ledger_unavailable', { detail: 'The ledger does not answer.' });
      }
      const count = Math.min(limit, events - Number(after));
      const last = after + BigInt(count);
      const rows = new Uint8Array(count * ChangeEvent.words * 4);
      return { rows, count, last, hasMore: Number(last) < events };
    };
    const record = async ({ to, count }: Progress) => {
      if (count > 0) this.done.push(`recorded ${to}`);
      if (Number(to) === events) this.#stopping.abort();
      return { state: 'RUNNING', suspended: false, version: this.version } as ChangeStream;
    };
    const stream = { position: 0n, failures: 0, version: 1, pendingFrom: null } as ChangeStream;
    const parts: RunParts = {
      source: { page, encode: async (work) => work() },
      sink: {
        pageMax,
        prepare: ({ last }) => ({
          bytes: 1,
          send: () => {
            this.done.push(`sent ${last}`);
            return new Promise((resolve) => (this.#confirm = resolve));
          },
        }),
        close() {},
      },
      crowded: () => false,
      ahead: this.places,
      mayGoOn: async (version) => version === this.version,
      leaseAskedAtMs,
      record,
      pauseMs: () => this.pauseMs,
      onAttempt() {},
      stopping: this.#stopping.signal,
      abandoning: new AbortController().signal,
    };
    const leased = { stream, sealedSecrets: [], toldFailing: false, owner: 'one', token: '' };
    this.ended = runStream(leased, parts);
  }

  /** Lets the sink answer as soon as it has a page, and everything that follows from it happen. */
  async answer(delivery: Delivery): Promise<void> {
    await settled();
    this.#confirm?.(delivery);
    await settled();
  }
}

/** Everything that waits for nothing else has happened. */
const settled = () => new Promise((resolve) => void setImmediate(resolve));

test('while a page is sent one page is read, and it is sent when the one before it is recorded', async () => {
  const scene = new Scene(25);
  await settled();
  expect(scene.done).toEqual(['read after 0', 'sent 10', 'read after 10']);
  await scene.answer(delivered);
  await scene.answer(delivered);
  await scene.answer(delivered);
  expect(scene.done).toEqual([
    'read after 0',
    'sent 10',
    'read after 10',
    'recorded 10',
    'sent 20',
    'read after 20',
    'recorded 20',
    'sent 25',
    'recorded 25',
  ]);
  expect(await scene.ended).toEqual({ kind: 'ended', waitMs: 0 });
});

test('a page that the sink refuses is the last one that is sent, and the place of the next one is free', async () => {
  const scene = new Scene(30);
  await scene.answer(failed('REJECTED', 'The queue is full.'));
  expect(await scene.ended).toMatchObject({
    kind: 'failed',
    failure: { part: 'SINK', failures: 1 },
  });
  expect(scene.done).toEqual(['read after 0', 'sent 10', 'read after 10']);
  expect(scene.places.free).toBe(1);
});

test('a ledger that fails while a page is sent fails after that page is recorded, and is asked once', async () => {
  const scene = new Scene(30);
  scene.failsAfter = 10n;
  await scene.answer(delivered);
  expect(await scene.ended).toMatchObject({
    kind: 'failed',
    failure: { part: 'LEDGER', failures: 1 },
  });
  expect(scene.done).toEqual(['read after 0', 'sent 10', 'read after 10', 'recorded 10']);
  expect(scene.places.free).toBe(1);
});

test('without a place for it, the next page is read when the one before it is recorded', async () => {
  const scene = new Scene(20);
  scene.places.take();
  await scene.answer(delivered);
  await scene.answer(delivered);
  expect(scene.done).toEqual([
    'read after 0',
    'sent 10',
    'recorded 10',
    'read after 10',
    'sent 20',
    'recorded 20',
  ]);
});

test('a page that was read before somebody paused and resumed the stream is read again: transfers may have been imported', async () => {
  const scene = new Scene(20);
  await settled();
  scene.version = 3;
  await scene.answer(delivered);
  await scene.answer(delivered);
  expect(scene.done).toEqual([
    'read after 0',
    'sent 10',
    'read after 10',
    'recorded 10',
    'read after 10',
    'sent 20',
    'recorded 20',
  ]);
  expect(scene.places.free).toBe(1);
});

test('a page ahead that waited for its organization’s turn to send is not sent if somebody changed the stream meanwhile', async () => {
  const scene = new Scene(20);
  await settled();
  scene.pauseMs = 1;
  await scene.answer(delivered);
  // The stream is paused and resumed while the page waits.
  scene.version = 3;
  scene.pauseMs = 0;
  expect(await scene.ended).toMatchObject({ kind: 'ended' });
  expect(scene.done).toEqual(['read after 0', 'sent 10', 'read after 10', 'recorded 10']);
  expect(scene.places.free).toBe(1);
});

test('a run that begins long after the store was asked for the stream sends nothing if somebody changed the stream meanwhile', async () => {
  const scene = new Scene(10, systemTimers.nowMs() - freshMs);
  scene.version = 2;
  expect(await scene.ended).toMatchObject({ kind: 'ended' });
  expect(scene.done).toEqual(['read after 0']);
});
