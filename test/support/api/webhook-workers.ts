/** Processes of the worker with a PostgreSQL of their own and no cluster: they deliver webhooks and change events, and may be killed at any moment. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Organization } from '../../../api/store/organizations.ts';
import type { Store } from '../../../api/store/store.ts';
import { bareEnvironment, checkout, eventually } from '../shell.ts';
import { TestPostgres } from './postgres.ts';
import { openTestStore, signingKeyBytes } from './store.ts';

/** A cluster that does not answer: webhooks do not need one. */
const kubeconfig = `apiVersion: v1
kind: Config
clusters: [{ name: none, cluster: { server: 'http://127.0.0.1:1' } }]
users: [{ name: nobody, user: {} }]
contexts: [{ name: none, context: { cluster: none, user: nobody } }]
current-context: none
`;

export class WebhookWorkers {
  readonly #folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-webhooks-'));
  readonly #postgres: TestPostgres;
  readonly #url: string;
  readonly store: Store;
  readonly organization: Organization;
  readonly #children = new Set<ChildProcess>();
  #started = 0;

  private constructor(
    postgres: TestPostgres,
    url: string,
    store: Store,
    organization: Organization,
  ) {
    this.#postgres = postgres;
    this.#url = url;
    this.store = store;
    this.organization = organization;
    writeFileSync(join(this.#folder, 'key'), signingKeyBytes);
    writeFileSync(join(this.#folder, 'kubeconfig'), kubeconfig);
  }

  get organizationId(): string {
    return this.organization.id;
  }

  static async create(): Promise<WebhookWorkers> {
    const postgres = await TestPostgres.create();
    const { store, organization, url } = await openTestStore(postgres);
    return new WebhookWorkers(postgres, url, store, organization);
  }

  /** Starts a worker's process and waits until it works. */
  async start(): Promise<ChildProcess> {
    this.#started += 1;
    const identity = `worker-${this.#started}`;
    const child = spawn(process.execPath, ['api/worker-main.ts'], {
      cwd: checkout,
      env: {
        ...bareEnvironment,
        KUBECONFIG: join(this.#folder, 'kubeconfig'),
        LEDGERHOUSE_API_DATABASE_URL: this.#url,
        LEDGERHOUSE_API_IDENTITY: identity,
        LEDGERHOUSE_API_HEALTH_LISTEN: '127.0.0.1:0',
        LEDGERHOUSE_API_SIGNING_KEY_FILE: join(this.#folder, 'key'),
        LEDGERHOUSE_API_WEBHOOK_RANGES: '127.0.0.0/8',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#children.add(child);
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-100_000)));
    }
    await eventually(`${identity} works`, async () => {
      if (child.exitCode !== null) throw new Error(said);
      const found = await this.store.read
        .selectFrom('workers')
        .select('id')
        .where('id', '=', identity)
        .executeTakeFirst();
      if (found === undefined) throw new Error(said);
      return true;
    });
    return child;
  }

  /** Ends a process; SIGKILL leaves it no time. */
  async end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.#children.delete(child);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  /** Ends all processes that still run, frozen ones too. */
  async endAll(): Promise<void> {
    await Promise.all([...this.#children].map((child) => this.end(child, 'SIGKILL')));
  }

  async stop(): Promise<void> {
    await this.endAll();
    await this.store.close();
    await this.#postgres.remove();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
