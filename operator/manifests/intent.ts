/**
 * The operator's intent for an object, without the changes of admission: image mirrors, limits, added labels. If only
 * admission's changes differ, a new object would differ as well.
 */
import { digestOf } from '../../base/digest.ts';
import { annotations } from '../../domain/names.ts';
import type { Job } from '../../domain/kinds.ts';
import { missing } from './diff.ts';

/** Returns the Job with a hash of itself. */
export const withIntent = (job: Job): Job => ({
  ...job,
  metadata: {
    ...job.metadata,
    annotations: {
      ...job.metadata.annotations,
      [annotations.intended]: digestOf([job.metadata.labels, job.spec]),
    },
  },
});

/** Whether a Job was made for another intent. A Job without a hash, of an earlier version, is compared field by field. */
export function isOther(desired: Job, job: Job): boolean {
  const made = job.metadata.annotations?.[annotations.intended];
  if (made !== undefined) return made !== desired.metadata.annotations?.[annotations.intended];
  return missing(desired.spec, job.spec).length > 0;
}

/** Fields that admission changed, as the end of a sentence; empty if there are none. */
export function changesOf(desired: Job, job: Job): string {
  const paths = missing(desired.spec, job.spec);
  return paths.length === 0 ? '' : ` (admission changed ${pathsInWords(paths)})`;
}

export const pathsInWords = (paths: readonly string[]): string =>
  paths.length <= 4 ? paths.join(', ') : `${paths.slice(0, 4).join(', ')} and others`;
