import { expect, test } from '@jest/globals';
import pino from 'pino';
import { settle, VirtualTimers } from '../../test/support/operator/virtual-timers.ts';
import { ApiError, type KubeObject } from './kube.ts';
import type { KubeSource, Page, WatchEvent, WatchOptions } from './kube-source.ts';
import { resources, type Pod } from '../../domain/kinds.ts';
import { watchMetrics } from '../metrics/kube-metrics.ts';
import { MetricRegistry } from '../metrics/metrics.ts';
import { Reflector, type ReflectorOptions } from './reflector.ts';

const pod = (
  name: string,
  version: number,
  uid = name,
  labels: Record<string, string> = {},
): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'ns', name, uid, resourceVersion: String(version), labels },
});
const event = (type: WatchEvent['type'], object: KubeObject): WatchEvent => ({ type, object });
const bookmark = (version: number) =>
  event('BOOKMARK', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { resourceVersion: String(version) },
  });
const gone = event('ERROR', {
  kind: 'Status',
  code: 410,
  reason: 'Expired',
} as unknown as KubeObject);

/** One watch, controlled by the test. */
class Stream {
  readonly options: WatchOptions;
  readonly atMs: number;
  readonly #queue: (readonly WatchEvent[] | Error | 'end')[] = [];
  #wake = () => {};

  constructor(options: WatchOptions, atMs: number) {
    this.options = options;
    this.atMs = atMs;
    options.signal.addEventListener('abort', () => this.#push(options.signal.reason as Error));
  }

  async send(...events: WatchEvent[]): Promise<void> {
    this.#push(events);
    await settle();
  }

  async end(how: Error | 'end' = 'end'): Promise<void> {
    this.#push(how);
    await settle();
  }

  #push(step: readonly WatchEvent[] | Error | 'end'): void {
    this.#queue.push(step);
    this.#wake();
  }

