/** The whole service as it runs: the processes of API and worker, PostgreSQL, a control plane, the operator, and engines for its databases. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { resources } from '../../../domain/kinds.ts';
import type {
  ApiKeyWithSecret,
  CreatedDatabase,
  JobAnswer,
  ServiceHealth,
} from '../../../gen/api.ts';
import { TestEngine } from '../engine/engine.ts';
import { startOperatorWorld, type OperatorWorld } from '../operator/operator-world.ts';
import { TestPostgres } from './postgres.ts';
import { bareEnvironment, checkout, eventually } from '../shell.ts';
import {
  startTestOperator,
  type TestOperator,
  type TestOperatorOptions,
} from '../operator/test-operator.ts';

export const bootstrapToken = 'lhb_0123456789abcdefghij';
export const signingKey = 'k'.repeat(48);

export type Headers = Readonly<Record<string, string>>;
type Permission = 'db:read' | 'db:write';

interface TestServiceOptions {
  /** Environment of API and worker, without the prefix `LEDGERHOUSE_API_`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Returns the path of the kubeconfig of the API or the worker; by default the administrator's. */
  readonly kubeconfig?: (world: OperatorWorld, program: Program) => Promise<string>;
  /** More options of the operator, such as the store of backups. */
  readonly operator?: Partial<TestOperatorOptions>;
}

export type Program = 'api' | 'worker';

/** One of our processes, with its output so far and the ports it listens on. */
interface RunningProgram {
  readonly child: ChildProcess;
  readonly said: { log: string };
  readonly ports: { readonly port?: number; readonly healthPort: number };
}

const entries: Readonly<Record<Program, string>> = {
  api: 'api/main.ts',
  worker: 'api/worker-main.ts',
};

export class TestService {
  /** Folder that is removed with the service. */
  readonly folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-service-'));
  readonly #engines: TestEngine[] = [];
  #postgres: TestPostgres | undefined;
  #world: OperatorWorld | undefined;
  #operator: TestOperator | undefined;
  #operatorOptions: Partial<TestOperatorOptions> = {};
  #api: RunningProgram | undefined;
  #worker: RunningProgram | undefined;
  /** Workers beside which another one was started. */
  readonly #replaced: ChildProcess[] = [];
  #env: Readonly<Record<Program, Readonly<Record<string, string>>>> = { api: {}, worker: {} };
  #administrator: Headers | undefined;
  #databaseUrl = '';
  /** The API's address without a path. */
  url = '';
  healthUrl = '';

  static async start(options: TestServiceOptions = {}): Promise<TestService> {
    const service = new TestService();
    try {
      await service.#start(options);
    } catch (error) {
      await service.stop();
      throw error;
    }
    return service;
  }

