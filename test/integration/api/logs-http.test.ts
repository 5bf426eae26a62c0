/** Logs over HTTP and on the command line: filters, pages and streams of what workers have kept. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type { LogLine, LogLineList } from '../../../gen/api.ts';
import { keepLogDays } from '../../../api/store/log-writes.ts';
import { poolDefaults } from '../../../api/store/pool.ts';
import { ensureDefaultOrganization, type Organization } from '../../../api/store/organizations.ts';
import { Store } from '../../../api/store/store.ts';
import type { Browser } from '../../support/browser/browser.ts';
import { writeLines } from '../../support/api/log-lines.ts';
import { PeopleService, type Answered } from '../../support/api/people-service.ts';
import { makeDatabase, patient, silent, tester } from '../../support/api/store.ts';
import { Cli } from '../../support/cli/cli.ts';
import { eventually } from '../../support/shell.ts';

let service: PeopleService;
let administrator: Browser;
let store: Store;
let organization: Organization;
let cli: Cli;
let key = '';
let keyId = '';
let databaseId = '';
const begin = Date.now() - 60_000;
const at = (second: number) => new Date(begin + 1_000 * second);

beforeAll(async () => {
  service = await PeopleService.start();
  administrator = await service.administrator();
  store = new Store({ logger: silent, ...patient, url: service.databaseUrl });
  await store.start();
  await keepLogDays(store.read, new Date());
  organization = await store.change(tester, ensureDefaultOrganization);
  ({ id: databaseId } = await makeDatabase(store, organization, 'payments'));
  await writeLines(store, databaseId, [
    { at: at(1), message: 'listening', attributes: { port: 3001, by: 'C:\\a "b"' } },
    {
      at: at(3),
      level: 40,
      message: 'connection closed',
      attributes: { remote: '10.0.0.9', role: 'leader', view: 3 },
    },
    { at: at(2), level: 20, node: 1, message: 'Checkpoint 100% of_it \\ written' },
    { at: at(4), level: 60, component: 'agent', node: 2, message: 'no data file' },
    { at: at(5), level: 50, component: 'backup', node: null, message: 'no such bucket' },
  ]);
  const body = { name: 'logs', permissions: ['db:read'] };
  const { json } = await service.ask(administrator, '/api-keys', { method: 'POST', body });
  key = json.secret;
  keyId = json.apiKey.id;
  cli = new Cli({ LEDGERHOUSE_BASE_URL: service.url, LEDGERHOUSE_API_KEY: key });
});
afterAll(async () => {
  cli?.remove();
  await store?.close();
  await service?.stop();
});

const asReader = () => ({ headers: { 'x-api-key': key } });
const list = (query = ''): Promise<Answered> =>
  service.ask(undefined, `/databases/${databaseId}/logs${query}`, asReader());

async function messages(query: string): Promise<readonly string[]> {
  const { status, json } = await list(query);
  expect([query, status]).toEqual([query, 200]);
  return (json as LogLineList).data.map(({ message }) => message);
}

test('a line has all that is known of it, and the newest is the first', async () => {
  const { json } = await list();
  const [newest] = (json as LogLineList).data;
  expect(newest).toEqual({
    id: expect.stringMatching(/^\d+$/),
    timestamp: at(5).toISOString(),
    severity: 'ERROR',
    component: 'backup',
    node: null,
    message: 'no such bucket',
    attributes: {},
  });
  // The newest one was kept last.
  expect(json.page).toEqual({ limit: 100, nextCursor: null, hasMore: false, after: newest?.id });
});

const all = [
  'listening',
  'Checkpoint 100% of_it \\ written',
  'connection closed',
  'no data file',
  'no such bucket',
];
const [listening, checkpoint, closed, noFile, noBucket] = all as [
  string,
  string,
  string,
  string,
  string,
];

test.each([
  ['', all],
  ['&severity=WARN', [closed, noFile, noBucket]],
  ['&severity=FATAL', [noFile]],
  ['&component=engine', [listening, checkpoint, closed]],
  ['&component=agent,backup', [noFile, noBucket]],
  ['&node=1', [checkpoint]],
  ['&search=CLOSED', [closed]],
  ['&search=10.0.0.9', [closed]],
  ['&search=100%25', [checkpoint]],
  ['&search=of_it%20%5C', [checkpoint]],
  ['&search=ofxit', []],
  ['&search=Leader', [closed]],
  ['&search=role%3Dleader', [closed]],
  ['&search=closed%20remote%3D10.0.0.9%20role%3Dleader%20view%3D3', [closed]],
  ['&search=role%3Dleader%20%20view%3D3', [closed]],
  ['&search=role%3Dview', []],
  ['&search=by%3DC:%5Ca%20%22b%22', [listening]],
  ['&search=%3D(', []],
  [`&since=${at(2).toISOString()}&until=${at(4).toISOString()}`, [checkpoint, closed]],
  [`&severity=WARN&component=engine&node=0&search=remote`, [closed]],
])('the filter “%s”', async (filter, expected) => {
  expect(await messages(`?order=asc${filter}`)).toEqual(expected);
});

test.each([
  ['?since=0000-01-01T00:00:00.000Z&until=9999-12-31T23:59:59.999Z', 200],
  ['?since=9999-12-31T23:59:59.999Z', 200],
  ['?after=999999999999999999', 200],
  ['?search=%F0%9F%92%A9', 200],
  ['?search=%00', 400],
  ['?node=6', 400],
  ['?limit=501', 400],
])('the ends of what may be asked: %s', async (query, status) => {
  expect(await list(query)).toMatchObject({ status });
});

test('pages fit together in both orders, and a cursor belongs to its filters', async () => {
  for (const order of ['asc', 'desc']) {
    const seen: string[] = [];
    let cursor = '';
    do {
      const { json } = await list(`?order=${order}&limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...(json as LogLineList).data.map(({ message }) => message));
      cursor = (json as LogLineList).page.nextCursor ?? '';
    } while (cursor !== '');
    expect(seen).toEqual(order === 'asc' ? all : [...all].reverse());
  }
  const { json } = await list('?limit=2');
  const refused = await list(`?limit=2&severity=WARN&cursor=${json.page.nextCursor}`);
  expect(refused).toMatchObject({ status: 400, json: { code: 'invalid_cursor' } });
});

test('a reader that goes on after the last line gets late ones too, in the order in which they were kept', async () => {
  const { id } = await makeDatabase(store, organization, 'late');
  const after = async (place: string) => {
    const path = `/databases/${id}/logs?after=${place}&limit=2`;
    const { json } = await service.ask(undefined, path, asReader());
    return json as LogLineList;
  };
  await writeLines(store, id, [{ at: at(10), message: 'one' }]);
  await writeLines(store, id, [
    { at: at(5), message: 'two, late' },
    { at: at(11), message: 'three' },
  ]);
  const first = await after('0');
  expect(first.data.map(({ message }) => message)).toEqual(['one', 'two, late']);
  expect(first.page).toMatchObject({ hasMore: true, nextCursor: null });
  const second = await after(first.page.after);
  expect(second.data.map(({ message }) => message)).toEqual(['three']);
  expect(second.page.hasMore).toBe(false);
  const third = await after(second.page.after);
  expect(third).toMatchObject({ data: [], page: { after: second.page.after } });
  expect(await list('?after=1&cursor=x')).toMatchObject({ status: 400 });
});

test('a filter that no line matches moves on, so that nothing is searched twice', async () => {
  const { id } = await makeDatabase(store, organization, 'unmatched');
  await writeLines(store, id, [{ message: 'one' }, { message: 'two' }]);
  const newest = await service.ask(undefined, `/databases/${id}/logs?limit=1`, asReader());
  const [last] = (newest.json as LogLineList).data;
  const path = `/databases/${id}/logs?after=0&search=nothing`;
  const { json } = await service.ask(undefined, path, asReader());
  expect(json).toMatchObject({ data: [], page: { after: last?.id, hasMore: false } });
  const stream = await new Stream().open('?search=nothing', id, '0');
  await eventually('the stream tells the place', async () =>
    stream.place === last?.id ? true : undefined,
  );
  stream.close();
});

/** Reads a stream as browsers do. */
class Stream {
  readonly lines: LogLine[] = [];
  place = '';
  status = 0;
  ended = false;
  readonly #end = new AbortController();

