/** Prometheus metrics of jobs. Every series of the closed sets exists from the start. */
import type { MetricRegistry } from '../../base/metrics/metrics.ts';
import type { JobHooks } from './handler.ts';
import { jobTypes, type EndedJobStatus } from '../model/job.ts';

const endedStatuses: readonly EndedJobStatus[] = ['SUCCEEDED', 'FAILED', 'CANCELED'];

export function jobMetrics(registry: MetricRegistry, prefix: string): JobHooks {
  const ended = registry.counter(
    `${prefix}jobs_ended_total`,
    'Jobs that this process ended.',
    jobTypes.flatMap((type) => endedStatuses.map((status) => ({ type, status }))),
  );
  const troubled = registry.counter(
    `${prefix}job_troubles_total`,
    'Attempts of jobs that failed and are repeated.',
    jobTypes.map((type) => ({ type })),
  );
  return {
    ended: (type, status) => ended.inc({ type, status }),
    troubled: (type) => troubled.inc({ type }),
  };
}
