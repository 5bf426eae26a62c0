/**
 * `make bench-api`: the HTTP API as it is shipped, over the loopback, with a real engine process, PostgreSQL and Kubernetes
 * control plane behind it, and the load from a process of its own; all of them share the machine. Prints figures; never passes
 * or fails by them.
 *
 * SECONDS=8 of each workload  RUNS=1, each figure is their median  PROFILE=folder for a CPU profile of the API
 */
import { loadavg } from 'node:os';
import { abortable, runInterruptible } from '../support/interruption.ts';
import { percentile, report, shownLoad, type Row } from '../support/report.ts';
import { count } from '../support/settings.ts';
import { Bench } from './bench.ts';
import { startWorld } from './world.ts';

const seconds = count('SECONDS', 8);
const runs = count('RUNS', 1);
const profile = process.env['PROFILE'];

await runInterruptible(async () => {
  const all: (readonly Row[])[] = [];
  const loadBefore = loadavg();
  for (let run = 1; run <= runs; run += 1) {
    console.log(`run ${run} of ${runs}`);
    all.push(await once());
  }
  const circumstances = { at: new Date().toISOString(), seconds, runs, loadBefore };
  report('api', medians(all), { ...circumstances, loadAfter: loadavg() });
  console.log(
    `\nLoad average ${shownLoad(loadBefore)} before, ${shownLoad(loadavg())} after. ` +
      'API, engine, load, PostgreSQL and the control plane share the machine.',
  );
});

/** Everything is made anew, so that no run finds remains of the one before. */
async function once(): Promise<readonly Row[]> {
  const flags = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const world = await startWorld({ nodeFlags: flags });
  const bench = new Bench(world, seconds);
  try {
    return await abortable(() => bench.run());
  } finally {
    await bench.stop();
    await world.stop();
  }
}

/** Rows are in the same order in every run. */
function medians(all: readonly (readonly Row[])[]): readonly Row[] {
  const [first = []] = all;
  return first.map((row, index) => {
    const values = all.flatMap((rows) => rows[index]?.value ?? []);
    return { ...row, value: percentile(values, 0.5) };
  });
}
