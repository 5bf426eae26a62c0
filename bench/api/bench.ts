/** The measurements, in order. */
import { cpuSecondsOf, memoryOf } from '../support/process-figures.ts';
import { percentile, type Row } from '../support/report.ts';
import { wallTimesOf } from './command-start.ts';
import { LoadProcess } from './load-process.ts';
import type { Outcome, Workload } from './workload.ts';
import type { World } from './world.ts';

const batchSize = 8_189;
const secondsMin = 3;
const secondsMax = 30;

interface Measured extends Outcome {
  /** Processor seconds, from the end of the warming up on. */
  readonly cpu: { readonly API: number; readonly engine: number };
  readonly kubernetesRequests: number;
}

type Load = Pick<Workload, 'path' | 'kind' | 'events' | 'connections'> & {
  /** More than any machine answers in a second. */
  readonly perSecondMax: number;
  readonly warmUpRequests: number;
};

export class Bench {
  readonly #world: World;
  readonly #seconds: number;
  readonly #rows: Row[] = [];
  #load: LoadProcess | undefined;

  constructor(world: World, seconds: number) {
    this.#world = world;
    this.#seconds = seconds;
  }

  async run(): Promise<readonly Row[]> {
    await this.#batches();
    await this.#singles();
    await this.#lookups();
    await this.#reads();
    await this.#commands();
    const peak = memoryOf(this.#world.api.pid).peakMib;
    this.#row({ name: 'most memory of the API', value: peak, unit: 'MiB' });
    return this.#rows;
  }

  async stop(): Promise<void> {
    await this.#load?.stop();
  }

  async #batches(): Promise<void> {
    const name = 'create_transfers, 8,189 a request, 4 connections';
    const measured = await this.#measure(name, {
      path: this.#ledgerPath('create_transfers'),
      kind: 'transfers',
      events: batchSize,
      connections: 4,
      perSecondMax: 25,
      warmUpRequests: 50,
    });
    const value = (measured.times.length * batchSize) / measured.seconds;
    this.#row({ name: `${name}: transfers`, value, unit: '/s', goal: 100_000, more: true });
    this.#latencies(name, measured.times);
    this.#processors(name, measured, batchSize);
  }

  async #singles(): Promise<void> {
    const name = 'create_transfers, 1 a request, 64 connections';
    const measured = await this.#measure(name, {
      path: this.#ledgerPath('create_transfers'),
      kind: 'transfers',
      events: 1,
      connections: 64,
      perSecondMax: 12_000,
      warmUpRequests: 10_000,
    });
    const value = measured.times.length / measured.seconds;
    this.#row({ name: `${name}: requests`, value, unit: '/s', goal: 3_000, more: true });
    this.#latencies(name, measured.times);
    this.#processors(name, measured, 1);
  }

  async #lookups(): Promise<void> {
    const name = 'lookup_accounts of one, 16 connections';
    const measured = await this.#measure(name, {
      path: this.#ledgerPath('lookup_accounts'),
      kind: 'lookups',
      events: 1,
      connections: 16,
      perSecondMax: 12_000,
      warmUpRequests: 3_000,
    });
    const value = measured.times.length / measured.seconds;
    this.#row({ name: `${name}: requests`, value, unit: '/s' });
    this.#latencies(name, measured.times, { p50: 3, p99: 15 });
    this.#processors(name, measured, 1);
  }

  async #reads(): Promise<void> {
    const name = 'GET /databases/{id}, 1 connection';
    const measured = await this.#measure(name, {
      path: this.#path,
      kind: 'reads',
      events: 0,
      connections: 1,
      perSecondMax: 12_000,
      warmUpRequests: 3_000,
    });
    const value = measured.times.length / measured.seconds;
    this.#row({ name: `${name}: requests`, value, unit: '/s' });
    this.#latencies(name, measured.times, { p50: 3 });
    const asked = measured.kubernetesRequests;
    this.#row({
      name: `${name}: requests to Kubernetes meanwhile`,
      value: asked,
      unit: '',
      goal: 0,
    });
    this.#processors(name, measured, 1);
  }

  async #commands(): Promise<void> {
    for (const flag of ['--help', '--version']) {
      const { first, again } = await wallTimesOf(flag);
      const name = `ledgerhouse ${flag}`;
      this.#row({ name: `${name}, p50`, value: percentile(again, 0.5), unit: 'ms', goal: 150 });
      this.#row({ name: `${name}, the first time`, value: first, unit: 'ms' });
    }
  }

  get #path(): string {
    return `/api/v1/databases/${this.#world.databaseId}`;
  }

  #ledgerPath(operation: string): string {
    return `${this.#path}/tb/${operation}`;
  }

  async #measure(name: string, { perSecondMax, warmUpRequests, ...load }: Load): Promise<Measured> {
    const { api, engine, apiKey } = this.#world;
    console.log(name);
    const used = () => ({ api: cpuSecondsOf(api.pid), engine: cpuSecondsOf(engine.pid) });
    let before: Promise<number> | undefined;
    let cpu = used();
    this.#load = new LoadProcess(
      {
        ...load,
        url: api.url,
        apiKey,
        warmUp: { requests: warmUpRequests, secondsMin, secondsMax },
        seconds: this.#seconds,
        bodiesMax: warmUpRequests + perSecondMax * (secondsMin + this.#seconds),
      },
      () => {
        before = api.kubernetesRequests();
        cpu = used();
      },
    );
    try {
      const outcome = await this.#load.outcome();
      const after = used();
      if (before === undefined || outcome.times.length === 0) {
        throw new Error(`${name}: it ended before it was warm`);
      }
      return {
        ...outcome,
        cpu: { API: after.api - cpu.api, engine: after.engine - cpu.engine },
        kubernetesRequests: (await api.kubernetesRequests()) - (await before),
      };
    } finally {
      await this.#load.stop();
    }
  }

  #row(row: Row): void {
    this.#rows.push(row);
  }

  #latencies(
    name: string,
    times: readonly number[],
    goals: { readonly p50?: number; readonly p99?: number } = {},
  ): void {
    for (const p of ['p50', 'p99'] as const) {
      const value = percentile(times, p === 'p50' ? 0.5 : 0.99);
      const goal = goals[p];
      this.#row({ name: `${name}: ${p}`, value, unit: 'ms', ...(goal !== undefined && { goal }) });
    }
  }

  /** Figures that depend less on other users of the machine. */
  #processors(name: string, { cpu, times }: Measured, events: number): void {
    for (const [whose, seconds] of Object.entries(cpu)) {
      if (seconds === 0) continue;
      const value = (seconds * 1e6) / (times.length * events);
      const of = events > 1 ? 'event' : 'request';
      this.#row({ name: `${name}: CPU of the ${whose}`, value, unit: `µs/${of}` });
    }
  }
}
