/** Where webhooks may go: real DNS answers and real connections; nothing reaches what stands beside the service. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AddressGuard } from '../../../api/webhooks/addresses.ts';
import { ReceiverNames } from '../../../api/webhooks/resolver.ts';
import { WebhookSender } from '../../../api/webhooks/sender.ts';
import { TestDns } from '../../support/api/dns-server.ts';
import { TestReceiver } from '../../support/api/receiver.ts';
import { mustRun } from '../../support/shell.ts';

const secret = `whsec_${randomBytes(32).toString('base64')}`;
const never = new AbortController().signal;
let dns: TestDns;
let receiver: TestReceiver;
const senders: WebhookSender[] = [];

beforeAll(async () => {
  [dns, receiver] = await Promise.all([TestDns.start(), TestReceiver.start()]);
});
afterAll(async () => {
  for (const sender of senders) await sender.close();
  dns?.stop();
  await receiver?.stop();
});
beforeEach(() => {
  receiver.received.length = 0;
  receiver.beFine();
  dns.asked.length = 0;
});

function senderTo(ranges: readonly string[], timeoutMs = 120_000): WebhookSender {
  const names = new ReceiverNames(new AddressGuard(ranges), [dns.address]);
  const sender = new WebhookSender(names, timeoutMs);
  senders.push(sender);
  return sender;
}

const sendTo = (sender: WebhookSender, url: string, endpointId = url) =>
  sender.send(
    { endpointId, url, secrets: [secret], eventId: 'evt_1', body: '{"type":"a"}' },
    never,
  );

test('a request goes to the address that the name has, signed, with the name as its host', async () => {
  dns.names.set('hooks.example.com', () => ['127.0.0.1']);
  const url = `http://hooks.example.com:${receiver.port}/hook?a=1`;
  const attempt = await sendTo(senderTo(['127.0.0.1/32']), url);
  expect(attempt).toMatchObject({ outcome: 'SUCCESS', statusCode: 204, error: null });
  receiver.verify(secret);
  expect(receiver.received[0]?.headers).toMatchObject({
    host: `hooks.example.com:${receiver.port}`,
    'content-type': 'application/json',
    'user-agent': 'ledgerhouse-webhooks/1',
    'webhook-id': 'evt_1',
  });
});

test.each([
  ['loopback', ['127.0.0.1']],
  ['loopback of IPv6', ['::1']],
  ['a private address', ['10.0.0.5']],
  ['the metadata of a cloud', ['169.254.169.254']],
  ['the metadata of a cloud by IPv6', ['fd00:ec2::254']],
  ['link-local IPv6', ['fe80::1']],
  ['a mapped IPv4 address', ['::ffff:127.0.0.1']],
  ['a translated IPv4 address', ['64:ff9b::7f00:1']],
  ['a public and a private address', ['1.1.1.1', '127.0.0.1']],
  ['a public address and loopback of IPv6', ['1.1.1.1', '::1']],
])('a name that leads to %s is blocked before anything is sent', async (_, addresses) => {
  dns.names.set('evil.example.com', () => addresses);
  const attempt = await sendTo(senderTo([]), `https://evil.example.com:${receiver.port}/`);
  expect(attempt).toMatchObject({ outcome: 'BLOCKED_ADDRESS', statusCode: null });
  for (const address of addresses) expect(attempt.error).not.toContain(address);
  expect(receiver.received).toEqual([]);
});

test.each(['127.0.0.1', '[::1]', '[::ffff:7f00:1]', '2130706433', '0x7f.1', '0177.0.0.1'])(
  'the address %s in a URL is blocked, though nothing is looked up',
  async (host) => {
    const attempt = await sendTo(senderTo([]), `https://${host}:${receiver.port}/`);
    expect(attempt.outcome).toBe('BLOCKED_ADDRESS');
    expect(receiver.received).toEqual([]);
    expect(dns.asked).toEqual([]);
  },
);

test('a name that leads elsewhere a moment later changes nothing: it is looked up once, and that address is used', async () => {
  // As in DNS rebinding: harmless when it is checked, private when it is used.
  const answers = [['127.0.0.1'], ['127.0.0.2']];
  dns.names.set('rebinding.example.com', () => answers[0] ?? []);
  const sender = senderTo(['127.0.0.1/32']);
  const url = `http://rebinding.example.com:${receiver.port}/`;
  receiver.behave = (_, answer) => void answer.writeHead(204, { connection: 'close' }).end();
  expect((await sendTo(sender, url)).outcome).toBe('SUCCESS');
  expect(dns.asked.filter((one) => one.endsWith(' A'))).toHaveLength(1);
  answers.shift();
  expect((await sendTo(sender, url)).outcome).toBe('BLOCKED_ADDRESS');
  expect(receiver.received).toHaveLength(1);
});

test('a redirect is not followed', async () => {
  const target = await TestReceiver.start();
  receiver.answer(307, { location: target.url });
  const attempt = await sendTo(senderTo(['127.0.0.1/32']), receiver.url);
  expect(attempt).toMatchObject({ outcome: 'REDIRECT_REFUSED', statusCode: 307 });
  expect(target.received).toEqual([]);
  await target.stop();
});

test('nothing is sent to a receiver whose certificate nobody vouches for', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-tls-'));
  const [key, cert] = [join(folder, 'key'), join(folder, 'cert')];
  const how = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const name = ['-subj', '/CN=tls.example.com', '-addext', 'subjectAltName=DNS:tls.example.com'];
  await mustRun('openssl', ['req', '-x509', ...how, ...name, '-keyout', key, '-out', cert]);
  let asked = 0;
  const server = createSecureServer(
    { key: readFileSync(key), cert: readFileSync(cert) },
    (_, answer) => {
      asked += 1;
      answer.end();
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  dns.names.set('tls.example.com', () => ['127.0.0.1']);
  const attempt = await sendTo(senderTo(['127.0.0.1/32']), `https://tls.example.com:${port}/`);
  expect(attempt).toMatchObject({
    outcome: 'CONNECTION_ERROR',
    error: 'The receiver’s certificate is signed by itself.',
  });
  expect(asked).toBe(0);
  server.close();
  rmSync(folder, { recursive: true });
});

test('without TLS nothing goes to addresses that the installation does not name', async () => {
  dns.names.set('plain.example.com', () => ['1.1.1.1']);
  const attempt = await sendTo(senderTo(['127.0.0.1/32']), 'http://plain.example.com/');
  expect(attempt).toMatchObject({
    outcome: 'BLOCKED_ADDRESS',
    error: expect.stringContaining('with TLS only'),
  });
});

test('a proxy that the environment names is not used: it would connect where nobody checks', async () => {
  let proxied = 0;
  const proxy: Server = createServer((_, answer) => {
    proxied += 1;
    answer.end();
  });
  proxy.on('connect', (_, socket) => {
    proxied += 1;
    socket.destroy();
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy', 'ALL_PROXY'];
  // oxlint-disable-next-line node/no-process-env -- what the environment says is the subject of this test
  const { env } = process;
  for (const name of names) env[name] = address;
  env['NODE_USE_ENV_PROXY'] = '1';
  try {
    const attempt = await sendTo(senderTo(['127.0.0.1/32']), receiver.url);
    expect(attempt.outcome).toBe('SUCCESS');
    const blocked = await sendTo(senderTo([]), `https://127.0.0.1:${receiver.port}/`);
    expect(blocked.outcome).toBe('BLOCKED_ADDRESS');
  } finally {
    for (const name of [...names, 'NODE_USE_ENV_PROXY']) delete env[name];
    proxy.close();
  }
  expect(proxied).toBe(0);
});

test('a receiver that hangs takes nothing from another one at the same address', async () => {
  const held: (() => void)[] = [];
  receiver.behave = ({ headers }, answer) => {
    if (headers['webhook-id'] === 'evt_1') held.push(() => answer.writeHead(204).end());
    else answer.writeHead(204).end();
  };
  const sender = senderTo(['127.0.0.1/32']);
  const hanging = Array.from({ length: 20 }, () => sendTo(sender, receiver.url, 'whe_hangs'));
  const all = Promise.all(hanging);
  const other = { endpointId: 'whe_other', url: receiver.url, secrets: [secret], eventId: 'evt_2' };
  expect((await sender.send({ ...other, body: '{}' }, never)).outcome).toBe('SUCCESS');
  // None of the others was answered before it, or given up.
  expect(await Promise.race([all, Promise.resolve('they hang')])).toBe('they hang');
  const answering = setInterval(() => held.splice(0).forEach((answer) => answer()), 5);
  expect(new Set((await all).map(({ outcome }) => outcome))).toEqual(new Set(['SUCCESS']));
  clearInterval(answering);
});

test('a receiver that hangs is given up', async () => {
  receiver.behave = () => {};
  const attempt = await sendTo(senderTo(['127.0.0.1/32'], 300), receiver.url);
  expect(attempt).toMatchObject({ outcome: 'TIMEOUT', statusCode: null });
});

test('4 KiB of an answer without an end are read, and its status counts', async () => {
  receiver.behave = (_, answer) => {
    answer.writeHead(200);
    const more = () => void (answer.destroyed || answer.write('ä\0'.repeat(1_000), more));
    more();
  };
  const attempt = await sendTo(senderTo(['127.0.0.1/32']), receiver.url);
  expect(attempt.outcome).toBe('SUCCESS');
  expect(Buffer.byteLength(attempt.responseExcerpt ?? '')).toBeLessThan(8_192);
  expect(attempt.responseExcerpt).toMatch(/^ä\ufffdä/);
});

test('an answer that trickles does not keep the sender', async () => {
  receiver.behave = (_, answer) => {
    answer.writeHead(200);
    answer.write('a');
  };
  // An hour is what an answer has to come, and not what its text has.
  const attempt = await sendTo(senderTo(['127.0.0.1/32'], 3_600_000), receiver.url);
  expect(attempt).toMatchObject({ outcome: 'SUCCESS', responseExcerpt: 'a' });
});

test.each([
  ['closed.example.com', ['127.0.0.1'], 1, 'CONNECTION_ERROR', 'refused'],
  ['unknown.example.com', undefined, 443, 'CONNECTION_ERROR', 'no address'],
] as const)('%s: the reason is told', async (name, addresses, port, outcome, text) => {
  if (addresses !== undefined) dns.names.set(name, () => addresses);
  const attempt = await sendTo(senderTo(['127.0.0.1/32']), `http://${name}:${port}/`);
  expect(attempt).toMatchObject({ outcome, error: expect.stringContaining(text) });
});

const head = 'HTTP/1.1 200 OK\r\n';
/** What is written again and again after the first text. */
const endless: Readonly<Record<string, string>> = {
  'HTTP/1.1 100 Continue\r\n\r\n': 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1_000),
  'HTTP/1.1 103 Early Hints\r\n\r\n': 'HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n'.repeat(1_000),
  [`${head}a: `]: 'b'.repeat(65_536),
  [`${head}transfer-encoding: chunked\r\n\r\n1;`]: 'x'.repeat(65_536),
};

