import { createServer, type Server } from 'node:net';

/**
 * Above those that programs have of old and below Kubernetes' node ports and those that the kernel gives to whoever connects or
 * asks for any: what is free when it is chosen is still free when it is used, or used again after a restart.
 */
const FIRST = 12_000;
const PER_PROCESS = 256;
const PROCESSES = 70;

/** Processes that choose at the same moment choose among different ones; and suites of one process begin at different ones. */
let next = FIRST + (process.pid % PROCESSES) * PER_PROCESS + Math.floor(Math.random() * 192);

/** Ports of the loopback that are free now: all are held at once while they are chosen, so that none is given twice. */
export async function freePorts(count: number): Promise<number[]> {
  const held: { readonly port: number; readonly server: Server }[] = [];
  for (let tries = 0; held.length < count; tries += 1) {
    if (tries > PROCESSES * PER_PROCESS) throw new Error(`there are no ${count} free ports`);
    const port = next;
    next = port + 1 < FIRST + PROCESSES * PER_PROCESS ? port + 1 : FIRST;
    const server = await hold(port);
    if (server !== undefined) held.push({ port, server });
  }
  await Promise.all(held.map(({ server }) => new Promise((resolve) => server.close(resolve))));
  return held.map(({ port }) => port);
}

/** Undefined when somebody has it. */
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
