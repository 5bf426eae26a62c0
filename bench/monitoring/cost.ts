/** Cost of collecting figures for an engine: full batches with and without a collector, in turns. */
import { setTimeout as sleep } from 'node:timers/promises';
import { fetchText } from '../../domain/fetch-status.ts';
import { accountBatch, batches, idsBatch } from '../../engine/commands/workload.ts';
import { Operation } from '../../engine/wire/operations.ts';
import { TestEngine } from '../../test/support/engine/engine.ts';
import { connectTo } from '../../test/support/engine/ledger.ts';
import { percentile, type Row } from '../support/report.ts';
import { cpuSecondsOf } from '../support/process-figures.ts';
import type { Said } from './fake-engines.ts';

const accountCount = 10_000;
const batchSize = 8_189;
const sizeMax = 2 ** 20;
/** The collector asks every 15 s; here somebody asks every second, so that the difference can be seen at all. */
const askedMs = 1_000;
const times = 15_000 / askedMs;
const asksAlone = 300;

type Client = ReturnType<typeof connectTo>;

interface CostOptions {
  readonly engine: TestEngine;
  readonly client: Client;
  /** Length of a turn. */
  readonly seconds: number;
  readonly turns: number;
}

/** An engine with accounts, and with requests of several kinds behind it. */
export async function busyEngine(): Promise<{ engine: TestEngine; client: Client }> {
  const engine = await TestEngine.create();
  const client = connectTo(engine.port, 60_000);
  for (const first of [1, 1 + accountCount / 2]) {
    await client.submit(Operation.createAccounts, accountBatch(first, accountCount / 2));
  }
  for (let index = 0; index < 50; index += 1) {
    await client.submit(Operation.lookupAccounts, idsBatch([1 + index]));
  }
  await load(client, 2);
  return { engine, client };
}

export async function saidBy({ statusPort }: TestEngine): Promise<Said> {
  const [status, metrics] = await ask(statusPort);
  return { status: JSON.parse(status) as Said['status'], metrics };
}

const ask = (port: number) =>
  Promise.all(
    ['status', 'metrics'].map((path) =>
      fetchText(`http://127.0.0.1:${port}/${path}`, AbortSignal.timeout(10_000), sizeMax),
    ),
  ) as Promise<[string, string]>;

/**
 * By processor time for each transfer: the throughput of a machine that others use as well says little. The turns change places,
 * because the ledger grows from one to the next.
 */
export async function costRows({ engine, client, seconds, turns }: CostOptions) {
  const alone: number[] = [];
  const asked: number[] = [];
  const costOf = async (): Promise<number> => {
    const before = cpuSecondsOf(engine.pid);
    const count = await load(client, seconds);
    return ((cpuSecondsOf(engine.pid) - before) / count) * 1e6;
  };
  for (let turn = 0; turn < turns; turn += 1) {
    const both = [
      async () => alone.push(await costOf()),
      async () => asked.push(await whileAsked(engine.statusPort, costOf)),
    ];
    for (const one of turn % 2 === 0 ? both : both.reverse()) await one();
  }
  const [before, after] = [percentile(alone, 0.5), percentile(asked, 0.5)];
  const rows: readonly Row[] = [
    { name: 'processor time of a million transfers, not asked', value: before, unit: 's' },
    {
      name: `asked every second, ${times} times as often as by the collector`,
      value: after,
      unit: 's',
    },
    { name: 'spread of the turns that were not asked', value: spreadOf(alone), unit: '%' },
    {
      name: 'what collecting adds to the processor time of transfers',
      value: (100 * (after / before - 1)) / times,
      unit: '%',
      goal: 1,
    },
    await aloneRow(engine),
  ];
  return rows;
}

const spreadOf = (values: readonly number[]): number =>
  (100 * (Math.max(...values) - Math.min(...values))) / Math.max(...values);

/** Full batches, one after the other. Returns the number of transfers. */
async function load(client: Client, seconds: number): Promise<number> {
  const next = batches('plain', batchSize, accountCount);
  const begunMs = performance.now();
  let count = 0;
  while (performance.now() - begunMs < seconds * 1_000) {
    const { body, bodyChecksum } = next();
    await client.submit(Operation.createTransfers, body, { bodyChecksum });
    count += batchSize;
  }
  return count;
}

async function whileAsked<T>(port: number, work: () => Promise<T>): Promise<T> {
  const asking = setInterval(() => void ask(port), askedMs);
  try {
    return await work();
  } finally {
    clearInterval(asking);
  }
}

/** Processor time of an idle engine for what it says, of the 15 s between two askings. */
async function aloneRow({ pid, statusPort }: TestEngine): Promise<Row> {
  const idleSeconds = 5;
  const idleBefore = cpuSecondsOf(pid);
  await sleep(idleSeconds * 1_000);
  const idle = (cpuSecondsOf(pid) - idleBefore) / idleSeconds;
  const [before, begunMs] = [cpuSecondsOf(pid), performance.now()];
  for (let index = 0; index < asksAlone; index += 1) await ask(statusPort);
  const seconds = (performance.now() - begunMs) / 1_000;
  const each = (cpuSecondsOf(pid) - before - idle * seconds) / asksAlone;
  return { name: 'processor that answering takes', value: (100 * each) / 15, unit: '%', goal: 1 };
}