  async open(query = '', id = databaseId, lastEventId = ''): Promise<this> {
    const response = await fetch(`${service.url}/api/v1/databases/${id}/logs/stream${query}`, {
      headers: { 'x-api-key': key, ...(lastEventId && { 'last-event-id': lastEventId }) },
      signal: this.#end.signal,
    });
    this.status = response.status;
    void this.#read(response).catch(() => {});
    return this;
  }

  close(): void {
    this.#end.abort();
  }

  async #read({ body }: Response): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    try {
      for await (const bytes of body ?? []) {
        const events = `${rest}${decoder.decode(bytes as Uint8Array, { stream: true })}`.split(
          '\n\n',
        );
        rest = events.pop() ?? '';
        for (const event of events) this.#take(event);
      }
    } finally {
      this.ended = true;
    }
  }

  #take(event: string): void {
    this.place = /^id: (.*)$/m.exec(event)?.[1] ?? this.place;
    const data = /^data: (.*)$/m.exec(event)?.[1];
    if (data !== undefined) this.lines.push(JSON.parse(data) as LogLine);
  }
}

const said = (stream: Stream) => stream.lines.map(({ message }) => message);
const until = (stream: Stream, expected: readonly string[]) =>
  eventually(`the stream has said ${expected.join()}`, async () => {
    expect(said(stream)).toEqual(expected);
    return true;
  });

