import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type NextFunction, type Request, type Response } from 'express';
import { expect, test } from '@jest/globals';
import { Refusal } from '../model/refusal.ts';
import { addOAuthEndpoints } from './oauth-endpoints.ts';

test('a holder of an IPv6 network begins no more sign-ins of devices than a holder of one address', async () => {
  const app = express();
  app.set('trust proxy', 'loopback');
  // A request with a wrong client_id counts, and needs no store.
  addOAuthEndpoints(app, { publicUrl: '' } as Parameters<typeof addOAuthEndpoints>[1]);
  app.use((error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    response.status(error instanceof Refusal && error.code === 'rate_limited' ? 429 : 500).end();
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const statusFrom = async (address: string) => {
    const { status } = await fetch(`http://127.0.0.1:${port}/oauth/device_authorization`, {
      method: 'POST',
      headers: { 'x-forwarded-for': address },
      body: new URLSearchParams({ client_id: 'another' }),
    });
    return status;
  };
  try {
    for (let index = 1; index <= 20; index += 1) {
      expect(await statusFrom(`2001:db8:0:1::${index}`)).toBe(400);
    }
    expect(await statusFrom('2001:db8:0:1::ffff')).toBe(429);
    expect(await statusFrom('2001:db8:0:2::1')).toBe(400);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
