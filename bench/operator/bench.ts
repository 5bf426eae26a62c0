/** What is measured, in order. */
import type { Logger } from 'pino';
import type { KubeObject } from '../../base/kube/kube.ts';
import { labels, managedBy } from '../../domain/names.ts';
import { resources } from '../../domain/kinds.ts';
import { waitFor } from '../../tools/cluster/run.ts';
import { Fleet } from './fleet.ts';
import { OperatorProcess, type Requests } from './operator-process.ts';
import { cpuSecondsOf } from './process-figures.ts';
import { percentile, type Row } from './report.ts';
import { askedBetween, type Asked } from './requests.ts';
import type { World } from './world.ts';

export interface BenchOptions {
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
/** As Prometheus does. */
const scrapeEveryMs = 30_000;

export class Bench {
  readonly #options: BenchOptions;
  readonly #fleet: Fleet;
  readonly #operators: OperatorProcess[] = [];
  readonly #rows: Row[] = [];

  constructor(options: BenchOptions) {
    this.#options = options;
    const { world, namespaces, topology, logger } = options;
    this.#fleet = new Fleet({ kube: world.kube, namespaces, topology, logger });
  }

  async run(): Promise<readonly Row[]> {
    const leader = await this.#start('operator-1');
    await untilLeading(leader);
    const standby = await this.#start('operator-2');
    await this.#createAll(leader);
    await this.#rest(leader, standby);
    await this.#createOneByOne();
    this.#memory(leader, standby);
    await this.#failOver(leader, standby);
    this.#tellWarnings();
    return this.#rows;
  }

  async stop(): Promise<void> {
    await this.#fleet.stop();
    await Promise.all(this.#operators.map((operator) => operator.end('SIGKILL')));
  }

  async #start(identity: string): Promise<OperatorProcess> {
    const { kubeconfig } = this.#options.world.plane;
    const operator = new OperatorProcess(kubeconfig, identity);
    this.#operators.push(operator);
    await operator.whenReady();
    return operator;
  }

  #row(name: string, value: number, unit: string, goal?: number): void {
    this.#rows.push({ name, value, unit, ...(goal === undefined ? {} : { goal }) });
  }