test('a stream tells what is kept from then on, filtered, and goes on where it was cut off', async () => {
  const { id } = await makeDatabase(store, organization, 'streamed');
  await writeLines(store, id, [{ message: 'before' }]);
  const [whole, warnings] = [
    await new Stream().open('', id),
    await new Stream().open('?severity=WARN', id),
  ];
  await eventually('both have their place', async () =>
    whole.place && warnings.place ? true : undefined,
  );
  await writeLines(store, id, [{ message: 'a' }, { level: 40, message: 'b' }]);
  await until(whole, ['a', 'b']);
  await until(warnings, ['b']);
  for (const stream of [whole, warnings]) stream.close();
  await writeLines(store, id, [{ message: 'c' }]);
  const again = await new Stream().open('', id, whole.place);
  await writeLines(store, id, [{ message: 'd' }]);
  await until(again, ['c', 'd']);
  again.close();
});

test('the command prints lines, filters them, and follows new ones', async () => {
  const printed = await cli.run([
    'logs',
    'payments',
    '--severity',
    'warn',
    '--component',
    'engine',
  ]);
  expect(printed).toMatchObject({
    code: 0,
    stdout: `${at(3).toISOString()}  WARN   engine/0  connection closed  remote=10.0.0.9  role=leader  view=3\n`,
  });
  const json = await cli.run(['logs', 'payments', '--node', '2', '--json']);
  expect(JSON.parse(json.stdout)).toMatchObject({ severity: 'FATAL', message: noFile });
  const few = await cli.run(['logs', 'payments', '--limit', '2']);
  expect(few.stdout).toMatch(/agent\/2 .*\n.*backup .*no such bucket\n$/);
  expect(few.stderr).toContain('earlier lines are left out');
  expect(await cli.run(['logs', 'payments', '--node', '7'])).toMatchObject({ code: 3 });
  const { id } = await makeDatabase(store, organization, 'followed');
  await writeLines(store, id, [{ message: 'one' }]);
  const following = cli.start(['logs', 'followed', '--follow']);
  const untilSaid = (text: string) =>
    eventually(`it prints ${text}`, async () =>
      following.said.stdout.includes(text) ? true : undefined,
    );
  await untilSaid('one');
  await writeLines(store, id, [{ message: 'two' }]);
  await untilSaid('two');
  following.interrupt();
  await following.ended;
  expect(following.said.stdout.match(/one|two/g)).toEqual(['one', 'two']);
});

const reads = '%from "log_lines"%';

/**
 * Numbers of reads that waited at once for the locked lines, at so many looks since the first one waited. Statements that wait for
 * five seconds are ended.
 */
async function waitingAtOnce(looks: number): Promise<readonly number[]> {
  const waiting = async (): Promise<number> => {
    const { rows } = await sql<{ count: number }>`
      SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE ${reads}
    `.execute(store.read);
    return rows[0]?.count ?? 0;
  };
  const counts: number[] = [];
  await store.read.transaction().execute(async (transaction) => {
    await sql`LOCK TABLE log_lines IN ACCESS EXCLUSIVE MODE`.execute(transaction);
    await eventually('they wait', async () => {
      const count = await waiting();
      if (count > 0 || counts.length > 0) counts.push(count);
      return counts.length >= looks ? true : undefined;
    });
  });
  return counts;
}

test('an organization searches with two connections to the store at most, and every search ends', async () => {
  const searches: Promise<Answered>[] = [];
  const counting = waitingAtOnce(5);
  await eventually('the lines are locked', async () => {
    const { rows } = await sql`
      SELECT 1 FROM pg_locks JOIN pg_class ON pg_class.oid = relation
      WHERE relname = 'log_lines' AND mode = 'AccessExclusiveLock' AND granted`.execute(store.read);
    return rows.length > 0 ? true : undefined;
  });
  // One that waits for the lock for longer than its statement may is told to come again.
  const search = (words: string) =>
    eventually('the search ends', async () => {
      const answered = await list(`?search=${words}`);
      return answered.status === 503 ? undefined : answered;
    });
  for (let index = 0; index < 6; index += 1) searches.push(search(`words-${index}`));
  expect(Math.max(...(await counting))).toBeLessThanOrEqual(2);
  expect((await Promise.all(searches)).map(({ status }) => status)).toEqual(
    searches.map(() => 200),
  );
});

test('the streams of one organization hold no more connections to the store than its share', async () => {
  const streams = await Promise.all(Array.from({ length: 15 }, () => new Stream().open()));
  await eventually('all have their place', async () =>
    streams.every(({ place }) => place !== '') ? true : undefined,
  );
  const counts = await waitingAtOnce(20);
  for (const stream of streams) stream.close();
  const share = Math.floor((2 * poolDefaults.connections) / 3);
  expect(Math.max(...counts)).toBeLessThanOrEqual(share);
});

test('a stream ends when its key is revoked', async () => {
  const stream = await new Stream().open();
  expect(stream.status).toBe(200);
  const revoked = await service.ask(administrator, `/api-keys/${keyId}`, { method: 'DELETE' });
  expect(revoked.status).toBe(204);
  await eventually('it has ended', async () => (stream.ended ? true : undefined), 90_000);
});
