/** A real Prometheus from Debian's package, on the loopback, which scrapes what a test names. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../../../tools/cluster/free-ports.ts';
import { eventually } from '../shell.ts';

export interface ScrapeTarget {
  readonly name: string;
  /** Where its text is. */
  readonly url: string;
  /** Content of `Authorization: Bearer`. */
  readonly bearer?: string;
}

interface SeenTarget {
  readonly scrapePool: string;
  readonly health: string;
}

interface SeenRule {
  readonly name: string;
  readonly health: string;
  readonly lastError?: string;
  readonly lastEvaluation: string;
}

export class TestPrometheus {
  readonly #folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-prometheus-'));
  #child: ChildProcess | undefined;
  #targets = 0;
  #url = '';
  #said = '';

  static async start(targets: readonly ScrapeTarget[], groups: unknown): Promise<TestPrometheus> {
    const prometheus = new TestPrometheus();
    try {
      await prometheus.#start(targets, groups);
    } catch (error) {
      await prometheus.stop();
      throw error;
    }
    return prometheus;
  }

  /** Its targets, once each was scraped well. Throws with what it says of them otherwise. */
  targets(): Promise<readonly SeenTarget[]> {
    return eventually('everything was scraped', async () => {
      const { activeTargets } = await this.#ask<{ activeTargets: SeenTarget[] }>('/targets');
      const wrong = activeTargets.filter(({ health }) => health !== 'up');
      if (wrong.length > 0) throw new Error(JSON.stringify(wrong));
      // It knows none at first.
      return activeTargets.length === this.#targets ? activeTargets : undefined;
    });
  }

  /** Its rules, once each was evaluated over what was scraped by now. */
  rules(): Promise<readonly SeenRule[]> {
    const sinceMs = Date.now();
    return eventually('every rule was evaluated', async () => {
      const { groups } = await this.#ask<{ groups: { rules: SeenRule[] }[] }>('/rules');
      const rules = groups.flatMap((group) => group.rules);
      const isNew = rules.every(({ lastEvaluation }) => Date.parse(lastEvaluation) > sinceMs);
      return isNew ? rules : undefined;
    });
  }

  /** The newest values of an expression, with their labels. */
  async query(
    expression: string,
  ): Promise<readonly { labels: Record<string, string>; value: number }[]> {
    const { result } = await this.#ask<{
      result: { metric: Record<string, string>; value: [number, string] }[];
    }>(`/query?query=${encodeURIComponent(expression)}`);
    return result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }));
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child?.pid !== undefined && child.exitCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #start(targets: readonly ScrapeTarget[], groups: unknown): Promise<void> {
    const [port = 0] = await freePorts(1);
    this.#targets = targets.length;
    this.#url = `http://127.0.0.1:${port}`;
    // JSON is YAML.
    const write = (name: string, content: unknown) => {
      writeFileSync(join(this.#folder, name), JSON.stringify(content), { mode: 0o600 });
    };
    write('rules.yml', { groups });
    write('prometheus.yml', {
      global: { scrape_interval: '3s', scrape_timeout: '3s', evaluation_interval: '1s' },
      rule_files: ['rules.yml'],
      scrape_configs: targets.map(({ name, url, bearer }) => ({
        job_name: name,
        metrics_path: new URL(url).pathname,
        static_configs: [{ targets: [new URL(url).host] }],
        ...(bearer !== undefined && { authorization: { credentials: bearer } }),
      })),
    });
    const flags = [
      '--config.file=prometheus.yml',
      '--storage.tsdb.path=data',
      `--web.listen-address=127.0.0.1:${port}`,
    ];
    const child = spawn('prometheus', flags, {
      cwd: this.#folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    child.on('error', (error) => (this.#said += `${error.message}; run make setup`));
    child.stderr.on('data', (chunk: Buffer) => (this.#said += chunk.toString()));
    await eventually('Prometheus is ready', async () => {
      if (child.pid === undefined || child.exitCode !== null) throw new Error(this.#said);
      return (await fetch(`${this.#url}/-/ready`)).ok || undefined;
    });
  }

  async #ask<T>(path: string): Promise<T> {
    const answer = await fetch(`${this.#url}/api/v1${path}`);
    const { status, data, error } = (await answer.json()) as {
      status: string;
      data: T;
      error?: string;
    };
    if (status !== 'success') throw new Error(error);
    return data;
  }
}
