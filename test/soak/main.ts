/**
 * One engine under adversarial clients, which all attack at once, beside a client that reads one account again and again:
 *
 *   node test/soak/main.ts [--minutes=5] [--seed=1] [--pod-mib=1024]
 *
 * The engine has the ledger's limit that it takes in a pod of that size, and runs under the pod's limit itself (pod.ts) where
 * this process has the rights for it. Prints figures, now and then and at the end, and exits with 1 if the process took more
 * than the pod has, was killed for it, ended, or let the reader wait for too long. Time that the engine or this process waited
 * for a processor is not the engine's (run-queue.ts): a busy machine proves nothing. SIGTERM ends it early, in good order.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { accountBatch, idsBatch } from '../../engine/commands/workload.ts';
import type { BuiltinStatus } from '../../domain/engine-status.ts';
import { ledgerMemoryLimit } from '../../domain/ledger-memory.ts';
import { ClientEvictedError } from '../../engine/client/errors.ts';
import { Operation } from '../../engine/wire/operations.ts';
import { TestEngine } from '../support/engine/engine.ts';
import { connectTo } from '../support/engine/ledger.ts';
import { crossedTransfers } from '../support/engine/long-lists.ts';
import { seeded } from '../support/prng.ts';
import { adversaries, type Target } from './adversaries.ts';
import { Pod } from './pod.ts';
import { queuedMs } from './run-queue.ts';

const BATCH = 8000;
const FIRST_BATCHES = 25;
/** Most time that a read may take, without the time in which nobody gave the engine or this process a processor. */
const WAIT_MAX_MS = 30_000;
/** A read without an answer after this is a fault on a machine of any load. */
const ANSWER_MAX_MS = 600_000;
const READ_EVERY_MS = 100;
const TELL_EVERY_MS = 300_000;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
    'pod-mib': { type: 'string', default: '1024' },
  },
});
const [minutes, seed, podMib] = [
  Number(values.minutes),
  Number(values.seed),
  Number(values['pod-mib']),
];
const limitMib = Math.floor(ledgerMemoryLimit(podMib * 2 ** 20) / 2 ** 20);

const say = (text: string): boolean => process.stdout.write(`${text}\n`);

/** The most memory that the process ever had, in MiB. */
const peakMib = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

/**
 * The engine's status. A request is made anew when its connection ends: the server closes one that is silent for a few seconds,
 * which on a busy machine may be while the next request is on its way.
 */
async function statusOf(engine: TestEngine): Promise<BuiltinStatus> {
  const until = performance.now() + ANSWER_MAX_MS;
  for (;;) {
    try {
      return await engine.status();
    } catch (error) {
      if (!engine.isRunning || performance.now() > until) throw error;
      await sleep(READ_EVERY_MS);
    }
  }
}

async function main(): Promise<readonly string[]> {
  const pod = Pod.make(podMib * 2 ** 20);
  try {
    return await run(pod);
  } finally {
    pod?.remove();
  }
}

async function run(pod: Pod | undefined): Promise<readonly string[]> {
  let isTold = false;
  process.once('SIGTERM', () => (isTold = true));
  const create = () => TestEngine.create({ flags: [`--memory-limit=${limitMib}MiB`] });
  const engine = await (pod?.within(create) ?? create());
  const wrong: string[] = [];
  const beganAt = performance.now();
  const endsAt = beganAt + minutes * 60_000;
  const goesOn = (): boolean => performance.now() < endsAt && !isTold && wrong.length === 0;
  let polite = connectTo(engine.port, ANSWER_MAX_MS);
  try {
    await polite.submit(Operation.createAccounts, accountBatch(1, 2));
    for (let batch = 0; batch < FIRST_BATCHES; batch += 1)
      await polite.submit(Operation.createTransfers, crossedTransfers(1 + batch * BATCH, BATCH));
    const status = () => statusOf(engine);
    const acceptsWrites = async () => (await status()).acceptsWrites;
    const target: Target = { port: engine.port, random: seeded(seed), goesOn, acceptsWrites };
    const attacks = Object.entries(adversaries).map(([name, attack]) =>
      attack(target).catch((error: unknown) => void wrong.push(`${name}: ${String(error)}`)),
    );
    const reads = { count: 0, longestMs: 0, longestWithQueueMs: 0, evictions: 0 };
    const refused = (error: unknown): void => {
      if (!(error instanceof ClientEvictedError))
        return void wrong.push(`a polite read: ${String(error)}`);
      // There are 64 sessions, and who writes nothing is the first to go when another client registers.
      reads.evictions += 1;
      polite.close();
      polite = connectTo(engine.port, ANSWER_MAX_MS);
    };
    let peak = 0;
    const figures = async (): Promise<string> => {
      const { transfers, memory, acceptsWrites: takes, warnings } = await status();
      const used = ((memory.usedBytes / memory.limitBytes) * 100).toFixed(0);
      return `${((performance.now() - beganAt) / 60_000).toFixed(1)} minutes, seed ${seed}, ${pod === undefined ? 'without the rights for a limit by the kernel' : 'under a limit by the kernel'}: ${peak.toFixed(0)} of ${podMib} MiB at most; ${transfers} transfers, the ledger ${used} % full${takes ? '' : ` (${warnings.join(', ')})`}; ${reads.count} polite reads, the longest took ${reads.longestMs.toFixed(0)} ms (${reads.longestWithQueueMs.toFixed(0)} ms with the time that processes waited for a processor), ${reads.evictions} sessions lost to others`;
    };
    const queued = () => ({ engine: queuedMs(engine.pid), reader: queuedMs(process.pid) });
    let toldAt = beganAt;
    while (goesOn()) {
      const [sentAtMs, before] = [performance.now(), queued()];
      await polite.submit(Operation.lookupAccounts, idsBatch([1])).catch(refused);
      const tookMs = performance.now() - sentAtMs;
      const after = queued();
      // Both may have waited at the same time, so the shorter wait is not taken off, too.
      const waitedMs = Math.max(after.engine - before.engine, after.reader - before.reader);
      const ownMs = Math.max(0, tookMs - waitedMs);
      reads.count += 1;
      reads.longestMs = Math.max(reads.longestMs, ownMs);
      reads.longestWithQueueMs = Math.max(reads.longestWithQueueMs, tookMs);
      if (ownMs > WAIT_MAX_MS) wrong.push(`a polite read took ${ownMs.toFixed(0)} ms`);
      peak = Math.max(peak, peakMib(engine.pid));
      if (peak > podMib) wrong.push(`the engine took ${peak.toFixed(0)} of ${podMib} MiB`);
      if (performance.now() - toldAt > TELL_EVERY_MS) {
        say(await figures());
        toldAt = performance.now();
      }
      await sleep(READ_EVERY_MS);
    }
    await Promise.all(attacks);
    say(await figures());
    if ((await engine.end('SIGTERM')) !== 0) wrong.push('the engine did not end in good order');
  } catch (error) {
    wrong.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    polite.close();
    await engine.dispose();
    if (pod !== undefined && pod.kills > 0) wrong.push('the kernel killed it at the limit');
  }
  return wrong;
}

const wrong = await main();
for (const each of wrong) say(`WRONG: ${each}`);
say(wrong.length === 0 ? 'the limit held' : `${wrong.length} faults`);
process.exit(wrong.length === 0 ? 0 : 1);
