/**
 * Many engines that answer as a real one did under load: `/NUMBER/status` and `/NUMBER/metrics` over HTTP, with counts that grow.
 * A process of its own, so that its time is not the collector's. It gets what to say by a message, and sends its port.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Said {
  readonly status: Readonly<Record<string, unknown>>;
  readonly metrics: string;
}

process.once('message', ({ status, metrics }: Said) => {
  const begunMs = performance.now();
  const rows = metrics.split('\n').map(rowOf);
  const server = createServer((request, response) => {
    const [, number, what] = /^\/(\d+)\/(status|metrics)$/.exec(request.url ?? '') ?? [];
    if (number === undefined) {
      response.writeHead(404).end();
      return;
    }
    const growth = 1 + (performance.now() - begunMs) / 60_000;
    const answer =
      what === 'status'
        ? JSON.stringify({ ...status, clusterId: number })
        : rows.map((row) => textOf(row, growth)).join('\n');
    response.end(answer);
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
});
process.on('disconnect', () => process.exit());

interface Row {
  readonly begin: string;
  /** `undefined`: not a count. */
  readonly count: number | undefined;
}

function rowOf(text: string): Row {
  const [, begin, value] =
    /^(ledgerhouse_engine_\w+_(?:total|bucket|sum|count)(?:\{.*\})? )(\S+)$/.exec(text) ?? [];
  return begin === undefined ? { begin: text, count: undefined } : { begin, count: Number(value) };
}

const textOf = ({ begin, count }: Row, growth: number): string =>
  count === undefined ? begin : begin + String(Math.floor(count * growth));