  get world(): OperatorWorld {
    if (this.#world === undefined) throw new Error('the service is not running');
    return this.#world;
  }

  /** The API process's output so far. */
  get log(): string {
    return this.#api?.said.log ?? '';
  }

  /** Runs a statement in the API's own database, for changes that no request makes, such as the passing of days. */
  async alter(statement: string, values: readonly unknown[] = []): Promise<void> {
    await this.query(statement, values);
  }

  /** Runs a statement in the API's own database, and commits it when `meanwhile` is done, as a slow writer would. */
  async alterAround(statement: string, meanwhile: () => Promise<void>): Promise<void> {
    const client = new pg.Client({ connectionString: this.#databaseUrl });
    await client.connect();
    try {
      await client.query('BEGIN');
      await client.query(statement);
      await meanwhile();
      await client.query('COMMIT');
    } finally {
      await client.end();
    }
  }

  /** Reads rows of the API's own database, for what no answer shows. */
  async query(
    statement: string,
    values: readonly unknown[] = [],
  ): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const client = new pg.Client({ connectionString: this.#databaseUrl });
    await client.connect();
    try {
      const { rows } = await client.query<Record<string, unknown>>(statement, [...values]);
      return rows;
    } finally {
      await client.end();
    }
  }

  /** Exit code of the API; undefined while it runs. */
  get apiExitCode(): number | null | undefined {
    return this.#api?.child.exitCode ?? undefined;
  }

  get workerHealthUrl(): string {
    return `http://127.0.0.1:${this.#worker?.ports.healthPort ?? 0}`;
  }

  /** Starts the worker's process and waits until it is ready. */
  async startWorker(): Promise<void> {
    this.#worker = await startProgram('worker', this.#env.worker);
  }

  /** Ends the worker's process. SIGKILL: it has no time to say so. */
  async stopWorker(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    await stopProgram(this.#worker, signal);
    this.#worker = undefined;
  }

  /** Freezes the worker's process, as a machine does that is paused, and starts another. Returns what lets it go on. */
  async replaceFrozenWorker(): Promise<() => void> {
    const frozen = this.#worker?.child;
    if (frozen === undefined) throw new Error('there is no worker');
    this.#replaced.push(frozen);
    frozen.kill('SIGSTOP');
    await this.startWorker();
    return () => void frozen.kill('SIGCONT');
  }

  async startOperator(): Promise<void> {
    this.#operator ??= await startTestOperator({
      kubeConfig: this.world.kubeConfig,
      ...this.#operatorOptions,
    });
  }

  async stopOperator(): Promise<void> {
    await this.#operator?.stop();
    this.#operator = undefined;
  }

  /** Headers of the administrator whom the bootstrap token created. */
  async administrator(): Promise<Headers> {
    this.#administrator ??= await this.openSession();
    return this.#administrator;
  }

  async openSession(): Promise<Headers> {
    const answer = await this.#post('/session/administrator', {}, { token: bootstrapToken });
    const { csrfToken } = (await answer.json()) as { csrfToken: string };
    const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
    return { cookie: cookies.join('; '), 'x-csrf-token': csrfToken };
  }

  /** A key of the first organization; for all databases unless `more` says otherwise. */
  async makeKey(
    permissions: readonly Permission[],
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<ApiKeyWithSecret> {
    const body = { name: permissions.join(), permissions, ...more };
    const answer = await this.#post('/api-keys', await this.administrator(), body);
    return (await answer.json()) as ApiKeyWithSecret;
  }

  /** Creates a database and waits until it is READY. */
  async createDatabase(headers: Headers, request: object): Promise<CreatedDatabase> {
    const answer = await this.#post('/databases', headers, request);
    const created = (await answer.json()) as CreatedDatabase;
    await eventually(`${created.database.name} is made`, async () => {
      const response = await fetch(`${this.url}/api/v1/jobs/${created.job.id}?waitSeconds=10`, {
        headers,
      });
      const { job } = (await response.json()) as JobAnswer;
      if (job.status !== 'SUCCEEDED') throw new Error(JSON.stringify(job));
      return true;
    });
    return created;
  }

  /**
   * An engine takes the place of a database's pods, in which nothing runs on this control plane. The operator would put its
   * addresses back, so it rests from then on.
   */
  async startEngine({ name, clusterId }: CreatedDatabase['database']): Promise<TestEngine> {
    await this.stopOperator();
    const engine = await TestEngine.create({ cluster: BigInt(clusterId ?? 0) });
    this.#engines.push(engine);
    const found = (await this.world.kube.list(resources.database)).find(
      ({ metadata }) => metadata.name === name,
    );
    await this.world.kube.mergePatch(
      { resource: resources.database, namespace: found?.metadata.namespace ?? '', name },
      { status: { addresses: `127.0.0.1:${engine.port}` } },
      { fieldManager: 'test', subresource: 'status' },
    );
    return engine;
  }

  async stop(): Promise<void> {
    for (const engine of this.#engines) await engine.dispose();
    for (const child of this.#replaced) child.kill('SIGKILL');
    await Promise.all([this.stopWorker(), stopProgram(this.#api, 'SIGTERM')]);
    await this.stopOperator();
    await this.#world?.stop();
    await this.#postgres?.remove();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #start({ settings, kubeconfig, operator = {} }: TestServiceOptions): Promise<void> {
    this.#operatorOptions = operator;
    this.#postgres = await TestPostgres.create();
    this.#world = await startOperatorWorld();
    await this.startOperator();
    const files = { token: bootstrapToken, key: signingKey };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.folder, name), text);
    this.#databaseUrl = await this.#postgres.createDatabase();
    const all = {
      DATABASE_URL: this.#databaseUrl,
      LISTEN: '127.0.0.1:0',
      HEALTH_LISTEN: '127.0.0.1:0',
      SIGNING_KEY_FILE: join(this.folder, 'key'),
      BOOTSTRAP_TOKEN_FILE: join(this.folder, 'token'),
      ...settings,
    };
    const env = Object.entries(all).map(([name, value]) => [`LEDGERHOUSE_API_${name}`, value]);
    const envOf = async (program: Program) => ({
      KUBECONFIG: (await kubeconfig?.(this.world, program)) ?? this.world.plane.kubeconfig,
      ...Object.fromEntries(env),
    });
    this.#env = { api: await envOf('api'), worker: await envOf('worker') };
    const started = await Promise.allSettled([this.#startApi(), this.startWorker()]);
    for (const one of started) if (one.status === 'rejected') throw one.reason;
    await eventually('the API has seen the worker', async () => {
      const health = (await (await fetch(`${this.url}/api/v1/health`)).json()) as ServiceHealth;
      const worker = health.components.find(({ name }) => name === 'worker');
      if (worker?.status !== 'OK') throw new Error(JSON.stringify(health));
      return true;
    });
  }

  async #startApi(): Promise<void> {
    this.#api = await startProgram('api', this.#env.api);
    const { port = 0, healthPort } = this.#api.ports;
    this.url = `http://127.0.0.1:${port}`;
    this.healthUrl = `http://127.0.0.1:${healthPort}`;
  }

  async #post(path: string, headers: Headers, body: object): Promise<Response> {
    const answer = await fetch(`${this.url}/api/v1${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  }
}

async function startProgram(
  program: Program,
  env: Readonly<Record<string, string>>,
): Promise<RunningProgram> {
  const child = spawn(process.execPath, [entries[program]], {
    cwd: checkout,
    env: { ...bareEnvironment, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { log: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (said.log += chunk.toString()));
  }
  try {
    const ports = await eventually(`the ${program} has started`, async () => {
      if (child.exitCode !== null) throw new Error(said.log);
      const line = said.log.split('\n').find((one) => one.includes('"msg":"started"'));
      return line === undefined ? undefined : (JSON.parse(line) as RunningProgram['ports']);
    });
    await eventually(`the ${program} is ready`, async () => {
      const answer = await fetch(`http://127.0.0.1:${ports.healthPort}/readyz`);
      if (!answer.ok) throw new Error(await answer.text());
      return true;
    });
    return { child, said, ports };
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

async function stopProgram(
  running: RunningProgram | undefined,
  signal: 'SIGTERM' | 'SIGKILL',
): Promise<void> {
  if (running === undefined || running.child.exitCode !== null) return;
  const ended = once(running.child, 'exit');
  running.child.kill(signal);
  await ended;
}
