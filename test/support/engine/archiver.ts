/** A real archiver process beside a real engine. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ArchiveStatus } from '../../../domain/archive-status.ts';
import { eventually } from '../shell.ts';
import { engineProgram, type TestEngine } from './engine.ts';

interface ArchiverOptions {
  /** The engine beside it: a folder for the spool, and where it serves its status. */
  readonly engine: { readonly folder: string; readonly statusPort: number };
  /** Flags of the store and the database. */
  readonly store: readonly string[];
  readonly cluster?: bigint;
  /** Name of its spool's folder. */
  readonly spool?: string;
  readonly flags?: readonly string[];
  /** What runs the engine's verbs; by default this checkout's own program. */
  readonly program?: readonly [string, ...string[]];
  /** 1 by default. */
  readonly rpoSeconds?: number;
  /** Added to this process's environment. */
  readonly env?: NodeJS.ProcessEnv;
}

export class TestArchiver {
  readonly #options: ArchiverOptions;
  readonly spool: string;
  #child: ChildProcess | undefined;
  log = '';

  constructor(options: ArchiverOptions) {
    this.#options = options;
    this.spool = join(options.engine.folder, options.spool ?? 'spool');
    mkdirSync(this.spool, { recursive: true });
  }

  start(): this {
    const { engine, store, cluster = 0n, flags = [], rpoSeconds = 1, env = {} } = this.#options;
    const [program, ...before] = this.#options.program ?? [engineProgram];
    const child = spawn(
      program,
      [
        ...before,
        'archive',
        ...store,
        `--cluster=${cluster}`,
        `--engine=127.0.0.1:${engine.statusPort}`,
        `--spool=${this.spool}`,
        `--rpo=${rpoSeconds}`,
        ...flags,
      ],
      { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...env } },
    );
    child.stderr?.on('data', (chunk: Buffer) => {
      this.log += chunk.toString();
    });
    this.#child = child;
    return this;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Freezes it, or has it go on. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(signal);
  }

  /** Sends a signal and waits for the end. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }
}

/** Waits until the archive has what the engine has executed, also after the store was away; gives the engine's word. */
export const archivedAll = (engine: TestEngine): Promise<ArchiveStatus> =>
  eventually(
    'everything is archived',
    async () => {
      const { op, archive } = await engine.status();
      return archive?.archivedOp === op && archive.state === 'Archiving' ? archive : undefined;
    },
    600_000,
  );
