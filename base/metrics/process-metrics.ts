import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { MetricRegistry } from './metrics.ts';

/** Measures the process's memory and the lag of its event loop, which delays the lease's renewal. The result ends measuring. */
export function measureProcess(registry: MetricRegistry, prefix: string): () => void {
  const resolutionMs = 20;
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  registry.gauge(`${prefix}event_loop_lag_seconds`, 'Worst lateness since the last scrape.', () => {
    // The delay includes the whole interval of its timer.
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
