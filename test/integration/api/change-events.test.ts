/**
 * Change events over HTTP: API processes as they run, behind one address, a real engine, and everything that can die between a
 * transfer and its reader.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { ChangeEvent, ChangeEventList } from '../../../gen/api.ts';
import type { Client } from '../../../engine/client/client.ts';
import { Operation } from '../../../engine/wire/operations.ts';
import { TransferFlag } from '../../../engine/wire/flags.ts';
import { askForEvents, EventReader, type Asked } from '../../support/api/event-reader.ts';
import { TunnelWorld, tunnelDatabaseId } from '../../support/api/tunnel-world.ts';
import { undocumented } from '../../support/api/openapi.ts';
import { Cli } from '../../support/cli/cli.ts';
import { TestEngine } from '../../support/engine/engine.ts';
import {
  accountBytes,
  connectTo,
  create,
  created,
  lookupAccounts,
  transferBytes,
  type TransferFields,
} from '../../support/engine/ledger.ts';
import { eventually } from '../../support/shell.ts';

let engine: TestEngine;
let world: TunnelWorld;
let client: Client;
const readers: EventReader[] = [];

beforeAll(async () => {
  engine = await TestEngine.create();
  world = await TunnelWorld.start({
    addresses: [`127.0.0.1:${engine.port}`],
    processes: 2,
    streamCheckMs: 200,
  });
  client = connectTo(engine.port);
  const accounts = accountBytes([1n, 2n, 3n]);
  expect(await create(client, Operation.createAccounts, accounts)).toEqual([
    created,
    created,
    created,
  ]);
});
afterAll(async () => {
  for (const reader of readers) reader.close();
  client?.close();
  await world?.stop();
  await engine?.dispose();
});

function newReader(query: string): EventReader {
  const reader = new EventReader(world, query);
  readers.push(reader);
  return reader;
}

const send = (asked: Asked): ClientRequest => askForEvents(world, asked);

interface Answered {
  readonly status: number;
  readonly json: ChangeEventList & { readonly code?: string; readonly detail?: string };
}

/** Asks for a page, and judges the answer by the document. */
async function page(query: string, more: Omit<Asked, 'query'> = {}): Promise<Answered> {
  const [response] = (await once(send({ query, ...more }), 'response')) as [IncomingMessage];
  let text = '';
  for await (const piece of response.setEncoding('utf8')) text += piece;
  const status = response.statusCode ?? 0;
  const headers = new Headers(
    Object.entries(response.headers).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]),
  );
  expect(undocumented('listChangeEvents', { status, headers }, text)).toEqual([]);
  return { status, json: JSON.parse(text) as Answered['json'] };
}

async function everyPage(after: string, limit: number): Promise<readonly ChangeEvent[]> {
  const events: ChangeEvent[] = [];
  for (let place = after; ;) {
    const { json } = await page(`?after=${place}&limit=${limit}`);
    events.push(...json.data);
    place = json.page.next;
    if (!json.page.hasMore) return events;
  }
}

let lastId = 1_000n;
const transfer = (more: Partial<TransferFields> = {}): TransferFields => ({
  id: (lastId += 1n),
  debit: 1n,
  credit: 2n,
  amount: 10n,
  ...more,
});

async function make(transfers: readonly TransferFields[]): Promise<void> {
  const statuses = await create(client, Operation.createTransfers, transferBytes(transfers));
  expect(new Set(statuses)).toEqual(new Set([created]));
}

const idsOf = (events: readonly ChangeEvent[]): readonly string[] =>
  events.map((event) => event.transfer.id);
const last = async (): Promise<string> => (await page('?after=now&limit=1')).json.page.next;

function expectInOrder(events: readonly ChangeEvent[]): void {
  const timestamps = events.map(({ timestamp }) => BigInt(timestamp));
  expect(timestamps.every((one, i) => i === 0 || one > (timestamps[i - 1] as bigint))).toBe(true);
}

