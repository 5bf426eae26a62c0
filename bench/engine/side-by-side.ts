/**
 * This engine and a TigerBeetle side by side: `make bench-engine PEER=path/to/tigerbeetle`. Both take turns on new data files, and who
 * begins changes from turn to turn, so that an hour in which the machine is slow slows both. Prints a ratio for each figure: the
 * median of the turns, and the least and the greatest.
 *
 * Environment: `TRANSFERS` of a turn (2,000,000), `TURNS` (3), `REPLICAS` (1 or 3), `MEMORY` (bytes of each engine, by the kernel).
 */
import { createClient } from 'tigerbeetle-node';
import { figures, timed } from '../../engine/commands/workload.ts';
import { engineProgram } from '../../test/support/engine/engine.ts';
import { mustRun } from '../../test/support/shell.ts';
import { residentMib, ours, theirs, type Conditions, type Contestant } from './contestants.ts';
import { officialTransfers } from './official-transfers.ts';
import { printRatios, type Turn } from './ratios.ts';

const number = (name: string, otherwise: number): number =>
  Number(process.env[name] ?? String(otherwise));

/** Ten minutes for each million transfers: a slow machine needs a tenth of it. */
const loadMaxMs = (transfers: number): number => 600_000 * Math.ceil(transfers / 1_000_000);

export async function sideBySide(program: string): Promise<void> {
  const transfers = number('TRANSFERS', 2_000_000);
  const memoryBytes = process.env['MEMORY'] === undefined ? undefined : number('MEMORY', 0);
  const conditions: Conditions = { replicas: number('REPLICAS', 1), memoryBytes };
  const begin = [
    ['here', () => ours(conditions)],
    ['TigerBeetle', () => theirs(program, conditions)],
  ] as const;
  const turns: Turn[] = [];
  for (let turn = 0; turn < number('TURNS', 3); turn += 1)
    for (const [name, start] of turn % 2 === 0 ? begin : begin.toReversed()) {
      const found = new Map<string, number>();
      await onNewFiles(start, (one) => itsOwnBenchmark(program, one, transfers, found));
      await onNewFiles(start, async (one) => {
        await ourLoader(one, transfers, found);
        await nodeClient(one, found);
      });
      turns.push({ turn, isOurs: name === 'here', figures: found });
      const shown = [...found].map(([what, value]) => `${what} ${value.toLocaleString('en')}`);
      process.stderr.write(`turn ${turn + 1}, ${name}: ${shown.join('; ')}\n`);
    }
  printRatios(turns);
}

async function onNewFiles(
  start: () => Promise<Contestant>,
  work: (one: Contestant) => Promise<void>,
): Promise<void> {
  const one = await start();
  try {
    await work(one);
  } finally {
    await one.dispose();
  }
}

type Found = Map<string, number>;

/** TigerBeetle's own program as the client; three random fields of user data. */
async function itsOwnBenchmark(
  program: string,
  one: Contestant,
  transfers: number,
  found: Found,
): Promise<void> {
  const addresses = `--addresses=${one.addresses.join(',')}`;
  const flags = ['benchmark', addresses, `--transfer-count=${transfers}`];
  const said = await mustRun(program, flags, { timeoutMs: loadMaxMs(transfers) });
  const take = (what: string, pattern: RegExp): void => {
    const value = pattern.exec(said)?.[1];
    if (value === undefined) throw new Error(`its benchmark did not tell the ${what}: ${said}`);
    found.set(what, Number(value));
  };
  take('its benchmark, per second', /^load accepted = (\d+) tx\/s/m);
  take('its benchmark, p50 ms', /^batch latency p50 +=\s+(\d+) ms/m);
  take('its benchmark, p99 ms', /^batch latency p99 +=\s+(\d+) ms/m);
  found.set('resident MiB then', residentMib(one));
  found.set('bytes on disk a transfer then', Math.round(one.storedBytes() / transfers));
  const seconds = await timed(async () => {
    await one.killAndStart();
    const client = officialClient(one);
    await client.lookupAccounts([1n]);
    client.destroy();
  });
  found.set('kill -9 until it answers, s', Math.round(seconds / 100) / 10);
}

/** The load of `ledger-engine benchmark`, without user data. */
async function ourLoader(one: Contestant, transfers: number, found: Found): Promise<void> {
  const addresses = `--addresses=${one.addresses.join(',')}`;
  const flags = ['benchmark', addresses, `--transfer-count=${transfers}`];
  const said = await mustRun(engineProgram, flags, { timeoutMs: loadMaxMs(transfers) });
  const lines = said.matchAll(/^(\S.*?) +([\d,]+)\/s +p50 ([\d.]+) ms +p99 ([\d.]+) ms$/gm);
  for (const [, name = '', perSecond = '', p50, p99] of lines) {
    found.set(`${name}, per second`, Number(perSecond.replaceAll(',', '')));
    found.set(`${name}, p50 ms`, Number(p50));
    found.set(`${name}, p99 ms`, Number(p99));
  }
}

const officialClient = (one: Contestant) =>
  createClient({ cluster_id: 0n, replica_addresses: [...one.addresses] });

const batchSize = 8189;
const batchCount = 60;
const singleCount = 2000;

/** The official Node.js client, one request at a time. */
async function nodeClient(one: Contestant, found: Found): Promise<void> {
  const client = officialClient(one);
  const transfer = officialTransfers();
  let looked = 0n;
  const measure = async (name: string, events: number, count: number, work: () => unknown) => {
    const times: number[] = [];
    for (let i = 0; i < count; i += 1) times.push(await timed(async () => work()));
    const { perSecond, p50, p99 } = figures(times, events);
    found.set(`${name}, per second`, perSecond);
    found.set(`${name}, p50 ms`, p50);
    found.set(`${name}, p99 ms`, p99);
  };
  try {
    // The first request waits for the client's registration.
    await client.createTransfers([transfer()]);
    await measure('Node.js, batches', batchSize, batchCount, () =>
      client.createTransfers(Array.from({ length: batchSize }, transfer)),
    );
    await measure('Node.js, one transfer', 1, singleCount, () =>
      client.createTransfers([transfer()]),
    );
    await measure('Node.js, one lookup', 1, singleCount, () =>
      client.lookupAccounts([1n + ((looked += 1n) % 10_000n)]),
    );
  } finally {
    client.destroy();
  }
}