  async #createAll(leader: OperatorProcess): Promise<void> {
    const { databases, world } = this.#options;
    const names = Array.from({ length: databases }, (_, index) => `ledger-${index}`);
    tell(`making ${databases} databases`);
    const cpu = this.#cpu(leader);
    const before = await leader.requests();
    const startedAtMs = performance.now();
    const waiting = names.values();
    const creator = async () => {
      for (const name of waiting) await this.#fleet.create(name);
    };
    await Promise.all(Array.from({ length: creators }, creator));
    const createdMs = performance.now() - startedAtMs;
    tell(`made in ${seconds(createdMs)} s; waiting until all are Ready`);
    const ticker = setInterval(() => tell(`${this.#fleet.ready} Ready`), 30_000);
    await this.#fleet
      .untilReady(databases, 300_000 + 3_000 * databases)
      .finally(() => clearInterval(ticker));
    world.plane.processes.assertRunning(world.plane.processes.names());
    const readyMs = performance.now() - startedAtMs;
    const asked = askedBetween(before, await leader.requests());
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
    for (const [name, used] of this.#cpu(leader)) {
      const cores = (used - (cpu.get(name) ?? 0)) / (readyMs / 1_000);
      this.#row(`all at once: processors used by ${name}`, cores, '');
    }
    tellAsked(asked);
  }

  /** Nothing is to be done: nothing may be written, or read besides the watches. */
  async #rest(leader: OperatorProcess, standby: OperatorProcess): Promise<void> {
    const { idleSeconds, databases } = this.#options;
    await untilQuiet(leader);
    const before = await leader.requests();
    const versions = await this.#versions();
    const cpu = [leader, standby].map(({ pid }) => cpuSecondsOf(pid));
    const relapses = this.#fleet.relapses;
    tell(`${databases} databases rest for ${idleSeconds} s`);
    const endsAtMs = performance.now() + idleSeconds * 1_000;
    for (let left = idleSeconds * 1_000; left > 0; left = endsAtMs - performance.now()) {
      await sleep(Math.min(left, scrapeEveryMs));
      await Promise.all([leader, standby].map((operator) => operator.requests()));
    }
    const used = [leader, standby].map(({ pid }, index) => cpuSecondsOf(pid) - (cpu[index] ?? 0));
    const asked = askedBetween(before, await leader.requests());
    const after = await this.#versions();
    const changed = [...after].filter(([uid, version]) => versions.get(uid) !== version);
    this.#row('at rest: writes', asked.writes, '', 0);
    this.#row('at rest: objects that are not as they were', changed.length, '', 0);
    this.#row('at rest: reads', asked.reads, '', 0);
    this.#row('at rest: watches begun again', asked.byVerb.get('watch') ?? 0, '');
    this.#row('at rest: renewals of the lease', asked.leases / idleSeconds, '/s');
    this.#row('at rest: databases Ready no more', this.#fleet.relapses - relapses, '', 0);
    this.#row('at rest: processors used by the leader', (used[0] ?? 0) / idleSeconds, '');
    this.#row(
      'at rest: processors used by the one that stands by',
      (used[1] ?? 0) / idleSeconds,
      '',
    );
    this.#row('at rest: memory of the leader', leader.memory().residentMib, 'MiB', 250);
    tellAsked(asked);
  }

  /** With the whole fleet there. */
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

  #memory(leader: OperatorProcess, standby: OperatorProcess): void {
    this.#row('memory of the leader, the most there was', leader.memory().peakMib, 'MiB', 250);
    this.#row('memory of the leader, at the end', leader.memory().residentMib, 'MiB', 250);
    this.#row('memory of the one that stands by, the most', standby.memory().peakMib, 'MiB', 250);
  }

  /** The leader is killed; another looks at everything and finds nothing to do; that one hands over in good order. */
  async #failOver(leader: OperatorProcess, standby: OperatorProcess): Promise<void> {
    await untilQuiet(leader);
    const databases = this.#fleet.ready;
    const before = await standby.requests();
    tell('killing the leader');
    const killedAtMs = performance.now();
    await leader.end('SIGKILL');
    const leadsAtMs = await untilLeading(standby);
    this.#row('leader killed: until another leads', (leadsAtMs - killedAtMs) / 1_000, 's', 20);
    await waitFor(
      'a first database looked at',
      async () => ((await standby.reconciles()) > 0 ? true : undefined),
      { timeoutMs: 60_000, everyMs: 50 },
    );
    const lookedMs = performance.now() - killedAtMs;
    this.#row('leader killed: until it looks at the first database', lookedMs / 1_000, 's', 20);
    await waitFor(
      'all databases looked at',
      async () => ((await standby.reconciles()) >= databases ? true : undefined),
      { timeoutMs: 120_000, everyMs: 100 },
    );
    const allMs = performance.now() - leadsAtMs;
    this.#row('leader killed: until it has looked at all, from then', allMs / 1_000, 's');
    await untilQuiet(standby);
    const { writes, reads } = askedBetween(before, await standby.requests());
    this.#row('leader killed: writes of the next one', writes, '', 0);
    this.#row('leader killed: reads of the next one', reads, '', 0);
    this.#row('memory of the next leader, the most', standby.memory().peakMib, 'MiB', 250);

    const third = await this.#start('operator-3');
    const askedAtMs = performance.now();
    await standby.end('SIGTERM');
    const handedMs = (await untilLeading(third)) - askedAtMs;
    this.#row('leader asked to end: until another leads', handedMs / 1_000, 's', 20);
  }

  #cpu(leader: OperatorProcess): ReadonlyMap<string, number> {
    const { processes } = this.#options.world.plane;
    const used = processes
      .names()
      .map((name) => [name, cpuSecondsOf(processes.pid(name) ?? 0)] as const);
    const own = process.cpuUsage();
    return new Map([
      ['the operator', cpuSecondsOf(leader.pid)],
      ...used,
      ['the bench itself', (own.user + own.system) / 1e6],
    ]);
  }

  /** Of every database and of every object that belongs to one, by uid. */
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

  #tellWarnings(): void {
    for (const [index, { warnings }] of this.#operators.entries()) {
      for (const [message, { times, example }] of warnings) {
        tell(`operator-${index + 1} said ${times} times: ${message} (${example})`);
      }
    }
  }
}

const untilLeading = (operator: OperatorProcess): Promise<number> =>
  waitFor('an operator that leads', () => Promise.resolve(operator.leadsSinceMs), {
    timeoutMs: 60_000,
    everyMs: 10,
  });

/** Nothing asked for ten seconds but the lease. */
async function untilQuiet(operator: OperatorProcess): Promise<void> {
  let last: Requests = await operator.requests();
  await waitFor(
    'an operator that has nothing to do',
    async () => {
      await sleep(10_000);
      const now = await operator.requests();
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
