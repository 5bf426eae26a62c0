/** The parts of an import's files, and those that are to be sent. */
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

interface PartsToSend {
  /** The first part of each file, also when the service has it. */
  readonly first: readonly Part[];
  /** The other parts that the service does not have yet. They are sent only after all of `first` have arrived. */
  readonly others: readonly Part[];
}

/**
 * The service compares a first part with its own copy and so refuses another export of the same state: its size and head may be equal,
 * but its key is another. No other part of such a file may have been sent by then, or it would stay in the import.
 */
export function partsToSend({ files, partSizeBytes }: Import): PartsToSend {
  const wanted = files.flatMap((file) => {
    const there = new Set(file.parts);
    return partsOf(file, partSizeBytes).filter(({ number }) => number === 1 || !there.has(number));
  });
  return {
    first: wanted.filter(({ number }) => number === 1),
    others: wanted.filter(({ number }) => number > 1),
  };
}

export const bytesOf = (parts: readonly Part[]): number =>
  parts.reduce((sum, { from, to }) => sum + to - from, 0);

export const totalBytesOf = ({ files }: Pick<Import, 'files'>): number =>
  files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
