/** The measurements, in order. */
import type { Logger } from 'pino';
import type { KubeObject } from '../../base/kube/kube.ts';
import { labels, managedBy } from '../../domain/names.ts';
import { resources } from '../../domain/kinds.ts';
import { waitFor } from '../../tools/cluster/run.ts';
import { Fleet } from './fleet.ts';
import { Deployment } from './deployment.ts';
import type { OperatorProcess, Requests } from './operator-process.ts';
import { cpuSecondsOf } from '../support/process-figures.ts';
import { percentile, type Row } from '../support/report.ts';
import { askedBetween, type Asked } from './requests.ts';
import type { World } from './world.ts';

interface BenchOptions {
  readonly world: World;
  readonly databases: number;
  readonly idleSeconds: number;
  readonly topology: string;
  readonly namespaces: readonly string[];
  readonly logger: Logger;
}

/** Databases made at once, and afterwards one by one. */
const creators = 10;
const oneByOne = 40;
const oneByOneEveryMs = 1_000;
/** Interval of reading the metrics, as Prometheus does. */
const scrapeEveryMs = 30_000;

export class Bench {
  readonly #options: BenchOptions;
  readonly #fleet: Fleet;
  readonly #operators: Deployment;
  readonly #rows: Row[] = [];

  constructor(options: BenchOptions) {
    this.#options = options;
    const { world, namespaces, topology, logger } = options;
    this.#fleet = new Fleet({ kube: world.kube, namespaces, topology, logger });
    this.#operators = new Deployment(world.plane.kubeconfig, tell);
  }

  async run(): Promise<readonly Row[]> {
    await this.#operators.add();
    await this.#operators.add();
    await this.#createAll();
    await this.#rest();
    await this.#createOneByOne();
    await this.#failOver();
    this.#row('most memory of any operator', this.#operators.peakMib, 'MiB', 250);
    this.#row('operators that ended by themselves', this.#operators.endedByThemselves, '', 0);
    for (const words of this.#operators.warnings) tell(words);
    return this.#rows;
  }

  async stop(): Promise<void> {
    await this.#fleet.stop();
    await this.#operators.stop();
  }

  #row(name: string, value: number, unit: string, goal?: number): void {
    this.#rows.push({ name, value, unit, ...(goal === undefined ? {} : { goal }) });
  }

  async #createAll(): Promise<void> {
    const { databases, world } = this.#options;
    const names = Array.from({ length: databases }, (_, index) => `ledger-${index}`);
    tell(`making ${databases} databases`);
    const cpu = this.#cpu();
    const before = await this.#operators.requests();
    const startedAtMs = performance.now();
    const waiting = names.values();
    const creator = async () => {
      for (const name of waiting) await this.#fleet.create(name);
    };
    await Promise.all(Array.from({ length: creators }, creator));
    const createdMs = performance.now() - startedAtMs;
    tell(`made in ${seconds(createdMs)} s; waiting until all are Ready`);
    await this.#untilAllReady();
    world.plane.processes.assertRunning(world.plane.processes.names());
    const readyMs = performance.now() - startedAtMs;
    const asked = askedBetween(before, await this.#operators.requests());
    const durations = this.#fleet.durationsOf(names);
    this.#row('all at once: until the API server has taken all', createdMs / 1_000, 's');
    this.#row('all at once: until all are Ready', readyMs / 1_000, 's');
    this.#row('all at once: databases Ready a second', databases / (readyMs / 1_000), '/s');
    for (const p of [0.5, 0.99]) {
      const name = `all at once: creation to first status, p${p * 100}`;
      this.#row(name, percentile(durations.firstStatus, p) / 1_000, 's');
    }
    for (const [verb, number] of asked.byVerb) {
      this.#row(`all at once: ${verb} requests`, number / (readyMs / 1_000), '/s');
    }
    this.#row('all at once: requests of a database', asked.total / databases, '');
    this.#row('all at once: writes of a database', asked.writes / databases, '');
    for (const [name, used] of this.#cpu()) {
      const cores = (used - (cpu.get(name) ?? 0)) / (readyMs / 1_000);
      this.#row(`all at once: processors used by ${name}`, cores, '');
    }
    tellAsked(asked);
  }

