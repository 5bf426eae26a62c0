/** Work on the index that needs nothing but its input: any thread can do it, at once or in slices. */
import type { SegmentData } from './columns.ts';
import { type MergeJob, mergeSegments } from './merge.ts';
import { type SealJob, sealRows } from './seal.ts';

export type IndexJob = SealJob | MergeJob;

/** Does a job. Yields the number of entries handled since the last pause; returns the segment. */
export function runJob(job: IndexJob): Generator<number, SegmentData> {
  return job.kind === 'seal' ? sealRows(job) : mergeSegments(job);
}
