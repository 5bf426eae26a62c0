/**
 * `make bench-operator`: the operator with a fleet on fake nodes. Makes all databases at once, lets the fleet rest, makes
 * some more one by one, then ends the leader. A real control plane, controllers and scheduler; nodes, kubelets and volumes
 * are KWOK's, which never fail and take no time. Prints figures; never passes or fails by them.
 *
 * DATABASES=1000  TOPOLOGY=single|ha-3|ha-6  IDLE_SECONDS=600
 */
import { loadavg } from 'node:os';
import pino from 'pino';
import { Bench } from './bench.ts';
import { report } from './report.ts';
import { startWorld } from './world.ts';

const logger = pino({ base: null, level: 'warn' });
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (!stopping.signal.aborted) console.log(`${signal}: stopping`);
    stopping.abort(new Error(signal));
  });
}

try {
  await main();
} catch (error) {
  if (!stopping.signal.aborted) throw error;
  // What was waited for goes on waiting; all that it waited for is gone.
  process.exit(130);
}

async function main(): Promise<void> {
  const databases = count('DATABASES', 1_000);
  const idleSeconds = count('IDLE_SECONDS', 600);
  const topology = process.env['TOPOLOGY'] ?? 'single';
  const namespaces = Array.from({ length: 20 }, (_, index) => `org-${index}`);
  const loadBefore = loadavg();
  const world = await startWorld(namespaces);
  const bench = new Bench({ world, databases, idleSeconds, topology, namespaces, logger });
  try {
    const rows = await abortable(() => bench.run());
    report(rows, {
      at: new Date().toISOString(),
      databases,
      topology,
      idleSeconds,
      loadBefore,
      loadAfter: loadavg(),
    });
    console.log(
      `\n${databases} databases of topology ${topology}; load average ${shown(loadBefore)} before, ${shown(loadavg())} after.` +
        ' All of the control plane shares the machine with the operator.',
    );
  } finally {
    await bench.stop();
    await world.stop();
  }
}

/** Ends the wait, not what is waited for: that fails by itself when all is stopped. */
function abortable<T>(run: () => Promise<T>): Promise<T> {
  const { signal } = stopping;
  signal.throwIfAborted();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  return Promise.race([run(), aborted]);
}

function shown(load: readonly number[]): string {
  return load.map((one) => one.toFixed(1)).join(' ');
}

function count(name: string, fallback: number): number {
  const text = process.env[name] ?? String(fallback);
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new Error(`${name} is "${text}"; it is a number from 1`);
  return Number(text);
}
