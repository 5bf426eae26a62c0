/**
 * Writes to three replicas while clients ask for far more than a leader can read: 1,000 filters in one request, each of which
 * walks through two lists of a million postings that never meet. Rounds with and without these reads take turns. After each
 * round with reads their clients go away, and the reads with them. Before that it measures the steps of such a read in one
 * process: a write waits for one of them.
 *
 *   node bench/engine/costly-reads.ts [--transfers=2000000] [--filters=1000] [--readers=1] [--rounds=3] [--seconds=15]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Client } from '../../engine/client/client.ts';
import { StateMachine } from '../../engine/ledger/state-machine.ts';
import { accountBatch, figures, timed } from '../../engine/commands/workload.ts';
import { Operation } from '../../engine/wire/operations.ts';
import { ReplicaGroup } from '../../test/replication/replica-group.ts';
import { crossedTransfers, endlessFilters } from '../../test/support/engine/long-lists.ts';
import { cpuSecondsOf } from '../support/process-figures.ts';
import { report, type Row } from './report.ts';

const BATCH = 8000;
const FIRST_WRITTEN = 1_000_000_000;
/** Time in which a leader must have noticed that the readers are gone. */
const SETTLE_MS = 1000;

interface Options {
  readonly transfers: number;
  readonly filters: number;
  readonly readers: number;
  readonly rounds: number;
  readonly seconds: number;
}

const STEPS = 1000;
/** As in engine/replica/executor.ts. */
const STEP_UNITS = 32_768;

/** Processor time of a read's steps, which unlike elapsed time hardly depends on other work on the machine. */
function stepsRow({ transfers, filters }: Options): Row {
  const ledger = new StateMachine({ memoryLimitBytes: 2 ** 34 });
  let timestamp = 1_000_000_000n;
  const commit = (operation: number, body: Uint8Array): void => {
    timestamp += BigInt(ledger.timestampDelta(operation, body)) + 1n;
    ledger.commit(operation, timestamp, body);
  };
  commit(Operation.createAccounts, accountBatch(1, 2));
  for (let first = 1; first <= transfers; first += BATCH)
    commit(Operation.createTransfers, crossedTransfers(first, BATCH));
  const read = ledger.beginRead(Operation.queryTransfers, endlessFilters(filters));
  const times: number[] = [];
  for (let isDone = false; !isDone && times.length < STEPS;) {
    const before = process.cpuUsage();
    isDone = read.step(STEP_UNITS) === true;
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  const { p50, p99 } = figures(times, 1);
  const value = `${p50.toFixed(2)} · ${p99.toFixed(2)} · ${Math.max(...times).toFixed(1)} ms, of ${times.length}`;
  return { name: 'a step of that read, processor time', value };
}

async function rows(options: Options): Promise<Row[]> {
  const { transfers, filters, readers, rounds, seconds } = options;
  const steps = stepsRow(options);
  process.stderr.write(`${steps.name}: ${steps.value}\n`);
  const group = await ReplicaGroup.start();
  const writer = group.connect(120_000);
  try {
    await group.leader();
    await writer.submit(Operation.createAccounts, accountBatch(1, 2));
    for (let first = 1; first <= transfers; first += BATCH)
      await writer.submit(Operation.createTransfers, crossedTransfers(first, BATCH));
    const { view } = await group.level();
    const alone: number[] = [];
    const beside: number[] = [];
    const work = { alone: 0, beside: 0 };
    let id = FIRST_WRITTEN;
    const write = async (times: number[]): Promise<number> => {
      const leader = group.pid(await group.leader()) ?? 0;
      const before = cpuSecondsOf(leader);
      const until = performance.now() + seconds * 1000;
      while (performance.now() < until) {
        id += 1;
        const body = crossedTransfers(id, 1);
        times.push(await timed(() => writer.submit(Operation.createTransfers, body)));
      }
      return (cpuSecondsOf(leader) - before) / seconds;
    };
    for (let round = 0; round < rounds; round += 1) {
      work.alone += (await write(alone)) / rounds;
      const asking = Array.from({ length: readers }, () => ask(group, filters));
      work.beside += (await write(beside)) / rounds;
      for (const client of asking) client.close();
      await sleep(SETTLE_MS);
    }
    const after = await group.level();
    const name = `${filters.toLocaleString('en')} filters on ${transfers.toLocaleString('en')} transfers`;
    return [
      steps,
      writes('one transfer a request, no reads', alone, work.alone),
      writes(`the same beside ${readers} × ${name}`, beside, work.beside),
      { name: 'changes of view meanwhile', value: String(after.view - view) },
    ];
  } finally {
    writer.close();
    await group.dispose();
  }
}

/** Asks for too much, over a client of its own that the caller closes. */
function ask(group: ReplicaGroup, filters: number): Client {
  const client = group.connect(600_000);
  // It is rejected when the client is closed.
  client.submit(Operation.queryTransfers, endlessFilters(filters)).catch(() => undefined);
  return client;
}

function writes(name: string, times: readonly number[], cores: number): Row {
  const { perSecond, p50, p99 } = figures(times, 1);
  const longest = Math.max(...times).toFixed(0);
  const value = `${perSecond}/s · ${p50.toFixed(2)} · ${p99.toFixed(2)} · ${longest} ms; leader ${cores.toFixed(2)} cores`;
  return { name, perSecond, p50, p99, value };
}

const { values } = parseArgs({
  options: {
    transfers: { type: 'string', default: '2000000' },
    filters: { type: 'string', default: '1000' },
    readers: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '15' },
  },
});
report(
  await rows({
    transfers: Number(values.transfers),
    filters: Number(values.filters),
    readers: Number(values.readers),
    rounds: Number(values.rounds),
    seconds: Number(values.seconds),
  }),
);
