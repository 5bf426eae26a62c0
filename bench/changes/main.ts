/**
 * `make bench-changes`: how long a client waits while a database is changed, beside what the preview promises. The whole service as
 * `make up` installs it, a database made over HTTP, and an official client in a pod that writes one transfer after the other; then
 * each change alone, and again while the API, the worker, the operator or the engine is killed in the middle. Fails only if a
 * change does, or if the ledger has not exactly what was acknowledged. About half an hour; PART=one, shape or six makes a part of it, and
 * DEEDS=1 only its first change; shape and six take twelve minutes each. TRANSFERS=10000000 fills the ledger before.
 */
import { loadavg } from 'node:os';
import {
  changesShape,
  deedsOfOne,
  deedsOfShape,
  deedsOfSix,
  type Deed,
  type Part,
} from './deeds.ts';
import { labels } from '../../domain/names.ts';
import { resources, type Pod } from '../../domain/kinds.ts';
import type { ShapeStep } from '../../api/configuration/change-jobs.ts';
import type {
  AcceptedChange,
  Change,
  ChangeAnswer,
  ChangePreview,
  CreatedDatabase,
  JobAnswer,
  RecoveryWindowAnswer,
} from '../../gen/api.ts';
import { SteadyHttpWriter } from '../../test/support/api/steady-http-writer.ts';
import { HttpService } from '../../test/support/api/http-service.ts';
import { systemNamespace } from '../../test/support/cluster/installation.ts';
import { LocalService } from '../../test/support/cluster/local-service.ts';
import { kill, livingPods } from '../../test/support/cluster/pods.ts';
import { SteadyWriter } from '../../test/support/engine/steady-writer.ts';
import type { Database as Resource } from '../../test/support/operator/operator-world.ts';
import { eventually } from '../../test/support/shell.ts';
import { Timeline } from './timeline.ts';
import { abortable, runInterruptible } from '../support/interruption.ts';
import { report, shownLoad, type Row } from '../support/report.ts';

const name = 'payments';
const patienceMs = 30 * 60_000;

/** What is measured: changes of one replica, of its shape, and as far as six replicas. */
const parts = ['one', 'shape', 'six'];
const only = process.env['PART'];
if (only !== undefined && !parts.includes(only)) throw new Error(`PART is ${parts.join(', ')}`);

const deedsMax = Number(process.env['DEEDS'] ?? Infinity);
const filled = Number(process.env['TRANSFERS'] ?? 0);
/** Rows, what is kept of earlier checkpoints, and the log. */
const storageGb = Math.ceil(1 + filled * 4e-7);

class ChangesBench {
  readonly #service: LocalService;
  readonly #http: HttpService;
  #path = '';
  #overHttp: SteadyHttpWriter | undefined;
  /** Changes after which the archive had a gap: the bench fails once it has shown all others. */
  readonly #gaps: string[] = [];

  constructor(service: LocalService) {
    this.#service = service;
    this.#http = new HttpService(service.credentials);
  }

