/** Real processes of the agent and of TigerBeetle's double, each replica on a loopback address of its own. */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { checkout } from '../shell.ts';

export const agentProgram = join(checkout, 'bin/ledger-agent');
const doubleProgram: readonly string[] = [
  process.execPath,
  '--disable-warning=ExperimentalWarning',
  join(checkout, 'images/tigerbeetle-double/main.ts'),
];

/** `/tigerbeetle` of the double with these arguments. */
export const doubleWith = (args: readonly string[]): readonly string[] => [
  ...doubleProgram,
  ...args,
];

/** 127.x.y.(1 + replica), x and y from this process: suites side by side have the usual ports each. */
export const loopback = (replica: number): string =>
  `127.${64 + ((process.pid >> 8) & 127)}.${process.pid & 255}.${replica + 1}`;

export interface Identity {
  readonly cluster: bigint;
  readonly replica: number;
  readonly count: number;
}

export const identityFlags = ({ cluster, replica, count }: Identity): readonly string[] => [
  `--cluster=${cluster}`,
  `--replica=${replica}`,
  `--replica-count=${count}`,
];

const running = new Set<TestProcess>();

/** A process that is killed at the end of the tests, if not before. */
export class TestProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  log = '';

  constructor([program = '', ...args]: readonly string[], env: Record<string, string> = {}) {
    this.child = spawn(program, args, {
      cwd: checkout,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const take = (chunk: Buffer) => {
      this.log += chunk.toString();
    };
    this.child.stdout?.on('data', take);
    this.child.stderr?.on('data', take);
    running.add(this);
    this.ended = new Promise((resolve) => {
      this.child.once('close', (code) => {
        running.delete(this);
        resolve(code);
      });
    });
  }

  /** Gives the exit status, null when the signal ended it. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    this.child.kill(signal);
    return this.ended;
  }
}

export async function endAllProcesses(): Promise<void> {
  await Promise.all([...running].map((one) => one.end('SIGKILL')));
}

/** The answer of a replica's agent: status code and body. */
export async function ask(
  replica: number,
  path: string,
): Promise<{ readonly code: number; readonly body: string }> {
  const response = await fetch(`http://${loopback(replica)}:3002${path}`, {
    signal: AbortSignal.timeout(30_000),
  });
  return { code: response.status, body: await response.text() };
}

/** The sidecar of a replica; listens on the replica's loopback address. */
export const startAgent = (identity: Identity, path: string): TestProcess =>
  new TestProcess([
    agentProgram,
    'status',
    `--statsd=${loopback(identity.replica)}:8125`,
    `--status-address=${loopback(identity.replica)}:3002`,
    `--path=${path}`,
    ...identityFlags(identity),
  ]);
