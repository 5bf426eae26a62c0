import { createServer, type Server } from 'node:net';

/**
 * Range of ports: above those of well-known programs, below Kubernetes' node ports and the kernel's ephemeral ports. A port
 * that is free when chosen is still free when it is used, or used again after a restart.
 */
const FIRST = 12_000;
const PER_PROCESS = 256;
const PROCESSES = 70;

/** Processes that choose at the same moment choose from different ports, and suites of one process start at different ones. */
let next = FIRST + (process.pid % PROCESSES) * PER_PROCESS + Math.floor(Math.random() * 192);

/** Returns ports of the loopback that are free now. All are held while they are chosen, so that none is returned twice. */
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
