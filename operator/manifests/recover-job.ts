/** The Job that makes a lost replica's data file from the other replicas, which must be healthy. */
import { assert } from '../../base/assert.ts';
import { podName, recoverJobName } from '../../domain/names.ts';
import { adapterOf } from '../engines/adapters.ts';
import type { Job } from '../../domain/kinds.ts';
import { addressList } from './addresses.ts';
import { resourcesOf } from './container.ts';
import { buildJob } from './job.ts';
import { besidePod } from './pod.ts';
import type { Subject } from './subject.ts';

/**
 * The Job runs on the node of the replica's own pod, which waits there for its data file and has the volume. That pod holds
 * the resources of the size, so the Job requests little: it is a client of the others, and writes an empty file.
 */
export function buildRecoverJob(subject: Subject, index: number): Job {
  assert(
    subject.resolved.topology.replicas > 1,
    `${subject.name} has one replica: there are no others to recover it from`,
  );
  return buildJob({
    subject,
    index,
    name: recoverJobName(subject.workload, index),
    verb: [
      'recover',
      `--addresses=${addressList(subject.endpoints)}`,
      ...adapterOf(subject.resolved.engine.name).recoverFlags(subject, index),
    ],
    volumes: adapterOf(subject.resolved.engine.name).peerAccess(subject).volumes,
    resources: resourcesOf(50, 512),
    placement: { affinity: besidePod(podName(subject.workload, index)) },
  });
}
