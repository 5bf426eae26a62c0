import { spawn } from 'node:child_process';
import { ensureProgram } from '../cluster/binaries.ts';
import { ClusterError, type ClusterConfig } from '../cluster/config.ts';
import { CommandError, run, waitFor } from '../cluster/run.ts';
import { systemNamespace } from './namespace.ts';
import type { Log } from './steps.ts';

export class Kubectl {
  readonly #program: string;
  readonly #kubeconfig: string;

  private constructor(program: string, kubeconfig: string) {
    this.#program = program;
    this.#kubeconfig = kubeconfig;
  }

  static async of(config: ClusterConfig): Promise<Kubectl> {
    return new Kubectl(await ensureProgram('kubectl'), config.kubeconfig);
  }

  say(...args: readonly string[]): Promise<string> {
    return run(this.#program, ['--kubeconfig', this.#kubeconfig, ...args]);
  }

  /** Tells whether an object exists, in our namespace or without a namespace. */
  has(kind: string, name: string): Promise<boolean> {
    return this.#succeeds('get', kind, name, '-n', systemNamespace);
  }

  async read<T>(...args: readonly string[]): Promise<T> {
    return JSON.parse(await this.say('get', ...args, '-o', 'json')) as T;
  }

  async secret(name: string, key: string): Promise<string> {
    const { data } = await this.read<{ data: Record<string, string> }>(
      'secret',
      name,
      '-n',
      systemNamespace,
    );
    return Buffer.from(data[key] ?? '', 'base64').toString();
  }

  /** Rejects with the next step for the user if the machine was restarted, or if `make up` has not come far enough. */
  async expectService(): Promise<void> {
    if (!(await this.#succeeds('get', '--raw=/livez', '--request-timeout=30s')))
      throw new ClusterError(
        'Kubernetes does not answer; make up continues from the current state',
      );
    if (!(await this.has('crd', 'ledgerdatabases.ledgerhouse.dev')))
      throw new ClusterError('Kubernetes is up, the service is not yet; run make up');
  }

  async overview(): Promise<string> {
    const pods = await this.say('get', 'pods', '-n', systemNamespace, '-o', 'wide');
    const databases = await this.say('get', 'ldb', '-A');
    return `${pods}\n${databases}`.trimEnd();
  }

  /** Waits until the API answers from this machine. */
  async waitForApi(baseUrl: string, log: Log): Promise<void> {
    await waitFor(
      `an answer of ${baseUrl}`,
      async () => {
        const answer = await fetch(`${baseUrl}/api/v1/openapi.json`, {
          signal: AbortSignal.timeout(5_000),
        });
        log(`${baseUrl} answered ${answer.status}`);
        return answer.ok ? true : undefined;
      },
      { timeoutMs: 120_000, everyMs: 500 },
    );
  }

  async #succeeds(...args: readonly string[]): Promise<boolean> {
    try {
      await this.say(...args);
      return true;
    } catch (error) {
      if (error instanceof CommandError) return false;
      throw error;
    }
  }

  /** Runs kubectl in the terminal until it is interrupted. */
  attach(...args: readonly string[]): Promise<void> {
    const child = spawn(this.#program, ['--kubeconfig', this.#kubeconfig, ...args], {
      stdio: 'inherit',
    });
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', () => resolve());
    });
  }
}

export async function follow(kubectl: Kubectl): Promise<void> {
  const selector =
    'app.kubernetes.io/name in (ledgerhouse-operator,ledgerhouse-api,ledgerhouse-worker)';
  const how = ['--follow', '--prefix', '--tail=50', '--max-log-requests=10'];
  await kubectl.attach('logs', '-n', systemNamespace, '-l', selector, ...how);
}
