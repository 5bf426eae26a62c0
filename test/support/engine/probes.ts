/** Asks an engine in a pod what the kubelet asks, far more often, from the pod's network. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Pod } from '../../../domain/kinds.ts';
import { ports } from '../../../domain/names.ts';
import { eventually } from '../shell.ts';
import { inNetworkOf } from './pod-process.ts';

interface Probe {
  readonly atMs: number;
  /** How long `/livez` took to answer. */
  readonly tookMs: number;
  /** Whether `/livez` answered 200; the kubelet's time for an answer applies. */
  readonly lives: boolean;
  /** Whether the startup probe would have ended. */
  readonly hasStarted: boolean;
}

/** What was seen of one start. */
export interface Start {
  /** Seconds from the kill until `/livez` answered. */
  readonly livesAfter: number;
  /** Seconds from the kill until the startup probe would have ended. */
  readonly startedAfter: number;
  /** Answers of `/livez` between the two. */
  readonly answersWhileLoading: number;
}

/** As the kubelet does: each question on a connection of its own, five seconds for an answer. */
const script = `
  import { get } from 'node:http';
  import { setTimeout as sleep } from 'node:timers/promises';
  const ask = (path) => new Promise((resolve) => {
    const options = { host: '127.0.0.1', port: ${ports.status}, path, agent: false, timeout: 5_000 };
    const request = get(options, (response) => {
      response.resume();
      response.once('close', () => resolve(response.statusCode === 200));
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(false));
  });
  for (;;) {
    const atMs = Date.now();
    const lives = await ask('/livez');
    const tookMs = Date.now() - atMs;
    const hasStarted = await ask('/startedz');
    console.log(JSON.stringify({ atMs, tookMs, lives, hasStarted }));
    await sleep(100);
  }`;

export class Probes {
  readonly #child: ChildProcess;
  #seen: Probe[] = [];
  /** Questions to `/livez` without a good answer, of an engine that had answered since its last start. */
  unanswered = 0;
  /** The longest time that `/livez` took to answer. */
  longestMs = 0;

  private constructor(pod: Pod) {
    const [command, ...args] = inNetworkOf(pod, script);
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#child = child;
    createInterface({ input: child.stdout }).on('line', (line) =>
      this.#seen.push(JSON.parse(line) as Probe),
    );
  }

  /** Begins with an engine that answers. */
  static async begin(pod: Pod): Promise<Probes> {
    const probes = new Probes(pod);
    await probes.#until('it answers', ({ lives, hasStarted }) => lives && hasStarted);
    return probes;
  }

  /** What was seen since the engine was killed at this time; waits until it has started again. */
  async start(killedAtMs: number): Promise<Start> {
    this.#take(({ atMs, tookMs }) => atMs + tookMs < killedAtMs);
    const dead = await this.#until('it is gone', ({ lives }) => !lives);
    const lives = await this.#until(
      '/livez answers',
      (probe) => probe.atMs > dead.atMs && probe.lives,
    );
    const started = await this.#until(
      'it has started',
      (probe) => probe.atMs >= lives.atMs && probe.hasStarted,
    );
    const loading = this.#seen.filter(({ atMs }) => atMs >= lives.atMs && atMs < started.atMs);
    this.#seen = this.#seen.filter(({ atMs }) => atMs >= lives.atMs);
    return {
      livesAfter: (lives.atMs - killedAtMs) / 1_000,
      startedAfter: (started.atMs - killedAtMs) / 1_000,
      answersWhileLoading: loading.filter((probe) => probe.lives).length,
    };
  }

  /** Ends it. */
  end(): void {
    this.#take(() => true);
    this.#child.kill('SIGKILL');
  }

  /** Counts what was seen of an engine that runs, and forgets it. */
  #take(isOld: (probe: Probe) => boolean): void {
    for (const { lives, tookMs } of this.#seen.filter(isOld)) {
      if (!lives) this.unanswered += 1;
      this.longestMs = Math.max(this.longestMs, tookMs);
    }
    this.#seen = this.#seen.filter((probe) => !isOld(probe));
  }

  #until(what: string, isSo: (probe: Probe) => boolean): Promise<Probe> {
    return eventually(what, async () => this.#seen.find(isSo), 3_600_000);
  }
}
