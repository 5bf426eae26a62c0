/** Makes a replica's data file, once in its life. */
import { formatJobName } from '../../domain/names.ts';
import type { Job } from '../runtime/kinds.ts';
import { resourcesOf } from './container.ts';
import { buildJob } from './job.ts';
import { Role } from './metadata.ts';
import { spread } from './pod.ts';
import type { Subject } from './subject.ts';

/**
 * Where a volume waits for its first pod, this pod's node decides where the volume is for ever. So it goes only where the
 * replica could: it asks for as much as that, and keeps as far from the others.
 */
export function buildFormatJob(subject: Subject, index: number): Job {
  const { size } = subject.resolved;
  return buildJob({
    subject,
    index,
    name: formatJobName(subject.workload, index),
    verb: ['format'],
    resources: resourcesOf(size.cpuMillis, size.memoryMib),
    placement: spread(subject, Role.job),
  });
}