  async *events(): AsyncGenerator<readonly WatchEvent[]> {
    for (;;) {
      const step = this.#queue.shift();
      if (step === undefined) await new Promise<void>((resolve) => (this.#wake = resolve));
      else if (step === 'end') return;
      else if (step instanceof Error) throw step;
      else yield step;
    }
  }
}

/** Makes a reflector. `lists` are returned in turn, then the last one repeatedly. */
function reflectorOf(
  lists: readonly (Page<Pod>[] | Error)[],
  options: Partial<ReflectorOptions<Pod>> = {},
) {
  const timers = new VirtualTimers();
  const registry = new MetricRegistry();
  const metrics = watchMetrics(registry, 'test_', ['pods']);
  const streams: Stream[] = [];
  const changes: string[] = [];
  let listed = 0;
  const source: KubeSource = {
    listPage: <T extends KubeObject>(
      _: unknown,
      { continueToken }: { continueToken?: string | undefined },
    ) => {
      const list = lists[Math.min(listed, lists.length - 1)] ?? [];
      const page = list instanceof Error ? undefined : list[Number(continueToken ?? 0)];
      if (page?.continueToken === undefined) listed += 1;
      if (page === undefined) return Promise.reject(list);
      return Promise.resolve(page as unknown as Page<T>);
    },
    watch: (_, watchOptions) => {
      const stream = new Stream(watchOptions, timers.nowMs());
      streams.push(stream);
      return stream.events();
    },
  };
  const reflector = new Reflector<Pod>({
    source,
    resource: resources.pod,
    index: 'app',
    onChange: ({ name, object, previous, isBirth = false }) => {
      const version = (one: Pod | undefined) => one?.metadata.resourceVersion ?? '-';
      changes.push(`${name} ${version(previous)}>${version(object)}${isBirth ? ' born' : ''}`);
    },
    logger: pino({ level: 'silent' }),
    metrics,
    timers,
    random: () => 1,
    ...options,
  });
  const metric = async (name: string) =>
    Number(
      (await registry.text()).match(new RegExp(`test_${name}\\{resource="pods"\\} (\\S+)`))?.[1],
    );
  const last = (): Stream => {
    const stream = streams.at(-1);
    if (stream === undefined) throw new Error('nothing is watched yet');
    return stream;
  };
  reflector.start();
  return { reflector, timers, streams, changes, metric, last, listed: () => listed };
}

const list = (version: number, ...items: Pod[]): Page<Pod>[] => [
  { items, resourceVersion: String(version), continueToken: undefined },
];

test('pages, then changes, end up in the cache, and each is told once', async () => {
  const { reflector, changes, last } = reflectorOf([
    [
      { items: [pod('a', 1)], resourceVersion: '5', continueToken: '1' },
      { items: [pod('b', 2)], resourceVersion: '5', continueToken: undefined },
    ],
  ]);
  expect(reflector.cache.synced).toBe(false);
  await reflector.whenSynced();
  await settle();
  expect(last().options).toMatchObject({ resourceVersion: '5', timeoutSeconds: 300 });
  await last().send(event('MODIFIED', pod('a', 6)), event('ADDED', pod('c', 7)));
  await last().send(event('DELETED', pod('b', 8)));
  // Only of what a watch brings as new is it known that it has just been made.
  expect(changes).toEqual(['a ->1', 'b ->2', 'a 1>6', 'c ->7 born', 'b 2>-']);
  expect(reflector.cache.list().map(({ metadata }) => metadata.name)).toEqual(['a', 'c']);
  await reflector.stop();
});

test('nothing counts as absent before the first list is whole', async () => {
  const { reflector, timers } = reflectorOf([new Error('refused'), list(1)]);
  await settle();
  expect(reflector.cache.synced).toBe(false);
  await timers.advance(200);
  expect(reflector.cache.synced).toBe(true);
  await reflector.stop();
});

test('a right that is missing is told from a server that does not answer, and asked for again', async () => {
  const forbidden = new ApiError('no right', { status: 403, reason: 'Forbidden' });
  const { reflector, timers } = reflectorOf([
    forbidden,
    new Error('no answer'),
    list(5, pod('a', 1)),
  ]);
  await reflector.whenAnswered();
  expect([reflector.refused, reflector.cache.synced]).toEqual([true, false]);
  await timers.advance(200);
  await settle();
  expect([reflector.refused, reflector.cache.synced]).toEqual([false, false]);
  await timers.advance(5_000);
  await reflector.whenSynced();
  expect(reflector.cache.list()).toHaveLength(1);
  await reflector.stop();
});

test('a watch that ends cleanly goes on at once from where it was, bookmarks counted', async () => {
  const { timers, streams, last, reflector, listed } = reflectorOf([list(5)]);
  await settle();
  await timers.advance(50_000);
  await last().send(bookmark(90));
  await timers.advance(60_000);
  await last().end();
  expect(streams.map(({ atMs, options }) => [atMs, options.resourceVersion])).toEqual([
    [0, '5'],
    [110_000, '90'],
  ]);
  expect(listed()).toBe(1);
  await reflector.stop();
});

test('a connection over which nothing comes is given up, and the watch goes on', async () => {
  const { timers, streams, last, reflector, metric } = reflectorOf([list(5)]);
  await settle();
  await last().send();
  expect(await metric('watch_connected')).toBe(1);
  await timers.advance(80_000);
  await last().send(bookmark(6));
  await timers.advance(89_999);
  expect(streams).toHaveLength(1);
  await timers.advance(1 + 200);
  expect(streams).toHaveLength(2);
  expect(last().options.resourceVersion).toBe('6');
  expect(await metric('watch_failures_total')).toBe(0);
  expect(await metric('watch_connected')).toBe(0);
  await reflector.stop();
});

/** Lets so many watches open and bring nothing. */
async function silence(of: ReturnType<typeof reflectorOf>, watches: number): Promise<void> {
  for (let index = 0; index < watches; index += 1) {
    await of.last().send();
    await of.timers.advance(90_000 + 200);
  }
}

test('a change that an open watch does not bring is seen in a list, and time after time the watch is deaf', async () => {
  const first = pod('a', 4);
  const of = reflectorOf([list(5, first), list(9, pod('a', 8)), list(20, pod('a', 19))]);
  await settle();
  await silence(of, 1);
  expect(of.listed()).toBe(1);
  await silence(of, 1);
  expect([of.listed(), of.changes.at(-1), of.reflector.deaf]).toEqual([2, 'a 4>8', false]);
  await silence(of, 2);
  expect([of.listed(), of.changes.at(-1), of.reflector.deaf]).toEqual([3, 'a 8>19', true]);
  await of.last().send(bookmark(21));
  expect(of.reflector.deaf).toBe(true);
  await of.last().send(event('MODIFIED', pod('a', 22)));
  expect(of.reflector.deaf).toBe(false);
  await of.reflector.stop();
});

/** Lets so many watches open, bring a bookmark each minute and nothing else, and end as the server ends them. */
async function bookmarksOnly(of: ReturnType<typeof reflectorOf>, watches: number): Promise<void> {
  for (let index = 0; index < watches; index += 1) {
    for (let minute = 0; minute < 4; minute += 1) {
      await of.last().send(bookmark(5 + of.streams.length * 10 + minute));
      await of.timers.advance(60_000);
    }
    await of.last().end();
  }
}

test('a watch that brings bookmarks and swallows the events is noticed, too', async () => {
  const lists = [list(5, pod('a', 4)), list(900, pod('a', 800)), list(1_900, pod('a', 1_800))];
  const of = reflectorOf(lists);
  await settle();
  await bookmarksOnly(of, 5);
  expect(of.listed()).toBe(1);
  await bookmarksOnly(of, 1);
  expect([of.listed(), of.changes.at(-1), of.reflector.deaf]).toEqual([2, 'a 4>800', false]);
  await bookmarksOnly(of, 6);
  expect([of.listed(), of.changes.at(-1), of.reflector.deaf]).toEqual([3, 'a 800>1800', true]);
  await of.reflector.stop();
});

test('a quiet kind, of which watches bring bookmarks only, is listed now and then and not deaf', async () => {
  const of = reflectorOf([5, 1_000, 2_000, 3_000].map((version) => list(version, pod('a', 4))));
  await settle();
  await bookmarksOnly(of, 18);
  expect([of.listed(), of.reflector.deaf, of.changes]).toEqual([4, false, ['a ->4']]);
  await of.reflector.stop();
});

test('a watch that goes beyond a write of this process without bringing it is noticed at once', async () => {
  const of = reflectorOf([list(5, pod('a', 4)), list(13, pod('a', 8)), list(23, pod('a', 18))]);
  await settle();
  of.reflector.note(pod('a', 8));
  await of.last().send(bookmark(7));
  expect(of.streams).toHaveLength(1);
  await of.last().send(bookmark(12));
  await of.timers.advance(1_000);
  expect([of.listed(), of.streams.length, of.reflector.deaf]).toEqual([2, 2, false]);
  of.reflector.note(pod('a', 18));
  await of.last().send(bookmark(22));
  await of.timers.advance(1_000);
  expect([of.listed(), of.reflector.deaf]).toEqual([3, true]);
  await of.reflector.stop();
});

test('a write of this process that the watch brings, or something later in its place, is no reason to list', async () => {
  const of = reflectorOf([list(5, pod('a', 4), pod('b', 4), pod('c', 4))]);
  await settle();
  for (const name of ['a', 'b', 'c']) of.reflector.note(pod(name, 8));
  await of
    .last()
    .send(
      event('MODIFIED', pod('a', 8)),
      event('MODIFIED', pod('b', 9)),
      event('DELETED', pod('c', 10)),
      bookmark(20),
    );
  await of.timers.advance(60_000);
  expect([of.listed(), of.streams.length, of.reflector.deaf]).toEqual([1, 1, false]);
  await of.reflector.stop();
});

test('watches of a quiet cluster are not deaf, nor those that once bring something', async () => {
  const quiet = reflectorOf([list(5, pod('a', 4))]);
  await settle();
  await silence(quiet, 9);
  expect([quiet.listed(), quiet.reflector.deaf, quiet.changes]).toEqual([5, false, ['a ->4']]);
  await quiet.reflector.stop();
  const late = reflectorOf([list(5), list(9, pod('a', 8)), list(20, pod('a', 19))]);
  await settle();
  await silence(late, 2);
  await late.last().send(event('MODIFIED', pod('a', 12)));
  await silence(late, 3);
  expect([late.listed(), late.reflector.deaf]).toEqual([3, false]);
  await late.reflector.stop();
});

test('waits grow with errors in a row and start again once something has come', async () => {
  const { timers, streams, last, reflector } = reflectorOf([list(5)]);
  await settle();
  for (let times = 0; times < 10; times += 1) {
    await last().end(new Error('reset'));
    await timers.advance(30_000);
  }
  const waits = streams.map(({ atMs }) => atMs % 30_000);
  expect(waits.slice(1, 5)).toEqual([200, 400, 800, 1_600]);
  expect(streams).toHaveLength(11);
  const before = timers.nowMs();
  await last().send(bookmark(6));
  await last().end(new Error('reset'));
  await timers.advance(30_000);
  expect(last().atMs - before).toBe(200);
  await reflector.stop();
});

test('a server that ends each watch at once is not hammered', async () => {
  const { timers, streams, reflector } = reflectorOf([list(5)]);
  await settle();
  for (let ms = 0; ms < 60_000; ms += 100) {
    await streams.at(-1)?.end();
    await timers.advance(100);
  }
  expect(streams.length).toBeLessThan(12);
  await reflector.stop();
});

test('the server says how long to stay away', async () => {
  const { timers, streams, last, reflector } = reflectorOf([list(5)]);
  await settle();
  await last().end(
    new ApiError('busy', { status: 429, reason: 'TooManyRequests', retryAfterMs: 9_000 }),
  );
  await timers.advance(8_999);
  expect(streams).toHaveLength(1);
  await timers.advance(1);
  expect(streams).toHaveLength(2);
  await reflector.stop();
});

for (const how of ['as an event', 'as an answer'] as const) {
  test(`410 ${how} means a new list: what went meanwhile goes, what came is there`, async () => {
    const { changes, last, reflector, metric, timers } = reflectorOf([
      list(5, pod('a', 1), pod('b', 2), pod('c', 3)),
      list(20, pod('a', 1), pod('b', 11), pod('d', 12)),
    ]);
    await settle();
    if (how === 'as an event') await last().send(gone);
    else await last().end(new ApiError('too old', { status: 410, reason: 'Expired' }));
    await timers.advance(0);
    expect(changes.slice(3)).toEqual(['c 3>-', 'b 2>11', 'd ->12']);
    expect(last().options.resourceVersion).toBe('20');
    expect([
      await metric('watch_relists_total'),
      await metric('watch_missed_events_total'),
    ]).toEqual([1, 0]);
    await reflector.stop();
  });
}

test('changes that a list shows and the watch did not are counted as missed', async () => {
  const { last, reflector, metric, timers } = reflectorOf([
    list(5, pod('a', 1)),
    list(20, pod('a', 9), pod('b', 15)),
  ]);
  await settle();
  await last().send(bookmark(10), gone);
  await timers.advance(0);
  expect(await metric('watch_missed_events_total')).toBe(1);
  await reflector.stop();
});

test('another object of the same name is a removal and an addition, in a watch and in a list', async () => {
  const { changes, last, reflector, timers } = reflectorOf([
    list(5, pod('a', 1, 'one')),
    list(9, pod('a', 8, 'three')),
  ]);
  await settle();
  await last().send(event('MODIFIED', pod('a', 6, 'two')));
  await last().send(gone);
  await timers.advance(0);
  expect(changes).toEqual(['a ->1', 'a 1>-', 'a ->6', 'a 6>-', 'a ->8']);
  await reflector.stop();
});

test('a list older than the cache changes nothing until it has come three times', async () => {
  const { changes, last, reflector, timers } = reflectorOf([
    list(10, pod('a', 10)),
    list(9, pod('a', 1)),
  ]);
  await settle();
  await last().send(event('MODIFIED', pod('a', 11)), gone);
  await timers.advance(100);
  expect(changes).toEqual(['a ->10', 'a 10>11']);
  await timers.advance(60_000);
  expect(changes).toEqual(['a ->10', 'a 10>11', 'a 11>1']);
  expect(last().options.resourceVersion).toBe('9');
  await reflector.stop();
});

test('a handler that throws harms neither the cache nor those after it', async () => {
  const seen: string[] = [];
  const { reflector, metric } = reflectorOf([list(5, pod('a', 1), pod('b', 2))], {
    onChange: ({ name }) => {
      if (name === 'a') throw new Error('handler');
      seen.push(name);
    },
  });
  await settle();
  expect(seen).toEqual(['b']);
  expect(reflector.cache.get('ns', 'a')).toBeDefined();
  expect(await metric('watch_handler_failures_total')).toBe(1);
  await reflector.stop();
});

test('objects are found by their label as it is now', async () => {
  const { reflector, last } = reflectorOf([
    list(5, pod('a', 1, 'a', { app: 'x' }), pod('b', 2, 'b', { app: 'x' })),
  ]);
  await settle();
  const found = (value: string) =>
    reflector.cache.byIndex(value).map(({ metadata }) => metadata.name);
  expect([found('x'), found('y')]).toEqual([['a', 'b'], []]);
  await last().send(
    event('MODIFIED', pod('a', 6, 'a', { app: 'y' })),
    event('DELETED', pod('b', 7)),
  );
  expect([found('x'), found('y')]).toEqual([[], ['a']]);
  await reflector.stop();
});

test('the answer to a write is seen at once, and what the watch brings from before it undoes nothing', async () => {
  const { reflector, last, changes } = reflectorOf([list(5, pod('a', 4))]);
  await settle();
  const versionOf = (name: string) => reflector.cache.get('ns', name)?.metadata.resourceVersion;
  reflector.note(pod('a', 8));
  reflector.note(pod('b', 9, 'second'));
  expect([versionOf('a'), versionOf('b')]).toEqual(['8', '9']);
  await last().send(
    event('MODIFIED', pod('a', 6)),
    event('ADDED', pod('b', 6, 'first')),
    event('DELETED', pod('b', 7, 'first')),
  );
  expect([versionOf('a'), versionOf('b')]).toEqual(['8', '9']);
  const told = changes.length;
  await last().send(event('MODIFIED', pod('a', 8)), event('ADDED', pod('b', 9, 'second')));
  expect(changes).toHaveLength(told);
  await last().send(event('DELETED', pod('b', 10, 'second')));
  expect(versionOf('b')).toBeUndefined();
  await reflector.stop();
});

test('an answer that comes after the watch has shown the object’s end brings nothing back', async () => {
  const { reflector, last } = reflectorOf([list(5)]);
  await settle();
  await last().send(event('ADDED', pod('a', 6)), event('DELETED', pod('a', 7)));
  reflector.note(pod('a', 6));
  expect(reflector.cache.get('ns', 'a')).toBeUndefined();
  await reflector.stop();
});

test('the answer to a write that is made while a list is read stays, and the watch from that list decides about it', async () => {
  const noted: (() => void)[] = [];
  const pages: Page<Pod>[] = [
    { items: [pod('a', 4)], resourceVersion: '10', continueToken: '1' },
    {
      get items() {
        for (const note of noted) note();
        return [pod('b', 4)];
      },
      resourceVersion: '10',
      continueToken: undefined,
    },
  ];
  const { reflector, last, changes, metric, timers } = reflectorOf([
    list(5, pod('a', 4), pod('b', 4)),
    pages,
  ]);
  await settle();
  noted.push(
    () => reflector.note(pod('b', 11)),
    () => reflector.note(pod('new', 12)),
  );
  await last().send(gone);
  await timers.advance(0);
  expect(changes.slice(2)).toEqual(['b 4>11', 'new ->12']);
  expect([last().options.resourceVersion, await metric('watch_missed_events_total')]).toEqual([
    '10',
    0,
  ]);
  await last().send(event('MODIFIED', pod('b', 11)), event('ADDED', pod('new', 12)));
  await last().send(event('DELETED', pod('new', 13)), bookmark(20));
  expect(changes.slice(4)).toEqual(['new 12>-']);
  expect(last().options.resourceVersion).toBe('10');
  await reflector.stop();
});

test('an answer is not seen that the watch would not bring', async () => {
  const { reflector } = reflectorOf([list(5)], { labelSelector: 'app=x' });
  await settle();
  reflector.note(pod('a', 6, 'a', { app: 'y' }));
  reflector.note(pod('b', 7, 'b', { app: 'x' }));
  expect(reflector.cache.list().map(({ metadata }) => metadata.name)).toEqual(['b']);
  await reflector.stop();
});

test('fields that only the API server needs are dropped', async () => {
  const full: Pod = {
    ...pod('a', 1),
    metadata: {
      ...pod('a', 1).metadata,
      managedFields: [{ manager: 'kubectl' }],
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}', mine: 'kept' },
    },
  };
  const { reflector } = reflectorOf([list(5, full)]);
  await settle();
  const { managedFields, annotations } = reflector.cache.get('ns', 'a')?.metadata ?? {};
  expect([managedFields, annotations]).toEqual([undefined, { mine: 'kept' }]);
  await reflector.stop();
});

test('stopping ends the watch at once, whatever it waits for', async () => {
  const open = reflectorOf([list(5)]);
  await settle();
  await open.reflector.stop();
  expect(open.last().options.signal.aborted).toBe(true);
  expect(open.timers.pending).toBe(0);
  const waiting = reflectorOf([new Error('refused')]);
  await settle();
  expect(waiting.timers.pending).toBe(1);
  await waiting.reflector.stop();
  expect(waiting.timers.pending).toBe(0);
});
