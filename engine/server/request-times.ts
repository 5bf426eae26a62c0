/** Durations of clients' requests at this replica, from the arrival of a whole message until its answer is written. */
import { MetricRegistry } from '../../base/metrics/metrics.ts';
import { latencyBounds } from '../../domain/latency-bounds.ts';
import { ledgerOperationNames } from './operation-names.ts';

const names = [...new Set(ledgerOperationNames.values())];
/** Numbers of the histogram's series, by the operations' codes. */
const numbers: ReadonlyMap<number, number> = new Map(
  Array.from(ledgerOperationNames, ([code, name]) => [code, names.indexOf(name)]),
);

export class RequestTimes {
  readonly #registry = new MetricRegistry();
  readonly #seconds = this.#registry.countedHistogram({
    name: 'ledgerhouse_engine_request_seconds',
    help: 'Time from the arrival of a request to its answer, of clients of this replica.',
    buckets: latencyBounds,
    series: names.map((operation) => ({ operation })),
  });

  /** Counts a request. Operations of the protocol itself, such as registrations, are left out. */
  observe(operation: number, ms: number): void {
    const number = numbers.get(operation);
    if (number !== undefined) this.#seconds.observe(number, ms / 1_000);
  }

  /** Prometheus' text format. */
  text(): Promise<string> {
    return this.#registry.text();
  }
}
