// Serves a built dashboard from a folder, over HTTP, with the compression that every answer of the API passes through.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync, brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import compression from 'compression';
import express, { type Response } from 'express';
import { refusalOf } from '../http/problem-response.ts';
import { readBuiltFiles } from './built-files.ts';
import { serveDashboard } from './serve-dashboard.ts';

const html = '<!doctype html><title>Ledgerhouse</title>';
const script = `export const long = '${'x'.repeat(4_000)}';`;

let folder: string;
let server: Server;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-dashboard-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), html);
  writeFileSync(join(folder, 'first-load.js'), script);
  writeFileSync(join(folder, 'secret.js'), 'not to be served');
  const asset = join(folder, 'assets', 'main-1a2b3c.js');
  writeFileSync(asset, script);
  writeFileSync(`${asset}.br`, brotliCompressSync(script));
  writeFileSync(`${asset}.gz`, gzipSync(script));
  writeFileSync(`${asset}.map`, '{}');
  const app = express().disable('etag').enable('strict routing').enable('case sensitive routing');
  app.use(compression());
  serveDashboard(app, readBuiltFiles(folder));
  app.use((_request, response) => void response.status(404).end());
  app.use((error: unknown, _request: unknown, response: Response, _next: unknown) => {
    response.status(refusalOf(error)?.code === 'not_found' ? 404 : 400).end();
  });
  server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
});
afterAll(() => {
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Got {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

/** Sends the path as it is: `fetch` would resolve `..` itself. */
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  new Promise<Got>((resolve, reject) => {
    const { port } = server.address() as AddressInfo;
    const sent = request({ host: '127.0.0.1', port, path, headers, method }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () =>
        resolve({
          status: response.statusCode,
          headers: response.headers,
          body: Buffer.concat(pieces),
        }),
      );
    });
    sent.once('error', reject).end();
  });

const asset = '/assets/main-1a2b3c.js';

test.each(['/', '/account', '/organizations/new', '/o/acme', '/o/acme/databases/ledger?tab=jobs'])(
  '%s is the page, which may run only its own scripts and is asked for again each time',
  async (path) => {
    const { status, headers, body } = await get(path);
    expect([status, body.toString()]).toEqual([200, html]);
    expect(headers['cache-control']).toBe('no-cache');
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
  },
);

test('the script that the pages of all builds ask for is asked for again each time', async () => {
  const { status, headers, body } = await get('/first-load.js');
  expect([status, body.toString()]).toEqual([200, script]);
  expect(headers['cache-control']).toBe('no-cache');
  expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
});

test.each([
  '/o',
  '/O/acme',
  '/index.html',
  '/secret.js',
  '/assets',
  '/assets/',
  '/assets/main-0000.js',
  '/assets/main-1a2b3c.js.br',
  '/assets/main-1a2b3c.js.map',
  '/assets/../secret.js',
  '/assets/..%2fsecret.js',
  '/assets/%2e%2e%2fsecret.js',
  '/assets/..%5csecret.js',
  '/assets/constructor',
  '/assets/__proto__',
  '/api/v1/nothing',
])('%s is neither the page nor a file', async (path) => {
  const { status, body } = await get(path);
  expect([status, body.length]).toEqual([404, 0]);
});

test('a path that is no valid URL is refused', async () => {
  expect((await get('/assets/%zz')).status).toBe(400);
});

test.each([
  // As browsers send it.
  ['br', 'gzip, deflate, br, zstd', brotliDecompressSync],
  ['gzip', 'gzip', gunzipSync],
  ['gzip', 'br;q=0, gzip', gunzipSync],
  [undefined, '', (bytes: Buffer) => bytes],
  [undefined, 'identity', (bytes: Buffer) => bytes],
] as const)(
  'an asset is sent once encoded, as %s, to who accepts %s',
  async (name, accept, open) => {
    const { status, headers, body } = await get(asset, { 'accept-encoding': accept });
    expect([status, headers['content-encoding'], open(body).toString()]).toEqual([
      200,
      name,
      script,
    ]);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(String(headers['vary']).match(/accept-encoding/gi)).toHaveLength(1);
  },
);

test('HEAD answers without a body, and a known ETag gets 304 with the headers that caches need', async () => {
  for (const path of ['/', asset]) {
    const full = await get(path, { 'accept-encoding': 'gzip' });
    const head = await get(path, { 'accept-encoding': 'gzip' }, 'HEAD');
    expect([head.status, head.body.length]).toEqual([200, 0]);
    expect(head.headers['etag']).toBe(full.headers['etag']);
    const known = await get(path, { 'if-none-match': String(full.headers['etag']) });
    expect([known.status, known.body.length]).toEqual([304, 0]);
    for (const name of ['etag', 'cache-control', 'vary', 'content-security-policy']) {
      expect([name, known.headers[name]]).toEqual([name, full.headers[name]]);
    }
    expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200);
  }
  expect((await get('/', {}, 'POST')).status).toBe(404);
});
