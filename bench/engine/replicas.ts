/**
 * The part of `make bench-engine` about three or six replicas with their etcd members on one machine. To run it alone:
 *
 *   node bench/engine/replicas.ts [--size=3] [--parts=load,faults,catch-up] [--transfers=1000000] [--hand-overs=10] [--kills=5]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createClient } from 'tigerbeetle-node';
import type { Client } from '../../engine/client/client.ts';
import { accountBatch, batches, figures, idsBatch, timed } from '../../engine/commands/workload.ts';
import { Operation } from '../../engine/wire/operations.ts';
import { ReplicaGroup } from '../../test/replication/replica-group.ts';
import { Writer } from '../../test/replication/writer.ts';
import { eventually } from '../../test/support/shell.ts';
import { cpuSecondsOf } from '../support/process-figures.ts';
import { quietly } from './quiet.ts';
import { report, shown, type Row } from './report.ts';

const accountCount = 10_000;
const batchSize = 8189;
const messageBytes = 256 + (batchSize + 1) * 128;

interface ReplicasOptions {
  readonly size: number;
  readonly parts: readonly string[];
  /** Number of transfers in the ledger when a replica is made anew. */
  readonly transfers: number;
  readonly handOvers: number;
  readonly kills: number;
}

export async function replicaRows(options: ReplicasOptions): Promise<Row[]> {
  const { size, parts } = options;
  const group = await ReplicaGroup.start({ size });
  try {
    await group.leader();
    const own = connect(group);
    for (const first of [1, 1 + accountCount / 2])
      await own.submit(Operation.createAccounts, accountBatch(first, accountCount / 2));
    const rows: Row[] = [];
    const add = (row: Row): void => {
      rows.push({ ...row, name: `${size} replicas: ${row.name}` });
      process.stderr.write(`${size} replicas: ${row.name}: ${shown(row)}\n`);
    };
    // Earlier measurements are printed even if a later one fails.
    const part = async (name: string, work: () => Promise<void>): Promise<void> => {
      if (!parts.includes(name)) return;
      await work().catch((error: unknown) => add({ name, value: `ended early: ${String(error)}` }));
    };
    await part('load', () => loadRows(group, own, add));
    await part('catch-up', async () => add(await catchUpRow(group, own, options.transfers)));
    own.close();
    await part('faults', () => faultRows(group, options, add));
    return rows;
  } finally {
    await group.dispose();
  }
}

const connect = (group: ReplicaGroup): Client => group.connect(60_000);

type Add = (row: Row) => void;

async function loadRows(group: ReplicaGroup, own: Client, add: Add): Promise<void> {
  await fill([own], 32, []);
  const singly = await loaded(group, [own], 200);
  add({ name: 'batches of 8,189, one client', ...singly });
  const four = [own, connect(group), connect(group), connect(group)];
  const together = await loaded(group, four, 200);
  add({ name: 'batches of 8,189, four clients', ...together });
  for (const client of four.slice(1)) client.close();
  const one = batches('plain', 1, accountCount);
  const transfer = () => own.submit(Operation.createTransfers, one().body);
  add({ name: 'one transfer a request', ...(await single(group, transfer)) });
  const ids = (): Uint8Array => idsBatch([1 + Math.floor(Math.random() * accountCount)]);
  const lookup = () => own.submit(Operation.lookupAccounts, ids());
  add({ name: 'lookup of one account', ...(await single(group, lookup)) });
}

const singleCount = 2000;

/** Small requests one after another. */
async function single(group: ReplicaGroup, request: () => Promise<unknown>) {
  const took: number[] = [];
  const leader = await group.leader();
  const before = processorSeconds(group, leader);
  for (let i = 0; i < singleCount; i += 1) took.push(await timed(request));
  const spent = processorSeconds(group, leader).map((value, i) => value - (before[i] ?? 0));
  const each = spent.map((seconds) => Math.round((seconds / singleCount) * 1e6));
  const { perSecond, p50, p99 } = figures(took, 1);
  const value = `${perSecond}/s · ${p50.toFixed(2)} · ${p99.toFixed(1)} ms; CPU µs a request: ${each.join(' · ')}`;
  return { perSecond, p50, p99, value };
}

/** Sends so many full batches, each client one at a time, bodies and checksums made beforehand. Returns the seconds it took. */
async function fill(clients: readonly Client[], count: number, took: number[]): Promise<number> {
  const source = batches('plain', batchSize, accountCount);
  let seconds = 0;
  for (let done = 0; done < count; done += 32) {
    const ready = Array.from({ length: Math.min(32, count - done) }, () => source());
    const started = performance.now();
    await Promise.all(
      clients.map(async (client) => {
        for (let next = ready.pop(); next !== undefined; next = ready.pop()) {
          const { body, bodyChecksum } = next;
          const submit = () => client.submit(Operation.createTransfers, body, { bodyChecksum });
          took.push(await timed(submit));
        }
      }),
    );
    seconds += (performance.now() - started) / 1000;
  }
  return seconds;
}

