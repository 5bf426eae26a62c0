/** Prometheus metrics of the tunnels. No series names a database, because their number is unbounded. */
import type { MetricRegistry } from '../../base/metrics/metrics.ts';
import { tunnelOperations } from './check-message.ts';

export type TunnelMetrics = ReturnType<typeof tunnelMetrics>;

interface TunnelGauges {
  readonly connections: number;
  readonly clients: number;
  readonly heldBytes: number;
  readonly unsentBytes: number;
}

export function tunnelMetrics(registry: MetricRegistry, gauges: TunnelGauges) {
  registry.gauge('ledgerhouse_api_tunnel_connections', 'Open tunnels.', () => gauges.connections);
  registry.gauge(
    'ledgerhouse_api_tunnel_clients',
    'Clients with an open tunnel; each has one of the 64 sessions of its cluster.',
    () => gauges.clients,
  );
  registry.gauge(
    'ledgerhouse_api_tunnel_held_bytes',
    'Bytes of large messages that are being received or sent on.',
    () => gauges.heldBytes,
  );
  registry.gauge(
    'ledgerhouse_api_tunnel_unsent_bytes',
    'Bytes of answers that wait for slow readers.',
    () => gauges.unsentBytes,
  );
  return {
    opened: registry.counter('ledgerhouse_api_tunnel_opened_total', 'Tunnels that were opened.'),
    requests: registry.counter(
      'ledgerhouse_api_tunnel_requests_total',
      'Requests that were sent on to a replica.',
      tunnelOperations.map((operation) => ({ operation })),
    ),
    refused: registry.counter(
      'ledgerhouse_api_tunnel_refused_total',
      'Messages that were not sent on to a replica.',
      [...tunnelOperations, 'none'].map((operation) => ({ operation })),
    ),
    bytes: registry.counter(
      'ledgerhouse_api_tunnel_bytes_total',
      'Bytes from clients (in) and to clients (out).',
      ['in', 'out'].map((direction) => ({ direction })),
    ),
  };
}
