/**
 * Figures of the tunnel against a direct connection, over TLS: full batches, one lookup at a time, and the memory of 200 tunnels.
 * Direct and tunnel take turns in one run, since a machine's hours differ. All processes share this machine.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { Client } from '../../engine/client/client.ts';
import { buildPingClient } from '../../engine/wire/header.ts';
import { encodeMultiBatch } from '../../engine/wire/multi-batch.ts';
import { Operation } from '../../engine/wire/operations.ts';
import { engineRelease } from '../../engine/wire/release.ts';
import { ConnectCommand } from '../../test/support/api/connect-command.ts';
import { TunnelWorld, tunnelDatabaseId } from '../../test/support/api/tunnel-world.ts';
import { TestEngine } from '../../test/support/engine/engine.ts';
import { accountBytes, batchOf, batchSize, create } from '../../test/support/engine/ledger.ts';

const batches = 40;
const lookups = 3_000;
const rounds = 2;
const tunnels = 200;
/** Batches of each of several clients that write at once. */
const batchesOfMany = 5;

const print = (figure: Readonly<Record<string, unknown>>) =>
  process.stdout.write(`${JSON.stringify(figure)}\n`);
const open = (port: number) =>
  new Client({ cluster: 0n, addresses: [{ host: '127.0.0.1', port }], timeoutMs: 60_000 });

let nextBatch = 0;

async function batchRate(client: Client, count = batches): Promise<number> {
  const bodies = Array.from({ length: count }, () => {
    nextBatch += 1;
    return encodeMultiBatch([batchOf(nextBatch)], 128);
  });
  const startedMs = performance.now();
  for (const body of bodies) await client.submit(Operation.createTransfers, body);
  return (count * batchSize) / ((performance.now() - startedMs) / 1_000);
}

async function lookupMs(client: Client): Promise<{ p50: number; p99: number }> {
  const id = new Uint8Array(16);
  id[0] = 1;
  const body = encodeMultiBatch([id], 16);
  const times: number[] = [];
  for (let i = 0; i < lookups; i += 1) {
    const startedMs = performance.now();
    await client.submit(Operation.lookupAccounts, body);
    times.push(performance.now() - startedMs);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(share * (times.length - 1))] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

const rssMebibytes = (pid: number): number =>
  Math.round(
    Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024,
  );

/** A connection that has sent a ping, and is answered. */
function openIdle(port: number, client: bigint): Socket {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  socket.write(
    buildPingClient({ cluster: 0n, release: engineRelease, client, session: 0n, monotonic: 1n }),
  );
  return socket;
}

const rounded = (value: number) => Math.round(value * 100) / 100;

const engine = await TestEngine.create();
const world = await TunnelWorld.start({ addresses: [`127.0.0.1:${engine.port}`] });
const command = await ConnectCommand.start(tunnelDatabaseId, world.environment('full'));
const ways = { direct: engine.port, tunnel: command.ports[0] ?? 0 };
const clients = { direct: open(ways.direct), tunnel: open(ways.tunnel) };
try {
  await create(clients.direct, Operation.createAccounts, accountBytes([1n, 2n]));
  // One turn that does not count, for compilers and buffers.
  for (const client of Object.values(clients)) await batchRate(client);
  const rates = { direct: 0, tunnel: 0 };
  const p50s = { direct: 0, tunnel: 0 };
  for (let round = 1; round <= rounds; round += 1) {
    for (const way of ['direct', 'tunnel'] as const) {
      const rate = await batchRate(clients[way]);
      const latency = await lookupMs(clients[way]);
      rates[way] += rate / rounds;
      p50s[way] += latency.p50 / rounds;
      print({
        round,
        way,
        transfersPerSecond: Math.round(rate),
        lookupP50Ms: rounded(latency.p50),
        lookupP99Ms: rounded(latency.p99),
      });
    }
  }
  print({
    ratioOfRates: rounded(rates.tunnel / rates.direct),
    lookupP50MoreMs: rounded(p50s.tunnel - p50s.direct),
  });
  const [pid = 0] = world.pids();
  print({ tunnels: 1, apiMebibytes: rssMebibytes(pid) });
  const many = Array.from({ length: tunnels }, (_, i) => openIdle(ways.tunnel, BigInt(i + 1)));
  await Promise.all(many.map((socket) => once(socket, 'data')));
  print({ tunnels, doing: 'nothing', apiMebibytes: rssMebibytes(pid) });
  const writers = Array.from({ length: 16 }, () => open(ways.tunnel));
  await Promise.all(writers.map((client) => batchRate(client, batchesOfMany)));
  print({ tunnels, doing: '16 write full batches', apiMebibytes: rssMebibytes(pid) });
  for (const client of writers) client.close();
  for (const socket of many) socket.destroy();
} finally {
  for (const client of Object.values(clients)) client.close();
  await command.end();
  await world.stop();
  await engine.dispose();
}
