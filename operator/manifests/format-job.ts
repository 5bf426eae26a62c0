/** The Job that makes a replica's data file, once in its life. */
import { formatJobName } from '../../domain/names.ts';
import type { Job } from '../../domain/kinds.ts';
import { adapterOf } from '../engines/adapters.ts';
import { resourcesOf } from './container.ts';
import { buildJob } from './job.ts';
import { Role } from './metadata.ts';
import { awayFrom, spread, type Place } from './pod.ts';
import type { Subject } from './subject.ts';

/**
 * If a volume waits for its first pod, this pod's node decides for ever where the volume is. So it may run only where the
 * replica could: it requests as much, and keeps as far from the others. `taken`: where the other replicas' volumes are.
 */
export function buildFormatJob(subject: Subject, index: number, taken: readonly Place[] = []): Job {
  const { cpuMillis, memoryMib } = adapterOf(subject.resolved.engine.name).requests(subject);
  const placement = spread(subject, Role.job);
  return buildJob({
    subject,
    index,
    name: formatJobName(subject.workload, index),
    verb: ['format'],
    resources: resourcesOf(cpuMillis, memoryMib),
    placement:
      placement.affinity === undefined
        ? placement
        : {
            ...placement,
            affinity: Object.assign({}, placement.affinity, awayFrom(subject, taken)),
          },
  });
}