  async #untilAllReady(): Promise<void> {
    const { databases } = this.#options;
    const endsAtMs = performance.now() + 300_000 + 3_000 * databases;
    while (this.#fleet.ready < databases) {
      if (performance.now() > endsAtMs) throw new Error(`only ${this.#fleet.ready} are Ready`);
      // Asked now and then, so that the last count of an ended operator is known.
      await this.#operators.requests();
      await this.#fleet.untilReady(databases, scrapeEveryMs).catch(() => {});
      tell(`${this.#fleet.ready} Ready`);
    }
  }

  /** Checks a fleet at rest: nothing may be written, and nothing read except by the watches. */
  async #rest(): Promise<void> {
    const { idleSeconds, databases } = this.#options;
    await untilQuiet(this.#operators);
    const leader = await this.#operators.leader();
    const standby = await this.#operators.standby();
    const before = await this.#operators.requests();
    const versions = await this.#versions();
    const cpu = [leader, standby].map(({ pid }) => cpuSecondsOf(pid));
    const relapses = this.#fleet.relapses;
    tell(`${databases} databases rest for ${idleSeconds} s`);
    const endsAtMs = performance.now() + idleSeconds * 1_000;
    for (let left = idleSeconds * 1_000; left > 0; left = endsAtMs - performance.now()) {
      await sleep(Math.min(left, scrapeEveryMs));
      await this.#operators.requests();
    }
    const asked = askedBetween(before, await this.#operators.requests());
    const after = await this.#versions();
    const changed = [...after].filter(([uid, version]) => versions.get(uid) !== version);
    this.#row('at rest: writes', asked.writes, '', 0);
    this.#row('at rest: objects that are not as they were', changed.length, '', 0);
    this.#row('at rest: reads', asked.reads, '', 0);
    this.#row('at rest: watches begun again', asked.byVerb.get('watch') ?? 0, '');
    this.#row('at rest: requests for the lease', asked.leases / idleSeconds, '/s');
    this.#row('at rest: databases Ready no more', this.#fleet.relapses - relapses, '', 0);
    for (const [index, role] of ['leads', 'stands by'].entries()) {
      const operator = [leader, standby][index];
      if (operator?.runs !== true) continue;
      const used = cpuSecondsOf(operator.pid) - (cpu[index] ?? 0);
      this.#row(`at rest: processors used by the one that ${role}`, used / idleSeconds, '');
      const { residentMib } = operator.memory();
      this.#row(`at rest: memory of the one that ${role}`, residentMib, 'MiB', 250);
    }
    tellAsked(asked);
  }

  /** Creates databases one by one beside the whole fleet. */
  async #createOneByOne(): Promise<void> {
    const { databases } = this.#options;
    tell(`making ${oneByOne} more, one by one`);
    const names = Array.from({ length: oneByOne }, (_, index) => `later-${index}`);
    for (const name of names) {
      await this.#fleet.create(name);
      await sleep(oneByOneEveryMs);
    }
    await this.#fleet.untilReady(databases + oneByOne, 120_000);
    const { firstStatus, ready } = this.#fleet.durationsOf(names);
    this.#row('one by one: creation to first status, p50', percentile(firstStatus, 0.5), 'ms');
    this.#row(
      'one by one: creation to first status, p99',
      percentile(firstStatus, 0.99),
      'ms',
      1_000,
    );
    const readyGoal = this.#options.topology === 'single' ? 15_000 : 30_000;
    this.#row('one by one: creation to Ready, p50', percentile(ready, 0.5), 'ms');
    this.#row('one by one: creation to Ready, p99', percentile(ready, 0.99), 'ms', readyGoal);
  }

  /** Kills the leader; another operator looks at everything, finds nothing to do, and later hands over in good order. */
  async #failOver(): Promise<void> {
    await untilQuiet(this.#operators);
    const databases = this.#fleet.ready;
    const leader = await this.#operators.leader();
    const standby = await this.#operators.standby();
    const before = await standby.requests();
    tell('killing the leader');
    const killedAtMs = performance.now();
    await leader.end('SIGKILL');
    const leadsAtMs = await untilLeading(standby);
    this.#row('leader killed: until another leads', (leadsAtMs - killedAtMs) / 1_000, 's', 20);
    const looked = async (count: number) => {
      const done = async () => ((await standby.reconciles()) >= count ? true : undefined);
      await waitFor('databases looked at', done, { timeoutMs: 120_000, everyMs: 50 });
      return (performance.now() - killedAtMs) / 1_000;
    };
    this.#row('leader killed: until the first database is looked at', await looked(1), 's', 20);
    this.#row('leader killed: until all are looked at', await looked(databases), 's');
    await untilQuiet(this.#operators);
    const { writes, reads } = askedBetween(before, await standby.requests());
    this.#row('leader killed: writes of the next one', writes, '', 0);
    this.#row('leader killed: reads of the next one', reads, '', 0);

    const third = await this.#operators.add();
    const askedAtMs = performance.now();
    await standby.end('SIGTERM');
    const handedMs = (await untilLeading(third)) - askedAtMs;
    this.#row('leader asked to end: until another leads', handedMs / 1_000, 's', 20);
  }

  #cpu(): ReadonlyMap<string, number> {
    const { processes } = this.#options.world.plane;
    const used = processes
      .names()
      .map((name) => [name, cpuSecondsOf(processes.pid(name) ?? 0)] as const);
    const own = process.cpuUsage();
    return new Map([
      ['the operator', this.#operators.cpuSeconds],
      ...used,
      ['the bench itself', (own.user + own.system) / 1e6],
    ]);
  }

  /** Resource version of every database and of every object that belongs to one, by uid. */
  async #versions(): Promise<ReadonlyMap<string, string>> {
    const { kube } = this.#options.world;
    const labelSelector = `${labels.managedBy}=${managedBy}`;
    const lists = await Promise.all([
      kube.list<KubeObject>(resources.database),
      ...(
        ['service', 'claim', 'job', 'pod', 'statefulSet', 'configMap', 'networkPolicy'] as const
      ).map((kind) => kube.list<KubeObject>(resources[kind], { labelSelector })),
    ]);
    return new Map(
      lists.flat().map(({ metadata }) => [metadata.uid ?? '', metadata.resourceVersion ?? '']),
    );
  }
}

const untilLeading = (operator: OperatorProcess): Promise<number> =>
  waitFor('an operator that leads', () => Promise.resolve(operator.leadsSinceMs), {
    timeoutMs: 60_000,
    everyMs: 10,
  });

/** Resolves when the operators have made no request except for the lease for ten seconds. */
async function untilQuiet(operators: Deployment): Promise<void> {
  let last: Requests = await operators.requests();
  await waitFor(
    'an operator that has nothing to do',
    async () => {
      await sleep(10_000);
      const now = await operators.requests();
      const { writes, reads } = askedBetween(last, now);
      last = now;
      return writes + reads === 0 ? true : undefined;
    },
    { timeoutMs: 300_000, everyMs: 0 },
  );
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const seconds = (ms: number): string => (ms / 1_000).toFixed(1);
const began = performance.now();
const tell = (words: string): void => {
  console.log(`${seconds(performance.now() - began).padStart(7)} s  ${words}`);
};

function tellAsked({ kinds }: Asked): void {
  for (const [key, count] of kinds.slice(0, 24)) tell(`  ${String(count).padStart(7)} ${key}`);
}
