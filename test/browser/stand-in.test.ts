// Integration tests sign in with a stand-in for a browser, for speed. It must send the headers that Chromium sends.
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser as Chromium } from 'playwright-core';
import { Browser } from '../support/browser/browser.ts';
import { openTab, startChromium } from '../support/browser/chromium.ts';

let chromium: Chromium;
let server: Server;
let url = '';
let posted: IncomingHttpHeaders | undefined;

beforeAll(async () => {
  chromium = await startChromium();
  server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    if (request.method === 'POST') posted = request.headers;
    const policy = path.slice(1);
    const cookies = ['__Host-a=1; Path=/; Secure; HttpOnly; SameSite=Lax', 'gone=; Max-Age=0'];
    response.writeHead(200, {
      'content-type': 'text/html',
      'set-cookie': cookies,
      ...(policy !== 'none' && { 'referrer-policy': policy }),
    });
    response.end(
      `<form method="post" action="/${policy}"><button name="b" value="1">Send</button>`,
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await chromium?.close();
  server?.closeAllConnections();
  server?.close();
});

const compared = () => ({ origin: posted?.origin, cookie: posted?.cookie });

test.each(['none', 'no-referrer', 'same-origin', 'strict-origin'])(
  'the stand-in for a browser sends a form as Chromium does under the referrer policy %s',
  async (policy) => {
    const tab = await openTab(chromium, { origins: [url] });
    await tab.page.goto(`${url}/${policy}`);
    const answered = tab.page.waitForResponse((one) => one.request().method() === 'POST');
    await tab.page.getByRole('button', { name: 'Send' }).click();
    await answered;
    await tab.context.close();
    const real = compared();
    posted = undefined;
    const standIn = new Browser();
    await standIn.open(`${url}/${policy}`);
    await standIn.open(`${url}/${policy}`, { form: { b: '1' } });
    expect(compared()).toEqual(real);
    expect(real.origin).toBe(policy === 'no-referrer' ? 'null' : url);
  },
);
