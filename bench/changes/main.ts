/**
 * `make bench-changes`: how long a client waits while a database is changed, beside what the preview promises. The whole service as
 * `make up` installs it, a database made over HTTP, and an official client in a pod that writes one transfer after the other; then
 * each change alone, and again while the API, the worker, the operator or the engine is killed in the middle. Fails only if a
 * change does, or if the ledger has not exactly what was acknowledged. About fifteen minutes.
 */
import { loadavg } from 'node:os';
import { labels } from '../../domain/names.ts';
import { resources } from '../../domain/kinds.ts';
import type { AcceptedChange, Change, ChangePreview, CreatedDatabase } from '../../gen/api.ts';
import { HttpService } from '../../test/support/api/http-service.ts';
import { systemNamespace } from '../../test/support/cluster/installation.ts';
import { LocalService } from '../../test/support/cluster/local-service.ts';
import { kill, livingPods } from '../../test/support/cluster/pods.ts';
import { SteadyWriter } from '../../test/support/engine/steady-writer.ts';
import type { Database as Resource } from '../../test/support/operator/operator-world.ts';
import { eventually } from '../../test/support/shell.ts';
import { abortable, runInterruptible } from '../support/interruption.ts';
import { report, shownLoad, type Row } from '../support/report.ts';

const name = 'payments';
const patienceMs = 10 * 60_000;

interface Deed {
  readonly name: string;
  readonly body: object;
  /** Killed once the change is under way: a Deployment of the service, or the database's engine. */
  readonly kills?: 'ledgerhouse-api' | 'ledgerhouse-worker' | 'ledgerhouse-operator' | 'engine';
}

const parameter = (limitConnections: string) => ({ parameters: { limitConnections } });
const deedsTo = (engineVersion: string): readonly Deed[] => [
  { name: 'size up', body: { clusterSize: 'lh-10' } },
  { name: 'size down', body: { clusterSize: 'lh-5' } },
  { name: 'storage up', body: { selectedStorageGb: 2 } },
  { name: 'a parameter', body: parameter('300') },
  { name: 'an upgrade', body: { engineVersion } },
  { name: 'size up, API killed', body: { clusterSize: 'lh-10' }, kills: 'ledgerhouse-api' },
  { name: 'size down, worker killed', body: { clusterSize: 'lh-5' }, kills: 'ledgerhouse-worker' },
  { name: 'a parameter, operator killed', body: parameter('301'), kills: 'ledgerhouse-operator' },
  { name: 'a parameter, engine killed', body: parameter('302'), kills: 'engine' },
];

class ChangesBench {
  readonly #service: LocalService;
  readonly #http: HttpService;
  #path = '';

  constructor(service: LocalService) {
    this.#service = service;
    this.#http = new HttpService(service.credentials);
  }

