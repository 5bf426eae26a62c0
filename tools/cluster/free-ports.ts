import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { withLock } from './lock.ts';
import { startTimeOf } from './start-time.ts';

/**
 * Range of ports: above those of well-known programs, below Kubernetes' node ports and the kernel's ephemeral ports. A port
 * that is free when chosen is still free when it is used, or used again after a restart.
 */
const FIRST = 12_000;
const PER_PROCESS = 256;
const PROCESSES = 70;

/** First port of this process's block. */
let block: Promise<number> | undefined;
/** The next port's place in the block. Suites of one process begin at different ones. */
let next = Math.floor(Math.random() * PER_PROCESS);

/** Returns ports of the loopback that are free now. All are held while they are chosen, so that none is returned twice. */
export async function freePorts(count: number): Promise<number[]> {
  const first = await (block ??= claimBlock());
  const held: { readonly port: number; readonly server: Server }[] = [];
  for (let tries = 0; held.length < count; tries += 1) {
    if (tries >= PER_PROCESS) throw new Error(`there are no ${count} free ports from ${first} on`);
    const port = first + next;
    next = (next + 1) % PER_PROCESS;
    const server = await hold(port);
    if (server !== undefined) held.push({ port, server });
  }
  await Promise.all(held.map(({ server }) => new Promise((resolve) => server.close(resolve))));
  return held.map(({ port }) => port);
}

/**
 * Gives this process a block of ports that no other living process has: another one would take the port of a program that is just
 * being restarted. A file for each block holds the pid and the start time of the process that has it.
 */
async function claimBlock(): Promise<number> {
  const folder = join(tmpdir(), `ledgerhouse-ports-${userInfo().uid}`);
  mkdirSync(folder, { recursive: true });
  const own = `${process.pid} ${startTimeOf(process.pid) ?? ''}`;
  return withLock(join(folder, 'lock'), async () => {
    for (let count = 0; count < PROCESSES; count += 1) {
      const number = (process.pid + count) % PROCESSES;
      const file = join(folder, String(number));
      const [pid, start] = existsSync(file) ? readFileSync(file, 'utf8').split(' ') : [];
      const isTaken = pid !== undefined && startTimeOf(Number(pid)) === start;
      if (isTaken && `${pid} ${start}` !== own) continue;
      writeFileSync(file, own);
      return FIRST + number * PER_PROCESS;
    }
    throw new Error(
      `all ${PROCESSES} blocks of ports are taken; ${folder} says by which processes`,
    );
  });
}

/** Returns a server that holds the port; `undefined` if the port is taken. */
function hold(port: number): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
