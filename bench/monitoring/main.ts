/**
 * Monitoring: one worker that collects many databases on fake engines, the size of a day of figures, queries of 24 hours, and
 * what collecting costs an engine. `DATABASES`, `ROUNDS` of 15 s, `SECONDS` of each of 2 × `TURNS` turns, and
 * `HOURS` of the day that are written.
 */
import { loadavg } from 'node:os';
import { keepPartitions } from '../../api/store/metric-rollups.ts';
import { TestPostgres } from '../../test/support/api/postgres.ts';
import { openTestStore } from '../../test/support/api/store.ts';
import { abortable, runInterruptible } from '../support/interruption.ts';
import { report, shownLoad } from '../support/report.ts';
import { count } from '../support/settings.ts';
import { busyEngine, costRows, saidBy } from './cost.ts';
import { dayRows } from './day.ts';
import { fleetRows } from './fleet.ts';

const databases = count('DATABASES', 1_000);
const rounds = count('ROUNDS', 4);
const seconds = count('SECONDS', 15);
const turns = count('TURNS', 4);
const hours = count('HOURS', 24);

async function main(): Promise<void> {
  const load = loadavg();
  const { engine, client } = await busyEngine();
  const postgres = await TestPostgres.create({
    settings: { track_commit_timestamp: 'on', shared_buffers: '128MB' },
  });
  const { store, organization, url } = await openTestStore(postgres);
  try {
    await keepPartitions(store.read, new Date());
    const said = await saidBy(engine);
    const fleet = { store, storeUrl: url, organization, databases, rounds, said };
    const rows = [
      ...(await abortable(() => costRows({ engine, client, seconds, turns }))),
      ...(await abortable(() => fleetRows(fleet))),
      ...(await abortable(() => dayRows({ store, organization, hours }))),
    ];
    report('monitoring', rows, { load, databases, rounds, seconds, turns, hours });
    console.log(`load before: ${shownLoad(load)}; all on this machine, PostgreSQL too`);
  } finally {
    client.close();
    await engine.dispose();
    await store.close();
    await postgres.remove();
  }
}

await runInterruptible(main);
