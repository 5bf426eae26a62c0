/**
 * `make bench-engine`: one durable replica on this machine, load from a process of its own; then three, then six. Prints a
 * table and appends JSON lines to bench/results/. `TRANSFERS=…` sets how many transfers the restart is measured with
 * (10,000,000 by default). With `PEER=path/to/tigerbeetle`, both take turns instead, and ratios are printed (side-by-side.ts).
 */
import { readFileSync } from 'node:fs';
import { createClient } from 'tigerbeetle-node';
import { checksum } from '../../engine/wire/checksum.ts';
import { Operation } from '../../engine/wire/operations.ts';
import { TestEngine } from '../../test/support/engine/engine.ts';
import { connectTo } from '../../test/support/engine/ledger.ts';
import {
  accountBatch,
  batches,
  figures,
  idsBatch,
  queryByLedger,
  timed,
  type BatchKind,
} from '../../engine/commands/workload.ts';
import { officialTransfers } from './official-transfers.ts';
import { quietly } from './quiet.ts';
import { replicaRows } from './replicas.ts';
import { report, type Row } from './report.ts';
import { sideBySide } from './side-by-side.ts';

const accountCount = 10_000;
const batchSize = 8189;
const peer = process.env['PEER'];
const restartTransfers = Number(process.env['TRANSFERS'] ?? '10000000');
const client = (engine: TestEngine) => connectTo(engine.port, 60_000);
type Client = ReturnType<typeof client>;

async function main(): Promise<void> {
  const rows: Row[] = [checksumRow()];
  const engine = await TestEngine.create();
  try {
    const own = client(engine);
    await own.submit(Operation.createAccounts, accountBatch(1, accountCount / 2));
    await own.submit(
      Operation.createAccounts,
      accountBatch(1 + accountCount / 2, accountCount / 2),
    );
    rows.push(await batchRow(own, 'create_transfers, batches of 8,189', 'plain', 244));
    rows.push(await batchRow(own, 'two-phase: pending, then posted', 'twoPhase', 60));
    rows.push(await batchRow(own, 'hot: all between 2 accounts', 'hot', 60));
    rows.push(
      await singles(
        own,
        'one transfer a request',
        () => Operation.createTransfers,
        oneTransfer,
        3000,
      ),
    );
    rows.push(await officialSingles(engine));
    rows.push(await officialBatches(engine));
    const one = () => idsBatch([1 + Math.floor(Math.random() * accountCount)]);
    rows.push(
      await singles(own, 'lookup of one account', () => Operation.lookupAccounts, one, 3000),
    );
    const thousand = () => idsBatch(Array.from({ length: 1000 }, (_, i) => 1 + i * 10));
    rows.push(
      await singles(own, 'lookup of 1,000 accounts', () => Operation.lookupAccounts, thousand, 500),
    );
    const page = () => queryByLedger(1, batchSize);
    rows.push(
      await singles(own, 'query of 8,189 transfers', () => Operation.queryTransfers, page, 200),
    );
    rows.push(...(await growAndRestart(engine, own)));
    own.close();
  } finally {
    await engine.dispose();
  }
  const every = ['load', 'catch-up', 'faults'];
  const three = { size: 3, parts: every, transfers: 1_000_000, handOvers: 10, kills: 5 };
  rows.push(...(await replicaRows(three)));
  const six = { size: 6, parts: ['load', 'faults'], transfers: 0, handOvers: 5, kills: 3 };
  rows.push(...(await replicaRows(six)));
  report(rows);
}

function checksumRow(): Row {
  const message = new Uint8Array(1_048_320);
  for (let i = 0; i < 20; i += 1) checksum(message);
  const started = performance.now();
  for (let i = 0; i < 300; i += 1) checksum(message);
  const mebibytes = (300 * message.length) / 2 ** 20 / ((performance.now() - started) / 1000);
  return { name: 'checksum', value: `${Math.round(mebibytes)} MiB/s` };
}

/** Full batches, one in flight, bodies and their checksums made beforehand, 32 at a time. */
async function batchRow(own: Client, name: string, kind: BatchKind, count: number): Promise<Row> {
  const times: number[] = [];
  const source = batches(kind, batchSize, accountCount);
  for (let done = 0; done < count; done += 32) {
    const ready = Array.from({ length: Math.min(32, count - done) }, () => source());
    for (const { body, bodyChecksum } of ready) {
      times.push(await timed(() => own.submit(Operation.createTransfers, body, { bodyChecksum })));
    }
  }
  return { name, ...figures(times, batchSize) };
}

const oneSource = batches('plain', 1, accountCount);
const oneTransfer = () => oneSource().body;

async function singles(
  own: Client,
  name: string,
  operation: () => number,
  body: () => Uint8Array,
  count: number,
): Promise<Row> {
  const times: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const made = body();
    times.push(await timed(() => own.submit(operation(), made)));
  }
  return { name, ...figures(times, 1) };
}

const officialClient = (engine: TestEngine) =>
  createClient({ cluster_id: 0n, replica_addresses: [`127.0.0.1:${engine.port}`] });
const officialTransfer = officialTransfers();

async function officialSingles(engine: TestEngine): Promise<Row> {
  const official = officialClient(engine);
  const times: number[] = [];
  for (let i = 0; i < 2000; i += 1)
    times.push(await timed(() => official.createTransfers([officialTransfer()])));
  official.destroy();
  // The first one waits for the client's registration.
  return {
    name: 'one transfer, Node.js client',
    ...figures(times.slice(1), 1),
  };
}

async function officialBatches(engine: TestEngine): Promise<Row> {
  const official = officialClient(engine);
  await official.createTransfers([officialTransfer()]);
  const times: number[] = [];
  for (let i = 0; i < 60; i += 1) {
    const batch = Array.from({ length: batchSize }, officialTransfer);
    times.push(await timed(() => official.createTransfers(batch)));
  }
  official.destroy();
  return {
    name: 'batches of 8,189, Node.js client',
    ...figures(times, batchSize),
  };
}

/** Fills the ledger up, then measures memory a transfer and how long a restart takes. */
async function growAndRestart(engine: TestEngine, own: Client): Promise<Row[]> {
  const before = await engine.status();
  const missing = Math.ceil((restartTransfers - before.transfers) / batchSize);
  const fill = await batchRow(
    own,
    `create_transfers up to ${restartTransfers.toLocaleString('en')}`,
    'plain',
    missing,
  );
  const after = await engine.status();
  const memory =
    (after.memory.usedBytes - before.memory.usedBytes) / (after.transfers - before.transfers);
  const resident = residentMebibytes(engine.pid);
  const started = performance.now();
  await engine.end('SIGKILL');
  await engine.start();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  return [
    fill,
    {
      name: 'memory a transfer, indexes included',
      value: `${Math.round(memory)} B`,
    },
    {
      name: `resident with ${after.transfers.toLocaleString('en')} transfers`,
      value: `${resident} MiB`,
    },
    {
      name: `kill -9 and restart with ${after.transfers.toLocaleString('en')} transfers`,
      value: `${seconds} s`,
    },
  ];
}

/** bin/ledger-engine replaces itself by Node, so that its pid is the engine's. */
function residentMebibytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kilobytes ?? 0) / 1024);
}

await quietly(peer === undefined ? main : () => sideBySide(peer));
