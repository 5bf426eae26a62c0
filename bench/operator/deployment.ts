/** Two operators, of which one leads; one that ends by itself is started again, as Kubernetes would. */
import { waitFor } from '../../tools/cluster/run.ts';
import { OperatorProcess, type Requests } from './operator-process.ts';
import { cpuSecondsOf } from '../support/process-figures.ts';

const restartAfterMs = 1_000;

export class Deployment {
  readonly #kubeconfig: string;
  readonly #tell: (words: string) => void;
  readonly #all: OperatorProcess[] = [];
  readonly #restarts = new Set<NodeJS.Timeout>();
  #endedByThemselves = 0;
  #stopped = false;

  constructor(kubeconfig: string, tell: (words: string) => void) {
    this.#kubeconfig = kubeconfig;
    this.#tell = tell;
  }

  /** Starts one more and waits until its caches are filled. */
  async add(): Promise<OperatorProcess> {
    const operator = this.#spawn();
    await operator.whenReady();
    return operator;
  }

  get endedByThemselves(): number {
    return this.#endedByThemselves;
  }

  /** The one that leads, as soon as there is one. */
  async leader(): Promise<OperatorProcess> {
    return waitFor('an operator that leads', () => Promise.resolve(this.#leading()), {
      timeoutMs: 120_000,
      everyMs: 10,
    });
  }

  /** One that is ready and does not lead. */
  async standby(): Promise<OperatorProcess> {
    const leader = await this.leader();
    const standby = await waitFor(
      'an operator that stands by',
      () => Promise.resolve(this.#all.find((one) => one.runs && one !== leader)),
      { timeoutMs: 120_000 },
    );
    await standby.whenReady();
    return standby;
  }

  /** Sum over all processes. An ended process counts with its last known value. */
  async requests(): Promise<Requests> {
    const sum = new Map<string, number>();
    for (const requests of await Promise.all(this.#all.map((operator) => operator.requests()))) {
      for (const [key, count] of requests) sum.set(key, (sum.get(key) ?? 0) + count);
    }
    return sum;
  }

  /** The most that any of them ever had, in MiB. */
  get peakMib(): number {
    return Math.max(...this.#all.map((operator) => operator.memory().peakMib));
  }

  /** Processor time of the one that leads. */
  get cpuSeconds(): number {
    const leader = this.#leading();
    return leader === undefined ? 0 : cpuSecondsOf(leader.pid);
  }

  /** Log lines of the operators above level info. */
  get warnings(): readonly string[] {
    return this.#all.flatMap(({ warnings }, index) =>
      [...warnings].map(
        ([message, { times, example }]) =>
          `operator ${index + 1} said ${times} times: ${message} (${example})`,
      ),
    );
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const restart of this.#restarts) clearTimeout(restart);
    await Promise.all(this.#all.map((operator) => operator.end('SIGKILL')));
  }

  #leading(): OperatorProcess | undefined {
    return this.#all.findLast(({ runs, leadsSinceMs }) => runs && leadsSinceMs !== undefined);
  }

  #spawn(): OperatorProcess {
    const name = `operator-${this.#all.length + 1}`;
    const operator = new OperatorProcess(this.#kubeconfig, name, (how) => {
      if (this.#stopped) return;
      this.#endedByThemselves += 1;
      this.#tell(`${name} ended by itself: ${how}`);
      const restart = setTimeout(() => {
        this.#restarts.delete(restart);
        this.#spawn();
      }, restartAfterMs);
      this.#restarts.add(restart);
    });
    this.#all.push(operator);
    return operator;
  }
}
