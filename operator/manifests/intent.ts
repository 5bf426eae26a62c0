/**
 * What the operator means an object to be, beside what admission makes of it: mirrors of images, limits, added labels. Where only
 * admission differs, making the object once more would differ as well.
 */
import { createHash } from 'node:crypto';
import { annotations } from '../../domain/names.ts';
import type { Job } from '../../domain/kinds.ts';
import { missing } from './diff.ts';

/** 32 hexadecimal digits; the order of maps' entries counts for nothing. */
export const digestOf = (value: unknown): string =>
  createHash('sha256').update(canonical(value)).digest('hex').slice(0, 32);

/** JSON with the entries of maps in the order of their keys. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  ) ?? 'null';

/** The Job with a hash of itself. */
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

/** Whether a Job was made for something else. One that bears no hash, of an earlier version, is compared field by field. */
export function isOther(desired: Job, job: Job): boolean {
  const made = job.metadata.annotations?.[annotations.intended];
  if (made !== undefined) return made !== desired.metadata.annotations?.[annotations.intended];
  return missing(desired.spec, job.spec).length > 0;
}

/** For a sentence's end: which fields admission made otherwise; empty when none. */
export function changesOf(desired: Job, job: Job): string {
  const paths = missing(desired.spec, job.spec);
  return paths.length === 0 ? '' : ` (admission changed ${pathsInWords(paths)})`;
}

export const pathsInWords = (paths: readonly string[]): string =>
  paths.length <= 4 ? paths.join(', ') : `${paths.slice(0, 4).join(', ')} and others`;
