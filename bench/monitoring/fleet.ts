/** One worker collects many databases: time of a round, processor and memory of its process. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { sampleMs } from '../../api/store/metric-samples.ts';
import { updateDatabase } from '../../api/store/databases.ts';
import type { ObservedDatabase } from '../../api/store/database-record.ts';
import type { Organization } from '../../api/store/organizations.ts';
import type { Store } from '../../api/store/store.ts';
import { makeDatabase, tester } from '../../test/support/api/store.ts';
import { eventually } from '../../test/support/shell.ts';
import { cpuSecondsOf, memoryOf } from '../support/process-figures.ts';
import type { Row } from '../support/report.ts';
import { workerFlags } from '../support/shipped-program.ts';
import type { Collecting } from './collecting.ts';
import type { Said } from './fake-engines.ts';

interface FleetOptions {
  readonly store: Store;
  readonly storeUrl: string;
  readonly organization: Organization;
  readonly databases: number;
  readonly rounds: number;
  readonly said: Said;
}

/** Makes databases whose cluster IDs are their numbers, at addresses with their numbers as ports. */
async function makeFleet({ store, organization, databases }: FleetOptions): Promise<void> {
  for (let number = 1; number <= databases; number += 1) {
    const { id } = await makeDatabase(store, organization, `fleet-${number}`);
    const observed = { addresses: [`127.0.0.1:${number}`], nodes: [] };
    await store.change(tester, (change) =>
      updateDatabase(change, id, {
        status: 'READY',
        clusterId: String(number),
        observed: observed as unknown as ObservedDatabase,
      }),
    );
  }
}

export async function fleetRows(options: FleetOptions): Promise<readonly Row[]> {
  const { store, storeUrl, databases, rounds, said } = options;
  await makeFleet(options);
  const engines = child('fake-engines.ts');
  const collecting = child('collecting.ts', workerFlags());
  try {
    engines.send(said);
    const [port] = (await once(engines, 'message')) as [number];
    const begin: Collecting = { store: storeUrl, engines: `http://127.0.0.1:${port}` };
    collecting.send(begin);
    await once(collecting, 'message');
    await eventually('the second round is written', async () =>
      (await roundsOf(store)).length >= 2 ? true : undefined,
    );
    // From the middle between two rounds on, so that whole rounds are measured.
    await sleep(sampleMs / 2);
    const pid = collecting.pid ?? 0;
    const cpuBefore = cpuSecondsOf(pid);
    const before = performance.now();
    await sleep(rounds * sampleMs);
    const seconds = (performance.now() - before) / 1_000;
    const cores = (cpuSecondsOf(pid) - cpuBefore) / seconds;
    const measured = (await roundsOf(store)).slice(2, 2 + rounds);
    const memory = memoryOf(pid);
    const least = Math.min(...measured.map(({ answered }) => answered));
    return [
      row(`${databases} databases: processor of the collector`, cores, 'cores', 0.5),
      row('memory of its process', memory.residentMib, 'MiB', 300),
      { name: 'its peak', value: memory.peakMib, unit: 'MiB' },
      row('length of a round, longest', Math.max(...measured.map((one) => one.seconds)), 's', 15),
      {
        name: 'databases that a round heard, fewest',
        value: least,
        unit: '',
        goal: databases,
        more: true,
      },
    ];
  } finally {
    for (const process of [collecting, engines]) await end(process);
  }
}

const row = (name: string, value: number, unit: string, goal: number): Row => ({
  name,
  value,
  unit,
  goal,
});

function child(file: string, flags: readonly string[] = []): ChildProcess {
  const execArgv = [...process.execArgv, ...flags];
  return fork(fileURLToPath(new URL(file, import.meta.url)), { stdio: 'inherit', execArgv });
}

async function end(process: ChildProcess): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return;
  const ended = once(process, 'exit');
  process.kill('SIGKILL');
  await ended;
}

/** Rounds in the store: how many databases answered, and when the last row was committed, after the round's time. */
async function roundsOf(store: Store) {
  const { rows } = await sql<{ answered: number; seconds: number }>`
    SELECT count(*) FILTER (WHERE readings[1] = 1)::int AS answered,
      extract(epoch FROM max(pg_xact_commit_timestamp(xmin)) - at)::float8 AS seconds
    FROM metric_samples GROUP BY at ORDER BY at
  `.execute(store.read);
  return rows;
}
