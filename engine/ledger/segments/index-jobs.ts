/** Work on the index that needs nothing but its input: any thread can do it, at once or in slices. */
import { type ColumnPages, segmentBytes, type SegmentData } from './columns.ts';
import { type MergedColumn, type MergeJob, mergeColumn } from './merge.ts';
import { type SealJob, sealRows } from './seal.ts';

export type IndexJob = SealJob | MergeJob;

/** What a job results in. */
export type IndexResult = SealedSegment | MergedColumn;

interface SealedSegment {
  readonly kind: 'seal';
  readonly segment: SegmentData;
}

/** Does a job. Yields the number of entries handled since the last pause. */
export function* runJob(job: IndexJob): Generator<number, IndexResult> {
  if (job.kind === 'merge') return yield* mergeColumn(job);
  return { kind: 'seal', segment: yield* sealRows(job) };
}

/** Returns the bytes of what a job was given and resulted in, but for rows that are sealed: they stay where they are. */
export function bytesOf(job: IndexJob, result: IndexResult): number {
  if (result.kind === 'seal') return segmentBytes(result.segment);
  const inputs = job.kind === 'merge' ? job.inputs.map(({ column }) => column) : [];
  return [...inputs, result.column].reduce((sum, column) => sum + pieceBytes(column), 0);
}

const pieceBytes = ({ pieces }: ColumnPages): number =>
  pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
