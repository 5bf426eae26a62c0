/**
 * The operator dies before any of its writes, right after any, or never hears that one was done; another takes over. Whatever
 * the moment, what there is at the end is what an undisturbed operator leaves, and nothing was destroyed without its guard.
 *
 * Each history has several such moments, every third write from the first, second or third on, so that each index has its
 * turn; which of the three it is, is chosen by a seed (`CRASH_SEED=…` for the same ones again). `CRASH_ALL=1` plays, for each
 * index and each of the three, a history in which nothing else happens.
 */
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { annotations, catalogName } from '../../../domain/names.ts';
import { resources, type Claim, type Pod } from '../../../domain/kinds.ts';
import type { Kube, KubeObject } from '../../../base/kube/kube.ts';
import type { DatabaseSpec } from '../../../domain/custom-resources.ts';
import { identityOf, stateOf } from '../../support/operator/database-state.ts';
import { lifeOf, type Life } from '../../support/operator/dying-kube.ts';
import {
  startOperatorWorld,
  type Database,
  type OperatorWorld,
} from '../../support/operator/operator-world.ts';
import { engineSays } from '../../support/engine/engine-says.ts';
import { seeded } from '../../support/prng.ts';
import { eventually } from '../../support/shell.ts';
import { startTestOperator } from '../../support/operator/test-operator.ts';
import { WatchedWrites } from '../../support/operator/watched-writes.ts';

jest.setTimeout(45 * 60_000);

const seed = Number(process.env['CRASH_SEED'] ?? Date.now() % 1_000_000);
const everything = process.env['CRASH_ALL'] === '1';
/** Words of the scenarios' titles that are wanted; all when undefined. */
const only = process.env['CRASH_ONLY'];
/** Histories side by side. */
const lanes = 10;
const patienceMs = 15 * 60_000;

const name = 'payments';
const ways = ['dies before', 'dies after', 'does not hear of'] as const;
type Way = (typeof ways)[number];
/** From one such moment to the next. */
const spacing = 3;

/** One history's namespace, and what was seen of its databases. */
class Stage {
  readonly namespace: string;
  /** In the order in which they were made, as they were seen last. */
  readonly databases: Database[] = [];

  constructor(namespace: string) {
    this.namespace = namespace;
  }

  async create(spec: Partial<DatabaseSpec>): Promise<void> {
    this.databases.push(await world.createDatabase(this.namespace, name, spec));
  }

  async patch(spec: Partial<DatabaseSpec>): Promise<void> {
    await world.patchDatabase(this.namespace, name, { spec });
  }

  delete(): Promise<void> {
    return world.deleteDatabase(this.namespace, name);
  }

  /** A condition of the newest database holds for its newest spec, and no Job is left of what was done. */
  async until(type: string): Promise<void> {
    await eventually(
      `${this.namespace}: ${type}`,
      async () => {
        const database = await world.database(this.namespace, name);
        const row = database?.status?.conditions?.find((one) => one.type === type);
        const current = row?.observedGeneration === database?.metadata.generation;
        const jobs = await this.list(resources.job);
        if (database === undefined || row?.status !== 'True' || !current || jobs.length > 0) {
          throw new Error(JSON.stringify([database?.status?.conditions, jobs.length]));
        }
        this.databases[this.databases.length - 1] = database;
        return true;
      },
      patienceMs,
    );
  }

  async untilGone(claims: (all: readonly Claim[]) => boolean): Promise<void> {
    await eventually(
      `${this.namespace}: the database is gone`,
      async () => {
        const database = await world.database(this.namespace, name);
        const left = await this.list(resources.statefulSet);
        const pods = await this.list<Pod>(resources.pod);
        const volumes = await this.list<Claim>(resources.claim);
        const gone = database === undefined && left.length === 0 && pods.length === 0;
        if (gone && claims(volumes)) return true;
        throw new Error(JSON.stringify([database?.metadata, volumes.map((one) => one.metadata)]));
      },
      patienceMs,
    );
  }

  list<T extends KubeObject>(resource: (typeof resources)[keyof typeof resources]) {
    return world.kube.list<T>(resource, { namespace: this.namespace });
  }
}

interface Scenario {
  /** The part before it, with an operator that is not killed. */
  readonly before?: (stage: Stage) => Promise<void>;
  /** The part during which the operator is killed. */
  readonly play: (stage: Stage) => Promise<void>;
}

const tigerBeetle = { engine: 'TigerBeetle', topology: 'ha-3', size: 'lh-40' } as const;
const running =
  (spec: Partial<DatabaseSpec> = {}) =>
  async (stage: Stage) => {
    await stage.create(spec);
    await stage.until('Ready');
  };
const changed = (spec: Partial<DatabaseSpec>) => async (stage: Stage) => {
  await stage.patch(spec);
  await stage.until('Ready');
};
const isMarked = ({ metadata }: Claim) => metadata.annotations?.[annotations.purgeAt] !== undefined;
const retained = async (stage: Stage) => {
  await stage.delete();
  await stage.untilGone((volumes) => volumes.length > 0 && volumes.every(isMarked));
};

