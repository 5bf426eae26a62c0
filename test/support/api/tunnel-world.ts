/**
 * API processes with tunnels behind one TLS address, as behind an Ingress, for engines that the test started. Processes can be
 * killed and started again; the address stays.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep, systemTimers } from '../../../base/timers.ts';
import { createAuthority } from '../../../operator/certificates/authority.ts';
import { reverseProxy } from '../reverse-proxy.ts';
import { checkout, eventually } from '../shell.ts';
import type { TunnelProgramOptions } from './tunnel-program.ts';

export const tunnelDatabaseId = 'db_01jd8f3zk5e0v9t3m2q6r8w4x0';

interface ApiProcess {
  readonly child: ChildProcess;
  readonly said: { log: string };
  readonly port: number;
  readonly healthPort: number;
}

type TunnelWorldOptions = Omit<Partial<TunnelProgramOptions>, 'addresses'> & {
  readonly addresses: readonly string[];
  /** Number of API processes; 1 by default. */
  readonly processes?: number;
};

export class TunnelWorld {
  readonly folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-tunnels-'));
  readonly #options: TunnelWorldOptions;
  readonly #processes: ApiProcess[] = [];
  #front: Server | undefined;
  #turn = 0;
  /** Output of processes that have ended. */
  #oldLogs = '';

  private constructor(options: TunnelWorldOptions) {
    this.#options = options;
  }

  static async start(options: TunnelWorldOptions): Promise<TunnelWorld> {
    const world = new TunnelWorld(options);
    try {
      for (let i = 0; i < (options.processes ?? 1); i += 1) await world.#startProcess();
      await world.#startFront();
    } catch (error) {
      await world.stop();
      throw error;
    }
    return world;
  }

  get url(): string {
    const address = this.#front?.address() as AddressInfo | undefined;
    return `https://localhost:${address?.port ?? 0}`;
  }

  /** Environment of a `ledgerhouse connect` with this key. */
  environment(apiKey: string): Record<string, string> {
    return {
      LEDGERHOUSE_BASE_URL: this.url,
      LEDGERHOUSE_API_KEY: apiKey,
      NODE_EXTRA_CA_CERTS: join(this.folder, 'ca.crt'),
      XDG_CONFIG_HOME: this.folder,
    };
  }

  get log(): string {
    return this.#oldLogs + this.#processes.map(({ said }) => said.log).join('');
  }

  async metrics(): Promise<string> {
    const texts = this.#processes.map(async ({ healthPort }) =>
      (await fetch(`http://127.0.0.1:${healthPort}/metrics`)).text(),
    );
    return (await Promise.all(texts)).join('\n');
  }

  pids(): readonly number[] {
    return this.#processes.map(({ child }) => child.pid ?? 0);
  }

  revoke(key: string): void {
    appendFileSync(join(this.folder, 'revoked'), `${key}\n`);
  }

  /** Replaces processes, killed or stopped in turns, until the returned function is called. It resolves with their number. */
  replacing(pauseMs: number): () => Promise<number> {
    const over = new AbortController();
    const done = (async () => {
      let replaced = 0;
      for (;;) {
        await sleep(systemTimers, pauseMs, over.signal);
        if (over.signal.aborted) return replaced;
        await this.replaceOne(replaced % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
        replaced += 1;
      }
    })();
    // Whoever stops it learns of a failure.
    done.catch(() => {});
    return () => {
      over.abort();
      return done;
    };
  }

  /** Kills the oldest process and starts another one. */
  async replaceOne(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const [oldest] = this.#processes;
    if (oldest !== undefined) await this.#end(oldest, signal);
    await this.#startProcess();
  }

  async stop(): Promise<void> {
    this.#front?.closeAllConnections();
    this.#front?.close();
    for (const one of this.#processes.slice()) await this.#end(one, 'SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #end(one: ApiProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    this.#processes.splice(this.#processes.indexOf(one), 1);
    if (one.child.exitCode === null && one.child.signalCode === null) {
      // Only then has all arrived that it said.
      const ended = once(one.child, 'close');
      one.child.kill(signal);
      await ended;
    }
    this.#oldLogs += one.said.log;
  }

  async #startProcess(): Promise<void> {
    const options: TunnelProgramOptions = {
      port: 0,
      cluster: '0',
      engine: 'Builtin',
      engineVersion: '0.1.0',
      ...this.#options,
      folder: this.folder,
    };
    const child = spawn(
      process.execPath,
      ['test/support/api/tunnel-program.ts', JSON.stringify(options)],
      { cwd: checkout, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    const said = { log: '' };
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => (said.log += chunk.toString()));
    }
    const ports = await eventually('the process with the tunnels has started', async () => {
      if (child.exitCode !== null) throw new Error(said.log);
      const line = said.log.split('\n').find((one) => one.includes('"msg":"started"'));
      return line === undefined
        ? undefined
        : (JSON.parse(line) as { port: number; healthPort: number });
    });
    this.#processes.push({ child, said, ...ports });
  }

  async #startFront(): Promise<void> {
    const dayMs = 24 * 60 * 60_000;
    const authority = await createAuthority('tunnels', {
      notBefore: new Date(Date.now() - dayMs),
      notAfter: new Date(Date.now() + dayMs),
    });
    const { certificate, key } = await authority.sign('localhost', ['localhost']);
    writeFileSync(join(this.folder, 'ca.crt'), authority.certificate);
    const front = reverseProxy({ cert: certificate, key }, () => {
      // Processes take turns, as behind a Service.
      this.#turn += 1;
      return this.#processes[this.#turn % Math.max(1, this.#processes.length)]?.port;
    });
    front.listen(0, '127.0.0.1');
    await once(front, 'listening');
    this.#front = front;
  }
}
