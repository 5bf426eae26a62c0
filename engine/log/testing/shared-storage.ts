import { spareBytes } from '../shared-volume.ts';
import type { Volume } from '../storage.ts';
import { MemoryStorage } from './memory-storage.ts';

const SIZE_BYTES = 2 ** 30;

/** A volume that is shared: of its capacity, so much more is free as a data file leaves to the other. */
export class SharedStorage extends MemoryStorage {
  /** The other has taken of it. */
  takenBytes = 0;

  override async volume(): Promise<Volume> {
    const { freeBytes } = await super.volume();
    return {
      sizeBytes: SIZE_BYTES,
      freeBytes: freeBytes + spareBytes(SIZE_BYTES) - this.takenBytes,
    };
  }
}
