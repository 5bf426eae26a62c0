/**
 * A ledger larger than memory: fills an engine whose memory is limited, kills it on the way, and compares what it answers with
 * an independent count. Every tenth batch is pending, and is posted when its rows have left memory.
 *
 *   node bench/engine/larger-than-memory.ts [--transfers=3000000] [--memory=256MiB] [--accounts=10000] [--pod-mib=N] [--folder=KEPT]
 *
 * With `--pod-mib`, the engine has the ledger's limit of a pod of that size, and runs under the pod's own limit (test/soak/pod.ts) where this
 * process has the rights for it.
 */
import { parseArgs } from 'node:util';
import { Client } from '../../engine/client/client.ts';
import { decodeMultiBatch, encodeMultiBatch } from '../../engine/wire/multi-batch.ts';
import { Operation } from '../../engine/wire/operations.ts';
import { ledgerMemoryLimit } from '../../domain/ledger-memory.ts';
import { Pod } from '../../test/soak/pod.ts';
import { TestEngine } from '../../test/support/engine/engine.ts';
import { accountBatch } from '../../engine/commands/workload.ts';
import {
  BATCH,
  batchOf,
  kindOf,
  mix,
  moved as movedOf,
  pendingOf,
  putId,
} from './counted-transfers.ts';

const { values } = parseArgs({
  options: {
    transfers: { type: 'string', default: '3000000' },
    memory: { type: 'string', default: '256MiB' },
    accounts: { type: 'string', default: '10000' },
    'pod-mib': { type: 'string' },
    folder: { type: 'string' },
  },
});
const batches = Math.ceil(Number(values.transfers) / BATCH);
const accounts = Number(values.accounts);
const moved = (i: number) => movedOf(i, accounts);

let client: Client;
const request = (operation: number, body: Uint8Array): Promise<Uint8Array> =>
  client.submit(operation, body, { timeoutMs: 600_000 });
const recordsOf = (reply: Uint8Array, size: number): DataView[] =>
  Array.from(
    { length: decodeMultiBatch(reply, size)?.[0] ?? 0 },
    (_, k) => new DataView(reply.buffer, reply.byteOffset + k * size, size),
  );

let faults = 0;
const same = (what: string, is: unknown, should: unknown): void => {
  if (is === should) return;
  faults += 1;
  if (faults < 10) console.log(`DIFFERENCE ${what}: ${String(is)} instead of ${String(should)}`);
};

function compareTransfer(record: DataView, i: number): void {
  const { debit, credit, amount, userData } = moved(i);
  same(`transfer ${i}, id`, record.getUint32(0, true), i + 1);
  same(`transfer ${i}, debit`, record.getUint32(16, true), debit + 1);
  same(`transfer ${i}, credit`, record.getUint32(32, true), credit + 1);
  same(`transfer ${i}, amount`, record.getUint32(48, true), amount);
  same(`transfer ${i}, user data`, record.getUint32(96, true), userData);
  const isPost = kindOf(Math.floor(i / BATCH)) === 'post';
  same(`transfer ${i}, pending`, record.getUint32(64, true), isPost ? pendingOf(i) + 1 : 0);
}

const times = new Map<string, number[]>();
async function timed(what: string, operation: number, body: Uint8Array): Promise<Uint8Array> {
  const start = performance.now();
  const reply = await request(operation, body);
  times.set(what, [...(times.get(what) ?? []), performance.now() - start]);
  return reply;
}

async function compare(count: number, round: number): Promise<void> {
  const random = (k: number): number => mix(round * 1000 + k) % count;
  for (let k = 0; k < 40; k += 1) {
    const i = random(k);
    const id = new DataView(new ArrayBuffer(16));
    putId(id, 0, i);
    const [one] = recordsOf(
      await timed(
        'lookup',
        Operation.lookupTransfers,
        encodeMultiBatch([new Uint8Array(id.buffer)], 16),
      ),
      128,
    );
    if (one === undefined) same(`transfer ${i}`, 'nothing', 'there');
    else compareTransfer(one, i);
    await compareQuery(i, count);
  }
  for (let k = 0; k < 3; k += 1) await compareAccount(mix(round + k) % accounts, count);
}

/** The transfers with a unique value of user data: one, or a pending one and its post. */
async function compareQuery(i: number, count: number): Promise<void> {
  const filter = new DataView(new ArrayBuffer(64));
  filter.setUint32(16, moved(i).userData, true);
  filter.setUint32(20, 1, true);
  filter.setUint32(56, 8189, true);
  const found = recordsOf(
    await timed(
      'query',
      Operation.queryTransfers,
      encodeMultiBatch([new Uint8Array(filter.buffer)], 64),
    ),
    128,
  );
  const numbers = new Set(found.map((record) => record.getUint32(0, true) - 1));
  same(`transfer ${i} is found by its user data`, numbers.has(i), true);
  for (const record of found) compareTransfer(record, record.getUint32(0, true) - 1);
  for (const number of numbers) same('user data', moved(number).userData, moved(i).userData);
  same(
    'no number beyond the last',
    [...numbers].every((number) => number < count),
    true,
  );
}

