/** The monitoring part of a worker, and the API's view of use, in a process of its own: it collects until it is stopped. */
import { MetricRegistry } from '../../base/metrics/metrics.ts';
import { collectorMetrics } from '../../api/monitoring/collector-metrics.ts';
import { Collector } from '../../api/monitoring/collector.ts';
import { MetricUpkeep } from '../../api/monitoring/upkeep.ts';
import { UsageView } from '../../api/monitoring/usage-view.ts';
import { Store } from '../../api/store/store.ts';
import { patient, silent } from '../../test/support/api/store.ts';

export interface Collecting {
  /** URL of the store. */
  readonly store: string;
  /** URL of the engines, to which a database's number is added. */
  readonly engines: string;
}

process.once('message', ({ store: url, engines }: Collecting) => void collect(url, engines));
process.on('disconnect', () => process.exit());

async function collect(url: string, engines: string): Promise<void> {
  const store = new Store({ logger: silent, ...patient, url });
  await store.start();
  const parts = [
    new MetricUpkeep(store, silent, () => undefined),
    new UsageView(store, silent),
    new Collector({
      store,
      identity: 'bench',
      logger: silent,
      metrics: collectorMetrics(new MetricRegistry(), 'bench_'),
      statusUrl: (address) => `${engines}/${address.split(':')[1]}`,
    }),
  ];
  for (const part of parts) part.start();
  process.send?.('started');
}
