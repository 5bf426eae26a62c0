/**
 * `node bench/api/codec.ts`: the ledger route without HTTP. The codec alone, beside what the platform's parser takes for the same
 * body; then through the gateway to a real engine process on this machine. Prints a table and appends JSON lines to
 * bench/results/.
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import { decodeRequest, type LedgerRequest } from '../../api/ledger/decode.ts';
import { encodeReply } from '../../api/ledger/encode.ts';
import { ledgerOperations, type LedgerOperationName } from '../../api/ledger/operations.ts';
import { Gateway } from '../../api/gateway/gateway.ts';
import { runOperation } from '../../api/gateway/run-operation.ts';
import { MetricRegistry } from '../../base/metrics/metrics.ts';
import { TestEngine } from '../../test/support/engine/engine.ts';
import { checkout } from '../../test/support/shell.ts';
import { percentile } from '../support/report.ts';
import { accountCount, bodyOf, reviverRows, transferBodies } from './codec-bodies.ts';

const batchSize = 8189;
const secondsEach = Number(process.env['SECONDS'] ?? '5');

interface Row {
  readonly name: string;
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Processor time of this process for one event, in microseconds. It does not depend on other users of the machine. */
  readonly cpuMicros: number;
  readonly goal: string;
}

const execution = () => ({ requestId: 'req_0123456789', databaseId: 'db_0123456789' });

async function main(): Promise<void> {
  const rows: Row[] = codecRows();
  const engine = await TestEngine.create();
  const gateway = new Gateway({
    logger: pino({ level: 'silent' }),
    registry: new MetricRegistry(),
  });
  try {
    const target = {
      databaseId: 'db_bench',
      cluster: 0n,
      version: 0,
      addresses: [{ host: '127.0.0.1', port: engine.port }],
    };
    const context = {
      target,
      owner: 'org_0123456789',
      requestId: 'req_0123456789',
      engine: 'Builtin',
      engineVersion: '0.1.0',
      streams: false,
      format: 'json' as const,
    };
    const run = async (name: LedgerOperationName, body: Uint8Array) => {
      const answer = await runOperation(gateway, ledgerOperations[name], body, context);
      if (!answer.ok) throw new Error(JSON.stringify(answer.problem));
      return answer;
    };
    await run(
      'create_accounts',
      bodyOf(Array.from({ length: accountCount }, (_, i) => ({ id: i + 1, ledger: 1, code: 1 }))),
    );
    const batch = transferBodies(batchSize);
    rows.push(
      await measured(
        'create_transfers, 8,189 a request, 4 in flight',
        '≥ 100,000/s',
        4,
        batchSize,
        batch,
        (body) => run('create_transfers', body),
      ),
    );
    rows.push(
      await measured(
        'create_transfers, 1 a request, 64 in flight',
        '≥ 3,000/s',
        64,
        1,
        transferBodies(1),
        (body) => run('create_transfers', body),
      ),
    );
    const one = () => bodyOf([1 + Math.floor(Math.random() * accountCount)]);
    rows.push(
      await measured('lookup_accounts of one, 16 in flight', '≤ 3 / 15 ms', 16, 1, one, (body) =>
        run('lookup_accounts', body),
      ),
    );
    const query = () => bodyOf({ limit: 8189 });
    rows.push(
      await measured('query_transfers of 8,189, 1 in flight', '', 1, batchSize, query, (body) =>
        run('query_transfers', body),
      ),
    );
  } finally {
    gateway.close();
    await engine.dispose();
  }
  report(rows);
}

function codecRows(): Row[] {
  const body = transferBodies(batchSize)();
  const request = decoded(body);
  const results = new Uint8Array(batchSize * 16);
  const view = new DataView(results.buffer);
  for (let i = 0; i < batchSize; i += 1) {
    view.setBigUint64(i * 16, 1_745_328_372_758_695_656n + BigInt(i), true);
    view.setUint32(i * 16 + 8, 0xffff_ffff, true);
  }
  const query = decodeRequest(ledgerOperations.query_transfers, bodyOf({ limit: 8189 }));
  if (!query.ok) throw new Error(query.problem.detail);
  const options = { execution, format: 'json' as const };
  return [
    repeated('decode 8,189 transfers', () => decoded(body)),
    repeated('the same by JSON.parse with a reviver and BigInt', () => reviverRows(body)),
    repeated('encode 8,189 statuses', () => encodeReply(request, results, options)),
    repeated('encode 8,189 transfers', () => encodeReply(query.request, request.events, options)),
  ];
}

function decoded(body: Uint8Array): LedgerRequest {
  const result = decodeRequest(ledgerOperations.create_transfers, body);
  if (!result.ok) throw new Error(result.problem.detail);
  return result.request;
}

function repeated(name: string, work: () => unknown): Row {
  for (let i = 0; i < 10; i += 1) work();
  const times: number[] = [];
  const cpuBefore = process.cpuUsage();
  for (let i = 0; i < 40; i += 1) {
    const started = performance.now();
    work();
    times.push(performance.now() - started);
  }
  const seconds = times.reduce((sum, time) => sum + time, 0) / 1_000;
  return {
    name,
    goal: '',
    ...percentiles(times),
    cpuMicros: cpuSince(cpuBefore) / (times.length * batchSize),
    perSecond: Math.round((times.length * batchSize) / seconds),
  };
}

/** `inFlight` callers, each with one request at a time. */
async function measured(
  name: string,
  goal: string,
  inFlight: number,
  events: number,
  next: () => Uint8Array,
  run: (body: Uint8Array) => Promise<unknown>,
): Promise<Row> {
  // Bodies are made before the clock runs; the engine refuses none of them, a repeated one is “exists”.
  const bodies = Array.from({ length: events === 1 ? 60_000 : 150 }, next);
  const times: number[] = [];
  let at = 0;
  const cpuBefore = process.cpuUsage();
  const started = performance.now();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (performance.now() - started < secondsEach * 1_000 && at < bodies.length) {
        const body = bodies[at] as Uint8Array;
        at += 1;
        const sent = performance.now();
        await run(body);
        times.push(performance.now() - sent);
      }
    }),
  );
  const seconds = (performance.now() - started) / 1_000;
  return {
    name,
    goal,
    ...percentiles(times),
    cpuMicros: cpuSince(cpuBefore) / (times.length * events),
    perSecond: Math.round((times.length * events) / seconds),
  };
}

function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

const percentiles = (times: readonly number[]) => ({
  p50: percentile(times, 0.5),
  p99: percentile(times, 0.99),
});

function report(rows: readonly Row[]): void {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: checkout })
    .toString()
    .trim();
  const at = new Date().toISOString();
  const folder = join(checkout, 'bench/results');
  mkdirSync(folder, { recursive: true });
  for (const row of rows) {
    const cpu = `${row.cpuMicros.toFixed(2)} µs CPU`;
    const p = `${row.p50.toFixed(2)} / ${row.p99.toFixed(2)} ms`;
    console.log(
      `${row.name.padEnd(52)} ${row.perSecond.toLocaleString('en').padStart(12)}/s  ${p.padEnd(22)} ${cpu.padEnd(16)} ${row.goal}`,
    );
    appendFileSync(join(folder, 'api-codec.jsonl'), `${JSON.stringify({ at, commit, ...row })}\n`);
  }
}

await main();
