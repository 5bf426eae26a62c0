/**
 * One organization's lookups while others misbehave: 300 callers without a credential hold half-sent compressed bodies, and
 * another organization asks for ten times its limit. Quiet and disturbed stretches take turns in one run, so that other work on
 * the machine meets both. Prints figures; never passes or fails by them. Needs compiled code (`make build`).
 *
 * SECONDS=8 of each stretch  TURNS=2 of both
 */
import { loadavg } from 'node:os';
import { abortable, runInterruptible } from '../support/interruption.ts';
import { memoryOf } from '../support/process-figures.ts';
import { percentile, report, type Row } from '../support/report.ts';
import { count } from '../support/settings.ts';
import { LoadProcess } from './load-process.ts';
import { SlowBodies } from './slow-bodies.ts';
import { startWorld, type Tenant, type World } from './world.ts';
import type { Outcome, Workload } from './workload.ts';

const seconds = count('SECONDS', 8);
const turns = count('TURNS', 2);
/** Ledger requests of an organization in a second. */
const limit = 200;
const slowConnections = 300;
/** Not measured. */
const secondsMin = 3;

await runInterruptible(async () => {
  const loadBefore = loadavg();
  const world = await startWorld({
    limits: { LEDGER_REQUESTS_PER_SECOND: String(limit) },
    tenants: 2,
  });
  try {
    const rows = await abortable(() => measure(world));
    report('api-shares', rows, { at: new Date().toISOString(), seconds, turns, loadBefore });
  } finally {
    await world.stop();
  }
});

async function measure(world: World): Promise<readonly Row[]> {
  const [quietOne, busyOne] = world.tenants;
  if (quietOne === undefined || busyOne === undefined) throw new Error('there are two tenants');
  const quiet: number[] = [];
  const disturbed: number[] = [];
  const crowd: Outcome[] = [];
  let slowOpened = 0;
  for (let turn = 1; turn <= turns; turn += 1) {
    console.log(`turn ${turn} of ${turns}: quiet`);
    quiet.push(...(await lookups(world, quietOne)).times);
    console.log(`turn ${turn} of ${turns}: disturbed`);
    const slow = new SlowBodies(world.api.url, slowConnections);
    const over = crowdOf(world, busyOne);
    try {
      disturbed.push(...(await lookups(world, quietOne)).times);
      crowd.push(await over.outcome());
    } finally {
      slow.stop();
      await over.stop();
    }
    slowOpened += slow.opened;
  }
  const ms = (name: string, times: readonly number[], p: number): Row => ({
    name: `lookup_accounts of one, ${name}: p${100 * p}`,
    value: percentile(times, p),
    unit: 'ms',
  });
  const sum = (of: (outcome: Outcome) => number) => crowd.reduce((all, one) => all + of(one), 0);
  return [
    ms('quiet', quiet, 0.5),
    ms('quiet', quiet, 0.99),
    ms('disturbed', disturbed, 0.5),
    ms('disturbed', disturbed, 0.99),
    {
      name: 'p99, disturbed by quiet',
      value: percentile(disturbed, 0.99) / percentile(quiet, 0.99),
      unit: 'times',
      goal: 3,
    },
    {
      name: `the other organization's requests (limit ${limit}/s)`,
      value: sum(({ times }) => times.length) / sum((one) => one.seconds),
      unit: '/s',
    },
    {
      name: 'of them refused',
      value: (100 * sum(({ refused }) => refused)) / sum(({ times }) => times.length),
      unit: '%',
    },
    { name: 'slow connections made', value: slowOpened, unit: '' },
    { name: 'most memory of the API', value: memoryOf(world.api.pid).peakMib, unit: 'MiB' },
  ];
}

/** Half of the limit, at an even pace. */
async function lookups(world: World, tenant: Tenant): Promise<Outcome> {
  const perSecond = limit / 2;
  const load = new LoadProcess(
    { ...workloadOf(world, tenant, perSecond), connections: 4, seconds },
    () => {},
  );
  try {
    return await load.outcome();
  } finally {
    await load.stop();
  }
}

/** Ten times the limit; it goes on for as long as the lookups beside it. */
function crowdOf(world: World, tenant: Tenant): LoadProcess {
  return new LoadProcess(
    {
      ...workloadOf(world, tenant, 10 * limit),
      connections: 64,
      seconds: seconds + secondsMin,
      isOverLimit: true,
    },
    () => {},
  );
}

function workloadOf(
  { api }: World,
  { apiKey, databaseId }: Tenant,
  perSecond: number,
): Omit<Workload, 'connections' | 'seconds'> {
  return {
    url: api.url,
    path: `/api/v1/databases/${databaseId}/tb/lookup_accounts`,
    apiKey,
    kind: 'lookups',
    events: 1,
    perSecond,
    warmUp: { requests: 1, secondsMin, secondsMax: secondsMin },
    bodiesMax: perSecond * (3 * secondsMin + seconds),
  };
}