const scenarios: Readonly<Record<string, Scenario>> = {
  'a single database is created': { play: running() },
  'three replicas are created': { play: running(tigerBeetle) },
  'three replicas are upgraded': {
    before: running(tigerBeetle),
    play: changed({ version: '0.17.9' }),
  },
  'volumes grow': { before: running(), play: changed({ storage: { sizeGb: 3 } }) },
  'a database is suspended and resumed': {
    before: running(),
    async play(stage) {
      await stage.patch({ suspend: true });
      await stage.until('Suspended');
      await changed({ suspend: false })(stage);
    },
  },
  'a database is deleted and its volumes are kept': { before: running(), play: retained },
  'a database is deleted with its volumes': {
    before: running({ deletionPolicy: 'Delete' }),
    async play(stage) {
      await stage.delete();
      await stage.untilGone((volumes) => volumes.length === 0);
    },
  },
  'a database takes over the volumes of a deleted one': {
    async before(stage) {
      await running()(stage);
      await retained(stage);
    },
    async play(stage) {
      const databaseId = stage.databases[0]?.status?.databaseId ?? '';
      await running({ bootstrap: { volumes: { databaseId } } })(stage);
    },
  },
};

let world: OperatorWorld;
/** The outcome of each scenario: its summary, or its failure. */
const played = new Map<string, Promise<Summary>>();

beforeAll(async () => {
  world = await startOperatorWorld({ requestsPerSecond: 200 });
  await world.kube.apply(
    resources.storageClass,
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'ledgerhouse-network' },
      provisioner: 'test.ledgerhouse.dev/none',
      allowVolumeExpansion: true,
    } as unknown as KubeObject,
    { fieldManager: 'test', force: true },
  );
  // The catalog's own status is written once for all.
  const operator = await startOperator('default', (kube) => kube);
  await eventually('the status of the catalog', async () => {
    const reference = { resource: resources.catalog, name: catalogName };
    const catalog = await world.kube.read<KubeObject & { status?: object }>(reference);
    return catalog?.status;
  });
  await operator.stop();
  const inLane = lanesOf(lanes);
  for (const title of wanted) {
    const scenario = scenarios[title];
    if (scenario !== undefined) played.set(title, playAll(title, scenario, inLane));
  }
});
afterAll(async () => {
  await world?.stop();
});

const startOperator = (namespace: string, wrap: (kube: Kube) => Kube) =>
  startTestOperator({
    kubeConfig: world.kubeConfig,
    namespace,
    wrap,
    fetchStatus: () => engineStatus(namespace),
    // A replica that has just become ready counts as settled: the rollout's own test covers the wait.
    nowMs: () => Date.now() + 10_000,
  });

/** The engines switch to a release once all of them have it. */
async function engineStatus(namespace: string): Promise<unknown> {
  const pods = await world.kube.list<Pod>(resources.pod, { namespace });
  const images = pods.map((pod) => pod.spec?.containers[0]?.image);
  const release = images.every((image) => image === 'ledgerhouse/tigerbeetle:2')
    ? '0.17.9'
    : '0.17.8';
  return engineSays('TigerBeetle', release);
}

type State = Record<string, unknown>;

interface Played {
  readonly state: State;
  readonly writes: readonly string[];
  /** Promises that were broken on the way. */
  readonly violations: readonly string[];
}

/**
 * One history: the scenario under an operator of the first life, then under the next ones, each once the one before ended.
 * `wanted`: what it is to come to.
 */
async function play(
  scenario: Scenario,
  namespace: string,
  lives: Iterator<Life>,
  wanted?: State,
): Promise<Played> {
  await world.createNamespace(namespace);
  const stage = new Stage(namespace);
  const watched = new WatchedWrites(namespace, world.kube);
  if (scenario.before !== undefined) {
    const calm = await startOperator(namespace, (kube) => watched.wrap(kube));
    try {
      await scenario.before(stage);
    } finally {
      await calm.stop();
    }
  }
  const over = new AbortController();
  const before = watched.done.length;
  const succession = succeed(namespace, watched, lives, over.signal);
  try {
    // A succession that fails ends the history; otherwise it goes on until that is over.
    await Promise.race([scenario.play(stage), succession]);
    const state = await atRest(stage, watched, wanted);
    const jobs = world.kubelet.finishedJobs.filter((job) => job.startsWith(`${namespace}/`));
    const twice = jobs.filter((job, index) => jobs.indexOf(job) !== index);
    const violations = [...watched.violations, ...twice.map((job) => `${job} did its work twice`)];
    return { state, writes: watched.done.slice(before), violations };
  } finally {
    over.abort();
    await succession;
    await world.deleteNamespace(namespace);
  }
}

