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
  },
});
const batches = Math.ceil(Number(values.transfers) / BATCH);

const connect = (port: number): Client =>
  new Client({ cluster: 0n, addresses: [{ host: '127.0.0.1', port }] });
const podBytes = values['pod-mib'] === undefined ? undefined : Number(values['pod-mib']) * 2 ** 20;
const memory =
  podBytes === undefined
    ? values.memory
    : `${Math.floor(ledgerMemoryLimit(podBytes) / 2 ** 20)}MiB`;
const pod = podBytes === undefined ? undefined : Pod.make(podBytes);
const within = <T>(begin: () => Promise<T>): Promise<T> => pod?.within(begin) ?? begin();

async function figuresOf(
  engine: TestEngine,
  ledger: CountedLedger,
  count: number,
): Promise<string> {
  const { acceptsWrites, warnings } = await engine.status();
  ledger.same('writes are taken', acceptsWrites, true);
  const metrics = await (await fetch(`http://127.0.0.1:${engine.statusPort}/metrics`)).text();
  return `${shownFigures(metrics, count)}${warnings.length === 0 ? '' : ` · ${warnings.join(', ')}`}`;
}

const folder = values.folder === undefined ? {} : { folder: values.folder };
const create = () => TestEngine.create({ flags: [`--memory-limit=${memory}`], ...folder });
const engine = await within(create);
console.log(
  `the ledger's limit is ${memory}${pod === undefined ? '' : ', under a limit by the kernel'}`,
);
const ledger = new CountedLedger(connect(engine.port), Number(values.accounts));
try {
  await ledger.createAccounts();
  let [start, from] = [performance.now(), 0];
  for (let batch = 0; batch < batches; batch += 1) {
    await ledger.createBatch(batch);
    const isLast = batch === batches - 1;
    if (batch % 122 !== 121 && !isLast) continue;
    const count = (batch + 1) * BATCH;
    const rate = ((count - from) / (performance.now() - start)) * 1000;
    if (isLast || batch % 366 === 365) {
      ledger.client.close();
      await engine.end('SIGKILL');
      const began = performance.now();
      await within(() => engine.start());
      console.log(`killed and started again: ${((performance.now() - began) / 1000).toFixed(1)} s`);
      ledger.client = connect(engine.port);
    }
    await ledger.compare(count, batch);
    console.log(
      `${count} transfers · ${rate.toFixed(0)}/s · ${await figuresOf(engine, ledger, count)} · ${ledger.differences} differences`,
    );
    console.log(`  p50, p99 ms: ${ledger.takeLatencies()}`);
    [start, from] = [performance.now(), count];
  }
} finally {
  ledger.client.close();
  await engine.dispose();
  if (pod !== undefined) ledger.same('processes that the kernel killed at the limit', pod.kills, 0);
  pod?.remove();
}
process.exitCode = ledger.differences === 0 ? 0 : 1;
