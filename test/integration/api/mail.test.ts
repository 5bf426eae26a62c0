/** Mail to a real SMTP server: sending, retries, and mails that can never be sent. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type { SMTPServerOptions } from 'smtp-server';
import { MailSender, type MailSenderOptions } from '../../../api/mail/mail-sender.ts';
import { createMailTransport } from '../../../api/mail/transport.ts';
import { enqueueMail } from '../../../api/store/mails.ts';
import { Sealer } from '../../../api/store/sealing.ts';
import type { Store } from '../../../api/store/store.ts';
import { freePorts } from '../../../tools/cluster/free-ports.ts';
import { Pki } from '../../../tools/cluster/pki.ts';
import { TestPostgres } from '../../support/api/postgres.ts';
import { eventually } from '../../support/shell.ts';
import { refusal, TestSmtp } from '../../support/api/smtp.ts';
import { openTestStore, signingKeys, silent, tester } from '../../support/api/store.ts';

/** Another machine's as far as the sender can tell, and on Linux the loopback. */
const elsewhere = '0.0.0.0';
const sealer = new Sealer(signingKeys);
const trusted = getCACertificates('default');

let postgres: TestPostgres;
let store: Store;
let folder: string;
/** Key and certificate of a server with a valid identity. */
let identity: { readonly cert: string; readonly key: string };
const servers: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  postgres = await TestPostgres.create();
  ({ store } = await openTestStore(postgres));
  folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-smtp-'));
  const pki = new Pki(folder);
  await pki.init();
  const made = await pki.sign('smtp', { user: 'smtp', hosts: [elsewhere, 'localhost'] });
  identity = { cert: readFileSync(made.cert, 'utf8'), key: readFileSync(made.key, 'utf8') };
  setDefaultCACertificates([...trusted, readFileSync(pki.ca.cert, 'utf8')]);
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
  await store.read.deleteFrom('mails').execute();
});
afterAll(async () => {
  setDefaultCACertificates(trusted);
  await store?.close();
  await postgres?.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function startSmtp(options: SMTPServerOptions = {}, port = 0): Promise<TestSmtp> {
  const server = await TestSmtp.start({ ...identity, ...options }, port);
  servers.push(server);
  return server;
}

/** Starts a server that does not speak SMTP. */
async function listen(serve: (socket: Socket) => void): Promise<{ readonly port: number }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    serve(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push({
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  });
  return { port: (server.address() as AddressInfo).port };
}

const urlOf = ({ port }: { port: number }, scheme = 'smtp', host = elsewhere) =>
  `${scheme}://ledger:correct@${host}:${port}`;

const enqueue = (to: string) =>
  store.change(tester, (change) =>
    enqueueMail(change, sealer, { to, subject: 'Grüße', text: 'Come in:\n.\nhttps://l.example' }),
  );

async function rowTo(to: string) {
  return store.read
    .selectFrom('mails')
    .selectAll()
    .where('recipient', '=', to)
    .executeTakeFirstOrThrow();
}

/** Makes every mail due. */
const due = () => sql`UPDATE mails SET due_at = clock_timestamp()`.execute(store.read);

/** Sends until `isOver`. Returns how long the sender then took to stop, ms. */
async function sendUntil(
  url: string,
  isOver: () => Promise<boolean>,
  more: Partial<MailSenderOptions> = {},
): Promise<number> {
  const transport = createMailTransport({ kind: 'smtp', url, from: 'L <ledger@example.com>' });
  const logger = silent;
  const sender = new MailSender({ store, sealer, transport, logger, everyMs: 20, ...more });
  sender.start();
  try {
    await eventually('it is over', async () => (await isOver()) || undefined);
  } catch (error) {
    await sender.stop();
    throw error;
  }
  const began = Date.now();
  await sender.stop();
  return Date.now() - began;
}

const ended = (to: string) => async () => (await rowTo(to)).sealedContent === null;
const tried = (to: string) => async () => (await rowTo(to)).attempts > 0;

const waiting = { attempts: 1, sentAt: null, givenUpAt: null, sealedContent: expect.anything() };
const sent = { sentAt: expect.any(Date), givenUpAt: null, sealedContent: null };
const givenUp = { attempts: 1, sentAt: null, givenUpAt: expect.any(Date), sealedContent: null };

test.each([
  ['STARTTLS', 'smtp', elsewhere, {}],
  ['TLS from the start', 'smtps', elsewhere, { secure: true }],
  ['STARTTLS on this machine, where it is offered', 'smtp', 'localhost', {}],
] as const)('mail is delivered over %s, signed in', async (_, scheme, host, options) => {
  const server = await startSmtp(options);
  await enqueue('ada@example.com');
  await sendUntil(urlOf(server, scheme, host), ended('ada@example.com'));
  expect(await rowTo('ada@example.com')).toMatchObject(sent);
  const [mail] = server.received;
  expect(server.received).toHaveLength(1);
  expect(mail).toMatchObject({
    from: 'ledger@example.com',
    to: ['ada@example.com'],
    secure: true,
    user: 'ledger',
  });
  expect(mail?.text).toMatch(/^Message-ID: <eml_\w+@example\.com>\r$/m);
  expect(mail?.text).toContain('From: L <ledger@example.com>');
  expect(mail?.text).toContain('Come in:\r\n.\r\nhttps://l.example');
});

test.each([
  ['offers no STARTTLS', { hideSTARTTLS: true, disabledCommands: ['STARTTLS'] }],
  ['shows a certificate of another', { cert: undefined, key: undefined }],
])('to another machine that %s neither the password nor the mail goes', async (_, options) => {
  const server = await startSmtp({ allowInsecureAuth: true, ...options });
  await enqueue('eve@example.com');
  await sendUntil(urlOf(server), tried('eve@example.com'));
  expect(await rowTo('eve@example.com')).toMatchObject(waiting);
  expect([server.seen, server.received]).toEqual([['connection'], []]);
});

test('mail waits while the password is wrong, and goes out when it is put right', async () => {
  const server = await startSmtp();
  server.password = 'changed';
  await enqueue('ada@example.com');
  await sendUntil(urlOf(server), tried('ada@example.com'));
  expect(await rowTo('ada@example.com')).toMatchObject(waiting);
  expect([server.seen, server.received]).toEqual([['connection', 'sign-in'], []]);
  server.password = 'correct';
  await due();
  await sendUntil(urlOf(server), ended('ada@example.com'));
  expect(await rowTo('ada@example.com')).toMatchObject({ ...sent, attempts: 2 });
});

test.each([
  ['a recipient that the server does not know', '550 5.1.1 no such mailbox', givenUp],
  ['a recipient that it greylists', '450 4.2.0 come back later', waiting],
  ['a recipient that it does not relay to for us', '554 5.7.1 relay access denied', waiting],
])('%s is refused: %s', async (_, answer, outcome) => {
  const server = await startSmtp({
    onRcptTo: ({ address }, __, next) => {
      next(address.startsWith('no-') ? refusal(answer) : null);
    },
  });
  await enqueue('no-one@example.com');
  await enqueue('ada@example.com');
  await sendUntil(urlOf(server), ended('ada@example.com'));
  expect(await rowTo('no-one@example.com')).toMatchObject(outcome);
  // The failing mail does not delay the others.
  expect(server.received.map(({ to }) => to)).toEqual([['ada@example.com']]);
});

test.each([
  ['the sender', '550 5.1.8 who is that', waiting, 'onMailFrom'],
  ['the message', '554 5.6.0 what is that', givenUp, 'onData'],
] as const)('%s is refused: %s', async (_, answer, outcome, where) => {
  const server = await startSmtp(
    where === 'onMailFrom'
      ? { onMailFrom: (__, ___, next) => next(refusal(answer)) }
      : {
          onData: (stream, __, next) => {
            stream.resume();
            stream.on('end', () => next(refusal(answer)));
          },
        },
  );
  await enqueue('ada@example.com');
  await sendUntil(urlOf(server), tried('ada@example.com'));
  expect(await rowTo('ada@example.com')).toMatchObject(outcome);
});

test('a server that is away is tried again, and gets the mail when it is back', async () => {
  const [port = 0] = await freePorts(1);
  await enqueue('ada@example.com');
  await sendUntil(urlOf({ port }), tried('ada@example.com'));
  expect(await rowTo('ada@example.com')).toMatchObject(waiting);
  const back = await startSmtp({}, port);
  await due();
  await sendUntil(urlOf({ port }), ended('ada@example.com'));
  expect(back.received).toHaveLength(1);
});

test('a server that goes away in the middle of a mail gets it again', async () => {
  const connections: Socket[] = [];
  const server = await startSmtp({
    onData: () => {
      for (const socket of connections) socket.destroy();
    },
  });
  const between = await listen((socket) => {
    connections.push(socket);
    const way = connect(server.port, '127.0.0.1');
    socket.pipe(way).pipe(socket);
    for (const end of [socket, way]) end.on('error', () => {}).on('close', () => socket.destroy());
  });
  await enqueue('ada@example.com');
  await sendUntil(urlOf(between), tried('ada@example.com'));
  expect(await rowTo('ada@example.com')).toMatchObject(waiting);
});

/** Takes a sender's greeting, and then answers without ever coming to an end: no inactivity tells. */
const talkative = () =>
  listen((socket) => {
    let timer: NodeJS.Timeout | undefined;
    socket.write('220 hello\r\n');
    socket.on('data', (chunk: Buffer) => {
      if (chunk.toString().startsWith('EHLO')) socket.write('250 hello\r\n');
      else timer ??= setInterval(() => socket.write('250-wait\r\n'), 50);
    });
    socket.on('error', () => {}).on('close', () => clearInterval(timer));
  });

test('a server that never comes to an end has a deadline, and the next mail its turn', async () => {
  const server = await talkative();
  await enqueue('first@example.com');
  await enqueue('second@example.com');
  await sendUntil(urlOf(server, 'smtp', 'localhost'), tried('second@example.com'), {
    sendMaxMs: 500,
  });
  for (const name of ['first', 'second']) {
    expect(await rowTo(`${name}@example.com`)).toMatchObject(waiting);
  }
});

test('a sender that stops leaves a server that does not answer', async () => {
  const server = await talkative();
  await enqueue('ada@example.com');
  const tookMs = await sendUntil(urlOf(server, 'smtp', 'localhost'), tried('ada@example.com'), {
    sendMaxMs: 3_600_000,
  });
  // A mail that is being sent has five seconds to arrive.
  expect(tookMs).toBeGreaterThan(2_000);
  expect(await rowTo('ada@example.com')).toMatchObject(waiting);
});
