/** Loads a checkpoint's sections into a state, verifying every byte that the state reads. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Checkpointed,
  isDerived,
  type StoredBytes,
  type StoreDerived,
} from '../ledger/checkpoint.ts';
import { GrownGarbage } from './collect-garbage.ts';
import { CORRUPTION_ADVICE, DataFileError, StorageFailedError } from './errors.ts';
import { type Piece, sectionChunks, type StoredSection } from './manifest.ts';
import type { StorageFile } from './storage.ts';
import type { Superblock } from './superblock.ts';

export interface StoredCheckpoint {
  readonly file: StorageFile;
  readonly superblock: Superblock;
  readonly sections: readonly StoredSection[];
}

export async function loadSections({
  file,
  superblock,
  sections,
  state,
  store,
  mend,
}: StoredCheckpoint & {
  readonly state: Checkpointed;
  /** Mends a damaged piece. Resolves with true if it can be read then. */
  readonly mend?: (piece: Piece, error: DataFileError) => Promise<boolean>;
  /** Adds derived tables to the checkpoint. */
  readonly store?: StoreDerived;
}): Promise<void> {
  const garbage = new GrownGarbage();
  try {
    for (const { pieces, ...head } of sections) {
      const chunks = sectionChunks(file, superblock.key, { ...head, pieces }, mend);
      const isSuspect = superblock.isIndexSuspect === true && isDerived(head.table);
      await state.loadSection(head, isSuspect ? asWhole(chunks) : chunks);
    }
    const pause = async (): Promise<void> => {
      garbage.check();
      await nextTurn();
    };
    await state.finishLoad(pause, store);
  } catch (cause) {
    // Damage found by a seal and a disk that cannot be read or written have their own messages.
    if (cause instanceof DataFileError || cause instanceof StorageFailedError) throw cause;
    if (Object.hasOwn(cause as object, 'errno')) throw cause;
    throw new DataFileError(
      'state_rejected',
      `The checkpoint's sections do not fit together. ${CORRUPTION_ADVICE}`,
      { cause },
    );
  }
}

/** Returns the bytes without a way to leave some out. */
const asWhole = (chunks: StoredBytes): StoredBytes => ({
  [Symbol.asyncIterator]: () => chunks[Symbol.asyncIterator](),
});