  async run(): Promise<readonly Row[]> {
    const next = await this.#addVersion();
    const { database } = await this.#http.ask<CreatedDatabase>('/databases', {
      method: 'POST',
      body: { name, clusterSize: 'lh-5', selectedStorageGb: 1 },
    });
    this.#path = `/databases/${database.id}`;
    await this.#until('READY');
    const { cluster } = this.#service;
    const image = await cluster.image('ledger-client');
    const writer = await SteadyWriter.start(cluster, image, await this.#resource());
    const rows: Row[] = [];
    for (const deed of deedsTo(next)) {
      const row = await this.#measured(writer, deed);
      console.log(JSON.stringify(row));
      rows.push(row);
    }
    rows.push(await this.#stoppedAndStarted(writer));
    const acknowledged = () => String(writer.acknowledged);
    const credited = await writer.stop();
    if (credited !== acknowledged()) {
      throw new Error(`acknowledged were ${acknowledged()} transfers; the ledger has ${credited}`);
    }
    console.log(`${credited} transfers were acknowledged, and the ledger has each once.`);
    return rows;
  }

  async #measured(writer: SteadyWriter, { name: what, body, kills }: Deed): Promise<Row> {
    const { preview } = await this.#post<ChangePreview>('/changes/preview', body);
    const value = await writer.during(async () => {
      const { change } = await this.#post<AcceptedChange>('/changes', body);
      if (kills !== undefined) {
        await this.#untilChange(change.id, ({ progress }) => progress !== null);
        // All of them: of two, the other one would go on without a break.
        for (const pod of await this.#podsOf(kills)) await kill(this.#service.cluster, pod);
      }
      await this.#untilChange(change.id, ({ status }) => status === 'APPLIED');
    });
    return rowOf(what, value, preview.impact.longestWaitSeconds);
  }

  /** Until a client is answered again after the request to start it. */
  async #stoppedAndStarted(writer: SteadyWriter): Promise<Row> {
    const { change } = await this.#post<AcceptedChange>('/changes', { suspended: true });
    await this.#untilChange(change.id, ({ status }) => status === 'APPLIED');
    const began = Date.now();
    const resumed = await this.#post<AcceptedChange>('/changes', { suspended: false });
    await writer.answered();
    const value = (Date.now() - began) / 1_000;
    await this.#untilChange(resumed.change.id, ({ status }) => status === 'APPLIED');
    return rowOf('stopped and started again, from the request to start', value, null);
  }

  /** Gives the catalog a second version of the engine, with an image of its own, so that pods are replaced. Returns its name. */
  async #addVersion(): Promise<string> {
    const { cluster } = this.#service;
    const text = await cluster.kubectl('get', 'lcat', 'default', '-o', 'json');
    const { spec } = JSON.parse(text) as {
      spec: {
        engines: { name: string; defaultVersion: string; versions: { version: string }[] }[];
      };
    };
    const at = spec.engines.findIndex((engine) => engine.name === 'Builtin');
    const engine = spec.engines[at];
    const first = engine?.versions.find((row) => row.version === engine.defaultVersion);
    if (first === undefined) throw new Error('the catalog has no version of the built-in engine');
    const version = `${first.version}-next`;
    const image = await cluster.image('engine-next');
    const value = { ...first, version, image, upgradableFrom: [first.version] };
    const patch = [{ op: 'add', path: `/spec/engines/${at}/versions/-`, value }];
    await cluster.kubectl('patch', 'lcat', 'default', '--type=json', '-p', JSON.stringify(patch));
    return version;
  }

  async #resource(): Promise<Resource> {
    const all = await this.#service.cluster.list<Resource>(resources.database);
    const found = all.find(({ metadata }) => metadata.name === name);
    if (found === undefined) throw new Error(`there is no LedgerDatabase ${name}`);
    return found;
  }

  async #podsOf(kills: NonNullable<Deed['kills']>) {
    const { cluster } = this.#service;
    if (kills !== 'engine') {
      return livingPods(cluster, systemNamespace, `app.kubernetes.io/name=${kills}`);
    }
    const { namespace = '', uid } = (await this.#resource()).metadata;
    return livingPods(cluster, namespace, `${labels.uid}=${uid},${labels.role}=replica`);
  }

  /** Sent again while the API does not answer: a request that arrived twice is the same one. */
  #post<T>(path: string, body: object): Promise<T> {
    const headers = { 'idempotency-key': `bench-${Date.now()}` };
    return eventually(`POST ${path}`, () =>
      this.#http.ask<T>(`${this.#path}${path}`, { method: 'POST', body, headers }),
    );
  }

  #untilChange(id: string, isSo: (change: Change) => boolean): Promise<true> {
    const probe = async () => {
      const { change } = await this.#http.ask<{ change: Change }>(`${this.#path}/changes/${id}`);
      if (change.status === 'FAILED') failed = JSON.stringify(change.error);
      if (failed !== '' || isSo(change)) return true as const;
      throw new Error(JSON.stringify(change));
    };
    let failed = '';
    return eventually(`the change ${id}`, probe, patienceMs).then((done) => {
      if (failed !== '') throw new Error(`the change ${id} failed: ${failed}`);
      return done;
    });
  }

  #until(status: string): Promise<true> {
    return eventually(
      `the database is ${status}`,
      async () => {
        const { database } = await this.#http.ask<CreatedDatabase>(this.#path);
        return database.status === status && database.activeJobId === null ? true : undefined;
      },
      patienceMs,
    );
  }
}

const rowOf = (what: string, value: number, goal: number | null): Row => ({
  name: `${what}: longest wait of a client`,
  value,
  unit: 's',
  // No interruption is promised: a second is not noticed.
  ...(goal !== null && { goal: Math.max(goal, 1) }),
});

await runInterruptible(async () => {
  const loadBefore = loadavg();
  const service = new LocalService();
  try {
    const rows = await abortable(async () => {
      await service.made('up');
      return new ChangesBench(service).run();
    });
    const circumstances = { at: new Date().toISOString(), loadBefore, loadAfter: loadavg() };
    report('changes', rows, circumstances);
    console.log(
      `\nLoad average ${shownLoad(loadBefore)} before, ${shownLoad(loadavg())} after. ` +
        'The cluster, the service and the client share the machine.',
    );
  } finally {
    await service.dispose();
  }
});
