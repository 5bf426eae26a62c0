/** The operator as it is shipped: a process of its own, of compiled code, found by nothing but its metrics and its log. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { waitFor } from '../../tools/cluster/run.ts';
import { memoryOf, type Memory } from '../support/process-figures.ts';
import { shippedProgram } from '../support/shipped-program.ts';

/** Requests to the API server by `verb resource`. */
export type Requests = ReadonlyMap<string, number>;

interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly port?: number;
  readonly why?: string;
  readonly err?: { readonly message: string };
}

interface Warning {
  readonly times: number;
  /** The first error that came with this warning. */
  readonly example: string;
}

const warning = 40;

export class OperatorProcess {
  readonly #child: ChildProcess;
  readonly #warnings = new Map<string, Warning>();
  #port: number | undefined;
  #requests: Requests = new Map();
  #memory: Memory = { residentMib: 0, peakMib: 0 };
  #lastWords = '';
  #isAskedToEnd = false;
  /** When it began to lead, by `performance.now()`. */
  leadsSinceMs: number | undefined;

  /** `onEnd`: called if the operator ends without being asked to. */
  constructor(kubeconfig: string, identity: string, onEnd: (how: string) => void) {
    this.#child = spawn(process.execPath, shippedProgram('operator'), {
      env: {
        PATH: process.env['PATH'],
        NODE_ENV: 'production',
        KUBECONFIG: kubeconfig,
        LEDGERHOUSE_OPERATOR_IDENTITY: identity,
        LEDGERHOUSE_OPERATOR_LISTEN: '127.0.0.1:0',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
      // The terminal's Ctrl-C does not reach it: the benchmark ends it in turn.
      detached: true,
    });
    const { stdout } = this.#child;
    if (stdout === null) throw new Error('the operator has no output');
    createInterface({ input: stdout }).on('line', (line) => this.#take(line));
    // At `close` all of its output has been read.
    this.#child.once('close', (code, signal) => {
      if (!this.#isAskedToEnd) onEnd(`${code ?? signal}: ${this.#lastWords}`);
    });
  }

  get runs(): boolean {
    const { exitCode, signalCode } = this.#child;
    return exitCode === null && signalCode === null;
  }

  /** Resolves when the operator's caches are filled and it stands by or leads. */
  async whenReady(): Promise<void> {
    await waitFor(
      'an operator that is ready',
      async () => {
        if (this.#port === undefined) return undefined;
        return (await this.#get('/readyz')).ok ? true : undefined;
      },
      { timeoutMs: 60_000, everyMs: 50 },
    );
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Memory of the operator. For an ended process, the last known value. */
  memory(): Memory {
    if (this.runs) this.#memory = memoryOf(this.pid);
    return this.#memory;
  }

  /** Requests by the operator's own count, each as it went over the wire. For an ended process, the last known count. */
  async requests(): Promise<Requests> {
    this.memory();
    if (!this.runs || this.#port === undefined) return this.#requests;
    const requests = new Map<string, number>();
    const text = await this.#metrics().catch((error: unknown) => {
      if (this.runs) throw error;
      return undefined;
    });
    if (text === undefined) return this.#requests;
    for (const line of text.split('\n')) {
      const [, labels = '', count] =
        /^ledgerhouse_operator_api_requests_total\{(.+)\} (\d+)$/.exec(line) ?? [];
      if (count === undefined) continue;
      const label = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(labels)?.[1] ?? '';
      const key = `${label('verb')} ${label('resource')}`;
      requests.set(key, (requests.get(key) ?? 0) + Number(count));
    }
    this.#requests = requests;
    return requests;
  }

  /** Databases looked at since it started, each time counted. */
  async reconciles(): Promise<number> {
    const pattern = /^ledgerhouse_operator_reconcile_total\{.*kind="LedgerDatabase".*\} (\d+)$/gm;
    return [...(await this.#metrics()).matchAll(pattern)].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    );
  }

  /** Log lines above level info, with their counts. */
  get warnings(): ReadonlyMap<string, Warning> {
    return this.#warnings;
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.#isAskedToEnd = true;
    if (!this.runs) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill(signal);
    const late = setTimeout(() => this.#child.kill('SIGKILL'), 20_000);
    await ended;
    clearTimeout(late);
  }

  async #metrics(): Promise<string> {
    return (await this.#get('/metrics')).text();
  }

  #get(path: string): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.#port}${path}`, { signal: AbortSignal.timeout(30_000) });
  }

  #take(line: string): void {
    const { level, msg, port, why, err } = JSON.parse(line) as LogLine;
    if (msg === 'started') this.#port = port;
    if (msg === 'leading') this.leadsSinceMs = performance.now();
    if (level < warning) return;
    const detail = why ?? err?.message ?? '';
    this.#lastWords = `${msg} (${detail})`;
    const { times = 0, example } = this.#warnings.get(msg) ?? {};
    this.#warnings.set(msg, { times: times + 1, example: example ?? detail });
  }
}
