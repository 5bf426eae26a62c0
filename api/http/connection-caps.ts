/** Limits the connections of one address. Trusted proxies are not counted, because all clients come through them. */
import type { Server } from 'node:http';
import { networkOf } from './network.ts';

export interface ConnectionCaps {
  readonly perAddress: number;
  readonly isProxy: (address: string) => boolean;
}

/** Closes a connection beyond the cap at once, without an answer. */
export function capConnections(server: Server, { perAddress, isProxy }: ConnectionCaps): void {
  const open = new Map<string, number>();
  server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? '';
    if (isProxy(address)) return;
    const network = networkOf(address);
    const count = (open.get(network) ?? 0) + 1;
    if (count > perAddress) {
      socket.destroy();
      return;
    }
    open.set(network, count);
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1;
      if (left > 0) open.set(network, left);
      else open.delete(network);
    });
  });
}
