/** API and worker with PostgreSQL and an identity provider, and without a cluster: for everything that people do. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClusterAccess } from '../../../base/kube/cluster-access.ts';
import pg from 'pg';
import { startApi, type Api } from '../../../api/api.ts';
import { startWorker, type WorkerProcess } from '../../../api/worker.ts';
import { readConfig } from '../../../api/config.ts';
import { Browser } from '../browser/browser.ts';
import { TestProvider } from './oidc-provider.ts';
import type { Person } from './oidc-provider-process.ts';
import { TestPostgres } from './postgres.ts';
import { freePorts } from '../../../tools/cluster/free-ports.ts';
import { eventually } from '../shell.ts';
import { silent } from './store.ts';

export const bootstrapToken = 'lhb_0123456789abcdefghij';

export interface Answered {
  readonly status: number;
  // Read as tests need it; text of another type as it is.
  // oxlint-disable-next-line typescript/no-explicit-any -- see above
  readonly json: any;
  readonly etag: string | undefined;
}

export interface Asked {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export class PeopleService {
  readonly folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-people-'));
  #postgres: TestPostgres | undefined;
  #api: Api | undefined;
  #worker: WorkerProcess | undefined;
  #provider: TestProvider | undefined;
  url = '';
  databaseUrl = '';

  /** `settings`: environment of the API, without the prefix `LEDGERHOUSE_API_`. */
  static async start(settings: Readonly<Record<string, string>> = {}): Promise<PeopleService> {
    const service = new PeopleService();
    const [port = 0, providerPort = 0] = await freePorts(2);
    service.url = `http://127.0.0.1:${port}`;
    service.#provider = new TestProvider(providerPort, `${service.url}/auth/callback`);
    await service.#provider.start();
    service.#postgres = await TestPostgres.create();
    service.databaseUrl = await service.#postgres.createDatabase();
    const file = (name: string, text: string) => {
      writeFileSync(join(service.folder, name), text);
      return join(service.folder, name);
    };
    const options = {
      kubeConfig: noCluster(),
      logger: silent,
      config: readConfig({
        LEDGERHOUSE_API_DATABASE_URL: service.databaseUrl,
        LEDGERHOUSE_API_LISTEN: `127.0.0.1:${port}`,
        LEDGERHOUSE_API_HEALTH_LISTEN: '127.0.0.1:0',
        LEDGERHOUSE_API_PUBLIC_URL: service.url,
        LEDGERHOUSE_API_SIGNING_KEY_FILE: file('key', 'k'.repeat(48)),
        LEDGERHOUSE_API_BOOTSTRAP_TOKEN_FILE: file('token', bootstrapToken),
        LEDGERHOUSE_API_OIDC_ISSUER: service.#provider.issuer,
        LEDGERHOUSE_API_OIDC_CLIENT_ID: 'ledgerhouse',
        LEDGERHOUSE_API_OIDC_CLIENT_SECRET_FILE: file('client-secret', 'client-secret'),
        LEDGERHOUSE_API_MAIL_FOLDER: join(service.folder, 'mail'),
        LEDGERHOUSE_API_MAIL_FROM: 'Ledgerhouse <ledger@example.com>',
        ...Object.fromEntries(
          Object.entries(settings).map(([name, value]) => [`LEDGERHOUSE_API_${name}`, value]),
        ),
      }),
    };
    service.#api = await startApi(options);
    service.#worker = await startWorker(options);
    await Promise.all([service.#api.storeReady, service.#worker.storeReady]);
    return service;
  }

  get provider(): TestProvider {
    if (this.#provider === undefined) throw new Error('the service is not running');
    return this.#provider;
  }

  /** A browser in which this person has signed in. */
  async signIn(person: Person): Promise<Browser> {
    await this.provider.order({ person });
    const browser = new Browser();
    const page = await browser.open(`${this.url}/auth/login`);
    if (page.status !== 200) throw new Error(`${page.status}: ${page.text}`);
    return browser;
  }

  async administrator(token = bootstrapToken): Promise<Browser> {
    const browser = new Browser();
    const form = { token };
    await browser.open(`${this.url}/auth/administrator`);
    const page = await browser.open(`${this.url}/auth/administrator`, { form });
    if (page.status !== 200) throw new Error(`${page.status}: ${page.text}`);
    return browser;
  }

  /** Sends a request to the API as the person signed in to `as`, if there is one, or with these headers. */
  async ask(as: Browser | undefined, path: string, asked: Asked = {}): Promise<Answered> {
    const cookies = as?.cookiesOf(this.url);
    const answer = await fetch(`${this.url}/api/v1${path}`, {
      method: asked.method ?? 'GET',
      headers: {
        ...(cookies && {
          cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
          'x-csrf-token': cookies.get('__Host-csrf') ?? '',
        }),
        ...(asked.body !== undefined && { 'content-type': 'application/json' }),
        ...asked.headers,
      },
      ...(asked.body !== undefined && { body: JSON.stringify(asked.body) }),
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json') === true;
    return {
      status: answer.status,
      json: isJson ? JSON.parse(text) : text || undefined,
      etag: answer.headers.get('etag') ?? undefined,
    };
  }

  /** Runs a statement in the API's own database, for changes that no request makes, such as the passing of days. */
  async alter(statement: string): Promise<void> {
    const client = new pg.Client({ connectionString: this.databaseUrl });
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  }

  /** The newest mail to that address, waited for. */
  mailTo(address: string): Promise<string> {
    return eventually(`a mail to ${address} comes`, async () => {
      const folder = join(this.folder, 'mail');
      const mails = readdirSync(folder)
        .filter((name) => name.endsWith('.eml'))
        .sort()
        .map((name) => readFileSync(join(folder, name), 'utf8'));
      const found = mails.findLast((text) => text.includes(`To: ${address}`));
      if (found === undefined) throw new Error('not yet');
      // Quoted-printable, as mail is.
      return found
        .replaceAll(/=\r?\n/g, '')
        .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) =>
          String.fromCharCode(Number.parseInt(hex, 16)),
        );
    });
  }

  /** What Prometheus reads of the worker. */
  async workerMetrics(): Promise<string> {
    const answer = await fetch(`http://127.0.0.1:${this.#worker?.healthPort}/metrics`);
    return answer.text();
  }

  async stop(): Promise<void> {
    await this.#api?.stop(5_000);
    await this.#worker?.stop(5_000);
    await this.#provider?.stop();
    await this.#postgres?.remove();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The way to a cluster that does not exist: people's actions do not use it, but the API requires one. */
const noCluster = (): ClusterAccess => ({
  getCurrentCluster: () => ({ name: 'none', server: 'http://127.0.0.1:1', skipTLSVerify: false }),
  applyToHTTPSOptions: () => Promise.resolve(),
  createDispatcherOptions: () => ({ type: 'agent', connect: {} }),
});
