import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import express, { type NextFunction, type Request, type Response } from 'express';
import { formMax, refusalOf } from '../http/problem-response.ts';
import { fieldOf, readForm } from './form.ts';

const app = express();
app.post('/', readForm(), (request: Request, response: Response) => {
  response.end(fieldOf(request, 'token'));
});
// Express knows it by its four parameters.
app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
  response.status(400).end(refusalOf(error)?.code);
});
const server = app.listen(0, '127.0.0.1');
beforeAll(async () => {
  if (!server.listening) await once(server, 'listening');
});
afterAll(() => {
  server.close();
});

async function post(body: string | Buffer<ArrayBuffer>, headers: Record<string, string> = {}) {
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });
  return answer.text();
}

test('a form is read; one that is too much is the sender’s fault, and none is decompressed', async () => {
  expect(await post('token=one')).toBe('one');
  expect(await post(`token=${'x'.repeat(formMax)}`)).toBe('payload_too_large');
  expect(await post('a=1&'.repeat(30))).toBe('payload_too_large');
  const zipped = Buffer.from(gzipSync('token=one'));
  expect(await post(zipped, { 'content-encoding': 'gzip' })).toBe('unsupported_media_type');
  const type = 'application/x-www-form-urlencoded; charset=utf-16';
  expect(await post('token=one', { 'content-type': type })).toBe('unsupported_media_type');
});
