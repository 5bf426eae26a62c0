/**
 * Starts of an engine whose memory is limited as in a pod, after kills at different moments: kills it while requests without a pause fill
 * its ledger, and prints what each start took. Ends with 1 if the kernel killed a process at the pod's limit, or a start failed.
 *
 *   node bench/engine/killed-starts.ts --folder=KEPT [--starts=20] [--pod-mib=1024] [--under-mib=N] [--accounts=10000]
 *
 * KEPT is the folder that `larger-than-memory.ts --folder=KEPT` has filled. With `--under-mib`, the kernel's limit is another than the pod's.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Client } from '../../engine/client/client.ts';
import { ledgerMemoryLimit } from '../../domain/ledger-memory.ts';
import { Operation } from '../../engine/wire/operations.ts';
import { Pod } from '../../test/soak/pod.ts';
import { TestEngine } from '../../test/support/engine/engine.ts';
import { BATCH, batchOf } from '../../test/support/engine/counted-transfers.ts';

const { values } = parseArgs({
  options: {
    folder: { type: 'string' },
    starts: { type: 'string', default: '20' },
    'pod-mib': { type: 'string', default: '1024' },
    'under-mib': { type: 'string' },
    accounts: { type: 'string', default: '10000' },
  },
});
if (values.folder === undefined) throw new Error('--folder is needed');
const accounts = Number(values.accounts);
const podBytes = Number(values['pod-mib']) * 2 ** 20;
const limit = Math.floor(ledgerMemoryLimit(podBytes) / 2 ** 20);
const pod = Pod.make(Number(values['under-mib'] ?? values['pod-mib']) * 2 ** 20);
if (pod === undefined) throw new Error('limits of memory need the rights for cgroups');
const { random } = Math;

/** Anonymous memory of a process, which the kernel cannot take away, in MiB. */
function anonymousMib(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Math.round(Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024);
  } catch {
    return 0;
  }
}

async function metricsOf(engine: TestEngine): Promise<(name: string) => number> {
  const text = await (await fetch(`http://127.0.0.1:${engine.statusPort}/metrics`)).text();
  return (name) => Number(new RegExp(`^ledgerhouse_engine_${name} (.*)$`, 'm').exec(text)?.[1]);
}

/** Looks at the engine's memory every few milliseconds until `stop`, which gives the most that was seen, and when. */
function watch(engine: TestEngine): () => { most: number; afterMs: number } {
  const began = performance.now();
  let [most, afterMs] = [0, 0];
  const timer = setInterval(() => {
    const now = anonymousMib(engine.pid);
    if (now > most) [most, afterMs] = [now, performance.now() - began];
  }, 5);
  return () => {
    clearInterval(timer);
    return { most, afterMs };
  };
}

const engine = await pod.within(() =>
  TestEngine.open(values.folder!, [`--memory-limit=${limit}MiB`]),
);
try {
  for (let start = 1; start <= Number(values.starts); start += 1) {
    const client = new Client({
      cluster: 0n,
      addresses: [{ host: '127.0.0.1', port: engine.port }],
    });
    let batch = Math.ceil((await engine.status()).transfers / BATCH);
    const until = performance.now() + 500 + random() * 9_500;
    const stopRunning = watch(engine);
    const send = async (): Promise<void> => {
      while (performance.now() < until) {
        const own = batch;
        batch += 1;
        await client.submit(Operation.createTransfers, batchOf(own, accounts), {
          timeoutMs: 60_000,
        });
      }
    };
    await Promise.all([send(), send(), send()]);
    const running = stopRunning();
    client.close();
    await engine.end('SIGKILL');
    const began = performance.now();
    const starting = pod.within(() => engine.start());
    const stop = watch(engine);
    await starting;
    const tookMs = performance.now() - began;
    const value = await metricsOf(engine);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    const { most, afterMs } = stop();
    console.log(
      `start ${start}: ${(tookMs / 1000).toFixed(1)} s, at most ${most} MiB after ${(afterMs / 1000).toFixed(1)} s (before the kill ${running.most}) · ${value('transfers')} transfers · ledger ${(value('memory_used_bytes') / 2 ** 20).toFixed(0)} MiB · segments ${value('index_segments')} · killed by the kernel ${pod.kills}`,
    );
    if (!engine.isRunning) throw new Error(`the engine ended: ${engine.log}`);
  }
} finally {
  await engine.dispose();
  if (pod.kills > 0) process.exitCode = 1;
  pod.remove();
}
