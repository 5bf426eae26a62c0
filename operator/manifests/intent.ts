/**
 * The operator's intent for an object, without the changes of admission: image mirrors, limits, added labels. If only
 * admission's changes differ, a new object would differ as well.
 */
import { createHash } from 'node:crypto';
import { annotations } from '../../domain/names.ts';
import type { Job } from '../../domain/kinds.ts';
import { missing } from './diff.ts';

/** Hash of a value, 32 hexadecimal digits; the order of maps' entries does not matter. */
export const digestOf = (value: unknown): string =>
  createHash('sha256').update(canonical(value)).digest('hex').slice(0, 32);

/** JSON with the entries of maps in the order of their keys. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  ) ?? 'null';

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
