/** The API's metrics about itself. */
import { MetricRegistry } from '../../base/metrics/metrics.ts';
import { routeEntries, type OperationId } from '../contract/routes.ts';
import { ratePolicies, type RatePolicy } from './rate-limits.ts';

export const apiPrefix = 'ledgerhouse_api_';

const classes = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;
const secondsBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export interface ApiMetrics {
  readonly registry: MetricRegistry;
  began(): void;
  /** `status` is 0 when the client had gone. */
  ended(operationId: OperationId | undefined, status: number, seconds: number): void;
  rateLimited(policy: RatePolicy): void;
  credentialRefused(): void;
}

export function createApiMetrics(registry = new MetricRegistry()): ApiMetrics {
  const operations = [...routeEntries.map(([id]) => id), 'none'];
  const requests = registry.counter(
    `${apiPrefix}requests_total`,
    'Requests by operation and class of status; "gone": the client disconnected before the answer.',
    operations.flatMap((operation) =>
      [...classes, 'gone'].map((status) => ({ operation, status })),
    ),
  );
  const seconds = registry.histogram(
    `${apiPrefix}request_seconds`,
    'Time from the first byte of a request to the end of its answer.',
    secondsBounds,
    operations.map((operation) => ({ operation })),
  );
  const limited = registry.counter(
    `${apiPrefix}rate_limited_total`,
    'Requests refused by a rate limit.',
    ratePolicies.map((policy) => ({ policy })),
  );
  const refused = registry.counter(
    `${apiPrefix}credentials_refused_total`,
    'Credentials that were not valid.',
  );
  let inFlight = 0;
  registry.gauge(`${apiPrefix}requests_in_flight`, 'Not answered yet.', () => inFlight);
  return {
    registry,
    began: () => {
      inFlight += 1;
    },
    ended: (operationId, status, took) => {
      inFlight -= 1;
      const operation = operationId ?? 'none';
      const group = status === 0 ? 'gone' : `${Math.floor(status / 100)}xx`;
      requests.inc({ operation, status: group });
      seconds.observe({ operation }, took);
    },
    rateLimited: (policy) => limited.inc({ policy }),
    credentialRefused: () => refused.inc(),
  };
}