/** The newest and the oldest transfers of an account, and its balances. */
async function compareAccount(account: number, count: number): Promise<void> {
  const own: number[] = [];
  const sums = { debitsPending: 0, debitsPosted: 0, creditsPending: 0, creditsPosted: 0 };
  for (let i = 0; i < count; i += 1) {
    const { debit, credit, amount } = moved(i);
    if (debit !== account && credit !== account) continue;
    own.push(i);
    const kind = kindOf(Math.floor(i / BATCH));
    const side = debit === account ? 'debits' : 'credits';
    if (kind !== 'pending') sums[`${side}Posted`] += amount;
    else sums[`${side}Pending`] += amount;
    if (kind === 'post') sums[`${side}Pending`] -= amount;
  }
  for (const isReversed of [false, true]) {
    const filter = new DataView(new ArrayBuffer(128));
    filter.setUint32(0, account + 1, true);
    filter.setUint32(120, 1000, true);
    filter.setUint32(124, isReversed ? 7 : 3, true);
    const reply = await timed(
      'page of an account',
      Operation.getAccountTransfers,
      encodeMultiBatch([new Uint8Array(filter.buffer)], 128),
    );
    const should = isReversed ? own.toReversed().slice(0, 1000) : own.slice(0, 1000);
    const found = recordsOf(reply, 128);
    same(`transfers of account ${account}`, found.length, should.length);
    for (const [k, record] of found.entries()) compareTransfer(record, should[k]!);
  }
  const id = Uint8Array.from({ length: 16 });
  new DataView(id.buffer).setUint32(0, account + 1, true);
  const [row] = recordsOf(await request(Operation.lookupAccounts, encodeMultiBatch([id], 16)), 128);
  same('debits pending', row?.getUint32(16, true), sums.debitsPending);
  same('debits posted', row?.getUint32(32, true), sums.debitsPosted);
  same('credits pending', row?.getUint32(48, true), sums.creditsPending);
  same('credits posted', row?.getUint32(64, true), sums.creditsPosted);
}

const connect = (port: number): Client =>
  new Client({ cluster: 0n, addresses: [{ host: '127.0.0.1', port }] });
const partOf = (all: readonly number[], part: number): string =>
  (all.toSorted((a, b) => a - b)[Math.floor(all.length * part)] ?? 0).toFixed(2);
const podBytes = values['pod-mib'] === undefined ? undefined : Number(values['pod-mib']) * 2 ** 20;
const memory =
  podBytes === undefined
    ? values.memory
    : `${Math.floor(ledgerMemoryLimit(podBytes) / 2 ** 20)}MiB`;
const pod = podBytes === undefined ? undefined : Pod.make(podBytes);
const within = <T>(begin: () => Promise<T>): Promise<T> => pod?.within(begin) ?? begin();

async function figuresOf(engine: TestEngine, count: number): Promise<string> {
  const { acceptsWrites, warnings } = await engine.status();
  same('writes are taken', acceptsWrites, true);
  const metrics = await (await fetch(`http://127.0.0.1:${engine.statusPort}/metrics`)).text();
  const value = (name: string): number =>
    Number(new RegExp(`^ledgerhouse_engine_${name} (.*)$`, 'm').exec(metrics)?.[1]);
  const mib = (name: string): string => (value(name) / 2 ** 20).toFixed(0);
  return `resident ${mib('resident_memory_bytes')} MiB · ledger ${mib('memory_used_bytes')} MiB · file ${mib('storage_used_bytes')} MiB, ${(value('storage_used_bytes') / count).toFixed(0)} bytes a transfer · segments ${value('index_segments')}${warnings.length === 0 ? '' : ` · ${warnings.join(', ')}`} · in memory ${value('transfers_in_memory')} · pages read ${value('pages_read_total')}`;
}

const folder = values.folder === undefined ? {} : { folder: values.folder };
const create = () => TestEngine.create({ flags: [`--memory-limit=${memory}`], ...folder });
const engine = await within(create);
console.log(
  `the ledger's limit is ${memory}${pod === undefined ? '' : ', under a limit by the kernel'}`,
);
try {
  client = connect(engine.port);
  for (let first = 1; first <= accounts; first += 8000)
    await request(
      Operation.createAccounts,
      accountBatch(first, Math.min(8000, accounts + 1 - first)),
    );
  let [start, from] = [performance.now(), 0];
  for (let batch = 0; batch < batches; batch += 1) {
    const reply = await timed(
      `batch, ${kindOf(batch)}`,
      Operation.createTransfers,
      batchOf(batch, accounts),
    );
    for (const record of recordsOf(reply, 16))
      same('status', record.getUint32(8, true), 0xffffffff);
    const isLast = batch === batches - 1;
    if (batch % 122 !== 121 && !isLast) continue;
    const count = (batch + 1) * BATCH;
    const rate = ((count - from) / (performance.now() - start)) * 1000;
    if (isLast || batch % 366 === 365) {
      client.close();
      await engine.end('SIGKILL');
      const began = performance.now();
      await within(() => engine.start());
      console.log(`killed and started again: ${((performance.now() - began) / 1000).toFixed(1)} s`);
      client = connect(engine.port);
    }
    times.delete('lookup');
    await compare(count, batch);
    console.log(
      `${count} transfers · ${rate.toFixed(0)}/s · ${await figuresOf(engine, count)} · ${faults} differences`,
    );
    const latencies = [...times].map(
      ([what, all]) => `${what} ${partOf(all, 0.5)}, ${partOf(all, 0.99)}`,
    );
    console.log(`  p50, p99 ms: ${latencies.join(' · ')}`);
    times.clear();
    [start, from] = [performance.now(), count];
  }
} finally {
  client!.close();
  await engine.dispose();
  if (pod !== undefined) same('processes that the kernel killed at the limit', pod.kills, 0);
  pod?.remove();
}
process.exitCode = faults === 0 ? 0 : 1;