/** Operators, one after the other, until it is over. */
async function succeed(
  namespace: string,
  watched: WatchedWrites,
  lives: Iterator<Life>,
  over: AbortSignal,
): Promise<void> {
  while (!over.aborted) {
    const { value, done } = lives.next();
    const life = done === true ? lifeOf(Infinity) : value;
    const operator = await startOperator(namespace, (kube) => life.wrap(watched.wrap(kube)));
    while (!over.aborted && !life.dead) await new Promise((resolve) => setTimeout(resolve, 25));
    await operator.stop();
  }
}

/** Forever: lives that end, or miss an answer, at every third write from `first` on. */
function* shortLives(first: number, random: () => number): Generator<Life, never> {
  for (let writes = first; ; writes = spacing) {
    const way = ways[Math.floor(random() * ways.length)] ?? 'dies before';
    yield lifeFor(way, writes, writes + spacing);
  }
}

/** The write with this number is the one before or after which it dies, or of which it does not hear. */
function lifeFor(way: Way, write: number, writesMax: number): Life {
  if (way === 'dies before') return lifeOf(write - 1);
  if (way === 'dies after') return lifeOf(write, { lastAnswerLost: true });
  return lifeOf(writesMax, { unanswered: write });
}

/**
 * The cluster's state once nothing has been written for a while: a short while if the state is the wanted one, else a minute,
 * because an operator that has just taken over on a slow machine may not have begun.
 */
async function atRest(stage: Stage, watched: WatchedWrites, wanted?: State): Promise<State> {
  const words = stage.databases.flatMap((database, index) => [
    ...identityOf(database, String(index)),
  ]);
  const look = async () =>
    JSON.stringify([
      watched.done.length,
      await stateOf(world.kube, stage.namespace, new Map(words)),
    ]);
  let last = await look();
  let looks = 0;
  return eventually(
    `${stage.namespace}: rest`,
    async () => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      const now = await look();
      looks = now === last ? looks + 1 : 0;
      last = now;
      const [, state] = JSON.parse(now) as [number, State];
      const enough = wanted === undefined ? 20 : isDeepStrictEqual(state, wanted) ? 1 : 120;
      return looks >= enough ? state : undefined;
    },
    patienceMs,
  );
}

interface Summary {
  readonly writes: readonly string[];
  readonly histories: number;
  /** Since the process began. */
  readonly seconds: number;
  readonly failures: readonly string[];
}

async function playAll(
  title: string,
  scenario: Scenario,
  inLane: <T>(run: () => Promise<T>) => Promise<T>,
): Promise<Summary> {
  const failures: string[] = [];
  const number = Object.keys(scenarios).indexOf(title);
  try {
    const calm = await inLane(() => play(scenario, `calm-${number}`, [].values()));
    failures.push(...calm.violations.map((words) => `undisturbed: ${words}`));
    const histories = historiesOf(calm.writes, number);
    await Promise.all(
      histories.map(({ where, lives }, history) =>
        inLane(async () => {
          try {
            const disturbed = await play(scenario, `s${number}-${history}`, lives, calm.state);
            failures.push(...disturbed.violations.map((words) => `${where}: ${words}`));
            expect(disturbed.state).toEqual(calm.state);
          } catch (error) {
            failures.push(`${where}: ${error instanceof Error ? error.message : 'failed'}`);
          }
        }),
      ),
    );
    return { writes: calm.writes, histories: 1 + histories.length, seconds: elapsed(), failures };
  } catch (error) {
    failures.push(`undisturbed: ${error instanceof Error ? error.message : 'failed'}`);
    return { writes: [], histories: 1, seconds: elapsed(), failures };
  }
}

const elapsed = () => Math.round(performance.now() / 1_000);

interface Plan {
  readonly where: string;
  readonly lives: Iterator<Life>;
}

function historiesOf(writes: readonly string[], number: number): readonly Plan[] {
  if (everything) {
    return writes.flatMap((write, index) =>
      ways.map((way) => ({
        where: `${way} write ${index + 1} (${write})`,
        lives: [lifeFor(way, index + 1, Infinity)].values(),
      })),
    );
  }
  return Array.from({ length: spacing }, (_, first) => ({
    where: `each third write from ${first + 1} on`,
    lives: shortLives(first + 1, seeded(seed + number * spacing + first)),
  }));
}

/** Runs so many at a time, in the order in which they were asked for. */
function lanesOf(count: number): <T>(run: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = count;
  return async (run) => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free -= 1;
    try {
      return await run();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}

const wanted = Object.keys(scenarios).filter((title) => only === undefined || title.includes(only));

test.each(wanted)('%s, whenever the operator dies', async (title) => {
  const summary = await played.get(title);
  expect(summary?.failures.map((failure) => `CRASH_SEED=${seed}: ${failure}`)).toEqual([]);
  // A scenario in which nothing is written proves nothing.
  expect(summary?.writes.length).toBeGreaterThan(0);
  if (process.env['CRASH_VERBOSE'] === '1') {
    const { histories, writes, seconds } = summary ?? {};
    process.stderr.write(
      `${title}: ${histories} histories in ${seconds} s, ${writes?.join(', ')}\n`,
    );
  }
});
