/** The API as it is shipped: a process of its own, of compiled code, its log in a file. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '../../tools/cluster/run.ts';
import { shippedProgram } from '../support/shipped-program.ts';

interface ApiProcessOptions {
  /** Folder for the API's log. */
  readonly folder: string;
  readonly kubeconfig: string;
  /** Names without `LEDGERHOUSE_API_`. */
  readonly settings: Readonly<Record<string, string>>;
  /** Further flags for Node, such as --cpu-prof. */
  readonly nodeFlags: readonly string[];
}

export class ApiProcess {
  readonly #child: ChildProcess;
  readonly #log: string;
  #ports: { readonly port: number; readonly healthPort: number } | undefined;

  constructor({ folder, kubeconfig, settings, nodeFlags }: ApiProcessOptions) {
    this.#log = join(folder, 'api.log');
    const log = openSync(this.#log, 'w');
    this.#child = spawn(process.execPath, [...nodeFlags, ...shippedProgram('api')], {
      env: {
        PATH: process.env['PATH'],
        NODE_ENV: 'production',
        KUBECONFIG: kubeconfig,
        LEDGERHOUSE_API_LISTEN: '127.0.0.1:0',
        LEDGERHOUSE_API_HEALTH_LISTEN: '127.0.0.1:0',
        ...environmentOf(settings),
      },
      stdio: ['ignore', log, log],
      // The terminal's Ctrl-C does not reach it: the benchmark ends it in turn.
      detached: true,
    });
    closeSync(log);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#ports?.port ?? 0}`;
  }

  async whenReady(): Promise<void> {
    await waitFor(
      'an API that is ready',
      async () => {
        if (!this.#runs) throw new Error(`the API ended: ${this.#said.slice(-2_000)}`);
        const [, port, healthPort] =
          /"port":(\d+),"healthPort":(\d+),"msg":"started"/.exec(this.#said) ?? [];
        if (port === undefined) return undefined;
        this.#ports = { port: Number(port), healthPort: Number(healthPort) };
        return (await this.#health('/readyz')).ok ? true : undefined;
      },
      { timeoutMs: 60_000, everyMs: 100 },
    );
  }

  /** Requests to Kubernetes since the API started, by its own count. */
  async kubernetesRequests(): Promise<number> {
    const text = await (await this.#health('/metrics')).text();
    const pattern = /^ledgerhouse_api_kubernetes_api_requests_total\{.+\} (\d+)$/gm;
    const counts = [...text.matchAll(pattern)].map(([, count]) => Number(count));
    // The watches alone make some requests: a renamed metric must not look like no requests.
    if (counts.length === 0) throw new Error('the API does not say what it asks of Kubernetes');
    return counts.reduce((sum, count) => sum + count, 0);
  }

  async stop(): Promise<void> {
    if (!this.#runs) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const late = setTimeout(() => this.#child.kill('SIGKILL'), 10_000);
    await ended;
    clearTimeout(late);
  }

  get #runs(): boolean {
    const { exitCode, signalCode } = this.#child;
    return exitCode === null && signalCode === null;
  }

  get #said(): string {
    return readFileSync(this.#log, 'utf8');
  }

  #health(path: string): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.#ports?.healthPort ?? 0}${path}`, {
      signal: AbortSignal.timeout(10_000),
    });
  }
}

/** Settings as environment variables. */
export const environmentOf = (
  settings: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [`LEDGERHOUSE_API_${name}`, value]),
  );
