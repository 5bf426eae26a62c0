/**
 * A load generator: a separate process, so that its cost is not counted as the API's. Its first argument is the workload. Each
 * answer is read completely and checked: one that is not a success ends the measurement.
 */
import { Pool } from 'undici';
import { sleep, systemTimers } from '../../base/timers.ts';
import { accountCount, bodyOf, transferBodies } from './codec-bodies.ts';
import type { Outcome, Told, Workload } from './workload.ts';

const workload = JSON.parse(process.argv[2] ?? '{}') as Workload;
const method = workload.kind === 'reads' ? 'GET' : 'POST';
const headers = { 'x-api-key': workload.apiKey, 'content-type': 'application/json' };
/** Text that a complete success contains. */
const proof = {
  transfers: `{"created":${workload.events},"exists":0,"failed":0}`,
  lookups: '"missing":[]',
  reads: '"status":"READY"',
}[workload.kind];

/** Sends a message. `then`: called when it is on its way. */
const tell = (told: Told, then?: () => void) => process.send?.(told, undefined, undefined, then);

function bodyMaker(): () => Uint8Array | undefined {
  switch (workload.kind) {
    case 'transfers':
      return transferBodies(workload.events);
    case 'lookups':
      return () =>
        bodyOf(
          Array.from({ length: workload.events }, () =>
            String(1 + Math.floor(Math.random() * accountCount)),
          ),
        );
    case 'reads':
      return () => undefined;
    default:
      throw new Error('no such kind of workload');
  }
}

async function main(): Promise<Outcome> {
  const bodies = Array.from({ length: workload.bodiesMax }, bodyMaker());
  const pool = new Pool(workload.url, { connections: workload.connections, pipelining: 1 });
  const beganMs = performance.now();
  const times: number[] = [];
  let refused = 0;
  let measuredFromMs: number | undefined;
  let lastMs = 0;
  let at = 0;
  let done = 0;
  await Promise.all(
    Array.from({ length: workload.connections }, async (_, connection) => {
      for (let turn = 0; at < bodies.length; turn += 1) {
        await due(beganMs, connection, turn);
        const sentMs = performance.now();
        if (measuredFromMs !== undefined && sentMs - measuredFromMs > workload.seconds * 1_000) {
          return;
        }
        const body = bodies[at];
        at += 1;
        const isRefused = await once(pool, body);
        done += 1;
        const doneMs = performance.now();
        if (measuredFromMs === undefined) {
          if (!isWarm(doneMs - beganMs, done)) continue;
          measuredFromMs = doneMs;
          tell({ kind: 'measuring' });
        } else if (sentMs >= measuredFromMs) {
          times.push(doneMs - sentMs);
          if (isRefused) refused += 1;
          lastMs = doneMs;
        }
      }
    }),
  );
  await pool.close();
  // The measurement ends early when the bodies are used up.
  return { seconds: (lastMs - (measuredFromMs ?? 0)) / 1_000, times, refused };
}

function isWarm(forMs: number, requests: number): boolean {
  const { warmUp } = workload;
  if (forMs < warmUp.secondsMin * 1_000) return false;
  return requests >= warmUp.requests || forMs >= warmUp.secondsMax * 1_000;
}

/** Resolves when a connection's request has its place in the pace; at once without one, or behind it. */
async function due(beganMs: number, connection: number, turn: number): Promise<void> {
  const { perSecond, connections } = workload;
  if (perSecond === undefined) return;
  const inMs =
    beganMs + ((turn * connections + connection) * 1_000) / perSecond - performance.now();
  if (inMs > 0) await sleep(systemTimers, inMs);
}

/** Sends one request. Resolves with whether it was refused because of the rate limit. */
async function once(pool: Pool, body: Uint8Array | undefined): Promise<boolean> {
  const answer = await pool.request({ method, path: workload.path, headers, body: body ?? null });
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  if (answer.statusCode === 200 && bytes.includes(proof)) return false;
  if (answer.statusCode === 429 && workload.isOverLimit) return true;
  throw new Error(`${answer.statusCode}: ${bytes.toString().slice(0, 500)}`);
}

const end = () => process.disconnect();
try {
  tell({ kind: 'done', outcome: await main() }, end);
} catch (error) {
  const why = error instanceof Error ? (error.stack ?? error.message) : 'unknown';
  tell({ kind: 'failed', why }, end);
}
