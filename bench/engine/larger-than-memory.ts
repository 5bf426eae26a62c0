/**
 * A ledger larger than memory: fills an engine whose memory is limited, kills it on the way, and compares what it answers with
 * an independent count. Every tenth batch is pending, and is posted when its rows have left memory.
 *
 *   node bench/engine/larger-than-memory.ts [--transfers=3000000] [--memory=256MiB] [--accounts=10000] [--pod-mib=N] [--folder=KEPT] [--kill-every=3] [--log-size=32MiB] [--peer=path/to/tigerbeetle]
 *
 * The engine is killed after each `--kill-every` millions. A folder that has the data file of an earlier run, with as many accounts, goes on from it, unless a peer's benchmark has run against it.
 * At the end it is killed once more. When nothing is left to merge, look-ups and pages are timed, and the benchmark of TigerBeetle at the path
 * `--peer` runs against it.
 *
 * With `--pod-mib`, the engine has the ledger's limit of a pod of that size, and runs under the pod's own limit (test/soak/pod.ts) where this
 * process has the rights for it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from '../../engine/client/client.ts';
import { ledgerMemoryLimit } from '../../domain/ledger-memory.ts';
import { Pod } from '../../test/soak/pod.ts';
import { CountedLedger } from '../../test/support/engine/counted-ledger.ts';
import { BATCH } from '../../test/support/engine/counted-transfers.ts';
import { TestEngine } from '../../test/support/engine/engine.ts';
import { shownFigures } from '../../test/support/engine/engine-figures.ts';

const { values } = parseArgs({
  options: {
    transfers: { type: 'string', default: '3000000' },
    memory: { type: 'string', default: '256MiB' },
    accounts: { type: 'string', default: '10000' },
    'pod-mib': { type: 'string' },
    folder: { type: 'string' },
    'kill-every': { type: 'string', default: '3' },
    'log-size': { type: 'string' },
    peer: { type: 'string' },
  },
});
const batches = Math.ceil(Number(values.transfers) / BATCH);
const batchesOfPart = 122;
const partsToKill = Number(values['kill-every']);

const connect = (port: number): Client =>
  new Client({ cluster: 0n, addresses: [{ host: '127.0.0.1', port }] });
const podBytes = values['pod-mib'] === undefined ? undefined : Number(values['pod-mib']) * 2 ** 20;
const memory =
  podBytes === undefined
    ? values.memory
    : `${Math.floor(ledgerMemoryLimit(podBytes) / 2 ** 20)}MiB`;
const pod = podBytes === undefined ? undefined : Pod.make(podBytes);
const within = <T>(begin: () => Promise<T>): Promise<T> => pod?.within(begin) ?? begin();

const metricsOf = async (engine: TestEngine): Promise<string> =>
  (await fetch(`http://127.0.0.1:${engine.statusPort}/metrics`)).text();
/** Seconds of a processor that the engine's process has used since its start. */
const processorSeconds = async (engine: TestEngine): Promise<number> =>
  Number(/^ledgerhouse_engine_cpu_seconds_total (.*)$/m.exec(await metricsOf(engine))?.[1]);

async function figuresOf(
  engine: TestEngine,
  ledger: CountedLedger,
  count: number,
): Promise<string> {
  const { acceptsWrites, warnings } = await engine.status();
  ledger.same('writes are taken', acceptsWrites, true);
  return `${shownFigures(await metricsOf(engine), count)}${warnings.length === 0 ? '' : ` · ${warnings.join(', ')}`}`;
}

/** Waits until nothing is left to seal and to merge; five minutes at most. */
async function rest(engine: TestEngine): Promise<void> {
  const left = /^ledgerhouse_engine_index_(unsealed|volume_merge_rows) [^0]/m;
  for (let looks = 0; looks < 60; looks += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5000));
    if (!left.test(await metricsOf(engine))) return;
  }
  console.log('the index still merges');
}

/** The peer's own benchmark, with IDs that no other transfer has. */
async function benchmarkOfPeer(program: string, port: number): Promise<void> {
  const args = ['benchmark', `--addresses=127.0.0.1:${port}`, '--transfer-count=2000000'];
  console.log(`${program} ${args.join(' ')}`);
  const peer = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'], timeout: 600_000 });
  const [code] = (await once(peer, 'exit')) as [number | null];
  ledger.same('exit code of the benchmark', code, 0);
}

const flags = [`--memory-limit=${memory}`];
const logSize = values['log-size'];
const formatFlags = logSize === undefined ? [] : [`--log-size=${logSize}`];
const kept = values.folder;
const goesOn = kept !== undefined && existsSync(join(kept, 'replica.ledger'));
const create = () =>
  goesOn
    ? TestEngine.open(kept, flags)
    : TestEngine.create({ flags, formatFlags, ...(kept === undefined ? {} : { folder: kept }) });
const engine = await within(create);
console.log(
  `the ledger's limit is ${memory}${pod === undefined ? '' : ', under a limit by the kernel'}`,
);
const ledger = new CountedLedger(connect(engine.port), Number(values.accounts));
try {
  if (!goesOn) await ledger.createAccounts();
  const first = (await engine.status()).transfers / BATCH;
  let [start, from, used] = [performance.now(), first * BATCH, await processorSeconds(engine)];
  for (let batch = first, part = 1; batch < batches; batch += 1) {
    await ledger.createBatch(batch);
    const isLast = batch === batches - 1;
    if ((batch - first) % batchesOfPart !== batchesOfPart - 1 && !isLast) continue;
    const count = (batch + 1) * BATCH;
    const rate = ((count - from) / (performance.now() - start)) * 1000;
    const each = (((await processorSeconds(engine)) - used) / (count - from)) * 1e6;
    if (isLast || part % partsToKill === 0) {
      ledger.client.close();
      await engine.end('SIGKILL');
      const began = performance.now();
      await within(() => engine.start());
      console.log(
        `killed and started again: ${((performance.now() - began) / 1000).toFixed(1)} s, ${(await processorSeconds(engine)).toFixed(1)} of a processor`,
      );
      ledger.client = connect(engine.port);
    }
    part += 1;
    await ledger.compare(count, batch);
    console.log(
      `${count} transfers · ${rate.toFixed(0)}/s, ${each.toFixed(2)} µs of a processor each · ${await figuresOf(engine, ledger, count)} · ${ledger.differences} differences`,
    );
    console.log(`  p50, p99, longest ms: ${ledger.takeLatencies()}`);
    [start, from, used] = [performance.now(), count, await processorSeconds(engine)];
  }
  await rest(engine);
  await ledger.readAtRest(batches * BATCH, 2000, 100);
  console.log(`at rest, p50, p99, longest ms: ${ledger.takeLatencies()}`);
  if (values.peer !== undefined) await benchmarkOfPeer(values.peer, engine.port);
} finally {
  ledger.client.close();
  // What is kept can be restored elsewhere.
  if (kept !== undefined) await engine.end('SIGTERM');
  await engine.dispose();
  if (pod !== undefined) ledger.same('processes that the kernel killed at the limit', pod.kills, 0);
  pod?.remove();
}
process.exitCode = ledger.differences === 0 ? 0 : 1;
