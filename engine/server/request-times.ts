/** Durations of clients' requests at this replica, from the arrival of a whole message until its answer is written. */
import { MetricRegistry } from '../../base/metrics/metrics.ts';
import { latencyBounds } from '../../domain/latency-bounds.ts';
import { ledgerOperationNames } from './operation-names.ts';

export class RequestTimes {
  readonly #registry = new MetricRegistry();
  readonly #seconds = this.#registry.histogram(
    'ledgerhouse_engine_request_seconds',
    'Time from the arrival of a request to its answer, of clients of this replica.',
    latencyBounds,
    [...new Set(ledgerOperationNames.values())].map((operation) => ({ operation })),
  );

  /** Counts a request. Operations of the protocol itself, such as registrations, are left out. */
  observe(operation: number, ms: number): void {
    const name = ledgerOperationNames.get(operation);
    if (name !== undefined) this.#seconds.observe({ operation: name }, ms / 1_000);
  }

  /** Prometheus' text format. */
  text(): Promise<string> {
    return this.#registry.text();
  }
}