  async run(): Promise<readonly Row[]> {
    const versions = await this.#addVersions();
    const { database } = await this.#http.ask<CreatedDatabase>('/databases', {
      method: 'POST',
      body: { name, clusterSize: 'lh-5', selectedStorageGb: storageGb },
    });
    this.#path = `/databases/${database.id}`;
    await this.#until('READY');
    const { cluster } = this.#service;
    const image = await cluster.image('ledger-client');
    const writer = await SteadyWriter.start(cluster, image, await this.#resource());
    await this.#fill();
    const rows: Row[] = [];
    const deeds = { one: deedsOfOne(versions), shape: deedsOfShape, six: deedsOfSix };
    for (const part of ['one', 'shape', 'six'] as const) {
      if (only !== undefined && only !== part) continue;
      for (const deed of deeds[part].slice(0, deedsMax))
        rows.push(...(await this.#measured(writer, deed)));
      if (part === 'one') rows.push(...(await this.#stoppedAndStarted(writer)));
    }
    if (filled > 0) expectSame('while it was filled', filled, await this.#filled(0, 0));
    const credited = await writer.stop();
    expectSame('to the official client', writer.acknowledged, credited);
    const overHttp = this.#overHttp;
    if (overHttp !== undefined) {
      const creditedThere = await overHttp.stop();
      expectSame('over HTTP', overHttp.acknowledged, creditedThere);
    }
    if (this.#gaps.length > 0) throw new Error(`the archive has gaps: ${this.#gaps.join('; ')}`);
    return rows;
  }

  /** In parts: whatever stands between ends a command that lasts. */
  async #fill(): Promise<void> {
    const began = Date.now();
    const partMax = 500_000;
    for (let from = 0; from < filled; from += partMax)
      await this.#filled(from, Math.min(filled, from + partMax));
    if (filled > 0)
      console.log(`filled ${filled} transfers in ${Math.round((Date.now() - began) / 1_000)} s`);
  }

  /** Makes these transfers of the filling, and gives how many there are by the balance. */
  async #filled(from: number, to: number): Promise<string> {
    const { metadata, status } = await this.#resource();
    const { namespace = '' } = metadata;
    const at = `--addresses=${status?.addresses ?? ''}`;
    const command = ['/bin/node', '/app/main.js', 'fill', String(from), String(to), at];
    const where = ['-n', namespace, 'exec', `client-of-${name}`, '--'];
    return (await this.#service.cluster.kubectl(...where, ...command)).trim();
  }

  async #measured(writer: SteadyWriter, deed: Deed): Promise<readonly Row[]> {
    const { body } = deed;
    const { preview } = await this.#post<ChangePreview>('/changes/preview', body);
    const goal = preview.impact.longestWaitSeconds;
    const began = Date.now();
    const carryOut = async () => {
      const before = await this.#resource();
      const { change } = await this.#post<AcceptedChange>('/changes', body);
      const applied = this.#untilChange(change.id, ({ status }) => status === 'APPLIED');
      const { cluster } = this.#service;
      const timeline = changesShape(deed) ? new Timeline(cluster, name) : undefined;
      const moved = changesShape(deed) ? this.#follow(writer, before, applied) : undefined;
      await this.#kill(change, deed);
      await applied;
      await moved;
      for (const line of (await timeline?.stop()) ?? []) console.log(line);
      await this.#showSteps(change);
    };
    const rows: Row[] = [];
    if (changesShape(deed)) {
      this.#overHttp ??= await SteadyHttpWriter.start(this.#http, this.#path);
      const overHttp = this.#overHttp;
      let waited = 0;
      rows.push(
        rowOf(
          deed.name,
          await writer.during(async () => (waited = await overHttp.during(carryOut))),
          goal,
        ),
        { ...rowOf(deed.name, waited, goal), name: `${deed.name}: the same over HTTP` },
      );
      console.log(`refused over HTTP: ${JSON.stringify(Object.fromEntries(overHttp.refusals))}`);
    } else {
      rows.push(rowOf(deed.name, await writer.during(carryOut), goal));
    }
    for (const row of rows) console.log(JSON.stringify(row));
    if (deed.archived) await this.#untilArchived(deed.name);
    console.log(`applied in ${Math.round((Date.now() - began) / 1_000)} s`);
    return rows;
  }

  /** Has the writer go on at the addresses that the database has, each time that they are others, as soon as they are told. */
  async #follow(writer: SteadyWriter, before: Resource, applied: Promise<unknown>): Promise<void> {
    let { uid } = before.metadata;
    let isOver = false;
    const over = applied.then(
      () => (isOver = true),
      () => (isOver = true),
    );
    for (let last = false; ; last = isOver) {
      // In the gap there is none.
      const now = await this.#resource().catch(() => undefined);
      if (now?.status?.addresses !== undefined && now.metadata.uid !== uid) {
        await writer.reconnect(this.#service.cluster, now);
        ({ uid } = now.metadata);
      }
      if (last) return;
      await Promise.race([over, new Promise((resolve) => setTimeout(resolve, 100))]);
    }
  }

  /** Kills each part when its time has come. */
  async #kill({ id, jobId }: Change, { kills = [] }: Deed): Promise<void> {
    for (const { part, at } of kills) {
      if (at === undefined) await this.#untilChange(id, ({ progress }) => progress !== null);
      else await this.#untilStep(jobId ?? '', at);
      // All of them: of two, the other one would go on without a break.
      const pods = await this.#somePodsOf(part, id);
      for (const pod of pods) await kill(this.#service.cluster, pod);
      console.log(`killed ${pods.map(({ metadata }) => metadata.name).join(' ')} ${at ?? ''}`);
    }
  }

  /** Waits until the archive has what is written from now on, and notes whether something before it is missing. */
  async #untilArchived(what: string): Promise<void> {
    const since = new Date().toISOString();
    const path = `${this.#path}/recovery-window`;
    const { earliest, latest, gaps } = await eventually(
      'the archive has what is written now',
      async () => {
        const { recoveryWindow } = await this.#http.ask<RecoveryWindowAnswer>(path);
        if ((recoveryWindow.latest?.time ?? '') > since) return recoveryWindow;
        throw new Error(JSON.stringify(recoveryWindow));
      },
      patienceMs,
    );
    console.log(`archived from ${earliest?.op} to ${latest?.op}; gaps: ${JSON.stringify(gaps)}`);
    if (gaps.length > 0) this.#gaps.push(what);
  }

  /** None if the change is over before there is one. */
  #somePodsOf(part: Part, changeId: string): Promise<readonly Pod[]> {
    return eventually(`a pod of ${part}`, async () => {
      const living = await this.#podsOf(part);
      if (living.length > 0) return living;
      const { change } = await this.#http.ask<ChangeAnswer>(`${this.#path}/changes/${changeId}`);
      return change.status === 'APPLYING' ? undefined : [];
    });
  }

  /** How long each step of the job took. */
  async #showSteps({ jobId }: Change): Promise<void> {
    const { job } = await this.#http.ask<JobAnswer>(`/jobs/${jobId}`);
    const at = (time: string | null) => Date.parse(time ?? new Date().toISOString());
    const shown = job.steps.map(
      (step) => `${step.name} ${(at(step.finishedAt) - at(step.startedAt)) / 1_000} s`,
    );
    console.log(`steps: ${shown.join(', ')}`);
  }

  #untilStep(jobId: string, step: ShapeStep): Promise<true> {
    return eventually(
      `the step ${step}`,
      async () => {
        const { job } = await this.#http.ask<JobAnswer>(`/jobs/${jobId}`);
        const isOver = job.status === 'SUCCEEDED' || job.status === 'FAILED';
        const begun = job.steps.some(
          ({ name: of, startedAt }) => of === step && startedAt !== null,
        );
        if (begun || isOver) return true as const;
        throw new Error(JSON.stringify(job.progress));
      },
      patienceMs,
    );
  }

  /** Until a client is answered again after the request to start it; once more, with the operator killed after each request. */
  async #stoppedAndStarted(writer: SteadyWriter): Promise<readonly Row[]> {
    const rows: Row[] = [];
    for (const kills of [[], [{ part: 'ledgerhouse-operator' }]] as const) {
      const deed = { name: 'stopped and started again', body: {}, kills };
      const { change } = await this.#post<AcceptedChange>('/changes', { suspended: true });
      await this.#kill(change, deed);
      await this.#untilChange(change.id, ({ status }) => status === 'APPLIED');
      const began = Date.now();
      const resumed = await this.#post<AcceptedChange>('/changes', { suspended: false });
      await this.#kill(resumed.change, deed);
      await writer.answered();
      const value = (Date.now() - began) / 1_000;
      await this.#untilChange(resumed.change.id, ({ status }) => status === 'APPLIED');
      const how = kills.length > 0 ? ', operator killed twice' : '';
      rows.push(rowOf(`${deed.name}${how}, from the request to start`, value, null));
      console.log(JSON.stringify(rows.at(-1)));
    }
    return rows;
  }

  /** Gives the catalog two later versions of the engine, each with another image, so that pods are replaced. Returns their names. */
  async #addVersions(): Promise<readonly [string, string]> {
    const { cluster } = this.#service;
    const text = await cluster.kubectl('get', 'lcat', 'default', '-o', 'json');
    const { spec } = JSON.parse(text) as {
      spec: {
        engines: {
          name: string;
          defaultVersion: string;
          versions: { version: string; image: string }[];
        }[];
      };
    };
    const at = spec.engines.findIndex((engine) => engine.name === 'Builtin');
    const engine = spec.engines[at];
    const first = engine?.versions.find((row) => row.version === engine.defaultVersion);
    if (first === undefined) throw new Error('the catalog has no version of the built-in engine');
    const next = {
      ...first,
      version: `${first.version}-next`,
      image: await cluster.image('engine-next'),
      upgradableFrom: [first.version],
    };
    const later = {
      ...first,
      version: `${first.version}-next2`,
      upgradableFrom: [next.version],
    };
    const patch = [next, later].map((value) => ({
      op: 'add',
      path: `/spec/engines/${at}/versions/-`,
      value,
    }));
    await cluster.kubectl('patch', 'lcat', 'default', '--type=json', '-p', JSON.stringify(patch));
    return [next.version, later.version];
  }

  async #resource(): Promise<Resource> {
    const all = await this.#service.cluster.list<Resource>(resources.database);
    const found = all.find(({ metadata }) => metadata.name === name);
    if (found === undefined) throw new Error(`there is no LedgerDatabase ${name}`);
    return found;
  }

  async #podsOf(part: Part) {
    const { cluster } = this.#service;
    if (part !== 'engine' && part !== 'job') {
      return livingPods(cluster, systemNamespace, `app.kubernetes.io/name=${part}`);
    }
    const { namespace = '', uid } = (await this.#resource()).metadata;
    const role = part === 'job' ? part : 'replica';
    return livingPods(cluster, namespace, `${labels.uid}=${uid},${labels.role}=${role}`);
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
      const { change } = await this.#http.ask<ChangeAnswer>(`${this.#path}/changes/${id}`);
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

function expectSame(how: string, acknowledged: number, credited: string | undefined): void {
  if (credited !== String(acknowledged))
    throw new Error(
      `acknowledged ${how} were ${acknowledged} transfers; the ledger has ${credited}`,
    );
  console.log(`${credited} transfers were acknowledged ${how}, and the ledger has each once.`);
}

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
