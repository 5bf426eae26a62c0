/**
 * What the end-to-end tests put on a cluster: answers on port 8080, keeps what it is given under its volumes.
 *   GET  /           its host name          GET /file/VOLUME/NAME   what is in /data/VOLUME/NAME
 *   GET  /space/V    size of a volume (bytes)   PUT /file/VOLUME/NAME   writes it, durably
 *   GET  /fetch?url= what another server answers, as seen from this pod
 */
import { open, readFile, statfs } from 'node:fs/promises';
import { createServer } from 'node:http';
import { hostname } from 'node:os';

const routes = [
  ['GET', /^\/$/, () => hostname()],
  [
    'GET',
    /^\/fetch$/,
    async (_, url) => {
      const answer = await fetch(url.searchParams.get('url'), {
        signal: AbortSignal.timeout(5_000),
      });
      return answer.text();
    },
  ],
  [
    'GET',
    /^\/space\/([a-z]+)$/,
    async ([volume]) => {
      const { blocks, bsize } = await statfs(`/data/${volume}`);
      return String(blocks * bsize);
    },
  ],
  [
    'GET',
    /^\/file\/([a-z]+)\/([a-z]+)$/,
    ([volume, name]) => readFile(`/data/${volume}/${name}`, 'utf8'),
  ],
  [
    'PUT',
    /^\/file\/([a-z]+)\/([a-z]+)$/,
    async ([volume, name], _, body) => {
      const file = await open(`/data/${volume}/${name}`, 'w');
      await file.writeFile(body);
      await file.sync();
      await file.close();
      return 'written';
    },
  ],
];

async function answer(request, response) {
  const url = new URL(request.url, 'http://probe');
  try {
    for (const [method, path, handle] of routes) {
      const match = path.exec(url.pathname);
      if (request.method !== method || match === null) continue;
      const chunks = await request.toArray();
      response.end(await handle(match.slice(1), url, Buffer.concat(chunks)));
      return;
    }
    response.writeHead(404).end('no such path');
  } catch (error) {
    response.writeHead(500).end(`${error.code ?? ''} ${error.message}`);
  }
}

const server = createServer((request, response) => void answer(request, response));
server.listen(8080, () => process.stdout.write('probe: listening\n'));
process.on('SIGTERM', () => server.close(() => process.exit(0)));
