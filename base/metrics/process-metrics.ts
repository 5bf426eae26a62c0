import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { MetricRegistry } from './metrics.ts';

/** Memory of the process and how late its event loop is: a late one renews the lease late. The result ends the measuring. */
export function measureProcess(registry: MetricRegistry, prefix: string): () => void {
  const resolutionMs = 20;
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  registry.gauge(`${prefix}event_loop_lag_seconds`, 'Worst lateness since the last scrape.', () => {
    // It measures the whole interval of its timer, lateness included.
    const worstMs = Math.max(0, delay.max / 1e6 - resolutionMs);
    delay.reset();
    return worstMs / 1_000;
  });
  registry.gauge(`${prefix}resident_memory_bytes`, 'Resident memory.', () =>
    process.memoryUsage.rss(),
  );
  registry.gauge(`${prefix}heap_used_bytes`, 'Used heap.', () => process.memoryUsage().heapUsed);
  registry.gauge(`${prefix}uptime_seconds`, 'Since the process started.', () => process.uptime());
  return () => delay.disable();
}
