/**
 * `make bench-archive`: what archiving costs an engine, in turns with one that is not archived; how long an operation waits until it is in
 * the bucket; how long a backup of `TRANSFERS` between `ACCOUNTS` takes, the next one, a restore, and the restored engine's start; and how
 * fast the log alone is replayed. A real S3 server on this machine. Prints figures; never passes or fails by them.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { dataFileVariable } from '../../domain/names.ts';
import { accountBatch, batches, figures, timed } from '../../engine/commands/workload.ts';
import { Operation } from '../../engine/wire/operations.ts';
import { archiverFlags } from '../../operator/manifests/archiver.ts';
import { archivedAll, TestArchiver } from '../../test/support/engine/archiver.ts';
import { engineProgram, TestEngine } from '../../test/support/engine/engine.ts';
import { connectTo } from '../../test/support/engine/ledger.ts';
import { checkout, mustRun } from '../../test/support/shell.ts';
import { S3Server } from '../../test/support/store/s3-server.ts';
import { memoryOf } from '../support/process-figures.ts';
import { report, type Row } from '../support/report.ts';
import { count } from '../support/settings.ts';

const transfers = Number(process.env['TRANSFERS'] ?? '10000000');
const turns = count('TURNS', 11);
const seconds = count('SECONDS', 60);
const accountCount = count('ACCOUNTS', 10_000);
const batchSize = 8_189;
const rpoSeconds = 5;
const batchesOfATurn = 60;

type Client = ReturnType<typeof connectTo>;

async function ledgerOf(engine: TestEngine): Promise<Client> {
  const client = connectTo(engine.port, 120_000);
  for (let made = 0; made < accountCount; made += batchSize) {
    const body = accountBatch(1 + made, Math.min(batchSize, accountCount - made));
    await client.submit(Operation.createAccounts, body);
  }
  return client;
}

/** Full batches, one in flight, made beforehand. */
async function load(client: Client, total: number): Promise<number[]> {
  const source = batches('plain', batchSize, accountCount);
  const times: number[] = [];
  for (let done = 0; done < total; done += 20) {
    const ready = Array.from({ length: Math.min(20, total - done) }, () => source());
    for (const { body, bodyChecksum } of ready)
      times.push(
        await timed(() => client.submit(Operation.createTransfers, body, { bodyChecksum })),
      );
  }
  return times;
}

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? NaN;

/**
 * Ratios of an archived engine to one that is not, of turns beside each other. No turn begins before the bucket has the one before.
 * `where` says which processors the parts have.
 */
async function costRows(
  engine: TestEngine,
  archived: Client,
  plain: Client,
  where: string,
): Promise<Row[]> {
  const [rates, tails]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < turns; turn += 1) {
    const measured = new Map<Client, ReturnType<typeof figures>>();
    for (const client of turn % 2 === 0 ? [archived, plain] : [plain, archived]) {
      measured.set(client, figures(await load(client, batchesOfATurn), batchSize));
      await archivedAll(engine);
    }
    const [with_, without] = [measured.get(archived), measured.get(plain)];
    rates.push((with_?.perSecond ?? NaN) / (without?.perSecond ?? NaN));
    tails.push((with_?.p99 ?? NaN) / (without?.p99 ?? NaN));
    console.log(
      `turn ${turn + 1}: ${Math.round(with_?.perSecond ?? 0)}/s archived, ${Math.round(without?.perSecond ?? 0)}/s not`,
    );
  }
  return [
    {
      name: `throughput with archiving, of that without, ${where}`,
      value: quantile(rates, 0.5),
      unit: '',
      goal: 0.97,
      more: true,
    },
    {
      name: `p99 with archiving, of that without, ${where}`,
      value: quantile(tails, 0.5),
      unit: '',
      goal: 1.05,
    },
  ];
}

/** Seconds from an operation's execution until it is in the bucket, as the engine tells both, under small requests. */
async function lagRow(engine: TestEngine, client: Client): Promise<Row> {
  const source = batches('plain', 1, accountCount);
  const until = performance.now() + seconds * 1_000;
  const waiting: { readonly op: number; readonly atMs: number }[] = [];
  const lags: number[] = [];
  const looks = new AbortController();
  const looking = (async () => {
    while (!looks.signal.aborted) {
      const { op, archive } = await engine.status();
      const atMs = performance.now();
      if (op > (waiting.at(-1)?.op ?? 0)) waiting.push({ op, atMs });
      while ((waiting[0]?.op ?? Infinity) <= (archive?.archivedOp ?? 0))
        lags.push((atMs - (waiting.shift()?.atMs ?? 0)) / 1_000);
      await sleep(20);
    }
  })();
  while (performance.now() < until) {
    const { body, bodyChecksum } = source();
    await client.submit(Operation.createTransfers, body, { bodyChecksum });
    await sleep(5);
  }
  await archivedAll(engine);
  looks.abort();
  await looking;
  return {
    name: 'from execution until it is in the bucket, p99',
    value: quantile(lags, 0.99),
    unit: 's',
    goal: rpoSeconds + 1,
  };
}

