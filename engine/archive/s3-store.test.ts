import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import type { ObjectLock } from './object-lock.ts';
import { agingTime } from './object-store.ts';
import { S3Store } from './s3-store.ts';

const storeAt = (server: Server, lock?: ObjectLock) =>
  new S3Store({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'here',
    bucket: 'bucket',
    prefix: '',
    accessKeyId: 'key',
    secretAccessKey: 'secret',
    forcePathStyle: true,
    patienceMs: 10_000,
    lock,
  });

test('a store that ignores the range of a request is refused before the object is held', async () => {
  // The object never ends: whoever waits for all of it runs into the deadline.
  const answers: readonly Record<string, string>[] = [
    { 'content-length': String(2 ** 40) },
    { 'content-length': '4', 'content-range': 'bytes 0-3/100' },
    {},
  ];
  let headers: Record<string, string> = {};
  const server = createServer((_request, response) => {
    response.writeHead(200, headers).write('part');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const store = storeAt(server);
  try {
    for (headers of answers) {
      await expect(store.readRange('one', 8, 16)).rejects.toMatchObject({
        code: 'store_refused',
        key: 'one',
      });
    }
    headers = { 'content-length': '4', 'content-range': 'bytes 8-11/12' };
    const { bytes, sizeBytes } = await store.readRange('one', 8, 16);
    expect([Buffer.from(bytes).toString(), sizeBytes]).toEqual(['part', 12]);
  } finally {
    store.close();
    server.closeAllConnections();
    server.close();
  }
});

test('a store that does not know object lock is refused by name, and is not taken for one that is away', async () => {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.writeHead(501).end('<Error><Code>NotImplemented</Code></Error>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const store = storeAt(server, { mode: 'GOVERNANCE', days: 30 });
  try {
    await expect(store.locks?.prove()).rejects.toMatchObject({ code: 'lock_missing' });
    expect(asked).toBe(1);
  } finally {
    store.close();
    server.closeAllConnections();
    server.close();
  }
});

/** A server that answers so, and the store at it. */
async function answering(
  answer: (request: IncomingMessage) => [number, Record<string, string>, string],
  work: (store: S3Store) => Promise<void>,
): Promise<void> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const [status, headers, body] = answer(request);
      response.writeHead(status, { 'content-type': 'application/xml', ...headers }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const store = storeAt(server, { mode: 'COMPLIANCE', days: 30 });
  try {
    await work(store);
  } finally {
    store.close();
    server.closeAllConnections();
    server.close();
  }
}

test.each(['NoSuchObjectLockConfiguration', 'ObjectLockConfigurationNotFoundError'])(
  'an object that is there without a lock gets one, where the store calls that %s',
  async (name) => {
    const changed: string[] = [];
    await answering(
      ({ method = '' }) => {
        if (method === 'GET') return [404, {}, `<Error><Code>${name}</Code></Error>`];
        changed.push(method);
        return [200, {}, ''];
      },
      async (store) => {
        expect(Date.parse(await store.locks!.keep('one'))).toBeGreaterThan(Date.now());
        expect(changed).toEqual(['PUT']);
      },
    );
  },
);

test('while the own clock is wrong by a year, locks end by the clock of the store', async () => {
  const { now } = Date;
  const ends: string[] = [];
  await answering(
    ({ headers }) => {
      const date = { date: new Date(now()).toUTCString() };
      if (!String(headers['x-amz-date']).startsWith(new Date(now()).toISOString().slice(0, 4)))
        return [403, date, '<Error><Code>RequestTimeTooSkewed</Code></Error>'];
      ends.push(String(headers['x-amz-object-lock-retain-until-date']));
      return [200, date, ''];
    },
    async (store) => {
      Date.now = () => now() + 366 * 86_400_000;
      try {
        await expect(store.create('one', new Uint8Array(1))).rejects.toMatchObject({
          code: 'store_refused',
        });
        expect(await store.create('one', new Uint8Array(1))).toBe('created');
      } finally {
        Date.now = now;
      }
      expect(Date.parse(ends[0] ?? '')).toBeLessThan(now() + 46 * 86_400_000);
    },
  );
});

test.each([
  ['the own clock', 366, 0],
  ['the clock of a store that takes requests of any time', 0, 366],
])('nothing gets old early while %s is ahead by a year', async (_, ownDays, storeDays) => {
  const { now } = Date;
  const day = 86_400_000;
  await answering(
    () => [200, { date: new Date(now() + storeDays * day).toUTCString() }, '<ListBucketResult/>'],
    async (store) => {
      Date.now = () => now() + ownDays * day;
      try {
        expect(await agingTime(store, 'db_1')).toBeLessThan(now() + day);
      } finally {
        Date.now = now;
      }
    },
  );
});