test('pages have each event once, of every type, and balances that end as the ledger’s', async () => {
  const place = await last();
  const pending = { amount: 7n, flags: TransferFlag.pending };
  const [posted, voided, expiring] = [
    transfer(pending),
    transfer(pending),
    transfer({ ...pending, timeout: 1 }),
  ];
  const post = transfer({
    pendingId: posted.id,
    debit: 0n,
    credit: 0n,
    amount: 5n,
    flags: TransferFlag.post_pending_transfer,
  });
  const voiding = transfer({
    pendingId: voided.id,
    debit: 0n,
    credit: 0n,
    amount: 0n,
    flags: TransferFlag.void_pending_transfer,
  });
  const plain = transfer({ credit: 3n });
  await make([plain, posted, voided, expiring, post, voiding]);
  const events = await eventually('the pending transfer has expired', async () => {
    const found = await everyPage(place, 2);
    return found.length === 7 ? found : undefined;
  });
  expectInOrder(events);
  expect(events.map(({ type, transfer: { id } }) => [type, id])).toEqual([
    ['single_phase', String(plain.id)],
    ['two_phase_pending', String(posted.id)],
    ['two_phase_pending', String(voided.id)],
    ['two_phase_pending', String(expiring.id)],
    ['two_phase_posted', String(post.id)],
    ['two_phase_voided', String(voiding.id)],
    ['two_phase_expired', String(expiring.id)],
  ]);
  const balances = new Map<string, ChangeEvent['debit_account']>();
  for (const { debit_account, credit_account } of events) {
    for (const account of [debit_account, credit_account]) balances.set(account.id, account);
  }
  for (const account of await lookupAccounts(client, [1n, 2n, 3n])) {
    expect(balances.get(String(account.id))).toMatchObject({
      debits_pending: String(account.debitsPending),
      debits_posted: String(account.debitsPosted),
      credits_pending: String(account.creditsPending),
      credits_posted: String(account.creditsPosted),
    });
  }
  expect(await everyPage(place, 2_000)).toEqual(events);
  expect((await everyPage('beginning', 3)).slice(-7)).toEqual(events);
});

test('a stream begins with now, and a reader that was cut off before the first event misses none', async () => {
  await make([transfer()]);
  const stream = newReader('?after=now');
  await stream.follow(() => stream.place !== undefined);
  stream.close();
  const transfers = Array.from({ length: 5 }, () => transfer());
  await make(transfers);
  await stream.follow(() => stream.events.length >= 5);
  expect(idsOf(stream.events)).toEqual(transfers.map(({ id }) => String(id)));
  stream.close();
});

test('new events come within seconds, without a request for them', async () => {
  const stream = newReader('?after=now');
  await stream.follow(() => stream.place !== undefined);
  const one = transfer();
  await make([one]);
  await eventually('the event came', async () => stream.events.length === 1 || undefined);
  expect(idsOf(stream.events)).toEqual([String(one.id)]);
  expect(stream.ended).toBe(false);
  stream.close();
});

test('after any kill, a reader that comes back has each event of the ledger once and in order', async () => {
  const place = await last();
  const stream = newReader(`?after=${place}`);
  const wanted: string[] = [];
  const writes = { under: true };
  const writing = (async () => {
    for (let batch = 0; batch < 60; batch += 1) {
      const transfers = Array.from({ length: 200 }, () => transfer());
      // The client sends it again until the engine that comes back answers: it exists once.
      await make(transfers);
      wanted.push(...transfers.map(({ id }) => String(id)));
    }
    writes.under = false;
  })();
  const killing = (async () => {
    for (let round = 0; writes.under || round < 3; round += 1) {
      const before = stream.events.length;
      if (round % 3 === 0) await engine.end('SIGKILL').then(() => engine.start());
      else if (round % 3 === 1) await world.replaceOne('SIGKILL');
      else stream.close();
      await eventually(
        'the stream goes on',
        async () => stream.events.length > before || !writes.under || undefined,
        120_000,
      );
    }
  })();
  await stream.follow(() => !writes.under && stream.events.length >= wanted.length);
  await Promise.all([writing, killing]);
  expectInOrder(stream.events);
  expect(idsOf(stream.events)).toEqual(wanted);
  expect(idsOf(await everyPage(place, 1_000))).toEqual(wanted);
  stream.close();
});

test('a reader whose API process is killed in the middle goes on at another one, without a gap and without an event twice', async () => {
  const place = await last();
  const transfers = Array.from({ length: 40_000 }, () => transfer());
  for (let at = 0; at < transfers.length; at += 8_000) await make(transfers.slice(at, at + 8_000));
  const stream = newReader(`?after=${place}`);
  await stream.open();
  await eventually('some events came', async () => stream.events.length > 0 || undefined);
  // A reader that does not read holds the stream in its middle.
  stream.pause();
  const former = world.pids();
  for (const _ of former) await world.replaceOne('SIGKILL');
  expect(world.pids().filter((pid) => former.includes(pid))).toEqual([]);
  stream.resume();
  await eventually('the stream broke off', async () => stream.ended || undefined);
  const before = stream.events.length;
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThan(transfers.length);
  await stream.follow(() => stream.events.length >= transfers.length);
  // A busy machine may break it off once more.
  expect(stream.begun).toBeGreaterThanOrEqual(2);
  expectInOrder(stream.events);
  expect(idsOf(stream.events)).toEqual(transfers.map(({ id }) => String(id)));
  stream.close();
});

