/**
 * TigerBeetle itself, for the suites that can also run against it: the environment's TIGERBEETLE is the path of its program. Without
 * it, they are skipped with a reason.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../../../tools/cluster/free-ports.ts';
import { eventually, mustRun } from '../shell.ts';

export const tigerbeetle = process.env['TIGERBEETLE'];
if (tigerbeetle === undefined) {
  process.stderr.write('skipped: TigerBeetle itself, whose program TIGERBEETLE names\n');
}

interface TigerBeetle {
  readonly port: number;
  readonly version: string;
  dispose(): Promise<void>;
}

/** Starts one replica of cluster 0 on a new data file. */
export async function startTigerBeetle(program = tigerbeetle ?? ''): Promise<TigerBeetle> {
  const [version = ''] = /\d+\.\d+\.\d+/.exec(await mustRun(program, ['version'])) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-tigerbeetle-'));
  const file = join(folder, '0_0.tigerbeetle');
  const size = ['--cluster=0', '--replica=0', '--replica-count=1'];
  await mustRun(program, ['format', ...size, file]);
  const [port = 0] = await freePorts(1);
  // Without the assertion that its memory and disk are those of a server.
  const child = spawn(program, ['start', `--addresses=127.0.0.1:${port}`, '--development', file], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  const dispose = async () => {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await eventually('TigerBeetle listens', async () => {
      if (child.exitCode !== null) throw new Error(`TigerBeetle ended with ${child.exitCode}`);
      return accepts(port);
    });
  } catch (error) {
    await dispose();
    throw error;
  }
  return { port, version, dispose };
}

const accepts = (port: number): Promise<true | undefined> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(undefined));
  });
