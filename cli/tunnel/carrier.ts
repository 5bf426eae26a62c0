/**
 * Carries one connection of a local client through a tunnel. Neither side is read while the other one does not take its bytes.
 * When the tunnel ends, so does the client's connection; the client connects again and repeats its request by itself.
 */
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import {
  TunnelEnd,
  tunnelFrameMax,
  type TunnelClient,
  type TunnelNote,
} from '../../api/client/tunnel.ts';

interface CarrierEvents {
  readonly onNote: (note: TunnelNote) => void;
  /** The service has told which client this is. */
  readonly onClient: (client: string) => void;
  readonly onBytes: (direction: 'up' | 'down', bytes: number) => void;
  /** The tunnel ended while the client was connected. */
  readonly onLost: (code: number, why: string) => void;
}

/** Bytes that wait for a slow tunnel: above `high` the client is not read, until `low` is reached. */
const unsent = { high: 1024 * 1024, low: 256 * 1024 } as const;
/** The service pings every 20 s. Without anything for so long, the tunnel is dead. */
const silenceMaxMs = 60_000;
const checkEveryMs = 10_000;

/** Resolves when both sides are closed. `client` must be paused until now. */
export function carry(client: Socket, tunnel: WebSocket, events: CarrierEvents): Promise<void> {
  let heardAtMs = performance.now();
  const heard = () => {
    heardAtMs = performance.now();
  };
  client.on('data', (chunk: Buffer) => {
    events.onBytes('up', chunk.length);
    for (let at = 0; at < chunk.length; at += tunnelFrameMax) {
      tunnel.send(chunk.subarray(at, at + tunnelFrameMax), () => {
        if (client.isPaused() && tunnel.bufferedAmount < unsent.low) client.resume();
      });
    }
    if (tunnel.bufferedAmount > unsent.high) client.pause();
  });
  client.on('drain', () => tunnel.resume());
  tunnel.on('message', (data, isBinary) => {
    heard();
    if (!isBinary) {
      const { note, client } = told(data as Buffer);
      if (note !== undefined) events.onNote(note);
      if (client !== undefined) events.onClient(client);
      return;
    }
    const chunk = data as Buffer;
    events.onBytes('down', chunk.length);
    client.write(chunk);
    if (client.writableNeedDrain) tunnel.pause();
  });
  tunnel.on('ping', heard);
  // `close` follows.
  tunnel.on('error', () => {});
  client.on('error', () => {});
  const watch = setInterval(() => {
    if (tunnel.isPaused) heard();
    if (performance.now() - heardAtMs > silenceMaxMs) tunnel.terminate();
  }, checkEveryMs);
  return new Promise((resolve) => {
    client.once('close', () => {
      tunnel.resume();
      tunnel.close(1000);
    });
    tunnel.once('close', (code, reason) => {
      clearInterval(watch);
      if (!client.destroyed) events.onLost(code, reason.toString());
      client.destroy();
      resolve();
    });
    if (client.destroyed) tunnel.close(1000);
    else client.resume();
  });
}

function told(data: Buffer): { readonly note?: TunnelNote; readonly client?: string } {
  try {
    const { code, detail, client } = JSON.parse(data.toString()) as Partial<
      TunnelNote & TunnelClient
    >;
    if (typeof client === 'string') return { client };
    return typeof code === 'string' && typeof detail === 'string' ? { note: { code, detail } } : {};
  } catch {
    return {};
  }
}

/** Ends of a tunnel that are part of everyday life: the client just connects again. */
export const isEveryday = (code: number): boolean =>
  code === TunnelEnd.restart || code === TunnelEnd.replicaClosed || code === TunnelEnd.badStream;
