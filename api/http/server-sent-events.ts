/** Writes streams of events (WHATWG HTML, section 9.2) at the pace of the reader. */
import { once } from 'node:events';
import type { Response } from 'express';
import type { ServerSentEvent } from '../contract/route.ts';

export const eventStreamType = 'text/event-stream; charset=utf-8';

/** Interval of heartbeats; without them proxies would consider the connection dead. */
const heartbeatMs = 15_000;

/**
 * Bytes are whole events that the source has written. The function waits for a slow reader and reads nothing else meanwhile.
 * Ends with the last event, or when `signal` aborts; the source of the events observes the same signal.
 */
export async function writeEvents(
  response: Response,
  events: AsyncIterable<ServerSentEvent | Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  response.writeHead(200, {
    'Content-Type': eventStreamType,
    'Cache-Control': 'no-store, no-transform',
    'X-Accel-Buffering': 'no',
  });
  response.flushHeaders();
  const heartbeat = setInterval(() => {
    if (!response.writableNeedDrain) response.write(': \n\n');
  }, heartbeatMs);
  try {
    for await (const event of events) {
      if (signal.aborted) break;
      const written = event instanceof Uint8Array ? event : textOf(event);
      if (!response.write(written)) await once(response, 'drain', { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    clearInterval(heartbeat);
    response.end();
  }
}

const textOf = ({ id, event, data }: ServerSentEvent): string =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