test.each([
  'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
  'HTTP/1.1 000 Nothing\r\n\r\n',
  'HTTP/1.1 999 Much\r\ncontent-length: 0\r\nretry-after: -1\r\nretry-after: 99999999999\r\n\r\n',
  `${head}content-length: 1\r\ncontent-length: 2\r\n\r\nab`,
  `${head}content-length: 99999999999999999999\r\n\r\n`,
  `${head}transfer-encoding: chunked\r\n\r\nffffffffffffffffff\r\n`,
  `${head}transfer-encoding: chunked\r\n\r\n-1\r\n\r\n`,
  '\0\u0001\u0002 no HTTP',
  'HTTP/1.1 200 OK',
  ...Object.keys(endless),
])('a receiver that answers %j is one attempt, soon over, and harms nobody else', async (text) => {
  let written = 0;
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write(text, 'latin1');
      const more = endless[text];
      if (more === undefined) {
        socket.end();
        return;
      }
      // Without the sender’s own bounds it would be read for as long as it comes.
      const go = () => {
        written += more.length;
        if (socket.destroyed || written > 128 * 1024 * 1024) socket.destroy();
        else if (socket.write(more)) setImmediate(go);
        else socket.once('drain', go);
      };
      go();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const attempt = await sendTo(senderTo(['127.0.0.1/32'], 1_500), `http://127.0.0.1:${port}/`);
  expect(attempt.error === null).toBe(attempt.outcome === 'SUCCESS');
  expect(Buffer.byteLength(attempt.responseExcerpt ?? '')).toBeLessThan(16_384);
  receiver.beFine();
  expect((await sendTo(senderTo(['127.0.0.1/32']), receiver.url)).outcome).toBe('SUCCESS');
  server.close();
});
