/** Tunnels between a client and an engine: `ledgerhouse connect`, TLS, API processes and an engine, all of them real. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect as connectTcp, type AddressInfo, type Socket } from 'node:net';
import { WebSocket } from 'ws';
import { tunnelProtocol } from '../../../api/client/tunnel.ts';
import type { Client } from '../../../engine/client/client.ts';
import { ClientEvictedError } from '../../../engine/client/errors.ts';
import { EvictionReason, buildRequest, Header } from '../../../engine/wire/header.ts';
import { TransferFlag } from '../../../engine/wire/flags.ts';
import { encodeMultiBatch } from '../../../engine/wire/multi-batch.ts';
import { Operation } from '../../../engine/wire/operations.ts';
import { engineRelease } from '../../../engine/wire/release.ts';
import { ConnectCommand } from '../../support/api/connect-command.ts';
import { lookupOf, sendOnce } from '../../support/api/tunnel-messages.ts';
import { TunnelWorld, tunnelDatabaseId } from '../../support/api/tunnel-world.ts';
import { TestEngine } from '../../support/engine/engine.ts';
import {
  accountBytes,
  connectTo,
  create,
  created,
  lookupAccounts,
  transferBytes,
} from '../../support/engine/ledger.ts';
import { expiryOf } from '../../support/engine/varied-ledger.ts';
import { checkout, eventually, shell } from '../../support/shell.ts';

let engine: TestEngine;
let world: TunnelWorld;
const commands: ConnectCommand[] = [];
const clients: Client[] = [];
const worlds: TunnelWorld[] = [];
const closers: (() => void)[] = [];

beforeAll(async () => {
  engine = await TestEngine.create();
  world = await startWorld({ streamCheckMs: 300 });
  const client = connectTo(engine.port);
  await create(client, Operation.createAccounts, accountBytes([1n, 2n]));
  client.close();
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  for (const command of commands.splice(0)) await command.end('SIGKILL');
  for (const close of closers.splice(0)) close();
});
afterAll(async () => {
  for (const one of worlds) await one.stop();
  await engine.dispose();
});

async function startWorld(options: object = {}): Promise<TunnelWorld> {
  const started = await TunnelWorld.start({
    addresses: [`127.0.0.1:${engine.port}`],
    ...options,
  });
  worlds.push(started);
  return started;
}

async function connect(key: string, where = world, more = {}): Promise<ConnectCommand> {
  const environment = { ...where.environment(key), ...more };
  const command = await ConnectCommand.start(tunnelDatabaseId, environment);
  commands.push(command);
  return command;
}

function clientOf({ ports }: ConnectCommand, timeoutMs?: number): Client {
  const client = connectTo(ports[0] ?? 0, timeoutMs);
  clients.push(client);
  return client;
}

const transfer = (id: bigint, flags = 0) =>
  transferBytes([{ id, debit: 1n, credit: 2n, amount: 1n, flags }]);

async function openSocket(key: string, where = world): Promise<WebSocket> {
  const url = `${where.url.replace('https', 'wss')}/api/v1/databases/${tunnelDatabaseId}/tunnel`;
  const socket = new WebSocket(url, [tunnelProtocol], {
    headers: { 'x-api-key': key },
    rejectUnauthorized: false,
  });
  closers.push(() => socket.terminate());
  await once(socket, 'open');
  return socket;
}

const closeOf = (socket: WebSocket): Promise<{ code: number; why: string }> =>
  new Promise((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, why: reason.toString() }));
  });

test('a client reads and writes through the tunnel, and the tunnel ends cleanly', async () => {
  const command = await connect('full');
  const client = clientOf(command);
  expect(await create(client, Operation.createTransfers, transfer(101n))).toEqual([created]);
  const [account] = await lookupAccounts(client, [1n]);
  expect(account?.debitsPosted).toBeGreaterThan(0n);
  client.close();
  expect(await command.end('SIGINT')).toBe(0);
});

test('the other end is told once whose connection it is', async () => {
  const socket = await openSocket('full');
  const told: string[] = [];
  let answers = 0;
  socket.on('message', (data, isBinary) => {
    if (isBinary) answers += 1;
    else told.push((data as Buffer).toString());
  });
  const fields = { cluster: 0n, view: 0, release: engineRelease, client: 4321n, session: 0n };
  const parent = new Uint8Array(16);
  const body = new Uint8Array(256);
  const head = buildRequest({ ...fields, request: 0, operation: Operation.register, parent }, body);
  for (let i = 1; i <= 2; i += 1) {
    socket.send(Buffer.concat([head, body]));
    await eventually('it is answered', async () => answers >= i || undefined);
  }
  expect(told).toEqual(['{"client":"4321"}']);
});

test('a write with a key that may only read never reaches the engine, and both ends are told', async () => {
  const before = (await engine.status()).transfers;
  const command = await connect('read');
  const client = clientOf(command);
  expect(await lookupAccounts(client, [1n])).toHaveLength(1);
  const failure: unknown = await create(client, Operation.createTransfers, transfer(102n)).catch(
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(ClientEvictedError);
  expect((failure as ClientEvictedError).reason).toBe(EvictionReason.invalidRequestOperation);
  await eventually('the command tells why', async () =>
    command.stderr.includes('create_transfers needs the permission db:write') ? true : undefined,
  );
  await eventually('the refusal is in the audit log', async () =>
    world.log.includes('"action":"create_transfers","code":"insufficient_scope"')
      ? true
      : undefined,
  );
  expect(await world.metrics()).toMatch(
    /ledgerhouse_api_tunnel_refused_total\{operation="create_transfers"\} [1-9]/,
  );
  expect((await engine.status()).transfers).toBe(before);
});

test('the official client learns of the refusal as an eviction', async () => {
  const program = `
    const { createClient } = require('tigerbeetle-node');
    const client = createClient({
      cluster_id: BigInt(process.env.TB_CLUSTER_ID),
      replica_addresses: process.env.TB_ADDRESS.split(','),
    });
    const transfer = { id: 104n, debit_account_id: 1n, credit_account_id: 2n, amount: 1n, pending_id: 0n,
      user_data_128: 0n, user_data_64: 0n, user_data_32: 0, timeout: 0, ledger: 1, code: 1, flags: 0, timestamp: 0n };
    client.lookupAccounts([1n])
      .then((found) => { console.log('found', found.length); return client.createTransfers([transfer]); })
      .then(() => console.log('created'), (error) => console.log('refused', error.message))
      // Destroying a client after its eviction ends the process of tigerbeetle-node 0.17.9 with a panic.
      .finally(() => process.exit(0));`;
  const { code, stdout, stderr } = await shell(
    `${checkout}/bin/ledgerhouse`,
    ['connect', tunnelDatabaseId, '--exec', '--', process.execPath, '-e', program],
    { env: world.environment('read') },
  );
  expect({ code, lines: stdout.trim().split('\n') }).toEqual({
    code: 0,
    lines: ['found 1', expect.stringMatching(/^refused .*evicted/i)],
  });
  expect(stderr).toContain('insufficient_scope');
});

test('a revoked key ends its tunnels, and no other is opened', async () => {
  const other = await startWorld({ streamCheckMs: 300 });
  const command = await connect('full', other);
  const client = clientOf(command);
  await lookupAccounts(client, [1n]);
  other.revoke('full');
  await eventually('the command has ended and said why', async () => {
    expect({ code: command.exitCode, said: command.stdout }).toEqual({
      code: 4,
      said: expect.stringContaining('The key is not valid'),
    });
    return true;
  });
});

test('a client of another cluster is told which cluster this is', async () => {
  const command = await connect('full');
  const socket = connectTcp(command.ports[0] ?? 0, '127.0.0.1');
  closers.push(() => socket.destroy());
  const register = buildRequest(
    {
      cluster: 77n,
      view: 0,
      release: engineRelease,
      client: 9n,
      session: 0n,
      request: 0,
      operation: Operation.register,
      parent: new Uint8Array(16),
    },
    new Uint8Array(256),
  );
  socket.write(register);
  socket.write(new Uint8Array(256));
  await once(socket, 'close');
  await eventually('the command tells why', async () =>
    command.stderr.includes("uses the cluster ID 77; the database's is 0") ? true : undefined,
  );
  await eventually('a connection check would tell why', async () =>
    world.log.includes('"trouble":{"code":"wrong_cluster"') ? true : undefined,
  );
});

test('a message of a replica ends the tunnel before a byte of it has passed', async () => {
  const socket = await openSocket('full');
  const header = Header.create();
  header.putU32(96, 256);
  header.putU32(108, engineRelease);
  // A prepare.
  header.putU8(114, 6);
  header.seal(new Uint8Array(0));
  const closed = closeOf(socket);
  socket.send(header.bytes);
  expect(await closed).toMatchObject({ code: 4004 });
  expect(await world.metrics()).toMatch(/tunnel_refused_total\{operation="none"\} [1-9]/);
});

test('imported transfers that would end a TigerBeetle do not reach it', async () => {
  const guarded = await startWorld({ engine: 'TigerBeetle', engineVersion: '0.17.9' });
  const command = await connect('full', guarded);
  const client = clientOf(command);
  await lookupAccounts(client, [1n]);
  const bad = transferBytes([
    {
      id: 105n,
      debit: 1n,
      credit: 2n,
      amount: 1n,
      pendingId: 1n,
      flags: TransferFlag.imported | TransferFlag.void_pending_transfer,
    },
  ]);
  await expect(create(client, Operation.createTransfers, bad)).rejects.toBeInstanceOf(
    ClientEvictedError,
  );
  await eventually('the command tells why', async () =>
    command.stderr.includes('imported post or void') ? true : undefined,
  );
  const other = clientOf(command);
  const timestamp = await expiryOf(other, 110n);
  const imported = { id: 111n, debit: 1n, credit: 2n, amount: 1n, flags: TransferFlag.imported };
  // The cluster's time goes on.
  await create(other, Operation.createAccounts, accountBytes([111n]));
  const beside = transferBytes([{ ...imported, timestamp: timestamp + 1n }]);
  expect(await create(other, Operation.createTransfers, beside)).toEqual([created]);
  const meets = transferBytes([{ ...imported, id: 112n, timestamp }]);
  await expect(create(other, Operation.createTransfers, meets)).rejects.toBeInstanceOf(
    ClientEvictedError,
  );
  await eventually('the command tells why', async () =>
    command.stderr.includes(`expired at the timestamp ${timestamp}`) ? true : undefined,
  );
});

test('requests are written to the audit log in sums, without their contents', async () => {
  const audited = await startWorld();
  const lookups = [1n, 2n].map((id) => [Operation.lookupAccounts, lookupOf([id])] as const);
  await sendOnce(await openSocket('full', audited), 4711n, lookups);
  await audited.replaceOne('SIGTERM');
  const line = audited.log.split('\n').find((one) => one.includes('"type":"database.connected"'));
  const { event } = JSON.parse(line ?? '{}') as { event: { data: Record<string, unknown> } };
  expect(event.data).toMatchObject({
    opened: 1,
    refused: 0,
    operations: { register: 1, lookup_accounts: 2 },
  });
});

test('a write of a person is recorded before it is sent, and is not executed if that fails', async () => {
  const other = await startWorld();
  const earlier = (await engine.status()).transfers;
  await sendOnce(await openSocket('person', other), 4712n, [
    [Operation.createTransfers, encodeMultiBatch([transfer(106n)], 128)],
    [Operation.lookupAccounts, lookupOf([1n])],
  ]);
  const records = () => other.log.split('\n').filter((line) => line.includes('"msg":"recorded"'));
  await eventually('it is recorded', async () => {
    expect(records().map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({
        operation: 'create_transfers',
        events: 1,
        author: expect.objectContaining({ actor: expect.objectContaining({ display: 'Ada' }) }),
      }),
    ]);
    return true;
  });
  const before = (await engine.status()).transfers;
  expect(before).toBe(earlier + 1);
  other.revoke('records');
  await expect(
    create(
      clientOf(await connect('person', other), 2_000),
      Operation.createTransfers,
      transfer(107n),
    ),
  ).rejects.toThrow();
  expect((await engine.status()).transfers).toBe(before);
  expect(records()).toHaveLength(1);
});

test('a request without an upgrade is told that this is for WebSockets', async () => {
  const path = `/api/v1/databases/${tunnelDatabaseId}/tunnel`;
  const { status, headers, body } = await get(path, { 'x-api-key': 'full' });
  expect({ status, upgrade: headers.upgrade }).toEqual({ status: 426, upgrade: 'websocket' });
  expect(JSON.parse(body)).toMatchObject({ code: 'upgrade_required' });
});

test('refusals of an upgrade are problems, and other upgrades are ignored', async () => {
  const upgrade = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    'sec-websocket-version': '13',
  };
  const tunnel = `/api/v1/databases/${tunnelDatabaseId}/tunnel`;
  const wrongKey = await get(tunnel, { ...upgrade, 'x-api-key': 'none' });
  expect([wrongKey.status, JSON.parse(wrongKey.body)]).toMatchObject([
    401,
    { code: 'invalid_credentials' },
  ]);
  const noReplica = await get(`${tunnel}?replica=3`, { ...upgrade, 'x-api-key': 'full' });
  expect([noReplica.status, JSON.parse(noReplica.body)]).toMatchObject([
    400,
    { code: 'invalid_parameter' },
  ]);
  const elsewhere = await get('/api/v1/nowhere', { ...upgrade, 'x-api-key': 'full' });
  expect(elsewhere.status).toBe(404);
  // As Java's client sends it with its first request.
  const h2c = await get(`/api/v1/databases/${tunnelDatabaseId}`, {
    connection: 'Upgrade, HTTP2-Settings',
    upgrade: 'h2c',
    'http2-settings': 'AAMAAABk',
    'x-api-key': 'full',
  });
  expect(h2c.status).toBe(200);
});

test('the tunnel goes through the proxy that HTTPS_PROXY names, with its password, though it cuts idle connections', async () => {
  let tunnels = 0;
  let cuts = 0;
  const proxy = createServer().on('connect', (request, socket: Socket, head) => {
    const password = `Basic ${Buffer.from('someone:s@cret').toString('base64')}`;
    if (request.headers['proxy-authorization'] !== password) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
      return;
    }
    tunnels += 1;
    const [host = '', port = ''] = (request.url ?? '').split(':');
    const target = connectTcp(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.write(head);
      socket.pipe(target).pipe(socket);
    });
    socket.setTimeout(idleMs, () => {
      cuts += 1;
      socket.destroy();
    });
    for (const one of [socket, target]) {
      one.on('error', () => {});
      one.on('close', () => {
        socket.destroy();
        target.destroy();
      });
    }
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  closers.push(() => proxy.close());
  const { port } = proxy.address() as AddressInfo;
  const command = await connect('full', world, {
    HTTPS_PROXY: `http://someone:s%40cret@127.0.0.1:${port}`,
    NO_PROXY: '',
  });
  const asked = tunnels;
  expect(asked).toBeGreaterThan(0);
  await eventually('the command has no connection', async () => cuts === tunnels || undefined);
  const client = clientOf(command, 60_000);
  for (let i = 0; i < 2; i += 1) {
    const before = cuts;
    expect(await create(client, Operation.createTransfers, transfer(201n + BigInt(i)))).toEqual([
      created,
    ]);
    expect(await lookupAccounts(client, [1n])).toHaveLength(1);
    await eventually('it was cut', async () => cuts > before || undefined);
  }
  expect(tunnels).toBeGreaterThan(asked + 1);
});
const idleMs = 2_000;

async function get(path: string, headers: Readonly<Record<string, string>>) {
  const { hostname, port } = new URL(world.url);
  return new Promise<{
    status: number;
    headers: Readonly<Record<string, unknown>>;
    body: string;
  }>((resolve, reject) => {
    const asked = httpsRequest(
      { host: hostname, port, path, headers, rejectUnauthorized: false },
      (answer) => {
        let body = '';
        answer.on('data', (chunk: Buffer) => (body += chunk.toString()));
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }),
        );
      },
    );
    asked.on('error', reject);
    asked.end();
  });
}