async function loaded(group: ReplicaGroup, clients: readonly Client[], count: number) {
  const took: number[] = [];
  const leader = await group.leader();
  const before = processorSeconds(group, leader);
  const seconds = await fill(clients, count, took);
  const after = processorSeconds(group, leader);
  const { p50, p99 } = figures(took, batchSize);
  const perSecond = Math.round((count * batchSize) / seconds);
  const mebibytes = ((count / seconds) * messageBytes) / 2 ** 20;
  const perBatch = after.map((value, i) => Math.round(((value - (before[i] ?? 0)) / count) * 1000));
  const value = `${perSecond.toLocaleString('en')}/s · ${p50.toFixed(1)} · ${p99.toFixed(1)} ms, ${mebibytes.toFixed(0)} MiB/s`;
  return { perSecond, p50, p99, value: `${value}; CPU ms a batch: ${perBatch.join(' · ')}` };
}

/** Processor time of the leading engine, of the other engines, of the etcd members, and of this process. */
function processorSeconds(group: ReplicaGroup, leader: number): readonly number[] {
  const used = (pid: number | undefined): number => (pid === undefined ? 0 : cpuSecondsOf(pid));
  const all = Array.from({ length: group.size }, (_, replica) => replica);
  const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
  return [
    used(group.pid(leader)),
    sum(all.filter((replica) => replica !== leader).map((replica) => used(group.pid(replica)))),
    sum(all.map((member) => used(group.etcd.pid(member)))),
    cpuSecondsOf(process.pid),
  ];
}

/** Measures a replica that lost its data file, until it has everything committed. */
async function catchUpRow(group: ReplicaGroup, own: Client, transfers: number): Promise<Row> {
  const leader = await group.leader();
  const missing = transfers - ((await group.status(leader))?.transfers ?? 0);
  if (missing > 0) await fill([own], Math.ceil(missing / batchSize), []);
  const lost = (leader + 1) % group.size;
  await group.signal(lost, 'SIGKILL');
  await group.lose(lost);
  const started = performance.now();
  group.start(lost);
  await group.joined(lost);
  const seconds = (performance.now() - started) / 1000;
  const held = (await group.status(lost))?.transfers ?? 0;
  return {
    name: `recover, with ${held.toLocaleString('en')} transfers`,
    value: `caught up in ${seconds.toFixed(1)} s`,
  };
}

/** Stops an engine for a while, as if its main loop were blocked: its connections and its etcd member stay. */
async function hang(group: ReplicaGroup, replica: number): Promise<void> {
  await group.signal(replica, 'SIGSTOP');
  await sleep(2000);
  await group.signal(replica, 'SIGCONT');
}

/** The longest time that an official client, which writes one transfer after another, waited for an answer. */
async function faultRows(group: ReplicaGroup, options: ReplicasOptions, add: Add): Promise<void> {
  const official = createClient({ cluster_id: 0n, replica_addresses: [...group.addresses] });
  const writer = new Writer(official);
  const goesOn = () => {
    const before = writer.acknowledged;
    return eventually('writes go on', async () => writer.acknowledged > before + 1n || undefined);
  };
  const gapsOf = async (count: number, fault: (leader: number) => Promise<unknown>) => {
    const gaps: number[] = [];
    for (let i = 0; i < count; i += 1) {
      const leader = await group.leader();
      await goesOn();
      writer.forget();
      await fault(leader);
      await goesOn();
      gaps.push(Math.round(writer.longestGapMs));
      group.startBoth(leader);
      await group.joined(leader);
      await sleep(1500);
    }
    return gaps.toSorted((a, b) => a - b);
  };
  const gapsShown = (gaps: number[]): string =>
    `${gaps[gaps.length >> 1]} ms, at most ${gaps.at(-1)} ms, of ${gaps.length} (${gaps.join(' ')})`;
  try {
    const { handOvers, kills } = options;
    const handOver = await gapsOf(handOvers, (leader) => group.signal(leader, 'SIGTERM'));
    add({ name: 'planned hand-over, gap', value: gapsShown(handOver) });
    const killed = await gapsOf(kills, (leader) => group.killBoth(leader));
    add({
      name: 'leader and its etcd killed, gap',
      value: gapsShown(killed),
    });
    const hung = await gapsOf(kills, (leader) => hang(group, leader));
    add({ name: 'leading engine hangs for 2 s, gap', value: gapsShown(hung) });
    await goesOn();
    writer.forget();
    const all = Array.from({ length: group.size }, (_, replica) => replica);
    await Promise.all(all.map((replica) => group.killBoth(replica)));
    for (const replica of all) group.startBoth(replica);
    await goesOn();
    const serves = `${(writer.longestGapMs / 1000).toFixed(1)} s`;
    add({ name: 'all killed, service again', value: serves });
  } finally {
    await writer.stop();
    official.destroy();
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      size: { type: 'string', default: '3' },
      parts: { type: 'string', default: 'load,faults,catch-up' },
      transfers: { type: 'string', default: '1000000' },
      'hand-overs': { type: 'string', default: '10' },
      kills: { type: 'string', default: '5' },
    },
  });
  await quietly(async () =>
    report(
      await replicaRows({
        size: Number(values.size),
        parts: values.parts.split(','),
        transfers: Number(values.transfers),
        handOvers: Number(values['hand-overs']),
        kills: Number(values.kills),
      }),
    ),
  );
}
