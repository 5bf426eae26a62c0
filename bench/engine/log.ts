/**
 * The file log alone: time of a durable append, the same while checkpoints are written, time to start again with a
 * checkpoint and a log to read. Results as JSON lines.
 *
 *   node bench/engine/log.ts [--folder=FOLDER] [--checkpoint-mib=1440]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Checkpointed, Section } from '../../engine/ledger/checkpoint.ts';
import { FileLog } from '../../engine/log/file-log.ts';
import { formatDataFile } from '../../engine/log/format-file.ts';

const { values } = parseArgs({
  options: {
    folder: { type: 'string', default: tmpdir() },
    'checkpoint-mib': { type: 'string', default: '1440' },
  },
});
const MIB = 1 << 20;
const ROW = 144;
const release = (17 << 8) | 9;

/** An append-only table of rows that are all alike; loading reads every byte and keeps none. */
class Table implements Checkpointed {
  rows = 0;
  #given = 0;
  readonly #chunk = new Uint8Array(Math.floor(MIB / ROW) * ROW).fill(0x5a);

  takeDelta(): readonly Section[] {
    const firstRow = this.#given;
    const rowCount = this.rows - firstRow;
    this.#given = this.rows;
    return [
      { kind: 1, table: 2, rowSize: ROW, firstRow, rowCount, chunks: this.#chunks(rowCount * ROW) },
    ];
  }

  *#chunks(bytes: number): Generator<Uint8Array> {
    for (let rest = bytes; rest > 0; rest -= this.#chunk.length) {
      yield this.#chunk.subarray(0, Math.min(rest, this.#chunk.length));
    }
  }

  stored(): void {
    // Nothing leaves memory.
  }

  async loadSection(_head: unknown, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const chunk of chunks) this.rows += chunk.length / ROW;
  }

  async finishLoad(): Promise<void> {
    this.#given = Math.round(this.rows);
  }
}

const folder = mkdtempSync(join(values.folder, 'ledger-bench-log-'));
const path = join(folder, '0_0.ledger');
const onFailure = (error: Error): never => {
  throw error;
};
let op = 0;
let log: FileLog;

async function open(state: Table): Promise<number> {
  const start = performance.now();
  log = await FileLog.open({ path, release, onFailure });
  await log.recover(state, (entry) => void (op = entry.op));
  return performance.now() - start;
}

function append(message: Uint8Array): Promise<void> {
  op += 1;
  return new Promise((resolve) => {
    log.append({ op, timestamp: BigInt(op), view: 0, message }, resolve);
  });
}

function checkpoint(state: Table): Promise<unknown> {
  return log.checkpoint(state, {
    op,
    timestamp: BigInt(op),
    view: 0,
    stateHash: new Uint8Array(16),
  });
}

/** Appends one after another; `rows` of the table come with each. */
async function measure(
  name: string,
  options: { size: number; count: number; rows: number; state: Table },
): Promise<void> {
  const message = new Uint8Array(options.size).fill(0xa5);
  const samples: number[] = [];
  let running: Promise<unknown> | undefined;
  let checkpoints = 0;
  const started = performance.now();
  for (let index = 0; index < options.count; index += 1) {
    const start = performance.now();
    await append(message);
    samples.push(performance.now() - start);
    options.state.rows += options.rows;
    if (running || log.logBytesSinceCheckpoint < log.checkpointAfterBytes) continue;
    checkpoints += 1;
    running = checkpoint(options.state).finally(() => (running = undefined));
  }
  await running;
  const seconds = (performance.now() - started) / 1000;
  samples.sort((a, b) => a - b);
  report(name, {
    size: options.size,
    p50Ms: samples[samples.length >> 1]!,
    p99Ms: samples[Math.floor(samples.length * 0.99)]!,
    maxMs: samples[samples.length - 1]!,
    mibPerSecond: (options.size * options.count) / MIB / seconds,
    checkpoints,
  });
}

function report(name: string, fields: Record<string, number>): void {
  const rounded = Object.entries(fields).map(([key, value]) => [key, Number(value.toFixed(3))]);
  console.log(JSON.stringify({ benchmark: name, ...Object.fromEntries(rounded) }));
}

try {
  let start = performance.now();
  await formatDataFile({
    path,
    identity: { clusterId: 0n, replicaIndex: 0, replicaCount: 1 },
    release,
  });
  report('format', { ms: performance.now() - start });
  const state = new Table();
  await open(state);
  await measure('append', { size: 640, count: 2000, rows: 1, state });
  await measure('append', { size: MIB, count: 60, rows: 8189, state });
  await measure('append while checkpoints run', { size: MIB, count: 800, rows: 8189, state });
  const target = Math.floor((Number(values['checkpoint-mib']) * MIB) / ROW);
  const missing = Math.max(0, target - state.rows);
  state.rows += missing;
  start = performance.now();
  await append(new Uint8Array(256));
  await checkpoint(state);
  const seconds = (performance.now() - start) / 1000;
  report('checkpoint', { mib: (missing * ROW) / MIB, seconds });
  for (let index = 0; index < 96; index += 1) await append(new Uint8Array(MIB).fill(1));
  await log!.close();
  report('start', { ms: await open(new Table()), mib: (state.rows * ROW) / MIB, logMib: 96 });
  await log!.close();
} finally {
  rmSync(folder, { recursive: true });
}
