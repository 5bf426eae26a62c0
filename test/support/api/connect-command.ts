/** A running `ledgerhouse connect` on free ports. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { bareEnvironment, checkout, eventually } from '../shell.ts';

const ledgerhouse = [`${checkout}/bin/ledgerhouse`, 'connect'] as const;

export class ConnectCommand {
  readonly #child: ChildProcess;
  readonly #said = { stdout: '', stderr: '' };
  ports: readonly number[] = [];

  private constructor(child: ChildProcess) {
    this.#child = child;
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.on('data', (chunk: Buffer) => (this.#said[name] += chunk.toString()));
    }
  }

  static async start(
    database: string,
    environment: Readonly<Record<string, string>>,
    [program, ...args]: readonly [string, ...string[]] = ledgerhouse,
  ): Promise<ConnectCommand> {
    const child = spawn(program, [...args, database, '--port', '0', '--json'], {
      env: { ...bareEnvironment, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const command = new ConnectCommand(child);
    const document = await eventually('ledgerhouse connect has its ports', async () => {
      if (child.exitCode !== null) return { addresses: undefined };
      if (!command.#said.stdout.endsWith('}\n')) return undefined;
      return JSON.parse(command.#said.stdout) as { addresses?: string[] };
    });
    if (document.addresses === undefined) {
      throw new Error(`ledgerhouse connect ended: ${command.stdout}${command.stderr}`);
    }
    command.ports = document.addresses.map((address) => Number(address.split(':').at(-1)));
    return command;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get stdout(): string {
    return this.#said.stdout;
  }

  get stderr(): string {
    return this.#said.stderr;
  }

  get exitCode(): number | null {
    return this.#child.exitCode;
  }

  async end(signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL' = 'SIGINT'): Promise<number | null> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) {
      return this.#child.exitCode;
    }
    const ended = once(this.#child, 'exit');
    this.#child.kill(signal);
    await ended;
    return this.#child.exitCode;
  }
}