test('a reader that does not read stops the reading, and gets everything when it goes on', async () => {
  const place = await last();
  const transfers = Array.from({ length: 40_000 }, () => transfer());
  for (let at = 0; at < transfers.length; at += 8_000) await make(transfers.slice(at, at + 8_000));
  const calls = async () => {
    const found = (await world.metrics()).matchAll(
      /^ledgerhouse_gateway_calls_total\{operation="get_change_events",result="answered"\} (\d+)$/gm,
    );
    return [...found].reduce((sum, [, count]) => sum + Number(count), 0);
  };
  const before = await calls();
  const stream = newReader(`?after=${place}`);
  await stream.open();
  stream.pause();
  let settled = -1;
  await eventually(
    'nothing is read any more',
    async () => {
      const now = await calls();
      const isSettled = now === settled && now > before;
      settled = now;
      if (!isSettled) await new Promise((resolve) => setTimeout(resolve, 2_500));
      return isSettled || undefined;
    },
    120_000,
  );
  // There are 80 pages; some lie in the buffers of sockets.
  expect(settled - before).toBeGreaterThan(0);
  expect(settled - before).toBeLessThan(70);
  stream.resume();
  await stream.follow(() => stream.events.length >= transfers.length);
  expect(idsOf(stream.events)).toEqual(transfers.map(({ id }) => String(id)));
  stream.close();
});

test('a query that cannot be answered is refused with what to do', async () => {
  for (const after of ['-1', '1.5', 'yesterday', '9223372036854775807']) {
    expect(await page(`?after=${after}`)).toMatchObject({
      status: 400,
      json: { code: 'invalid_parameter', errors: [{ parameter: 'after' }] },
    });
  }
  for (const limit of ['0', '2001']) expect((await page(`?limit=${limit}`)).status).toBe(400);
  const accept = 'text/event-stream';
  const wrongPlace = { headers: { accept, 'last-event-id': 'x' } };
  expect(await page('', wrongPlace)).toMatchObject({
    status: 400,
    json: { errors: [{ header: 'Last-Event-ID' }] },
  });
  expect(await page('', { headers: { accept: 'image/png' } })).toMatchObject({
    status: 406,
    json: { code: 'not_acceptable' },
  });
  expect(await page('', { as: 'write' })).toMatchObject({
    status: 403,
    json: { code: 'insufficient_scope' },
  });
  const end = await page('?after=9223372036854775805');
  expect(end.json).toMatchObject({ data: [], page: { hasMore: false } });
});

test('a key has a few streams in a process, and another when one has ended', async () => {
  const opened: EventReader[] = [];
  // Two processes take turns.
  const refused = await eventually('one stream too many is refused', async () => {
    const stream = newReader('?after=now');
    try {
      await stream.open();
      opened.push(stream);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : undefined;
    }
  });
  expect(refused).toContain('429');
  expect(opened.length).toBeGreaterThanOrEqual(5);
  expect(opened.length).toBeLessThanOrEqual(10);
  for (const stream of opened) stream.close();
  const next = newReader('?after=now');
  await next.follow(() => next.place !== undefined);
  next.close();
});

test('the command prints each event on a line, and ends where the events end', async () => {
  const place = await last();
  const cli = new Cli(world.environment('read'));
  try {
    const transfers = Array.from({ length: 1_500 }, () => transfer());
    await make(transfers);
    const { code, stdout, stderr } = await cli.run([
      'cdc',
      'tail',
      tunnelDatabaseId,
      '--after',
      place,
      '--no-follow',
      '--json',
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as ChangeEvent);
    expect(idsOf(events)).toEqual(transfers.map(({ id }) => String(id)));
    const text = await cli.run(['cdc', 'tail', tunnelDatabaseId, '--after', place, '--no-follow']);
    expect(text.stdout.split('\n')[0]).toBe(
      `${events[0]?.timestamp}  single_phase  transfer ${events[0]?.transfer.id}  10 from 1 to 2  ledger 1 code 1`,
    );
    const wrong = await cli.run(['cdc', 'tail', tunnelDatabaseId, '--after', 'x']);
    expect([wrong.code, wrong.stdout]).toEqual([3, '']);
  } finally {
    cli.remove();
  }
});

test('a stream ends when its key is revoked', async () => {
  const stream = newReader('?after=now');
  await stream.follow(() => stream.place !== undefined);
  world.revoke('read');
  await eventually('the stream has ended', async () => stream.ended || undefined);
  await expect(stream.open()).rejects.toThrow('401');
});
