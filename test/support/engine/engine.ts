/** A real engine process on a data file of its own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BuiltinStatus } from '../../../domain/engine-status.ts';
import { freePorts } from '../../../tools/cluster/free-ports.ts';
import { checkout, eventually, mustRun } from '../shell.ts';

export const engineProgram = join(checkout, 'bin/ledger-engine');

interface EngineOptions {
  readonly cluster?: bigint;
  readonly flags?: readonly string[];
  /** Of `format`. */
  readonly formatFlags?: readonly string[];
  /** Folder for the data file; a fresh one, removed with the engine, when absent. */
  readonly folder?: string;
}

export class TestEngine {
  readonly folder: string;
  readonly path: string;
  #flags: readonly string[];
  readonly #ownsFolder: boolean;
  #child: ChildProcess | undefined;
  #said = '';
  port = 0;
  /** Known before the engine listens to clients; 0 while it is not. */
  statusPort = 0;

  private constructor(options: EngineOptions) {
    this.#ownsFolder = options.folder === undefined;
    this.folder = options.folder ?? mkdtempSync(join(tmpdir(), 'ledgerhouse-engine-'));
    this.path = join(this.folder, 'replica.ledger');
    this.#flags = options.flags ?? [];
  }

  /** Formats a data file and starts an engine on it. */
  static async create(options: EngineOptions = {}): Promise<TestEngine> {
    const engine = new TestEngine(options);
    // The port is reserved: no other process takes it while the engine is away.
    [engine.port = 0] = await freePorts(1);
    await mustRun(engineProgram, [
      'format',
      `--cluster=${options.cluster ?? 0n}`,
      '--replica=0',
      '--replica-count=1',
      ...(options.formatFlags ?? []),
      engine.path,
    ]);
    await engine.start();
    return engine;
  }

  /** Starts an engine on the data file `replica.ledger` of a folder, which stays. */
  static async open(folder: string, flags: readonly string[] = []): Promise<TestEngine> {
    const engine = new TestEngine({ folder, flags });
    [engine.port = 0] = await freePorts(1);
    await engine.start();
    return engine;
  }

  /** Starts the engine on the data file that is there, on the port it had before. */
  async start(): Promise<void> {
    this.#said = '';
    this.statusPort = 0;
    const child = spawn(
      engineProgram,
      [
        'start',
        `--addresses=127.0.0.1:${this.port}`,
        '--status-address=127.0.0.1:0',
        ...this.#flags,
        this.path,
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    this.#child = child;
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#said += chunk.toString();
    });
    const ports = await eventually(
      'the engine listens',
      async () => {
        if (child.exitCode !== null) throw new Error(`the engine ended: ${this.#said}`);
        const find = (message: string) =>
          new RegExp(`"port":(\\d+),"msg":"${message}"`).exec(this.#said)?.[1];
        const [client, status] = [find('listening'), find('status served')];
        this.statusPort = Number(status ?? 0);
        return client === undefined || status === undefined ? undefined : { client };
      },
      600_000,
    );
    this.port = Number(ports.client);
  }

  /** As `start`, with other flags from now on. */
  async startWith(flags: readonly string[]): Promise<void> {
    this.#flags = flags;
    await this.start();
  }

  get log(): string {
    return this.#said;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get isRunning(): boolean {
    const child = this.#child;
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  }

  async status(): Promise<BuiltinStatus> {
    const response = await fetch(`http://127.0.0.1:${this.statusPort}/status`);
    return (await response.json()) as BuiltinStatus;
  }

  /** Sends a signal and waits for the end; gives the exit status, null when a signal ended it. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    const child = this.#child;
    if (child === undefined) return null;
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    child.kill(signal);
    return ended;
  }

  async dispose(): Promise<void> {
    await this.end('SIGKILL');
    if (this.#ownsFolder) rmSync(this.folder, { recursive: true, force: true });
  }
}
