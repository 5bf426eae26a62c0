/** The whole service as `make up` installs it, with a state folder of the test's own: it does not disturb one that is up. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusterNotes } from '../../../tools/test/left-clusters.ts';
import { goEnvironment, openTestCluster } from './cluster.ts';
import { checkout, shell, type Ended } from '../shell.ts';

interface Credentials {
  readonly baseUrl: string;
  readonly apiKey: string;
}

const nodes = { NODES: '1' };

export class LocalService {
  readonly stateFolder = mkdtempSync(join(tmpdir(), 'ledgerhouse-up-'));
  readonly cluster = openTestCluster(this.stateFolder, nodes);
  readonly env = { LEDGERHOUSE_STATE_DIR: this.stateFolder, ...nodes, ...goEnvironment };

  /** Runs a target to its end. */
  make(...args: readonly string[]): Promise<Ended> {
    return shell('make', ['--no-print-directory', ...args], {
      env: this.env,
      timeoutMs: 30 * 60_000,
    });
  }

  /** Runs a target that must succeed; what it said. */
  async made(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.make(...args);
    if (code !== 0)
      throw new Error(`make ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
    return stdout;
  }

  /** Starts a target and presses Ctrl-C, as a terminal does, once `now` comes true; gives what it said. */
  async interrupted(target: string, now: (said: string) => Promise<boolean>): Promise<string> {
    const child = spawn('make', ['--no-print-directory', target], {
      cwd: checkout,
      env: { ...process.env, ...this.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group of its own, which is what a terminal interrupts.
      detached: true,
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
    }
    const end = once(child, 'close');
    while (child.exitCode === null && !(await now(said))) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    if (child.exitCode !== null || child.pid === undefined) {
      throw new Error(`make ${target} ended too early:\n${said}`);
    }
    process.kill(-child.pid, 'SIGINT');
    await end;
    return said;
  }

  get credentials(): Credentials {
    const file = join(this.stateFolder, 'credentials.json');
    return JSON.parse(readFileSync(file, 'utf8')) as Credentials;
  }

  /** Removes everything, however the test ended. */
  async dispose(): Promise<void> {
    await this.made('down', 'DATA=1');
    rmSync(this.stateFolder, { recursive: true, force: true });
    clusterNotes.remove(this.stateFolder);
  }
}
