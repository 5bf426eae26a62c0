import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { S3Store } from './s3-store.ts';

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
  const { port } = server.address() as AddressInfo;
  const store = new S3Store({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'here',
    bucket: 'bucket',
    prefix: '',
    accessKeyId: 'key',
    secretAccessKey: 'secret',
    forcePathStyle: true,
    patienceMs: 10_000,
  });
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
