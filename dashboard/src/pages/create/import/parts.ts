/** The parts of an import's files, and those that are not uploaded yet. */
import type { Import } from '../../../../../gen/api.ts';

export interface Part {
  readonly replicaIndex: number;
  /** From 1. */
  readonly number: number;
  /** Range in the file: the first byte, and the end (exclusive). */
  readonly from: number;
  readonly to: number;
}

/** All parts have the same size, except for the last one of a file. */
export const partsOf = (
  { replicaIndex, sizeBytes }: Pick<Import['files'][number], 'replicaIndex' | 'sizeBytes'>,
  partSizeBytes: number,
): readonly Part[] =>
  Array.from({ length: Math.ceil(sizeBytes / partSizeBytes) }, (_, index) => ({
    replicaIndex,
    number: index + 1,
    from: index * partSizeBytes,
    to: Math.min(sizeBytes, (index + 1) * partSizeBytes),
  }));

export const missingParts = ({ files, partSizeBytes }: Import): readonly Part[] =>
  files.flatMap((file) => {
    const there = new Set(file.parts);
    return partsOf(file, partSizeBytes).filter(({ number }) => !there.has(number));
  });

export const bytesOf = (parts: readonly Part[]): number =>
  parts.reduce((sum, { from, to }) => sum + to - from, 0);

export const totalBytesOf = ({ files }: Pick<Import, 'files'>): number =>
  files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