/** A restore from the log alone, whose first operation is the database's. */
async function replayRow(
  engine: TestEngine,
  store: readonly string[],
  folder: string,
): Promise<Row> {
  const { op, transfers: replayed } = await engine.status();
  const where = ['--cluster=9', '--replica=0', '--replica-count=1', join(folder, 'replayed')];
  const restore = ['restore-backup', ...store, `--to-op=${op}`, ...where];
  const ms = await timed(() => mustRun(engineProgram, restore, { timeoutMs: 1_800_000 }));
  return {
    name: `restored from the log alone, ${accountCount.toLocaleString('en')} accounts`,
    value: (replayed / ms) * 1_000,
    unit: 'transfers/s',
    goal: 400_000,
    more: true,
  };
}

async function backupRows(
  engine: TestEngine,
  store: readonly string[],
  folder: string,
): Promise<Row[]> {
  const took = async (work: () => Promise<unknown>) => (await timed(work)) / 1_000;
  const backUp = (id: string) =>
    mustRun(
      engineProgram,
      [
        'backup',
        ...store,
        `--id=${id}`,
        `--status-address=127.0.0.1:${engine.statusPort}`,
        engine.path,
      ],
      { timeoutMs: 1_800_000 },
    );
  const first = await took(() => backUp('first'));
  const second = await took(() => backUp('second'));
  const where = ['--cluster=9', '--replica=0', '--replica-count=1'];
  const to = join(folder, 'replica.ledger');
  let restored: TestEngine | undefined;
  const all = await took(async () => {
    const restore = ['restore-backup', ...store, '--backup=second', ...where, to];
    await mustRun(engineProgram, restore, { timeoutMs: 1_800_000 });
    restored = await TestEngine.open(folder);
  });
  await restored?.end('SIGTERM');
  const of = `${transfers.toLocaleString('en')} transfers`;
  return [
    { name: `first backup of ${of}`, value: first, unit: 's', goal: 15 },
    { name: 'the next backup', value: second, unit: 's', goal: 2 },
    { name: 'restored, and the engine answers', value: all, unit: 's', goal: 60 },
  ];
}

/** Lets the processes run on these processors only: in a cluster, archiver and store have their own. */
function runOn(pids: readonly number[], processors: readonly number[]): void {
  for (const pid of pids)
    execFileSync('taskset', ['-acp', processors.join(','), String(pid)], { stdio: 'ignore' });
}

const server = await S3Server.start();
const folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-bench-'));
const archivedEngine = await TestEngine.create({ flags: ['--archive'] });
const plainEngine = await TestEngine.create();
const store = server.flags('db_bench');
// As in its pod: compiled, with its own heap.
const program = [
  process.execPath,
  ...archiverFlags,
  join(checkout, 'dist/engine/main.js'),
] as const;
const env = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '262144',
  [dataFileVariable]: archivedEngine.path,
};
const archiver = new TestArchiver({ engine: archivedEngine, store, rpoSeconds, program, env });
archiver.start();
try {
  const archived = await ledgerOf(archivedEngine);
  const plain = await ledgerOf(plainEngine);
  const began = loadavg()[0];
  const rows: Row[] = [];
  const processors = Array.from({ length: availableParallelism() }, (_, at) => at);
  if (processors.length > 1) {
    const engines = [process.pid, archivedEngine.pid, plainEngine.pid];
    const others = [archiver.pid, server.pid];
    runOn(engines, [0]);
    runOn(others, [1]);
    rows.push(...(await costRows(archivedEngine, archived, plain, 'archiver and store apart')));
    runOn([...engines, ...others], processors);
  }
  rows.push(...(await costRows(archivedEngine, archived, plain, 'all together')));
  plain.close();
  await plainEngine.dispose();
  rows.push(await lagRow(archivedEngine, archived));
  const done = (processors.length > 1 ? 2 : 1) * turns * batchesOfATurn;
  await load(archived, Math.max(0, Math.ceil(transfers / batchSize) - done));
  await archivedAll(archivedEngine);
  rows.push({
    name: 'memory of the archiver, at most',
    value: memoryOf(archiver.pid).peakMib,
    unit: 'MiB',
    goal: 100,
  });
  archived.close();
  rows.push(await replayRow(archivedEngine, store, folder));
  rows.push(...(await backupRows(archivedEngine, store, folder)));
  report('archive', rows, { transfers, turns, load: [began, loadavg()[0]] });
} finally {
  await archiver.end('SIGKILL');
  await archivedEngine.dispose();
  await plainEngine.dispose();
  await server.dispose();
  rmSync(folder, { recursive: true, force: true });
}
