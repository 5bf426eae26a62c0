/** Requests for an engine's status over real sockets: no answer makes the operator run out of memory. */
import { expect, test } from '@jest/globals';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { fetchStatus } from '../../../domain/fetch-status.ts';
import { eventually } from '../../support/shell.ts';

async function asked(listener: RequestListener): Promise<unknown> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    return await fetchStatus(`http://127.0.0.1:${port}/status`, AbortSignal.timeout(120_000));
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

test('a status is read whole', async () => {
  const status = { release: '0.17.9', padding: 'x'.repeat(60_000) };
  await expect(asked((_, response) => response.end(JSON.stringify(status)))).resolves.toEqual(
    status,
  );
});

test('a replica that has answered keeps no connection open', async () => {
  const connection = asked(({ headers }, response) =>
    response.end(JSON.stringify(headers.connection)),
  );
  await expect(connection).resolves.toBe('close');
});

test('an answer that names another address is none, and that address is not asked', async () => {
  const paths: (string | undefined)[] = [];
  const answer = asked(({ url }, response) => {
    paths.push(url);
    response.writeHead(302, { Location: '/elsewhere' }).end('{}');
  });
  await expect(answer).rejects.toThrow('status 302');
  expect(paths).toEqual(['/status']);
});

test('an answer that breaks off is none', async () => {
  const answer = asked((_, response) => {
    response.writeHead(200, { 'Content-Length': 100 });
    response.write('{}', () => response.destroy());
  });
  await expect(answer).rejects.toThrow();
});

test('a request ends when its signal aborts, before and within the answer', async () => {
  const gone = new AbortController();
  const reached = { request: false, end: false };
  const server = createServer((_, response) => {
    reached.request = true;
    response.once('close', () => (reached.end = true));
    response.write('{');
    setImmediate(() => gone.abort());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/status`;
  try {
    await expect(fetchStatus(url, AbortSignal.abort())).rejects.toThrow();
    expect(reached.request).toBe(false);
    await expect(fetchStatus(url, gone.signal)).rejects.toThrow();
    await eventually('the connection has ended', async () => reached.end || undefined);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

test('an answer that changes the protocol is none, and delays nobody', async () => {
  const answer = asked((_, response) => {
    response.writeHead(101, { Connection: 'Upgrade', Upgrade: 'other' }).end();
  });
  await expect(answer).rejects.toThrow('without an answer');
});

test('an answer without an end is given up after a bound, and its connection ended', async () => {
  let sent = 0;
  const answer = asked((_, response) => {
    const part = Buffer.alloc(16_384, 'x');
    const more = () => {
      if (response.destroyed) return;
      sent += part.length;
      if (response.write(part)) setImmediate(more);
      else response.once('drain', more);
    };
    more();
  });
  await expect(answer).rejects.toThrow('longer than 65536 bytes');
  expect(sent).toBeLessThan(64 * 2 ** 20);
});

test('an answer that is small until it is decompressed is given up after the same bound', async () => {
  const small = gzipSync(Buffer.alloc(200 * 2 ** 20, ' '));
  expect(small.length).toBeLessThan(2 ** 20);
  const before = process.memoryUsage().arrayBuffers;
  const answer = asked((_, response) => {
    response.writeHead(200, { 'Content-Encoding': 'gzip' });
    response.end(small);
  });
  await expect(answer).rejects.toThrow('longer than 65536 bytes');
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100 * 2 ** 20);
});
