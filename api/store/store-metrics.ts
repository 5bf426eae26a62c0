/** Prometheus metrics of the store. */
import type { MetricRegistry } from '../../base/metrics/metrics.ts';
import type { Listener } from './listener.ts';
import type { Store } from './store.ts';

export function measureStore(
  registry: MetricRegistry,
  prefix: string,
  store: Store,
  listener: Listener,
): void {
  const gauge = (name: string, help: string, read: () => number) =>
    registry.gauge(`${prefix}store_${name}`, help, read);
  gauge('connections', 'Open connections to PostgreSQL.', () => store.figures.open);
  gauge('connections_idle', 'Of these, those at rest.', () => store.figures.idle);
  gauge('calls_waiting', 'Calls that wait for a connection.', () => store.figures.waiting);
  gauge('listening', '1 while notifications are heard.', () => (listener.connected ? 1 : 0));
}
